"""Gram matrices of sparse rows (CSR), 50 of 20,000 columns filled per row."""

from harness import Peer, Row, Work, register

SIZE = {"n": 4_000, "d": 20_000, "filled": 50}
QUICK = {"n": 1_000, "d": 20_000, "filled": 50}
LENGTH_SCALE = 5.0


def setup(n, d, filled):
    import scipy.sparse

    X = scipy.sparse.random_array(
        (n, d), density=filled / d, format="csr", rng=0
    )
    return {"X": X}


def mercer(formula):
    def make(data):
        import mercer

        kernel = mercer.Kernel(formula)
        return lambda: kernel.gram(data["X"])

    return make


def scikit_linear(data):
    from sklearn.metrics.pairwise import linear_kernel

    return lambda: linear_kernel(data["X"], dense_output=True)


def scikit_rbf(data):
    from sklearn.metrics.pairwise import rbf_kernel

    return lambda: rbf_kernel(data["X"], gamma=1 / (2 * LENGTH_SCALE**2))


def add(name, formula, what, peer):
    register(
        Row(
            name=name,
            what=what,
            size=SIZE,
            quick=QUICK,
            setup=setup,
            mercer=mercer(formula),
            peers=[Peer("scikit-learn", "scikit-learn", peer)],
            work=lambda n, d, filled: Work(fresh=8.0 * n * n),
        )
    )


add(
    "sparse-linear",
    "linear",
    "linear Gram matrix of 4,000 sparse rows, dense result, against linear_kernel",
    scikit_linear,
)
add(
    "sparse-rbf",
    f"rbf(length_scale={LENGTH_SCALE})",
    "Gaussian Gram matrix of 4,000 sparse rows against rbf_kernel",
    scikit_rbf,
)
