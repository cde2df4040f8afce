"""Certificates hold in floating point: a share of ``tools/certify``, which has a longer run.

Every claim of a random fit is recomputed with 80 digits; docs/decisions/0009 says what is claimed.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from certify import draw, judge

from mercer import Certificate, KernelRidge

#: Fits of one test, and tests.
FITS, TESTS = 20, 8


@pytest.mark.parametrize("part", range(TESTS))
def test_claims_of_random_fits_hold(part: int) -> None:
    verdicts = [judge.one(10**9 + part * FITS + i) for i in range(FITS)]
    broken = [sentence for verdict in verdicts for sentence in verdict.broken]
    assert not broken, "\n".join(broken)
    assert sum(verdict.checked for verdict in verdicts) > 3 * FITS


def test_the_judge_sees_a_claim_that_is_too_good() -> None:
    rng = np.random.default_rng(3)
    found = draw.Data(rng, "rbf(length_scale=2.0)", x := rng.normal(size=(12, 2)), np.eye(12), 1.0, 1.0, None, True)
    model = KernelRidge(found.formula, alpha=1e-9, fit_intercept=True).fit(x, y := np.sin(x[:, 0]))
    found.gram = model.kernel_.gram(x)
    claim = model.certificate_
    assert claim.primal is not None and claim.dual is not None and claim.rounding is not None
    assert claim.relative_residual is not None and 0 < claim.rounding < 1e-3 * claim.primal

    def worse(**measures: float) -> Certificate:
        return replace(claim, measures={**claim.measures, **measures})

    # Each by the last of what it allows for.
    bold = {
        "objective": worse(primal=claim.primal - 2 * claim.rounding),
        "lower bound": worse(dual=claim.dual + 2 * claim.rounding),
        "gap": worse(gap=0.0),
        "residual": worse(relative_residual=claim.relative_residual * (1 - 1e-9)),
    }
    for what, certificate in {"nothing": claim, **bold}.items():
        verdict = judge.Verdict("ridge")
        copy = SimpleNamespace(certificate_=certificate, dual_coef_=model.dual_coef_, intercept_=model.intercept_)
        judge.least_squares(verdict, found, copy, y[:, None], True, 1e-9)
        assert (what == "nothing") == (not verdict.broken)
        assert all(sentence.startswith(what) for sentence in verdict.broken), verdict.broken


@pytest.mark.parametrize("alpha", [1e-6, 1e-10, 1e-13, 1e-15, 1e-17])
@pytest.mark.parametrize("solver", ["auto", "eigen", "cholesky", "cg"])
def test_gaps_are_never_below_zero(alpha: float, solver: str) -> None:
    x = np.linspace(0, 1, 40).reshape(-1, 1)
    c = KernelRidge("rbf(length_scale=3)", alpha=40 * alpha, solver=solver).fit(x, np.cos(7 * x[:, 0])).certificate_
    assert c.primal is not None and c.rounding is not None and c.rounding >= 0.0
    assert c.dual is None or (c.gap is not None and c.gap >= 0.0 <= c.dual <= c.primal)
