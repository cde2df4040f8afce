"""Test error of `mercer fit` with its defaults on tables, beside boosting and a support vector machine with a grid.

    python benchmarks/tables.py DATA [--mercer PATH] [--sets abalone sonar …] [--splits 3] [--rows 20000]

DATA is a folder with `regression/NAME.csv.gz` and `classification/NAME.csv.gz`, the last column the target. Every method sees the same rows:
splits of 80 and 20 % drawn from a fixed seed, `adult` its own split. LightGBM and HistGradientBoosting have their defaults, with categories declared. The support vector machine
has standardised numbers and one-hot categories, C and gamma by three-fold cross-validation of at most 2,000 training rows, and probabilities by
five-fold calibration. Prints a row for each set; nothing here is used to choose anything.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

NUMBERS = ["california_housing", "compactiv", "abalone", "wine_quality_white", "diamonds"]
CLASSES = ["spam_kernlab", "satellite", "sonar", "ionosphere", "adult"]
ADULT = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race sex capital_gain "
    "capital_loss hours_per_week native_country y"
).split()
GRID = {"C": [0.1, 1, 10, 100], "gamma": [0.01, 0.03, 0.1, 0.3, 1.0]}


def read(folder: Path, name: str, gaps: bool = False) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """A table with the target `y`, and the rows to judge by where they are fixed; rows with gaps where asked for."""
    if name == "adult":
        parts = []
        for kind in ("data", "test"):
            path = folder / "classification" / f"adult.{kind}.gz"
            rows = pd.read_csv(path, sep=r"[,\s]+", engine="python", names=ADULT, na_values="?", comment="|")
            rows["y"] = rows["y"].astype(str).str.rstrip(".")
            rows = rows[rows["y"].isin(["<=50K", ">50K"])]
            parts.append((rows if gaps else rows.dropna()).reset_index(drop=True))
        return parts[0], parts[1]
    kind = "regression" if name in NUMBERS else "classification"
    table = pd.read_csv(folder / kind / f"{name}.csv.gz")
    table = table.rename(columns={table.columns[-1]: "y"})
    if kind == "classification":
        table["y"] = "class " + table["y"].astype(str)
    return (table if gaps else table.dropna()).reset_index(drop=True), None


def mercer(binary: str, train: pd.DataFrame, test: pd.DataFrame) -> tuple[float, float, str]:
    """The error, the seconds, and the kernel with the learner."""
    with tempfile.TemporaryDirectory() as place:
        train.to_csv(f"{place}/train.csv", index=False)
        test.to_csv(f"{place}/test.csv", index=False)
        command = [binary, "fit", "train.csv", "--target", "y", "--no-estimate", "--json"]
        if train["y"].dtype.kind in "if":
            command += ["--type", "y=number"]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
        took = time.perf_counter() - start
        subprocess.run([binary, "predict", "train.mercer", "test.csv", "-o", "out.csv"], cwd=place, check=True)
        report, found = json.loads(done.stdout), pd.read_csv(f"{place}/out.csv")
    return judged(test["y"], found), took, f"{report['learner']}, {report['kernel'].split('(length')[0].strip('(')}"


def judged(truth: pd.Series, found: pd.DataFrame) -> float:
    """RMSE, or log-loss."""
    if truth.dtype.kind in "if":
        return float(np.sqrt(np.mean((truth.to_numpy() - found["y"].to_numpy()) ** 2)))
    classes = sorted(truth.unique())
    return log_loss(truth, found[[f"p_{name}" for name in classes]], labels=classes)


def score(model: object, train: pd.DataFrame, test: pd.DataFrame) -> tuple[float, float]:
    """The error and the seconds of an estimator."""
    start = time.perf_counter()
    model.fit(train.drop(columns="y"), train["y"])
    took = time.perf_counter() - start
    if train["y"].dtype.kind in "if":
        return float(np.sqrt(np.mean((test["y"] - model.predict(test.drop(columns="y"))) ** 2))), took
    return log_loss(test["y"], model.predict_proba(test.drop(columns="y")), labels=model.classes_), took


def boosting(train: pd.DataFrame) -> dict[str, object]:
    """Boosting with its defaults."""
    import lightgbm

    numbers = train["y"].dtype.kind in "if"
    light = lightgbm.LGBMRegressor if numbers else lightgbm.LGBMClassifier
    hist = HistGradientBoostingRegressor if numbers else HistGradientBoostingClassifier
    return {"LightGBM": light(verbose=-1), "HistGradientBoosting": hist(categorical_features="from_dtype")}


class Grid:
    """A support vector machine with C and gamma by cross-validation."""

    def fit(self, X: pd.DataFrame, y: pd.Series) -> "Grid":
        words = [name for name in X if X[name].dtype.kind not in "if"]
        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), words), remainder=StandardScaler(), sparse_threshold=0.0
        )
        few = np.random.default_rng(0).permutation(len(X))[:2000]
        self.scale = (float(y.mean()), float(y.std())) if y.dtype.kind in "if" else None
        target = y if self.scale is None else (y - self.scale[0]) / self.scale[1]
        machine = SVR() if self.scale else SVC()
        name = type(machine).__name__.lower()
        grid = {f"{name}__{key}": values for key, values in GRID.items()}
        search = GridSearchCV(make_pipeline(columns, machine), grid, cv=3)
        best = search.fit(X.iloc[few], target.iloc[few]).best_estimator_
        self.model = best.fit(X, target) if self.scale else CalibratedClassifierCV(best, cv=5).fit(X, target)
        self.classes_ = getattr(self.model, "classes_", None)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict(X) * self.scale[1] + self.scale[0]

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(X)


def categorical(table: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Columns of words as categories, the same in both parts."""
    words = [name for name in like if name != "y" and like[name].dtype.kind not in "if"]
    types = {name: pd.CategoricalDtype(sorted(like[name].unique())) for name in words}
    return table.astype(types)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--mercer", default=str(Path(__file__).resolve().parents[1] / "target/release/mercer"))
    parser.add_argument("--sets", nargs="*", default=NUMBERS + CLASSES)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--rows", type=int, default=10**9, help="training rows at most")
    parser.add_argument("--without-grid", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in args.sets:
        whole, fixed = read(args.data, name)
        found: dict[str, list[tuple[float, float]]] = {}
        kernels = []
        for split in range(1 if fixed is not None or len(whole) > 30000 else args.splits):
            labels = whole["y"] if name in CLASSES else None
            train, test = (whole, fixed) if fixed is not None else train_test_split(
                whole, test_size=0.2, random_state=split, stratify=labels
            )
            train = train.iloc[: args.rows]
            error, took, kernel = mercer(args.mercer, train, test)
            found.setdefault("Mercer", []).append((error, took))
            kernels.append(kernel)
            rows = categorical(train, train), categorical(test, train)
            for peer, model in boosting(train).items():
                found.setdefault(peer, []).append(score(model, *rows))
            if not args.without_grid:
                found.setdefault("SVM, grid", []).append(score(Grid(), train, test))
        cells = []
        for method, results in found.items():
            errors = [error for error, _ in results]
            spread = np.std(errors, ddof=1) / math.sqrt(len(errors)) if len(errors) > 1 else 0.0
            cells.append(f"{method} {np.mean(errors):.4g} ± {spread:.2g} ({np.mean([t for _, t in results]):.1f} s)")
        print(f"| {name} | {len(whole)}×{whole.shape[1] - 1} | " + " | ".join(cells) + f" | {', '.join(sorted(set(kernels)))} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
