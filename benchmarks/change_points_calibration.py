"""Chooses the automatic penalty and the usual kernel of change points, on series made by chance and on nothing else.

    python benchmarks/change_points_calibration.py [SEED [SERIES_OF_EACH_FAMILY]]

Prints mean F1 and covering of every rule, β = factor·variance·ln n, over all families, with the best factor of each.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from change_points_synthetic import covering, f1, series
from mercer import KernelChangePoint
from scipy.spatial.distance import pdist, squareform
from scipy.special import gammaln

FACTORS = (0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3)
MOST = 40


def kernels(x: np.ndarray) -> dict[str, np.ndarray]:
    """Kernel matrices by the scale of all distances and by that of steps between neighbours."""
    apart = squareform(pdist(x))
    median = np.median(apart[np.triu_indices(len(x), 1)])
    step = np.median(np.linalg.norm(np.diff(x, axis=0), axis=1))

    def rbf(scale: float) -> np.ndarray:
        return np.exp(-(apart**2) / (2 * scale**2))

    return {
        "linear": x @ x.T,
        "energy": -apart,
        "rbf, median": rbf(median),
        "rbf, step": rbf(step),
        "rbf, step/√2": rbf(step / np.sqrt(2)),
        "laplace, step": np.exp(-apart / step),
    }


def variances(K: np.ndarray) -> dict[str, float]:
    """What a penalty may be a multiple of."""
    n, own = len(K), np.diag(K)
    total = (own.sum() - K.sum() / n) / n
    near, far = (np.mean((own[lag:] + own[:-lag]) / 2 - np.diagonal(K, lag)) for lag in (1, 2))
    rho = float(np.clip(far / near - 1, 0, 0.9))
    felt = near * (1 + rho) / (1 - rho) ** 2
    return {
        "v": total,
        "d": near,
        "w": felt,
        "√(d·v)": np.sqrt(near * total),
        "√(w·v)": np.sqrt(felt * total),
        "min(w, v)": min(felt, total),
        "√(min(w, v)·v)": np.sqrt(min(felt, total) * total),
    }


def slope(costs: np.ndarray, n: int, alpha: float) -> int:
    """The slope heuristic of Arlot, Celisse and Harchaoui: the fall of the last 40 % of the costs, times alpha."""
    segments = np.arange(1, len(costs) + 1)
    choices = gammaln(n) - gammaln(segments) - gammaln(n - segments + 1)
    sheet = np.c_[choices, segments, np.ones(len(costs))]
    late = segments >= 0.6 * len(costs)
    fitted = np.linalg.lstsq(sheet[late], costs[late], rcond=None)[0]
    return int(np.argmin(costs - alpha * (sheet[:, :2] @ fitted[:2])))


def judge(seed: int, each: int) -> dict[tuple[str, str, float], list[tuple[str, float, float]]]:
    """F1 and covering of every series by kernel, rule and factor."""
    scores = defaultdict(list)
    for family, x, truth in series(seed, each):
        n = len(x)
        for kernel, K in kernels(x).items():
            model = KernelChangePoint("precomputed", n_bkps=min(MOST, n // 2 - 1)).fit(K)
            costs, path = model.costs_, [ends[:-1] for ends in model.path_]
            judged = [(family, f1([truth], cut), covering([truth], cut, n)) for cut in path]
            for rule, variance in variances(K).items():
                for factor in FACTORS:
                    beta = factor * variance * np.log(n)
                    scores[kernel, rule, factor].append(judged[int(np.argmin(costs + beta * np.arange(len(costs))))])
            for alpha in (2.0, 3.0):
                scores[kernel, "slope heuristic", alpha].append(judged[slope(costs, n, alpha)])
    return scores


def mean(rows: list[tuple[str, float, float]]) -> tuple[float, float]:
    return float(np.mean([row[1] for row in rows])), float(np.mean([row[2] for row in rows]))


def main() -> None:
    seed, each = (int(a) for a in (*sys.argv[1:], *("2", "40")[len(sys.argv) - 1 :]))
    scores = judge(seed, each)
    best: dict[tuple[str, str], tuple[float, float, float, float]] = {}
    for (kernel, rule, factor), rows in scores.items():
        hit, cover = mean(rows)
        best[kernel, rule] = max(best.get((kernel, rule), (0, 0, 0, 0)), ((hit + cover) / 2, factor, hit, cover))
    print(f"seed {seed}, {each} series of each family\n\n| kernel | variance | best factor | F1 | covering |\n|---|---|---|---|---|")
    for (kernel, rule), (_, factor, hit, cover) in sorted(best.items(), key=lambda item: -item[1][0])[:24]:
        print(f"| {kernel} | {rule} | {factor:g} | {hit:.3f} | {cover:.3f} |")
    chosen = scores["rbf, step/√2", "√(min(w, v)·v)", 1.25]
    print("\nthe rule that was chosen, by family\n\n| family | F1 | covering |\n|---|---|---|")
    for family in dict.fromkeys(row[0] for row in chosen):
        hit, cover = mean([row for row in chosen if row[0] == family])
        print(f"| {family.replace('_', ' ')} | {hit:.3f} | {cover:.3f} |")


if __name__ == "__main__":
    main()
