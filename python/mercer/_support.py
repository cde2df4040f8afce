"""What support vector machines share: scikit-learn's parameters and attributes over the core's learners."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats, NotSolvedWarning
from mercer._function import _points
from mercer._kernel import Kernel, KernelLike
from mercer._machine import SETTINGS, Choices, KernelMachine, real
from mercer._records import Certificate, Note
from mercer._translate import from_callable, is_foreign
from mercer._warn import warn
from mercer.errors import InvalidParameterError, NotPositiveDefiniteError

#: Kernels by the words of scikit-learn, whose numbers are parameters of the estimator.
WORDS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
#: Stops with an answer as exact as was asked for.
COMPLETE = ("tolerance", "direct")


class Supported(KernelMachine):
    """What is there after a fit, beside what every machine has."""

    dual_coef_: Any
    support_: npt.NDArray[np.int32]
    support_vectors_: Any
    n_support_: npt.NDArray[np.int32]
    fit_status_: int
    n_iter_: Any
    shape_fit_: tuple[int, int]


@dataclass(eq=False, repr=False)
class SupportMachine(Supported):
    """The parameters and attributes of all of them."""

    kernel: KernelLike | None = "rbf"
    _: KW_ONLY
    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0
    shrinking: bool = True
    tol: float = 1e-3
    gap: float = 1e-3
    cache_size: float = 200
    max_iter: int = -1
    warm_start: bool = False
    repair: str | None = None

    _words: ClassVar[Mapping[str, str]] = {"tolerance": "tol", "max_iterations": "max_iter"}
    _remedy: ClassVar[str] = "raise `max_iter` or `deadline`, or `tol` and `gap`"

    # Parameters.

    def _choices(self) -> Choices:
        limit = SETTINGS[self._learner]["max_iterations"]["default"] if self.max_iter == -1 else self.max_iter
        return {**super()._choices(), "tolerance": self.tol, "max_iterations": limit}

    def _told(self, name: str) -> Any:
        value = getattr(self, name)
        # JSON has no infinity; the core reads the word.
        return "inf" if name == "C" and isinstance(value, float) and value == math.inf else super()._told(name)

    # The kernel.

    def _asked_kernel(self, points: _core.Inputs) -> Kernel:
        return self._in_words(points, None) or super()._asked_kernel(points)

    def _resolve_kernel(self, points: _core.Inputs, weights: Floats | None) -> Kernel:
        kernel = self._in_words(points, weights)
        if kernel is None:
            return super()._resolve_kernel(points, weights)
        self.kernel_, self.resolutions_ = kernel, ()
        return kernel

    def _in_words(self, points: _core.Inputs, weights: Floats | None) -> Kernel | None:
        """The kernel of scikit-learn's word or function of two matrices; None for others."""
        given = self.kernel
        if isinstance(given, str) and given in WORDS:
            return Kernel(self._formula_of(given, points, weights))
        own = callable(given) and not isinstance(given, (Kernel, type)) and not is_foreign(given)
        return from_callable(given, vectorized=True) if own and callable(given) else None

    def _formula_of(self, word: str, points: _core.Inputs, weights: Floats | None) -> str:
        if word in ("linear", "precomputed"):
            return word
        gamma = self._gamma_of(points, weights)
        if word == "rbf":
            return f"rbf(gamma={gamma!r})"
        coef0 = real(self.coef0, "coef0", self)
        if word == "sigmoid":
            return f"sigmoid(gamma={gamma!r}, coef0={coef0!r})"
        if isinstance(self.degree, bool) or not isinstance(self.degree, Integral) or self.degree < 0:
            must = f"`degree` of {type(self).__name__} must be a whole number ≥ 0"
            raise InvalidParameterError(f"{must}, got {self.degree!r}")
        return f"poly(degree={int(self.degree)}, gamma={gamma!r}, coef0={coef0!r})" if self.degree else "1"

    def _gamma_of(self, points: _core.Inputs, weights: Floats | None) -> float:
        """1/(columns·variance), 1/columns, or the number."""
        if not isinstance(self.gamma, str):
            return real(self.gamma, "gamma", self)
        if self.gamma not in ("scale", "auto"):
            must = f"`gamma` of {type(self).__name__} must be `scale`, `auto` or a number > 0"
            raise InvalidParameterError(f"{must}, got `{self.gamma}`")
        columns, variance = spread(points, weights)
        if self.gamma == "auto":
            return 1 / max(columns, 1)
        return 1 / (columns * variance) if columns * variance > 0 else 1.0

    # Fitting.

    def _solve(
        self, X: Any, points: _core.Inputs, target: Floats | None, classes: int | None, weights: Floats | None, told: Choices
    ) -> None:
        kernel = self._resolve_kernel(points, weights)
        near = self._model if self._goes_on(points) else None

        def learned(points: _core.Inputs) -> _core.Machine:
            name, run = self._learner, self._options()
            with self._speaking():
                return _core.learn_support(name, kernel._expr, points, target, classes, weights, told, near, run)

        try:
            model = self._perhaps_repaired(learned, points)
        except NotPositiveDefiniteError as error:
            if kernel.formula == "precomputed":
                error.hint = "see `mercer.audit`, or have it repaired with `repair=\"clip\"`, `\"flip\"` or `\"shift\"`"
                error.args = (error.message, error.hint)
            raise
        self._keep(model)
        self._keep_vectors(X, points, None if classes is None else target, classes)

    def _goes_on(self, points: _core.Inputs) -> bool:
        """Whether a fit starts from the last one."""
        return bool(self.warm_start) and hasattr(self, "_model") and self.shape_fit_[0] == len(points)

    def _keep(self, model: _core.Machine) -> None:
        self._model = model
        self.kernel_ = Kernel._of(model.kernel(), self.kernel_._functions)
        self.intercept_ = model.intercept()
        self.certificate_ = Certificate.of(model.certificate())
        self.report_ = model.report()
        self.notes_ = tuple(Note.of(note) for note in self.report_["notes"])
        self.history_ = model.history()
        self.n_iter_ = self._iterations(model.iterations())
        self.fit_status_ = 0 if self.certificate_.stop in COMPLETE else 1
        for note in self.notes_:
            if note.kind == "no_duality":
                warn(f"`{self.kernel_}`: {note}, and the program may have several solutions")
        if self.fit_status_:
            far = model.unsolved() or f"the fit ended before its tolerance was reached ({self.certificate_.stop})"
            warn(f"{far}; {self._remedy}", NotSolvedWarning)

    def _iterations(self, each: list[int]) -> Any:
        return sum(each)

    def _keep_vectors(self, X: Any, points: _core.Inputs, codes: Floats | None, classes: int | None) -> None:
        """The attributes of support vectors, as scikit-learn lays them out."""
        self.support_, _, coefficients = self._model.vectors(codes)
        self.shape_fit_ = (len(points), self.n_features_in_)
        of_class = np.zeros(len(self.support_), dtype=int) if codes is None else codes[self.support_].astype(int)
        self.n_support_ = np.bincount(of_class, minlength=classes or 1).astype(np.int32)
        self.support_vectors_ = rows_of(X, points, self.support_)
        self.dual_coef_ = coefficients if points.kind != "sparse" else csr(coefficients)

    @property
    def coef_(self) -> Any:
        """The weights of the columns, of the kernel ``linear`` only: functions×columns."""
        check_is_fitted(self)
        if self.kernel_.formula != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        points = sparse_or_array(self._model.points())
        made = csr(self._model.coefficients().T) @ points if hasattr(points, "tocsr") else None
        return self._model.coefficients().T @ points if made is None else made

    # Files of other programs.

    def to_libsvm(self) -> str:
        """The text of a model file of LIBSVM, with every digit; ``svm-predict`` reads it.

        Classes that are not whole numbers are numbered 0, 1, … in the order of ``classes_``.
        """
        check_is_fitted(self)
        return _core.to_libsvm(self._model, self._numbers_of_classes()[0])

    def to_onnx(self) -> bytes:
        """An ONNX model, in single precision, for ONNX Runtime and the like. Classes are whole numbers, or words."""
        check_is_fitted(self)
        return _core.to_onnx(self._model, *self._numbers_of_classes())

    def _read(self, machine: _core.Machine, labels: list[int], notes: list[dict[str, Any]]) -> Self:
        """Becomes the machine of a file, whose classes have these labels."""
        points = machine.points()
        precomputed = points.kind == "precomputed"
        self.kernel_, self.resolutions_, self._schema = Kernel._of(machine.kernel(), {}), (), None
        self.kernel = self.kernel_.formula
        self.support_vectors_ = np.empty((0, 0)) if precomputed else sparse_or_array(points)
        self.n_features_in_ = len(points) if precomputed else self.support_vectors_.shape[1]
        if labels:
            self.classes_, self.n_classes_, self._single = np.array(labels), len(labels), len(labels) == 2
            self.__dict__["probability"] = bool(machine.settings()["probability"])
        self._keep(machine)
        self.notes_ = tuple(Note.of(note) for note in notes)
        return self

    def _numbers_of_classes(self) -> tuple[list[int], list[str] | None]:
        """The classes as whole numbers, and their names where they are none."""
        classes = getattr(self, "classes_", np.empty(0, dtype=int))
        whole = classes.dtype.kind in "iu" or (classes.dtype.kind == "f" and bool(np.all(classes == np.floor(classes))))
        if whole:
            return [int(c) for c in classes], None
        return list(range(len(classes))), [str(c) for c in classes]

    # Values.

    def _functions(self, X: Any) -> Floats:
        """The values of all functions: rows×functions."""
        check_is_fitted(self)
        return self._model.functions(self._new_points(X), self._options())


def spread(points: _core.Inputs, weights: Floats | None) -> tuple[int, float]:
    """The number of columns that hold numbers, and the variance of all values in them; a weight is a repetition."""
    values = sparse_or_array(points)
    rows = np.ones(len(points)) if weights is None else weights
    shares = rows / rows.sum()
    columns = int(values.shape[1])
    if columns == 0:
        return 0, 0.0
    if hasattr(values, "tocsr"):
        mean = float((shares @ values).sum()) / columns
        return columns, float((shares @ values.multiply(values)).sum()) / columns - mean**2
    mean = float((shares @ values).mean())
    return columns, float((shares @ (values - mean) ** 2).mean())


def sparse_or_array(points: _core.Inputs) -> Any:
    """Points as an array or sparse matrix; of a table, its columns of numbers."""
    if (array := points.array()) is not None:
        return array
    if (parts := points.csr()) is not None:
        from scipy.sparse import csr_matrix

        starts, columns, values, width = parts
        return csr_matrix((values, columns.astype(np.int32), starts.astype(np.int32)), shape=(len(points), width))
    kinds = dict(points.columns())
    numbers = [np.asarray(column.values()) for name, column in points.table_columns() if kinds[name] == "number"]
    return np.column_stack(numbers) if numbers else np.empty((len(points), 0))


def rows_of(X: Any, points: _core.Inputs, rows: npt.NDArray[np.int32]) -> Any:
    """Some rows of what was given, as numbers where it is numbers."""
    if points.kind == "precomputed":
        return np.empty((0, 0))
    if points.kind != "table" or {kind for _, kind in points.columns()} == {"number"}:
        return sparse_or_array(points.take(rows.tolist()))
    return _points(points.take(rows.tolist()))


def csr(values: Floats) -> Any:
    """A sparse matrix, as scikit-learn keeps coefficients of sparse rows."""
    from scipy.sparse import csr_matrix

    return csr_matrix(values)
