"""Unary expansion: inner products of zeros and ones are minima of counts."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import mercer


def counts(n: int, most: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, most + 1, size=(n, 5))


def test_inner_products_are_sums_of_minima() -> None:
    X, new = counts(30, 4, 0), counts(20, 7, 1)
    unary = mercer.UnaryMap().fit(X)
    F, G = unary.transform(X), unary.transform(csr_array(new))
    minima = np.minimum(X[:, None, :], X[None, :, :]).sum(axis=2)
    np.testing.assert_array_equal((F @ F.T).toarray(), minima)
    np.testing.assert_array_equal((F @ F.T).toarray(), mercer.Kernel("min").gram(X))
    np.testing.assert_array_equal(mercer.Kernel("tanimoto").gram(F), mercer.Kernel("minmax").gram(X))
    # Counts beyond those of the fit lack nothing beside its rows.
    np.testing.assert_array_equal((G @ F.T).toarray(), mercer.Kernel("min").gram(new, X))
    assert F.shape == (30, unary.largest_.sum()) and set(F.data) == {1.0}


def test_a_linear_machine_of_it_learns_what_the_kernel_tells() -> None:
    X = counts(200, 6, 2)
    y = np.minimum(X[:, 0], X[:, 1]) > 2
    assert make_pipeline(mercer.UnaryMap(), LinearSVC(C=100)).fit(X, X[:, 0] > 2).score(X, X[:, 0] > 2) == 1.0
    assert make_pipeline(mercer.UnaryMap(), mercer.SVC("poly(degree=2)")).fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize("bad", [-1.0, 0.5])
def test_what_is_no_count_is_refused_with_its_place(bad: float) -> None:
    X = counts(4, 3, 3).astype(float)
    X[2, 1] = bad
    with pytest.raises(mercer.errors.DomainError, match=r"row 2, column 1"):
        mercer.UnaryMap().fit(X)
