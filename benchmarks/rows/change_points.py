"""Exact kernel change points beside the C code of ruptures: the same Gaussian kernel, fit and predict, segments of any length."""

import numpy as np

from harness import Peer, Row, faster, register

GAMMA = 0.1
CHANGES = 9
PENALTY = 10.0


def steps(n):
    """Ten levels in five dimensions."""
    rng = np.random.default_rng(0)
    levels = np.repeat(rng.normal(size=(CHANGES + 1, 5)), -(-n // (CHANGES + 1)), axis=0)[:n]
    return {"X": levels + rng.normal(size=(n, 5))}


def mercer_changes(**choices):
    def make(data):
        import mercer

        model = mercer.KernelChangePoint(f"rbf(gamma={GAMMA})", min_size=1, **choices)
        return lambda: np.array(model.fit_predict(data["X"]), dtype=float)

    return make


def ruptures_changes(**choices):
    def make(data):
        import ruptures

        def find():
            model = ruptures.KernelCPD(kernel="rbf", min_size=1, params={"gamma": GAMMA})
            return np.array(model.fit(data["X"]).predict(**choices), dtype=float)

        return find

    return make


def row(name, what, own, peer, times):
    return Row(
        name=name,
        what=what,
        size={"n": 3_000},
        quick={"n": 1_000},
        setup=steps,
        mercer=mercer_changes(**own),
        peers=[Peer("ruptures", "ruptures", ruptures_changes(**peer))],
        figures=[faster("ruptures", times)],
        # ruptures clips the exponent to 0.01 at least, so that its answers may be others, of a higher cost.
        tolerance=None,
    )


register(
    row(
        "change-points",
        "9 exact change points, Gaussian kernel, n=3,000, d=5, against ruptures' C code",
        {"n_bkps": CHANGES},
        {"n_bkps": CHANGES},
        5,
    )
)
register(
    row(
        "change-points-penalty",
        "exact change points for a penalty, Gaussian kernel, n=3,000, d=5, against ruptures' C code",
        {"pen": PENALTY},
        {"pen": PENALTY},
        2,
    )
)
