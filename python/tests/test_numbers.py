"""Values against definitions written in numpy, and against scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA
from sklearn.metrics import pairwise
from sklearn.svm import SVC

import mercer
from mercer import Kernel

FIXTURES = Path(__file__).parents[2] / "crates/mercer/tests/fixtures/scikit-learn-1.9.1/kernels.json"

DEFINITIONS = {
    "linear": lambda x, y: x @ y.T,
    "rbf(length_scale=2)": lambda x, y: np.exp(-cdist(x, y) ** 2 / 8),
    "laplace(length_scale=2)": lambda x, y: np.exp(-cdist(x, y) / 2),
    "matern32(length_scale=2)": lambda x, y: (1 + 3**0.5 * cdist(x, y) / 2) * np.exp(-(3**0.5) * cdist(x, y) / 2),
    "poly(degree=3, gamma=0.5, coef0=1)": lambda x, y: (0.5 * x @ y.T + 1) ** 3,
    "0.5*rbf(length_scale=2)*linear + 3": lambda x, y: 0.5 * np.exp(-cdist(x, y) ** 2 / 8) * (x @ y.T) + 3,
    "exp(0.1*linear)": lambda x, y: np.exp(0.1 * x @ y.T),
    "linear^2": lambda x, y: (x @ y.T) ** 2,
}


@pytest.mark.parametrize("formula", DEFINITIONS)
def test_values_are_those_of_the_definition(formula: str, X: np.ndarray, Y: np.ndarray) -> None:
    kernel, definition = Kernel(formula), DEFINITIONS[formula]
    for got, expected in [(kernel.gram(X), definition(X, X)), (kernel.gram(X, Y), definition(X, Y))]:
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12 if "lap" not in formula else 2e-7)
    np.testing.assert_allclose(kernel.diag(X), np.diag(definition(X, X)), rtol=1e-12)


def test_values_are_those_of_scikit_learn(X: np.ndarray, Y: np.ndarray) -> None:
    pairs = [
        ("rbf(gamma=0.7)", pairwise.rbf_kernel(X, Y, gamma=0.7)),
        ("laplace_l1(gamma=0.7)", pairwise.laplacian_kernel(X, Y, gamma=0.7)),
        ("poly(degree=2, gamma=0.7, coef0=1.5)", pairwise.polynomial_kernel(X, Y, degree=2, gamma=0.7, coef0=1.5)),
        ("cosine", pairwise.cosine_similarity(X, Y)),
        ("linear", pairwise.linear_kernel(X, Y)),
    ]
    for formula, expected in pairs:
        np.testing.assert_allclose(Kernel(formula).gram(X, Y), expected, rtol=1e-12, atol=1e-12)


def _golden() -> list[dict[str, object]]:
    """The cases on dense rows; those on series and text are read by the Rust tests."""
    return [case for case in json.loads(FIXTURES.read_text())["cases"] if case["inputs"] == "dense"]


@pytest.mark.parametrize("case", _golden(), ids=lambda case: case["name"])
def test_golden_numbers(case: dict[str, object]) -> None:
    X = np.array(case["X"])
    kernel = Kernel(case["formula"])
    key = next(k for k in ("K", "gram", "values") if k in case)
    np.testing.assert_allclose(kernel.gram(X), np.array(case[key]), rtol=1e-9, atol=1e-9)


def test_products_columns_and_gradients_agree_with_the_matrix(X: np.ndarray, Y: np.ndarray) -> None:
    kernel = Kernel("2*rbf(length_scale=1.5) + linear")
    rng = np.random.default_rng(3)
    K, C = kernel.gram(X), kernel.gram(X, Y)
    v, V = rng.normal(size=60), rng.normal(size=(35, 4))
    np.testing.assert_allclose(kernel.matvec(X, v), K @ v, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.matvec(X, V, Y), C @ V, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(kernel.column(X, 7), K[:, 7])
    np.testing.assert_array_equal(kernel.column(X, -1, Y), C[:, -1])
    W, theta, h = rng.normal(size=K.shape), kernel.theta, 1e-6
    for k, slope in enumerate(kernel.gradient(X, W)):
        step = h * np.eye(len(theta))[k]
        up, down = kernel.with_theta(theta + step), kernel.with_theta(theta - step)
        assert slope == pytest.approx(np.sum(W * (up.gram(X) - down.gram(X))) / (2 * h), rel=1e-6, abs=1e-6)


def test_the_number_of_threads_changes_nothing(X: np.ndarray) -> None:
    kernel = Kernel("rbf(length_scale=1) + linear")
    np.testing.assert_array_equal(kernel.gram(X, n_jobs=1), kernel.gram(X, n_jobs=3))
    np.testing.assert_array_equal(kernel.gram(X, n_jobs=-1), kernel.gram(X))


def test_rules_are_resolved_from_the_first_set(X: np.ndarray, Y: np.ndarray) -> None:
    kernel = Kernel("rbf")
    resolved, found = kernel.resolve(X)
    assert not kernel.is_resolved and resolved.is_resolved
    assert [r.path for r in found] == ["rbf.length_scale"] and found[0].rule == "median"
    np.testing.assert_array_equal(kernel.gram(X), resolved.gram(X))
    with pytest.warns(mercer.MercerWarning, match="resolved from `X`"):
        np.testing.assert_array_equal(kernel.gram(X, Y), resolved.gram(X, Y))


def test_scikit_learn_takes_a_kernel_as_its_own() -> None:
    iris = mercer.load("iris")
    X, y = np.column_stack(list(iris.data.values())), iris.target.astype(str)
    kernel = Kernel("rbf(gamma=0.5)")
    mine, theirs = SVC(kernel=kernel).fit(X, y), SVC(gamma=0.5).fit(X, y)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    points = X[::10]
    # KernelPCA calls the kernel with one pair of rows at a time.
    mine, theirs = KernelPCA(2, kernel=kernel).fit(points), KernelPCA(2, kernel="rbf", gamma=0.5).fit(points)
    np.testing.assert_allclose(mine.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    with pytest.raises(mercer.errors.UnsupportedError, match="resolve"):
        SVC(kernel=Kernel("rbf")).fit(X, y)
