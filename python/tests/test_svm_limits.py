"""Support vector machines answer within seconds: a solution, a verdict with its witness, or an error that helps."""

from __future__ import annotations

import pickle
import re
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.errors import (
    DomainError,
    InvalidParameterError,
    MercerWarning,
    NonFiniteError,
    NotPositiveDefiniteError,
    NotSeparableError,
    UnsupportedError,
)

#: The seconds in which bad input must be answered; it takes hundredths.
PATIENCE = 10.0

IRIS, MOONS = load_iris(return_X_y=True), make_moons(300, noise=0.3, random_state=0)
CANCER = StandardScaler().fit_transform(load_breast_cancer().data), load_breast_cancer().target
DIABETES = StandardScaler().fit_transform(load_diabetes().data), StandardScaler().fit_transform(load_diabetes().target[:, None])[:, 0]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.perf_counter()
    yield
    assert time.perf_counter() - start < seconds


# Hard margins.


def test_hard_margins() -> None:
    X, y = IRIS[0][:100], IRIS[1][:100]
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    soft = svm.SVC(C=1e10, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), soft.decision_function(X), rtol=2e-3)
    assert np.abs(model.decision_function(X)).min() == pytest.approx(1, rel=1e-3)


def test_a_hard_margin_that_is_none_has_a_witness() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    weights = np.r_[np.zeros(5), np.ones(55)]
    for sample_weight in (None, weights):
        with within(PATIENCE), pytest.raises(NotSeparableError, match="not separable") as raised:
            SVC(C=np.inf, kernel="linear").fit(X, y, sample_weight)
        error = raised.value
        assert isinstance(error, ValueError) and "finite `C`" in str(error)
        means = np.zeros((2, 2))
        for row, weight in error.witness:
            means[y[row]] += weight * X[row]
        totals = [sum(w for row, w in error.witness if y[row] == c) for c in (0, 1)]
        np.testing.assert_allclose(totals, 1)
        assert np.linalg.norm(means[0] - means[1]) < 1e-6 and error.distance < 1e-6
        assert pickle.loads(pickle.dumps(error)).witness == error.witness
    opposite = np.repeat(X, 2, axis=0), np.tile([0, 1], 60)
    with within(PATIENCE), pytest.raises(NotSeparableError):
        SVC(C=np.inf).fit(*opposite)
    with within(PATIENCE), pytest.raises(NotSeparableError, match="without an intercept"):
        SVC(C=np.inf, kernel="linear", fit_intercept=False).fit([[1.0], [2.0]], [0, 1])


# Bad input.


def test_matrices_that_no_kernel_gives() -> None:
    rng = np.random.default_rng(0)
    K, y = rng.normal(size=(300, 300)), rng.integers(0, 2, 300)
    for estimator in (SVC, NuSVC, SVR, NuSVR, OneClassSVM):
        with within(PATIENCE), pytest.raises(DomainError, match="symmetric"):
            estimator(kernel="precomputed").fit(K, y)
        with within(PATIENCE), pytest.raises(NotPositiveDefiniteError, match="repair="):
            estimator(kernel="precomputed", **({"nu": 0.1} if estimator is NuSVC else {})).fit(K + K.T, y)
    with pytest.warns(MercerWarning, match="repaired by `clip`"):
        model = SVC(kernel="precomputed", repair="clip").fit(K + K.T, y)
    assert model.certificate_.repaired.negative > 100
    values = model.dual_coef_ @ (K + K.T)[model.support_] + model.intercept_
    np.testing.assert_allclose(model.decision_function(K + K.T), values[0], rtol=1e-8)
    # Rounding to single precision is no reason to refuse.
    low = (CANCER[0] @ CANCER[0].T).astype(np.float32)
    assert SVC(kernel="precomputed").fit(low, CANCER[1]).score(low, CANCER[1]) > 0.9
    assert SVC(kernel="precomputed").fit(np.zeros((4, 4)), [0, 1, 0, 1]).predict(np.zeros((1, 4))) == [0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix, list])
def test_values_that_are_not_finite_are_located(value: float, container: Any) -> None:
    X = np.ones((5, 3))
    X[3, 1] = value
    for estimator in (SVC(), SVR(), OneClassSVM()):
        with pytest.raises(NonFiniteError, match="row 3, column 1"):
            estimator.fit(container(X), [0, 1, 0, 1, 0])


def test_costs_and_weights() -> None:
    X, y = IRIS[0], IRIS[1]
    for C in (0, -1.0, np.nan, -np.inf):
        with pytest.raises(InvalidParameterError, match="`C` of SVC must be"):
            SVC(C=C).fit(X, y)
    with pytest.raises(InvalidParameterError, match="`C` of SVR must be a finite number"):
        SVR(C=np.inf).fit(X, y)
    with pytest.raises(InvalidParameterError, match="not negative"):
        SVC().fit(X, y, np.where(y == 1, -1.0, 1.0))
    with pytest.raises(ValueError, match="every class"):
        SVC(probability=True).fit(X, y, np.where(y == 1, 0.0, 1.0))
    with pytest.raises(ValueError, match="two classes"):
        SVC().fit(X, y, np.where(y == 1, 1.0, 0.0))
    with pytest.raises(ValueError, match="one class"):
        SVC().fit(X, np.zeros(150))
    with pytest.raises(InvalidParameterError, match="`gamma` of SVC"):
        SVC(gamma="wide").fit(X, y)


def test_an_infeasible_nu_is_refused_before_any_kernel_value() -> None:
    called: list[int] = []

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        called.append(1)
        return a @ b.T

    y = np.r_[np.ones(3), np.zeros(57)]
    with pytest.raises(InvalidParameterError, match=re.escape("`nu` of NuSVC must be at most 0.1")):
        NuSVC(nu=0.5, kernel=kernel).fit(np.random.default_rng(0).normal(size=(60, 2)), y)
    assert not called
    for estimator in (NuSVC(nu=0.0), NuSVR(nu=1.1), OneClassSVM(nu=-1.0)):
        with pytest.raises(InvalidParameterError, match="above 0 and at most 1"):
            estimator.fit([[0.0], [1.0]], [0, 1])


def test_weights_of_classes_may_lower_nu() -> None:
    model = NuSVC(nu=0.5, class_weight={0: 1.0, 1: 0.01}).fit(*MOONS)
    assert any("lowered" in note for note in model.notes_)
    assert model.certificate_.gap <= 1e-2 * model.certificate_.primal
    assert np.all(model.predict(MOONS[0][MOONS[1] == 0]) == 0)


def test_many_classes_are_refused_at_once() -> None:
    X, y = np.random.default_rng(0).normal(size=(20_000, 3)), np.arange(20_000) % 10_000
    with within(PATIENCE), pytest.raises(UnsupportedError, match="10000 classes"):
        SVC().fit(X, y)


def test_tiny_and_degenerate_data() -> None:
    two = np.array([[0.0], [1.0]])
    for estimator in (SVC(), NuSVC(), SVR(), NuSVR(), OneClassSVM()):
        assert estimator.fit(two, [0, 1]).predict(two).shape == (2,)
    assert SVC().fit(two, [0, 1]).predict(two).tolist() == [0, 1]
    same = np.ones((10, 2))
    for kernel in ("rbf", "linear", "poly"):
        flat = SVC(kernel=kernel).fit(same, [0, 1] * 5)
        assert flat.certificate_.stop == "tolerance" and len(set(flat.predict(same))) == 1
    np.testing.assert_allclose(SVR().fit(same, np.arange(10.0)).predict(same[:1]), [4.5], atol=1)
    constant = SVR().fit(IRIS[0], np.ones(150))
    assert constant.support_.shape == (0,) and constant.dual_coef_.shape == (1, 0)
    assert constant.support_vectors_.shape == (0, 4) and constant.predict(IRIS[0][:2]) == pytest.approx([1.0, 1.0])
    X, y = np.repeat(IRIS[0], 2, axis=0), np.tile([0, 1], 150)
    with within(PATIENCE):
        model = SVC(C=1e6).fit(X, y)
    assert model.certificate_.gap <= 1e-3 * model.certificate_.primal


# Anytime.


def test_stops_return_a_model_with_its_gap() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 2, 3000)
    for machine in (SVC(C=1000.0, max_iter=50), SVC(C=1000.0, deadline=0.2)):
        with within(PATIENCE), pytest.warns(ConvergenceWarning):
            machine.fit(X, y)
        assert machine.fit_status_ == 1 and machine.certificate_.stop in ("max_iterations", "deadline")
        assert machine.certificate_.gap > 0 and machine.predict(X).shape == (3000,)
    with pytest.warns(ConvergenceWarning):
        SVR(max_iter=5).fit(*DIABETES)


def test_warm_starts_go_on() -> None:
    X, y = MOONS
    cold = SVC(C=101.0, tol=1e-6, gap=1e-6).fit(X, y)
    warm = SVC(C=100.0, tol=1e-6, gap=1e-6, warm_start=True).fit(X, y).set_params(C=101.0).fit(X, y)
    assert warm.n_iter_.sum() < cold.n_iter_.sum() / 2
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-5)
    cut = SVC(max_iter=100, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        cut.fit(X, y)
    gaps = [cut.certificate_.gap]
    for _ in range(20):
        if cut.fit_status_ == 0:
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            cut.fit(X, y)
        gaps.append(cut.certificate_.gap)
    assert cut.fit_status_ == 0 and gaps[-1] < gaps[0]
    # Other numbers of classes or rows start anew.
    assert warm.fit(*IRIS).n_support_.shape == (3,)
    for machine, data in ((SVR(), DIABETES), (NuSVR(), DIABETES), (NuSVC(nu=0.2), MOONS), (OneClassSVM(), CANCER)):
        first = machine.set_params(warm_start=True, tol=1e-6, gap=1e-6).fit(*data).n_iter_
        assert np.sum(machine.fit(*data).n_iter_) < 0.5 * np.sum(first)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Whoever starts a process in the background may make it deaf to interrupts, and Python leaves that as it finds it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_obeyed() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 10)), rng.integers(0, 2, 4000)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with within(PATIENCE), pytest.raises(KeyboardInterrupt):
        SVC(C=1e5, tol=1e-9, gap=1e-9).fit(X, y)
    timer.join()
