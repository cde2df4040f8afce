"""Arrays that callers hand over to be written to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer.errors import InvalidParameterError, ShapeError


def is_single(dtype: npt.DTypeLike | None, out: object) -> bool:
    """Whether the matrix is stored in float32: as asked, or as ``out`` is."""
    if dtype is None:
        wanted = out.dtype if isinstance(out, np.ndarray) else np.dtype(np.float64)
    else:
        wanted = np.dtype(dtype)
    if wanted not in (np.dtype(np.float32), np.dtype(np.float64)):
        what = "dtype` of the kernel matrix" if dtype is not None else "out`"
        raise InvalidParameterError(f"`{what} must be float64 or float32, got {wanted}")
    return bool(wanted == np.dtype(np.float32))


def checked_out(out: Any, shape: tuple[int, int], single: bool, points: tuple[Any, ...]) -> npt.NDArray[Any]:
    """``out``, if the matrix can be written to it in place.

    It may lie at any address, such as a memory map after a header of odd length.
    """
    wanted = np.dtype(np.float32 if single else np.float64)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"`out` must be a numpy array, got {type(out).__name__}")
    if out.shape != shape:
        raise ShapeError(f"`out`: expected the shape {shape}, got {out.shape}", f"use `np.empty({shape})`")
    if out.dtype != wanted:
        raise InvalidParameterError(f"`out` must be an array of {wanted}, got {out.dtype}")
    if not out.flags.c_contiguous:
        raise InvalidParameterError("`out` must be C-contiguous", "use an array of its own, not a view or a transpose")
    if not out.flags.writeable:
        raise InvalidParameterError("`out` must be writeable", "use `out.setflags(write=True)` or another array")
    if isinstance(out, np.ma.MaskedArray):
        raise InvalidParameterError("`out` must not be a masked array", "use `out.data`, or a plain array")
    if any(_shares(out, x) for x in points):
        raise InvalidParameterError("`out` must not share memory with the points", "use an array of its own")
    return out


def _shares(out: npt.NDArray[Any], x: object) -> bool:
    """Whether ``x`` lies where ``out`` does: an array, a column of a dict, the values of sparse rows."""
    if isinstance(x, Mapping):
        return any(_shares(out, column) for column in x.values())
    values = x if isinstance(x, np.ndarray) else getattr(x, "data", None)
    return isinstance(values, np.ndarray) and np.may_share_memory(out, values)
