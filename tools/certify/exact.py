"""Vectors and symmetric matrices of numbers with 80 digits, as plain lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gmpy2
import numpy as np
from gmpy2 import mpfr

gmpy2.get_context().precision = 270

Vector = list[mpfr]
Matrix = list[Vector]

ZERO, ONE = mpfr(0), mpfr(1)


def vector(values: Sequence[float] | np.ndarray) -> Vector:
    """Doubles, exactly."""
    return [mpfr(float(v)) for v in values]


def matrix(values: np.ndarray) -> Matrix:
    return [vector(row) for row in values]


def dot(a: Vector, b: Vector) -> mpfr:
    return sum((x * y for x, y in zip(a, b, strict=True)), ZERO)


def times(k: Matrix, v: Vector) -> Vector:
    return [dot(row, v) for row in k]


def norm(v: Vector) -> mpfr:
    return gmpy2.sqrt(dot(v, v))


def shifted(k: Matrix, by: Callable[[int], mpfr]) -> Matrix:
    """K with numbers added to its diagonal."""
    return [[v + by(i) if i == j else v for j, v in enumerate(row)] for i, row in enumerate(k)]


def factor(a: Matrix) -> tuple[Matrix, Vector] | None:
    """L with ones on the diagonal and D with A = L·D·Lᵀ; nothing if a pivot is not above 0."""
    n = len(a)
    lower: Matrix = [[ZERO] * n for _ in range(n)]
    pivots: Vector = []
    for i in range(n):
        row = lower[i]
        for j in range(i):
            known = sum((row[m] * lower[j][m] * pivots[m] for m in range(j)), ZERO)
            row[j] = (a[i][j] - known) / pivots[j]
        pivot = a[i][i] - sum((row[m] * row[m] * pivots[m] for m in range(i)), ZERO)
        if pivot <= 0:
            return None
        row[i] = ONE
        pivots.append(pivot)
    return lower, pivots


def is_definite(k: Matrix) -> bool:
    """Whether K is positive semi-definite, to 60 digits of its largest value."""
    size = max((abs(row[i]) for i, row in enumerate(k)), default=ONE)
    nothing = size * mpfr(10) ** -60
    return factor(shifted(k, lambda _: nothing)) is not None


def solve(a: Matrix, rhs: Sequence[Vector]) -> list[Vector] | None:
    """Solutions for a positive definite matrix."""
    found = factor(a)
    if found is None:
        return None
    lower, pivots = found
    return [back(lower, pivots, b) for b in rhs]


def back(lower: Matrix, pivots: Vector, b: Vector) -> Vector:
    n = len(b)
    x = list(b)
    for i in range(n):
        x[i] -= sum((lower[i][j] * x[j] for j in range(i)), ZERO)
    x = [v / d for v, d in zip(x, pivots, strict=True)]
    for i in reversed(range(n)):
        x[i] -= sum((lower[j][i] * x[j] for j in range(i + 1, n)), ZERO)
    return x


def eliminate(lu: Matrix, b: Vector) -> Vector | None:
    """The solution of any square system, by pivoted elimination."""
    n = len(b)
    a = [[*row, v] for row, v in zip(lu, b, strict=True)]
    for j in range(n):
        p = max(range(j, n), key=lambda i: abs(a[i][j]))
        if a[p][j] == 0:
            return None
        a[j], a[p] = a[p], a[j]
        for i in range(j + 1, n):
            share = a[i][j] / a[j][j]
            if share:
                a[i] = [x - share * y for x, y in zip(a[i], a[j], strict=True)]
    x: Vector = [ZERO] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum((a[i][j] * x[j] for j in range(i + 1, n)), ZERO)) / a[i][i]
    return x
