"""Series with known changes, on which the default of change points was chosen. No real series is among them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Series = tuple[np.ndarray, list[int]]


def cut(rng: np.random.Generator, n: int, most: int, least: int) -> list[int]:
    """Changes at random, at least `least` points apart."""
    for count in range(int(rng.integers(1, most + 1)), 0, -1):
        for _ in range(50):
            found = np.sort(rng.integers(least, n - least + 1, size=count))
            if np.all(np.diff(found, prepend=0, append=n) >= least):
                return found.tolist()
    return [n // 2]


def autoregressive(rng: np.random.Generator, n: int, rho: float) -> np.ndarray:
    """Noise of variance 1 with correlation rho between neighbours."""
    noise = rng.normal(size=n)
    for i in range(1, n):
        noise[i] = rho * noise[i - 1] + np.sqrt(1 - rho**2) * noise[i]
    return noise


def steps(rng: np.random.Generator, n: int, changes: list[int], low: float, high: float) -> np.ndarray:
    """Levels that jump by low to high at the changes."""
    jumps = rng.uniform(low, high, size=len(changes)) * rng.choice([-1, 1], size=len(changes))
    level = np.zeros(n)
    for at, jump in zip(changes, jumps, strict=True):
        level[at:] += jump
    return level


def least(n: int) -> int:
    return max(6, n // 25)


def mean_shift(rng: np.random.Generator, n: int) -> Series:
    at = cut(rng, n, 6, least(n))
    return rng.normal(size=n) + steps(rng, n, at, 1.5, 4), at


def dependent_mean_shift(rng: np.random.Generator, n: int) -> Series:
    at = cut(rng, n, 4, least(n))
    return autoregressive(rng, n, rng.uniform(0.2, 0.7)) + steps(rng, n, at, 2.5, 6), at


def variance_shift(rng: np.random.Generator, n: int) -> Series:
    at = cut(rng, n, 3, max(15, n // 10))
    scale = np.exp(steps(rng, n, at, np.log(3), np.log(6)))
    return rng.normal(size=n) * scale, at


def shape_shift(rng: np.random.Generator, n: int) -> Series:
    at = cut(rng, n, 2, max(25, n // 5))
    draws: list[Callable[[int], np.ndarray]] = [
        lambda m: rng.normal(size=m),
        lambda m: rng.exponential(size=m) - 1,
        lambda m: rng.choice([-1, 1], size=m) + 0.2 * rng.normal(size=m),
    ]
    kinds = rng.permutation(3)
    ends = [0, *at, n]
    return np.concatenate([draws[kinds[i % 3]](b - a) for i, (a, b) in enumerate(zip(ends, ends[1:], strict=False))]), at


def nothing(rng: np.random.Generator, n: int) -> Series:
    kind = rng.integers(3)
    return [rng.normal(size=n), rng.standard_t(3, size=n), rng.exponential(size=n)][kind], []


def dependent_nothing(rng: np.random.Generator, n: int) -> Series:
    return autoregressive(rng, n, rng.uniform(0.3, 0.8)), []


def outliers(rng: np.random.Generator, n: int) -> Series:
    x, at = mean_shift(rng, n)
    struck = rng.random(n) < 0.02
    return x + struck * rng.uniform(5, 12, size=n) * rng.choice([-1, 1], size=n), at


def slopes(rng: np.random.Generator, n: int) -> Series:
    """Straight pieces: a level, then a rise or a fall to another level; changes are where the slope does."""
    at = cut(rng, n, 2, max(12, n // 6))
    slope = np.zeros(n)
    for i, (a, b) in enumerate(zip([0, *at], [*at, n], strict=True)):
        slope[a:b] = 0.0 if i % 2 == 0 else rng.uniform(4, 12) * rng.choice([-1, 1]) / (b - a)
    return np.cumsum(slope) + rng.normal(size=n) * rng.uniform(0.3, 1), at


def trend_and_steps(rng: np.random.Generator, n: int) -> Series:
    at = cut(rng, n, 3, least(n))
    return np.linspace(0, rng.uniform(-2, 2), n) + rng.normal(size=n) + steps(rng, n, at, 3, 6), at


def seasonal(rng: np.random.Generator, n: int) -> Series:
    period = rng.choice([4, 7, 12])
    wave = rng.uniform(0.5, 2) * np.sin(2 * np.pi * np.arange(n) / period + rng.uniform(0, 6))
    at = cut(rng, n, 3, max(least(n), 2 * period)) if rng.random() < 0.7 else []
    return wave + 0.7 * rng.normal(size=n) + steps(rng, n, at, 2, 5), at


def wandering(rng: np.random.Generator, n: int) -> Series:
    """A slowly wandering level, and jumps that stand out of it."""
    at = cut(rng, n, 3, max(10, n // 10))
    wander = np.cumsum(rng.normal(size=n)) * rng.uniform(0.05, 0.2)
    return wander + 0.5 * rng.normal(size=n) + steps(rng, n, at, 3, 6), at


def several_columns(rng: np.random.Generator, n: int) -> Series:
    d = int(rng.integers(2, 6))
    at = cut(rng, n, 4, least(n))
    x = rng.normal(size=(n, d))
    moved = rng.permutation(d)[: max(1, d // 2)]
    for column in moved:
        x[:, column] += steps(rng, n, at, 1.5, 4)
    return x, at


FAMILIES = [
    mean_shift, dependent_mean_shift, variance_shift, shape_shift, nothing, dependent_nothing, outliers, slopes,
    trend_and_steps, seasonal, wandering, several_columns,
]  # fmt: skip


def series(seed: int, each: int, longest: int = 1000) -> list[tuple[str, np.ndarray, list[int]]]:
    """`each` series of every family, of 50 to `longest` points, with columns of mean 0 and deviation 1."""
    rng = np.random.default_rng(seed)
    found = []
    for family in FAMILIES:
        for _ in range(each):
            n = int(np.exp(rng.uniform(np.log(50), np.log(longest))))
            x, at = family(rng, n)
            x = x.reshape(n, -1)
            found.append((family.__name__, (x - x.mean(0)) / x.std(0, ddof=1), at))
    return found


def f1(annotations: list[list[int]], found: list[int], margin: int = 5) -> float:
    """F1 of the Turing Change Point Dataset: 0 is always a change, precision against all annotators, recall averaged."""
    found = sorted({0, *found})
    sets = [sorted({0, *a}) for a in annotations]

    def hits(truth: list[int]) -> int:
        left, count = list(found), 0
        for t in truth:
            near = [x for x in left if abs(x - t) <= margin]
            if near:
                left.remove(min(near, key=lambda x: abs(x - t)))
                count += 1
        return count

    precision = hits(sorted(set().union(*sets))) / len(found)
    recall = float(np.mean([hits(s) / len(s) for s in sets]))
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def covering(annotations: list[list[int]], found: list[int], n: int) -> float:
    """Mean over annotators of Σ |A|·max Jaccard(A, ·)/n."""

    def pieces(at: list[int]) -> list[tuple[int, int]]:
        ends = sorted({0, *at, n})
        return list(zip(ends, ends[1:], strict=False))

    def jaccard(a: tuple[int, int], b: tuple[int, int]) -> float:
        inside = max(0, min(a[1], b[1]) - max(a[0], b[0]))
        return inside / ((a[1] - a[0]) + (b[1] - b[0]) - inside)

    ours = pieces(found)
    return float(np.mean([sum((a[1] - a[0]) * max(jaccard(a, b) for b in ours) for a in pieces(s)) / n for s in annotations]))
