"""Tests of two samples held to their level and to published powers.

python benchmarks/two_samples.py [RUNS [REPETITIONS]]    # null runs of each test, runs of each alternative; 0 leaves them out; prints tables
"""

import sys
from collections.abc import Callable

import numpy as np

import mercer

LEVEL = 0.05
Sampler = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def rejections(sample: Sampler, runs: int, **test) -> float:
    """The share of p-values at the level or below."""
    count = 0
    for run in range(runs):
        X, Y = sample(np.random.default_rng(run))
        count += mercer.mmd_test(X, Y, random_state=run, **test).pvalue <= LEVEL
    return count / runs


def normal(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(50, 2)), rng.normal(size=(40, 2))


def longer(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(500, 2)), rng.normal(size=(500, 2))


def mixed(rng: np.random.Generator) -> tuple[dict, dict]:
    def table(n: int) -> dict:
        words = np.array(["a cat", "the dog", "two cats"])[rng.integers(3, size=n)]
        colours = np.array(["red", "green", "blue"])[rng.integers(3, size=n)]
        return {"number": rng.normal(size=n), "colour": colours, "words": words}

    return table(30), table(40)


def coins(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.integers(2, size=(30, 1)).astype(float), rng.integers(2, size=(30, 1)).astype(float)


def series(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    def one() -> np.ndarray:
        values = rng.normal(size=300)
        for t in range(1, 300):
            values[t] = 0.5 * values[t - 1] + np.sqrt(0.75) * values[t]
        return values[:, None]

    return one(), one()


def mixture(deviation: float) -> Sampler:
    """Four Gaussians at (±20, ±20), m = n = 500; one of those of Y has another deviation (Biggs, Schrab & Gretton 2023)."""

    def sample(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        def part(scale: float) -> np.ndarray:
            sides = rng.integers(2, size=(500, 2))
            scales = np.where(sides.sum(1) == 2, scale, 1.0)
            return 40.0 * sides - 20 + scales[:, None] * rng.normal(size=(500, 2))

        return part(1.0), part(deviation)

    return sample


def perturbed(peaks: int) -> Sampler:
    """The uniform distribution on [0, 1] and one with bumps, m = n = 500, c₁ = 2.7 (Schrab et al. 2023)."""

    def bump(t: np.ndarray) -> np.ndarray:
        def half(s: np.ndarray) -> np.ndarray:
            inside = np.abs(s) < 1
            return np.where(inside, np.exp(-1 / (1 - np.where(inside, s, 0) ** 2)), 0)

        return np.where(t < -0.5, half(4 * t + 3), -half(4 * t + 1)) * ((t > -1) & (t < 0))

    def sample(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        signs = rng.choice([-1, 1], size=peaks)
        found: list[float] = []
        while len(found) < 500:
            u = rng.uniform(size=2000)
            density = 1 + 2.7 / peaks * sum(s * bump(peaks * u - v) for v, s in enumerate(signs, 1))
            found.extend(u[rng.uniform(size=2000) * 2.5 < density])
        return rng.uniform(size=(500, 1)), np.array(found[:500])[:, None]

    return sample


FEW = {"n_permutations": 199}


def levels(runs: int) -> None:
    tests = [
        ("rbf with the median, unbiased", normal, {"kernel": "rbf", **FEW}),
        ("rbf with the median, biased", normal, {"kernel": "rbf", "estimate": "biased", **FEW}),
        ("rbf with the median, stopped at 10 of 199", normal, {"kernel": "rbf", "enough": 10, **FEW}),
        ("rbf, coins: many ties", coins, {"kernel": "rbf(length_scale=1)", **FEW}),
        ("family, fused", normal, FEW),
        ("family, fused; numbers, categories and text", mixed, FEW),
        ("linear (asymptotic)", longer, {"kernel": "rbf", "estimate": "linear"}),
        ("block (asymptotic)", longer, {"kernel": "rbf", "estimate": "block"}),
        ("series, multipliers of lag 20 (asymptotic)", series, {"kernel": "rbf", "estimate": "biased", "lag": 20, **FEW}),
    ]
    print(f"Level {LEVEL}, {runs} null runs\n\n| test | rejected |\n|---|---|")
    for name, sample, test in tests:
        print(f"| {name} | {100 * rejections(sample, runs, **test):.2f} % |", flush=True)


def powers(repetitions: int) -> None:
    print(f"\nPower at {LEVEL}, {repetitions} repetitions\n\n| problem | family, fused | rbf with the median |\n|---|---|---|")
    problems = [(f"mixture, deviation {s}", mixture(s)) for s in (0.5, 0.6, 0.7, 1.6, 2.0)]
    problems += [(f"perturbed uniform, {p} bumps", perturbed(p)) for p in (1, 2, 3)]
    for name, sample in problems:
        fused, median = rejections(sample, repetitions, **FEW), rejections(sample, repetitions, kernel="rbf", **FEW)
        print(f"| {name} | {fused:.3f} | {median:.3f} |", flush=True)


def main() -> None:
    runs, repetitions = map(int, [*sys.argv[1:3], *["2000", "100"][len(sys.argv) - 1 :]])
    if runs:
        levels(runs)
    if repetitions:
        powers(repetitions)


if __name__ == "__main__":
    main()
