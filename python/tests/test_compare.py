"""Tests of two samples: golden numbers, every container, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import mercer
from mercer import mmd_test


def golden(m: int = 8, n: int = 8) -> tuple[np.ndarray, np.ndarray]:
    i, j = np.arange(m), np.arange(n)
    return np.column_stack([np.sin(i), np.cos(2 * i)]), np.column_stack([np.sin(3 * j + 0.5), np.cos(j) + 0.3])


RBF = "rbf(length_scale=1)"


def test_golden_numbers() -> None:
    X, Y = golden()
    exact = mmd_test(X, Y, RBF, estimate="biased", n_permutations=12_870)
    assert abs(exact.statistic - 0.06711664894579461) < 1e-12
    assert (exact.null, exact.pvalue, len(exact.null_distribution)) == ("enumeration", 9172 / 12870, 12870)
    assert abs(mmd_test(X, Y, RBF).statistic - -0.05675003958696201) < 1e-12
    assert abs(exact.witness([[0.0, 0.0]])[0] - -0.05434931618948424) < 1e-12
    assert abs(exact.approximation.mean - exact.null_distribution.mean()) < 1e-12
    assert abs(exact.approximation.variance - exact.null_distribution.var()) < 1e-12


def test_a_gram_matrix_in_numpy_agrees() -> None:
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(70, 3)), rng.normal(size=(55, 3)) + 0.2
    Z = np.concatenate([X, Y])
    K = np.exp(-((Z[:, None] - Z) ** 2).sum(-1) / 2)
    K0 = K - np.diag(np.diag(K))
    expected = K0[:70, :70].sum() / (70 * 69) + K0[70:, 70:].sum() / (55 * 54) - 2 * K[:70, 70:].mean()
    found = mmd_test(X, Y, RBF, random_state=3)
    assert abs(found.statistic - expected) < 1e-12
    assert found.pvalue == (1 + (found.null_distribution >= found.statistic - found.tolerance).sum()) / 1000
    matrix = mmd_test(K, 70, "precomputed", random_state=3)
    assert np.allclose(matrix.null_distribution, found.null_distribution, rtol=0, atol=1e-12)
    values = found.witness()
    assert np.allclose(values, K[:, :70].mean(1) - K[:, 70:].mean(1), rtol=0, atol=1e-12)


def test_each_kernel_of_a_family_has_its_own_pvalue() -> None:
    """mmdagg's NumPy version names the p-values of its second family after other kernels."""
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(40, 2)), 1.4 * rng.normal(size=(35, 2))
    formulas = ["rbf(length_scale=0.1)", "rbf(length_scale=2)", "laplace(length_scale=0.1)", "laplace(length_scale=2)", "linear"]
    found = mmd_test(X, Y, formulas, random_state=5)
    assert [k.kernel for k in found.kernels] == formulas
    for tested in found.kernels:
        alone = mmd_test(X, Y, tested.kernel, random_state=5)
        assert tested.statistic == pytest.approx(alone.statistic, abs=1e-12)
        assert tested.pvalue == alone.pvalue, tested.kernel
    assert len({k.pvalue for k in found.kernels}) > 3


def test_every_container_gives_the_same() -> None:
    X, Y = golden()
    expected = mmd_test(X, Y, RBF).null_distribution
    for wrap in (
        list,
        lambda A: A.tolist(),
        scipy.sparse.csr_array,
        lambda A: pd.DataFrame(A, columns=["a", "b"]),
        lambda A: pl.DataFrame({"a": A[:, 0], "b": A[:, 1]}),
        lambda A: {"a": A[:, 0], "b": A[:, 1]},
    ):
        found = mmd_test(wrap(X), wrap(Y), RBF).null_distribution
        assert np.allclose(found, expected, rtol=0, atol=1e-12)


def test_texts_and_mixed_tables_have_a_default() -> None:
    cats, dogs = ["a cat", "the cat", "cats"] * 6, ["a dog", "the dog", "dogs"] * 6
    assert mmd_test(cats, dogs).pvalue == 0.001
    assert mmd_test(cats, cats).pvalue > 0.5
    frame = pd.DataFrame({"n": np.arange(18.0), "c": pd.Categorical(["x", "y"] * 9), "words": cats})
    found = mmd_test(frame, frame)
    assert found.pvalue > 0.5 and found.aggregation == "fuse" and "hamming" in found.kernels[-1].kernel


def test_the_answer_reads_as_a_sentence() -> None:
    X, Y = golden()
    found = mmd_test(X, Y + 3)
    assert repr(found).startswith("fused MMD² = ") and "of 999 permutations reach it" in repr(found)
    assert found.sizes == (8, 8) and found.resolution == 0.001 and found.stop == "all"
    one = mmd_test(X, Y, "rbf")
    assert one.kernels[0].found[0].rule == "median" and str(one.kernel) == one.kernels[0].kernel
    figure = found.plot()
    assert [panel["title"] for panel in figure.data] == ["Null distribution", "Witness function at the rows"]


def test_estimates_stops_and_series() -> None:
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(200, 1)), rng.normal(size=(200, 1))
    assert mmd_test(X, Y, "rbf", estimate="linear").null == "normal"
    assert mmd_test(X, Y, "rbf", estimate="block").resolution == 0.0
    early = mmd_test(X, Y, "rbf", enough=5)
    assert early.stop == "sequential" and early.pvalue == 5 / early.n_permutations
    assert mmd_test(X, Y, "rbf", lag=10, estimate="biased").null == "wild_bootstrap"
    same = mmd_test(X, Y, "rbf", n_jobs=1), mmd_test(X, Y, "rbf", n_jobs=2)
    assert np.array_equal(same[0].null_distribution, same[1].null_distribution)


def test_own_functions_are_kernels() -> None:
    X, Y = golden()
    found = mmd_test(X, Y, lambda x, y: float(np.exp(-((x - y) ** 2).sum() / 2)))
    assert np.allclose(found.null_distribution, mmd_test(X, Y, RBF).null_distribution, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_permutations": 0}, "n_permutations"),
        ({"n_permutations": 2.5}, "n_permutations"),
        ({"enough": 0}, "enough"),
        ({"estimate": "best"}, "estimate"),
        ({"random_state": "seed"}, "random_state"),
        ({"lag": -1.0}, "lag"),
        ({"Y": golden(8, 1)[1]}, "at least 2 rows"),
        ({"Y": np.ones((4, 3))}, "columns"),
        ({"Y": np.array([[np.nan, 1.0], [1.0, 2.0]])}, "NaN"),
        ({"kernel": "spectrum"}, "text"),
        ({"kernel": ["rbf", "laplace"], "estimate": "linear"}, "one kernel"),
    ],
)
def test_what_cannot_be_tested_is_refused(change: dict, words: str) -> None:
    X, Y = golden()
    with pytest.raises((ValueError, TypeError, mercer.MercerError), match=words):
        mmd_test(**{"X": X, "Y": Y, **change})


def test_columns_that_differ_are_named() -> None:
    X, Y = golden()
    with pytest.raises(mercer.MercerError, match="`b`"):
        mmd_test({"a": X[:, 0], "b": X[:, 1]}, {"a": Y[:, 0], "c": Y[:, 1]})


def test_nothing_is_said_that_need_not_be() -> None:
    X, Y = golden()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mmd_test(X, Y)
