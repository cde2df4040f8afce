"""Change points of real series with default settings, beside ruptures: the Turing Change Point Dataset.

    pip install ruptures==1.1.10
    python benchmarks/change_points.py FOLDER

FOLDER holds `annotations.json` and a JSON file for each series. Columns are brought to mean 0 and deviation 1, rows with missing values
are dropped for all methods. F1 has a margin of 5 rows, both scores are those of van den Burg & Williams (2020). ruptures has jump = 1 and
pen = 3·ln n·variance, which is 3·ln n times the number of columns.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import ruptures
from change_points_synthetic import covering, f1
from mercer import KernelChangePoint


def read(path: Path) -> tuple[np.ndarray, np.ndarray, int]:
    """The rows without missing values, standardised, their places in the series, and its length."""
    series = json.loads(path.read_text())["series"]
    x = np.array([[np.nan if v is None else v for v in column["raw"]] for column in series], dtype=float).T
    kept = np.flatnonzero(np.isfinite(x).all(1))
    n, x = len(x), x[kept]
    return (x - x.mean(0)) / x.std(0, ddof=1), kept, n


def mercer_default(x: np.ndarray) -> list[int]:
    return KernelChangePoint().fit_predict(x)[:-1]


def peer(method: type) -> object:
    def find(x: np.ndarray) -> list[int]:
        pen = 3 * np.log(len(x)) * x.var(0, ddof=1).sum()
        return [int(b) for b in method(model="l2", jump=1).fit(x).predict(pen=pen)][:-1]

    return find


METHODS = {
    "Mercer, default": mercer_default,
    "ruptures Binseg": peer(ruptures.Binseg),
    "ruptures Pelt": peer(ruptures.Pelt),
    "no change": lambda _: [],
}


def main() -> None:
    folder = Path(sys.argv[1])
    annotations = json.loads((folder / "annotations.json").read_text())
    names = sorted(p.stem for p in folder.glob("*.json") if p.stem in annotations)
    scores = {method: [] for method in METHODS}
    print(f"| series | rows | {' | '.join(METHODS)} |\n|---|--:|{'---|' * len(METHODS)}")
    for name in names:
        x, kept, n = read(folder / f"{name}.json")
        truth = [list(a) for a in annotations[name].values()]
        cells = []
        for method, find in METHODS.items():
            found = [int(kept[c]) for c in find(x)]
            score = f1(truth, found), covering(truth, found, n)
            scores[method].append(score)
            cells.append(f"{score[0]:.3f} / {score[1]:.3f} ({len(found)})")
        print(f"| {name} | {len(x)} | {' | '.join(cells)} |")
    means = [np.mean(scores[method], axis=0) for method in METHODS]
    print(f"| **mean of {len(names)}** | | {' | '.join(f'**{m[0]:.3f} / {m[1]:.3f}**' for m in means)} |")


if __name__ == "__main__":
    main()
