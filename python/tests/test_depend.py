"""Tests of dependence and of fit, and choices of points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mercer
from mercer.errors import MercerError

B = 199

Floats = npt.NDArray[np.float64]


def golden() -> tuple[Floats, Floats, Floats]:
    i = np.arange(8.0)
    x, y = np.stack([np.sin(i), np.cos(2 * i)], 1), np.stack([np.sin(3 * i + 0.5), np.cos(i) + 0.3], 1)
    return x, y, np.cos(5 * i)


def test_golden_values_by_brute_force() -> None:
    x, y, w = golden()
    k = "rbf(length_scale=1)"
    found = mercer.hsic_test(x, y, kernel=k)
    assert found.statistic == pytest.approx(0.01285371815102403, abs=1e-12)
    fitted: Any = found.approximation
    assert fitted.mean * 64 == pytest.approx(1.686481474878809, abs=1e-12)
    assert fitted.variance * 64**2 == pytest.approx(0.5702289703216465, abs=1e-12)
    unbiased = mercer.hsic_test(x, y, kernel=k, estimate="unbiased")
    assert unbiased.statistic == pytest.approx(-0.01770229271737289, abs=1e-12)
    assert mercer.dhsic_test(x, y, w, kernels=[k] * 3).statistic == pytest.approx(0.03821806139570838, abs=1e-12)
    estimates: Any = {"biased": 0.3634623271100914, "unbiased": -0.004885077796313705}
    for estimate, value in estimates.items():
        ksd = mercer.ksd_test(x, lambda x: -x, length_scale=1, estimate=estimate)
        assert ksd.statistic == pytest.approx(value, abs=1e-12)


def chain(draw: Any) -> tuple[Floats, ...]:
    """X, X′, Y = X + ½U and Z = Y + ½U in the order of causal-learn's own tests."""
    x, other = draw(300, 1), draw(300, 1)
    y = x + 0.5 * draw(300, 1)
    return x, other, y, y + 0.5 * draw(300, 1)


@pytest.mark.parametrize(
    ("uniform", "free", "empirical", "median"), [(True, 0.8099, 0.6124, 0.8887), (False, 0.5404, 0.5807, 0.6179)]
)
def test_p_values_of_causal_learn(uniform: bool, free: float, empirical: float, median: float) -> None:
    """causal-learn 0.1.4.8, tests/TestCIT_KCI.py, gamma approximation; its rounding and dropped eigenvalues are below 5e-4."""
    np.random.seed(10)
    x, other, y, z = chain(np.random.rand if uniform else np.random.randn)
    assert mercer.kci_test(x, other).pvalue == pytest.approx(free, abs=1e-4)
    assert mercer.kci_test(x, z).pvalue < 1e-6
    assert mercer.kci_test(x, z, y).pvalue == pytest.approx(empirical, abs=5e-4)
    assert mercer.kci_test(x, z, y, width="median").pvalue == pytest.approx(median, abs=5e-4)


def test_a_conditioning_set_serves_many_pairs() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 2))
    x, y = z[:, 0] + rng.normal(size=200), z[:, 0] ** 2 + rng.normal(size=200)
    given = mercer.ConditioningSet(z)
    assert given.test(x, y).statistic == mercer.kci_test(x, y, z).statistic
    assert [kernel.of for kernel in given.test(x, y).kernels] == ["X and Z/2", "Y", "Z"]


def test_a_constant_condition_is_none() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=150)
    widths: Any = ("empirical", "median")
    for width in widths:
        assert mercer.kci_test(x, x + rng.normal(size=150), np.ones(150), width=width).pvalue < 1e-3


def test_units_of_y_do_not_matter() -> None:
    """hyppo 0.5.2 takes the bandwidth of x for y: y·1000 moves its p-value from 3e-5 to 0.45."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=100)
    y = x**2 + rng.normal(size=100)
    a, b = mercer.hsic_test(x, y), mercer.hsic_test(x, 1000 * y)
    assert (a.pvalue, a.reached) == (b.pvalue, b.reached)
    assert b.kernels[1].found[0].value == pytest.approx(1000 * a.kernels[1].found[0].value)


def test_the_seed_is_obeyed() -> None:
    """hyppo 0.5.2 ignores it."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 80))
    draws = [mercer.hsic_test(x, y, random_state=seed).null_distribution for seed in (1, 1, 2)]
    assert (draws[0] == draws[1]).all()
    assert (draws[0] != draws[2]).any()
    assert mercer.hsic_test(x, y, random_state=np.random.default_rng(5)).seed != 0


def test_the_null_does_not_change_the_statistic() -> None:
    """hyppo 0.5.2 has 0.27368 with its formula and 0.27636 with permutations for the same data."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    k, m = (np.exp(-((v[:, None] - v) ** 2) / 2) for v in (x, y))
    centre = np.eye(60) - 1 / 60
    expected = np.trace(k @ centre @ m @ centre) / 60**2
    nulls: list[Any] = ["permutation", "circular_shift", "wild_bootstrap", "gamma"]
    for null in nulls:
        found = mercer.hsic_test(x, y, kernel="rbf(length_scale=1)", estimate="biased", null=null, n_permutations=B)
        assert abs(found.statistic - expected) < 1e-12, null


def test_the_biased_estimate_keeps_its_level() -> None:
    """hyppo 0.5.2 with bias=True rejects every true null."""
    rng = np.random.default_rng(4)

    def rejected(**settings: Any) -> float:
        def one() -> bool:
            x, y = rng.normal(size=(2, 40))
            return mercer.hsic_test(x, y, n_permutations=99, **settings).pvalue <= 0.05

        return float(np.mean([one() for _ in range(200)]))

    assert rejected(estimate="biased") < 0.11
    assert rejected(estimate="biased", null="gamma") < 0.11


def test_words_against_numbers() -> None:
    rng = np.random.default_rng(5)
    words = ["good red wine", "bad white wine"] * 40
    y = np.where([w.startswith("good") for w in words], 1.0, 0.0) + 0.3 * rng.normal(size=80)
    assert mercer.hsic_test(words, y).pvalue == 0.001
    assert mercer.hsic_test(words, rng.normal(size=80)).pvalue > 0.01
    given = mercer.kci_test(words, y, rng.normal(size=80))
    assert given.pvalue < 1e-3
    assert "times that of Z" in given.kernels[0].kernel


def test_results_read_aloud_and_unpack() -> None:
    x = np.linspace(-1, 1, 60)
    found = mercer.hsic_test(x, x**2)
    assert repr(found).startswith("HSIC = ")
    assert repr(found).endswith("0 of 999 permutations reach it")
    statistic, pvalue = found
    assert (statistic, pvalue) == (found.statistic, found.pvalue)
    assert len(found.null_distribution) == found.n_permutations == 999
    assert (found.resolution, found.null, found.stop) == (0.001, "permutation", "all")
    assert found.approximation is not None and found.approximation.pvalue < 1e-6
    few = mercer.hsic_test(x, np.random.default_rng(0).normal(size=60), enough=10)
    assert few.stop == "sequential" and few.pvalue == 10 / few.n_permutations
    tiny = mercer.hsic_test(x[:5], (x**2)[:5])
    assert (tiny.null, tiny.n_permutations) == ("enumeration", 120)


@pytest.mark.parametrize("null", ["circular_shift", "wild_bootstrap"])
def test_series(null: Any) -> None:
    rng = np.random.default_rng(6)
    x = np.cumsum(rng.normal(size=200)) * 0.1
    assert mercer.hsic_test(x, x + 0.1 * rng.normal(size=200), null=null, n_permutations=B).pvalue <= 0.05


def test_points_are_chosen() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(300, 2)) + 2
    chosen = mercer.stein_thinning(x, lambda x: 2 - x, 20)
    assert chosen.indices.shape == chosen.discrepancy.shape == (20,)
    assert np.abs(x[chosen.indices].mean(0) - 2).max() < 0.3
    herd = mercer.kernel_herding(x, 20, kernel="rbf(length_scale=1)")
    by_chance = mercer.kernel_herding(x[:20], 20, kernel="rbf(length_scale=1)")
    assert herd.discrepancy[-1] < 0.1
    assert len(by_chance.indices) == 20
    words = mercer.kernel_herding(["a b", "a b c", "x y"], 2, kernel="ngram")
    assert len(words.indices) == 2


def test_thinning_is_that_of_the_peer() -> None:
    """stein-thinning 0.2.0 (IMQ, identity preconditioner, standardised), indices for the points below."""
    i = np.arange(40.0)
    x = np.stack([np.sin(i) * 2, np.cos(3 * i) + 0.1 * i], 1)
    chosen = mercer.stein_thinning(x, -x, 8, length_scale=1)
    assert chosen.indices.tolist() == [3, 0, 7, 5, 16, 3, 9, 1]
    plain = mercer.stein_thinning(x, -x, 8, length_scale=1, standardize=False)
    assert plain.indices.tolist() == [3, 0, 7, 5, 12, 1, 9, 3]


def test_what_cannot_be_tested_says_why() -> None:
    x = np.arange(10.0)
    any_word: Any = str
    calls: list[tuple[Any, str]] = [
        (lambda: mercer.hsic_test(x, x[:9]), "`Y`: expected 10 rows, as `X` has, got 9"),
        (lambda: mercer.hsic_test(x[:3], x[:3]), "at least 4 rows"),
        (lambda: mercer.hsic_test(x, np.ones(10)), "all rows are equal"),
        (lambda: mercer.hsic_test(x, x, estimate=any_word("best")), "`biased` or `unbiased`"),
        (lambda: mercer.hsic_test(x, x, null=any_word("normal")), "`permutation`"),
        (lambda: mercer.hsic_test(x, x, n_permutations=0), "≥ 1"),
        (lambda: mercer.hsic_test(x, x, n_permutations=1.5), "whole number"),
        (lambda: mercer.hsic_test(x, np.where(x > 5, np.nan, x)), "NaN"),
        (lambda: mercer.dhsic_test(x), "at least 2"),
        (lambda: mercer.dhsic_test(x, x, kernels=["rbf"]), "1 kernels"),
        (lambda: mercer.kci_test(x, x, x[:5]), "rows, as `Z` has"),
        (lambda: mercer.kci_test(x, x, kernel_z="rbf"), "need `Z`"),
        (lambda: mercer.kci_test(x, x, x, width=any_word("wide")), "`empirical` or `median`"),
        (lambda: mercer.ksd_test(x, lambda x: x[:4]), "`score`"),
        (lambda: mercer.ksd_test(x, -x, kernel=any_word("linear")), "`imq` or `rbf`"),
        (lambda: mercer.ksd_test(x, -x, beta=1.0), "between"),
        (lambda: mercer.stein_thinning(x, -x, 0), "≥ 1"),
        (lambda: mercer.kernel_herding(x, 0), "≥ 1"),
    ]
    for call, says in calls:
        with pytest.raises(MercerError, match=says.replace("(", "\\(")):
            call()
