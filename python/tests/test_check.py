"""Proofs and counterexamples from Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mercer
from mercer import Kernel, errors

QUIZ = [
    ("2^(x+y)", "N", True),
    ("2^(x*y)", "N", True),
    ("gcd(x,y)", "N", True),
    ("gcd(x,y)/lcm(x,y)", "N", True),
    ("lcm(x,y)", "N", False),
    ("min(x,y)", "R+", True),
    ("min(x,y)/max(x,y)", "R+", True),
    ("max(x,y)", "R+", False),
    ("log(1+x*y)", "R+", False),
    ("cos(x-y)", "R", True),
    ("exp(-abs(x-y)^2)", "R", True),
    ("1/(1-x*y)", "unit", True),
    ("cos(x+y)", "R", False),
]
FUNCTIONS = {name: getattr(math, name) for name in ("exp", "log", "cos", "gcd", "lcm")} | {
    "min": min,
    "max": max,
    "abs": abs,
}


@pytest.mark.parametrize(("expression", "domain", "expected"), QUIZ)
def test_the_quiz(expression: str, domain: str, expected: bool) -> None:
    found = mercer.check(expression, domain=domain)
    assert bool(found) == expected
    if found.counterexample is None:
        assert found.proof is not None
        return
    # Python's own arithmetic agrees with the counterexample.
    points = [int(p) if p == int(p) else p for p in found.counterexample.points]
    a = found.counterexample.vector
    code = expression.replace("^", "**")
    K = np.array([[eval(code, FUNCTIONS | {"x": x, "y": y}) for y in points] for x in points], dtype=float)
    assert a @ K @ a < 0
    np.testing.assert_allclose(K, found.counterexample.matrix, rtol=1e-12)
    np.testing.assert_allclose(a @ K @ a, found.counterexample.value, rtol=1e-9)


def test_kernels_carry_their_proof() -> None:
    found = (Kernel("rbf(age)") * 2 + Kernel("delta(sex)")).check()
    assert found and found.proof is not None and "Schoenberg" in found.proof
    assert (Kernel("rbf") ** 0.5).check()
    energy = Kernel("energy").check()
    assert not energy and energy.conditional is not None
    assert energy.standing == "conditionally positive definite of order 1"
    assert energy.counterexample is not None and energy.counterexample.value == -2.0


def test_a_user_kernel_is_not_decided() -> None:
    def mine(x: np.ndarray, y: np.ndarray) -> float:
        return float(x @ y)

    found = Kernel("mine", functions={"mine": mine}).check()
    assert not found and found.verdict == "not decided" and "mine" in (found.reason or "")


def test_wrong_questions() -> None:
    with pytest.raises(errors.InvalidParameterError, match="domain"):
        mercer.check("rbf", domain="R+")
    with pytest.raises(errors.InvalidParameterError, match="domain"):
        mercer.check("min(x, y)", domain="Q")
    with pytest.raises(errors.FormulaError):
        mercer.check("min(x, y")
    with pytest.raises(errors.InvalidParameterError, match="language"):
        mercer.check("rbf", language="latin")  # type: ignore[arg-type]


def test_expressions_are_kernels_on_a_column() -> None:
    k = Kernel('expression("min(x, y)/max(x, y)", domain="R+")')
    x = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_allclose(k.gram(x), np.minimum(x, x.T) / np.maximum(x, x.T))
    with pytest.raises(errors.MercerError, match="not positive definite"):
        Kernel('expression("max(x, y)", domain="R+")')
