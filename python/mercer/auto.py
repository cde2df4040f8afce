"""The main job as estimators of scikit-learn: kernel, model and alpha are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_is_fitted, check_random_state, column_or_1d

from mercer import _core
from mercer._estimator import Floats, KernelEstimator
from mercer._fit import Fit
from mercer._kernel import Kernel, KernelLike
from mercer._run import Progress
from mercer.errors import DataError, ShapeError

__all__ = ["AutoClassifier", "AutoRegressor"]


@dataclass(eq=False, repr=False)
class _Auto(KernelEstimator):
    """What both share."""

    kernel: KernelLike | None = None
    model: str = "auto"
    settings: dict[str, Any] | None = None
    alpha: float | None = None
    tune: bool = True
    tune_rows: int | None = None
    standardize: bool = True
    random_state: Any = None
    n_jobs: int | None = None
    memory_limit: int | None = None
    deadline: float | None = None
    progress: Progress | None = None
    verbose: bool = False

    @property
    def _trained(self) -> _core.Trained:
        return cast(_core.Trained, self._model)

    @staticmethod
    def _load(saved: bytes, kernel: _core.Expr) -> _core.Trained:  # noqa: ARG004
        return _core.trained_from_bytes(saved)

    def _asked_kernel(self, points: _core.Inputs) -> Kernel:
        # The columns are read as they are: the job looks for a kernel.
        return Kernel._of(_core.Expr.usual(points), {}) if self.kernel is None else super()._asked_kernel(points)

    def _train(self, points: _core.Inputs, column: _core.Column, weights: Floats | None) -> None:
        if len(points) < 2:
            raise ShapeError(f"{type(self).__name__} needs at least 2 rows to learn from, got 1 sample")
        asked = None if self.kernel is None else self._asked_kernel(points)
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        told = {
            "model": self.model,
            "settings": self.settings or {},
            "alpha": self.alpha,
            "tune": bool(self.tune),
            "tune_rows": self.tune_rows,
            "standardize": bool(self.standardize),
            "estimate": False,
            # What the target is, the class says.
            "target_type": column.kind,
            "seed": seed,
        }
        expr = None if asked is None else asked._expr
        choices = {name: value for name, value in told.items() if value is not None}
        self._model = _core.train(points, ("y", column), expr, weights, None, choices, self._options())
        self.fit_ = Fit(self._trained)
        self.kernel_, self.certificate_ = self.fit_.kernel, self.fit_.certificate
        self.report_ = self.fit_.report

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("fit_", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_model" in state:
            self.fit_ = Fit(self._trained)


class AutoRegressor(RegressorMixin, _Auto):  # type: ignore[misc]
    """Numbers from points, with kernel, parameters and alpha chosen: the main job, an estimator for scikit-learn.

    >>> import numpy as np
    >>> from mercer import AutoRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = AutoRegressor().fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 1e-3)
    True

    Parameters
    ----------
    kernel
        A formula or a kernel to start from; None tries those that fit the columns.
    model, settings
        The learner by name with settings of it, or ``auto``.
    alpha
        What the norm costs; None chooses it.
    tune, tune_rows
        Whether to tune the kernel's parameters, and on how many rows.
    standardize
        Whether columns and target are brought to mean 0 and standard deviation 1.
    random_state
        Where chance begins.
    n_jobs, memory_limit, deadline, progress, verbose
        How it is run.

    Attributes
    ----------
    fit_
        The :class:`mercer.Fit` behind it: explain, verify, plot, save.
    kernel_, certificate_, report_
        What was chosen, how exact the answer is, and all that there is to say.
    n_features_in_, feature_names_in_
        The columns of the training data.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Chooses and fits; a weight means repetition."""
        points = self._training_points(X)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        values = column_or_1d(y, dtype=np.float64, warn=True)
        assert_all_finite(values, input_name="y", estimator_name=type(self).__name__)
        check_consistent_length(values, range(len(points)))
        self._train(points, _core.Column.number(np.ascontiguousarray(values)), self._weights(sample_weight, points))
        return self

    def predict(self, X: Any) -> Floats:
        """The predicted number of every point."""
        check_is_fitted(self)
        values: Floats = self._trained.predict(self._new_points(X), self._options())[0]
        return values[:, 0]


class AutoClassifier(ClassifierMixin, _Auto):  # type: ignore[misc]
    """Classes from points, with kernel, parameters and alpha chosen: the main job, an estimator for scikit-learn.

    Parameters and attributes are those of :class:`mercer.AutoRegressor`, and ``classes_``.

    >>> import mercer
    >>> iris = mercer.load("iris")
    >>> model = mercer.AutoClassifier().fit(iris.data, iris.target)
    >>> bool((model.predict(iris.data) == iris.target).mean() > 0.9)
    True
    """

    classes_: npt.NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Chooses and fits; a weight means repetition."""
        points = self._training_points(X)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y", estimator_name=type(self).__name__)
        check_classification_targets(labels)
        check_consistent_length(labels, range(len(points)))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            message = f"{type(self).__name__} needs at least two classes in `y`, got one class: {self.classes_.tolist()}"
            raise DataError(message, "check the target, or the split of the data")
        # The core sorts words; with as many digits each, codes keep their order.
        words = [f"{code:09d}" for code in codes]
        self._train(points, _core.Column.category(words), self._weights(sample_weight, points))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of every point."""
        check_is_fitted(self)
        labels = self._trained.predict(self._new_points(X), self._options())[1]
        return self.classes_[[int(word or 0) for word in labels or ()]]

    def decision_function(self, X: Any) -> Floats:
        """The values that decide: one a point of two classes, one a class of several."""
        check_is_fitted(self)
        values: Floats = self._trained.predict(self._new_points(X), self._options())[0]
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class: rows×classes."""
        check_is_fitted(self)
        return self.fit_.predict_proba(self._new_points(X))
