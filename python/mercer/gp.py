"""Gaussian processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, overload

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats
from mercer._kernel import KernelLike
from mercer._machine import Choices, Classifier, KernelMachine, Regressor, probabilities, real
from mercer.classify import ClassWeight
from mercer.errors import InvalidParameterError

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor"]


class Tuned(KernelMachine):
    """What both processes share: tuning by the evidence."""

    tune: bool
    restarts: int
    tolerance: float
    max_iterations: int
    random_state: Any
    log_marginal_likelihood_value_: float
    tuning_: dict[str, Any] | None
    _usual: ClassVar[str] = "1*rbf"

    def _tuning(self) -> Choices | None:
        if not self.tune:
            return None
        return {
            "restarts": self._whole("restarts"),
            "max_iterations": self._whole("max_iterations"),
            "tolerance": self._real("tolerance"),
            "gain": 0.0,
            "seed": self._seed(self.random_state),
        }

    def _keep(self, model: _core.Machine) -> None:
        super()._keep(model)
        self.log_marginal_likelihood_value_ = self.certificate_.measures.get("log_evidence", np.nan)
        self.tuning_ = self.report_["tuned"]

    @overload
    def log_evidence(
        self, X: Any, y: Any, theta: Any = None, *, eval_gradient: Literal[False] = False, sample_weight: Any = None
    ) -> float: ...
    @overload
    def log_evidence(
        self, X: Any, y: Any, theta: Any = None, *, eval_gradient: Literal[True], sample_weight: Any = None
    ) -> tuple[float, Floats]: ...
    def log_evidence(
        self, X: Any, y: Any, theta: Any = None, *, eval_gradient: bool = False, sample_weight: Any = None
    ) -> float | tuple[float, Floats]:
        """log p(y | X, θ), and its gradient if asked for; of classes Laplace's approximation, after a fit.

        θ are the free parameters of the kernel on their own scales and, of a regressor unless ``alpha_bounds``
        is ``"fixed"``, log alpha; without it, those of the fit, or as given before one.
        """
        points, targets, weights, choices = self._evidence_of(X, y, sample_weight)
        kernel = self.kernel_ if hasattr(self, "kernel_") else self._asked_kernel(points)
        if not kernel.is_resolved:
            kernel, _ = kernel.resolve(points, n_jobs=self.n_jobs)
        at = None if theta is None else [float(t) for t in np.asarray(theta, dtype=np.float64).ravel()]
        columns = np.ascontiguousarray(targets)
        asked = (self._of_classes, weights, choices, at, bool(eval_gradient), self._options())
        with self._speaking():
            value, gradient, _ = _core.log_evidence(self._learner, kernel._expr, points, columns, *asked)
        return (value, np.array(gradient)) if eval_gradient else value

    def _evidence_of(self, X: Any, y: Any, sample_weight: Any) -> tuple[_core.Inputs, Floats, Floats | None, Choices]:
        """The points, targets, weights and choices whose evidence is asked for."""
        raise NotImplementedError


@dataclass(eq=False, repr=False, kw_only=True)
class GaussianProcessRegressor(Regressor, Tuned):
    """Gaussian process regression, an estimator for scikit-learn.

    The mean is that of kernel ridge regression with this alpha. The free parameters of the kernel and
    alpha maximise the evidence log p(y | X, θ).

    >>> import numpy as np
    >>> from mercer import GaussianProcessRegressor
    >>> X = np.linspace(0, 3, 30).reshape(-1, 1)
    >>> model = GaussianProcessRegressor(alpha=0.01).fit(X, np.sin(2 * X[:, 0]))
    >>> mean, std = model.predict([[1.5], [10.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(3.0)) < 0.01 and std[0] < 0.01 < std[1])
    True

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values, which gives means only. None reads every column: ``1*rbf``
        for numbers. Parameters marked ``!`` stay as they are.
    alpha
        The variance of the noise, ≥ 0: the first guess, or the value if ``alpha_bounds`` is ``"fixed"``.
    alpha_bounds
        Where alpha may move, a pair, or ``"fixed"``; None is a wide interval around alpha.
    normalize_y
        Whether targets are brought to mean 0 and standard deviation 1 first.
    tune
        Whether free parameters are chosen by the evidence.
    restarts, random_state
        Further starts beside the given parameters, and where their chance begins.
    tolerance, max_iterations
        The largest entry of the gradient, per target, at which a search ends, and its largest number of steps.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    kernel_, alpha_
        The kernel and the noise, as tuned.
    log_marginal_likelihood_value_
        log p(y | X, θ) there.
    tuning_
        How they were found: a dict of searches, evaluations and parameters that ended at a bound.
    dual_coef_, intercept_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelRidge`.
    """

    kernel: KernelLike | None = field(default=None, kw_only=False)
    alpha: float = 0.1
    alpha_bounds: tuple[float, float] | str | None = None
    normalize_y: bool = False
    tune: bool = True
    restarts: int = 0
    tolerance: float = 1e-6
    max_iterations: int = 200
    random_state: Any = None

    _learner: ClassVar[str] = "gp"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, targets (one column or several) and weights ≥ 0.

        A weight w means w repetitions: the noise of the row has the variance alpha/w, and the log evidence
        is that of the repeated rows. A row of weight 0 is left out.
        """
        super().fit(X, y, sample_weight)
        self.alpha_ = self._model.alpha
        return self

    @overload
    def predict(
        self,
        X: Any,
        return_std: Literal[False] = False,
        return_cov: Literal[False] = False,
        *,
        with_noise: bool = False,
    ) -> Floats: ...
    @overload
    def predict(
        self, X: Any, return_std: Literal[True], return_cov: Literal[False] = False, *, with_noise: bool = False
    ) -> tuple[Floats, Floats]: ...
    @overload
    def predict(
        self, X: Any, return_std: Literal[False] = False, *, return_cov: Literal[True], with_noise: bool = False
    ) -> tuple[Floats, Floats]: ...
    @overload
    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False, *, with_noise: bool = False
    ) -> Floats | tuple[Floats, Floats]: ...
    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False, *, with_noise: bool = False
    ) -> Floats | tuple[Floats, Floats]:
        """The posterior mean, and the standard deviation or the covariance if asked for.

        They are of the function, or ``with_noise`` of an observation. Several outputs come along the
        last axis.
        """
        if return_std and return_cov:
            raise InvalidParameterError("at most one of `return_std` and `return_cov` can be asked for")
        check_is_fitted(self)
        points = self._new_points(X)
        mean = self._shaped(self._model.predict(points, self._options()))
        if return_std:
            return mean, self._shaped(np.sqrt(self._model.variance(points, with_noise, self._options())))
        if return_cov:
            unit, scales = self._model.covariance(points, with_noise, self._options())
            whole = unit[:, :, None] * np.square(scales)
            return mean, whole[:, :, 0] if self._single else whole
        return mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Functions drawn from the posterior: points×samples, or points×outputs×samples."""
        check_is_fitted(self)
        points = self._new_points(X)
        drawn = self._model.sample(points, int(n_samples), self._seed(random_state), self._options())
        return drawn[:, :, 0].T if self._single else drawn.transpose(1, 2, 0)

    def leave_one_out(self) -> tuple[Floats, Floats]:
        """The mean at each training row of the process without it, and the standard deviation of an observation."""
        check_is_fitted(self)
        means, variances, _ = self._model.process_leave_one_out(self._options())
        return self._shaped(means), self._shaped(np.sqrt(variances))

    def _evidence_of(self, X: Any, y: Any, sample_weight: Any) -> tuple[_core.Inputs, Floats, Floats | None, Choices]:
        points = self._new_points(X) if hasattr(self, "kernel_") else self._training_points(X)
        targets = self._targets(y, points).reshape(len(points), -1)
        choices = self._choices()
        choices["alpha"]["value"] = {"number": float(getattr(self, "alpha_", self.alpha))}
        return points, targets, self._weights(sample_weight, points), choices

    def _choices(self) -> Choices:
        bounds = self.alpha_bounds
        pair = None if bounds is None or isinstance(bounds, str) else [real(b, "alpha_bounds", self) for b in bounds]
        if bounds not in (None, "fixed") and (pair is None or len(pair) != 2):
            raise InvalidParameterError(f"`alpha_bounds` must be a pair, `fixed` or None, got {bounds!r}")
        noise = {"value": {"number": self._real("alpha")}, "transform": "log", "free": bounds != "fixed"}
        return {
            "alpha": noise if pair is None else {**noise, "bounds": pair},
            "normalize_target": bool(self.normalize_y),
            "tuning": self._tuning(),
        }


@dataclass(eq=False, repr=False, kw_only=True)
class GaussianProcessClassifier(Classifier, Tuned):
    """Gaussian process classification by Laplace's approximation, an estimator for scikit-learn.

    P(second | f) = 1/(1 + exp(−f)) with f a process of mean 0. Several classes are one process each
    against the rest, with one kernel.

    >>> import numpy as np
    >>> from mercer import GaussianProcessClassifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = GaussianProcessClassifier("4*rbf(length_scale=1)", tune=False).fit(X, ["a", "a", "b", "b"])
    >>> model.predict_proba([[0.0], [50.0]]).round(6).tolist()
    [[0.5, 0.5], [0.5, 0.5]]

    Parameters
    ----------
    kernel, tune, restarts, random_state, tolerance, max_iterations
        As of :class:`GaussianProcessRegressor`. A ``"precomputed"`` X gives classes only.
    class_weight
        As of :class:`mercer.KernelLogisticRegression`.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    classes_
        The classes, in order.
    kernel_, log_marginal_likelihood_value_, tuning_
        As of :class:`GaussianProcessRegressor`; the evidence is Laplace's approximation.
    dual_coef_, certificate_, notes_, history_
        The coefficients of the mode, how far it is from the solution, what to know, the objective after
        each Newton step.
    """

    kernel: KernelLike | None = field(default=None, kw_only=False)
    class_weight: ClassWeight = None
    tune: bool = True
    restarts: int = 0
    tolerance: float = 1e-6
    max_iterations: int = 200
    random_state: Any = None

    _learner: ClassVar[str] = "gp_classifier"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, classes of any kind and weights ≥ 0; a weight means repetition."""
        super().fit(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of every point."""
        # Of two classes, it is the sign of the mean, and k(x, x) need not be known.
        if self._is_pairwise() or getattr(self, "_single", True):
            return super().predict(X)
        found: npt.NDArray[Any] = self.classes_[probabilities(self, X).argmax(axis=1)]
        return found

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, averaged over the posterior: rows×classes."""
        return probabilities(self, X)

    def _evidence_of(self, X: Any, y: Any, sample_weight: Any) -> tuple[_core.Inputs, Floats, Floats | None, Choices]:
        check_is_fitted(self)
        points = self._new_points(X)
        signs = self._signs(self._labels(y, points))
        return points, signs, self._weights(sample_weight, points), self._class_weights()

    def _choices(self) -> Choices:
        return {"tuning": self._tuning()}
