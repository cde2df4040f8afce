"""Chooses the criterion by which change points are counted, on series made by chance and on nothing else.

    python benchmarks/change_points_criterion.py [SEED [SERIES_OF_EACH_FAMILY [sweep]]]

Prints mean F1 and covering of the package's default, of levels alone, and of Pelt and Binseg with the linear cost and pen = 3·v·ln n, by
group of families; how often each finds changes where there are none; and with `sweep` what other weights would give.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt
from change_points_calibration import variances
from change_points_genres import FRESH, GENRES, LAST, genres
from change_points_lifelike import lifelike
from change_points_synthetic import covering, f1, series
from mercer import KernelChangePoint

MOST = 16
# A slope, in parts of ln n.
SLOPE = 2
Marks = list[list[int]]
Table = dict[str, dict[str, dict[str, list[tuple[float, float, int]]]]]
Floats = npt.NDArray[np.float64]
# Prices of a change of lines and of levels in columns and what is seen there; in features the price, what is seen, and the power.
SWEPT = product((6.5, 7, 7.5), (3.5, 4, 4.5), (0.003, 0.005, 0.01), (3.5, 4, 4.5), (0.005, 0.01, 0.02), (1.25, 1.5))
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
    beta = 3 * variances(linear)["v"] * np.log(n)
    return {
        "default": KernelChangePoint().fit(x).changes_.tolist(),
        "levels alone": KernelChangePoint(segments="levels").fit(x).changes_.tolist(),
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


def left(features: Floats, path: list[list[int]], kind: str) -> Floats:
    """K, c and ρ of each segmentation."""
    n, found = len(features), []
    whole = ((features - features.mean(0)) ** 2).sum()
    for ends in path:
        rest, begin = features.copy(), 0
        for end in ends:
            own, begin = slice(begin, end), end
            rest[own] -= rest[own].mean(0)
            time = np.arange(own.stop - own.start) - (own.stop - own.start - 1) / 2
            if kind == "lines":
                rest[own] -= np.outer(time, time @ rest[own] / max(time @ time, 1e-300))
        cost = max((rest**2).sum(), 1e-12 * whole)
        within = np.setdiff1d(np.arange(1, n), ends)
        both = (rest[1:] * rest[:-1]).sum(1)[within - 1].mean() if len(within) else 0.0
        found.append((len(ends) - 1, cost / whole, np.clip(both / (cost / n), 0, 0.95)))
    return np.array(found)


def features(model: KernelChangePoint, x: np.ndarray) -> Floats:
    """Coordinates of the points in the feature space of a fitted model, up to a thousandth of the variance."""
    K = model.kernel_.gram(x)
    K = K - K.mean(0) - K.mean(1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(K)
    kept = np.cumsum(values) > 1e-3 * values.sum()
    return vectors[:, kept] * np.sqrt(values[kept])


def sweep(found: dict[str, list[tuple[str, np.ndarray, Marks]]]) -> None:
    """The criterion with other weights."""
    weights = list(SWEPT)

    def answers(x: np.ndarray) -> dict[str, list[int]]:
        n, most = len(x), min(MOST, len(x) // 2 - 1)
        D = KernelChangePoint(segments="levels").fit(x).automatic_.directions
        price = np.log(n) / np.sqrt(D)
        columns = {kind: KernelChangePoint("linear", segments=kind) for kind in ("levels", "lines")}
        limits = {"levels": most, "lines": max(0, min(most, n // 5 - 1))}
        paths = {kind: model.set_params(n_bkps=limits[kind]).fit(x).path_ for kind, model in columns.items()}
        seen = {kind: left(x, paths[kind], kind).T for kind in paths}
        usual = KernelChangePoint(n_bkps=most, segments="levels").fit(x)
        of_features = left(features(usual, x), usual.path_, "levels").T

        def chosen(line: float, level: float, eye: float, change: float, dim: float, power: float) -> list[int]:
            def J(rows: Floats, price_of: float, slope: float, least: float, p: float) -> Floats:
                k, c, rho = rows
                return n * (c + np.log(c * (1 - rho**2) ** p + least)) + (price_of * k + slope) * price

            lines, levels = J(seen["lines"], line, SLOPE, eye, 1), J(seen["levels"], level, 0, eye, 1)
            if lines.min() < levels.min():
                return paths["lines"][int(lines.argmin())][:-1]
            return usual.path_[int(J(of_features, change, 0, dim, power).argmin())][:-1]

        return {str(w): chosen(*w) for w in weights}

    table = judge(found, answers)
    scores = {rule: [mean(families) for families in by.values()] for rule, by in table.items()}
    print("\n| prices of lines and levels, what is seen; in features price, what is seen, power | mean F1 | mean covering | by group |")
    print("|---|---|---|---|")
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
