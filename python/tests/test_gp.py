"""Gaussian processes keep scikit-learn's contract and agree with its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier as ReferenceClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Reference
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import GaussianProcessClassifier, GaussianProcessRegressor, KernelRidge

KERNEL = "2*rbf(length_scale=1.3)"


@parametrize_with_checks(
    [GaussianProcessRegressor(), GaussianProcessClassifier(tune=False), GaussianProcessClassifier(max_iterations=20)]
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("class_weight", ["balanced", {"b": 3}])
def test_weights_of_classes_are_weights_of_their_rows(class_weight: Any) -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0.6, "b", "a")
    of_rows = np.where(y == "b", 3.0, 1.0)
    if class_weight == "balanced":
        of_rows = len(y) / (2 * np.where(y == "b", np.sum(y == "b"), np.sum(y == "a")))
    by_class = GaussianProcessClassifier("2*rbf(length_scale=1)", tune=False, class_weight=class_weight).fit(X, y)
    by_row = GaussianProcessClassifier("2*rbf(length_scale=1)", tune=False).fit(X, y, of_rows)
    np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X), rtol=1e-9)
    assert abs(by_class.log_evidence(X, y) - by_row.log_evidence(X, y, sample_weight=of_rows)) < 1e-9


@pytest.fixture
def y(X: np.ndarray) -> np.ndarray:
    return np.sin(X[:, 0]) + X[:, 1] ** 2


def _reference(**choices: Any) -> Any:
    return Reference(ConstantKernel(2.0) * RBF(1.3), alpha=0.2, **choices)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("normalize", [False, True])
def test_the_posterior_is_that_of_scikit_learn(
    X: np.ndarray, Y: np.ndarray, y: np.ndarray, outputs: int, normalize: bool
) -> None:
    targets = y if outputs == 1 else np.column_stack([y, np.cos(3 * y)])
    ours = GaussianProcessRegressor(KERNEL, alpha=0.2, tune=False, normalize_y=normalize).fit(X, targets)
    theirs = _reference(optimizer=None, normalize_y=normalize).fit(X, targets)
    for asked in ({}, {"return_std": True}, {"return_cov": True}):
        found, expected = ours.predict(Y, **asked), theirs.predict(Y, **asked)
        for one, two in zip(found, expected, strict=True) if asked else [(found, expected)]:
            np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-8)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-10)
    drawn = ours.sample_y(Y, 3, random_state=1)
    assert drawn.shape == theirs.sample_y(Y, 3, random_state=1).shape


def test_the_evidence_and_its_gradient_are_those_of_scikit_learn(X: np.ndarray, y: np.ndarray) -> None:
    ours = GaussianProcessRegressor(KERNEL, alpha=0.2, alpha_bounds="fixed", tune=False)
    theirs = _reference(optimizer=None).fit(X, y)
    for theta in (np.log([2.0, 1.3]), np.log([0.7, 0.4])):
        value, gradient = ours.log_evidence(X, y, theta, eval_gradient=True)  # type: ignore[misc]
        expected, slopes = theirs.log_marginal_likelihood(theta, eval_gradient=True)
        assert value == pytest.approx(expected, rel=1e-10)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-7)
    assert ours.log_evidence(X, y) == pytest.approx(theirs.log_marginal_likelihood_value_)
    with pytest.raises(ValueError, match="2 numbers"):
        ours.log_evidence(X, y, [0.0])


def test_tuning_finds_what_scikit_learn_finds(X: np.ndarray, y: np.ndarray) -> None:
    noisy = y + 0.3 * np.random.default_rng(1).normal(size=len(y))
    ours = GaussianProcessRegressor(KERNEL, alpha=0.2, alpha_bounds="fixed").fit(X, noisy)
    theirs = _reference(n_restarts_optimizer=2, random_state=0).fit(X, noisy)
    assert ours.log_marginal_likelihood_value_ >= theirs.log_marginal_likelihood_value_ - 1e-5
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-3)
    assert ours.tuning_ is not None and ours.tuning_["evaluations"] > 1
    assert ours.alpha_ == 0.2
    free = GaussianProcessRegressor(KERNEL, alpha=0.2).fit(X, noisy)
    assert free.log_marginal_likelihood_value_ > ours.log_marginal_likelihood_value_
    assert free.log_evidence(X, noisy) == pytest.approx(free.log_marginal_likelihood_value_)
    # The mean is a ridge with that alpha.
    ridge = KernelRidge(free.kernel_, alpha=free.alpha_).fit(X, noisy)
    np.testing.assert_allclose(free.predict(X), ridge.predict(X), atol=1e-7)
    assert GaussianProcessRegressor(KERNEL, alpha=0.2).fit(X, noisy).fit(X, noisy).alpha_ == free.alpha_


def test_bounds_that_are_reached_are_warned_about(X: np.ndarray, y: np.ndarray) -> None:
    with pytest.warns(mercer.MercerWarning, match="alpha"):
        GaussianProcessRegressor(KERNEL, alpha=1.0, alpha_bounds=(0.9, 1.1)).fit(X, y)


def test_samples_have_the_moments_of_the_posterior(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    model = GaussianProcessRegressor(KERNEL, alpha=0.2, tune=False).fit(X, y)
    mean, cov = model.predict(Y[:5], return_cov=True)
    drawn = model.sample_y(Y[:5], 20_000, random_state=3)
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(drawn), cov, atol=0.03)
    _, noisy = model.predict(Y[:5], return_std=True, with_noise=True)
    np.testing.assert_allclose(noisy**2, np.diag(cov) + 0.2)


def test_leave_one_out_by_leaving_one_out(X: np.ndarray, y: np.ndarray) -> None:
    model = GaussianProcessRegressor(KERNEL, alpha=0.2, tune=False)
    means, stds = model.fit(X, y).leave_one_out()
    rows = np.arange(len(y)) != 7
    mean, std = model.fit(X[rows], y[rows]).predict(X[7:8], return_std=True, with_noise=True)
    assert means[7] == pytest.approx(mean[0], rel=1e-9) and stds[7] == pytest.approx(std[0], rel=1e-9)


def test_two_classes_are_those_of_scikit_learn(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    labels = np.where(y > 1, "above", "below")
    ours = GaussianProcessClassifier(KERNEL, tune=False).fit(X, labels)
    theirs = ReferenceClassifier(ConstantKernel(2.0) * RBF(1.3), optimizer=None).fit(X, labels)
    # Its probabilities are those of a mixture of five error functions, good to about 1e-3.
    np.testing.assert_allclose(ours.predict_proba(Y), theirs.predict_proba(Y), atol=5e-3)
    np.testing.assert_array_equal(ours.predict(Y), theirs.predict(Y))
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
    value, gradient = ours.log_evidence(X, labels, eval_gradient=True)  # type: ignore[misc]
    expected, slopes = theirs.log_marginal_likelihood(np.log([2.0, 1.3]), eval_gradient=True)
    assert value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4)


def test_several_classes_and_tuning() -> None:
    X, labels = load_iris(return_X_y=True)
    model = GaussianProcessClassifier().fit(X[::3], labels[::3])
    before = GaussianProcessClassifier(tune=False).fit(X[::3], labels[::3])
    assert model.log_marginal_likelihood_value_ > before.log_marginal_likelihood_value_
    assert model.score(X[1::3], labels[1::3]) > 0.9
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))


def test_copies_give_the_same_bits(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    model = GaussianProcessRegressor(normalize_y=True).fit(X, np.column_stack([y, y**2]))
    other = pickle.loads(pickle.dumps(model))
    for one, two in zip(model.predict(Y, return_std=True), other.predict(Y, return_std=True), strict=True):
        assert np.array_equal(one, two)
    assert np.array_equal(model.sample_y(Y), other.sample_y(Y)) and other.alpha_ == model.alpha_
    classifier = GaussianProcessClassifier().fit(X, np.digitize(y, [0, 1]))
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.predict_proba(Y), classifier.predict_proba(Y))


def test_precomputed_matrices_give_means_and_classes(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    K, new = rbf_kernel(X, gamma=0.5), rbf_kernel(Y, X, gamma=0.5)
    named = GaussianProcessRegressor("rbf(length_scale=1)", alpha=0.2, tune=False).fit(X, y)
    given = GaussianProcessRegressor("precomputed", alpha=0.2, tune=False).fit(K, y)
    np.testing.assert_allclose(given.predict(new), named.predict(Y), atol=1e-10)
    with pytest.raises(mercer.errors.UnsupportedError, match="precomputed"):
        given.predict(new, return_std=True)
    classes = GaussianProcessClassifier("precomputed", tune=False).fit(K, y > 1)
    expected = GaussianProcessClassifier("rbf(length_scale=1)", tune=False).fit(X, y > 1)
    np.testing.assert_array_equal(classes.predict(new), expected.predict(Y))
    with pytest.raises(mercer.errors.UnsupportedError, match="precomputed"):
        classes.predict_proba(new)


@pytest.mark.parametrize(
    ("estimator", "says"),
    [
        (GaussianProcessRegressor(alpha=-1.0), "alpha"),
        (GaussianProcessRegressor(alpha=float("nan")), "alpha"),
        (GaussianProcessRegressor(alpha_bounds="free"), "alpha_bounds"),
        (GaussianProcessRegressor(alpha_bounds=(2.0, 1.0)), "bounds"),
        (GaussianProcessRegressor(tolerance=-1.0), "tolerance"),
        (GaussianProcessRegressor(restarts=-1), "restarts"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(estimator: Any, says: str, X: np.ndarray, y: np.ndarray) -> None:
    with pytest.raises(ValueError, match=says):
        estimator.fit(X, y)


def test_bad_input(X: np.ndarray, y: np.ndarray) -> None:
    model = GaussianProcessRegressor(tune=False).fit(X, y)
    with pytest.raises(ValueError, match="at most one"):
        model.predict(X, return_std=True, return_cov=True)
    with pytest.raises(ValueError, match="one class"):
        GaussianProcessClassifier().fit(X, np.zeros(len(y), dtype=int))
    with pytest.raises(ValueError, match="NaN"):
        GaussianProcessRegressor().fit(X, np.where(y > 1, np.nan, y))


def test_a_weight_is_a_number_of_repetitions(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    times = np.arange(len(y)) % 4
    many, targets = np.repeat(X, times, axis=0), np.repeat(y, times)
    for tune in (False, True):
        model = GaussianProcessRegressor("1*rbf(length_scale=1)", alpha=0.3, tune=tune)
        one, all = model.fit(X, y, sample_weight=times), GaussianProcessRegressor(**model.get_params())
        all.fit(many, targets)
        assert one.log_marginal_likelihood_value_ == pytest.approx(all.log_marginal_likelihood_value_, rel=1e-9)
        assert one.alpha_ == pytest.approx(all.alpha_, rel=1e-4)
        for a, b in zip(one.predict(Y, return_std=True), all.predict(Y, return_std=True), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)
    theta = np.log([1.5, 0.8, 0.2])
    value, gradient = one.log_evidence(X, y, theta, eval_gradient=True, sample_weight=times)  # type: ignore[misc]
    expected, slopes = all.log_evidence(many, targets, theta, eval_gradient=True)  # type: ignore[misc]
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8, atol=1e-8)
    labels = np.where(y > 1, "above", "below")
    weighted = GaussianProcessClassifier(KERNEL, tune=False).fit(X, labels, sample_weight=times)
    repeated = GaussianProcessClassifier(KERNEL, tune=False).fit(many, np.repeat(labels, times))
    np.testing.assert_allclose(weighted.predict_proba(Y), repeated.predict_proba(Y), atol=1e-9)
    evidence = repeated.log_marginal_likelihood_value_
    assert weighted.log_marginal_likelihood_value_ == pytest.approx(evidence, rel=1e-9)
    assert weighted.log_evidence(X, labels, sample_weight=times) == pytest.approx(evidence, rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "words"), [(np.zeros(40), "zero"), (-np.ones(40), "negative"), (np.full(40, np.nan), "NaN")]
)
def test_weights_that_are_none_are_refused(X: np.ndarray, y: np.ndarray, weights: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GaussianProcessRegressor(tune=False).fit(X, y, sample_weight=np.resize(weights, len(y)))


def test_three_classes_are_normalised_ones_against_the_rest() -> None:
    X, labels = load_iris(return_X_y=True)
    X, labels = X[::4], labels[::4]
    model = GaussianProcessClassifier("4*rbf(length_scale=1)", tune=False).fit(X, labels)
    each = [GaussianProcessClassifier("4*rbf(length_scale=1)", tune=False).fit(X, labels == c) for c in range(3)]
    shares = np.column_stack([one.predict_proba(X)[:, 1] for one in each])
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), atol=1e-10)
    total = sum(one.log_marginal_likelihood_value_ for one in each)
    assert model.log_marginal_likelihood_value_ == pytest.approx(total, rel=1e-10)
    assert model.certificate_.primal == pytest.approx(sum(one.certificate_.primal or 0.0 for one in each), rel=1e-10)
