"""What every test of a hypothesis answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._records import Note, Resolution

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TestedKernel:
    """A kernel of a test, with its numbers."""

    __test__ = False

    #: What the kernel is for, such as ``X``; empty where there is one for all.
    of: str
    #: The formula, without rules.
    kernel: str
    #: The numbers its rules found.
    found: tuple[Resolution, ...]
    #: The statistic and the p-value with this kernel alone, where they were computed.
    statistic: float | None = None
    pvalue: float | None = None


@dataclass(frozen=True)
class Approximation:
    """A p-value by a formula that is not exact, for where permutations show no difference any more."""

    #: Which distribution, and what it was fitted to.
    name: str
    pvalue: float
    #: The exact mean and variance of the statistic over all permutations.
    mean: float | None
    variance: float | None


@dataclass(frozen=True, repr=False)
class TestResult:
    """The answer of a test, in the shape of SciPy's: ``statistic``, ``pvalue``, ``null_distribution``, and what was chosen.

    Its ``repr`` is a sentence to read aloud; ``statistic, pvalue = result`` works as with SciPy's results.
    """

    __test__ = False

    #: The name of the test, such as ``hsic``.
    test: str
    #: What a small p-value speaks against, in words.
    hypothesis: str
    statistic: float
    pvalue: float
    #: Name of the estimate, and its formula with its normalisation.
    estimate: str
    formula: str
    #: What the statistic was compared with: ``permutation``, ``enumeration``, ``circular_shift``, ``wild_bootstrap``, ``gamma``, ….
    null: str
    #: The statistics under the null, in the order they were drawn; empty where the null is a formula.
    null_distribution: Floats = field(compare=False)
    #: How many of them reach the statistic, ties counted.
    reached: int
    #: The smallest p-value that could have come out; 0 for a formula.
    resolution: float
    n_permutations: int
    #: Why no more were drawn: ``all``, ``sequential``, ``deadline`` or ``interrupted``.
    stop: str
    approximation: Approximation | None
    #: Rows of each sample.
    sizes: tuple[int, ...]
    kernels: tuple[TestedKernel, ...]
    #: How several kernels became one statistic.
    aggregation: str | None
    #: Values of the null distribution so far below the statistic count as ties.
    tolerance: float
    seed: int
    #: What the user should know.
    notes: tuple[Note, ...]
    #: The answer as a sentence.
    sentence: str

    def __repr__(self) -> str:
        return self.sentence

    def __iter__(self) -> Any:
        return iter((self.statistic, self.pvalue))

    @classmethod
    def _of(cls, record: Mapping[str, Any]) -> TestResult:
        return cls(**cls._fields(record))

    @staticmethod
    def _fields(record: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a result, from the record of the core."""
        estimate, approximation = record["estimate"], record["approximation"]
        return {
            **record,
            "estimate": estimate["name"],
            "formula": estimate["formula"],
            "kernels": tuple(_tested(kernel) for kernel in record["kernels"]),
            "approximation": None if approximation is None else Approximation(**approximation),
            "sizes": tuple(record["sizes"]),
            "notes": tuple(Note.of(note) for note in record["notes"]),
        }


def _tested(kernel: Mapping[str, Any]) -> TestedKernel:
    return TestedKernel(**{**kernel, "found": tuple(Resolution(**found) for found in kernel["found"])})
