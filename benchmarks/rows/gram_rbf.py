"""Gaussian Gram matrix, allocated by the call and into a given array."""

import numpy as np

from harness import Peer, Row, faster, gram_work, memory_at_most, points, register

LENGTH_SCALE = 5.0
SIZE = {"n": 10_000, "d": 50}
QUICK = {"n": 2_000, "d": 50}


def setup(n, d):
    return {"X": points(n, d)}


def kernel():
    import mercer

    return mercer.Kernel(f"rbf(length_scale={LENGTH_SCALE})")


def mercer_gram(data):
    k = kernel()
    return lambda: k.gram(data["X"])


def mercer_into(data):
    k = kernel()
    n = len(data["X"])
    out = np.ones((n, n))
    return lambda: k.gram(data["X"], out=out)


def scikit_learn(data):
    from sklearn.metrics.pairwise import rbf_kernel

    gamma = 1 / (2 * LENGTH_SCALE**2)
    return lambda: rbf_kernel(data["X"], gamma=gamma)


PEERS = [Peer("scikit-learn", "scikit-learn", scikit_learn)]

register(
    Row(
        name="gram-rbf",
        what="Gaussian Gram matrix, n=10,000, d=50, against rbf_kernel",
        size=SIZE,
        quick=QUICK,
        setup=setup,
        mercer=mercer_gram,
        peers=PEERS,
        figures=[
            faster("scikit-learn", 4),
            memory_at_most("scikit-learn", "8n²+64 MB", lambda n, d: 8 * n * n + 64e6),
        ],
        work=gram_work,
    )
)

register(
    Row(
        name="gram-rbf-into",
        what="the same into an array that exists and was touched",
        size=SIZE,
        quick=QUICK,
        setup=setup,
        mercer=mercer_into,
        peers=PEERS,
        figures=[faster("scikit-learn", 6)],
        work=lambda n, d: gram_work(n, d, into=True),
    )
)
