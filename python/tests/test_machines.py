"""The estimators of losses, processes and descents keep scikit-learn's contract and agree with its own."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    LSSVC,
    LSSVR,
    KernelBarycentre,
    KernelClassifier,
    KernelGradientDescent,
    KernelLogisticRegression,
    KernelQuantileRegressor,
    KernelRegressor,
    KernelRidge,
    KernelSGDClassifier,
    KernelSGDRegressor,
    SpectralFilter,
)

#: rbf with gamma = 0.5.
RBF = "rbf(length_scale=1)"

#: One of each, quick and exact enough for the weights of the checks.
ESTIMATORS = [
    KernelLogisticRegression(),
    KernelRegressor(),
    KernelQuantileRegressor(),
    KernelClassifier(),
    KernelGradientDescent(),
    SpectralFilter(),
    KernelSGDRegressor(),
    KernelSGDClassifier(),
    LSSVC(),
    LSSVR(),
    KernelBarycentre(),
]


@parametrize_with_checks([*ESTIMATORS, KernelClassifier("precomputed")])
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture
def y(X: np.ndarray) -> np.ndarray:
    return np.sin(X[:, 0]) + X[:, 1] ** 2


def _target(estimator: Any, y: np.ndarray) -> np.ndarray:
    return np.where(y > np.median(y), "above", "below") if is_classifier(estimator) else y


def _answers(model: Any, X: Any) -> list[np.ndarray]:
    names = ("decision_function", "predict", "predict_proba")
    return [getattr(model, name)(X) for name in names if hasattr(model, name)]


# Against scikit-learn.


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regression_on_a_linear_kernel_is_that_of_scikit_learn(
    X: np.ndarray, Y: np.ndarray, y: np.ndarray, weighted: bool
) -> None:
    labels = (y + np.random.default_rng(7).normal(size=len(y)) > 1).astype(int)
    weights = np.random.default_rng(3).uniform(0.5, 2, len(y)) if weighted else None
    ours = KernelLogisticRegression("linear", alpha=0.7).fit(X, labels, weights)
    theirs = LogisticRegression(C=1 / 0.7, tol=1e-12, max_iter=1000).fit(X, labels, weights)
    np.testing.assert_allclose(ours.decision_function(Y), theirs.decision_function(Y), atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(Y), theirs.predict_proba(Y), atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_[0], abs=1e-5)
    certificate = ours.certificate_
    assert certificate.gap is not None and certificate.primal is not None
    assert certificate.gap <= 1e-8 * certificate.primal


def test_several_classes_are_those_of_scikit_learn() -> None:
    X, labels = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[labels]
    ours = KernelLogisticRegression("linear", alpha=0.5).fit(X, names)
    theirs = LogisticRegression(C=2, tol=1e-12, max_iter=10_000).fit(X, names)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert list(ours.classes_) == ["setosa", "versicolor", "virginica"]
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0}])
def test_class_weights_are_those_of_scikit_learn(X: np.ndarray, y: np.ndarray, class_weight: Any) -> None:
    labels = (y > 1.5).astype(int)
    ours = KernelLogisticRegression("linear", class_weight=class_weight).fit(X, labels)
    theirs = LogisticRegression(class_weight=class_weight, tol=1e-12, max_iter=1000).fit(X, labels)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


def test_the_hinge_is_a_support_vector_machine() -> None:
    X, labels = make_moons(80, noise=0.3, random_state=0)
    ours = KernelClassifier(RBF, loss="hinge", alpha=0.5).fit(X, labels)
    theirs = SVC(kernel="rbf", gamma=0.5, C=2, tol=1e-8).fit(X, labels)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_the_epsilon_insensitive_loss_is_support_vector_regression(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    ours = KernelRegressor(RBF, loss="epsilon_insensitive", epsilon=0.2, alpha=0.5).fit(X, y)
    theirs = SVR(kernel="rbf", gamma=0.5, C=2, epsilon=0.2, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.predict(Y), theirs.predict(Y), atol=1e-4)


def test_squared_losses_are_ridge_regression(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    ridge = KernelRidge(RBF, alpha=0.5, fit_intercept=True).fit(X, y).predict(Y)
    np.testing.assert_allclose(KernelRegressor(RBF, loss="squared", alpha=0.5).fit(X, y).predict(Y), ridge, atol=1e-6)
    np.testing.assert_allclose(LSSVR(RBF, gamma=2.0).fit(X, y).predict(Y), ridge, rtol=1e-9)
    signs = np.sign(y - np.median(y))
    ridge = KernelRidge(RBF, alpha=0.5, fit_intercept=True).fit(X, signs).predict(Y)
    np.testing.assert_allclose(LSSVC(RBF, gamma=2.0).fit(X, signs).decision_function(Y), ridge, rtol=1e-9)


def test_barycentres_are_means_of_kernel_values(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    labels = np.digitize(y, [0.0, 1.0])
    K, new = rbf_kernel(X, gamma=0.5), rbf_kernel(Y, X, gamma=0.5)
    expected = np.column_stack(
        [new[:, labels == c].mean(axis=1) - 0.5 * K[np.ix_(labels == c, labels == c)].mean() for c in range(3)]
    )
    np.testing.assert_allclose(KernelBarycentre(RBF).fit(X, labels).decision_function(Y), expected, atol=1e-12)


# Laws.


def test_quantiles_part_the_targets_and_do_not_cross(X: np.ndarray, y: np.ndarray) -> None:
    model = KernelQuantileRegressor(RBF, quantiles=(0.2, 0.5, 0.8), alpha=3.0).fit(X, y)
    predictions = model.predict(X)
    assert predictions.shape == (len(y), 3)
    assert np.all(np.diff(predictions, axis=1) >= 0)
    # With an intercept, about the share τ of the targets lies below (to the number of interpolated ones).
    np.testing.assert_allclose((y[:, None] <= predictions).mean(axis=0), [0.2, 0.5, 0.8], atol=0.2)
    assert 0 < model.score(X, y) <= 1


def test_the_bound_of_the_norm_is_kept(X: np.ndarray, y: np.ndarray) -> None:
    model = KernelRegressor(RBF, loss="huber", norm_bound=1.5).fit(X, y)
    a = model.dual_coef_
    assert a @ rbf_kernel(X, gamma=0.5) @ a == pytest.approx(1.5**2, rel=1e-6)


def test_descent_is_its_closed_form(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    K, n = rbf_kernel(X, gamma=0.5), len(y)
    start = np.random.default_rng(8).normal(size=n)
    choices: dict[str, Any] = {"step_size": 0.8, "iterations": 50, "start": start}
    iterated = KernelGradientDescent(RBF, **choices).fit(X, y)
    jumped = KernelGradientDescent(RBF, **choices, closed_form=True).fit(X, y)
    power = np.linalg.matrix_power(np.eye(n) - 0.8 * K / n, 50)
    np.testing.assert_allclose(iterated.predict(X), y + power @ (K @ start - y), atol=1e-10)
    np.testing.assert_allclose(jumped.predict(Y), iterated.predict(Y), atol=1e-10)
    assert iterated.n_iter_ == 50 and len(iterated.history_) == 51
    assert iterated.largest_eigenvalue_ == pytest.approx(np.linalg.eigvalsh(K / n)[-1], rel=1e-9)
    landweber = SpectralFilter(RBF, filter="landweber", step_size=0.8, iterations=50).fit(X, y)
    from_zero = KernelGradientDescent(RBF, step_size=0.8, iterations=50).fit(X, y)
    np.testing.assert_allclose(landweber.predict(Y), from_zero.predict(Y), atol=1e-10)


@pytest.mark.parametrize("step", ["auto", None])
def test_the_step_of_landweber_comes_from_the_spectrum(X: np.ndarray, y: np.ndarray, step: str | None) -> None:
    model = SpectralFilter(RBF, filter="landweber", step_size=step, iterations=50).fit(X, y)
    largest = np.linalg.eigvalsh(mercer.Kernel(RBF).gram(X) / len(X))[-1]
    assert model.step_size_ == pytest.approx(0.95 / largest, rel=1e-10)
    given = SpectralFilter(RBF, filter="landweber", step_size=0.95 / largest, iterations=50).fit(X, y)
    np.testing.assert_allclose(model.predict(X), given.predict(X), rtol=1e-9, atol=1e-12)
    assert any("0.95 over the largest eigenvalue" in note for note in model.notes_)
    assert SpectralFilter(RBF).fit(X, y).step_size_ is None


def test_early_stopping(X: np.ndarray, y: np.ndarray) -> None:
    noisy = y + np.random.default_rng(9).normal(size=len(y))
    held = KernelGradientDescent(RBF, early_stopping="hold_out", hold_out=0.3, iterations=500).fit(X, noisy)
    assert 0 < held.n_iter_ < 500 and "held out" in held.notes_[-1]
    enough = KernelGradientDescent(RBF, early_stopping="discrepancy", noise=0.9, iterations=500).fit(X, noisy)
    assert enough.history_[-1] <= 1.1 * 0.9 < enough.history_[-2]
    with pytest.raises(mercer.errors.UnsupportedError, match="held out"):
        held.fit(X, noisy, np.ones(len(y)))


def test_cut_off_keeps_the_leading_directions(X: np.ndarray, y: np.ndarray) -> None:
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=0.5) / len(y))
    lam = (values[-5] + values[-6]) / 2
    model = SpectralFilter(RBF, filter="cut_off", lam=lam).fit(X, y)
    leading = vectors[:, -5:]
    np.testing.assert_allclose(model.predict(X), leading @ (leading.T @ y), atol=1e-9)
    assert model.degrees_of_freedom_ == pytest.approx(5)


def test_stochastic_descent_is_its_loop(X: np.ndarray, y: np.ndarray) -> None:
    K, a = rbf_kernel(X, gamma=0.5), np.zeros(len(y))
    for i in range(len(y)):
        a[i] += 0.5 * (y[i] - K[i] @ a)
    model = KernelSGDRegressor(RBF, step_size=0.5, averaging=False)
    for part in np.array_split(np.arange(len(y)), 4):
        model.partial_fit(X[part], y[part])
    np.testing.assert_allclose(model.predict(X), K @ a, atol=1e-10)


@pytest.mark.parametrize("landmarks", [None, 15])
def test_a_descent_goes_on_after_a_fit_and_in_copies(X: np.ndarray, y: np.ndarray, landmarks: int | None) -> None:
    labels = np.digitize(y, [0.0, 1.0])
    fits = [
        KernelSGDClassifier(RBF, landmarks=landmarks).fit(X[:30], labels[:30]),
        KernelSGDClassifier(RBF, landmarks=landmarks).partial_fit(X[:30], labels[:30], classes=[0, 1, 2]),
    ]
    for model in fits:
        other = pickle.loads(pickle.dumps(model))
        assert np.array_equal(model.decision_function(X), other.decision_function(X))
        before = model.decision_function(X)
        model.partial_fit(X[30:], labels[30:])
        other.partial_fit(X[30:], labels[30:])
        assert not np.allclose(model.decision_function(X), before)
        np.testing.assert_allclose(other.decision_function(X), model.decision_function(X), atol=1e-12)


def test_certificates_of_descents_say_what_they_measure(X: np.ndarray, y: np.ndarray) -> None:
    for model in (KernelGradientDescent(RBF), SpectralFilter(RBF)):
        certificate = model.fit(X, y).certificate_
        left = y - model.predict(X)
        assert certificate.empirical_risk == pytest.approx(0.5 * np.mean(left**2), rel=1e-9)
        assert certificate.discrepancy == pytest.approx(np.linalg.norm(left) / np.linalg.norm(y), rel=1e-9)
        assert certificate.relative_residual is None and certificate.system is None
    assert certificate.filter_error is not None and certificate.filter_error < 1e-12
    model = KernelSGDRegressor("linear", averaging=False)
    model.partial_fit([[1.0]], [2.0])  # f = 0 before, and f = 2x after a step of 1
    assert model.certificate_.running_loss == 2.0 and model.notes_ == ()
    model.partial_fit([[2.0]], [2.0])  # f = 4 before
    assert model.certificate_.running_loss == 2.0 and "lowered from 1.000000 to 0.250000" in model.notes_[0]
    assert pickle.loads(pickle.dumps(model)).partial_fit([[1.0]], [2.0]).notes_ == model.notes_
    with pytest.raises(mercer.errors.InvalidParameterError, match="diverges"):
        KernelSGDRegressor("linear", step_size=3.0).partial_fit([[1.0]], [2.0])


class _LogCosh:
    """ln cosh(z − y)."""

    def value(self, y: Any, z: Any) -> Any:
        return np.logaddexp(z - y, y - z) - np.log(2)

    def derivative(self, y: Any, z: Any) -> Any:
        return np.tanh(z - y)

    def curvature(self, y: Any, z: Any) -> Any:
        return 1 - np.tanh(z - y) ** 2


def test_a_loss_of_the_users_own(X: np.ndarray, y: np.ndarray) -> None:
    model = KernelRegressor(RBF, loss=_LogCosh(), alpha=0.5).fit(X, y)
    # The gradient: alpha·a = −ℓ′(y, f), and Σ ℓ′ = 0 for the intercept.
    slopes = np.tanh(model.predict(X) - y)
    np.testing.assert_allclose(0.5 * model.dual_coef_, -slopes, atol=1e-6)
    assert abs(slopes.sum()) < 1e-6

    class Broken(_LogCosh):
        def derivative(self, y: Any, z: Any) -> Any:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as raised:
        KernelRegressor(RBF, loss=Broken()).fit(X, y)
    assert "`derivative(y, z)` of the loss `Broken`" in raised.value.__notes__[0]
    with pytest.raises(mercer.errors.InvalidParameterError, match="curvature"):
        KernelRegressor(RBF, loss=object()).fit(X, y)


@pytest.mark.parametrize(
    ("method", "answer", "error", "says"),
    [
        ("curvature", lambda y, z: 1.0, mercer.errors.ShapeError, "`float`"),
        ("curvature", lambda y, z: [1.0] * len(y), mercer.errors.ShapeError, "`list`"),
        ("value", lambda y, z: np.ones((len(y), 1)), mercer.errors.ShapeError, r"shape \[\d+, 1\]"),
        ("derivative", lambda y, z: (z - y)[:-1], mercer.errors.ShapeError, r"shape \["),
        ("derivative", lambda y, z: np.where(np.arange(len(y)) == 3, np.nan, z - y), mercer.errors.NonFiniteError, "NaN"),
        ("curvature", lambda y, z: np.full(len(y), np.inf), mercer.errors.NonFiniteError, "infinite"),
        ("value", lambda y, z: np.full(len(y), "a"), ValueError, "could not convert"),
    ],
)
def test_a_loss_that_answers_badly_is_named(
    method: str, answer: Any, error: type[Exception], says: str, X: np.ndarray, y: np.ndarray
) -> None:
    loss = _LogCosh()
    setattr(loss, method, answer)
    with pytest.raises(error, match=says) as raised:
        KernelRegressor(RBF, loss=loss).fit(X, y)
    told = str(raised.value) + "".join(getattr(raised.value, "__notes__", []))
    assert "_LogCosh" in told and method in told


def test_a_loss_is_called_for_all_rows_at_once(X: np.ndarray, y: np.ndarray) -> None:
    sizes: list[int] = []

    class Counted(_LogCosh):
        def value(self, y: Any, z: Any) -> Any:
            sizes.append(len(z))
            return super().value(y, z)

    KernelRegressor(RBF, loss=Counted()).fit(X, y)
    assert sizes and all(n in (1, len(X)) for n in sizes) and sizes.count(len(X)) > len(sizes) / 2


# All of them.


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_precomputed_gives_the_same(estimator: Any, X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    target = _target(estimator, y)
    points = clone(estimator).set_params(kernel=RBF).fit(X, target)
    values = clone(estimator).set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), target)
    for one, two in zip(_answers(points, Y), _answers(values, rbf_kernel(Y, X, gamma=0.5)), strict=True):
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6)
        else:
            assert np.array_equal(one, two)


def _cars(n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    words = rng.permutation(["red", "green", "blue", "fast", "slow", "old", "new"] * n)
    notes = [" ".join(words[5 * i : 5 * i + 5]) + f" {i}" for i in range(n)]
    makes = pd.Categorical(rng.choice(["a", "b", "c"], n))
    return pd.DataFrame({"power": rng.normal(size=n), "make": makes, "notes": notes})


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_frames_and_copies(estimator: Any) -> None:
    frame = _cars()
    formula = "rbf(power, length_scale=1) * delta(make) + 0.1*ngram(notes)"
    target = _target(estimator, frame["power"].to_numpy() + (frame["make"] == "b").to_numpy() * 2.0)
    model = clone(estimator).set_params(kernel=formula).fit(frame, target)
    assert list(model.feature_names_in_) == ["power", "make", "notes"]
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        for one, two in zip(_answers(model, frame), _answers(other, frame), strict=True):
            assert np.array_equal(one, two)
        assert other.certificate_ == model.certificate_ and other.notes_ == model.notes_
    assert clone(model).get_params() == model.get_params()


def _tanimoto(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / (x @ x + y @ y - x @ y))


def test_kernels_of_the_users_own_and_their_copies(X: np.ndarray, y: np.ndarray) -> None:
    model = KernelLogisticRegression(mercer.Kernel.from_function(_tanimoto)).fit(X, y > 1)
    other = pickle.loads(pickle.dumps(model))
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    assert model.predict(X).dtype == bool


def test_grid_search(X: np.ndarray, y: np.ndarray) -> None:
    grid = {"loss": ["hinge", "logistic"], "alpha": [0.1, 10.0]}
    search = GridSearchCV(KernelClassifier(RBF), grid, cv=3).fit(X, y > 1)
    assert search.best_score_ > 0.6


def test_run_options_reach_the_run(X: np.ndarray, y: np.ndarray) -> None:
    seen: list[str] = []
    KernelLogisticRegression(progress=lambda task, done, total: seen.append(task), n_jobs=1).fit(X, y > 1)
    assert seen
    with pytest.raises(MemoryError):
        KernelLogisticRegression(memory_limit=10).fit(X, y > 1)
    with pytest.raises(TimeoutError):
        KernelLogisticRegression(deadline=0.0).fit(X, y > 1)


# Bad input.


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["a"] * 4, "one class"),
        (["a", 1, None, "b"], "several types"),
        ([0.5, 1.25, 2.125, 3.0], "Unknown label type"),
        ([0.0, 1.0, np.nan, 1.0], "NaN"),
        ([[0, 1], [1, 1], [0, 0], [1, 0]], "1d array"),
    ],
)
def test_labels_that_are_none(labels: Any, says: str) -> None:
    for estimator in (e for e in ESTIMATORS if is_classifier(e)):
        with pytest.raises(ValueError, match=says):
            clone(estimator).fit([[0.0], [1.0], [2.0], [3.0]], labels)


def test_matrices_that_no_kernel_gives_are_repaired_with_a_warning(X: np.ndarray, y: np.ndarray) -> None:
    K = X @ np.diag([1.0, 1.0, -0.5]) @ X.T
    with pytest.warns(mercer.MercerWarning, match="eigenvalue"):
        model = KernelLogisticRegression("precomputed").fit(K, y > 1)
    values, vectors = np.linalg.eigh(K)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    expected = KernelLogisticRegression("precomputed").fit(clipped, y > 1)
    np.testing.assert_allclose(model.predict_proba(K), expected.predict_proba(clipped), atol=1e-6)
    with pytest.raises((mercer.errors.DomainError, np.linalg.LinAlgError)):
        KernelLogisticRegression("precomputed", repair=None).fit(K, y > 1)


def test_a_fit_that_is_far_from_the_solution_is_warned_about(X: np.ndarray, y: np.ndarray) -> None:
    with pytest.warns(mercer.MercerWarning, match="max_iterations"):
        KernelLogisticRegression(RBF, alpha=1e-3, max_iterations=1).fit(X, y > 1)


def test_all_weight_on_one_class() -> None:
    for estimator in (KernelLogisticRegression(), KernelClassifier(), KernelBarycentre()):
        with pytest.raises(ValueError, match="class"):
            estimator.fit([[0.0], [1.0], [2.0]], [0, 1, 1], [0.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("estimator", "says"),
    [
        (KernelRegressor(alpha=0.0), "alpha"),
        (KernelRegressor(alpha=float("nan")), "alpha"),
        (KernelRegressor(alpha="much"), "alpha"),
        (KernelRegressor(loss="hubber"), "loss"),
        (KernelRegressor(loss="hinge"), "KernelClassifier"),
        (KernelRegressor(norm_bound=-1.0), "norm_bound"),
        (KernelRegressor(loss="pinball", quantile=1.0), "quantile"),
        (KernelQuantileRegressor(quantiles=0.0), "quantile"),
        (KernelQuantileRegressor(quantiles=(0.5, 1.5)), "quantile"),
        (KernelQuantileRegressor(quantiles=(0.9, 0.5)), "larger than the one before"),
        (KernelQuantileRegressor(max_iterations=-1), "max_iterations"),
        (KernelGradientDescent(RBF, step_size=1e6), "diverges"),
        (KernelGradientDescent(step_size="fast"), "step_size"),
        (KernelGradientDescent(early_stopping="soon"), "early_stopping"),
        (KernelGradientDescent(early_stopping="discrepancy"), "noise"),
        (KernelGradientDescent(start=np.zeros(3)), "start"),
        (KernelSGDRegressor(RBF, step_size=2.0), "diverges"),
        (KernelSGDRegressor(landmarks=0), "landmarks"),
        (KernelSGDRegressor(loss="hubber"), "loss"),
        (SpectralFilter(RBF, filter="landweber", step_size=1e6), "step_size"),
        (SpectralFilter(filter="wiener"), "filter"),
        (SpectralFilter(lam=0.0), "`lam` of cut_off in SpectralFilter"),
        (KernelGradientDescent(early_stopping="hold_out", hold_out=2.0), "`hold_out` of"),
        (LSSVR(gamma=0.0), "gamma"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(estimator: Any, says: str, X: np.ndarray, y: np.ndarray) -> None:
    with pytest.raises(ValueError, match=says):
        estimator.fit(X, y)


def test_gamma_is_chosen_as_the_alpha_of_ridge_is(X: np.ndarray, y: np.ndarray) -> None:
    alphas = np.array([1e-3, 1e-2, 0.1, 1.0])
    chosen = LSSVR(RBF, alphas=alphas).fit(X, y)
    ridge = KernelRidge(RBF, alpha="loo", alphas=alphas, fit_intercept=True).fit(X, y)
    assert abs(chosen.gamma_ * ridge.alpha_ - 1) < 1e-12 and ridge.alpha_ in alphas
    np.testing.assert_allclose(chosen.predict(X), ridge.predict(X), rtol=1e-9, atol=1e-9)
    assert LSSVC(gamma=4).fit(X, y > 1).gamma_ == 4


def test_wrong_class_weights_and_classes(X: np.ndarray, y: np.ndarray) -> None:
    for wrong in ("even", {0: -1.0}, {"c": 1.0}, {0: float("inf")}):
        with pytest.raises(ValueError, match="class"):
            KernelLogisticRegression(class_weight=wrong).fit(X, (y > 1).astype(int))
    with pytest.raises(ValueError, match="classes"):
        KernelSGDClassifier().partial_fit(X, y > 1)
    with pytest.raises(ValueError, match="not among the classes"):
        KernelSGDClassifier().partial_fit(X, (y > 1).astype(int), classes=[1, 2])


def test_probabilities_only_where_the_loss_gives_them(X: np.ndarray, y: np.ndarray) -> None:
    with pytest.raises(AttributeError) as refused:
        KernelClassifier(loss="hinge").predict_proba(X)
    assert "come with the loss `logistic`" in str(refused.value.__cause__)
    # Whatever it was fitted to, before and after.
    for classes in (y > 1, np.digitize(y, [0, 1])):
        for estimator in (KernelClassifier(loss="logistic"), KernelSGDClassifier(loss="logistic", passes=3)):
            assert hasattr(estimator, "predict_proba") and hasattr(estimator.fit(X, classes), "predict_proba")
            shares = estimator.predict_proba(X)
            assert shares.shape == (len(X), len(np.unique(classes))) and np.allclose(shares.sum(axis=1), 1)
            assert np.array_equal(estimator.classes_[shares.argmax(axis=1)], estimator.predict(X))
    # As scikit-learn brings the probabilities of one against the rest together; far away it is not 0/0.
    several = KernelClassifier("linear", loss="logistic").fit(X, np.digitize(y, [0, 1]))
    each = 1 / (1 + np.exp(-several.decision_function(X)))
    np.testing.assert_allclose(several.predict_proba(X), each / each.sum(axis=1, keepdims=True), rtol=1e-12)
    far = several.predict_proba(1e6 * X)
    assert np.isfinite(far).all() and np.allclose(far.sum(axis=1), 1)
    separable = KernelLogisticRegression(RBF, alpha=1e-10).fit([[0.0], [5.0]], [0, 1])
    assert np.isfinite(separable.predict_proba([[0.0], [5.0]])).all()
