"""The table of known kernels, and what the judge finds of each row in sixty digits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from .language import Tree, parse
from .points import contains
from .search import Function, Violation, search
from .spectrum import of_difference

TABLE = Path(__file__).parents[2] / "crates/mercer/tests/fixtures/known_kernels.tsv"
ANSWERS = ("kernel", "no kernel", "conditional")


@dataclass(frozen=True)
class Row:
    """An expression on a domain, what it is, who says so, and for what is no kernel why."""

    line: int
    expression: str
    domain: str
    answer: str
    source: str
    reason: str


def rows(path: Path = TABLE) -> list[Row]:
    """The rows of the table; lines that begin with # and the head are not rows."""
    found = []
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("#") or not text.strip() or text.startswith("expression\t"):
            continue
        expression, domain, answer, source, reason = text.split("\t")
        if answer not in ANSWERS:
            raise ValueError(f"{path}, line {line}: no answer `{answer}`")
        found.append(Row(line, expression, domain, answer, source, reason))
    return found


def differences(tree: Tree, anchor: Fraction) -> Tree:
    """k(x, y) − k(x, p) − k(p, y) + k(p, p), a kernel exactly if k is conditionally one of order 1."""
    p = number(anchor)
    left = ("subtract", ("subtract", tree, _at(tree, {"y": p})), _at(tree, {"x": p}))
    return ("add", left, _at(tree, {"x": p, "y": p}))


def condition_violated(tree: Tree, domain: str, r: Random, effort: float) -> Violation | None:
    """Points that show k not to be conditionally positive definite of order 1.

    Where k is a function of x − y, so is k(x, y) − k(x+h, y) − k(x, y+h) + k(x+h, y+h), which is looked at, too:
    its frequencies show what few points do not.
    """
    anchor = next(p for p in (Fraction(1, 3), Fraction(2)) if contains(domain, p))
    found = search(Function(differences(tree, anchor)), domain, r, effort)
    if found or of_difference(tree) is None or domain not in ("R", "R+", "N"):
        return found
    t: Tree = ("subtract", ("x",), ("y",))
    for step in (10, 1 if domain == "N" else Fraction(1, 10)):
        ends = [_at(of_difference(tree), {"x": (kind, t, number(step))}) for kind in ("add", "subtract")]
        found = search(Function(("subtract", ("multiply", number(2), tree), ("add", *ends))), domain, r, effort)
        if found:
            return found
    return None


def number(value: Fraction | int) -> Tree:
    """A number; a negative one is a sign before it."""
    return ("number", Fraction(value)) if value >= 0 else ("negate", ("number", -Fraction(value)))


def _at(tree: Tree, values: dict[str, Tree]) -> Tree:
    if tree[0] in values:
        return values[tree[0]]
    return tuple(_at(part, values) if isinstance(part, tuple) else part for part in tree)


def verify(row: Row, effort: float, seed: int = 0) -> tuple[str | None, Violation | None]:
    """What speaks against the row, or nothing, and the points that show it to be no kernel."""
    tree = parse(row.expression)
    found = search(Function(tree), row.domain, Random(seed), effort)
    if row.answer == "kernel":
        return (f"refuted: {found}" if found else None), found
    if found is None:
        return "no points refute it", None
    conditional = None
    if found.kind == "negative":
        conditional = condition_violated(tree, row.domain, Random(seed + 1), effort)
    if row.answer == "conditional":
        if found.kind != "negative":
            return f"not conditionally positive definite: {found}", found
        return (f"not conditionally positive definite: {conditional}" if conditional else None), found
    if found.kind == "negative" and conditional is None:
        return "no points refute that it is conditionally positive definite", found
    return None, found
