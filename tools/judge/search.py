"""The search for points that show a function not to be a kernel.

Floating point looks at many sets of points at once and proposes; sixty digits with a bound decide.
Some sets go to the sixty digits unseen, since floating point is blind to what happens in the 17th.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
from mpmath import mp

from . import enclosure, evaluate, matrix, points, spectrum
from .enclosure import DIGITS, Undefined, Unsure, Value
from .language import Tree, parse

#: How many sets floating point looks at, by their size.
PROPOSED = {1: 16, 2: 120, 3: 120, 4: 80, 5: 60, 6: 60, 8: 50, 10: 40, 12: 30, 24: 16, 60: 8}
#: Relative to the diagonal, floating point below this is worth sixty digits.
WORTH = -1e-14
#: Sizes of the sets that sixty digits look at unseen.
UNSEEN = (1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6, 8, 12)


@dataclass(frozen=True)
class Violation:
    """What shows that a function is not a kernel."""

    kind: str  # negative, asymmetric or undefined
    points: list[Fraction]
    vector: list[Fraction]
    value: str

    def __str__(self) -> str:
        where = ", ".join(str(p) for p in self.points)
        if self.kind == "negative":
            return f"points {where}; a = ({', '.join(short(v) for v in self.vector)}); aᵀKa = {self.value}"
        return f"{self.kind} at {where}: {self.value}"


def short(value: Fraction) -> str:
    """A number as one reads it; long ones to some digits."""
    return str(value) if len(str(value)) < 16 else f"{float(value):.12g}"


class Function:
    """An expression with its values in sixty digits and in floating point."""

    def __init__(self, expression: str | Tree) -> None:
        self.tree = parse(expression) if isinstance(expression, str) else expression
        self.digits = evaluate.in_digits(self.tree)
        self.floats = evaluate.in_floats(self.tree)

    def at(self, x: Fraction, y: Fraction) -> Value:
        return self.digits(enclosure.exact(x), enclosure.exact(y))


def judge_points(k: Function, chosen: list[Fraction], precision: int = DIGITS) -> Violation | None:
    """Whether these points show that k is no kernel, in as many digits and once more in twice as many."""
    with mp.workdps(precision + 10):
        try:
            K = [[k.at(x, y) for y in chosen] for x in chosen]
        except Undefined as gap:
            return _undefined(k, chosen, str(gap))
        except (Unsure, OverflowError, MemoryError):
            return None
        found = _asymmetric(K, chosen)
        if found:
            return found
        vector, unsure = matrix.negative_vector(K)
        if vector is not None:
            return _negative(K, chosen, vector)
    if unsure and precision == DIGITS:
        return judge_points(k, chosen, 2 * DIGITS)
    return None


def _negative(K: matrix.Matrix, chosen: list[Fraction], vector: matrix.Vector) -> Violation:
    used = [i for i, v in enumerate(vector) if v != 0]
    K = [[K[i][j] for j in used] for i in used]
    vector = [vector[i] for i in used]
    value = enclosure.ball(matrix.form(K, vector))
    rational = [Fraction(int(v.numerator), int(v.denominator)) for v in vector]
    return Violation("negative", [chosen[i] for i in used], rational, repr(value))


def _asymmetric(K: matrix.Matrix, chosen: list[Fraction]) -> Violation | None:
    for i in range(len(K)):
        for j in range(i):
            try:
                differs = enclosure.sign(enclosure.subtract(K[i][j], K[j][i])) != 0
            except Unsure:
                differs = False
            if differs:
                return Violation("asymmetric", [chosen[i], chosen[j]], [], f"{K[i][j]} and {K[j][i]}")
    return None


def _undefined(k: Function, chosen: list[Fraction], gap: str) -> Violation | None:
    for x in chosen:
        for y in chosen:
            try:
                k.at(x, y)
            except Undefined:
                return Violation("undefined", [x, y], [], gap)
            except (Unsure, OverflowError, MemoryError):
                continue
    return None


def search(k: Function, domain: str, r: Random, effort: float = 1.0) -> Violation | None:
    """Points of the domain that show k to be no kernel, if they are found."""
    return _proposed(k, domain, r, effort) or _spectral(k, domain, r, effort) or _unseen(k, domain, r, effort)


def _spectral(k: Function, domain: str, r: Random, effort: float) -> Violation | None:
    profile = spectrum.of_difference(k.tree)
    if profile is not None:
        return _long(profile, domain, r, effort)
    for _ in range(max(2, round(effort * 6))):
        found = spectrum.suspect(k.floats, domain, r)
        if found:
            chosen, vector = found
            verified = judge_vector(k, chosen, [Fraction(float(v)) for v in vector])
            if verified:
                return verified
    return None


def _long(profile: Tree, domain: str, r: Random, effort: float) -> Violation | None:
    for _ in range(max(3, round(effort * 10))):
        with mp.workdps(DIGITS + 10):
            found = spectrum.negative_sum(profile, domain, r)
        if found:
            h, n, value = found
            return Violation("negative", [h, 2 * h, n * h], [], f"{value} at {n} points with the step {h}")
    return None


def judge_vector(k: Function, chosen: list[Fraction], vector: list[Fraction]) -> Violation | None:
    """Whether these points with this vector show that k is no kernel."""
    with mp.workdps(DIGITS + 10):
        try:
            K = [[k.at(x, y) for y in chosen] for x in chosen]
        except (Undefined, Unsure, OverflowError, MemoryError):
            return None
        a = [enclosure.exact(v) for v in vector]
        return _negative(K, chosen, a) if matrix.is_negative(K, a) else None


def _unseen(k: Function, domain: str, r: Random, effort: float) -> Violation | None:
    for _ in range(max(1, round(effort * 2))):
        for n in UNSEEN:
            found = judge_points(k, points.draw(r, domain, n))
            if found:
                return found
    return None


def _proposed(k: Function, domain: str, r: Random, effort: float) -> Violation | None:
    for n, count in PROPOSED.items():
        sets = [points.draw(r, domain, n) for _ in range(max(2, round(effort * count)))]
        for chosen, vector in _suspects(k, [s for s in sets if len(s) == n]):
            # Many points cost too much to decompose: there the vector of floating point is tried as it is.
            found = judge_points(k, chosen) if n <= 12 else judge_vector(k, chosen, vector)
            if found:
                return found
    return None


def _suspects(k: Function, sets: list[list[Fraction]]) -> list[tuple[list[Fraction], list[Fraction]]]:
    """The sets where floating point finds a fault or no value, the worst first; few of them."""
    if not sets:
        return []
    x = np.array([[float(p) for p in s] for s in sets])
    K = k.floats(x[:, :, None], x[:, None, :])
    gaps = np.isnan(K).any(axis=(1, 2))
    with np.errstate(all="ignore"):
        crooked = (np.abs(K - K.transpose(0, 2, 1)) > 1e-10 * np.abs(K)).any(axis=(1, 2))
        filled = np.where(np.isnan(K), 0.0, K)
        d = np.sqrt(np.abs(np.diagonal(filled, axis1=1, axis2=2)))
        d = np.where(d > 0, d, 1.0)
        scaled = filled / d[:, :, None] / d[:, None, :]
        scaled = np.clip(np.where(np.isfinite(scaled), scaled, 0.0), -1e6, 1e6)
        values, vectors = np.linalg.eigh((scaled + scaled.transpose(0, 2, 1)) / 2)
    score = np.where(gaps | crooked, -1.0, values[:, 0])
    n = x.shape[1]
    order = np.argsort(score)[: 8 if n <= 12 else 2]
    # Rounding grows with the size.
    worst = [i for i in order if score[i] < WORTH * n * n]
    return [(sets[i], [Fraction(float(v)) for v in vectors[i, :, 0] / d[i]]) for i in worst]
