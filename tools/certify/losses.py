"""Losses with their slopes and, where they are pieces, those: typed again from their definitions."""

from __future__ import annotations

from dataclasses import dataclass

import gmpy2
from gmpy2 import mpfr

INFINITE = None


@dataclass(frozen=True)
class Piece:
    """sup over low ≤ u ≤ high of u·(z − shift) − ½·softness·u²; None is no bound."""

    low: mpfr | None
    high: mpfr | None
    shift: mpfr
    softness: mpfr


def value(name: str, parameter: mpfr, y: mpfr, z: mpfr) -> mpfr:
    r = z - y
    if name == "squared":
        return r * r / 2
    if name == "absolute":
        return abs(r)
    if name == "huber":
        return r * r / 2 if abs(r) <= parameter else parameter * (abs(r) - parameter / 2)
    if name == "epsilon_insensitive":
        return max(mpfr(0), abs(r) - parameter)
    if name == "pinball":
        return max(parameter * -r, (parameter - 1) * -r)
    if name == "hinge":
        return max(mpfr(0), 1 - y * z)
    if name == "squared_hinge":
        return max(mpfr(0), 1 - y * z) ** 2
    if name == "logistic":
        m = -y * z
        return max(m, mpfr(0)) + gmpy2.log1p(gmpy2.exp(-abs(m)))
    if name == "tanh":
        return (gmpy2.tanh(z) - y) ** 2
    raise ValueError(name)


def pieces(name: str, parameter: mpfr, y: mpfr) -> list[Piece]:
    zero, one = mpfr(0), mpfr(1)
    side = (-one, zero) if y > 0 else (zero, one)
    free = (INFINITE, zero) if y > 0 else (zero, INFINITE)
    return {
        "squared": [Piece(INFINITE, INFINITE, y, one)],
        "absolute": [Piece(-one, one, y, zero)],
        "huber": [Piece(-parameter, parameter, y, one)],
        "epsilon_insensitive": [Piece(zero, one, y + parameter, zero), Piece(-one, zero, y - parameter, zero)],
        "pinball": [Piece(-parameter, 1 - parameter, y, zero)],
        "hinge": [Piece(side[0], side[1], y, zero)],
        "squared_hinge": [Piece(free[0], free[1], y, one / 2)],
    }[name]


def sigmoid(m: mpfr) -> mpfr:
    return 1 / (1 + gmpy2.exp(-m))
