"""K·v of a Gaussian kernel without ever storing K."""

import numpy as np

from harness import Peer, Row, Work, faster, memory_at_most, points, register

LENGTH_SCALE = 5.0
TILE = 2_000


def setup(n, d):
    return {"X": points(n, d), "v": points(n, 1, seed=1)[:, 0]}


def mercer(data):
    import mercer

    kernel = mercer.Kernel(f"rbf(length_scale={LENGTH_SCALE})")
    return lambda: kernel.matvec(data["X"], data["v"])


def numpy_tiled(data):
    """Square tiles; one GEMM gives −‖x−y‖²/2ℓ² whole, exp works in place.

    With h = ‖x‖²/2ℓ² as two more columns, [x/ℓ, −h, 1]·[y/ℓ, 1, −h] is the
    exponent, which saves two passes over the tile.
    """
    return lambda: tiled_product(data["X"], data["v"])


def tiled_product(X, v):
    scaled, ones = X / LENGTH_SCALE, np.ones(len(X))
    h = 0.5 * np.einsum("ij,ij->i", scaled, scaled)
    left = np.column_stack([scaled, -h, ones])
    right = np.column_stack([scaled, ones, -h])
    result = np.zeros(len(X))
    buffer = np.empty((TILE, TILE))
    for i in range(0, len(X), TILE):
        rows = left[i : i + TILE]
        for j in range(0, len(X), TILE):
            columns = right[j : j + TILE]
            tile = buffer[: len(rows), : len(columns)]
            np.matmul(rows, columns.T, out=tile)
            np.exp(tile, out=tile)
            result[i : i + TILE] += tile @ v[j : j + TILE]
    return result


def keops(data):
    """The formula is compiled here, on a few points, outside the measurement."""
    keops_product(data["X"][:10], data["v"][:10])
    return lambda: keops_product(data["X"], data["v"])


def keops_product(X, v):
    from pykeops.numpy import LazyTensor

    scaled = X / (np.sqrt(2.0) * LENGTH_SCALE)
    rows, columns = LazyTensor(scaled[:, None, :]), LazyTensor(scaled[None, :, :])
    kernel = (-((rows - columns) ** 2).sum(-1)).exp()
    return (kernel @ v[:, None])[:, 0]


def work(n, d):
    """Symmetry halves distances and exponentials, not the product with v."""
    pairs = n * (n + 1) / 2
    return Work(flops=2 * pairs * d + 2 * n * n, exps=pairs)


register(
    Row(
        name="matvec-rbf",
        what="streamed Gaussian K·v, n=50,000, d=20, against tiled NumPy and KeOps",
        size={"n": 50_000, "d": 20},
        quick={"n": 8_000, "d": 20},
        setup=setup,
        mercer=mercer,
        peers=[Peer("NumPy tiled", "numpy", numpy_tiled), Peer("KeOps", "pykeops", keops)],
        figures=[
            faster("NumPy tiled", 8),
            memory_at_most("NumPy tiled", "200 MB", lambda n, d: 200e6),
        ],
        work=work,
    )
)
