"""Kernel principal components: scikit-learn's contract, its numbers, pre-images and outliers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import KernelPCA as Reference
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import KernelPCA, KernelRidge

RBF = "rbf(length_scale=1)"


@parametrize_with_checks(
    [
        KernelPCA(),
        KernelPCA("precomputed"),
        KernelPCA("linear", center=False, n_components=1),
        KernelPCA("rbf(length_scale=2)", solver="nystrom", landmarks=10),
    ]
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("solver", ["auto", "dense", "iterative", "nystrom"])
def test_agrees_with_scikit_learn(X: np.ndarray, Y: np.ndarray, solver: str) -> None:
    ours = KernelPCA(RBF, n_components=3, solver=solver).fit(X)
    theirs = Reference(n_components=3, kernel="rbf", gamma=0.5, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(np.abs(ours.transform(Y)), np.abs(theirs.transform(Y)), atol=1e-7)
    assert ours.certificate_.relative_residual <= 1e-8
    assert ours.explained_variance_ratio_.sum() < 1
    if solver != "nystrom":
        np.testing.assert_allclose(np.abs(ours.eigenvectors_), np.abs(theirs.eigenvectors_), atol=1e-7)


def test_regression_back_to_points_is_that_of_scikit_learn(X: np.ndarray, Y: np.ndarray) -> None:
    theirs = Reference(n_components=3, kernel="rbf", gamma=0.5, fit_inverse_transform=True, alpha=0.1).fit(X)
    ours = KernelPCA(RBF, n_components=3).fit(X)
    back = ours.inverse_transform(ours.transform(Y), method="regression", alpha=0.1)
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(Y)), atol=1e-7)


def test_precomputed_weights_and_pickles(X: np.ndarray, Y: np.ndarray) -> None:
    expected = KernelPCA(RBF).fit(X).transform(Y)
    known = KernelPCA("precomputed").fit(rbf_kernel(X, gamma=0.5))
    np.testing.assert_allclose(known.transform(rbf_kernel(Y, X, gamma=0.5)), expected, atol=1e-8)
    counts = np.arange(len(X)) % 3
    weighted = KernelPCA(RBF).fit(X, sample_weight=counts)
    repeated = KernelPCA(RBF).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.transform(Y), repeated.transform(Y), atol=1e-8)
    np.testing.assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_)
    again = pickle.loads(pickle.dumps(weighted))
    assert np.array_equal(again.transform(Y), weighted.transform(Y))
    assert np.array_equal(again.outlier_distances(Y), weighted.outlier_distances(Y))


def test_frames_names_and_pipelines(X: np.ndarray) -> None:
    pca = KernelPCA(RBF, n_components=2).set_output(transform="pandas")
    found = pca.fit_transform(pd.DataFrame(X, columns=list("abc")))
    assert list(found.columns) == ["kernelpca0", "kernelpca1"] == list(pca.get_feature_names_out())
    y = np.sin(X[:, 0])
    model = make_pipeline(clone(pca).set_output(transform="default"), KernelRidge(alpha=0.1)).fit(X, y)
    assert model.score(X, y) > 0.5


def test_words_have_components_and_candidates() -> None:
    words = ["aa bb", "bb cc", "cc dd", "dd ee", "aa bb cc"]
    pca = KernelPCA("ngram", n_components=4).fit(words)
    assert pca.inverse_transform(pca.transform(words)).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(mercer.errors.UnsupportedError, match="rows of numbers"):
        pca.inverse_transform(pca.transform(words), method="descent")


def test_pre_images_say_how_near_they_are(X: np.ndarray) -> None:
    pca = KernelPCA(RBF, n_components=len(X) - 1).fit(X)
    points, rows, left = pca.pre_images(pca.transform(X))
    assert points is not None
    assert np.abs(points - X).max() < 1e-4 and left.max() < 1e-5
    assert np.allclose(X[rows], X)
    with pytest.raises(mercer.errors.InvalidParameterError, match="fixed_point"):
        pca.inverse_transform(pca.transform(X), method="magic")
    with pytest.raises(mercer.errors.ShapeError, match="coordinates"):
        pca.inverse_transform(X[:, :2])


def test_outliers_are_far(X: np.ndarray) -> None:
    pca = KernelPCA(RBF, n_components=5).fit(X)
    far = np.full((1, X.shape[1]), 30.0)
    assert pca.score_samples(far)[0] < pca.score_samples(X).min()
    centred = pca.outlier_distances(X, n_components=0)
    K = rbf_kernel(X, gamma=0.5)
    expected = np.sqrt(1 - 2 * K.mean(1) + K.mean())
    np.testing.assert_allclose(centred, expected, atol=1e-9)


def test_fewer_components_than_asked_for_are_said(X: np.ndarray) -> None:
    pca = KernelPCA("linear", n_components=10).fit(X)
    assert pca.transform(X).shape[1] == X.shape[1] == len(pca.eigenvalues_)
    assert any("components vary" in str(note) for note in pca.notes_)


def test_bad_parameters_are_named(X: np.ndarray) -> None:
    for wrong, says in [
        ({"n_components": 0}, "`n_components` of KernelPCA must be a whole number ≥ 1"),
        ({"solver": "lapack"}, "`solver` of KernelPCA must be one of auto, dense, iterative, nystrom"),
        ({"tolerance": 2.0}, "`tolerance` of KernelPCA must be"),
        ({"landmarks": 0}, "`landmarks` of KernelPCA must be a whole number ≥ 1"),
    ]:
        with pytest.raises(mercer.errors.InvalidParameterError, match=says):
            KernelPCA(**wrong).fit(X)
    with pytest.raises(mercer.errors.UnsupportedError, match="the same point"):
        KernelPCA(RBF).fit(np.ones((4, 2)))
