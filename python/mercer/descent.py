"""Gradient descent in the space of a kernel, and filters of the spectrum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import (
    Choices,
    Classifier,
    Decision,
    KernelMachine,
    Regressor,
    has_probabilities,
    real,
    rest_probabilities,
)
from mercer.classify import with_loss
from mercer.errors import InvalidParameterError, ShapeError, UnsupportedError

__all__ = ["KernelGradientDescent", "KernelSGDClassifier", "KernelSGDRegressor", "SpectralFilter"]

#: Rows of a first part from which on landmarks are taken from it unless something else is said.
LANDMARKS = 1000


@dataclass(eq=False, repr=False, kw_only=True)
class KernelGradientDescent(Regressor):
    """Regression by gradient descent, an estimator for scikit-learn.

    αᵢ ← αᵢ + (step/n)(yᵢ − f(xᵢ)): the values at the points are Fᵗ = Y + (I − step·K/n)ᵗ(F⁰ − Y). Ending
    early regularises.

    >>> from mercer import KernelGradientDescent
    >>> model = KernelGradientDescent("rbf(length_scale=1)", step_size=0.5, iterations=3)
    >>> model.fit([[0.0]], [1.0]).predict([[0.0]]).tolist()  # 1 − (1 − step)ᵗ
    [0.875]

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    step_size
        ``"auto"``, a number below 2 over the largest eigenvalue of K/n, or a list of one an iteration,
        whose last holds from then on.
    iterations
        How many; the most of them with early stopping.
    early_stopping
        None, ``"hold_out"`` (at the least error on rows held out) or ``"discrepancy"`` (when the root mean
        squared residual is at most factor·noise).
    hold_out, noise, factor
        The share of rows held out; the standard deviation of the noise, and a number ≥ 1.
    start
        The coefficients to start from, one a row and output; zeros unless given.
    closed_form
        Whether to jump to the last iterate by an eigendecomposition.
    random_state
        Where the chance of the rows held out begins.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    n_iter_
        Iterations taken.
    step_size_, largest_eigenvalue_
        The last step, and the largest eigenvalue of K/n.
    history_
        The root mean squared residual before each iteration and after the last.
    dual_coef_, kernel_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelRidge`.
    """

    step_size: float | str | Sequence[float] = "auto"
    iterations: int = 100
    early_stopping: str | None = None
    hold_out: float = 0.1
    noise: float | None = None
    factor: float = 1.1
    start: Any = None
    closed_form: bool = False
    random_state: Any = None

    _learner: ClassVar[str] = "descent"
    _words: ClassVar[Mapping[str, str]] = {"share": "hold_out"}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, targets and weights ≥ 0; a weight means repetition."""
        if sample_weight is not None and self.early_stopping == "hold_out":
            raise UnsupportedError("weights do not mean repetition where rows are held out", "repeat the rows")
        super().fit(X, y, sample_weight)
        measures = self.certificate_.measures
        self.n_iter_ = int(measures["iterations"])
        self.step_size_ = measures["step_size"]
        self.largest_eigenvalue_ = measures["largest_eigenvalue"]
        return self

    def _choices(self) -> Choices:
        start = None if self.start is None else np.asarray(self.start, dtype=np.float64)
        if start is not None and start.ndim > 2:
            raise ShapeError(f"`start`: expected one number a row and output, got shape {start.shape}")
        if start is not None and not np.isfinite(start).all():
            raise InvalidParameterError("`start` of KernelGradientDescent must be finite")
        return {
            **super()._choices(),
            "step_size": self._steps(),
            "stopping": self._stopping(),
            "start": None if start is None else start.ravel().tolist(),
        }

    def _steps(self) -> Any:
        if isinstance(self.step_size, str):
            if self.step_size != "auto":
                raise InvalidParameterError(f"`step_size` must be `auto`, a number or a list, got {self.step_size!r}")
            return "auto"
        if isinstance(self.step_size, Real):
            return {"constant": self._real("step_size")}
        return {"varying": [real(s, "step_size", self) for s in np.asarray(self.step_size, dtype=object).ravel()]}

    def _stopping(self) -> Choices:
        most = self._whole("iterations")
        match self.early_stopping:
            case None:
                return {"iterations": most}
            case "hold_out":
                return {"hold_out": {"share": self._real("hold_out"), "max_iterations": most}}
            case "discrepancy":
                noise, factor = self._real("noise"), self._real("factor")
                return {"discrepancy": {"noise": noise, "factor": factor, "max_iterations": most}}
        must = "None, `hold_out` or `discrepancy`"
        raise InvalidParameterError(f"`early_stopping` must be {must}, got {self.early_stopping!r}")


@dataclass(eq=False, repr=False, kw_only=True)
class SpectralFilter(Regressor):
    """Regression by a filter of the spectrum, an estimator for scikit-learn.

    α = (1/n)·g(K/n)·y with a function g that stands in for 1/σ where σ is too small to divide by.

    >>> import numpy as np
    >>> from mercer import KernelRidge, SpectralFilter
    >>> X, y = np.array([[0.0], [1.0], [2.5]]), [1.0, 3.0, 2.0]
    >>> tikhonov = SpectralFilter("rbf(length_scale=1)", filter="tikhonov", lam=0.1).fit(X, y)
    >>> ridge = KernelRidge("rbf(length_scale=1)", alpha=3 * 0.1).fit(X, y)
    >>> bool(np.allclose(tikhonov.predict(X), ridge.predict(X), rtol=1e-12))
    True

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    filter
        ``tikhonov``: 1/(σ + λ); ``cut_off``: 1/σ where σ ≥ λ; ``iterated_tikhonov``: order times;
        ``landweber``: gradient descent from 0; ``nu_method``: its accelerated form.
    lam
        λ > 0 of the first three.
    order
        Of ``iterated_tikhonov``, ≥ 1.
    iterations
        Of ``landweber`` and ``nu_method``.
    step_size
        Of ``landweber``: a number below 2 over the largest eigenvalue of K/n, or ``"auto"`` for 0.95 over it.
    nu
        Of ``nu_method``.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    degrees_of_freedom_
        Σ σ·g(σ).
    step_size_
        The step of ``landweber``; None of other filters.
    notes_
        The qualification of the filter, and the step where it was ``"auto"``.
    dual_coef_, kernel_, resolutions_, certificate_
        As of :class:`mercer.KernelRidge`.
    """

    filter: str = "cut_off"
    lam: float = 1e-3
    order: int = 2
    iterations: int = 100
    step_size: float | str | None = "auto"
    nu: float = 1.0

    _learner: ClassVar[str] = "filter"
    _words: ClassVar[Mapping[str, str]] = {"lambda": "lam"}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralFilter:
        """Fits to points, targets and weights ≥ 0; a weight means repetition."""
        super().fit(X, y, sample_weight)
        self.degrees_of_freedom_ = self.certificate_.measures["freedom"]
        self.step_size_ = self.certificate_.measures.get("step_size")
        return self

    def _choices(self) -> Choices:
        filter: Choices = {"filter": self.filter}
        match self.filter:
            case "tikhonov" | "cut_off":
                filter |= {"lambda": self._real("lam")}
            case "iterated_tikhonov":
                filter |= {"lambda": self._real("lam"), "order": self._whole("order")}
            case "landweber":
                auto = self.step_size is None or self.step_size == "auto"
                step = None if auto else self._real("step_size")
                filter |= {"step_size": step, "iterations": self._whole("iterations")}
            case "nu_method":
                filter |= {"nu": self._real("nu"), "iterations": self._whole("iterations"), "scale": None}
            case other:
                must = "one of `tikhonov`, `cut_off`, `iterated_tikhonov`, `landweber`, `nu_method`"
                raise InvalidParameterError(f"`filter` of SpectralFilter must be {must}, got {other!r}")
        return {"filter": filter}


@dataclass(eq=False, repr=False, kw_only=True)
class Stochastic(KernelMachine):
    """What both stochastic descents share."""

    loss: str = "squared"
    step_size: float | None = None
    decay: float = 0.0
    batch_size: int = 1
    passes: int = 10
    averaging: bool = True
    landmarks: int | str | None = None
    random_state: Any = None

    _learner: ClassVar[str] = "sgd"
    _descent: _core.Descent = field(init=False)
    #: What the descent was told, for copies that go on.
    _chosen: Choices = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:
        """Fits to points and targets, numbers or classes of any kind, seen in an order by chance."""
        points = self._training_points(X)
        targets = self._target_columns(y, points, first=True)
        kernel = self._resolve_kernel(points, None)
        self._chosen = self._choices()
        with self._speaking():
            self._descent = _core.Descent.fit(kernel._expr, points, targets, self._chosen, self._options())
        self._keep(self._descent.machine())
        return self

    def _choices(self) -> Choices:
        return with_loss(super()._choices(), self) | {"dictionary": self._dictionary()}

    def _dictionary(self) -> Any:
        if self.landmarks is None or self.landmarks == "all":
            return self.landmarks or "auto"
        return {"landmarks": self._whole("landmarks")}

    def _target_columns(self, y: Any, points: _core.Inputs, *, first: bool, classes: Any = None) -> Floats:
        """The targets as a matrix, one column an output; the first ones say how many there are."""
        raise NotImplementedError

    def _learn_part(self, X: Any, y: Any, classes: Any = None) -> Self:
        first = not hasattr(self, "_descent")
        points = self._training_points(X) if first else self._new_points(X)
        targets = self._target_columns(y, points, first=first, classes=classes)
        with self._speaking():
            descent = self._begin(points, targets.shape[1]) if first else self._descent
            descent.learn(points, targets, self._options())
        self._descent = descent
        self._keep(descent.machine())
        return self

    def _begin(self, points: _core.Inputs, outputs: int) -> _core.Descent:
        kernel = self._resolve_kernel(points, None)
        self._chosen = self._choices()
        if self.landmarks is None and len(points) < LANDMARKS:
            self._chosen["dictionary"] = "all"
        return _core.Descent.begin(kernel._expr, points, outputs, self._chosen, self._options())

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_descent" in state:
            state["_descent"] = state["_descent"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_descent" in state:
            expr = self.kernel_._expr
            self._descent = _core.Descent.resume(expr, self._model, state["_descent"], self._chosen)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelSGDRegressor(Stochastic, Regressor):  # type: ignore[misc]
    """Regression by stochastic gradient descent, an estimator for scikit-learn.

    With a batch B of b rows, f ← f − (step/b)·Σ_B ℓ′(y, f(x))·k(x, ·). Weights are not taken: a weighted
    row is not a row seen several times.

    >>> from mercer import KernelSGDRegressor
    >>> model = KernelSGDRegressor("rbf(length_scale=1)", step_size=0.5, passes=3, averaging=False)
    >>> model.fit([[0.0]], [1.0]).predict([[0.0]]).tolist()  # 1 − (1 − step)³
    [0.875]

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    loss
        ``squared``, ``huber``, ``absolute``, ``epsilon_insensitive`` or ``pinball``.
    delta, epsilon, quantile
        The parameter of ``huber``, ``epsilon_insensitive`` and ``pinball``.
    step_size
        The step. A batch of b rows with the kernel matrix K converges for step·λ₁(K)/b < 2 with its largest
        eigenvalue λ₁: one row at a time, for step·k(x, x) < 2. What does not is refused. None is
        1/max k(x, x), which converges for any batches.
    decay
        The step of iteration t is step·t^(−decay).
    batch_size, passes
        Rows to a step (rows of a last batch that is smaller count no more than others), and how often every
        row is seen by ``fit``.
    averaging
        Whether the answer is the mean of all iterates.
    landmarks
        How many points the function is written with, ``"all"``, or None: all up to 20,000 rows and 1000
        beyond; in parts, 1000 of a first part that has so many rows, else all.
    random_state
        Where chance begins: of the order of rows and of the landmarks.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    history_
        The mean loss of each chunk of rows before they were learnt from.
    dual_coef_, kernel_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelRidge`.
    """

    delta: float = 1.35
    epsilon: float = 0.1
    quantile: float = 0.5

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learns from more rows, in their order; rules and landmarks are found in the first ones."""
        return self._learn_part(X, y)

    def _target_columns(self, y: Any, points: _core.Inputs, *, first: bool, classes: Any = None) -> Floats:
        targets = self._targets(y, points)
        if first:
            self._single = targets.ndim == 1
        return np.ascontiguousarray(targets.reshape(len(points), -1))


@dataclass(eq=False, repr=False, kw_only=True)
class KernelSGDClassifier(Decision, Stochastic, Classifier):  # type: ignore[misc]
    """A classifier by stochastic gradient descent, an estimator for scikit-learn.

    As :class:`KernelSGDRegressor`, with a loss of a margin; several classes are fitted one against the
    rest.

    >>> import numpy as np
    >>> from mercer import KernelSGDClassifier
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), ["no", "no", "yes", "yes"]
    >>> model = KernelSGDClassifier("rbf(length_scale=1)", passes=50)
    >>> model.partial_fit(X[:3], y[:3], classes=["no", "yes"]).partial_fit(X[3:], y[3:]).predict(X).tolist()
    ['no', 'no', 'yes', 'yes']

    Parameters
    ----------
    loss
        ``logistic``, ``hinge``, ``squared_hinge``, ``squared`` or ``tanh``.
    kernel, step_size, decay, batch_size, passes, averaging, landmarks, random_state
        As of :class:`KernelSGDRegressor`.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    classes_
        The classes, in order.
    dual_coef_, kernel_, resolutions_, certificate_, notes_, history_
        As of :class:`KernelSGDRegressor`.
    """

    loss: str = "logistic"

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learns from more rows, in their order. The first call must say what classes there are."""
        if classes is None and not hasattr(self, "_descent"):
            raise InvalidParameterError("`classes` must be given at the first call of partial_fit")
        return self._learn_part(X, y, classes)

    def _target_columns(self, y: Any, points: _core.Inputs, *, first: bool, classes: Any = None) -> Floats:
        labels = self._labels(y, points)
        known: npt.NDArray[Any] = np.unique(labels if classes is None else np.asarray(classes))
        if first:
            self._set_classes(known)
        elif classes is not None and not np.array_equal(known, self.classes_):
            raise InvalidParameterError("`classes` are not those of the first call of partial_fit")
        unknown: npt.NDArray[Any] = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise InvalidParameterError(f"`y` has labels that are not among the classes: {unknown.tolist()}")
        return self._signs(labels)

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, with the logistic loss only, as of :class:`KernelClassifier`."""
        return rest_probabilities(self, X)
