"""The judge of formulas: that it finds planted faults, and that it finds none in Mercer."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

pytest.importorskip("mpmath")

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import formula_judge as judge

import mercer

LINEAR = ("leaf", "linear", (), {})
RBF = ("leaf", "rbf", ("a",), {"length_scale": "1"})
MEDIAN = ("leaf", "rbf", ("a",), {"length_scale": "median"})


def minus(*terms: judge.Tree) -> judge.Tree:
    return ("sum", [("+", terms[0]), *(("-", term) for term in terms[1:])])


def test_false_proofs_are_found() -> None:
    draw = random.Random(1)
    for node in [minus(RBF, LINEAR), minus(LINEAR, RBF), ("call", "log", LINEAR), ("call", "sqrt", LINEAR), minus(RBF, ("number", "0.5"))]:
        assert judge.judge_proof(node, draw, 200, conditional=False) is not None, judge.text(node)
    for node in [LINEAR, RBF, MEDIAN, ("product", [("*", RBF), ("*", LINEAR)]), ("call", "normalize", LINEAR)]:
        assert judge.judge_proof(node, draw, 100, conditional=False) is None, judge.text(node)
    assert judge.judge_proof(minus(RBF, ("number", "1")), draw, 100, conditional=True) is None
    assert judge.judge_proof(minus(RBF, LINEAR), draw, 100, conditional=True) is not None


def test_false_counterexamples_are_found() -> None:
    draw = random.Random(1)
    one, two = [Fraction(1)], [Fraction(1), Fraction(2)]
    assert judge.judge_counterexample(minus(RBF, LINEAR), [Fraction(2)], one, {"a": "t"}, False, draw) is None
    assert judge.judge_counterexample(minus(RBF, LINEAR), one, one, {"a": "t"}, False, draw) is not None
    assert judge.judge_counterexample(LINEAR, two, [Fraction(1), Fraction(-1)], {"a": "t"}, False, draw) is not None
    assert judge.judge_counterexample(("call", "log", LINEAR), two, [], {"a": "t"}, False, draw) is not None
    # One that holds for a length scale of 1 only.
    wide = ("product", [("*", ("number", "2")), ("*", ("leaf", "rbf", ("a",), {"length_scale": "3"}))])
    pair = [Fraction(1), Fraction(-1)]
    assert judge.judge_counterexample(minus(wide, RBF), [Fraction(0), Fraction(1)], pair, {"a": "t"}, False, draw) is None
    assert any(
        judge.judge_counterexample(minus(wide, MEDIAN), [Fraction(0), Fraction(1)], pair, {"a": "t"}, False, draw) is not None
        for _ in range(20)
    )


def test_no_answer_of_mercer_is_wrong() -> None:
    counts, faults = judge.hunt(80, 3, trials=2)
    assert not faults, "\n".join(faults)
    assert counts["positive definite"] > 20 and counts["not positive definite"] > 10 and counts["not defined"] > 1, counts


def test_rules_come_from_the_data() -> None:
    formula = "2*rbf(length_scale=3) - rbf"
    found = mercer.check(formula)
    assert found.verdict == "not decided" and "median" in (found.reason or "")
    near, far = mercer.check(formula, X=[[0.0], [1.0], [2.5]]), mercer.check(formula, X=[[0.0], [4.0], [8.0]])
    assert near.verdict == "not positive definite" and near.subject == "2*rbf(length_scale=3) - rbf(length_scale=1.5)"
    assert far.verdict != "not positive definite", far
    with pytest.raises(mercer.errors.InvalidParameterError, match="`X`"):
        mercer.check("x*y", X=[[0.0]])


def test_names_and_mistakes() -> None:
    for text, told in [("x*z", "unknown name `z`"), ("x^2", "function of x alone"), ("rfb", "unknown kernel")]:
        with pytest.raises(mercer.errors.FormulaError, match=told):
            mercer.check(text)
    with pytest.raises(mercer.errors.FormulaError, match="max"):
        mercer.check("max(x)", domain="R+")
    assert mercer.check("π").verdict == "positive definite"
    assert mercer.check("sin(x-y)/(x-y)").verdict == "not defined"
    distance = mercer.check("-abs(x-y)")
    assert distance.verdict == "not positive definite" and distance.conditional is not None
    assert distance.standing == "conditionally positive definite of order 1"
    assert mercer.check("min(x,y)-x*y", domain="[0,1]")


def test_a_deadline_leaves_it_open() -> None:
    found = mercer.check("cos(x-y)^7*exp(-abs(x-y)^1.9) - 0.00001*cos(9*(x-y))", deadline=0.0)
    assert found.verdict == "not decided" and "stopped" in (found.reason or "")


def test_differences_that_are_kernels_are_accepted() -> None:
    assert str(mercer.Kernel("2*rbf(length_scale=1) - rbf(length_scale=1)/2")) == "1.5*rbf(length_scale=1)"
    with pytest.raises(mercer.errors.FormulaError, match="difference"):
        mercer.Kernel("rbf - linear")
