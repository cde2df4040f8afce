"""exp(−‖x−y‖₁/ℓ): no matrix product helps here."""

from harness import Peer, Row, faster, gram_work, points, register

LENGTH_SCALE = 50.0


def setup(n, d):
    return {"X": points(n, d)}


def mercer(data):
    import mercer

    kernel = mercer.Kernel(f"laplace_l1(length_scale={LENGTH_SCALE})")
    return lambda: kernel.gram(data["X"])


def scikit_learn(data):
    from sklearn.metrics.pairwise import laplacian_kernel

    return lambda: laplacian_kernel(data["X"], gamma=1 / LENGTH_SCALE)


register(
    Row(
        name="gram-laplace-l1",
        what="L1-Laplace Gram matrix, n=3,000, d=50, against laplacian_kernel",
        size={"n": 3_000, "d": 50},
        quick={"n": 800, "d": 50},
        setup=setup,
        mercer=mercer,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn)],
        figures=[faster("scikit-learn", 8)],
        work=gram_work,
    )
)
