"""Series made by chance that do what measured ones do: drift, grow, ramp, burst. Changes are marked as people mark them.

Three annotators look at each series. Each passes over some changes and is a point off on others; of a ramp, one marks the beginning,
one the end and one both. No real series is among them, and none was looked at to write them.
"""

from __future__ import annotations

import numpy as np
from change_points_synthetic import autoregressive, cut, least, steps

Annotated = tuple[np.ndarray, list[list[int]]]


def annotators(rng: np.random.Generator, n: int, ramps: list[tuple[int, int]]) -> list[list[int]]:
    """What three people mark of changes that begin and end somewhere; a jump begins and ends at once."""
    found = []
    for person in range(3):
        marked = set()
        for begin, end in ramps:
            if rng.random() < 0.15:
                continue
            for at in {0: (begin,), 1: (end,), 2: (begin, end)}[person]:
                at = int(at + rng.choice([-1, 0, 0, 1]))
                if 0 < at < n:
                    marked.add(at)
        found.append(sorted(marked))
    return found


def jumps(rng: np.random.Generator, n: int, at: list[int]) -> list[list[int]]:
    return annotators(rng, n, [(a, a) for a in at])


def smooth(rng: np.random.Generator, n: int, width: float) -> np.ndarray:
    """A smooth wandering line of deviation 1: white noise under a bell of `width` points."""
    reach = int(4 * width) + 1
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    line = np.convolve(rng.normal(size=n + 2 * reach), bell, "valid")
    return line / max(line.std(), 1e-12)


def drifting(rng: np.random.Generator, n: int) -> Annotated:
    """A smooth drift over a tenth to a half of the series, little noise, and few levels that stand out of it."""
    at = cut(rng, n, 2, max(10, n // 8))
    line = smooth(rng, n, n * rng.uniform(0.05, 0.2)) + rng.uniform(0.05, 0.4) * rng.normal(size=n)
    return line + steps(rng, n, at, 3, 6), jumps(rng, n, at)


def random_walk(rng: np.random.Generator, n: int) -> Annotated:
    """A walk whose neighbours are nearly equal; people mark where it leaves a level for good."""
    at = cut(rng, n, 3, max(10, n // 8))
    rho = 1 - rng.uniform(0.5, 5) / n
    walk = autoregressive(rng, n, rho)
    return walk / max(walk.std(), 1e-12) + steps(rng, n, at, 2, 4), jumps(rng, n, at)


def collapse(rng: np.random.Generator, n: int) -> Annotated:
    """A price: a random walk that falls or rises steeply over some points, once or twice, and goes on from there."""
    middle = cut(rng, n, 2, max(12, n // 6))
    walk = np.cumsum(rng.normal(size=n)) / np.sqrt(n)
    ramps = []
    for m in middle:
        half = max(1, int(rng.uniform(0.01, 0.05) * n))
        begin, end = m - half, m + half
        walk += np.interp(np.arange(n), [begin, end], [0, rng.choice([-1, 1]) * rng.uniform(1.5, 3)])
        ramps.append((begin, end))
    return walk, annotators(rng, n, ramps)


def strongly_dependent(rng: np.random.Generator, n: int) -> Annotated:
    at = cut(rng, n, 3, max(12, n // 10))
    return autoregressive(rng, n, rng.uniform(0.8, 0.95)) + steps(rng, n, at, 3, 7), jumps(rng, n, at)


def growth_and_season(rng: np.random.Generator, n: int) -> Annotated:
    """Counts that grow by a share, with a season that grows with them, and a break: a drop or a rise of the level for good."""
    period = int(rng.choice([4, 7, 12]))
    at = cut(rng, n, 2, max(2 * period, n // 6)) if rng.random() < 0.8 else []
    t = np.arange(n)
    log = t / n * rng.uniform(0.2, 1.2) + rng.uniform(0.03, 0.15) * np.sin(2 * np.pi * t / period + rng.uniform(0, 6))
    log += 0.04 * autoregressive(rng, n, rng.uniform(0, 0.7)) + steps(rng, n, at, 0.3, 0.7)
    return np.exp(log), jumps(rng, n, at)


def bursts(rng: np.random.Generator, n: int) -> Annotated:
    """A quiet level, and stretches of activity with more noise; both ends are changes."""
    at = cut(rng, n, 6, max(8, n // 20))
    active = np.zeros(n)
    for a in at:
        active[a:] = 1 - active[a:]
    noise = rng.normal(size=n) * np.where(active > 0, rng.uniform(1, 2), 1)
    return active * rng.uniform(2, 5) + noise, jumps(rng, n, at)


def intervals(rng: np.random.Generator, n: int) -> Annotated:
    """Two columns that change between two states together, such as speed and pulse in training, with noise that depends."""
    at = cut(rng, n, 8, max(10, n // 16))
    state = np.zeros(n)
    for a in at:
        state[a:] = 1 - state[a:]
    rho = rng.uniform(0, 0.6)
    columns = [state * rng.uniform(2, 5) * rng.choice([-1, 1]) + autoregressive(rng, n, rho) for _ in range(2)]
    return np.stack(columns, 1), jumps(rng, n, at)


def plateaus(rng: np.random.Generator, n: int) -> Annotated:
    """Levels with ramps between them."""
    middle = cut(rng, n, 3, max(12, n // 8))
    line, ramps = np.zeros(n), []
    for m in middle:
        half = max(1, int(rng.uniform(0.01, 0.06) * n))
        line += np.interp(np.arange(n), [m - half, m + half], [0, rng.choice([-1, 1]) * rng.uniform(3, 8)])
        ramps.append((m - half, m + half))
    return line + autoregressive(rng, n, rng.uniform(0, 0.6)), annotators(rng, n, ramps)


def decline(rng: np.random.Generator, n: int) -> Annotated:
    """A long rise or fall that begins somewhere and may end; people mark where the direction changes."""
    begin = int(rng.uniform(0.1, 0.5) * n)
    end = int(min(n, begin + rng.uniform(0.2, 0.7) * n))
    line = np.interp(np.arange(n), [begin, end], [0, rng.choice([-1, 1]) * rng.uniform(5, 15)])
    marks = [(a, a) for a in (begin, end) if 5 <= a <= n - 5]
    return line + autoregressive(rng, n, rng.uniform(0, 0.8)), annotators(rng, n, marks)


def counts(rng: np.random.Generator, n: int) -> Annotated:
    """Counts of events whose rate changes and drifts."""
    at = cut(rng, n, 3, max(8, n // 10))
    rate = np.exp(rng.uniform(1, 4) + steps(rng, n, at, 0.5, 1.2) + 0.15 * smooth(rng, n, n * 0.1))
    return rng.poisson(np.minimum(rate, 1e6)).astype(float), jumps(rng, n, at)


def coarse(rng: np.random.Generator, n: int) -> Annotated:
    """Levels of a gauge that rounds: many neighbours are equal."""
    at = cut(rng, n, 5, least(n))
    return np.round(steps(rng, n, at, 2, 6) + rng.uniform(0.2, 0.7) * rng.normal(size=n)), jumps(rng, n, at)


def drifting_nothing(rng: np.random.Generator, n: int) -> Annotated:
    """A trend, a season and a slow drift below the noise, and no change."""
    t = np.arange(n)
    line = rng.uniform(-1, 1) * t / n + rng.uniform(0, 0.7) * np.sin(2 * np.pi * t / rng.choice([4, 7, 12]))
    return line + 0.3 * smooth(rng, n, n * 0.15) + rng.normal(size=n), [[]]


LONG = [
    drifting, random_walk, collapse, strongly_dependent, growth_and_season, bursts, intervals, plateaus, decline, counts, coarse,
    drifting_nothing,
]  # fmt: skip


def short(rng: np.random.Generator, n: int) -> Annotated:
    """15 to 60 points of one to four columns, with one change or two, or none."""
    n = int(rng.integers(15, 61))
    d = int(rng.choice([1, 1, 1, 2, 4]))
    at = cut(rng, n, 1 if n < 30 else 2, 5) if rng.random() < 0.8 else []
    line = np.stack([steps(rng, n, at, 2, 5) + autoregressive(rng, n, rng.uniform(0, 0.5)) for _ in range(d)], 1)
    return line, jumps(rng, n, at) if at else [[]]


def lifelike(seed: int, each: int, longest: int = 800) -> list[tuple[str, np.ndarray, list[list[int]]]]:
    """`each` series of every family with columns of mean 0 and deviation 1, and what three people mark in them."""
    rng = np.random.default_rng([seed, 15])
    found = []
    for family in (*LONG, short):
        for _ in range(each):
            n = int(np.exp(rng.uniform(np.log(60), np.log(longest))))
            x, marks = family(rng, n)
            x = x.reshape(len(x), -1)
            spread = x.std(0, ddof=1)
            found.append((family.__name__, (x - x.mean(0)) / np.where(spread > 0, spread, 1), marks))
    return found
