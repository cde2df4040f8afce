"""Kernels as parameters: names of settings, scikit-learn's kernels, functions, and the algebra."""

from __future__ import annotations

import copy
import pickle
import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import kernels as sk
from sklearn.kernel_ridge import KernelRidge as Reference
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mercer
from mercer import GaussianProcessRegressor, Kernel, KernelRidge, errors


@pytest.fixture
def y(X: np.ndarray) -> np.ndarray:
    return np.sin(X[:, 0]) + X[:, 1] ** 2


# Names.


@pytest.mark.parametrize("kernel", [mercer.kernels.rbf(), "rbf", None, "1*rbf", sk.RBF(), "rbf + linear"])
def test_length_scales_are_searched_by_the_name_everyone_types(X: np.ndarray, y: np.ndarray, kernel: Any) -> None:
    before = str(kernel)
    scales = [0.1, 1.0, 10.0]
    search = GridSearchCV(KernelRidge(kernel, alpha=0.1), {"kernel__length_scale": scales}, cv=3).fit(X, y)
    formula = {"rbf + linear": "rbf(length_scale={}) + linear"}.get(before, "rbf(length_scale={})")
    expected = GridSearchCV(KernelRidge(alpha=0.1), {"kernel": [formula.format(s) for s in scales]}, cv=3).fit(X, y)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], rtol=1e-9)
    assert str(kernel) == before, "what was given is not changed"


def test_settings_of_composed_kernels_go_by_path(X: np.ndarray, y: np.ndarray) -> None:
    k = Kernel("0.5*rbf(length_scale=1) + poly(degree=2)*matern32(length_scale=[1, 2, 3])")
    assert k.get_params() == {
        "0.scale": 0.5,
        "0.rbf.length_scale": 1.0,
        "1.0.poly.degree": 2,
        "1.0.poly.gamma": 1.0,
        "1.0.poly.coef0": 1.0,
        "1.1.matern32.length_scale": [1.0, 2.0, 3.0],
    }
    assert k.with_params(**k.get_params()) == k
    paths = {p.path for p in k.params}
    for path in paths:
        assert k.with_params(**{path: 1.0}) is not None
    assert str(k.with_params(rbf__length_scale=3)) == str(k).replace("rbf(length_scale=1)", "rbf(length_scale=3)")
    assert k.with_params(degree=5).get_params()["1.0.poly.degree"] == 5
    with pytest.raises(errors.InvalidParameterError, match=r"one of `0.rbf.length_scale`, `1.1.matern32.length_scale`"):
        k.with_params(length_scale=1)
    with pytest.raises(errors.InvalidParameterError, match="the nearest is `degree`"):
        k.with_params(degre=1)
    model = KernelRidge("rbf + 0.1*linear").set_params(kernel__0__rbf__length_scale=2, alpha=3)
    assert (str(model.kernel), model.alpha) == ("rbf(length_scale=2) + 0.1*linear", 3)
    assert str(KernelRidge("rbf").set_params(kernel="matern32", kernel__length_scale=2).kernel) == "matern32(length_scale=2)"
    pipe = make_pipeline(StandardScaler(), KernelRidge("poly"))
    assert GridSearchCV(pipe, {"kernelridge__kernel__degree": [1, 2]}, cv=2).fit(X, y).best_params_ != {}


@pytest.mark.parametrize("value", [-1, 0, np.nan, True, object(), "1) + linear(", "1, x0", [[1.0]]])
def test_values_that_are_none_are_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        KernelRidge("rbf").set_params(kernel__length_scale=value)


def test_copies_are_copies(X: np.ndarray, y: np.ndarray) -> None:
    k = mercer.kernels.rbf(length_scale=2) + 1
    for copied in (clone(k), copy.copy(k), copy.deepcopy(k), pickle.loads(pickle.dumps(k))):
        assert copied == k and copied.set_params(length_scale=3) is copied
        assert copied != k and repr(k) == 'Kernel("rbf(length_scale=2) + 1")'
    model = KernelRidge(k)
    assert KernelRidge(**KernelRidge("rbf", alpha=2).get_params()).alpha == 2
    assert repr(clone(model)) == 'KernelRidge(kernel=Kernel("rbf(length_scale=2) + 1"))'
    assert model.get_params()["kernel__0.rbf.length_scale"] == 2.0
    assert "rbf" in model._repr_html_()
    # In the hands of scikit-learn's own estimators, too.
    grid = {"kernel__length_scale": [0.5, 1.0]}
    assert GridSearchCV(SVC(kernel=mercer.kernels.rbf(length_scale=1)), grid, cv=2).fit(X, y > 1).best_score_ > 0.5
    theirs = Reference(kernel=mercer.kernels.rbf(length_scale=1)).set_params(kernel__length_scale=2).fit(X, y)
    np.testing.assert_allclose(theirs.predict(X), KernelRidge("rbf(length_scale=2)").fit(X, y).predict(X), rtol=1e-9)


# Kernels of scikit-learn.

FORMULAS = {
    "rbf(length_scale=1.5)": sk.RBF(1.5),
    "rbf(length_scale=[1, 2, 3])": sk.RBF([1.0, 2.0, 3.0]),
    "rbf(length_scale=2 in [0.01, 10])": sk.RBF(2.0, (1e-2, 10)),
    "rbf(length_scale=2!)": sk.RBF(2.0, "fixed"),
    "matern12(length_scale=2)": sk.Matern(2.0, nu=0.5),
    "matern32(length_scale=2)": sk.Matern(2.0, nu=1.5),
    "matern52(length_scale=[1, 2, 3])": sk.Matern([1.0, 2.0, 3.0], nu=2.5),
    "rbf(length_scale=2)": sk.Matern(2.0, nu=np.inf),
    "Matern_0": sk.Matern(2.0, nu=0.7),
    "rational_quadratic(length_scale=1.5, alpha=0.7)": sk.RationalQuadratic(1.5, 0.7),
    "linear + 0.25": sk.DotProduct(0.5),
    "linear": sk.DotProduct(0.0),
    "2*rbf(length_scale=3)": sk.ConstantKernel(2.0) * sk.RBF(3.0),
    "2 in [1, 5]*rbf(length_scale=3)": sk.ConstantKernel(2.0, (1, 5)) * sk.RBF(3.0),
    "rbf(length_scale=1)*(linear + 4)": sk.RBF() * sk.DotProduct(2.0),
    "rbf(length_scale=1)^2 + linear + 1": sk.RBF() ** 2 + sk.DotProduct(),
    "(linear + 0.25)^3": sk.DotProduct(0.5) ** 3,
    "rbf(length_scale=0.5)": sk.PairwiseKernel(2.0, metric="rbf"),
    "laplace_l1(length_scale=2)": sk.PairwiseKernel(0.5, metric="laplacian"),
    "poly(degree=3, gamma=0.5, coef0=1!)": sk.PairwiseKernel(0.5, metric="poly"),
    "poly(degree=2, gamma=0.5, coef0=3!)": sk.PairwiseKernel(
        0.5, metric="polynomial", pairwise_kernels_kwargs={"degree": 2, "coef0": 3}
    ),
    "cosine": sk.PairwiseKernel(metric="cosine"),
    "Matern_0 + Matern_1": sk.Matern(nu=0.7) + sk.Matern(nu=0.8),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_kernels_of_scikit_learn_are_translated_number_for_number(X: np.ndarray, Y: np.ndarray, formula: str) -> None:
    theirs = FORMULAS[formula]
    ours = Kernel(theirs)
    assert str(ours) == formula
    np.testing.assert_allclose(ours.gram(X), theirs(X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ours.gram(Y, X), theirs(Y, X), rtol=1e-12, atol=1e-13)


def test_kernels_of_scikit_learn_as_parameters(X: np.ndarray, y: np.ndarray) -> None:
    expected = KernelRidge("2*rbf(length_scale=1.5)").fit(X, y).predict(X)
    model = KernelRidge(sk.ConstantKernel(2.0) * sk.RBF(1.5)).fit(X, y)
    assert np.array_equal(model.predict(X), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)
    with pytest.raises(errors.UnsupportedError, match="(?s)WhiteKernel.*`alpha=0.3`"):
        KernelRidge(sk.RBF() + sk.WhiteKernel(0.3)).fit(X, y)
    with pytest.raises(TypeError, match=r"write `RBF\(\)`"):
        KernelRidge(sk.RBF).fit(X, y)
    # Of one column it is a formula; of several, another function, which is called as it is.
    one = KernelRidge(sk.ExpSineSquared(1.3, 2.1)).fit(X[:, :1], y)
    assert str(one.kernel_) == "periodic(length_scale=1.3, period=2.1)"
    np.testing.assert_allclose(one.kernel_.gram(X[:, :1]), sk.ExpSineSquared(1.3, 2.1)(X[:, :1]), rtol=1e-12)
    tuned = GaussianProcessRegressor(sk.RBF(1.0, (0.5, 2.0)), alpha_bounds="fixed").fit(X, y)
    assert 0.5 <= tuned.kernel_.get_params()["length_scale"] <= 2.0


# Functions.


def test_functions_are_called_as_scikit_learn_calls_them(X: np.ndarray, Y: np.ndarray, y: np.ndarray) -> None:
    def tanimoto(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / (a @ a + b @ b - a @ b))

    theirs = Reference(kernel=tanimoto, alpha=0.5).fit(X, y)
    ours = KernelRidge(tanimoto, alpha=0.5).fit(X, y)
    np.testing.assert_allclose(ours.predict(Y), theirs.predict(Y), rtol=1e-9)
    # Mercer has a kernel of this name.
    assert str(ours.kernel_) == "own_tanimoto"
    np.testing.assert_allclose(Kernel(tanimoto).gram(Y, X), pairwise_kernels(Y, X, metric=tanimoto), rtol=1e-12)
    # Functions of scikit-learn's take whole sets, as its documentation says of them.
    np.testing.assert_allclose(Kernel(rbf_kernel).gram(X), rbf_kernel(X), rtol=1e-12)
    assert str(Kernel(lambda a, b: float(a @ b))) == "function"

    def whole(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return A[:, :1] @ B[:, :1].T

    with pytest.raises(IndexError) as raised:
        KernelRidge(whole).fit(X, y)
    assert any("vectorized=True" in note for note in raised.value.__notes__)
    with pytest.raises(errors.DataError, match="vectorized=True"):
        KernelRidge(lambda a, b: np.outer(a, b)).fit(X, y)
    for wrong in (3, object(), ["rbf"]):
        with pytest.raises(TypeError, match="a kernel is made from"):
            KernelRidge(wrong).fit(X, y)  # type: ignore[arg-type]


# The algebra.


def test_quotients_and_differences() -> None:
    k = Kernel("rbf(length_scale=1)")
    assert k / 2 == 0.5 * k and k / np.float64(4) == 0.25 * k
    assert str(Kernel("2*linear + 4") / 2) == str(0.5 * Kernel("2*linear + 4"))
    # What is the same on both sides is taken away exactly.
    assert (str(k - k), str(k / k), str(2 * k - k / 2)) == ("0", "1", str(1.5 * k))
    for refused in (lambda: k - 1, lambda: 1 - k, lambda: -k, lambda: 1 / k, lambda: k - 2 * k):
        with pytest.raises(errors.MercerError, match="positive definite|definite|zero|0"):
            refused()
    with pytest.raises(errors.InvalidParameterError, match="a number > 0"):
        k / 0
    own = Kernel.from_function(lambda a, b: float(a @ b), name="own")
    assert str(own / 2) == "0.5*own"
    with pytest.raises(errors.MercerError):
        own - k


# One pair.


def test_a_pair_is_the_entry_of_its_matrix(X: np.ndarray) -> None:
    own = Kernel.from_function(lambda a, b: float(a @ b), name="own")
    for k in (Kernel("0.5*rbf(length_scale=2) + linear^2"), Kernel("periodic(x1)*laplace_l1(length_scale=1)"), own):
        for a, b in [(X[0], X[1]), (X[3], X[3]), (X[:, 0][:3], X[5]), (X[0].astype(np.float32), X[1])]:
            assert k(a, b) == k.gram(np.array([a], dtype=float), np.array([b], dtype=float))[0, 0]
    with pytest.raises(errors.UnsupportedError, match="resolve"):
        Kernel("rbf")(X[0], X[1])
    for bad in (np.array([np.nan, 0, 0]), np.ones(2)):
        with pytest.raises(ValueError):
            Kernel("linear")(X[0], bad)


def test_a_pair_starts_no_thread(X: np.ndarray) -> None:
    """A thread of its own took most of the 0.1 ms of a pair: what the call costs now is its own arithmetic."""
    k, x, y = Kernel("rbf(length_scale=2)"), X[0], X[1]
    k(x, y)
    others, own = time.process_time() - time.thread_time(), time.thread_time()
    for _ in range(500):
        k(x, y)
    spent = time.thread_time() - own
    assert time.process_time() - time.thread_time() - others <= 0.5 * spent + 0.01
