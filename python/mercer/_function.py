"""Kernels that are Python functions, as the core calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer.errors import DataError, ShapeError


@dataclass(frozen=True)
class Function:
    """A function with the name and the parameters it has in a formula.

    ``fn`` takes two points and gives a number, or, where ``vectorized``, takes two sets of points
    and gives a matrix. The parameters are passed by name.
    """

    name: str
    fn: Callable[..., Any]
    vectorized: bool
    params: tuple[tuple[str, float], ...]

    def registration(self) -> tuple[str, list[tuple[str, float]], Callable[..., Any]]:
        """What the core registers."""
        return self.name, list(self.params), self

    def __call__(self, x: _core.Inputs, y: _core.Inputs, values: Sequence[float]) -> npt.NDArray[np.float64]:
        """All values between two sets of points; called by the core when the formula is bound."""
        named = dict(zip((name for name, _ in self.params), values, strict=True))
        if self.vectorized:
            return self._matrix(self.fn(_points(x), _points(y), **named), len(x), len(y))
        rows, columns = _rows(x), _rows(y)
        out = np.empty((len(rows), len(columns)))
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                out[i, j] = self._number(self._pair(a, b, named), i, j)
        return out

    def _pair(self, a: Any, b: Any, named: dict[str, float]) -> Any:
        try:
            return self.fn(a, b, **named)
        except Exception as error:
            error.add_note(
                f"kernel `{self.name}` was called with two points; a function of two whole sets of points is "
                "given by `mercer.Kernel.from_function(fn, vectorized=True)`"
            )
            raise

    def _number(self, value: Any, i: int, j: int) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise DataError(
                f"user kernel `{self.name}` gave {_shown(value)} for rows {i} and {j}, expected a number",
                "return a float, or use `vectorized=True` for a function of whole sets of points",
            ) from None

    def _matrix(self, value: Any, nrows: int, ncols: int) -> npt.NDArray[np.float64]:
        try:
            matrix = np.ascontiguousarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"user kernel `{self.name}` gave {_shown(value)}, expected an array of numbers") from None
        if matrix.shape != (nrows, ncols):
            raise ShapeError(
                f"user kernel `{self.name}`: expected an array of shape ({nrows}, {ncols}), got {matrix.shape}",
                "return one row for each point of the first set, one column for each of the second",
            )
        return matrix


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 40 else text[:37] + '...'}"


def _points(x: _core.Inputs) -> Any:
    """A set of points: an n×d array, a list of strings, or a dict of columns."""
    array = x.array()
    if array is not None:
        return array
    sparse = x.csr()
    if sparse is not None:
        from scipy.sparse import csr_array

        starts, columns, values, width = sparse
        return csr_array((values, columns, starts), shape=(len(x), width))
    columns_by_name = {name: column.values() for name, column in x.table_columns()}
    kinds = {kind for _, kind in x.columns()}
    if kinds == {"number"}:
        return np.column_stack([np.asarray(v) for v in columns_by_name.values()])
    if len(columns_by_name) == 1:
        return next(iter(columns_by_name.values()))
    return columns_by_name


def _rows(x: _core.Inputs) -> list[Any]:
    """The points one by one: vectors, strings, or records (a dict for each row)."""
    points = _points(x)
    if isinstance(points, dict):
        return [dict(zip(points, row, strict=True)) for row in zip(*points.values(), strict=True)]
    if hasattr(points, "toarray"):
        points = points.toarray()
    return list(points)
