"""Small records that kernels answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel, in the order of θ."""

    #: Where it stands in the formula, such as ``0.rbf.length_scale``.
    path: str
    #: The number, or None while a rule stands for it.
    value: float | None
    #: The rule's word, such as ``median``, or None.
    rule: str | None
    #: Where tuning may move the value.
    bounds: tuple[float, float]
    #: The scale on which tuning moves it: ``identity``, ``log`` or ``logit``.
    transform: str
    #: Whether tuning may move it at all; fixed is written ``!`` in a formula.
    free: bool


@dataclass(frozen=True)
class Resolution:
    """What a rule found in the data."""

    #: The parameter, such as ``0.rbf.length_scale``.
    path: str
    #: The rule's word.
    rule: str
    #: The number it found.
    value: float
    #: How it was found.
    detail: str


@dataclass(frozen=True)
class KernelParameter:
    """A parameter as the catalogue describes it."""

    name: str
    #: What it is, in a few words.
    summary: str
    #: What values it takes, in words.
    values: str
    #: The value when none is given, as in a formula.
    default: str
    #: Other names that are accepted, each with its meaning.
    aliases: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class KernelInfo:
    """A kernel of the catalogue."""

    name: str
    #: Other names that are accepted.
    aliases: tuple[str, ...]
    #: One sentence.
    summary: str
    #: The definition, in plain text.
    definition: str
    #: What it reads.
    domain: str
    parameters: tuple[KernelParameter, ...]


@dataclass(frozen=True)
class Repaired:
    """What was changed, before the fit, in a matrix of kernel values that no kernel gives."""

    #: ``clip``, ``flip`` or ``shift``.
    method: str
    #: The smallest eigenvalue before, and how many were negative.
    smallest_eigenvalue: float
    negative: int
    #: How much the eigenvalues were moved in all, over the sum of their sizes.
    moved_share: float


@dataclass(frozen=True)
class Certificate:
    """How an answer was found, and how far it is from what was asked for."""

    #: The algorithm that ran.
    algorithm: str
    #: Why it was chosen, in words.
    reason: str
    #: Why it stopped.
    stop: str
    #: The residual over the size of the targets, computed again from the true kernel values; None where no
    #: system is solved.
    relative_residual: float | None
    #: The system whose residual it is.
    system: str | None
    #: Of descents and filters: half the mean square of y − f on the rows of the fit, and ‖y − f‖/‖y‖, which
    #: early stopping keeps away from 0.
    empirical_risk: float | None
    discrepancy: float | None
    #: Of filters and closed forms: how far y − f is from what the filter makes of y, over ‖y‖.
    filter_error: float | None
    #: Of stochastic descents: the mean loss of the last 1024 rows or so, each before it was learnt from.
    running_loss: float | None
    #: The objective, a lower bound of its minimum, and their difference, where they are known. They hold in floating
    #: point: primal is not below the objective, dual not above the minimum.
    primal: float | None
    dual: float | None
    gap: float | None
    #: How much of the gap is there because kernel values and sums are rounded.
    rounding: float | None
    iterations: int | None
    #: What was added to the diagonal; 0 for nothing.
    jitter: float
    rank: int | None
    condition: float | None
    #: What was changed in a matrix of kernel values before; all else is of the changed matrix.
    repaired: Repaired | None

    @classmethod
    def of(cls, record: dict[str, Any]) -> Certificate:
        """The record of the core's numbers."""
        repaired = record["repaired"]
        return cls(**{**record, "repaired": None if repaired is None else Repaired(**repaired)})


@dataclass(frozen=True)
class AlphaScore:
    """The scores of one alpha, summed over the outputs."""

    alpha: float
    #: The mean squared error of exact leave-one-out, where it exists.
    loo: float | None
    #: Generalised cross-validation.
    gcv: float
    #: The degrees of freedom of the fit.
    freedom: float
