"""Kernel principal components beside scikit-learn's, at equal residuals."""

import numpy as np

from harness import Peer, Row, faster, register

COMPONENTS = 10


def setup(n, d):
    """Standard normal columns divided by 1, 2, …, d; the bandwidth is the median distance of some rows."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(n, d)) / np.arange(1, d + 1)
    some = X[:1000]
    squares = np.maximum(((some**2).sum(1)[:, None] + (some**2).sum(1)) - 2 * some @ some.T, 0)
    return {"X": X, "length_scale": float(np.median(np.sqrt(squares[np.triu_indices(len(some), 1)])))}


def mercer_pca(data):
    import mercer

    kernel = f"rbf(length_scale={data['length_scale']})"

    def call():
        pca = mercer.KernelPCA(kernel, n_components=COMPONENTS, tolerance=1e-8).fit(data["X"])
        assert pca.certificate_.relative_residual <= 1e-8, pca.certificate_
        return pca.eigenvalues_

    return call


def theirs(solver, **options):
    def prepare(data):
        from sklearn.decomposition import KernelPCA

        gamma = 0.5 / data["length_scale"] ** 2
        pca = KernelPCA(
            n_components=COMPONENTS, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0, n_jobs=2, **options
        )
        return lambda: pca.fit(data["X"]).eigenvalues_

    return prepare


register(
    Row(
        name="pca-rbf",
        what="10 kernel principal components, Gaussian, n=5,000, d=50, residuals below 1e-8 of the largest eigenvalue",
        size={"n": 5_000, "d": 50},
        quick={"n": 1_000, "d": 50},
        setup=setup,
        mercer=mercer_pca,
        peers=[
            Peer("scikit-learn dense", "scikit-learn", theirs("dense")),
            Peer("scikit-learn arpack", "scikit-learn", theirs("arpack", tol=1e-8)),
            Peer("scikit-learn randomized", "scikit-learn", theirs("randomized", iterated_power=9)),
        ],
        figures=[
            faster("scikit-learn dense", 10),
            faster("scikit-learn arpack", 2),
            faster("scikit-learn randomized", 2),
        ],
    )
)
