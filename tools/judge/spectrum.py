"""Negative frequencies of functions that are stationary along a progression.

At x₀ + jh, or at x₀·rʲ, many kernels have a matrix that is constant along its diagonals once the
main diagonal is scaled to 1. With aⱼ = exp(iωj) the form of n points is n·F(ω),
F(ω) = ρ₀ + 2·Σ (1 − m/n)·ρₘ·cos(ωm), which one Fourier transform gives for all ω: hundreds of
points at once, where low frequencies and small negative means hide from a dozen.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np

from . import enclosure, evaluate
from .language import Tree

#: Points of a progression that floating point looks at.
LONG = 256
#: The same where the function is written in x − y, so that the form is a sum of this many terms.
LONGEST = 4096
#: F below this, relative to its largest value, is worth sixty digits.
WORTH = -1e-9


def suspect(floats, domain: str, r: Random) -> tuple[list[Fraction], np.ndarray] | None:  # type: ignore[no-untyped-def]
    """Points of a progression and a vector that floating point finds to give a negative form."""
    points = _progression(domain, r)
    if points is None:
        return None
    x = np.array([float(p) for p in points])
    diagonal = floats(x, x)
    if np.isnan(diagonal).any() or (diagonal <= 0).any():
        return None
    scale = np.sqrt(diagonal)
    rho = floats(x[:1], x) / scale[0] / scale
    if np.isnan(rho).any() or not _is_constant_along_diagonals(floats, x, scale, rho, r):
        return None
    for n in (16, 32, 64, 128, LONG):
        found = _negative_frequency(rho[:n])
        if found is not None:
            return points[:n], found / scale[:n]
    return None


def _progression(domain: str, r: Random) -> list[Fraction] | None:
    steps = range(LONG)
    if domain == "N":
        start, step = r.choice([1, 1, 2, 100]), r.choice([1, 1, 2, 3, 7])
        return [Fraction(start + step * j) for j in steps]
    if domain == "R+" and r.random() < 0.6:
        ratio = Fraction(r.choice(["1.01", "1.1", "1.3", "1.7", "2", "3"]))
        # Powers of long decimals grow; what counts is that the points are points of the domain.
        return [Fraction(f"{float(ratio) ** (j - LONG // 8):.15e}") for j in steps]
    if domain in ("R", "R+"):
        step = Fraction(f"{10 ** r.uniform(-1.5, 1):.2e}")
        return [step * (j + 1) for j in steps]
    reach = 2 if domain == "unit" else 1
    step = Fraction(reach, LONG + 1)
    return [step * (j + 1) - (1 if domain == "unit" else 0) for j in steps]


def _is_constant_along_diagonals(floats, x: np.ndarray, scale: np.ndarray, rho: np.ndarray, r: Random) -> bool:  # type: ignore[no-untyped-def]
    i = np.array([r.randrange(LONG) for _ in range(60)])
    j = np.array([r.randrange(LONG) for _ in range(60)])
    entry = floats(x[i], x[j]) / scale[i] / scale[j]
    expected = rho[np.abs(i - j)]
    with np.errstate(all="ignore"):
        return bool((np.abs(entry - expected) <= 1e-9).all())


def _negative_frequency(rho: np.ndarray) -> np.ndarray | None:
    n = len(rho)
    size = 8 * n
    weights = rho * (1 - np.arange(n) / n)
    F = 2 * np.fft.rfft(weights, size).real - weights[0]
    worst = int(np.argmin(F))
    if F[worst] >= WORTH * np.abs(F).max():
        return None
    # The form of exp(iωj) is the sum of those of its real and imaginary part.
    angle = 2 * np.pi * worst / size * np.arange(n)
    K = rho[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))]
    return min((np.cos(angle), np.sin(angle)), key=lambda a: a @ K @ a / max(a @ a, 1e-30))


def of_difference(tree: Tree) -> Tree | None:
    """The function of t, called x, if x and y stand only in x − y or y − x."""
    if tree in (("x",), ("y",)):
        return None
    if tree == ("subtract", ("x",), ("y",)):
        return ("x",)
    if tree == ("subtract", ("y",), ("x",)):
        return ("negate", ("x",))
    parts = [of_difference(part) if isinstance(part, tuple) else part for part in tree]
    return None if None in parts else tuple(parts)


def negative_sum(profile: Tree, domain: str, r: Random) -> tuple[Fraction, int, str] | None:
    """Step, number of points and value of a negative form of a function of x − y, verified in digits.

    The vector is wⱼ·exp(iωj) with whole numbers wⱼ near a half wave, so that the form is
    Σ cₘ·φ(mh)·cos(ωm) with whole cₘ, the products of w with itself moved by m.
    """
    n = r.choice([512, LONGEST])
    bounded = {"unit": Fraction(2), "[0,1]": Fraction(1)}
    if domain in bounded:
        h = bounded[domain] / (n + 1)
    else:
        h = Fraction(r.choice([1, 2, 7])) if domain == "N" else Fraction(f"{10 ** r.uniform(-2, 1.5):.2e}")
    m = np.arange(n)
    phi = evaluate.in_floats(profile)
    rho = (phi(float(h) * m, m) + phi(-float(h) * m, m)) / 2
    if np.isnan(rho).any():
        return None
    window = np.rint(1000 * np.sin(np.pi * (m + 1) / (n + 1))).astype(np.int64)
    moved = np.correlate(window, window, "full")[n - 1 :]
    size = 8 * n
    terms = moved * rho
    F = 2 * np.fft.rfft(terms, size).real - terms[0]
    worst = int(np.argmin(F))
    if not F[worst] < WORTH * np.abs(F).max():
        return None
    value = _sum_in_digits(profile, h, moved, Fraction(f"{2 * np.pi * worst / size:.15e}"))
    return None if value is None else (h, n, repr(value))


def _sum_in_digits(profile: Tree, h: Fraction, moved: np.ndarray, omega: Fraction) -> enclosure.Ball | None:
    """The form, if it is negative for certain."""
    phi, zero = evaluate.in_digits(profile), enclosure.exact(0)
    total = zero
    try:
        for m, c in enumerate(moved):
            t = enclosure.exact(m * h)
            both = enclosure.add(phi(t, zero), phi(enclosure.negate(t), zero))
            weight = enclosure.exact(Fraction(int(c), 2 if m == 0 else 1))
            term = enclosure.multiply(enclosure.multiply(weight, both), enclosure.cos(enclosure.exact(m * omega)))
            total = enclosure.add(total, term)
        return enclosure.ball(total) if enclosure.sign(total) < 0 else None
    except (enclosure.Undefined, enclosure.Unsure):
        return None
