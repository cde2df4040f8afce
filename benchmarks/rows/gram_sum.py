"""A sum of two kernels on the same columns against one of them alone."""

import numpy as np

from harness import Peer, Row, costs_at_most, gram_work, points, register

RBF = "rbf(length_scale=5)"
MATERN = "matern52(length_scale=5)"


def setup(n, d):
    return {"X": points(n, d)}


def mercer_into(formula):
    """Into an array that exists: fresh memory would dilute the difference."""

    def make(data):
        import mercer

        kernel = mercer.Kernel(formula)
        n = len(data["X"])
        out = np.ones((n, n))
        return lambda: kernel.gram(data["X"], out=out)

    return make


register(
    Row(
        name="gram-sum",
        what="Mercer's rbf + matern52 on the same columns against each alone",
        size={"n": 10_000, "d": 50},
        quick={"n": 2_000, "d": 50},
        setup=setup,
        mercer=mercer_into(f"{RBF} + {MATERN}"),
        peers=[
            Peer("rbf alone", "mercer", mercer_into(RBF)),
            Peer("matern52 alone", "mercer", mercer_into(MATERN)),
        ],
        figures=[costs_at_most("rbf alone", 1.4), costs_at_most("matern52 alone", 1.4)],
        work=lambda n, d: gram_work(n, d, exps=2, into=True),
        tolerance=None,
    )
)
