"""Chose a penalty and the usual kernel of change points, on series made by chance and on nothing else: the second rule of 0026.

The rule of the package is now a criterion, which `change_points_criterion.py` chooses.

    python benchmarks/change_points_calibration.py [SEED [SERIES_OF_EACH_FAMILY [LONGEST]]]

Prints mean F1 and covering of every rule, β = factor·variance·ln n, over all families, with the best factor of each; and how often the
rules that the package had find changes where there are none.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from change_points_lifelike import lifelike
from change_points_synthetic import covering, f1, series
from mercer import KernelChangePoint
from scipy.spatial.distance import pdist, squareform
from scipy.special import gammaln

FACTORS = (0.75, 1, 1.1, 1.25, 1.4, 1.5, 1.75, 2, 2.5, 3)
MOST = 24
Rule = tuple[str, str, float]
Judged = tuple[str, float, float, int]
# Rules that the package had, and that of Pelt and Binseg with the linear cost.
NAMED: dict[str, Rule] = {
    "second rule": ("rbf, median/√2", "√(u·v)", 1.5),
    "first rule": ("rbf, step/√2", "√(min(w, v)·v)", 1.25),
    "linear, 3·v·ln n": ("linear", "v", 3),
}
NULLS = ("nothing", "dependent_nothing", "drifting_nothing")


def kernels(x: np.ndarray) -> dict[str, np.ndarray]:
    """Kernel matrices by the scale of all distances and by that of steps between neighbours."""
    apart = squareform(pdist(x))
    off = apart[np.triu_indices(len(x), 1)]
    near = np.linalg.norm(np.diff(x, axis=0), axis=1)
    median, step = np.median(off[off > 0]), np.median(near[near > 0])

    def rbf(scale: float) -> np.ndarray:
        return np.exp(-(apart**2) / (2 * scale**2))

    return {
        "linear": x @ x.T,
        "energy": -apart,
        "rbf, 2·median": rbf(2 * median),
        "rbf, median": rbf(median),
        "rbf, median/√2": rbf(median / np.sqrt(2)),
        "rbf, median^¾·step^¼": rbf(median**0.75 * step**0.25),
        "rbf, √(median·step)": rbf(np.sqrt(median * step)),
        "rbf, median + rbf, step/√2": rbf(median) + rbf(step / np.sqrt(2)),
        "rbf, step": rbf(step),
        "rbf, step/√2": rbf(step / np.sqrt(2)),
        "laplace, median": np.exp(-apart / median),
        "laplace, step": np.exp(-apart / step),
    }


def variances(K: np.ndarray) -> dict[str, float]:
    """What a penalty may be a multiple of."""
    n, own = len(K), np.diag(K)
    total = (own.sum() - K.sum() / n) / n
    near, far = (np.mean((own[lag:] + own[:-lag]) / 2 - np.diagonal(K, lag)) for lag in (1, 2))
    rho = float(np.clip(far / near - 1, 0, 0.9)) if near > 0 else 0.0
    felt = near * (1 + rho) / (1 - rho) ** 2
    return {
        "v": total,
        "d": near,
        "w": felt,
        "√(d·v)": np.sqrt(near * total),
        "√(w·v)": np.sqrt(felt * total),
        "min(w, v)": min(felt, total),
        "√(min(w, v)·v)": np.sqrt(min(felt, total) * total),
        "√(min(w, 4v)·v)": np.sqrt(min(felt, 4 * total) * total),
        "√(max(w, v)·v)": np.sqrt(max(felt, total) * total),
        # u is w kept in [v, 4v].
        "√(u·v)": np.sqrt(np.clip(felt, total, 4 * total) * total),
        "(min(w, v) + v)/2": (min(felt, total) + total) / 2,
    }


def slope(costs: np.ndarray, n: int, alpha: float) -> int:
    """The slope heuristic of Arlot, Celisse and Harchaoui: the fall of the last 40 % of the costs, times alpha."""
    segments = np.arange(1, len(costs) + 1)
    choices = gammaln(n) - gammaln(segments) - gammaln(n - segments + 1)
    sheet = np.c_[choices, segments, np.ones(len(costs))]
    late = segments >= 0.6 * len(costs)
    fitted = np.linalg.lstsq(sheet[late], costs[late], rcond=None)[0]
    return int(np.argmin(costs - alpha * (sheet[:, :2] @ fitted[:2])))


def judge(seed: int, each: int, longest: int) -> dict[Rule, list[Judged]]:
    """F1 and covering of every series by kernel, rule and factor."""
    scores = defaultdict(list)
    told = [(family, x, [truth]) for family, x, truth in series(seed, each, longest)]
    for family, x, marks in told + lifelike(seed, each, longest):
        n = len(x)
        for kernel, K in kernels(x).items():
            model = KernelChangePoint("precomputed", n_bkps=min(MOST, n // 2 - 1)).fit(K)
            costs, path = model.costs_, [ends[:-1] for ends in model.path_]
            judged = [(family, f1(marks, cut), covering(marks, cut, n), len(cut)) for cut in path]
            for rule, variance in variances(K).items():
                for factor in FACTORS:
                    beta = factor * variance * np.log(n)
                    scores[kernel, rule, factor].append(judged[int(np.argmin(costs + beta * np.arange(len(costs))))])
            for alpha in (2.0, 3.0):
                scores[kernel, "slope heuristic", alpha].append(judged[slope(costs, n, alpha)])
    return scores


def mean(rows: list[Judged]) -> tuple[float, float]:
    """F1 and covering; families have as many series each."""
    return float(np.mean([row[1] for row in rows])), float(np.mean([row[2] for row in rows]))


def main() -> None:
    seed, each, longest = (int(a) for a in (*sys.argv[1:], *("2", "20", "800")[len(sys.argv) - 1 :]))
    scores = judge(seed, each, longest)
    best: dict[tuple[str, str], tuple[float, float, float, float]] = {}
    for (kernel, rule, factor), rows in scores.items():
        hit, cover = mean(rows)
        best[kernel, rule] = max(best.get((kernel, rule), (0, 0, 0, 0)), ((hit + cover) / 2, factor, hit, cover))
    print(f"seed {seed}, {each} series of each family, of at most {longest} points\n")
    print("| kernel | variance | best factor | F1 | covering |\n|---|---|---|---|---|")
    for (kernel, rule), (_, factor, hit, cover) in sorted(best.items(), key=lambda item: -item[1][0])[:24]:
        print(f"| {kernel} | {rule} | {factor:g} | {hit:.3f} | {cover:.3f} |")
    by_family({name: scores[rule] for name, rule in NAMED.items()})


def by_family(named: dict[str, list[Judged]]) -> None:
    """F1 and covering of each family by some rules, and how often they find a change where there is none."""
    print(f"\n| family | {' | '.join(named)} |\n|---|{'---|' * len(named)}")
    families = dict.fromkeys(row[0] for row in next(iter(named.values())))

    def cell(rows: list[Judged]) -> str:
        hit, cover = mean(rows)
        return f"{hit:.3f} / {cover:.3f}"

    for family in families:
        cells = [cell([row for row in rows if row[0] == family]) for rows in named.values()]
        print(f"| {family.replace('_', ' ')} | {' | '.join(cells)} |")
    print(f"| **mean** | {' | '.join(cell(rows) for rows in named.values())} |")
    for family in NULLS:
        shares = [np.mean([row[3] > 0 for row in rows if row[0] == family]) for rows in named.values()]
        print(f"| false alarms, {family.replace('_', ' ')} | {' | '.join(f'{100 * s:.0f} %' for s in shares)} |")


if __name__ == "__main__":
    main()
