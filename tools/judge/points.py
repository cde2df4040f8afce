"""Domains and random points of them, as rationals: many kinds, since one kind misses most faults."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Callable

DOMAINS = ("R", "R+", "unit", "N", "[0,1]")


def contains(domain: str, value: Fraction) -> bool:
    """Whether a number belongs to the domain."""
    if domain == "R":
        return True
    if domain == "R+":
        return value > 0
    if domain == "unit":
        return -1 < value < 1
    if domain == "N":
        return value >= 1 and value.denominator == 1
    if domain == "[0,1]":
        return 0 <= value <= 1
    raise ValueError(f"no domain `{domain}`")


def _decimal(value: float, digits: int = 6) -> Fraction:
    return Fraction(f"{value:.{digits}e}")


def _simple(r: Random, domain: str, n: int) -> list[Fraction]:
    """Small numbers and fractions."""
    pools = {
        "R": [
            "-3",
            "-2",
            "-3/2",
            "-1",
            "-1/2",
            "-1/3",
            "0",
            "1/10",
            "1/3",
            "1/2",
            "1",
            "3/2",
            "2",
            "3",
            "4",
            "5",
            "7",
            "10",
        ],
        "R+": [
            "1/100",
            "1/10",
            "1/5",
            "1/3",
            "1/2",
            "2/3",
            "1",
            "3/2",
            "2",
            "5/2",
            "3",
            "4",
            "5",
            "7",
            "10",
            "20",
            "50",
            "100",
        ],
        "unit": [
            "-99/100",
            "-9/10",
            "-3/4",
            "-1/2",
            "-1/3",
            "-1/4",
            "-1/10",
            "0",
            "1/10",
            "1/4",
            "1/3",
            "1/2",
            "2/3",
            "3/4",
            "9/10",
            "99/100",
        ],
        "N": [str(i) for i in range(1, 13)] + ["15", "16", "18", "20", "24", "30", "36", "60", "100"],
        "[0,1]": [
            "0",
            "1/100",
            "1/10",
            "1/5",
            "1/4",
            "1/3",
            "2/5",
            "1/2",
            "3/5",
            "2/3",
            "3/4",
            "4/5",
            "9/10",
            "99/100",
            "1",
        ],
    }
    pool = pools[domain]
    return [Fraction(p) for p in r.sample(pool, min(n, len(pool)))]


def _spread(r: Random, domain: str, n: int) -> list[Fraction]:
    """Uniform over an interval of random size."""
    size = 10 ** r.uniform(-1.5, 1.5)
    centre = r.choice([0.0, 0.0, r.gauss(0, 3)])
    return [_inside(domain, centre + size * r.uniform(-1, 1), r) for _ in range(n)]


def _decades(r: Random, domain: str, n: int) -> list[Fraction]:
    """Over many orders of magnitude."""
    reach = r.choice([1, 3, 8, 20])
    return [_inside(domain, r.choice([1, 1, -1]) * 10 ** r.uniform(-reach, reach), r) for _ in range(n)]


def _regular(r: Random, domain: str, n: int) -> list[Fraction]:
    """Equally spaced."""
    if domain == "N":
        step, start = r.choice([1, 1, 2, 3, 6, 10]), r.choice([1, 1, 2, 5, 100])
        return [Fraction(start + step * i) for i in range(n)]
    if domain == "[0,1]":
        step = r.choice(
            [Fraction(1, n - 1) if n > 1 else Fraction(1), Fraction(1, n), _decimal(10 ** r.uniform(-3, 0) / n, 2)]
        )
        start = r.choice([Fraction(0), 1 - step * (n - 1)])
        return [min(max(start + step * i, Fraction(0)), Fraction(1)) for i in range(n)]
    if domain == "unit":
        step = _decimal(10 ** r.uniform(-3, 0) * 1.98 / n, 2)
        start = r.choice([-step * (n - 1) / 2, Fraction(99, 100) - step * (n - 1)])
        return [start + step * i for i in range(n)]
    step = _decimal(10 ** r.uniform(-2.5, 1), 2)
    start = step if domain == "R+" else r.choice([Fraction(0), -step * (n - 1) / 2, Fraction(r.randint(-5, 5))])
    return [start + step * i for i in range(n)]


def _cluster(r: Random, domain: str, n: int) -> list[Fraction]:
    """A tight cluster, at any scale down to 10⁻²⁵, so that differences show only the first terms."""
    if domain == "N":
        start = 10 ** r.randint(0, 12)
        return [Fraction(start + i) for i in r.sample(range(2 * n), n)]
    scale = Fraction(1, 10 ** r.randint(1, 25))
    centre = r.choice([_anchor(r, domain), _simple(r, domain, 1)[0]])
    steps = r.choice([range(n), r.sample(range(3 * n), n)])
    found = [centre + r.choice([1, 1, 1, -1]) * scale * s for s in steps]
    return [p if contains(domain, p) else centre + scale / (2 + i) for i, p in enumerate(found)]


def _anchor(r: Random, domain: str) -> Fraction:
    """Where things go wrong: the ends of the domain and the zeros and corners of common functions."""
    return Fraction(
        {
            "R": r.choice(["0", "0", "1", "-1"]),
            "R+": r.choice(["1", "1e-9", "1e9", "1/2"]),
            "unit": r.choice(["0", "0.999999", "-0.999999", "1/2"]),
            "N": "1",
            "[0,1]": r.choice(["0", "1", "1/2"]),
        }[domain]
    )


def _ends(r: Random, domain: str, n: int) -> list[Fraction]:
    """Near the ends of the domain, and some points in the middle."""
    tiny = lambda: Fraction(r.randint(1, 9), 10 ** r.choice([1, 2, 3, 6, 10, 20, 25, 60]))  # noqa: E731
    ends: dict[str, list[Callable[[], Fraction]]] = {
        "R": [lambda: -1 / tiny(), lambda: 1 / tiny(), tiny, lambda: -tiny(), lambda: Fraction(0)],
        "R+": [tiny, lambda: 1 / tiny(), lambda: Fraction(1)],
        "unit": [lambda: 1 - tiny(), lambda: -1 + tiny(), tiny, lambda: Fraction(0)],
        "N": [
            lambda: Fraction(r.randint(1, 3)),
            lambda: Fraction(10 ** r.randint(1, 15)),
            lambda: Fraction(2) ** r.randint(1, 40),
        ],
        "[0,1]": [lambda: Fraction(0), lambda: Fraction(1), tiny, lambda: 1 - tiny()],
    }
    return [r.choice(ends[domain])() for _ in range(n)]


def _antipodal(r: Random, domain: str, n: int) -> list[Fraction]:
    """x and its mirror image: −x, 1/x or 1 − x."""
    half = KINDS[r.randrange(4)](r, domain, (n + 1) // 2)
    mirror = {
        "R": lambda p: -p,
        "unit": lambda p: -p,
        "R+": lambda p: 1 / p,
        "N": lambda p: p * 2,
        "[0,1]": lambda p: 1 - p,
    }[domain]
    return [q for p in half for q in (p, mirror(p))][:n]


def _divisible(r: Random, domain: str, n: int) -> list[Fraction]:
    """Products of small primes, for divisors and multiples."""
    if domain != "N":
        return _spread(r, domain, n)
    return [
        Fraction(2 ** r.randint(0, 4) * 3 ** r.randint(0, 2) * 5 ** r.randint(0, 1) * 7 ** r.randint(0, 1))
        for _ in range(n)
    ]


KINDS: list[Callable[[Random, str, int], list[Fraction]]] = [
    _simple,
    _spread,
    _decades,
    _regular,
    _cluster,
    _ends,
    _antipodal,
    _divisible,
]


def _inside(domain: str, value: float, r: Random) -> Fraction:
    """A decimal of the domain near the value, folded into it where it lies outside."""
    if domain == "R":
        return _decimal(value)
    if domain == "R+":
        return _decimal(abs(value) or 1.0)
    if domain == "N":
        return Fraction(max(1, round(abs(value))))
    folded = abs(value) % 2
    folded = min(folded, 2 - folded)
    found = _decimal(folded) * (r.choice([1, -1]) if domain == "unit" else 1)
    return found if contains(domain, found) else Fraction(1, 2)


def draw(r: Random, domain: str, n: int) -> list[Fraction]:
    """At most n different points of one kind, in rising order."""
    kind = r.choice(KINDS if domain == "N" else KINDS[:-1])
    found = sorted({p for p in kind(r, domain, n) if contains(domain, p)})
    return found or [_simple(r, domain, 1)[0]]
