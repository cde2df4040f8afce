"""Whether a formula or an expression in x and y is a positive definite kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import inputs
from mercer._run import RunOptions, options
from mercer.errors import InvalidParameterError

Floats = npt.NDArray[np.float64]
#: The points, vector, matrix, value and sentence of a counterexample.
_Example = tuple[list[float], list[float], list[list[float]], float | None, str]


@dataclass(frozen=True)
class Counterexample:
    """Points and a vector a with aᵀKa < 0, verified in exact or interval arithmetic."""

    #: The points xᵢ, numbers.
    points: Floats
    #: The numbers aᵢ; empty where the function is not symmetric or has no value.
    vector: Floats
    #: K, with k(xᵢ, xⱼ) in row i and column j.
    matrix: Floats
    #: aᵀKa, or None where the fault is another.
    value: float | None
    #: All of it in a sentence.
    summary: str


@dataclass(frozen=True)
class Check:
    """The answer to "is it a kernel"; true where it is proved to be positive definite."""

    #: The formula or expression, in normal form where it has one.
    subject: str
    #: ``positive definite``, ``not positive definite``, ``not defined`` (at the points of the
    #: counterexample) or ``not decided``.
    verdict: str
    #: What is known besides, such as ``conditionally positive definite of order 1``.
    standing: str
    #: The proof in numbered steps, or None.
    proof: str | None
    #: Points that refute it, or None.
    counterexample: Counterexample | None
    #: Why it is not decided, or None.
    reason: str | None
    #: The proof that it is conditionally positive definite, where that is all it is.
    conditional: str | None
    #: Of a refuted formula: what it is at two points with the numbers x and y, see ``place``.
    on_a_line: str | None
    #: Of a refuted formula: where the points lie, in words.
    place: str | None = None
    #: Of a refuted formula: the value of each numeric column at the point with the number t, such
    #: as ``t``, ``0`` or ``2*t``; ``*`` is every numeric column.
    columns: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.proof is not None

    def __str__(self) -> str:
        evidence = self.proof or (self.counterexample and self.counterexample.summary) or self.reason
        where = f"\nat {self.place}" if self.place else ""
        return f"{self.subject}: {self.verdict}\n{evidence}{where}"


def answer(found: tuple[dict[str, Any], _Example | None]) -> Check:
    """The core's report, as a record."""
    report, example = found
    words, shown = report["in_words"], None
    if example is not None:
        points, vector, values, value, summary = example
        shown = Counterexample(np.array(points), np.array(vector), np.array(values), value, summary)
    evidence = {report["verdict"]: words["evidence"]}
    return Check(
        subject=report["subject"],
        verdict=words["verdict"],
        standing=words["standing"],
        proof=evidence.get("positive_definite"),
        counterexample=shown,
        reason=evidence.get("undecided"),
        conditional=words["conditional"],
        on_a_line=report["on_a_line"],
        place=words["place"],
        columns=dict(report["place"]["columns"]) if report["place"] else {},
    )


def check(
    subject: str,
    *,
    X: Any = None,
    domain: str | None = None,
    language: Literal["formula", "expression"] | None = None,
    **run: Unpack[RunOptions],
) -> Check:
    """Whether a formula, or an expression in x and y, is a positive definite kernel.

    A text is read as an expression when its names are those of points, x and y; ``language`` decides
    by hand. Expressions are checked on ``domain``: ``R`` (the default), ``R+``, ``unit`` for
    (−1, 1), ``[0,1]``, or ``N`` for 1, 2, …. The rules of a formula, such as ``length_scale=median``, are found in
    the data ``X``; without data they may be any number. A deadline leaves the answer ``not decided``.

    >>> import mercer
    >>> bool(mercer.check("min(x, y)/max(x, y)", domain="R+"))
    True
    >>> print(mercer.check("max(x, y)", domain="R+"))
    max(x, y): not positive definite
    points 1 and 2; a = (1, -1); aᵀKa = -1 < 0, exact
    >>> mercer.check("log(rbf)").standing
    'conditionally positive definite of order 1'
    >>> mercer.check("2*rbf(length_scale=3) - rbf").verdict
    'not decided'
    >>> print(mercer.check("2*rbf(length_scale=3) - rbf", X=[[0.0], [1.0], [3.0]]))
    2*rbf(length_scale=3) - rbf(length_scale=2): not positive definite
    points 0 and 1; a = (1, -1); aᵀKa = -0.0188441 < 0, by interval arithmetic
    at points whose numeric columns all hold one number
    """
    if language not in (None, "formula", "expression"):
        raise InvalidParameterError(f"`language` must be `formula` or `expression`, got `{language}`")
    expression = _core.is_expression(subject, domain is not None) if language is None else language == "expression"
    if expression and X is not None:
        raise InvalidParameterError("`X` is for formulas, and this is read as an expression in x and y")
    if expression:
        return answer(_core.check_expression(subject, domain or "R", options(**run)))
    if domain is not None:
        raise InvalidParameterError("`domain` is for expressions in x and y, and this is read as a formula")
    formula = subject if X is None else _core.resolve_formula(subject, inputs(X), options(**run))
    return answer(_core.check_formula(formula, options(**run)))
