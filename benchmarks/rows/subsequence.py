"""Gram matrix of texts by shared subsequences with gaps, against a table filled cell by cell."""

import numpy as np

from harness import Peer, Row, Work, faster, register

DECAY = 0.5


def setup(n, letters, p):
    rng = np.random.default_rng(0)
    drawn = rng.choice(np.array(list("ACGT")), size=(n, letters))
    return {"sequences": ["".join(row) for row in drawn], "p": p}


def mercer(data):
    import mercer
    import pandas

    table = pandas.DataFrame({"sequence": data["sequences"]})
    kernel = mercer.Kernel(f"subsequence(sequence, p={data['p']}, decay={DECAY})")
    return lambda: kernel.gram(table)


def table(data):
    """The recurrence of Lodhi et al., compiled by Numba as it is written: O(p·|s|·|t|) a pair, one thread."""
    import numba

    @numba.njit
    def pair(s, t, p, decay, before, here):
        # before[i, j] = K'_{q-1}(s[:i], t[:j])
        before[:] = 1.0
        value = 0.0
        for q in range(1, p + 1):
            value = 0.0
            here[:] = 0.0
            for i in range(1, len(s) + 1):
                row = 0.0
                for j in range(1, len(t) + 1):
                    match = s[i - 1] == t[j - 1]
                    row = decay * row + (decay * decay * before[i - 1, j - 1] if match else 0.0)
                    here[i, j] = decay * here[i - 1, j] + row
                    if match:
                        value += decay * decay * before[i - 1, j - 1]
            before[:] = here
        return value

    @numba.njit
    def gram(points, p, decay):
        n, letters = points.shape
        out = np.empty((n, n))
        before, here = np.empty((letters + 1, letters + 1)), np.empty((letters + 1, letters + 1))
        for i in range(n):
            for j in range(i + 1):
                out[i, j] = out[j, i] = pair(points[i], points[j], p, decay, before, here)
        return out

    points = np.array([[ord(c) for c in s] for s in data["sequences"]])
    gram(points[:2], data["p"], DECAY)
    return lambda: gram(points, data["p"], DECAY)


for p in (4, 8):
    register(
        Row(
            name=f"subsequence-{p}",
            what=f"subsequence Gram matrix (p = {p}) of DNA of 60 letters against a table filled cell by cell (Numba, one thread)",
            size={"n": 600, "letters": 60, "p": p},
            quick={"n": 100, "letters": 60, "p": p},
            setup=setup,
            mercer=mercer,
            peers=[Peer("table", "numba", table)],
            figures=[faster("table", 20)],
            work=lambda n, letters, p: Work(fresh=8.0 * n * n),
        )
    )
