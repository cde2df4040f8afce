"""Levels and power of the tests of dependence and of fit.

    python benchmarks/levels.py [--runs 2000] [--power-runs 200] [--jobs 2]

The share of true nulls that each test rejects at 5 %, then power on published settings. Prints the tables of
`benchmarks/accuracy.md`, section "Dependence and fit".
"""

import argparse
import multiprocessing

import numpy as np

import mercer

B = 199


def rejects(job):
    """Whether one run of a test of a table has a p-value of at most 5 %."""
    table, at, seed = job
    return TABLES[table][at][-1](np.random.default_rng(seed), seed) <= 0.05


def share(pool, table, at, runs):
    """The share of runs that reject."""
    return np.mean(pool.map(rejects, [(table, at, seed) for seed in range(runs)], chunksize=50))


def series(rng, n, a):
    noise = rng.normal(size=n + 100)
    out = np.zeros(n + 100)
    for t in range(1, n + 100):
        out[t] = a * out[t - 1] + np.sqrt(1 - a * a) * noise[t]
    return out[100:]


def hsic(n, dx, dy, **settings):
    def test(rng, seed):
        x, y = rng.normal(size=(n, dx)), rng.normal(size=(n, dy))
        return mercer.hsic_test(x, y, n_permutations=B, random_state=seed, **settings).pvalue

    return test


def mixed(rng, seed):
    words = np.array(["red apple", "green pear", "blue plum", "red plum"])
    x = {"words": words[rng.integers(4, size=60)].tolist()}
    return mercer.hsic_test(x, rng.exponential(size=60), kernel="delta", kernel_y="rbf", n_permutations=B, random_state=seed).pvalue


def hsic_series(n, a, **settings):
    def test(rng, seed):
        x, y = series(rng, n, a), series(rng, n, a)
        return mercer.hsic_test(x, y, n_permutations=B, random_state=seed, **settings).pvalue

    return test


def dhsic(n):
    def test(rng, seed):
        columns = rng.normal(size=(3, n))
        return mercer.dhsic_test(*columns, n_permutations=B, random_state=seed).pvalue

    return test


def kci(n, columns, weight=0.0, **settings):
    def test(rng, seed):
        z = rng.normal(size=(n, columns))
        x = np.tanh(z[:, 0]) + 0.5 * rng.normal(size=n)
        y = np.sin(z[:, 0]) + weight * x + 0.5 * rng.normal(size=n)
        return mercer.kci_test(x, y, z, random_state=seed, **settings).pvalue

    return test


def ksd(n, d, shift=0.0, **settings):
    def test(rng, seed):
        x = rng.normal(size=(n, d)) + shift
        return mercer.ksd_test(x, -x, n_permutations=B, random_state=seed, **settings).pvalue

    return test


def ksd_chain(n, a, **settings):
    def test(rng, seed):
        x = series(rng, n, a)
        return mercer.ksd_test(x, -x, n_permutations=B, random_state=seed, **settings).pvalue

    return test


LEVELS = [
    ("HSIC biased, n=50", "permutation", hsic(50, 1, 1)),
    ("HSIC unbiased, n=50, 2 and 3 columns", "permutation", hsic(50, 2, 3, estimate="unbiased")),
    ("HSIC, words and numbers, n=60", "permutation", mixed),
    ("HSIC, stopped after 20 of 199", "permutation", hsic(50, 1, 1, enough=20)),
    ("dHSIC of three, n=50", "permutation", dhsic(50)),
    ("HSIC, n=50", "gamma of exact moments", hsic(50, 1, 1, null="gamma")),
    ("HSIC, series of a=0.5, n=200", "circular_shift", hsic_series(200, 0.5, null="circular_shift")),
    ("HSIC, series of a=0.5, n=200", "wild_bootstrap, lag 20", hsic_series(200, 0.5, null="wild_bootstrap", lag=20)),
    ("HSIC, series of a=0.5, n=200 (not valid)", "permutation", hsic_series(200, 0.5)),
    ("KCI empirical, n=200, Z of 1", "gamma", kci(200, 1)),
    ("KCI median, n=200, Z of 1", "gamma", kci(200, 1, width="median")),
    ("KCI empirical, n=200, Z of 3", "gamma", kci(200, 3)),
    ("KCI empirical, n=200, Z of 1", "spectrum", kci(200, 1, null="spectrum", n_permutations=B)),
    ("KSD unbiased, n=100, d=2", "wild_bootstrap", ksd(100, 2)),
    ("KSD biased, n=100, d=2", "wild_bootstrap", ksd(100, 2, estimate="biased")),
    ("KSD, chain of a=0.5, n=200", "wild_bootstrap, lag 10", ksd_chain(200, 0.5, lag=10)),
    ("KSD, chain of a=0.5, n=200 (not valid)", "wild_bootstrap", ksd_chain(200, 0.5)),
]


def perturbed(rng, n, p=2):
    """The perturbed uniform density of Schrab et al. in 1 + 1 dimensions, c = 7.3, by rejection."""

    def bump(t):
        out = np.zeros_like(t)
        left, right = (t > -1) & (t < -0.5), (t > -0.5) & (t < 0)
        with np.errstate(divide="ignore", over="ignore"):
            out[left] = np.exp(-1 / (1 - (4 * t[left] + 3) ** 2))
            out[right] = -np.exp(-1 / (1 - (4 * t[right] + 1) ** 2))
        return out

    signs = rng.choice([-1.0, 1.0], size=(p, p))
    kept = np.empty((0, 2))
    while len(kept) < n:
        u = rng.uniform(size=(4 * n, 2))
        density = np.ones(len(u))
        for a in range(1, p + 1):
            for b in range(1, p + 1):
                density += 7.3 / p * signs[a - 1, b - 1] * bump(p * u[:, 0] - a) * bump(p * u[:, 1] - b)
        kept = np.concatenate([kept, u[rng.uniform(size=len(u)) * 2.0 <= density]])
    return kept[:n]


def hsic_power(n, scale):
    def test(rng, seed):
        u = perturbed(rng, n)
        settings = {} if scale is None else {"kernel": f"rbf(length_scale={scale})"}
        return mercer.hsic_test(u[:, 0], u[:, 1], n_permutations=B, random_state=seed, **settings).pvalue

    return test


SIZES = (200, 400, 600, 800, 1000)
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5)
TABLES = {
    "levels": LEVELS,
    "perturbed": [(n, scale, hsic_power(n, scale)) for n in SIZES for scale in (None, 0.1)],
    "shifted": [(w, test) for w in WEIGHTS for test in (kci(200, 1, w), ksd(100, 2, w))],
}


def power(pool, table, rows, runs):
    """A line for each row of a table of two columns."""
    for at, row in enumerate(rows):
        cells = [f"{share(pool, table, 2 * at + column, runs):.2f}" for column in range(2)]
        print(f"| {row} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--power-runs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        print(f"\n| test | null | rejected at 5 % of {args.runs} true nulls |\n|---|---|---|")
        for at, (name, null, _) in enumerate(LEVELS):
            print(f"| {name} | {null} | {100 * share(pool, 'levels', at, args.runs):.2f} % |", flush=True)
        print("\n| n | median rule | length_scale=0.1 |\n|---|---|---|")
        power(pool, "perturbed", SIZES, args.power_runs)
        print("\n| weight of x in y, or shift | KCI given Z of 1, n=200 | KSD, n=100, d=2 |\n|---|---|---|")
        power(pool, "shifted", WEIGHTS, args.power_runs)


if __name__ == "__main__":
    main()
