"""Whether a symmetric matrix of values is certainly indefinite.

A pivoted LDLᵀ proposes a vector a; aᵀKa is then computed with its bound, and only a negative upper
bound counts. Matrices of rationals are decomposed exactly.
"""

from __future__ import annotations

from mpmath import mp, mpf

from .enclosure import Exact, Unsure, Value, add, ball, is_exact, multiply, sign

Matrix = list[list[Value]]
Vector = list[Value]

#: Exact elimination is tried up to this many bits in all entries together.
EXACT_BITS = 20_000


def form(matrix: Matrix, vector: Vector) -> Value:
    """aᵀKa."""
    total: Value = Exact(0)
    for i, a in enumerate(vector):
        for j, b in enumerate(vector):
            total = add(total, multiply(multiply(a, b), matrix[i][j]))
    return total


def is_negative(matrix: Matrix, vector: Vector) -> bool:
    """Whether aᵀKa < 0, for certain."""
    try:
        return sign(form(matrix, vector)) < 0
    except Unsure:
        return False


def negative_vector(matrix: Matrix) -> tuple[Vector | None, bool]:
    """A vector with aᵀKa < 0 for certain, or none and whether more digits could tell."""
    entries = [v for row in matrix for v in row]
    if all(is_exact(v) for v in entries):
        if sum(int(v.numerator).bit_length() + int(v.denominator).bit_length() for v in entries) < EXACT_BITS:
            vector = _propose(matrix, Exact(0), Exact(1))
            return (vector, False) if vector is not None and is_negative(matrix, vector) else (None, False)
    middles = [[ball(v).middle for v in row] for row in matrix]
    vector = _propose(middles, mpf(0), mpf(1))
    if vector is None:
        return None, False
    # The entries of the vector are numbers of the working precision: as rationals they are exact.
    largest = max(abs(v) for v in vector)
    rational = [_dyadic(v / largest) for v in vector]
    return (rational, False) if is_negative(matrix, rational) else (None, True)


def _dyadic(value: mpf) -> Value:
    return Exact(int(mp.nint(mp.ldexp(value, mp.prec)))) / Exact(2) ** mp.prec


def _propose(matrix: list[list], zero: object, one: object) -> list | None:
    """Eliminates by the largest pivot; a negative one, or a zero one that is not alone, gives a vector."""
    n = len(matrix)
    S = [row[:] for row in matrix]
    size = [abs(S[i][i]) for i in range(n)]
    left = list(range(n))
    eliminated: list[tuple[int, list]] = []
    while left:
        vector = _direction(S, left, size, zero, one)
        if vector is not None:
            return _lift(vector, eliminated, zero)
        pivots = [i for i in left if S[i][i] > 0]
        if not pivots:
            return None
        # The largest share of what the entry was before elimination: scale does not matter.
        p = max(pivots, key=lambda i: S[i][i] / size[i])
        left.remove(p)
        row = [S[p][j] / S[p][p] for j in range(n)]
        eliminated.append((p, row))
        for i in left:
            factor = S[i][p]
            if factor == 0:
                continue
            for j in left:
                S[i][j] = S[i][j] - factor * row[j]
    return None


def _direction(S: list[list], left: list[int], size: list, zero: object, one: object) -> list | None:
    """z with zᵀSz < 0 that one or two coordinates show."""
    n = len(S)
    negative = [i for i in left if S[i][i] < 0]
    if negative:
        worst = min(negative, key=lambda i: S[i][i] / size[i] if size[i] != 0 else S[i][i])
        return [one if j == worst else zero for j in range(n)]
    for i in left:
        if S[i][i] != 0:
            continue
        for j in left:
            if j != i and S[i][j] != 0:
                # With Sᵢᵢ = 0 the form is 2·t·Sᵢⱼ + Sⱼⱼ, which this t makes negative.
                t = -(S[j][j] + abs(S[i][j])) / S[i][j]
                return [t if m == i else one if m == j else zero for m in range(n)]
    return None


def _lift(vector: list, eliminated: list[tuple[int, list]], zero: object) -> list:
    """The vector of the whole matrix whose form is that of the Schur complement."""
    out = vector[:]
    for p, row in reversed(eliminated):
        out[p] = -sum((row[j] * out[j] for j in range(len(out)) if j != p and out[j] != 0), zero)
    return out
