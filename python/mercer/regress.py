"""Regressors: any loss, quantiles, least-squares machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import Choices, Regressor, real
from mercer.classify import LeastSquares, own_loss, penalty, with_loss
from mercer.errors import ShapeError

__all__ = ["LSSVR", "KernelQuantileRegressor", "KernelRegressor"]


@dataclass(eq=False, repr=False, kw_only=True)
class KernelRegressor(Regressor):
    """Regression by any loss, an estimator for scikit-learn.

    Minimises Σ wᵢℓ(yᵢ, f(xᵢ) + b) + (alpha/2)‖f‖², or Σ wᵢℓ over ‖f‖ ≤ norm_bound; several targets one by
    one.

    >>> import numpy as np
    >>> from mercer import KernelRegressor
    >>> X, y = np.arange(4.0).reshape(-1, 1), [1.0, 3.0, 5.0, 100.0]  # a line and an outlier
    >>> KernelRegressor("linear", loss="absolute", alpha=1e-6).fit(X, y).predict([[3.0]]).round(3)
    array([7.])

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    loss
        ``huber``, ``squared``, ``absolute``, ``epsilon_insensitive``, ``pinball``, or an object with
        ``value(y, z)``, ``derivative(y, z)`` and ``curvature(y, z)``: functions of two arrays, of targets and of
        predictions, that give an array of as many numbers.
    delta, epsilon, quantile
        The parameter of ``huber``, ``epsilon_insensitive`` and ``pinball``.
    alpha, norm_bound
        A number > 0; where a bound of the norm is given, it stands in the place of alpha.
    fit_intercept
        Whether to add a number b that the norm does not count.
    tolerance, max_iterations
        The gap over the objective at which to stop, and the largest number of steps.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    dual_coef_, intercept_, kernel_, resolutions_, certificate_, notes_, history_
        As of :class:`mercer.KernelLogisticRegression`.
    """

    loss: str | object = "huber"
    delta: float = 1.35
    epsilon: float = 0.1
    quantile: float = 0.5
    alpha: float = 1.0
    norm_bound: float | None = None
    fit_intercept: bool = True
    tolerance: float = 1e-12
    max_iterations: int = 100

    _learner: ClassVar[str] = "regressor"

    def _own_loss(self) -> object | None:
        return own_loss(self.loss)

    def _choices(self) -> Choices:
        return with_loss(super()._choices(), self) | {"penalty": penalty(self)}


@dataclass(eq=False, repr=False, kw_only=True)
class KernelQuantileRegressor(Regressor):
    """Quantiles of a target, several at once, an estimator for scikit-learn.

    For every τ, minimises Σ wᵢℓ_τ(yᵢ, f_τ(xᵢ) + b) + (alpha/2)‖f_τ‖² with the pinball loss.

    >>> import numpy as np
    >>> from mercer import KernelQuantileRegressor
    >>> X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) * 7 % 20
    >>> model = KernelQuantileRegressor("rbf(length_scale=3)", quantiles=(0.1, 0.5, 0.9), alpha=0.1).fit(X, y)
    >>> bool(np.all(np.diff(model.predict(X), axis=1) >= 0))
    True

    Parameters
    ----------
    kernel, alpha, fit_intercept, tolerance, max_iterations, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`KernelRegressor`.
    quantiles
        One number between 0 and 1, or several, increasing: then predictions have a column each.
    non_crossing
        Whether the predicted values of a row are sorted, so that no curve crosses another.
    calibrate
        Whether to shift the curves by what rows leave that were left out, in five folds that are fitted beside. With a
        fixed alpha alone, fewer new rows lie between the outer curves than their quantiles say.
    random_state
        Where the chance of the folds begins; None is always the same.

    Attributes
    ----------
    dual_coef_, intercept_, kernel_, resolutions_, certificate_, notes_, history_
        As of :class:`mercer.KernelLogisticRegression`.
    """

    quantiles: float | Sequence[float] = 0.5
    alpha: float = 1.0
    fit_intercept: bool = True
    non_crossing: bool = True
    calibrate: bool = False
    random_state: Any = None
    tolerance: float = 1e-12
    max_iterations: int = 100

    _learner: ClassVar[str] = "quantiles"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.target_tags.single_output = True
        return tags

    def _targets(self, y: Any, rows: _core.Inputs) -> Floats:
        values = super()._targets(y, rows)
        if values.ndim == 2:
            if values.shape[1] > 1:
                raise ShapeError(f"`y`: quantiles are of one target, got shape {values.shape}")
            from sklearn.utils.validation import column_or_1d

            values = column_or_1d(values, warn=True)
        return values

    def _learn(self, points: _core.Inputs, targets: Floats, weights: Floats | None, choices: Choices) -> None:
        self._single = isinstance(self.quantiles, Real)
        super()._learn(points, targets, weights, choices)

    def _choices(self) -> Choices:
        return {**super()._choices(), "quantiles": self._levels()}

    def _levels(self) -> list[float]:
        given = [self.quantiles] if isinstance(self.quantiles, Real) else self.quantiles
        return [real(q, "quantiles", self) for q in np.asarray(given, dtype=object).ravel()]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the pinball loss of constant quantiles that is gone, mean over the quantiles; 1 is best."""
        from sklearn.metrics import d2_pinball_score

        predictions = self.predict(X).reshape(-1, len(self._levels()))
        each = zip(self._levels(), predictions.T, strict=True)
        return float(np.mean([d2_pinball_score(y, f, sample_weight=sample_weight, alpha=q) for q, f in each]))


@dataclass(eq=False, repr=False, kw_only=True)
class LSSVR(LeastSquares, Regressor):
    """Least-squares support vector regression, an estimator for scikit-learn.

    Minimises ½‖f‖² + (gamma/2)·Σ wᵢ(yᵢ − f(xᵢ) − b)²: kernel ridge regression with an intercept and
    alpha = 1/gamma.

    >>> from mercer import LSSVR
    >>> model = LSSVR("linear", gamma=4.0).fit([[0.0], [1.0], [2.0]], [-1.0, 1.0, 1.0])
    >>> (model.predict([[1.0]]) - model.predict([[0.0]])).round(6)  # 2/2.25
    array([0.888889])

    Parameters
    ----------
    gamma
        What a unit of squared error costs, > 0.
    alphas
        Values of 1/gamma to choose from by exact leave-one-out, in the place of gamma; none unless given.
    random_state
        Where the chance of solvers for many rows begins; None is always the same.
    kernel, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    gamma_
        gamma, as given or chosen.
    dual_coef_, intercept_, kernel_, resolutions_, certificate_
        As of :class:`mercer.KernelRidge`.
    """
