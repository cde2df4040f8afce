"""Whether an answer of Mercer is right."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import Any

from mpmath import mp

from . import enclosure
from .enclosure import DIGITS, Undefined, Unsure
from .language import parse
from .matrix import form
from .points import contains
from .search import Function, search
from .table import condition_violated

#: Numbers that are shown are middles of intervals, which may be wide: they agree with ours to this, relative to the largest
#: entry. The sign is what counts, and it is decided in sixty digits.
SHOWN = 0.02
#: Seconds of the processor from which an answer is a finding.
SLOW = 3.0
#: What is said where the digits do not decide; it is counted, but no finding.
UNSURE = "unsure"


def wrong(
    expression: str, domain: str, answer: dict[str, Any], r: Random, effort: float = 1.0, slow: float = SLOW
) -> str | None:
    """What is wrong with the answer, if anything is."""
    if "crash" in answer:
        return f"crash: {answer['crash']}"
    if "error" in answer:
        return f"refused: {answer['error']}"
    if answer["seconds"] > slow:
        return f"slow: {answer['seconds']:.1f} s"
    k = Function(expression)
    if answer["verdict"] == "positive definite":
        found = search(k, domain, r, effort)
        return f"proved, but {found}" if found else None
    if answer["verdict"] in ("not positive definite", "not defined"):
        fault = wrong_example(k, domain, answer)
        if fault == UNSURE:
            return UNSURE
        if fault:
            return f"refuted by `{answer['summary']}`, but {fault}"
    if answer.get("conditional") or str(answer.get("standing", "")).startswith("conditionally"):
        return _wrong_condition(expression, domain, r, effort)
    return None


def _wrong_condition(expression: str, domain: str, r: Random, effort: float) -> str | None:
    found = condition_violated(parse(expression), domain, r, effort)
    return f"said to be conditionally positive definite, but its differences have {found}" if found else None


def _numbers(text: str) -> list[Fraction]:
    return [Fraction(part.strip()) for part in re.split(r",| and ", text)]


def wrong_example(k: Function, domain: str, answer: dict[str, Any]) -> str | None:
    """What is wrong with a counterexample, recomputed in sixty digits and, if need be, many more."""
    told = re.match(r"points? (.*?); (.*)", answer["summary"])
    if not told:
        return "the points cannot be read"
    points = _numbers(told[1])
    outside = [str(p) for p in points if not contains(domain, p)]
    if outside:
        return f"{', '.join(outside)} is not in {domain}"
    for digits in (DIGITS, 4 * DIGITS, 16 * DIGITS):
        with mp.workdps(digits + 10):
            try:
                return _check_fault(k, points, told[2], answer)
            except Unsure:
                continue
    return UNSURE


def _check_fault(k: Function, points: list[Fraction], fault: str, answer: dict[str, Any]) -> str | None:
    first, last = points[0], points[-1]
    if ("has no value" in fault) != (answer["verdict"] == "not defined"):
        return f"the verdict is `{answer['verdict']}`"
    if "has no value" in fault:
        try:
            return f"the value is {k.at(first, last)}"
        except Undefined:
            return None
    try:
        K = [[k.at(x, y) for y in points] for x in points]
    except Undefined as gap:
        return f"there is {gap}"
    # Where digits are not known, bounds are shown, and the middle of wide ones is no value.
    bounds = [(float(low), float(high)) for low, high in re.findall(r"\[(-?[\d.e+-]+), (-?[\d.e+-]+)\]", fault)]
    if not bounds and (shown := _wrong_values(K, answer["matrix"])):
        return shown
    if " but k(" in fault:
        same = enclosure.sign(enclosure.subtract(K[0][-1], K[-1][0])) == 0
        return f"k is symmetric there: {K[0][-1]}" if same else None
    vector = re.match(r"a = \((.*?)\)", fault)
    if not vector:
        return "the vector cannot be read"
    a = [enclosure.exact(v) for v in _numbers(vector[1])]
    value = form(K, a)
    if enclosure.sign(value) >= 0:
        return f"aᵀKa = {value}"
    near = float(enclosure.ball(value).middle)
    if bounds:
        low, high = bounds[-1]
        return None if low <= near <= high < 0 else f"aᵀKa = {near}, not in {low} to {high}"
    # The bounds that Mercer shows may be wide, but their sign is the claim; its digits are checked loosely.
    terms = sum(abs(float(x) * float(y)) for x in a for y in a) * max((abs(v) for row in answer["matrix"] for v in row if v == v), default=0.0)
    if not (answer["value"] < 0 and abs(answer["value"] - near) <= SHOWN * max(terms, abs(near))):
        return f"aᵀKa = {near}, not {answer['value']}"
    return None


def _wrong_values(K: list[list[enclosure.Value]], shown: list[list[float]]) -> str | None:
    # Where digits are not known, none is told.
    largest = max((abs(v) for row in shown for v in row if v == v), default=0.0)
    for row, told in zip(K, shown, strict=True):
        for value, v in zip(row, told, strict=True):
            if v != v:
                continue
            true = float(enclosure.ball(value).middle)
            if abs(true - v) > SHOWN * max(abs(true), largest, 1e-300):
                return f"a value is {true}, not {v}"
    return None
