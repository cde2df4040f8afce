"""Kernels of the inner product: polynomial and cosine."""

from harness import Peer, Row, gram_work, points, register

SIZE = {"n": 10_000, "d": 50}
QUICK = {"n": 2_000, "d": 50}
POLYNOMIAL = {"degree": 3, "gamma": 0.02, "coef0": 1.0}


def setup(n, d):
    return {"X": points(n, d)}


def mercer(formula):
    def make(data):
        import mercer

        kernel = mercer.Kernel(formula)
        return lambda: kernel.gram(data["X"])

    return make


def scikit_polynomial(data):
    from sklearn.metrics.pairwise import polynomial_kernel

    return lambda: polynomial_kernel(data["X"], **POLYNOMIAL)


def scikit_cosine(data):
    from sklearn.metrics.pairwise import cosine_similarity

    return lambda: cosine_similarity(data["X"])


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
            work=lambda n, d: gram_work(n, d, exps=0),
        )
    )


add(
    "gram-poly",
    "poly(degree=3, gamma=0.02, coef0=1)",
    "cubic Gram matrix, n=10,000, d=50, against polynomial_kernel",
    scikit_polynomial,
)
add(
    "gram-cosine",
    "cosine",
    "cosine Gram matrix, n=10,000, d=50, against cosine_similarity",
    scikit_cosine,
)
