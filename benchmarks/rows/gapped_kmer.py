"""Gram matrix of DNA by gapped k-mers, against all words of the alphabet."""

import numpy as np

from harness import Peer, Row, Work, register

LENGTH, KEPT = 6, 4


def setup(n, letters):
    rng = np.random.default_rng(0)
    drawn = rng.choice(np.array(list("ACGT")), size=(n, letters))
    return {"sequences": ["".join(row) for row in drawn]}


def mercer(data):
    import mercer
    import pandas

    table = pandas.DataFrame({"sequence": data["sequences"]})
    kernel = mercer.Kernel(f"gapped_kmer(sequence, l={LENGTH}, k={KEPT}, filter=count)")
    return lambda: kernel.gram(table)


def subsets(data):
    """One spectrum kernel for each choice of places, as FastSK counts them: Σ over places of X·Xᵀ."""
    from itertools import combinations

    from scipy.sparse import csr_matrix

    def gram():
        codes = np.array([["ACGT".index(c) for c in s] for s in data["sequences"]])
        windows = np.lib.stride_tricks.sliding_window_view(codes, LENGTH, axis=1)
        n, count, _ = windows.shape
        rows = np.repeat(np.arange(n), count)
        total = np.zeros((n, n))
        for places in combinations(range(LENGTH), KEPT):
            words = windows[:, :, places] @ (4 ** np.arange(KEPT))
            counts = csr_matrix((np.ones(rows.size), (rows, words.ravel())), shape=(n, 4**KEPT))
            total += (counts @ counts.T).toarray()
        return total

    return gram


register(
    Row(
        name="gapped-kmer",
        what=f"gapped k-mer Gram matrix (l = {LENGTH}, k = {KEPT}) of DNA of 200 letters against a sum over choices of places (SciPy)",
        size={"n": 1_000, "letters": 200},
        quick={"n": 200, "letters": 200},
        setup=setup,
        mercer=mercer,
        peers=[Peer("subsets", "scipy", subsets)],
        work=lambda n, letters: Work(fresh=8.0 * n * n),
    )
)
