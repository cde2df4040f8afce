"""Matrices that are said to be Gram matrices: audit and repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import matrix
from mercer._run import RunOptions, options

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Witness:
    """A unit vector and the value of its quadratic form."""

    #: a, with ‖a‖ = 1.
    vector: Floats
    #: aᵀKa, by a direct sum over all pairs.
    value: float
    #: How far rounding can have moved that sum.
    rounding: float


@dataclass(frozen=True)
class Audit:
    """What an audit found; true where the matrix can be the Gram matrix of a kernel."""

    #: Number of rows and columns.
    size: int
    #: ``positive_semidefinite``, ``indefinite``, ``not_symmetric`` or ``not_finite``.
    verdict: str
    #: The conclusion as a sentence.
    summary: str
    #: Count, row and column of values that are NaN or infinite, or None.
    not_finite: tuple[int, int, int] | None
    #: Row, column and size of the worst asymmetry, or None.
    asymmetry: tuple[int, int, float] | None
    #: Of the matrix, or of (K + Kᵀ)/2 if it is not symmetric.
    smallest_eigenvalue: float | None
    largest_eigenvalue: float | None
    #: Eigenvalues above minus this count as not negative.
    tolerance: float | None
    #: A vector a with aᵀKa < 0, or None.
    witness: Witness | None
    #: Whether aᵀKa ≥ 0 for all a that sum to zero.
    conditionally_positive_semidefinite: bool | None
    #: The smallest eigenvalue of the centred matrix, where it was computed.
    conditional_eigenvalue: float | None
    #: A vector a that sums to zero with aᵀKa < 0, or None.
    conditional_witness: Witness | None

    def __bool__(self) -> bool:
        return self.verdict == "positive_semidefinite"


def audit(K: npt.ArrayLike, *, tolerance: float | None = None, **run: Unpack[RunOptions]) -> Audit:
    """Whether a matrix can be the Gram matrix of a kernel: finite, symmetric, positive semi-definite.

    Where the answer is no, a vector a with aᵀKa < 0 shows it. ``tolerance`` is relative to the
    largest eigenvalue, 4·n·ε by default; values that were stored in float32 need about n·1e-7.

    >>> import numpy as np, mercer
    >>> report = mercer.audit(np.maximum.outer([1.0, 2.0], [1.0, 2.0]))
    >>> report.verdict, report.conditionally_positive_semidefinite
    ('indefinite', False)
    >>> a = report.witness.vector
    >>> bool(a @ [[1.0, 2.0], [2.0, 2.0]] @ a < 0)
    True
    >>> bool(mercer.audit(np.eye(3)))
    True
    """
    found = _core.audit(matrix(np.asarray(K), "the matrix"), tolerance, options(**run))
    condition = found["conditional"] or {}
    return Audit(
        size=found["size"],
        verdict=found["verdict"],
        summary=found["summary"],
        not_finite=_numbers(found["not_finite"], "count", "row", "column"),
        asymmetry=_numbers(found["asymmetry"], "row", "column", "gap"),
        smallest_eigenvalue=found["smallest_eigenvalue"],
        largest_eigenvalue=found["largest_eigenvalue"],
        tolerance=found["tolerance"],
        witness=_witness(found["witness"]),
        conditionally_positive_semidefinite=condition.get("positive_semidefinite"),
        conditional_eigenvalue=condition.get("smallest_eigenvalue"),
        conditional_witness=_witness(condition.get("witness")),
    )


def _numbers(place: dict[str, Any] | None, *names: str) -> Any:
    return None if place is None else tuple(place[name] for name in names)


def _witness(shown: dict[str, Any] | None) -> Witness | None:
    return None if shown is None else Witness(np.array(shown["vector"]), shown["value"], shown["rounding"])


@dataclass(frozen=True)
class RepairReport:
    """What a repair changed."""

    #: Number of points.
    size: int
    #: Eigenvalues below −tolerance.
    negative: int
    #: Eigenvalues within the tolerance of zero, which clip and flip take as zero.
    null: int
    smallest_eigenvalue: float | None
    largest_eigenvalue: float | None
    tolerance: float
    #: Σ|λ′ − λ| over all eigenvalues.
    moved: float
    #: That as a share of Σ|λ|.
    moved_share: float
    #: What ``shift`` added to the diagonal; 0 for the others.
    shift: float


class Repair:
    """A repair fitted to a training matrix; made by :func:`repair`.

    Attributes
    ----------
    method
        ``clip``, ``flip`` or ``shift``.
    gram
        The repaired training matrix.
    report
        What was changed.
    """

    def __init__(self, K: npt.ArrayLike, method: str = "clip", **run: Unpack[RunOptions]) -> None:
        values = matrix(np.asarray(K), "the similarity matrix")
        self._repair = _core.Repair(values, method, options(**run))
        self.method = method
        self.gram: Floats = self._repair.apply(values, options(**run))
        self.report = RepairReport(**self._repair.report())

    def transform(self, K_new: npt.ArrayLike, **run: Unpack[RunOptions]) -> Floats:
        """Rows of similarities between new points and the training points, repaired alike.

        ``shift`` leaves them as they are: it changes k(x, x) of the training points alone.
        """
        return self._repair.transform(matrix(np.asarray(K_new), "`K_new`"), options(**run))

    def __repr__(self) -> str:
        return f"Repair(method={self.method!r}, size={self.report.size}, negative={self.report.negative})"


def repair(
    K: npt.ArrayLike, method: Literal["clip", "flip", "shift"] = "clip", **run: Unpack[RunOptions]
) -> Repair:
    """Makes an indefinite similarity matrix positive semi-definite, and says what it changed.

    With K = UΛUᵀ: ``clip`` sets negative eigenvalues to 0, ``flip`` changes their sign, ``shift``
    raises all of them alike. The answer repairs similarities to new points in the same way.

    >>> import numpy as np, mercer
    >>> K = np.array([[1.0, 2.0], [2.0, 1.0]])
    >>> fixed = mercer.repair(K, "clip")
    >>> fixed.gram.round(12)
    array([[1.5, 1.5],
           [1.5, 1.5]])
    >>> fixed.transform(K[:1]).round(12)
    array([[1.5, 1.5]])
    >>> fixed.report.negative, round(fixed.report.moved, 12)
    (1, 1.0)
    """
    return Repair(K, method, **run)
