"""Estimators keep scikit-learn's contract, agree with its own, and take what it does not."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge as Reference
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import Kernel, KernelRidge

#: rbf with gamma = 0.5.
RBF = "rbf(length_scale=1)"


@parametrize_with_checks(
    [
        KernelRidge(),
        KernelRidge(kernel="precomputed"),
        KernelRidge(Kernel("0.5*matern52 + linear"), alpha=0.5, fit_intercept=True),
        KernelRidge("rbf(length_scale=2)", solver="cholesky"),
    ]
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture
def y(X: np.ndarray) -> np.ndarray:
    return np.sin(X[:, 0]) + X[:, 1] ** 2


@pytest.mark.parametrize("solver", ["auto", "eigen", "cholesky", "cg"])
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_scikit_learn(
    X: np.ndarray, Y: np.ndarray, y: np.ndarray, solver: str, outputs: int, weighted: bool
) -> None:
    targets = y if outputs == 1 else np.column_stack([y, np.cos(y)])
    weights = np.random.default_rng(3).uniform(0.5, 2, len(y)) if weighted else None
    tolerance = 1e-13 if solver == "cg" else None
    ours = KernelRidge(RBF, alpha=0.3, solver=solver, tolerance=tolerance).fit(X, targets, weights)
    theirs = Reference(kernel="rbf", gamma=0.5, alpha=0.3).fit(X, targets, weights)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.predict(Y), theirs.predict(Y), rtol=1e-9, atol=1e-9)
    assert ours.certificate_.relative_residual < 1e-9


def test_sparse_and_precomputed_give_the_same(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    expected = KernelRidge(RBF).fit(X, y).predict(Y)
    sparse = KernelRidge(RBF).fit(sp.csr_array(X), y).predict(sp.csr_array(Y))
    np.testing.assert_allclose(sparse, expected, rtol=1e-9, atol=1e-9)
    precomputed = KernelRidge("precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    np.testing.assert_allclose(precomputed.predict(rbf_kernel(Y, X, gamma=0.5)), expected, rtol=1e-9, atol=1e-9)


def test_precomputed_rows_of_weight_zero_are_as_good_as_absent(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    weights = np.ones(len(y))
    weights[::3] = 0
    keep = weights > 0
    some = KernelRidge("precomputed").fit(rbf_kernel(X[keep], gamma=0.5), y[keep])
    whole = KernelRidge("precomputed").fit(rbf_kernel(X, gamma=0.5), y, weights)
    expected = some.predict(rbf_kernel(Y, X[keep], gamma=0.5))
    np.testing.assert_allclose(whole.predict(rbf_kernel(Y, X, gamma=0.5)), expected, rtol=1e-9, atol=1e-9)


def test_precomputed_must_be_square(X: np.ndarray, y: np.ndarray) -> None:
    with pytest.raises(ValueError, match="square"):
        KernelRidge("precomputed").fit(X, y)


def test_matrices_that_no_kernel_gives_are_repaired_with_a_warning(X: np.ndarray, y: np.ndarray) -> None:
    K = X @ np.diag([1.0, 1.0, -0.5]) @ X.T
    with pytest.warns(mercer.MercerWarning, match="eigenvalue"):
        model = KernelRidge("precomputed").fit(K, y)
    values, vectors = np.linalg.eigh(K)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    expected = clipped @ np.linalg.solve(clipped + np.eye(len(y)), y)
    np.testing.assert_allclose(model.predict(K), expected, rtol=1e-9, atol=1e-9)
    # Kernel values of new points are taken as they are: the repair is in the coefficients.
    np.testing.assert_allclose(K @ model.dual_coef_, expected, rtol=1e-9, atol=1e-9)
    repaired = model.certificate_.repaired
    assert repaired is not None and (repaired.method, repaired.negative) == ("clip", 1)
    assert abs(repaired.smallest_eigenvalue - values[0]) < 1e-9 * -values[0]
    assert abs(repaired.moved_share - -values[0] / np.abs(values).sum()) < 1e-9
    assert KernelRidge("precomputed").fit(clipped + np.eye(len(y)), y).certificate_.repaired is None
    assert all(np.array_equal(other.predict(K), model.predict(K)) for other in _again(model))
    with pytest.raises(mercer.errors.DomainError):
        KernelRidge("precomputed", repair=None).fit(K, y)


def _cars(n: int = 40) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(4)
    words = rng.permutation(["red", "green", "blue", "fast", "slow", "old", "new"] * n)
    notes = [" ".join(words[5 * i : 5 * i + 5]) + f" {i}" for i in range(n)]
    makes = pd.Categorical(rng.choice(["a", "b", "c"], n))
    X = pd.DataFrame({"power": rng.normal(size=n), "make": makes, "notes": notes})
    return X, X["power"].to_numpy() + (X["make"] == "b").to_numpy() * 2.0


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_tables_with_text_and_categories(library: str) -> None:
    frame, y = _cars()
    convert: dict[str, Any] = {"pandas": lambda x: x, "polars": pl.from_pandas, "dict": lambda x: dict(x.items())}
    X, few = convert[library](frame), convert[library](frame.iloc[:2])
    formula = "rbf(power, length_scale=1) * delta(make) + 0.1*ngram(notes)"
    model = KernelRidge(formula, alpha=0.1).fit(X, y)
    # The oracle: the same kernel's matrix, solved by NumPy.
    K = Kernel(formula).gram(frame)
    expected = K @ np.linalg.solve(K + 0.1 * np.eye(len(y)), y)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9, atol=1e-9)
    # Two rows do not tell text from categories; the training data do.
    np.testing.assert_allclose(model.predict(few), expected[:2], rtol=1e-9, atol=1e-9)
    assert model.n_features_in_ == 3
    assert list(model.feature_names_in_) == ["power", "make", "notes"]


def test_columns_are_checked_at_prediction() -> None:
    X, y = _cars()
    model = KernelRidge("rbf(power) * delta(make)").fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"make": "brand"}))
    with pytest.raises(ValueError, match="make"):
        KernelRidge("rbf(power) * delta(make)").fit(dict(X.items()), y).predict({"power": X["power"]})


def test_columns_go_by_name_outside_pandas() -> None:
    X, y = _cars()
    model = KernelRidge("rbf(length_scale=1) * delta(make)").fit(pl.from_pandas(X), y)
    other = pl.from_pandas(X.assign(more=1.0))[["more", "notes", "make", "power"]]
    assert np.array_equal(model.predict(other), model.predict(pl.from_pandas(X)))
    with pytest.raises(ValueError, match="power"):
        model.predict(other.drop("power"))


def test_strings() -> None:
    X, y = ["abab", "abba", "bbbb", "aaaa"], [1.0, 2.0, 3.0, 4.0]
    model = KernelRidge("ngram", alpha=0.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)


def test_weights_mean_repetition_for_rules_too(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    counts = np.random.default_rng(5).integers(0, 4, len(y))
    weighted = KernelRidge("rbf").fit(X, y, counts)
    repeated = KernelRidge("rbf").fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.kernel_ == repeated.kernel_
    np.testing.assert_allclose(weighted.predict(Y), repeated.predict(Y), rtol=1e-9, atol=1e-9)
    assert weighted.resolutions_[0].rule == "median"


@pytest.mark.parametrize("criterion", ["loo", "gcv"])
def test_alpha_is_chosen_from_the_list(X: np.ndarray, y: np.ndarray, criterion: str) -> None:
    alphas = [1e-4, 1e-2, 1.0, 100.0]
    model = KernelRidge(RBF, alpha=criterion, alphas=alphas).fit(X, y)
    assert [score.alpha for score in model.path_] == alphas
    best = min(model.path_, key=lambda s: s.loo if criterion == "loo" else s.gcv)  # type: ignore[arg-type,return-value]
    assert model.alpha_ == best.alpha
    # Leave-one-out by leaving one out.
    rows = np.arange(len(y)) != 7
    without = Reference(kernel="rbf", gamma=0.5, alpha=model.alpha_).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.loo_predictions_[7], without.predict(X[7:8])[0], rtol=1e-8)


@pytest.mark.parametrize("wrong", ["aic", None, [1.0], True, -1.0])
def test_wrong_alphas_are_refused(X: np.ndarray, y: np.ndarray, wrong: Any) -> None:
    with pytest.raises(mercer.errors.InvalidParameterError, match="alpha"):
        KernelRidge(alpha=wrong).fit(X, y)


def test_intercept(X: np.ndarray, y: np.ndarray) -> None:
    model = KernelRidge(RBF, fit_intercept=True).fit(X, y)
    shifted = KernelRidge(RBF, fit_intercept=True).fit(X, y + 5)
    assert shifted.intercept_ == pytest.approx(model.intercept_ + 5)
    assert KernelRidge(RBF).fit(X, y).intercept_ == 0.0


def test_intervals_hold_the_prediction_and_most_targets(X: np.ndarray, y: np.ndarray) -> None:
    noisy = y + np.random.default_rng(6).normal(size=len(y))
    model = KernelRidge("rbf", alpha=1.0).fit(X[:40], noisy[:40])
    low, high = model.predict_interval(X[40:], level=0.9)
    narrow = model.predict_interval(X[40:], level=0.5)
    assert np.all(low < high) and np.all(low <= narrow[0]) and np.all(narrow[1] <= high)
    assert np.mean((low <= noisy[40:]) & (noisy[40:] <= high)) >= 0.7


def test_grid_search_and_cross_validation(X: np.ndarray, y: np.ndarray) -> None:
    grid = {"kernel": [RBF, Kernel("linear")], "alpha": [1e-3, 10.0]}
    search = GridSearchCV(KernelRidge(), grid, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel": RBF, "alpha": 1e-3}
    theirs = cross_val_score(Reference(kernel="rbf", gamma=0.5), X, y, cv=3)
    np.testing.assert_allclose(cross_val_score(KernelRidge(RBF), X, y, cv=3), theirs, rtol=1e-8)
    K = rbf_kernel(X, gamma=0.5)
    np.testing.assert_allclose(cross_val_score(KernelRidge("precomputed"), K, y, cv=3), theirs, rtol=1e-8)


def _tanimoto(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / (x @ x + y @ y - x @ y))


def _again(model: Any) -> list[Any]:
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    # Not needed by anything here, but joblib and Dask send models with it.
    if importlib.util.find_spec("cloudpickle"):
        cloudpickle = importlib.import_module("cloudpickle")
        copies.append(cloudpickle.loads(cloudpickle.dumps(model)))
    return copies


@pytest.mark.parametrize(
    "kernel", ["rbf", "1.3*laplace + linear", Kernel.from_function(_tanimoto), "precomputed"], ids=str
)
def test_copies_predict_the_same_bits(X: np.ndarray, Y: np.ndarray, y: np.ndarray, kernel: Any) -> None:
    targets = np.column_stack([y, y**2])
    train, new = (rbf_kernel(X), rbf_kernel(Y, X)) if kernel == "precomputed" else (X, Y)
    model = KernelRidge(kernel, alpha="loo", fit_intercept=True).fit(train, targets, np.arange(len(y)) % 3)
    for other in _again(model):
        assert np.array_equal(other.predict(new), model.predict(new))
        assert other.certificate_ == model.certificate_ and other.path_ == model.path_
        assert np.array_equal(other.loo_predictions_, model.loo_predictions_)


def test_copies_of_other_containers_and_solvers_predict_the_same_bits(X: np.ndarray, y: np.ndarray) -> None:
    frame, z = _cars()
    fits = [
        (KernelRidge("rbf(power) * delta(make) + ngram(notes)"), frame, z),
        (KernelRidge("rbf"), sp.csr_array(X), y),
        (KernelRidge("rbf", solver="nystrom", landmarks=20), X, y),
        (KernelRidge("linear", solver="primal"), X, y),
    ]
    for estimator, points, targets in fits:
        model = estimator.fit(points, targets)
        for other in _again(model):
            assert np.array_equal(other.predict(points), model.predict(points))
    model = KernelRidge(RBF).fit(X, y)
    for one, two in zip(model.predict_interval(X[:5]), _again(model)[0].predict_interval(X[:5]), strict=True):
        assert np.array_equal(one, two)


def test_unfitted_copies() -> None:
    assert all(other.kernel == "linear" for other in _again(KernelRidge("linear")))


def test_run_options_reach_the_run(X: np.ndarray, y: np.ndarray) -> None:
    seen: list[str] = []
    KernelRidge(progress=lambda task, done, total: seen.append(task), n_jobs=1).fit(X, y)
    assert seen
    with pytest.raises(MemoryError):
        KernelRidge(memory_limit=10).fit(X, y)
    with pytest.raises(ValueError, match="n_jobs"):
        KernelRidge(n_jobs=0).fit(X, y)


def test_kernels_do_not_need_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import mercer; from mercer import *; mercer.Kernel('rbf')\n"
        "try: mercer.KernelRidge\n"
        "except ImportError as e: assert 'scikit-learn' in str(e)\n"
        "else: raise SystemExit('imported')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
