"""Support vector machines agree with scikit-learn's, and keep its contract."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_moons,
)
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.errors import InvalidParameterError, MercerWarning, UnsupportedError

#: As exact as copies and weights must agree for scikit-learn's checks: to 1e-7.
EXACT = {"tol": 1e-10, "gap": 1e-9}


@parametrize_with_checks(
    [
        SVC(**EXACT),
        SVC(kernel="precomputed", repair="clip", **EXACT),
        SVC(kernel="0.5*matern52 + linear", multi_class="one_vs_rest", **EXACT),
        # A nu of 0.5 is infeasible in one of the checks.
        NuSVC(nu=0.2, **EXACT),
        SVR(**EXACT),
        NuSVR(**EXACT),
        OneClassSVM(**EXACT),
    ]
)
def test_contract(estimator: Any, check: Any) -> None:
    if isinstance(estimator, NuSVC) and "sparse_tag" in str(check):
        # Labels by chance on rows that repeat: the reduced hulls meet, and there is no margin to find.
        with pytest.raises(AssertionError) as refused:
            check(estimator)
        assert "reduced hulls meet" in str(refused.value.__cause__)
        return
    with warnings.catch_warnings():
        # Some checks allow few steps, or give matrices that no kernel gives.
        warnings.simplefilter("ignore", MercerWarning)
        check(estimator)


# Twelve problems, solved by both.


def scaled(data: tuple[Any, Any]) -> tuple[Any, Any]:
    return StandardScaler().fit_transform(data[0]), data[1]


def weights(n: int) -> np.ndarray:
    return np.random.default_rng(5).uniform(0.1, 3, n)


IRIS, WINE = load_iris(return_X_y=True), scaled(load_wine(return_X_y=True))
CANCER = scaled(load_breast_cancer(return_X_y=True))
DIGITS = tuple(part[:400] for part in load_digits(return_X_y=True))
DIABETES = tuple(StandardScaler().fit_transform(part.reshape(len(part), -1)) for part in load_diabetes(return_X_y=True))
DIABETES = (DIABETES[0], DIABETES[1][:, 0])
MOONS = make_moons(300, noise=0.3, random_state=0)
MADE = make_classification(250, 20, n_informative=6, n_classes=4, random_state=1)

#: Name: classes, data, whether rows have weights, parameters.
PROBLEMS: dict[str, tuple[str, Any, bool, dict[str, Any]]] = {
    "iris_rbf": ("SVC", IRIS, False, {"C": 2.0}),
    "wine_linear": ("SVC", WINE, False, {"kernel": "linear"}),
    "cancer_balanced": ("SVC", CANCER, False, {"class_weight": "balanced", "C": 5.0}),
    "digits_poly": ("SVC", DIGITS, False, {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 1e-3}),
    "digits_sparse": ("SVC", (sp.csr_matrix(DIGITS[0]), DIGITS[1]), False, {"gamma": 1e-3}),
    "made_weighted": ("SVC", MADE, True, {"gamma": 0.05, "class_weight": {0: 2.0, 3: 0.5}}),
    "iris_sigmoid": ("SVC", IRIS, False, {"kernel": "sigmoid", "gamma": 0.01}),
    "wine_precomputed": ("SVC", (WINE[0] @ WINE[0].T, WINE[1]), False, {"kernel": "precomputed", "C": 0.1}),
    "moons_nu": ("NuSVC", MOONS, True, {"nu": 0.4, "gamma": 1.0}),
    "diabetes_svr": ("SVR", DIABETES, True, {"C": 3.0, "gamma": 0.1}),
    "diabetes_nu": ("NuSVR", DIABETES, False, {"nu": 0.3, "kernel": "linear"}),
    "cancer_one_class": ("OneClassSVM", CANCER, True, {"nu": 0.15, "gamma": 0.02}),
}


@pytest.fixture(scope="module", params=PROBLEMS)
def both(request: pytest.FixtureRequest) -> tuple[Any, Any, Any, Any]:
    """A problem solved by Mercer and by scikit-learn: both models, points, their Gram matrix."""
    name, (X, y), weighted, params = PROBLEMS[request.param]
    w = weights(X.shape[0]) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MercerWarning)
        ours = getattr(mercer, name)(tol=1e-6, gap=1e-6, **params).fit(X, y, sample_weight=w)
    theirs = getattr(svm, name)(tol=1e-6, cache_size=500, **params).fit(X, y, sample_weight=w)
    return ours, theirs, X, X if params.get("kernel") == "precomputed" else ours.kernel_.gram(X)


def dense(values: Any) -> np.ndarray:
    return values.toarray() if sp.issparse(values) else np.asarray(values)


def test_decision_values_agree(both: tuple[Any, Any, Any, Any]) -> None:
    ours, theirs, X, _ = both
    method = "decision_function" if hasattr(theirs, "decision_function") else "predict"
    mine, other = getattr(ours, method)(X), getattr(theirs, method)(X)
    assert mine.shape == other.shape and mine.dtype == other.dtype
    np.testing.assert_allclose(mine, other, rtol=1e-3, atol=1e-3 * np.abs(other).max())
    if hasattr(theirs, "classes_"):
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        pairs = [m.set_params(decision_function_shape="ovo").decision_function(X) for m in (ours, theirs)]
        np.testing.assert_allclose(*pairs, rtol=1e-3, atol=1e-3 * np.abs(pairs[1]).max())
        ours.set_params(decision_function_shape="ovr"), theirs.set_params(decision_function_shape="ovr")
    elif method == "decision_function":
        sure = np.abs(other) > 1e-4  # rows on the boundary have values of 0 to rounding
        np.testing.assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-4)


def dual_value(model: Any, K: np.ndarray) -> float:
    """The dual objective of a machine, summed over its functions, from its coefficients in scikit-learn's layout."""
    coefficients, rows = dense(model.dual_coef_), model.support_
    if not hasattr(model, "classes_") or len(model.classes_) == 2:
        return dual_of(model, coefficients[0], K[np.ix_(rows, rows)])
    ends = np.concatenate([[0], np.cumsum(model.n_support_)])
    total = 0.0
    for i in range(len(model.classes_)):
        for j in range(i + 1, len(model.classes_)):
            first, second = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
            v = np.concatenate([coefficients[j - 1, first], coefficients[i, second]])
            at = np.concatenate([rows[first], rows[second]])
            total += dual_of(model, v, K[np.ix_(at, at)])
    return total


def dual_of(model: Any, v: np.ndarray, K: np.ndarray) -> float:
    square = 0.5 * v @ K @ v
    if type(model).__name__ == "SVC":
        return float(np.abs(v).sum() - square)
    return float(square)  # the others hold the rest of it fixed, or it is looked at below


def test_duals_agree(both: tuple[Any, Any, Any, Any]) -> None:
    ours, theirs, _, K = both
    if type(ours).__name__ in ("SVR", "NuSVR"):
        y, w = DIABETES[1], 0.1 if type(ours).__name__ == "SVR" else 0.0
        mine, other = (
            m.dual_coef_[0] @ y[m.support_] - w * np.abs(m.dual_coef_).sum() - dual_value(m, K) for m in (ours, theirs)
        )
    else:
        mine, other = dual_value(ours, K), dual_value(theirs, K)
    # Of NuSVC both are divided by ρ², which is known to the tolerance.
    assert mine == pytest.approx(other, rel=1e-5 if type(ours).__name__ == "NuSVC" else 1e-6)


def test_supports_agree(both: tuple[Any, Any, Any, Any]) -> None:
    ours, theirs, _, _ = both
    apart = set(ours.support_.tolist()) ^ set(theirs.support_.tolist())
    size = np.abs(dense(theirs.dual_coef_)).max()
    for model in (ours, theirs):
        own = np.isin(model.support_, sorted(apart))
        assert np.all(np.abs(dense(model.dual_coef_)[:, own]) < 1e-4 * size)


def test_attributes_are_those_of_scikit_learn(both: tuple[Any, Any, Any, Any]) -> None:
    ours, theirs, _, _ = both
    for name in ("support_", "n_support_", "dual_coef_", "support_vectors_", "intercept_", "classes_", "class_weight_"):
        if not hasattr(theirs, name):
            assert not hasattr(ours, name)
            continue
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert type(mine) is type(other) and mine.dtype == other.dtype, name
        if len(ours.support_) == len(theirs.support_):
            assert mine.shape == other.shape, name
    np.testing.assert_array_equal(ours.n_support_.sum(), len(ours.support_))
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-3, atol=1e-4)
    assert (ours.fit_status_, ours.shape_fit_) == (theirs.fit_status_, theirs.shape_fit_)
    assert type(ours.n_iter_) is type(theirs.n_iter_) and np.shape(ours.n_iter_) == np.shape(theirs.n_iter_)
    assert hasattr(ours, "coef_") == hasattr(theirs, "coef_")
    if hasattr(theirs, "coef_"):
        assert type(ours.coef_) is type(theirs.coef_) and ours.coef_.shape == theirs.coef_.shape
        np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), atol=1e-4)
    if hasattr(theirs, "class_weight_"):
        np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    if hasattr(theirs, "offset_"):
        np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-4)


def test_certificates_hold(both: tuple[Any, Any, Any, Any]) -> None:
    ours, _, _, _ = both
    found = ours.certificate_
    assert found.stop == "tolerance" and found.kkt_violation <= 1e-6
    assert found.support_vectors == len(ours.support_)
    if ours.kernel == "sigmoid":
        assert found.gap is None and any(note.kind == "no_duality" for note in ours.notes_)
    else:
        assert 0 <= found.gap <= 1e-4 * abs(found.primal)


@pytest.mark.parametrize("matrix", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_linear_machines(matrix: Any, classes: int) -> None:
    X, y = IRIS[0][IRIS[1] < classes], IRIS[1][IRIS[1] < classes]
    ours, theirs = (m.fit(matrix(X), y) for m in (SVC(kernel="linear", tol=1e-6), svm.SVC(kernel="linear", tol=1e-6)))
    for name in ("coef_", "dual_coef_", "support_vectors_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert type(mine) is type(other) and mine.shape == other.shape
        np.testing.assert_allclose(mine.toarray(), other.toarray(), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


# Kernels.


def test_words_and_formulas() -> None:
    X, y = IRIS
    f = SVC(kernel="rbf", gamma=0.5).fit(X, y).decision_function(X)
    for same in ("rbf(length_scale=1)", "rbf(gamma=0.5)", mercer.Kernel("rbf(length_scale=1)")):
        np.testing.assert_allclose(SVC(kernel=same).fit(X, y).decision_function(X), f, rtol=1e-10)
    scale = SVC().fit(X, y).kernel_.params[0].value
    assert scale == pytest.approx((0.5 * X.shape[1] * X.var()) ** 0.5, rel=1e-12)
    assert SVC(gamma="auto").fit(X, y).kernel_.params[0].value == pytest.approx(2**0.5, rel=1e-12)
    sparse = SVC().fit(sp.csr_matrix(X), y).kernel_.params[0].value
    assert sparse == pytest.approx(scale, rel=1e-12)
    assert str(SVC(kernel="rbf(length_scale=median)").fit(X, y).kernel_) != str(SVC().fit(X, y).kernel_)
    assert "linear" in str(SVC(kernel="rbf(length_scale=2) + linear").fit(X, y).kernel_)
    assert len(set(SVC(kernel="poly", degree=0).fit(X, y).predict(X))) == 1  # a constant kernel tells nothing apart


def test_functions_get_whole_sets_of_points() -> None:
    X, y = IRIS

    def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        assert a.ndim == b.ndim == 2
        return a @ b.T

    ours, theirs = SVC(kernel=inner).fit(X, y), svm.SVC(kernel="linear").fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-2)
    # Support vectors alone are compared with.
    seen: list[int] = []
    ours = SVC(kernel=lambda a, b: (seen.append(len(b)), a @ b.T)[1]).fit(X, y)
    seen.clear()
    ours.predict(X)
    assert max(seen) <= len(ours.support_)


def test_the_sigmoid_warns_that_it_is_indefinite() -> None:
    with pytest.warns(MercerWarning, match="not positive definite"):
        SVC(kernel="sigmoid", gamma=0.01).fit(*IRIS)


def test_texts_and_mixed_columns() -> None:
    words = ["abc", "abd", "xyz", "xyw"]
    texts = SVC(kernel="ngram(n=2)").fit(words, [0, 0, 1, 1])
    assert texts.predict(["abx", "wxy"]).tolist() == [0, 1]
    assert texts.support_vectors_ == [words[i] for i in texts.support_]
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=60), "place": ["a", "b", "c"] * 20})
    y = np.where(table["place"] == "a", 1, -1)
    for machine in (SVC(kernel=None), SVC(kernel="rbf(x) + hamming(place)")):
        assert machine.fit(table, y).score(table, y) == 1.0
        assert machine.predict(table[["place", "x"]][:3].iloc[:, ::-1]).tolist() == [1, -1, -1]
    assert OneClassSVM(kernel="hamming").fit(table[["place"]]).predict(table[["place"]][:3]).shape == (3,)
    assert SVR(kernel=None).fit(table, y).predict(table).shape == (60,)


def test_frames_of_numbers_have_arrays_of_support_vectors() -> None:
    frame = load_iris(as_frame=True)
    named = SVC(kernel="linear").fit(frame.data, frame.target)
    plain = SVC(kernel="linear").fit(*IRIS)
    assert list(named.feature_names_in_) == list(frame.data.columns)
    np.testing.assert_array_equal(named.support_vectors_, plain.support_vectors_)
    np.testing.assert_allclose(named.coef_, plain.coef_)


# scikit-learn's own tools.


def test_searches_pipelines_and_copies() -> None:
    X, y = IRIS
    grid = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 10.0], "svc__gamma": [0.01, 1.0]}, cv=3)
    assert grid.set_params().fit(X, y).best_score_ > 0.94
    kernels = GridSearchCV(SVC("rbf"), {"kernel__length_scale": [0.1, 2.0]}, cv=3).fit(X, y)
    assert kernels.best_params_ == {"kernel__length_scale": 2.0}
    assert cross_val_score(SVC(), X, y).mean() > 0.94
    assert cross_val_score(SVR(), *DIABETES, cv=3).mean() > 0.3
    chain = make_pipeline(StandardScaler(), SVC()).set_output(transform="pandas")
    assert chain.fit(load_iris(as_frame=True).data, y).score(load_iris(as_frame=True).data, y) > 0.94
    model = SVC(C=3.0, probability=True).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    for method in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    np.testing.assert_array_equal(again.support_vectors_, model.support_vectors_)


def test_shapes_of_decisions() -> None:
    X, y = IRIS
    model = SVC().fit(X, y)
    assert model.decision_function(X).shape == (150, 3)
    assert model.set_params(decision_function_shape="ovo").decision_function(X).shape == (150, 3)
    np.testing.assert_array_equal(model.predict(X), SVC().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="break_ties must be False"):
        SVC(decision_function_shape="ovo", break_ties=True).fit(X, y).predict(X)
    tied = SVC(break_ties=True).fit(X, y)
    np.testing.assert_array_equal(tied.predict(X), tied.decision_function(X).argmax(axis=1))
    rest = SVC(multi_class="one_vs_rest").fit(X, y)
    assert rest.dual_coef_.shape == (3, len(rest.support_)) and rest.decision_function(X).shape == (150, 3)
    with pytest.raises(InvalidParameterError, match="`ovr` or `ovo`"):
        SVC(decision_function_shape="all").fit(X, y)


def test_names_of_classes() -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[IRIS[1]]
    model = SVC(class_weight={"setosa": 2.0}).fit(IRIS[0], names)
    assert model.class_weight_.tolist() == [2.0, 1.0, 1.0]
    assert set(model.predict(IRIS[0])) == {"setosa", "versicolor", "virginica"}


# Probabilities.


def test_probabilities_agree_with_predictions() -> None:
    for X, y in (CANCER, MOONS, (MOONS[0], np.random.default_rng(0).integers(0, 2, 300))):
        model = SVC(probability=True).fit(X, y)
        p = model.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(p.argmax(axis=1), model.predict(X))
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(p))
        f = model.decision_function(X)
        assert np.all(np.diff(p[np.argsort(f), 1]) >= 0)
    assert any(note.kind == "probabilities" for note in model.notes_)


def test_two_separable_points_have_the_right_probabilities() -> None:
    X = np.array([[0.0], [1.0]])
    for machine in (SVC(probability=True), NuSVC(probability=True), SVC(C=np.inf, probability=True)):
        p = machine.fit(X, ["a", "b"]).predict_proba(X)
        np.testing.assert_allclose(p, [[2 / 3, 1 / 3], [1 / 3, 2 / 3]], atol=1e-3)
        assert machine.predict(X).tolist() == ["a", "b"]


def test_probabilities_are_asked_for() -> None:
    assert not hasattr(SVC(), "predict_proba") and not hasattr(NuSVC(), "predict_log_proba")
    model = SVC().fit(*IRIS)
    with pytest.raises(AttributeError) as refused:
        model.predict_proba(IRIS[0])
    assert "probability=False" in str(refused.value.__cause__)
    with pytest.raises(UnsupportedError):
        model.set_params(probability=True).predict_proba(IRIS[0])
    several = SVC(probability=True, random_state=0).fit(*IRIS)
    apart = np.mean(several.predict_proba(IRIS[0]).argmax(axis=1) != several.predict(IRIS[0]))
    told = [note.data["share"] for note in several.notes_ if note.kind == "votes_disagree"]
    assert told == [pytest.approx(apart)] and apart < 0.03


# One class.


def test_p_values_are_calibrated() -> None:
    rng = np.random.default_rng(0)
    train, new, far = rng.normal(size=(500, 2)), rng.normal(size=(500, 2)), rng.normal(size=(50, 2)) + 6
    model = OneClassSVM(nu=0.1, gamma=0.3, calibrate=True, random_state=0).fit(train)
    p = model.p_values(new)
    assert p.min() >= 1 / 501 and p.max() <= 1
    for level in (0.05, 0.2, 0.5):
        # Three deviations of a binomial of 500 rows, and as much for the training rows.
        assert abs(np.mean(p <= level) - level) < 3 * (2 * level * (1 - level) / 500) ** 0.5
    assert model.p_values(far).max() < 0.02
    with pytest.raises(UnsupportedError, match="calibrate"):
        OneClassSVM().fit(train).p_values(new)


def test_at_most_the_share_nu_is_outside() -> None:
    for nu in (0.05, 0.3, 0.7):
        model = OneClassSVM(nu=nu).fit(CANCER[0])
        assert np.mean(model.predict(CANCER[0]) == -1) <= nu <= len(model.support_) / len(CANCER[0]) + 1e-12
        np.testing.assert_array_equal(OneClassSVM(nu=nu).fit_predict(CANCER[0]), model.predict(CANCER[0]))
