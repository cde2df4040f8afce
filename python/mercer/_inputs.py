"""What can be handed over as ``X``, made into the core's inputs.

One function for each kind of container. Nothing is decided here about missing values: they go to
the core as missing, and a kernel that meets one says where it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._frames import collections, frame, table
from mercer.errors import DataError, ShapeError

Array = npt.NDArray[Any]


@runtime_checkable
class Prepared(Protocol):
    """Something that knows its own inputs, such as a data set."""

    def _mercer_inputs(self) -> _core.Inputs: ...


class Precomputed:
    """A matrix of kernel values made elsewhere, for the kernel ``precomputed``.

    >>> import numpy as np, mercer
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> mercer.Kernel("precomputed").gram(mercer.Precomputed(K))
    array([[2., 1.],
           [1., 2.]])
    """

    def __init__(self, values: npt.ArrayLike) -> None:
        self._inputs = _core.Inputs.precomputed(matrix(np.asarray(values), "the matrix"))

    def _mercer_inputs(self) -> _core.Inputs:
        return self._inputs


def inputs(X: Any, name: str = "X", parts: str | None = None) -> _core.Inputs:
    """The core's inputs for anything that Mercer takes as points; dates are read where their parts are asked for."""
    if isinstance(X, _core.Inputs):
        return X
    if isinstance(X, Prepared):
        return X._mercer_inputs()
    if isinstance(X, np.ndarray):
        return _array(X, name)
    if _is_sparse(X):
        return _sparse(X, name)
    if isinstance(X, Mapping):
        return table(X, parts)
    found = frame(X, name, parts)
    if found is not None:
        return found
    if isinstance(X, Sequence) and not isinstance(X, (str, bytes)):
        return _sequence(X, name)
    if hasattr(X, "__array__"):
        return _array(np.asarray(X), name)
    raise _unknown(X, name)


def _sequence(X: Sequence[Any], name: str) -> _core.Inputs:
    if are_texts(X):
        return _texts(X)
    if are_sets(X):
        return _sets(X)
    try:
        values = np.asarray(X)
    except ValueError as error:
        raise ShapeError(f"`{name}`: its rows have different lengths", "give every row the same length") from error
    return _array(values, name)


def are_texts(values: Iterable[Any]) -> bool:
    """Whether they are strings, some of them perhaps missing."""
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, str) for value in present)


def are_sets(values: Iterable[Any]) -> bool:
    """Whether they are sets, some of them perhaps missing. Lists of words might be the rows of a table."""
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, (set, frozenset)) for value in present)


def _sets(values: Sequence[Any]) -> _core.Inputs:
    return _core.Inputs.table([("set", collections("set", values))])


def _texts(values: Iterable[str | None]) -> _core.Inputs:
    column = _core.Column.words([None if value is None else str(value) for value in values], "text")
    return _core.Inputs.table([("text", column)])


def _array(X: Array, name: str) -> _core.Inputs:
    if X.dtype.names is not None:
        return _records(X, name)
    if X.ndim == 1 and X.dtype.kind in "UTO" and are_texts(X.flat):
        return _texts(X.tolist())
    if X.ndim == 1 and X.dtype.kind == "O" and are_sets(X.flat):
        return _sets(X.tolist())
    return _core.Inputs.dense(matrix(X, f"`{name}`"))


def _records(X: Array, name: str) -> _core.Inputs:
    """The table of a structured array."""
    if X.ndim != 1:
        raise ShapeError(f"`{name}`: expected a 1-D structured array, got {X.ndim}-D", "give one record for each point")
    return table({field: X[field] for field in X.dtype.names or ()})


def matrix(X: Array, what: str) -> npt.NDArray[np.float64]:
    """A C-contiguous 2-D array of float64 that nobody else writes to."""
    if X.ndim != 2:
        hint = {
            0: "give one row for each point",
            1: "use `x.reshape(-1, 1)` for points of one coordinate, `x.reshape(1, -1)` for one point",
        }.get(X.ndim, "use `x.reshape(len(x), -1)`")
        raise ShapeError(f"{what}: expected a 2-D array, one row for each point, got {X.ndim}-D", hint)
    return np.ascontiguousarray(numbers(X, what))


def numbers(X: Array, what: str) -> npt.NDArray[np.float64]:
    """The values as float64; masked ones are missing."""
    if isinstance(X, np.ma.MaskedArray):
        masked: Any = X.astype(np.float64)
        X = masked.filled(np.nan)
    if X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float64)
    if X.dtype.kind == "O" and all(_is_number(value) for value in X.flat):
        return np.asarray(X, dtype=np.float64)
    hint = {
        "c": "split them into real and imaginary parts",
        "M": "give numbers, such as days since a fixed date",
        "m": "give numbers, such as days",
    }.get(X.dtype.kind, "give columns of different types as a table: a data frame or a dict of columns")
    raise DataError(f"{what}: expected numbers, got {_got(X)}", hint)


def _is_number(value: object) -> bool:
    """Whether an object stands for a real number or for a missing one."""
    if value is None or isinstance(value, (bool, int, float, np.integer, np.floating, np.bool_)):
        return True
    # Decimal and Fraction have __float__; strings do not.
    return hasattr(value, "__float__") and not isinstance(value, (complex, np.complexfloating, np.ndarray))


def _got(X: Array) -> str:
    if X.dtype.kind != "O":
        return f"an array of {X.dtype}"
    index, value = next((i, v) for i, v in np.ndenumerate(X) if not _is_number(v))
    return f"{value!r} at {list(index)}"


def _is_sparse(X: object) -> bool:
    """Whether it is a sparse matrix or array of SciPy, which need not be installed."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def _sparse(X: Any, name: str) -> _core.Inputs:
    if X.ndim != 2:
        raise ShapeError(f"`{name}`: expected a 2-D sparse array, got {X.ndim}-D", "give one row for each point")
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    values = numbers(rows.data, f"`{name}`")
    return _core.Inputs.sparse(
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        np.ascontiguousarray(rows.indices, dtype=np.int64),
        np.ascontiguousarray(values),
        rows.shape[1],
    )


def _unknown(X: object, name: str) -> TypeError:
    kinds = "a 2-D array, a sparse matrix, a data frame, an Arrow table, a dict of columns, a list of strings or of sets"
    return TypeError(f"`{name}` must be {kinds}, or a data set, got {type(X).__name__}")
