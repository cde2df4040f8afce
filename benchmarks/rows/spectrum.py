"""Eigenvalues of a Gram matrix, and the rank-revealing factor of one."""

import numpy as np

from harness import Peer, Row, Work, points, register

LENGTH_SCALE = 5.0


def setup(n, d):
    """The matrix comes from NumPy, so that the peers can be measured alone."""
    X = points(n, d) / LENGTH_SCALE
    h = 0.5 * np.einsum("ij,ij->i", X, X)
    K = np.exp(np.minimum(X @ X.T - h[:, None] - h[None, :], 0.0))
    return {"K": (K + K.T) / 2}


def mercer_eigvals(data):
    import mercer

    kernel, K = mercer.Kernel("precomputed"), mercer.Precomputed(data["K"])
    return lambda: kernel.eigvals(K)


def numpy_eigvalsh(data):
    K = data["K"]
    return lambda: np.linalg.eigvalsh(K)[::-1] / len(K)


def mercer_eigenfunctions(data):
    import mercer

    kernel, K = mercer.Kernel("precomputed"), mercer.Precomputed(data["K"])
    return lambda: kernel.eigenfunctions(K, len(data["K"])).values


def numpy_eigh(data):
    """Values and vectors; only the values are compared, since vectors have no sign."""
    K = data["K"]

    def call():
        values, vectors = np.linalg.eigh(K)
        return values[::-1] / len(K)

    return call


def mercer_factor(data):
    import mercer

    K = mercer.Precomputed(data["K"])
    return lambda: product(mercer.rkhs.Factor("precomputed", K).B)


def lapack_pstrf(data):
    """LAPACK's blocked Cholesky with complete pivoting, in place of a copy, with its default tolerance."""
    from scipy.linalg import lapack

    K = data["K"]

    def call():
        C, pivots, rank, _ = lapack.dpstrf(K, lower=1)
        B = np.zeros((len(K), rank))
        B[pivots - 1] = np.tril(C)[:, :rank]
        return product(B)

    return call


def product(B):
    """A few rows of BBᵀ, which is what two factors have in common."""
    return B[:50] @ B.T


def eigen_work(n, d):
    return Work(flops=4 * n**3 / 3)


SIZE = {"n": 2_000, "d": 20}
QUICK = {"n": 500, "d": 20}

register(
    Row(
        name="eigvals",
        what="all eigenvalues of a stored Gaussian Gram matrix, n=2,000, against eigvalsh",
        size=SIZE,
        quick=QUICK,
        setup=setup,
        mercer=mercer_eigvals,
        peers=[Peer("NumPy eigvalsh", "numpy", numpy_eigvalsh)],
        work=eigen_work,
    )
)

register(
    Row(
        name="eigenfunctions",
        what="eigenvalues and eigenfunctions of the same matrix, against eigh",
        size=SIZE,
        quick=QUICK,
        setup=setup,
        mercer=mercer_eigenfunctions,
        peers=[Peer("NumPy eigh", "numpy", numpy_eigh)],
        work=eigen_work,
    )
)

register(
    Row(
        name="pivoted-cholesky",
        what="factor K = BBᵀ with complete pivoting of the same matrix, against LAPACK dpstrf",
        size=SIZE,
        quick=QUICK,
        setup=setup,
        mercer=mercer_factor,
        peers=[Peer("SciPy dpstrf", "scipy", lapack_pstrf)],
        work=lambda n, d: Work(flops=n**3 / 3),
    )
)
