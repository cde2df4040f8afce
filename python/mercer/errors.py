"""What can go wrong, one class for each kind.

Every class derives from :class:`MercerError` and from the builtin a caller would expect, so
``except ValueError`` keeps working. The message says what happened and where; ``hint``, where there
is one, says how to fix it and stands on a line of its own.

>>> from mercer import Kernel
>>> try:
...     Kernel("mattern32")
... except ValueError as error:
...     print(error)
unknown kernel `mattern32` at column 1
  mattern32
  ^^^^^^^^^
hint: the nearest kernel is `matern32`
"""

from __future__ import annotations

import numpy as np

from mercer._hints import in_python

__all__ = [
    "CallbackError",
    "DataError",
    "DeadlineError",
    "DomainError",
    "FileError",
    "FormatError",
    "FormulaError",
    "InternalError",
    "InterruptedRun",
    "InvalidParameterError",
    "MemoryLimitError",
    "MercerError",
    "MercerWarning",
    "NonFiniteError",
    "NotPositiveDefiniteError",
    "NotSeparableError",
    "ShapeError",
    "UnreadColumnsWarning",
    "UnsupportedError",
]


class MercerError(Exception):
    """The base of every error that Mercer raises."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class InvalidParameterError(MercerError, ValueError):
    """A parameter has a value outside its domain."""


class ShapeError(MercerError, ValueError):
    """Two sizes that must agree do not."""


class DomainError(MercerError, ValueError):
    """A kernel met data that it is not defined on."""


class FormulaError(MercerError, ValueError):
    """A formula does not parse, has no meaning, or does not fit the data."""


class DataError(MercerError, ValueError):
    """The content of a file or of a column is not what it should be."""


class NonFiniteError(MercerError, ValueError):
    """Values that must be finite are missing, NaN or infinite."""


class NotPositiveDefiniteError(MercerError, np.linalg.LinAlgError):
    """A factorisation met a matrix that is not positive definite."""


class NotSeparableError(MercerError, ValueError):
    """No function of the kernel's space separates the classes, so that there is no hard margin."""

    #: The distance of a convex combination of one class to one of the other, at the level of rounding; without an intercept,
    #: the norm of a convex combination of all rows, those of the second class mirrored.
    distance: float = float("nan")
    #: The rows, counted from 0, and their weights. They show it: in each class, without an intercept in all, they add up to 1.
    witness: tuple[tuple[int, float], ...] = ()

    def _witnessed(self, distance: float, witness: list[tuple[int, float]]) -> None:
        self.distance, self.witness = distance, tuple(witness)


class MemoryLimitError(MercerError, MemoryError):
    """The work needs more memory than its limit; nothing was allocated."""


class UnsupportedError(MercerError, ValueError):
    """A combination that Mercer does not offer."""


class FormatError(MercerError, ValueError):
    """A file is not in the format that it claims."""


class FileError(MercerError, OSError):
    """The operating system refused a file."""


class CallbackError(MercerError, RuntimeError):
    """A user's own kernel failed without an exception of its own."""


class DeadlineError(MercerError, TimeoutError):
    """The deadline passed before there was anything to give."""


class InterruptedRun(MercerError, KeyboardInterrupt):
    """The work was cancelled."""


class InternalError(MercerError, RuntimeError):
    """Mercer broke one of its own rules: a bug."""


class MercerWarning(UserWarning):
    """Something the user should know; the work went on."""


class UnreadColumnsWarning(MercerWarning):
    """Columns of the data that no part of the kernel reads."""


def from_core(kind: str, message: str, hint: str | None) -> Exception:
    """The exception of the core's error: the class of this name, with a hint in the words of Python."""
    if kind == "DeadlineError" and hint is None:
        hint = "allow more time with `deadline`"
    made: Exception = globals()[kind](message, None if hint is None else in_python(hint))
    return made
