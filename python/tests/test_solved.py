"""What is solved is silent, what is not is warned of at the caller's line, and low-rank kernels are solved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import (
    GaussianProcessRegressor,
    KernelLogisticRegression,
    KernelQuantileRegressor,
    KernelRegressor,
    KernelRidge,
)


def caught(work: Callable[[], Any]) -> tuple[Any, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        return work(), list(seen)


def waves(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_low_rank_kernels_have_the_objective_of_scikit_learn(alpha: float) -> None:
    X, y = load_iris(return_X_y=True)
    model = KernelLogisticRegression("linear", alpha=alpha).fit(X, y)
    c = model.certificate_
    assert c.stop == "tolerance" and c.gap is not None and c.primal is not None and c.gap <= 1e-9 * c.primal
    assert np.abs(model.dual_coef_).max() <= (1 + 1e-6) / alpha
    peer = LogisticRegression(C=1 / alpha, tol=1e-12, max_iter=100_000).fit(X, y)
    chosen = peer.predict_log_proba(X)[np.arange(len(y)), y]
    expected = -chosen.sum() + 0.5 * alpha * (peer.coef_**2).sum()
    assert c.primal == pytest.approx(expected, rel=1e-8)
    # The objective as predictions have it, not as the certificate says.
    own = -np.log(model.predict_proba(X)[np.arange(len(y)), y]).sum()
    weights = X.T @ model.dual_coef_
    assert own + 0.5 * alpha * (weights**2).sum() == pytest.approx(expected, rel=1e-8)


def test_kernels_that_are_zero_give_the_mean() -> None:
    y = np.arange(600.0)
    for X in (np.zeros((600, 2)), np.tile([3.0, 4.0], (600, 1))):
        for solver in ("auto", "eigen", "cholesky", "cg", "nystrom", "primal"):
            model = KernelRidge("linear", solver=solver, fit_intercept=True).fit(X, y)
            assert model.predict(X) == pytest.approx(np.full(600, y.mean()))


def test_ridge_warns_that_it_is_not_solved_and_is_not_worse_than_nothing() -> None:
    X, y = waves(800)
    model, seen = caught(lambda: KernelRidge("rbf", solver="cg", alpha=1e-6).fit(X, y))
    assert [w.category.__mro__.count(ConvergenceWarning) for w in seen] == [1]
    assert isinstance(seen[0].message, mercer.MercerWarning)
    assert seen[0].filename == __file__
    assert "stagnation" in str(seen[0].message)
    assert np.sum((model.predict(X) - y) ** 2) <= np.sum(y**2) * (1 + 1e-9)
    assert "f = 0" in model.certificate_.reason
    assert caught(lambda: KernelRidge("rbf", solver="cg", alpha=0.1).fit(X, y))[1] == []


@pytest.mark.parametrize("value", [5.1, -3e7, 1e-9])
@pytest.mark.parametrize("loss", ["squared", "huber", "absolute", "epsilon_insensitive", "pinball", "own"])
def test_constant_targets_are_solved(loss: str, value: float) -> None:
    X, _ = waves(60)
    if loss == "own" and value != 5.1:
        pytest.skip("of a loss without a conjugate the intercept takes steps, and its values have absolute errors")
    given: Any = LogCosh() if loss == "own" else loss
    scale = {"delta": 1.35, "epsilon": 0.1}
    work = lambda: KernelRegressor("rbf", loss=given, **scale).fit(X, np.full(60, value))  # noqa: E731
    model, seen = caught(work)
    assert seen == []
    assert model.certificate_.stop == "tolerance"
    assert model.predict(X) == pytest.approx(np.full(60, value), rel=1e-6, abs=0.1 if loss.startswith("eps") else 1e-8)


class LogCosh:
    """log cosh(z − y), without a conjugate."""

    def value(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        r = np.abs(z - y)
        return r + np.log1p(np.exp(-2 * r)) - np.log(2)

    def derivative(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.tanh(z - y)

    def curvature(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        return 1 - np.tanh(z - y) ** 2


def test_targets_inside_the_tube_are_solved_by_nothing() -> None:
    X, y = waves(60)
    model, seen = caught(lambda: KernelRegressor("rbf", loss="epsilon_insensitive", epsilon=10).fit(X, y))
    assert seen == []
    assert not model.dual_coef_.any()
    assert (model.certificate_.primal, model.certificate_.gap) == (0.0, 0.0)
    several, seen = caught(lambda: KernelQuantileRegressor("rbf", quantiles=(0.1, 0.9)).fit(X, np.full(60, 5.0)))
    assert seen == []
    assert several.predict(X) == pytest.approx(np.full((60, 2), 5.0))


def indefinite() -> np.ndarray:
    K = np.eye(6)
    K[0, 1] = K[1, 0] = 3.0
    return K


X, y = waves(40)
classes = np.arange(40) % 3
#: Every way to a warning, through every face that leads to it.
WARNED: list[Callable[[], Any]] = [
    lambda: KernelRidge("rbf", solver="cg", alpha=1e-9, max_iterations=1).fit(X, y),
    lambda: make_pipeline(StandardScaler(), KernelRidge("rbf", solver="cg", alpha=1e-9, max_iterations=1)).fit(X, y),
    lambda: KernelRegressor("rbf", loss="absolute", alpha=1e-9, max_iterations=1).fit(X, y),
    lambda: KernelQuantileRegressor("rbf", alpha=1e-9, max_iterations=1).fit(X, y),
    lambda: KernelLogisticRegression("rbf", alpha=1e-9, max_iterations=1).fit(X, classes),
    lambda: KernelRidge("precomputed").fit(indefinite(), np.arange(6.0)),
    lambda: KernelRegressor("precomputed").fit(indefinite(), np.arange(6.0)),
    lambda: GaussianProcessRegressor(alpha=1.0).fit(*make_regression(20, 2, noise=0.0, random_state=0)),
    lambda: mercer.Kernel("rbf").gram(X, X[:3]),
]


@pytest.mark.parametrize("work", WARNED)
def test_warnings_point_at_the_caller(work: Callable[[], Any]) -> None:
    _, seen = caught(work)
    ours = [w for w in seen if issubclass(w.category, mercer.MercerWarning)]
    assert [w.filename for w in ours] == [__file__] * len(ours)
    if work not in WARNED[7:8]:
        assert ours != []


def test_calibrated_quantiles_cover_and_are_kept() -> None:
    import pickle

    rng = np.random.default_rng(1)

    def sample(n: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.uniform(0, 2, size=(n, 1))
        return x, np.sin(3 * x[:, 0]) + 0.2 * (0.5 + x[:, 0]) * rng.normal(size=n)

    x, t = sample(150)
    new, truth = sample(4000)
    shares = {}
    for calibrate in (False, True):
        model = KernelQuantileRegressor("rbf(length_scale=0.15)", quantiles=(0.05, 0.95), alpha=0.005, calibrate=calibrate)
        low, high = model.fit(x, t).predict(new).T
        shares[calibrate] = np.mean((low <= truth) & (truth <= high))
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(new), model.predict(new))
    deviation = np.sqrt(0.09 * (1 / 150 + 1 / 4000))
    assert shares[False] < 0.9 - 4 * deviation
    assert abs(shares[True] - 0.9) <= 4 * deviation
    with pytest.raises(mercer.MercerError, match="at least 19"):
        KernelQuantileRegressor(quantiles=(0.05, 0.95), calibrate=True).fit(x[:10], t[:10])
