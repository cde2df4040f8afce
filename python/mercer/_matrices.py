"""The matrices of kernels on points: whole, by columns, as products, and their spectra."""

from __future__ import annotations

import operator
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import inputs, matrix
from mercer._output import checked_out, is_single
from mercer._parameters import Floats, Parameters
from mercer._run import RunOptions, options
from mercer._warn import warn
from mercer.errors import ShapeError, UnreadColumnsWarning, UnsupportedError


class Matrices(Parameters):
    """What a kernel is evaluated by."""

    __slots__ = ()

    def gram(
        self,
        X: Any,
        Y: Any = None,
        *,
        out: npt.NDArray[Any] | None = None,
        dtype: npt.DTypeLike | None = None,
        **run: Unpack[RunOptions],
    ) -> npt.NDArray[Any]:
        """The kernel matrix: K[i, j] = k(X[i], X[j]), or k(X[i], Y[j]).

        Parameters
        ----------
        X, Y
            Points: a 2-D array, a SciPy sparse matrix, a pandas, polars or Arrow table, a dict of
            columns, a list of strings, or a data set.
        out
            A C-contiguous array to write to, n×m, which must not share memory with the points.
        dtype
            ``float64`` (the default) or ``float32``; values are computed in float64.
        n_jobs, memory_limit, deadline, progress
            Threads, bytes, seconds, and a function of (task, done, total).

        Rules such as ``median`` are resolved from ``X``. When there are training points, resolve them
        once, ``kernel, _ = kernel.resolve(X_train)``, so that later points meet the same numbers.
        """
        if Y is not None and not self.is_resolved:
            message = f"the rules of `{self}` are resolved from `X`; call `resolve` with the training points first"
            warn(message)
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        warn_unread(x if y is None or len(x) >= len(y) else y, self._expr)
        shape = (len(x), len(x) if y is None else len(y))
        single = is_single(dtype, out)
        if out is not None:
            out = checked_out(out, shape, single, (X, Y))
        return _core.gram(self._expr, x, y, out, single, options(**run))

    def __call__(self, X: Any, Y: Any = None) -> Any:
        """The kernel matrix, as scikit-learn calls a kernel; the number k(x, y) for two 1-D arrays.

        Rules must have been resolved if there are two sets of points: scikit-learn passes the
        training points last when it predicts, and other numbers would be found in the new ones.
        """
        if isinstance(X, np.ndarray) and isinstance(Y, np.ndarray) and X.ndim == Y.ndim == 1:
            return self._at(X, Y)
        if Y is not None:
            self._check_rules()
        return self.gram(X, Y)

    def _at(self, x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
        """k(x, y) of two vectors."""
        if not self._functions and _is_plain(x) and _is_plain(y):
            try:
                return self._expr.at(x, y)
            except UnsupportedError:
                self._check_rules()
                raise
        self._check_rules()
        return float(self.gram(x.reshape(1, -1), y.reshape(1, -1))[0, 0])

    def _check_rules(self) -> None:
        if not self.is_resolved:
            raise UnsupportedError(
                f"calling `{self}` with two sets of points before its rules are resolved is not supported",
                "use `kernel, _ = kernel.resolve(X_train)` first, or give numbers",
            )

    def diag(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """k(x, x) for every point x."""
        return _core.diag(self._expr, inputs(X), options(**run))

    def column(self, X: Any, j: int, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """Column ``j`` of the kernel matrix, without the rest of it."""
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        ncols = len(x if y is None else y)
        index = operator.index(j)
        if not -ncols <= index < ncols:
            raise IndexError(f"column {index} of a kernel matrix with {ncols} columns")
        return _core.column(self._expr, x, y, index % ncols, options(**run))

    def matvec(self, X: Any, v: npt.ArrayLike, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """K·v without storing K, for a vector or for the columns of a matrix.

        >>> import numpy as np
        >>> from mercer import Kernel
        >>> Kernel("linear").matvec(np.array([[1.0], [2.0]]), [1.0, 1.0])
        array([3., 6.])
        """
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        values = np.asarray(v)
        ncols = len(x if y is None else y)
        if values.ndim not in (1, 2) or values.shape[0] != ncols:
            raise ShapeError(f"`v`: expected {ncols} rows, one for each column of the matrix, got shape {values.shape}")
        columns = matrix(values.reshape(ncols, -1) if values.ndim == 1 else values, "`v`")
        product = _core.matvec(self._expr, x, y, columns, options(**run))
        return product[:, 0] if values.ndim == 1 else product

    def gradient(self, X: Any, W: npt.ArrayLike, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """Σᵢⱼ W[i, j]·∂K[i, j]/∂θ for every free parameter θ; no matrix per parameter is formed."""
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        weights = matrix(np.asarray(W), "`W`")
        shape = (len(x), len(x) if y is None else len(y))
        if weights.shape != shape:
            raise ShapeError(f"`W`: expected the shape of the kernel matrix, {shape}, got {weights.shape}")
        return _core.gradient(self._expr, x, y, weights, options(**run))

    def eigvals(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """The empirical eigenvalues λ̂ = eig(K)/n, in decreasing order.

        >>> import numpy as np
        >>> from mercer import Kernel
        >>> Kernel("linear").eigvals(np.array([[-1.0], [1.0]])).round(12)
        array([1., 0.])
        """
        return _core.eigvals(self._expr, inputs(X), options(**run))


def _is_plain(x: npt.NDArray[Any]) -> bool:
    """Whether the core can read its numbers where they are."""
    flags = x.flags
    return x.dtype == np.float64 and flags.c_contiguous and flags.aligned


def warn_unread(x: _core.Inputs, expr: _core.Expr) -> None:
    """Says which columns no part of the kernel reads, and where many letters are unknown to it."""
    if x.kind != "table":
        return
    if (note := x.unread(expr)) is not None:
        warn(note, UnreadColumnsWarning)
    for note in x.unknown_letters(expr):
        warn(note)
