"""Clusters, discriminants and canonical correlation: scikit-learn's contract, its numbers, and strange inputs."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import KernelCCA, KernelFisherDiscriminant, KernelKMeans, SpectralClustering

IRIS = StandardScaler().fit_transform(load_iris().data)


@parametrize_with_checks(
    [
        KernelKMeans(),
        KernelKMeans("linear", n_clusters=3, n_init=2),
        SpectralClustering(),
        KernelFisherDiscriminant(),
        KernelFisherDiscriminant("linear", alpha=0.1, class_weight="balanced"),
        KernelCCA(),
        KernelCCA("linear", n_components=1, alpha=0.1),
    ],
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_linear_kernel_is_k_means() -> None:
    ours = KernelKMeans("linear", n_clusters=3, random_state=0).fit(IRIS)
    theirs = KMeans(n_clusters=3, n_init=50, random_state=0).fit(IRIS)
    assert ours.inertia_ <= theirs.inertia_ * (1 + 1e-9)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) > 0.95
    centres = np.array([IRIS[ours.labels_ == c].mean(axis=0) for c in range(3)])
    distances = np.linalg.norm(IRIS[:, None] - centres, axis=2)
    np.testing.assert_allclose(ours.transform(IRIS), distances, rtol=1e-6, atol=1e-6)
    assert ours.certificate_.misplaced == 0 and ours.certificate_.restarts_at_best >= 1


@pytest.mark.parametrize("cls", [KernelKMeans, SpectralClustering])
def test_clusters_of_any_input(cls: Any) -> None:
    X, truth = make_blobs(n_samples=120, centers=3, random_state=4, cluster_std=0.5)
    model = cls("rbf(length_scale=2)", n_clusters=3).fit(X)
    assert adjusted_rand_score(model.labels_, truth) == 1.0
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(cls("rbf(length_scale=2)", n_clusters=3).fit_predict(sp.csr_array(X)), model.labels_)
    K = rbf_kernel(X, gamma=1 / 8)
    given = cls("precomputed", n_clusters=3).fit(K)
    # Clusters of a matrix are numbered by its rows: nobody knows its points.
    assert adjusted_rand_score(given.labels_, model.labels_) == 1.0
    np.testing.assert_array_equal(given.predict(K[:5]), given.labels_[:5])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    words = ["red car", "red cars", "blue sky", "blue skies"] * 3
    texts = cls("normalize(ngram(n=2))", n_clusters=2).fit(words).labels_
    assert texts[0] == texts[1] != texts[2] == texts[3]


def test_weights_mean_repetition() -> None:
    counts = np.random.default_rng(1).integers(0, 4, len(IRIS))
    for cls in (KernelKMeans, SpectralClustering):
        weighted = cls("rbf(length_scale=1)", n_clusters=4).fit(IRIS, sample_weight=counts)
        repeated = cls("rbf(length_scale=1)", n_clusters=4).fit(np.repeat(IRIS, counts, axis=0))
        np.testing.assert_array_equal(weighted.predict(IRIS), repeated.predict(IRIS))
        assert len(weighted.labels_) == len(IRIS)


def test_the_order_of_rows_does_not_matter() -> None:
    order = np.random.default_rng(5).permutation(len(IRIS))
    frame = pd.DataFrame(IRIS, columns=list("abcd")).assign(kind=np.where(IRIS[:, 0] > 0, "large", "small"))
    for cls in (KernelKMeans, SpectralClustering):
        one, other = (cls("rbf(length_scale=1)", n_clusters=4).fit(X).labels_ for X in (IRIS, IRIS[order]))
        np.testing.assert_array_equal(one[order], other)
        formula = "rbf(a, b, length_scale=1) + delta(kind)"
        one, other = (cls(formula, n_clusters=3).fit(X).labels_ for X in (frame, frame.iloc[order]))
        np.testing.assert_array_equal(one[order], other)


def test_names_and_frames_out() -> None:
    model = KernelKMeans("linear", n_clusters=2).fit(IRIS).set_output(transform="pandas")
    assert list(model.get_feature_names_out()) == ["kernelkmeans0", "kernelkmeans1"]
    assert isinstance(model.transform(IRIS), pd.DataFrame)
    with pytest.raises(AttributeError, match="transform"):
        KernelKMeans("precomputed").transform(IRIS @ IRIS.T)


def test_discriminants_are_those_of_scikit_learn() -> None:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = KernelFisherDiscriminant("linear", alpha=1e-7).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    differences = [f - f[:, :1] for f in (ours.decision_function(X), theirs.decision_function(X))]
    np.testing.assert_allclose(*differences, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for f, g in zip(ours.transform(X).T, theirs.transform(X).T, strict=True):
        np.testing.assert_allclose(np.abs(f), np.abs(g), rtol=1e-3, atol=1e-4)


def test_correlations_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    common = rng.normal(size=(100, 1))
    X = np.hstack([common + 0.3 * rng.normal(size=(100, 1)), rng.normal(size=(100, 2))])
    Y = np.hstack([rng.normal(size=(100, 1)), 5 - common + 0.3 * rng.normal(size=(100, 1))])
    ours = KernelCCA("linear", n_components=1, alpha=1e-8).fit(X, Y)
    f, g = CCA(n_components=1, max_iter=10_000, tol=1e-12).fit(X, Y).transform(X, Y)
    assert ours.correlations_[0] == pytest.approx(np.corrcoef(f[:, 0], g[:, 0])[0, 1], abs=1e-6)
    first, second = ours.transform(X, Y)
    assert np.corrcoef(first[:, 0], second[:, 0])[0, 1] == pytest.approx(ours.correlations_[0], abs=1e-8)
    np.testing.assert_array_equal(ours.transform(X), first)
    other = KernelCCA("rbf(length_scale=1)", second_kernel="linear", n_components=1).fit(X, Y)
    assert other.correlations_[0] > 0.8
    again = pickle.loads(pickle.dumps(other))
    np.testing.assert_array_equal(again.transform(X, Y)[1], other.transform(X, Y)[1])


def test_the_second_input_is_whatever_the_first_may_be() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(3, size=60)
    X = np.eye(3)[codes] + 0.2 * rng.normal(size=(60, 3))
    kinds = np.array(["ant", "bee", "cat"])[codes]
    # Equal words have the product 1, others 0: that is the linear kernel of indicators.
    numbers = KernelCCA("linear", second_kernel="linear", n_components=2).fit(X, np.eye(3)[codes])
    sparse = KernelCCA("linear", second_kernel="linear", n_components=2).fit(X, sp.csr_matrix(np.eye(3)[codes]))
    np.testing.assert_allclose(sparse.correlations_, numbers.correlations_, rtol=1e-9)
    for Y, new in [
        ({"kind": kinds}, {"kind": kinds[:5]}),
        (pd.DataFrame({"kind": kinds}), pd.DataFrame({"kind": kinds[:5]})),
    ]:
        model = KernelCCA("linear", second_kernel="delta(kind)", n_components=2).fit(X, Y)
        np.testing.assert_allclose(model.correlations_, numbers.correlations_, rtol=1e-9)
        expected = numbers.transform(X[:5], np.eye(3)[codes[:5]])[1]
        found = model.transform(X[:5], new)[1]
        np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-7)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.transform(X[:5], new)[1], found)
    texts = [str(kind) for kind in kinds]
    model = KernelCCA("linear", second_kernel="normalize(ngram(n=2))", n_components=2).fit(X, texts)
    assert model.correlations_[0] > 0.9
    assert model.transform(X[:4], texts[:4])[1].shape == (4, 2)
    usual = KernelCCA(n_components=1).fit(X, {"kind": kinds, "size": codes + 0.1 * rng.normal(size=60)})
    assert usual.correlations_[0] > 0.8
    with pytest.raises(mercer.MercerError, match="kind"):
        usual.transform(X[:4], {"size": codes[:4]})
    with pytest.raises(ValueError, match="inconsistent"):
        KernelCCA().fit(X, texts[:5])


@pytest.mark.parametrize(
    ("estimator", "says"),
    [
        (KernelKMeans(n_clusters=0), "`n_clusters` of KernelKMeans must be a whole number ≥ 1"),
        (KernelKMeans(tol=-1.0), "`tol` of KernelKMeans must be a finite number ≥ 0"),
        (SpectralClustering(n_init=0), "`n_init` of SpectralClustering must be a whole number ≥ 1"),
        (SpectralClustering("linear"), "negative edge"),
    ],
)
def test_wrong_parameters_are_named(estimator: Any, says: str) -> None:
    with pytest.raises(mercer.MercerError, match=re.escape(says)):
        estimator.fit(IRIS)


def test_fewer_points_than_clusters_are_said() -> None:
    model = KernelKMeans("rbf(length_scale=1)", n_clusters=5).fit([[1.0], [1.0], [2.0]])
    assert model.labels_.tolist() == [0, 0, 1] and "2 clusters, of 5 asked for" in model.notes_[0]
