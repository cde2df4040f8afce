"""HSIC beside hyppo, and KCI beside causal-learn."""

import numpy as np

from harness import Peer, Row, faster, register

PERMUTATIONS = 1000


def pairs(n):
    """Two variables of one column that depend weakly."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 1))
    return {"x": x, "y": 0.1 * x**2 + rng.normal(size=(n, 1))}


def mercer_hsic(data):
    import mercer

    return lambda: np.array([mercer.hsic_test(data["x"], data["y"], n_permutations=PERMUTATIONS).pvalue])


def hyppo_hsic(data):
    from hyppo.independence import Hsic

    return lambda: np.array([Hsic().test(data["x"], data["y"], reps=PERMUTATIONS, workers=-1, auto=False)[1]])


def chains(n):
    """X and Z that Y explains: X → Y → Z."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 1))
    y = x + 0.5 * rng.normal(size=(n, 1))
    return {"x": x, "y": y, "z": y + 0.5 * rng.normal(size=(n, 1))}


def mercer_kci(data):
    import mercer

    return lambda: np.array([mercer.kci_test(data["x"], data["z"], data["y"]).statistic])


def causal_learn_kci(data):
    from causallearn.utils.KCI.KCI import KCI_CInd

    return lambda: np.array([KCI_CInd().compute_pvalue(data["x"].copy(), data["z"].copy(), data["y"].copy())[1]])


register(
    Row(
        name="hsic",
        what="HSIC, n=2,000, 1,000 permutations, against hyppo",
        size={"n": 2_000},
        quick={"n": 200},
        setup=pairs,
        mercer=mercer_hsic,
        peers=[Peer("hyppo", "hyppo", hyppo_hsic)],
        figures=[faster("hyppo", 100)],
        # Permutations are drawn by chance, and hyppo's null is another one.
        tolerance=None,
    )
)

register(
    Row(
        name="kci",
        what="KCI, n=1,500, given one column, against causal-learn",
        size={"n": 1_500},
        quick={"n": 300},
        setup=chains,
        mercer=mercer_kci,
        peers=[Peer("causal-learn", "causal-learn", causal_learn_kci)],
        figures=[faster("causal-learn", 5)],
        tolerance=1e-6,
    )
)
