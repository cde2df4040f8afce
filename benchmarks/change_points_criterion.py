"""Chooses the criterion by which change points are counted, on series made by chance and on nothing else.

    python benchmarks/change_points_criterion.py [SEED [SERIES_OF_EACH_FAMILY [sweep]]]

Prints mean F1 and covering of the package's default, of the rule before it, and of Pelt and Binseg with the linear cost and
pen = 3·v·ln n, by group of families; how often each finds changes where there are none; and with `sweep` what other weights would give.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from itertools import product

import numpy as np
from change_points_calibration import variances
from change_points_genres import FRESH, GENRES, LAST, genres
from change_points_lifelike import lifelike
from change_points_synthetic import covering, f1, series
from mercer import KernelChangePoint
from scipy.spatial.distance import pdist, squareform

TERMS = 8
MOST = 16
Marks = list[list[int]]
Table = dict[str, dict[str, dict[str, list[tuple[float, float, int]]]]]
# Weights of c, of dependence, and prices of a change and of a term.
SWEPT = product((1, 2), (1, 1.25, 1.5), (3, 3.5, 4, 4.5, 5.5), (1.5, 2, 2.5, 3.5))
QUIET = ("nothing", "steady", "laboratory", "dependent_nothing", "drifting_nothing", "growing_season")


def groups(seed: int, each: int) -> dict[str, list[tuple[str, np.ndarray, Marks]]]:
    known = [(family, x, [truth]) for family, x, truth in series(seed, each, 600)]
    found = {"synthetic and lifelike": known + lifelike(seed, each, 600)}
    for name, families in (("genres", GENRES), ("fresh", FRESH), ("last", LAST)):
        found[name] = genres(seed, each, families)
    return found


def binary(x: np.ndarray, beta: float) -> list[int]:
    """Greedy segmentation with the linear cost, while a cut gains more than beta."""
    sums = np.r_[np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)]

    def best(a: int, b: int) -> tuple[float, int]:
        at = np.arange(a + 2, b - 1)
        if len(at) == 0:
            return -np.inf, a
        left, right = (sums[at] - sums[a]) ** 2, (sums[b] - sums[at]) ** 2
        gain = (left / (at - a)[:, None] + right / (b - at)[:, None]).sum(1) - ((sums[b] - sums[a]) ** 2).sum() / (b - a)
        return float(gain.max()), int(at[gain.argmax()])

    open_, found = [(*best(0, len(x)), 0, len(x))], []
    while max(open_)[0] > beta:
        cut = max(open_)
        open_.remove(cut)
        _, at, a, b = cut
        found.append(at)
        open_ += [(*best(a, at), a, at), (*best(at, b), at, b)]
    return sorted(found)


def rules(x: np.ndarray) -> dict[str, list[int]]:
    """What each rule finds."""
    n, linear = len(x), x @ x.T
    apart = squareform(pdist(x))
    scale = np.median(apart[np.triu_indices(n, 1)]) / np.sqrt(2) or 1.0
    narrow = np.exp(-(apart**2) / (2 * scale**2))
    before = 1.5 * variances(narrow)["√(u·v)"] * np.log(n)
    beta = 3 * variances(linear)["v"] * np.log(n)
    return {
        "default": KernelChangePoint().fit(x).changes_.tolist(),
        "default before": KernelChangePoint("precomputed", pen=before).fit(narrow).changes_.tolist(),
        "linear, Pelt": KernelChangePoint("precomputed", pen=beta).fit(linear).changes_.tolist(),
        "linear, Binseg": binary(x, beta),
    }


def judge(found: dict[str, list[tuple[str, np.ndarray, Marks]]], answers: Callable[[np.ndarray], dict[str, list[int]]]) -> Table:
    """F1, covering and number of changes, by rule, group and family."""
    table: Table = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for group, rows in found.items():
        for family, x, marks in rows:
            for rule, cut in answers(x).items():
                table[rule][group][family].append((f1(marks, cut), covering(marks, cut, len(x)), len(cut)))
    return table


def mean(families: dict[str, list[tuple[float, float, int]]]) -> tuple[float, float]:
    """Each family has the same weight."""
    scores = np.mean([np.mean([row[:2] for row in rows], axis=0) for rows in families.values()], axis=0)
    return float(scores[0]), float(scores[1])


def left(K: np.ndarray, path: list[list[int]]) -> np.ndarray:
    """K, q, c and ρ of each segmentation beside 0, 1, … terms."""
    n, found = len(K), []
    whole = np.trace(K) - K.sum() / n
    powers = np.polynomial.legendre.legvander((2 * np.arange(n) + 1) / n - 1, min(TERMS, n // 4))[:, 1:]
    lagged = np.diagonal(K, 1)
    for ends in path:
        k = len(ends)
        pieces = np.repeat(np.eye(k), np.diff([0, *ends]), axis=0)
        terms = max(0, min(powers.shape[1], n - k - 2))
        Q = np.linalg.qr(np.c_[pieces, powers[:, :terms]])[0]
        KQ = K @ Q
        M = Q.T @ KQ
        within = np.setdiff1d(np.arange(1, n), ends) - 1
        for q in range(terms + 1):
            A, B = Q[:, : k + q], KQ[:, : k + q]
            both = lagged - (A[1:] * B[:-1] + B[1:] * A[:-1]).sum(1) + ((A[1:] @ M[: k + q, : k + q]) * A[:-1]).sum(1)
            cost = max(np.trace(K) - np.trace(M[: k + q, : k + q]), 1e-12 * whole)
            found.append((k - 1, q, cost / whole, np.clip(both[within].mean() / (cost / n), 0, 0.95)))
    return np.array(found)


def sweep(found: dict[str, list[tuple[str, np.ndarray, Marks]]]) -> None:
    """The criterion with other weights."""
    weights = list(SWEPT)

    def answers(x: np.ndarray) -> dict[str, list[int]]:
        model = KernelChangePoint(n_bkps=min(MOST, len(x) // 2 - 1)).fit(x)
        K = np.exp(-(squareform(pdist(x)) ** 2) / (2 * float(str(model.kernel_)[len("rbf(length_scale=") : -1]) ** 2))
        k, q, c, rho = left(K, model.path_).T
        D = KernelChangePoint().fit(x).automatic_.directions
        price = np.log(len(x)) / np.sqrt(D)

        def chosen(a: float, r: float, change: float, term: float) -> list[int]:
            fit = len(x) * (a * c + np.log(c * (1 - rho**2) ** r + 0.01))
            return model.path_[int(k[np.argmin(fit + (change * k + term * q) * price)])][:-1]

        return {str(w): chosen(*w) for w in weights}

    table = judge(found, answers)
    scores = {rule: [mean(families) for families in by.values()] for rule, by in table.items()}
    print("\n| weights of c and of dependence, prices of a change and of a term | mean F1 | mean covering | by group |\n|---|---|---|---|")
    for rule, pairs in sorted(scores.items(), key=lambda item: -np.mean(item[1]))[:24]:
        hit, cover = np.mean(pairs, axis=0)
        print(f"| {rule} | {hit:.3f} | {cover:.3f} | {', '.join(f'{a:.3f} / {b:.3f}' for a, b in pairs)} |")


def main() -> None:
    seed, each = (int(a) for a in (*sys.argv[1:3], *("2", "12")[len(sys.argv[1:3]) :]))
    found = groups(seed, each)
    table = judge(found, rules)
    print(f"seed {seed}, {each} series of each family\n\n| group | {' | '.join(table)} |\n|---|{'---|' * len(table)}")
    for group in found:
        cells = ["{:.3f} / {:.3f}".format(*mean(by[group])) for by in table.values()]
        print(f"| {group} | {' | '.join(cells)} |")
    for family in QUIET:
        shares = [np.mean([row[2] > 0 for rows in by.values() for row in rows.get(family, [])]) for by in table.values()]
        print(f"| finds changes, {family.replace('_', ' ')} | {' | '.join(f'{100 * s:.0f} %' for s in shares)} |")
    print(f"\n| family | {' | '.join(table)} |\n|---|{'---|' * len(table)}")
    for group in found:
        for family in next(iter(table.values()))[group]:
            cells = ["{:.2f} / {:.2f}".format(*np.mean([r[:2] for r in by[group][family]], axis=0)) for by in table.values()]
            print(f"| {family.replace('_', ' ')} | {' | '.join(cells)} |")
    if "sweep" in sys.argv:
        sweep(found)


if __name__ == "__main__":
    main()
