"""Gaussian cross matrix of many points and few centres, as prediction needs."""

from harness import Peer, Row, Work, points, register

LENGTH_SCALE = 2.0


def setup(n, m, d):
    return {"X": points(n, d), "Y": points(m, d, seed=1)}


def mercer(data):
    import mercer

    kernel = mercer.Kernel(f"rbf(length_scale={LENGTH_SCALE})")
    return lambda: kernel.gram(data["X"], data["Y"])


def scikit_learn(data):
    from sklearn.metrics.pairwise import rbf_kernel

    gamma = 1 / (2 * LENGTH_SCALE**2)
    return lambda: rbf_kernel(data["X"], data["Y"], gamma=gamma)


register(
    Row(
        name="cross-rbf",
        what="Gaussian cross matrix, 100,000×1,000, d=10, against rbf_kernel",
        size={"n": 100_000, "m": 1_000, "d": 10},
        quick={"n": 5_000, "m": 1_000, "d": 10},
        setup=setup,
        mercer=mercer,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn)],
        work=lambda n, m, d: Work(flops=2.0 * n * m * d, exps=n * m, fresh=8.0 * n * m),
    )
)
