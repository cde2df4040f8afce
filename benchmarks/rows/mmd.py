"""MMD with permutations beside NumPy, as well as it can be written there: one product of matrices for all permutations."""

import numpy as np

from harness import Peer, Row, faster, register

PERMUTATIONS = 1000


def samples(n, d=10):
    rng = np.random.default_rng(0)
    return {"X": rng.normal(size=(n, d)), "Y": rng.normal(size=(n, d)) + 0.02, "length_scale": np.sqrt(d)}


def mercer_test(data):
    import mercer

    kernel = f"rbf(length_scale={float(data['length_scale'])!r})"
    return lambda: np.array([mercer.mmd_test(data["X"], data["Y"], kernel, n_permutations=PERMUTATIONS).statistic])


def one_product(data):
    """q_b = a_bᵀK⁰a_b for all b from K⁰A, with the Gram matrix stored."""
    X, Y, gamma = data["X"], data["Y"], 0.5 / data["length_scale"] ** 2

    def run():
        rng = np.random.default_rng(0)
        Z, m, n = np.concatenate([X, Y]), len(X), len(Y)
        squares = (Z**2).sum(1)
        K = Z @ Z.T
        K *= 2 * gamma
        K -= gamma * squares
        K -= gamma * squares[:, None]
        np.exp(K, out=K)
        np.fill_diagonal(K, 0)
        A = np.zeros((m + n, PERMUTATIONS + 1))
        A[:m, 0] = 1
        for b in range(1, PERMUTATIONS + 1):
            A[rng.permutation(m + n)[:m], b] = 1
        r = K.sum(1)
        S = r.sum()
        q = np.einsum("ij,ij->j", A, K @ A)
        l = A.T @ r
        T = q / (m * (m - 1)) + (S - 2 * l + q) / (n * (n - 1)) - 2 * (l - q) / (m * n)
        assert 0 < (1 + (T[1:] >= T[0]).sum()) / (PERMUTATIONS + 1) <= 1
        return T[:1]

    return run


register(
    Row(
        name="mmd",
        what="MMD² and 1,000 permutations, n=m=2,000, d=10, against one product of matrices in NumPy",
        size={"n": 2_000},
        quick={"n": 500},
        setup=samples,
        mercer=mercer_test,
        peers=[Peer("numpy", "numpy", one_product)],
        figures=[faster("numpy", 3)],
        tolerance=1e-9,
    )
)
