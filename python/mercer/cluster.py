"""Groups of points: k-means in feature space, and spectral clustering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import Choices, KernelMachine

__all__ = ["KernelKMeans", "SpectralClustering"]

Labels = npt.NDArray[np.intp]


@dataclass(eq=False, repr=False, kw_only=True)
class Clusterer(ClusterMixin, KernelMachine):  # type: ignore[misc]
    """What both have: labels of the rows, and clusters of new points."""

    n_clusters: int = 8
    n_init: int = 10
    max_iter: int = 300
    random_state: Any = None

    _words: ClassVar[Mapping[str, str]] = {
        "clusters": "n_clusters",
        "restarts": "n_init",
        "max_iterations": "max_iter",
        "tolerance": "tol",
    }
    _remedy: ClassVar[str] = "raise `max_iter`, or give it more time"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fits to points and weights ≥ 0; a weight means repetition. ``y`` is not looked at.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        points = self._training_points(X)
        weights = self._weights(sample_weight, points)
        kernel, self._single = self._resolve_kernel(points, weights), False
        told, run = self._choices(), self._options()
        with self._speaking():
            self._keep(_core.learn_support(self._learner, kernel._expr, points, None, None, weights, told, None, run))
        self.n_iter_ = int(self.certificate_.iterations or 0)
        self.labels_ = self._labels_of(points)
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster of every point."""
        return self._largest(self._values(X))

    def _labels_of(self, points: _core.Inputs) -> Labels:
        """The clusters of the training points."""
        return self._largest(self._model.predict(points, self._options()))

    def _largest(self, values: Floats) -> Labels:
        return np.array(self._model.largest(values), dtype=np.intp)

    def _choices(self) -> Choices:
        words = {setting: getattr(self, own) for setting, own in self._words.items() if hasattr(self, own)}
        return {**super()._choices(), **words}


def _has_points(estimator: Any) -> bool:
    """Whether k(x, x) is known; the error says why not."""
    if estimator._is_pairwise():
        raise AttributeError("distances to means need k(x, x), which kernel values do not hold")
    return True


@dataclass(eq=False, repr=False, kw_only=True)
class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):  # type: ignore[misc]
    """k-means in the feature space of a kernel, an estimator for scikit-learn.

    Minimises the inertia Σ wᵢ‖φ(xᵢ) − μ‖² over clusters with their weighted means μ: k-means++ starts, Lloyd's algorithm, then
    moves of single rows until none pays. Clusters are numbered by the least of their points, whatever the order of the rows, and equal
    rows are never parted.

    >>> import numpy as np
    >>> from mercer import KernelKMeans
    >>> X = np.array([[0.0], [1.0], [9.0], [11.0]])
    >>> model = KernelKMeans("linear", n_clusters=2).fit(X)
    >>> model.labels_.tolist(), model.predict([[4.0], [6.0]]).tolist()
    ([0, 0, 1, 1], [0, 1])
    >>> model.transform([[2.5]]).round(6).tolist()
    [[2.0, 7.5]]

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    n_clusters
        How many; fewer are found where there are fewer different points, and ``notes_`` says so.
    n_init
        Starts, of which the best is kept. They share kernel values, so ten cost little more than one.
    max_iter, tol
        The largest number of rounds of a start, and the least share of the inertia that a round has to take off it; 0 goes on
        until no move pays.
    bound
        Whether to find a number that no inertia of so many clusters is below: ``certificate_.inertia_bound``.
    random_state
        Where the chance of the starts begins.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`; a kernel matrix that no kernel gives is taken as it is.

    Attributes
    ----------
    labels_, inertia_, n_iter_
        The cluster of each row, the inertia, and rounds of the start that led to it.
    dual_coef_, intercept_
        The value of a cluster at x is k(x, x) less the squared distance to its mean: Σ aᵢk(xᵢ, x) + b.
    kernel_, resolutions_, certificate_, notes_, history_
        As of :class:`mercer.KernelRidge`; ``history_`` has the inertia after each round.
    """

    tol: float = 0.0
    bound: bool = False

    _learner: ClassVar[str] = "kernel_k_means"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fits to points and weights ≥ 0; a weight means repetition. ``y`` is not looked at.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        super().fit(X, y, sample_weight)
        self.inertia_ = float(self.certificate_.inertia or 0.0)
        return self

    @available_if(_has_points)  # type: ignore[untyped-decorator]
    def transform(self, X: Any) -> Floats:
        """The distances to the means of the clusters, in feature space: points×clusters."""
        check_is_fitted(self)
        return _core.mean_distances(self._model, self._new_points(X), self._options())

    @property
    def _n_features_out(self) -> int:
        return int(self.dual_coef_.shape[1])

    def _labels_of(self, points: _core.Inputs) -> Labels:
        # A row has a coefficient in its own cluster only, so that no kernel value is needed.
        if len(points) == len(self.dual_coef_) and self.certificate_.misplaced == 0:
            own: Labels = self.dual_coef_.argmax(axis=1)
            return own
        return super()._labels_of(points)


@dataclass(eq=False, repr=False, kw_only=True)
class SpectralClustering(Clusterer):
    """Spectral clustering, an estimator for scikit-learn that also knows new points.

    Kernel values are the edges of a graph. The rows of the first eigenvectors of D^(−½)KD^(−½), brought to length 1, are
    clustered; new points are placed among them by Nyström's extension.

    >>> import numpy as np
    >>> from mercer import SpectralClustering
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    >>> model = SpectralClustering("rbf(length_scale=1)", n_clusters=2).fit(X)
    >>> model.labels_.tolist(), model.predict([[3.0], [8.0]]).tolist()
    ([0, 0, 0, 1, 1], [0, 1])

    Parameters
    ----------
    kernel
        As of :class:`KernelKMeans`; its values must not be negative.
    n_clusters
        How many, and as many eigenvectors.
    n_init, max_iter
        Starts of k-means on the rows of the eigenvectors, and the largest number of rounds of each.
    random_state
        Where the chance of the starts and of the search for eigenvectors begins.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`; a kernel matrix that no kernel gives is taken as it is.

    Attributes
    ----------
    labels_, n_iter_
        The cluster of each row, and products with the matrix that the eigenvectors took.
    dual_coef_, intercept_
        The value of a cluster at x is Σ aᵢk(xᵢ, x); the largest is its own.
    kernel_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelRidge`; ``certificate_.eigengap`` is the last eigenvalue that was used less the next one.
    """

    _learner: ClassVar[str] = "spectral"
