"""What two inputs have in common: canonical correlation in feature space."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from mercer import _core
from mercer._estimator import Floats, _is_frame, _is_table, _read
from mercer._inputs import inputs
from mercer._kernel import Kernel
from mercer._machine import Choices, KernelMachine
from mercer._matrices import warn_unread
from mercer.errors import ShapeError

__all__ = ["KernelCCA"]


@dataclass(eq=False, repr=False, kw_only=True)
class KernelCCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelMachine):  # type: ignore[misc]
    """Canonical correlation of two inputs in the feature spaces of two kernels, a transformer for scikit-learn.

    Finds functions f of X and g of Y with the largest covariance, where var f + alpha·‖f‖² = 1, the same for g, and none in
    common with the pairs before. Both inputs are centred in feature space, and new points are, too.

    >>> import numpy as np
    >>> from mercer import KernelCCA
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> model = KernelCCA("linear", n_components=1, alpha=1e-6).fit(X, 11 - 2 * X)
    >>> model.correlations_.round(6).tolist()
    [1.0]
    >>> f, g = model.transform(X, 11 - 2 * X)
    >>> bool(np.allclose(f, g, atol=1e-4))
    True

    Parameters
    ----------
    kernel
        The kernel of X: a formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    second_kernel
        The formula of the kernel of Y; None is the formula of X, with its rules resolved on Y.
    n_components
        How many pairs.
    alpha
        Price of the squared norms, a number > 0.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    correlations_
        The correlation of f and g of each pair on the rows of the fit.
    dual_coef_, intercept_
        The values of f are Σ aᵢk(xᵢ, x) + b.
    kernel_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelRidge`.
    """

    second_kernel: str | None = None
    n_components: int = 2
    alpha: float = 0.01

    _learner: ClassVar[str] = "kernel_cca"
    _words: ClassVar[Mapping[str, str]] = {"components": "n_components"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to two inputs of the same rows, and weights ≥ 0; a weight means repetition.

        Each of X and y is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings; a y of one dimension is one column.
        """
        points = self._training_points(X)
        if len(points) == 1:
            raise ShapeError("`X`: one sample has no variance, got n_samples = 1", "give at least two rows")
        second = self._second_training(y)
        check_consistent_length(range(len(points)), range(len(second)))
        weights = self._weights(sample_weight, points)
        kernel, self._single = self._resolve_kernel(points, weights), False
        told, run = {**self._choices(), "second_kernel": self._second_formula(second)}, self._options()
        with self._speaking():
            self._keep(_core.learn_views(self._learner, kernel._expr, points, second, weights, told, run))
        self.correlations_: Floats = np.array(self.report_["correlations"])
        return self

    def transform(self, X: Any, y: Any = None) -> Floats | tuple[Floats, Floats]:
        """The values of f at points of the first input; with points of the second, also those of g."""
        first = self._values(X)
        if y is None:
            return first
        return first, _core.second_values(self._model, self._second_new(y), self._options())

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Fits, and gives the values of f at the points of the first input."""
        return self.fit(X, y, sample_weight).transform(X)  # type: ignore[return-value]

    @property
    def _n_features_out(self) -> int:
        return int(self.dual_coef_.shape[1])

    def _choices(self) -> Choices:
        return {**super()._choices(), "components": self.n_components}

    def _second_formula(self, second: _core.Inputs) -> str:
        """The formula of the second kernel; rules in it are resolved on the second input."""
        return self._second_asked(second).formula

    def _second_asked(self, second: _core.Inputs) -> Kernel:
        if self.second_kernel is not None:
            return Kernel(self.second_kernel)
        return Kernel(self._usual) if self._is_pairwise() else self._asked_kernel(second)

    def _second_training(self, y: Any) -> _core.Inputs:
        """The second input to fit to; of a table it is remembered what the columns hold."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self._second_schema: str | None = None
        if not _is_table(y):
            return inputs(self._second_rows(y), "y")
        points = _read(y)
        expr = self._second_asked(points)._expr
        points = points.typed(expr)
        self._second_schema = points.schema()
        warn_unread(points, expr)
        return points

    def _second_new(self, y: Any) -> _core.Inputs:
        """Points to be compared with those of the second input."""
        if self._second_schema is None:
            return inputs(self._second_rows(y), "y")
        if not _is_table(y):
            return _core.Inputs.dense(self._second_rows(y, sparse=False)).select(self._second_schema)
        points = _read(y)
        trained = [column["name"] for column in json.loads(self._second_schema).get("columns", ())]
        if len(trained) == 1 and not _is_frame(y) and len(points.table_columns()) == 1:
            # A list of strings has no name of its own.
            points = _core.Inputs.table([(trained[0], points.table_columns()[0][1])])
        return points.select(self._second_schema)

    def _second_rows(self, y: Any, *, sparse: Any = "csr") -> Any:
        """Rows of numbers, dense or sparse."""
        options = {"accept_sparse": sparse, "dtype": np.float64, "order": "C", "ensure_2d": False}
        values = check_array(y, input_name="y", estimator=self, **options)
        return values.reshape(len(values), -1) if isinstance(values, np.ndarray) else values
