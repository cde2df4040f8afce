"""What every estimator of scikit-learn's kind shares: points, targets, weights, kernel, run, pickling.

An estimator derives from :class:`KernelEstimator`, stores its parameters in ``__init__``, keeps the
core's model in ``_model`` and says in ``_load`` how to read it back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from mercer import _core
from mercer._frames import frame, is_words
from mercer._inputs import Prepared, are_sets, are_texts, inputs
from mercer._kernel import Kernel, KernelLike
from mercer._matrices import warn_unread
from mercer._records import Resolution
from mercer._run import Progress, options
from mercer._translate import from_foreign, is_foreign
from mercer._warn import warn
from mercer.errors import DataError, InvalidParameterError, MercerError, MercerWarning, NonFiniteError, ShapeError

Floats = npt.NDArray[np.float64]


class NotSolvedWarning(MercerWarning, ConvergenceWarning):  # type: ignore[misc]
    """A fit ended before it was solved; scikit-learn's kind of warning, too."""


class Saved(Protocol):
    """A model of the core that can be written down."""

    def to_bytes(self) -> bytes: ...


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """The part of an estimator that does not depend on what it estimates."""

    kernel: KernelLike | None
    n_jobs: int | None
    memory_limit: int | None
    deadline: float | None
    progress: Progress | None
    verbose: bool

    kernel_: Kernel
    resolutions_: tuple[Resolution, ...]
    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    #: Names and types of the columns of a table, as JSON; None where points are rows of numbers.
    _schema: str | None
    #: The kernel of rows of numbers, where none is given.
    _usual: ClassVar[str] = "rbf"

    @staticmethod
    def _load(saved: bytes, kernel: _core.Expr) -> Saved:
        """The core's model from its bytes."""
        raise NotImplementedError

    # The contract of scikit-learn.

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise()
        tags.input_tags.sparse = not tags.input_tags.pairwise
        tags.input_tags.allow_nan = self._reads_gaps()
        return tags

    def _is_pairwise(self) -> bool:
        """Whether X is a matrix of kernel values."""
        formula = str(self.kernel) if isinstance(self.kernel, (str, Kernel)) else ""
        return re.search(r"\bprecomputed\b", formula) is not None

    def set_params(self, **params: Any) -> Self:
        """Sets parameters; ``kernel__length_scale`` is the ``length_scale`` of the kernel, see ``Kernel.with_params``.

        A formula becomes a kernel by it, and a kernel another kernel: what was given is not changed.
        """
        nested = {name: params.pop(name) for name in list(params) if name.startswith("kernel__")}
        super().set_params(**params)
        if not nested:
            return self
        if self.kernel is None or isinstance(self.kernel, (str, Kernel)):
            changes = {name.removeprefix("kernel__"): value for name, value in nested.items()}
            self.kernel = self._formula().with_params(**changes)
        else:
            super().set_params(**nested)
        return self

    def _formula(self) -> Kernel:
        """The kernel as given, or the usual one."""
        return Kernel(self._usual if self.kernel is None else self.kernel)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_model" in state:
            self._model = self._load(state["_model"], self.kernel_._expr)

    # How it is run.

    def _options(self) -> _core.Options:
        progress = self.progress if self.progress is not None else bool(self.verbose)
        return options(self.n_jobs, self.memory_limit, self.deadline, progress)

    # Points.

    def _training_points(self, X: Any) -> _core.Inputs:
        """The points to fit to; remembers how many columns there are, what they are called and what they hold.

        The kernel decides the type of a column, so that it is the same in every part of the data.
        """
        if self._is_pairwise() or not _is_table(X):
            self._schema = None
            values = self._rows(X, reset=True)
            if self._is_pairwise() and values.shape[0] != values.shape[1]:
                message = f"`X`: expected a square matrix of kernel values, got shape {values.shape}"
                raise ShapeError(message, "give the values of all pairs of training points")
            return self._inputs(values)
        points = _read(X)
        expr = self._asked_kernel(points)._expr
        points = points.typed(expr)
        self._check_columns(X, points, reset=True)
        self._schema = points.schema()
        warn_unread(points, expr)
        return points

    def _new_points(self, X: Any) -> _core.Inputs:
        """Points to be compared with those of training."""
        if self._schema is None:
            return self._inputs(self._rows(X, reset=False))
        if _is_table(X):
            points = _read(X)
            trained = self._names()
            if len(trained) == 1 and not _is_frame(X) and len(points.table_columns()) == 1:
                # A list of strings has no name of its own.
                points = _core.Inputs.table([(trained[0], points.table_columns()[0][1])])
            self._check_columns(X, points, reset=False)
        else:
            # Columns by position: scikit-learn warns that they have no names.
            values = self._rows(X, reset=False)
            points = _core.Inputs.dense(values if isinstance(values, np.ndarray) else values.toarray())
        return points.select(self._schema)

    def _names(self) -> list[str]:
        """The columns of the table that it was fitted to."""
        schema = {} if self._schema is None else json.loads(self._schema)
        return [column["name"] for column in schema.get("columns", ())] or list(schema.get("names", ()))

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """Rows of numbers, dense or sparse, checked by scikit-learn."""
        sparse: Any = False if self._is_pairwise() else "csr"
        try:
            finite: Any = "allow-nan" if self._reads_gaps() else True
            return validate_data(
                self, X, reset=reset, accept_sparse=sparse, dtype=np.float64, order="C", ensure_all_finite=finite
            )
        except ValueError as error:
            if (found := _not_finite(X)) is not None and ("NaN" in str(error) or "infinity" in str(error)):
                raise found from error
            if "could not convert string" not in str(error):
                raise
            hint = "give words and numbers as a table: a data frame or a dict of columns; text alone as a list of strings"
            raise DataError(f"`X`: expected numbers: {error}", hint) from error

    def _reads_gaps(self) -> bool:
        """Whether the kernel reads gaps; one that cannot be read says so when it is asked for."""
        try:
            return isinstance(self.kernel, (str, Kernel)) and Kernel(self.kernel)._expr.reads_gaps()
        except MercerError:
            return False

    def _inputs(self, values: Any) -> _core.Inputs:
        return _core.Inputs.precomputed(values) if self._is_pairwise() else inputs(values)

    def _repaired(self, points: _core.Inputs, method: str) -> tuple[_core.Repair, _core.Inputs]:
        """A matrix of kernel values that is not positive semi-definite, made so, and how."""
        values = points.array()
        if values is None:
            raise ShapeError("`X`: expected a matrix of kernel values")
        repair = _core.Repair(values, method, self._options())
        report = repair.report()
        smallest, largest = report["smallest_eigenvalue"] or 0.0, report["largest_eigenvalue"] or 0.0
        # Values that were computed in single precision are off by this much.
        if -smallest > len(values) * np.finfo(np.float32).eps * largest:
            message = f"the matrix of kernel values has the eigenvalue {smallest:.3g}: no kernel gives it; "
            message += f"it was repaired by `{method}`, see `mercer.audit`"
            warn(message)
        return repair, _core.Inputs.precomputed(repair.apply(values, self._options()))

    def _check_columns(self, X: Any, points: _core.Inputs, *, reset: bool) -> None:
        """Number and names of the columns.

        Those of pandas are scikit-learn's to judge. Its older versions do not see those of polars;
        here columns go by name, in any order, and others may stand beside them.
        """
        if len(points) == 0:
            raise ShapeError(f"Found array with 0 sample(s) while a minimum of 1 is required by {type(self).__name__}")
        if _is_frame(X) and hasattr(X, "iloc"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        names = [name for name, _ in points.columns()]
        if reset:
            self.n_features_in_ = len(names)
            self.feature_names_in_ = np.array(names, dtype=object)
        elif (missing := sorted(set(self._names()) - set(names))) != []:
            raise ShapeError(f"`X`: the columns {missing} of the training data are not there")

    # Targets and weights.

    def _targets(self, y: Any, rows: _core.Inputs) -> Floats:
        """The targets as float64, 1-D or 2-D."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        values: Floats = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=self)
        if values.ndim not in (1, 2) or 0 in values.shape:
            raise ShapeError(f"`y`: expected one column or several, got shape {values.shape}")
        _same_length(values, rows)
        return values

    def _weights(self, sample_weight: Any, rows: _core.Inputs) -> Floats | None:
        """One weight a row, or None; a number stands for all rows."""
        if sample_weight is None:
            return None
        given = np.full(len(rows), sample_weight) if np.isscalar(sample_weight) else sample_weight
        values: Floats = check_array(
            given, ensure_2d=False, dtype=np.float64, input_name="sample_weight", estimator=self
        )
        if values.shape != (len(rows),):
            message = f"`sample_weight`: expected {len(rows)} numbers, one a row, got shape {values.shape}"
            raise ShapeError(message)
        # Rules are resolved on the rows of positive weight before the core sees any weights.
        if not np.any(values):
            raise InvalidParameterError("`sample_weight`: all weights are zero", "give at least one row a weight above 0")
        return np.ascontiguousarray(values)

    # The kernel.

    def _asked_kernel(self, points: _core.Inputs) -> Kernel:
        """The kernel as given; where none is, one that reads every column of the points."""
        if self.kernel is None:
            kinds = {kind for _, kind in points.columns()} if points.kind == "table" else {"number"}
            if kinds == {"number"}:
                return Kernel(self._usual)
            scale = 1.0 if self._usual.startswith("1*") else None
            usual = _core.Expr.usual(points)
            return Kernel._of(usual if scale is None else usual.scale(scale), {})
        if is_foreign(self.kernel):
            return from_foreign(self.kernel, points.width)
        return Kernel(self.kernel)

    def _resolve_kernel(self, points: _core.Inputs, weights: Floats | None) -> Kernel:
        """Sets ``kernel_`` and ``resolutions_``.

        Rules look at the rows of positive weight.
        """
        kernel = self._asked_kernel(points)
        found: Sequence[Resolution] = ()
        if not kernel.is_resolved:
            if len(points) == 1:
                raise InvalidParameterError(
                    f"the rules of `{kernel}` need at least two rows, got 1 sample",
                    "give a number, for example `rbf(length_scale=1)`",
                )
            rows = points if weights is None else points.take(np.flatnonzero(weights).tolist())
            kernel, found = kernel.resolve(rows, n_jobs=self.n_jobs)
        self.kernel_, self.resolutions_ = kernel, tuple(found)
        return kernel


def _is_frame(X: Any) -> bool:
    """Whether it is a data frame of pandas, polars or Arrow, or anything like them."""
    if type(X).__name__ in ("LazyFrame", "Series"):
        return type(X).__name__ == "LazyFrame"
    known = ("__dataframe__", "__arrow_c_stream__", "__narwhals_dataframe__")
    return any(hasattr(X, name) for name in known) or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def _is_table(X: Any) -> bool:
    """Whether it has columns of its own, or is a list of strings or sets, rather than rows of numbers."""
    # Some sparse matrices are mappings.
    if hasattr(X, "tocsr"):
        return False
    if _is_frame(X) or isinstance(X, (Mapping, Prepared)):
        return True
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        return True
    if is_words(X):
        return True
    texts = isinstance(X, Sequence) or (isinstance(X, np.ndarray) and X.ndim == 1)
    return texts and not isinstance(X, (str, bytes, bytearray, memoryview)) and (are_texts(X) or are_sets(X))


def _not_finite(X: Any) -> NonFiniteError | None:
    """The error of the first value that is NaN or infinite, if there is one: scikit-learn's does not say where."""
    sparse = hasattr(X, "tocoo")
    try:
        values: Any = X.tocoo() if sparse else np.asarray(X)
        data: npt.NDArray[Any] = values.data if sparse else values
        bad = np.argwhere(~np.isfinite(data.astype(np.float64) if data.dtype.kind == "O" else data))
    except (TypeError, ValueError):
        return None
    if len(bad) == 0 or values.ndim != 2 or data.dtype.kind == "c":
        return None
    at = tuple(bad[0])
    row, column = (values.row[at], values.col[at]) if sparse else at
    what = "NaN" if np.isnan(float(data[at])) else "infinity"
    hint = "leave such rows out, fill them (`sklearn.impute.SimpleImputer`), or read gaps with `with_gaps(…)` around the kernel"
    return NonFiniteError(f"Input X contains {what}, first in row {row}, column {column} (counted from 0)", hint)


def _read(X: Any) -> _core.Inputs:
    if (_is_frame(X) or is_words(X)) and (found := frame(X, "X")) is not None:
        return found
    return inputs(X)


def _same_length(values: Floats, rows: _core.Inputs) -> None:
    check_consistent_length(values, range(len(rows)))
