"""Small records that kernels answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mercer import _core

#: The names of everything that a certificate may measure.
MEASURES = frozenset([*_core.measures(), "gap"])


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
    """How an answer was found, and how far it is from what was asked for.

    What was measured goes by name, as an attribute too: ``certificate.gap``; None where it was not. Objectives hold
    in floating point: ``primal`` is not below the objective, ``dual`` not above its minimum, ``gap`` is their difference
    and ``rounding`` the part of it that no solver can take away. ``relative_residual`` is that of ``system``, computed
    again from the true kernel values. Of descents and filters, ``empirical_risk`` is half the mean square of y − f on
    the rows of the fit, ``discrepancy`` ‖y − f‖/‖y‖, ``filter_error`` how far y − f is from what the filter makes of y;
    of stochastic ones, ``running_loss`` is the mean loss of the last 1024 rows or so, each before it was learnt from.
    ``jitter`` was added to the diagonal, 0 for nothing.
    """

    #: The algorithm that ran.
    algorithm: str
    #: Why it was chosen, in words.
    reason: str
    #: Why it stopped.
    stop: str
    #: The system whose residual was measured.
    system: str | None
    #: What was measured, by name.
    measures: dict[str, float]
    #: What was changed in a matrix of kernel values before; all else is of the changed matrix.
    repaired: Repaired | None

    @classmethod
    def of(cls, record: dict[str, Any]) -> Certificate:
        """The record of the core's numbers."""
        repaired = record["repaired"]
        return cls(**{**record, "repaired": None if repaired is None else Repaired(**repaired)})

    def __getattr__(self, name: str) -> float | None:
        if name.startswith("_") or name not in MEASURES:
            raise AttributeError(f"`{name}` is nothing that a certificate measures")
        return self.measures.get(name, 0.0 if name == "jitter" else None)


class Note(str):
    """What the user should know: a sentence, with its kind and its data."""

    #: The kind, such as ``held_out``.
    kind: str
    #: What the sentence is made of, by name.
    data: dict[str, Any]

    @classmethod
    def of(cls, record: dict[str, Any]) -> Note:
        """The record of the core's report."""
        note = cls(record["sentence"])
        note.kind = record["kind"]
        note.data = {name: value for name, value in record.items() if name not in ("kind", "sentence")}
        return note


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
