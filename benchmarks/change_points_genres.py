"""Series made by chance in the manner of those that people mark: economies, prices, counts, charts, sensors, climates.

Each group was written before any rule was run on it. `GENRES` are for choosing a rule; `FRESH` and `LAST` are other mechanisms, kept
for the end; `LAST` was added when `FRESH` had been used once and the rule was changed after it. No real series is among them.

Five people look at each series; each sees a change with a chance that is the change's, marks a ramp at its beginning, its end, both or
in the middle, and may be a point off.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from change_points_lifelike import Annotated, smooth
from change_points_synthetic import autoregressive, cut, steps

Ramp = tuple[int, int, float]
Family = Callable[[np.random.Generator], Annotated]


def people(rng: np.random.Generator, n: int, ramps: list[Ramp], idle: float = 0.0) -> list[list[int]]:
    """What five people mark of changes that begin, end and are seen with some chance; with chance `idle` one marks a place of no change."""
    found = []
    for _ in range(5):
        marked, habit = set(), int(rng.integers(4))
        for begin, end, seen in ramps:
            if rng.random() > seen:
                continue
            for at in {0: (begin,), 1: (end,), 2: (begin, end), 3: ((begin + end) // 2,)}[habit]:
                at = int(at + rng.choice([-1, 0, 0, 1]))
                if 0 < at < n:
                    marked.add(at)
        if rng.random() < idle:
            marked.add(int(rng.integers(n // 8 + 1, n - n // 8)))
        found.append(sorted(marked))
    return found


def length(rng: np.random.Generator, low: int, high: int) -> int:
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def sharp(at: list[int], seen: float = 0.85) -> list[Ramp]:
    return [(a, a, seen) for a in at]


def alternating(n: int, at: list[int]) -> np.ndarray:
    state = np.zeros(n)
    for a in at:
        state[a:] = 1 - state[a:]
    return state


def wave(rng: np.random.Generator, n: int, period: float) -> np.ndarray:
    """A season of two harmonics."""
    t = 2 * np.pi * np.arange(n) / period
    return np.sin(t + rng.uniform(0, 6)) + rng.uniform(0, 0.5) * np.sin(2 * t + rng.uniform(0, 6))


def walk(rng: np.random.Generator, n: int) -> np.ndarray:
    """A random walk whose end has deviation 1."""
    return np.cumsum(rng.normal(size=n)) / np.sqrt(n)


def monthly_economy(rng: np.random.Generator) -> Annotated:
    """Growth with cycles and a weak season; recessions fall over months, and half of them are made good."""
    n = length(rng, 60, 350)
    t = np.arange(n)
    line = rng.uniform(-0.5, 2) * t / n + 0.2 * walk(rng, n) + 0.03 * wave(rng, n, 12) + 0.03 * rng.normal(size=n)
    ramps: list[Ramp] = []
    if rng.random() < 0.75:
        for a in cut(rng, n, 2, max(10, n // 6)):
            end = min(n - 2, a + int(rng.integers(3, 16)))
            depth = -rng.uniform(0.4, 1.2)
            line += np.interp(t, [a, end], [0, depth])
            ramps.append((a, end, 0.8))
            if rng.random() < 0.5:
                line += np.interp(t, [end, min(n - 1, end + (end - a) * 4)], [0, -depth])
    return line, people(rng, n, ramps, 0.1)


def annual_counts(rng: np.random.Generator) -> Annotated:
    n = length(rng, 25, 110)
    at = cut(rng, n, 2, max(5, n // 6)) if rng.random() < 0.75 else []
    rate = np.exp(rng.uniform(1.5, 6) + steps(rng, n, at, 0.4, 0.9) + rng.uniform(-0.3, 0.3) * np.arange(n) / n)
    over = rng.gamma(20, 1 / 20, size=n)
    return rng.poisson(rate * over).astype(float), people(rng, n, sharp(at))


def quality_chart(rng: np.random.Generator) -> Annotated:
    """One change of the level, of the slope or of the variance, or none."""
    n = length(rng, 80, 450)
    at = int(rng.uniform(0.25, 0.8) * n)
    x = autoregressive(rng, n, rng.uniform(0, 0.2))
    kind = int(rng.integers(5))
    if kind < 2:
        x[at:] += rng.choice([-1, 1]) * rng.uniform(1, 4)
    elif kind == 2:
        x[at:] += rng.choice([-1, 1]) * np.linspace(0, rng.uniform(3, 8), n - at)
    elif kind == 3:
        x[at:] *= rng.uniform(2, 5)
    return x, people(rng, n, sharp([at], 0.9) if kind < 4 else [])


def spiky_sensor(rng: np.random.Generator) -> Annotated:
    """A probe through layers, some of them thin, with readings that are far out."""
    n = length(rng, 200, 700)
    at = cut(rng, n, 12, max(5, n // 60))
    level = np.zeros(n)
    for a in at:
        level[a:] = rng.normal() * 2.5
    x = level + rng.uniform(0.2, 0.7) * autoregressive(rng, n, rng.uniform(0, 0.6)) + 0.3 * walk(rng, n)
    struck = rng.random(n) < rng.uniform(0.002, 0.03)
    x += struck * rng.uniform(3, 12, size=n) * rng.choice([-1, 1], p=[0.8, 0.2], size=n)
    sizes = [abs(level[a] - level[a - 1]) for a in at]
    return x, people(rng, n, [(a, a, 0.9 if s > 1 else 0.4) for a, s in zip(at, sizes, strict=True)])


def interval_training(rng: np.random.Generator) -> Annotated:
    """Pace that alternates, and the distance so far, which never falls."""
    n = length(rng, 80, 400)
    at = cut(rng, n, 10, max(6, n // 25))
    pace = 2 + rng.uniform(1, 3) * alternating(n, at) + rng.uniform(0.1, 0.5) * autoregressive(rng, n, rng.uniform(0.2, 0.8))
    return np.stack([pace, np.cumsum(np.maximum(pace, 0))], 1), people(rng, n, sharp(at, 0.9))


def monthly_temperature(rng: np.random.Generator) -> Annotated:
    n = length(rng, 60, 600)
    x = wave(rng, n, 12) + rng.uniform(0.3, 0.8) * autoregressive(rng, n, rng.uniform(0.1, 0.5)) + rng.uniform(0, 0.8) * np.arange(n) / n
    at = cut(rng, n, 1, max(12, n // 6)) if rng.random() < 0.5 else []
    return x + steps(rng, n, at, 1, 2.5), people(rng, n, sharp(at, 0.75), 0.05)


def kinked_growth(rng: np.random.Generator) -> Annotated:
    """Pieces that grow at different rates, hardly any noise."""
    n = length(rng, 40, 250)
    at = cut(rng, n, 3, max(8, n // 7))
    rate = np.zeros(n)
    for a, b in zip([0, *at], [*at, n], strict=True):
        rate[a:b] = rng.normal() * 1.5 + 0.5
    line = np.cumsum(rate) / n + rng.uniform(0.01, 0.1) * walk(rng, n) * 3
    return line + rng.uniform(0, 0.05) * rng.normal(size=n), people(rng, n, sharp(at, 0.6), 0.1)


def rate_cycles(rng: np.random.Generator) -> Annotated:
    """A rate that swings smoothly, and may jump within some months."""
    n = length(rng, 60, 250)
    line = smooth(rng, n, rng.uniform(4, 15)) + 0.05 * rng.normal(size=n)
    ramps: list[Ramp] = []
    if rng.random() < 0.6:
        for a in cut(rng, n, 2, max(10, n // 6)):
            end = min(n - 2, a + int(rng.integers(2, 9)))
            line += np.interp(np.arange(n), [a, end], [0, rng.choice([-1, 1]) * rng.uniform(2, 5)])
            ramps.append((a, end, 0.85))
    return line, people(rng, n, ramps, 0.15)


def price(rng: np.random.Generator) -> Annotated:
    """A walk with quiet and wild times, and crashes over a few points."""
    n = length(rng, 100, 700)
    wild = np.exp(0.6 * smooth(rng, n, n * 0.07))
    line = np.cumsum(rng.standard_t(5, size=n) * wild) / np.sqrt(n) / 1.3
    ramps: list[Ramp] = []
    if rng.random() < 0.7:
        for a in cut(rng, n, 2, max(10, n // 7)):
            end = min(n - 2, a + int(rng.integers(1, max(3, n // 25))))
            line += np.interp(np.arange(n), [a, end], [0, rng.choice([-1, -1, 1]) * rng.uniform(1, 3)])
            ramps.append((a, end, 0.85))
    return np.exp(0.3 * line), people(rng, n, ramps, 0.1)


def epidemic(rng: np.random.Generator) -> Annotated:
    """Outbreaks each year, strong in some, that a vaccine ends."""
    n = length(rng, 80, 600)
    period = max(6, int(rng.choice([12, 26, 52]) if n > 150 else 12))
    strength = np.repeat(rng.gamma(3, 1 / 3, size=n // period + 1), period)[:n]
    season = np.maximum(0, np.sin(2 * np.pi * np.arange(n) / period)) ** 3
    at = int(rng.uniform(0.4, 0.85) * n)
    strength[at:] *= rng.uniform(0, 0.15)
    base = np.where(np.arange(n) < at, 0.1, 0.03)
    return (base + strength * season) * rng.gamma(10, 1 / 10, size=n), people(rng, n, sharp([at], 0.85), 0.05)


def room(rng: np.random.Generator) -> Annotated:
    """Light that is on or off; warmth and air that follow slowly; moisture that wanders."""
    n = length(rng, 100, 500)
    at = cut(rng, n, 7, max(10, n // 20))
    state, columns = alternating(n, at), []
    for lag in (rng.uniform(8, 25), rng.uniform(4, 15)):
        line = np.zeros(n)
        for i in range(1, n):
            line[i] = line[i - 1] + (state[i] - line[i - 1]) / lag
        columns.append(line + 0.03 * rng.normal(size=n))
    light = state * rng.uniform(0.8, 1.2, size=n) + 0.1 * rng.normal(size=n)
    moisture = walk(rng, n) + 0.05 * rng.normal(size=n)
    return np.stack([light, *columns, moisture], 1), people(rng, n, sharp(at, 0.75))


def short_annual(rng: np.random.Generator) -> Annotated:
    """15 to 60 years: levels, a walk or growth, with one change or none."""
    n = length(rng, 15, 60)
    base = [0.5 * autoregressive(rng, n, 0.3), 1.5 * walk(rng, n), np.linspace(0, rng.uniform(1, 3), n) + 0.2 * rng.normal(size=n)]
    at = cut(rng, n, 1, max(4, n // 5)) if rng.random() < 0.6 else []
    return base[rng.integers(3)] + steps(rng, n, at, 2, 4), people(rng, n, sharp(at, 0.85), 0.1)


def steady(rng: np.random.Generator) -> Annotated:
    """No change: independent or moderately dependent noise."""
    n = length(rng, 15, 400)
    kinds = [rng.normal(size=n), rng.standard_t(3, size=n), rng.gamma(2, size=n), autoregressive(rng, n, rng.uniform(0.3, 0.6))]
    return kinds[rng.integers(4)], people(rng, n, [])


def growing_season(rng: np.random.Generator) -> Annotated:
    """No change: growth, a season that grows with it and some wandering; a few people mark something."""
    n = length(rng, 50, 400)
    line = rng.uniform(0.3, 1.5) * np.arange(n) / n + rng.uniform(0.03, 0.2) * wave(rng, n, rng.choice([4, 12])) + 0.1 * walk(rng, n)
    return np.exp(line + 0.03 * rng.normal(size=n)), people(rng, n, [], 0.2)


def passengers(rng: np.random.Generator) -> Annotated:
    """Growth and season, and a shock: a fall at once that is made good slowly, or never."""
    n = length(rng, 80, 500)
    t = np.arange(n)
    line = rng.uniform(0.2, 1.2) * t / n + rng.uniform(0.05, 0.15) * wave(rng, n, 12) + 0.1 * walk(rng, n) + 0.03 * rng.normal(size=n)
    ramps: list[Ramp] = []
    if rng.random() < 0.7:
        a = int(rng.uniform(0.2, 0.85) * n)
        depth, back = rng.uniform(0.25, 0.8), rng.uniform(10, 60) if rng.random() < 0.6 else 1e9
        line -= np.where(t >= a, depth * np.exp(-(t - a) / back), 0)
        ramps.append((a, a, 0.85))
    return np.exp(line), people(rng, n, ramps, 0.1)


def well(rng: np.random.Generator) -> Annotated:
    """As jumps of a filter's target: levels that drift a little inside, and a noise that has its own level in each."""
    n = length(rng, 100, 600)
    at = cut(rng, n, 8, max(6, n // 40))
    x = steps(rng, n, at, 0.8, 4) + 0.4 * smooth(rng, n, n * 0.05)
    scale = np.exp(steps(rng, n, at, 0, 0.6))
    return x + 0.5 * np.clip(scale, 0.3, 3) * rng.standard_t(4, size=n) / 1.4, people(rng, n, sharp(at, 0.8))


GENRES: list[Family] = [
    monthly_economy, annual_counts, quality_chart, spiky_sensor, interval_training, monthly_temperature, kinked_growth, rate_cycles,
    price, epidemic, room, short_annual, steady, growing_season, passengers, well,
]  # fmt: skip


def tourism(rng: np.random.Generator) -> Annotated:
    """A season that grows with the level, and a level whose growth changes once or twice."""
    n = length(rng, 60, 250)
    at = cut(rng, n, 2, max(12, n // 6))
    rate = np.zeros(n)
    for a, b in zip([0, *at], [*at, n], strict=True):
        rate[a:b] = rng.choice([0.1, 1, 3, -0.5]) * rng.uniform(0.7, 1.3)
    level = np.cumsum(rate) / n
    return np.exp(level + rng.uniform(0.1, 0.5) * wave(rng, n, 12) + 0.05 * rng.normal(size=n)), people(rng, n, sharp(at, 0.5), 0.1)


def pegged(rng: np.random.Generator) -> Annotated:
    """An exchange rate: quiet at a peg, then away from it at once or over weeks, and wilder after."""
    n = length(rng, 80, 400)
    at = int(rng.uniform(0.3, 0.8) * n)
    end = min(n - 2, at + int(rng.choice([0, 3, max(3, n // 15)])))
    noise = np.where(np.arange(n) < at, 0.05, rng.uniform(0.1, 0.3)) * rng.normal(size=n)
    line = np.zeros(n)
    for i in range(1, n):
        line[i] = 0.97 * line[i - 1] + noise[i]
    line += np.interp(np.arange(n), [at, end + 0.5], [0, rng.choice([-1, 1]) * rng.uniform(1, 3)])
    return line, people(rng, n, [(at, end, 0.9)], 0.1)


def industry(rng: np.random.Generator) -> Annotated:
    """A trade that declines over decades, with years of strike."""
    n = length(rng, 40, 120)
    middle, width = rng.uniform(0.3, 0.7) * n, rng.uniform(0.03, 0.15) * n
    t = np.arange(n)
    line = -1 / (1 + np.exp(-(t - middle) / width)) + 0.15 * walk(rng, n) + 0.02 * rng.normal(size=n)
    strikes = rng.choice(n, size=int(rng.integers(3)), replace=False)
    line[strikes] -= rng.uniform(0.2, 0.6, size=len(strikes))
    begin, end = max(1, int(middle - 2 * width)), min(n - 1, int(middle + 2 * width))
    return line, people(rng, n, [(begin, end, 0.8)])


def scan_row(rng: np.random.Generator) -> Annotated:
    """A row of a picture: things with their own brightness, texture and shading, in whole numbers."""
    n = length(rng, 200, 600)
    at = cut(rng, n, 6, n // 20)
    x = np.zeros(n)
    for a, b in zip([0, *at], [*at, n], strict=True):
        shade = np.linspace(0, rng.normal() * 15, b - a)
        x[a:b] = rng.uniform(30, 220) + shade + rng.uniform(1, 15) * autoregressive(rng, b - a, rng.uniform(0.3, 0.9))
    return np.clip(np.round(x), 0, 255), people(rng, n, sharp(at, 0.85))


def calls(rng: np.random.Generator) -> Annotated:
    """Monthly counts that grow and jump."""
    n = length(rng, 30, 150)
    at = cut(rng, n, 2, max(6, n // 6)) if rng.random() < 0.85 else []
    log = rng.uniform(0, 0.5) * np.arange(n) / n + steps(rng, n, at, 0.3, 0.8) + 0.08 * autoregressive(rng, n, rng.uniform(0, 0.6))
    return 100 * np.exp(log), people(rng, n, sharp(at))


def debt(rng: np.random.Generator) -> Annotated:
    """15 to 70 points: a level, a climb and another level or a slow way back."""
    n = length(rng, 15, 70)
    begin = int(rng.uniform(0.2, 0.6) * n)
    end = min(n - 2, begin + int(rng.uniform(0.05, 0.25) * n) + 1)
    line = np.interp(np.arange(n), [0, begin, end, n], [0, rng.uniform(-0.3, 0.3), rng.uniform(1, 1.5), rng.uniform(0.8, 1.6)])
    return line + rng.uniform(0.02, 0.1) * rng.normal(size=n), people(rng, n, [(begin, end, 0.9)])


def policy(rng: np.random.Generator) -> Annotated:
    """A monthly count with a season that a law brings down."""
    n = length(rng, 60, 250)
    at = int(rng.uniform(0.25, 0.9) * n)
    x = rng.uniform(0.5, 1.2) * wave(rng, n, 12) + rng.uniform(0.4, 0.8) * autoregressive(rng, n, 0.4)
    x[at:] -= rng.uniform(1, 2.5)
    return x, people(rng, n, sharp([at], 0.8), 0.1)


def machine(rng: np.random.Generator) -> Annotated:
    """Vibration whose strength is that of the state, and a temperature that follows it."""
    n = length(rng, 100, 500)
    at = cut(rng, n, 5, max(10, n // 15))
    state, warm, lag = alternating(n, at), np.zeros(n), rng.uniform(5, 40)
    for i in range(1, n):
        warm[i] = warm[i - 1] + (state[i] - warm[i - 1]) / lag
    return np.stack([rng.normal(size=n) * (1 + rng.uniform(2, 5) * state), warm + 0.1 * rng.normal(size=n)], 1), people(rng, n, sharp(at, 0.8))


def river(rng: np.random.Generator) -> Annotated:
    """Yearly flow: skewed, weakly dependent, one shift of the mean or none."""
    n = length(rng, 40, 200)
    x = np.exp(0.3 * autoregressive(rng, n, rng.uniform(0, 0.4)))
    at = cut(rng, n, 1, n // 6) if rng.random() < 0.65 else []
    return x + steps(rng, n, at, 0.3, 0.8), people(rng, n, sharp(at, 0.8))


def heading(rng: np.random.Generator) -> Annotated:
    """A place that wanders and a direction that is held, changed and held again."""
    n = length(rng, 100, 600)
    at = cut(rng, n, 5, max(12, n // 15))
    turn = np.zeros(n)
    for a in (0, *at):
        turn[a:] = rng.uniform(-np.pi, np.pi)
    turn += 0.3 * autoregressive(rng, n, 0.9)
    place = np.cumsum(np.stack([np.cos(turn), np.sin(turn)], 1) + 0.3 * rng.normal(size=(n, 2)), axis=0)
    return np.c_[place, np.cos(turn), np.sin(turn)], people(rng, n, sharp(at, 0.75))


def demography(rng: np.random.Generator) -> Annotated:
    """An almost noiseless curve; people mark where it bends, if at all."""
    n = length(rng, 40, 150)
    middle, width = rng.uniform(0.25, 0.75) * n, rng.uniform(0.04, 0.2) * n
    t = np.arange(n)
    line = rng.uniform(-1, 1) * t / n + rng.choice([-1, 1]) / (1 + np.exp(-(t - middle) / width))
    bends = [(max(2, int(middle - 1.5 * width)), min(n - 2, int(middle + 1.5 * width)), 0.6)]
    return line + 0.02 * walk(rng, n), people(rng, n, bends)


def level_walk(rng: np.random.Generator) -> Annotated:
    """No change: a walk, or a sum of walks, in which a third of people mark some place."""
    n = length(rng, 40, 400)
    line = walk(rng, n) + (np.cumsum(walk(rng, n)) / n * 2 if rng.random() < 0.4 else 0)
    return line + rng.uniform(0, 0.2) * rng.normal(size=n), people(rng, n, [], 0.3)


def coarse_level(rng: np.random.Generator) -> Annotated:
    """A tank that is filled and drawn from: jumps up, slow falls, outliers of the gauge."""
    n = length(rng, 60, 400)
    at = cut(rng, n, 4, max(8, n // 8))
    x = steps(rng, n, at, 2, 5)
    for a, b in zip([0, *at], [*at, n], strict=True):
        x[a:b] -= np.linspace(0, rng.uniform(0, 1.5), b - a)
    x += 0.3 * rng.normal(size=n) + (rng.random(n) < 0.01) * rng.uniform(-10, 10, size=n)
    return np.round(2 * x), people(rng, n, sharp(at, 0.85))


FRESH: list[Family] = [
    tourism, pegged, industry, scan_row, calls, debt, policy, machine, river, heading, demography, level_walk, coarse_level,
]  # fmt: skip


def births(rng: np.random.Generator) -> Annotated:
    """A rate that rises within years, stays high and falls again."""
    n = length(rng, 50, 160)
    ends = np.sort(rng.uniform(0.15, 0.85, size=2)) * n
    widths = rng.uniform(0.02, 0.1, size=2) * n
    t = np.arange(n)
    bump = 1 / (1 + np.exp(-(t - ends[0]) / widths[0])) - 1 / (1 + np.exp(-(t - ends[1]) / widths[1]))
    line = bump * rng.choice([-1, 1]) + 0.2 * walk(rng, n) + rng.uniform(0.01, 0.06) * rng.normal(size=n)
    ramps = [(max(1, int(e - 2 * w)), min(n - 1, int(e + 2 * w)), 0.75) for e, w in zip(ends, widths, strict=True)]
    return line, people(rng, n, ramps)


def bulls_and_bears(rng: np.random.Generator) -> Annotated:
    """A walk whose drift changes sign."""
    n = length(rng, 100, 500)
    at = cut(rng, n, 3, n // 7)
    drift = (2 * alternating(n, at) - 1) * rng.choice([-1, 1]) * rng.uniform(2, 6)
    return np.cumsum(drift / n + rng.uniform(0.3, 1) * rng.normal(size=n) / np.sqrt(n)), people(rng, n, sharp(at, 0.65), 0.1)


def warming(rng: np.random.Generator) -> Annotated:
    """Yearly anomalies: level, then rising, which most people mark."""
    n = length(rng, 60, 170)
    begin = int(rng.uniform(0.3, 0.8) * n)
    line = np.interp(np.arange(n), [begin, n], [0, rng.uniform(2, 6)])
    return line + autoregressive(rng, n, rng.uniform(0, 0.5)), people(rng, n, sharp([begin], 0.6))


def visits(rng: np.random.Generator) -> Annotated:
    """Daily counts of a week, a level that jumps and days that stand out."""
    n = length(rng, 80, 400)
    at = cut(rng, n, 3, max(14, n // 10)) if rng.random() < 0.85 else []
    week = np.tile(rng.normal(size=7), n // 7 + 1)[:n] * rng.uniform(0.2, 0.8)
    x = np.exp(0.3 * (steps(rng, n, at, 1.5, 4) + week + rng.normal(size=n) * 0.6))
    x[rng.random(n) < 0.015] *= rng.uniform(2, 4)
    return x, people(rng, n, sharp(at, 0.85))


def workout(rng: np.random.Generator) -> Annotated:
    """Power that is on or off, and a pulse that follows it."""
    n = length(rng, 80, 500)
    at = cut(rng, n, 6, max(10, n // 14))
    state, pulse, lag = alternating(n, at), np.zeros(n), rng.uniform(3, 15)
    for i in range(1, n):
        pulse[i] = pulse[i - 1] + (state[i] - pulse[i - 1]) / lag
    power = state * rng.uniform(0.7, 1.3, size=n) + 0.1 * rng.normal(size=n)
    return np.stack([power, pulse + 0.05 * autoregressive(rng, n, 0.8) + 0.2 * np.arange(n) / n], 1), people(rng, n, sharp(at, 0.85))


def battery(rng: np.random.Generator) -> Annotated:
    """Straight pieces up and down; some people mark the turns."""
    n = length(rng, 60, 300)
    at = cut(rng, n, 4, n // 8)
    up = (2 * alternating(n, at) - 1) * np.repeat(rng.uniform(0.5, 1.5, size=n // 10 + 1), 10)[:n]
    return np.cumsum(up) / n + rng.uniform(0.005, 0.05) * rng.normal(size=n), people(rng, n, sharp(at, 0.5))


def offences(rng: np.random.Generator) -> Annotated:
    """Monthly counts with a trend that turns and a law that brings them down at once."""
    n = length(rng, 60, 300)
    t = np.arange(n) / n
    log = rng.uniform(3, 6) + rng.uniform(-0.3, 0.3) * t + rng.uniform(-0.4, 0.4) * t**2 + rng.uniform(0, 0.08) * wave(rng, n, 12)
    at = cut(rng, n, 1, n // 6) if rng.random() < 0.7 else []
    log += steps(rng, n, at, 0.2, 0.6)
    return rng.poisson(np.exp(log) * rng.gamma(40, 1 / 40, size=n)).astype(float), people(rng, n, sharp(at, 0.8))


def reverting(rng: np.random.Generator) -> Annotated:
    """A price that returns to its mean within weeks, and a mean that moves once or twice."""
    n = length(rng, 120, 600)
    at = cut(rng, n, 2, n // 6)
    return autoregressive(rng, n, rng.uniform(0.85, 0.97)) + steps(rng, n, at, 3, 7), people(rng, n, sharp(at, 0.85), 0.05)


def laboratory(rng: np.random.Generator) -> Annotated:
    """No change: independent values of some distribution."""
    n = length(rng, 15, 250)
    draws = [rng.lognormal(sigma=0.7, size=n), rng.uniform(size=n), rng.normal(size=n), np.round(rng.normal(size=n)), rng.normal(size=(n, 2))]
    return draws[rng.integers(5)], people(rng, n, [])


def sunspots(rng: np.random.Generator) -> Annotated:
    """No change: cycles of uneven height; a few people mark something."""
    n = length(rng, 60, 300)
    phase = np.cumsum(2 * np.pi / rng.uniform(8, 14) * rng.uniform(0.8, 1.2, size=n))
    height = 1 + 0.4 * smooth(rng, n, n * 0.08)
    return np.maximum(height, 0.2) * (1 + np.sin(phase)) + 0.15 * rng.normal(size=n), people(rng, n, [], 0.15)


def enrolment(rng: np.random.Generator) -> Annotated:
    """15 to 40 years that grow and level off, with a jump or none."""
    n = length(rng, 15, 40)
    t = np.arange(n)
    line = rng.uniform(0.5, 1.5) / (1 + np.exp(-(t - rng.uniform(0, 0.6) * n) / (0.2 * n))) + 0.04 * rng.normal(size=n)
    at = cut(rng, n, 1, 4) if rng.random() < 0.6 else []
    return line + steps(rng, n, at, 0.5, 1.2), people(rng, n, sharp(at, 0.85))


def three_sensors(rng: np.random.Generator) -> Annotated:
    """Two columns that jump together and one that drifts."""
    n = length(rng, 60, 300)
    at = cut(rng, n, 3, max(8, n // 10)) if rng.random() < 0.85 else []
    columns = [steps(rng, n, at, 1.5, 4) + autoregressive(rng, n, rng.uniform(0, 0.5)) for _ in range(2)]
    return np.stack([*columns, 3 * walk(rng, n) + 0.3 * rng.normal(size=n)], 1), people(rng, n, sharp(at, 0.85))


def volatility(rng: np.random.Generator) -> Annotated:
    """Returns that are quiet and wild by turns."""
    n = length(rng, 120, 600)
    at = cut(rng, n, 3, n // 8)
    return rng.standard_t(6, size=n) * (1 + rng.uniform(1.5, 4) * alternating(n, at)), people(rng, n, sharp(at, 0.75))


LAST: list[Family] = [
    births, bulls_and_bears, warming, visits, workout, battery, offences, reverting, laboratory, sunspots, enrolment, three_sensors,
    volatility,
]  # fmt: skip


def genres(seed: int, each: int, families: list[Family] | None = None) -> list[tuple[str, np.ndarray, list[list[int]]]]:
    """`each` series of every family with columns of mean 0 and deviation 1, and what five people mark in them."""
    found = []
    for family in GENRES if families is None else families:
        rng = np.random.default_rng([seed, 29, sum(map(ord, family.__name__))])
        for _ in range(each):
            x, marks = family(rng)
            x = x.reshape(len(x), -1)
            spread = x.std(0, ddof=1)
            found.append((family.__name__, (x - x.mean(0)) / np.where(spread > 0, spread, 1), marks))
    return found
