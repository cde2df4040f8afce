"""Coordinates of points: principal components in feature space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import Choices, KernelMachine, real
from mercer.errors import InvalidParameterError, ShapeError, UnsupportedError

__all__ = ["KernelPCA"]


def _has_points(estimator: Any) -> bool:
    """Whether k(x, x) of new points can be known; the error says why not."""
    if not estimator._is_pairwise():
        return True
    raise AttributeError("distances in feature space need k(x, x), which is not among kernel values that are given")


@dataclass(eq=False, repr=False, kw_only=True)
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelMachine):  # type: ignore[misc]
    """Principal components in feature space, a transformer for scikit-learn.

    The components are the directions of largest variance of φ(x) less its mean. The residual of every eigenvector is in
    ``certificate_``. Of two opposite directions it is the one along which the farthest row has a positive coordinate.

    >>> import numpy as np
    >>> from mercer import KernelPCA
    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0], [7.0, 0.0]])
    >>> pca = KernelPCA("linear", n_components=1).fit(X)
    >>> bool(np.allclose(np.abs(pca.transform([[10.0, 3.0]])), 6.0))
    True
    >>> bool(np.allclose(pca.explained_variance_, 5.0))
    True

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers.
    n_components
        How many; those whose variance is rounding are left out, and ``notes_`` says so.
    center
        Whether to take out the mean in feature space.
    solver
        ``"dense"`` decomposes the whole matrix, ``"iterative"`` multiplies blocks of vectors by it and stores it only if it fits,
        ``"nystrom"`` approximates it by landmarks and states the error, ``"auto"`` is the faster one of the first two.
    landmarks
        How many landmarks ``"nystrom"`` takes.
    tolerance
        The residual of an eigenvector to reach, over the largest eigenvalue.
    random_state
        Where the chance of a search and of landmarks begins.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    eigenvalues_
        The eigenvalues of the centred kernel matrix: variances times the number of rows, or the sum of their weights.
    eigenvectors_
        Its unit eigenvectors as columns; not there for ``"nystrom"``.
    explained_variance_, explained_variance_ratio_
        The variance of each component, and its share of the variance in feature space.
    dual_coef_, intercept_
        The coordinates are Σ aᵢk(xᵢ, x) + b.
    kernel_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelRidge`.
    """

    n_components: int = 2
    center: bool = True
    solver: str = "auto"
    landmarks: int = 1000
    tolerance: float = 1e-9
    random_state: Any = None

    _learner: ClassVar[str] = "kernel_pca"
    _words: ClassVar[Mapping[str, str]] = {"components": "n_components"}
    _remedy: ClassVar[str] = "give it more time"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fits to points and weights ≥ 0; a weight means repetition. ``y`` is not looked at.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        points = self._training_points(X)
        weights = self._weights(sample_weight, points)
        if len(points) == 1 and self.center:
            raise ShapeError("`X`: one sample has no variance, got n_samples = 1", "give at least two rows")
        kernel, self._single = self._resolve_kernel(points, weights), False
        told, run = self._choices(), self._options()
        with self._speaking():
            self._keep(_core.learn_support(self._learner, kernel._expr, points, None, None, weights, told, None, run))
        self._total = float(len(points) if weights is None else weights.sum())
        self._fit_weights = weights
        return self._describe()

    def _describe(self) -> Self:
        found = _core.components(self._model)
        assert found is not None, "a model of components has components"
        variances, total = np.array(found[0]), found[1]
        self.explained_variance_: Floats = variances
        self.explained_variance_ratio_: Floats = variances / total if total > 0 else np.zeros_like(variances)
        self.eigenvalues_: Floats = variances * self._total
        return self

    def _choices(self) -> Choices:
        return {**super()._choices(), "components": self.n_components}

    @property
    def eigenvectors_(self) -> Floats:
        """The unit eigenvectors of the centred kernel matrix, as columns; those of weights are scaled by their roots."""
        check_is_fitted(self)
        if self.solver == "nystrom":
            raise AttributeError("eigenvectors of landmarks are not those of the rows; see `dual_coef_`")
        return _core.eigenvectors(self._model, self._fit_weights)

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def transform(self, X: Any) -> Floats:
        """The coordinates of points: one column a component."""
        return self._values(X)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """The coordinates of the points it is fitted to."""
        values: Floats = self.fit(X, y, sample_weight).transform(X)
        return values

    def inverse_transform(self, X: Any, *, method: str = "auto", alpha: float = 1.0) -> Any:
        """Points whose image is near what coordinates stand for.

        ``method`` is ``"fixed_point"`` (kernels of the distance), ``"descent"`` (any smooth kernel), ``"regression"`` (ridge regression
        from coordinates to points, as scikit-learn has it, with ``alpha``), ``"candidate"`` (the best of the training points: their
        rows, for text and the like), or ``"auto"``. See :meth:`pre_images` for how near they are.
        """
        if method == "regression":
            values = self._coordinates(X)
            return _core.regressed_points(self._model, values, real(alpha, "alpha", self), self._options())
        points, rows, _ = self.pre_images(X, method=method)
        return rows if points is None else points

    def pre_images(self, X: Any, *, method: str = "auto") -> tuple[Floats | None, npt.NDArray[np.intp], Floats]:
        """Points near what coordinates stand for, the nearest training points by row, and the distances left in feature space."""
        if self._is_pairwise():
            raise UnsupportedError("a pre-image from kernel values alone is not supported", "give the points and a kernel")
        values = self._coordinates(X)
        points, rows, left = _core.pre_images(self._model, values, method, self._options())
        return points, np.array(rows, dtype=np.intp), left

    def _coordinates(self, X: Any) -> Floats:
        check_is_fitted(self)
        values: Floats = check_array(X, dtype=np.float64, order="C", input_name="X", estimator=self)
        if values.shape[1] != len(self.eigenvalues_):
            raise ShapeError(f"`X`: expected {len(self.eigenvalues_)} coordinates a row, got {values.shape[1]}")
        return values

    @available_if(_has_points)  # type: ignore[untyped-decorator]
    def outlier_distances(self, X: Any, *, n_components: int | None = None) -> Floats:
        """The distance of points, in feature space, to the plane of the first components; of 0 components, to the mean."""
        check_is_fitted(self)
        if n_components is not None and (isinstance(n_components, bool) or n_components < 0):
            raise InvalidParameterError(f"`n_components` must be a whole number ≥ 0, got {n_components!r}")
        return _core.outlier_distances(self._model, self._new_points(X), n_components, self._options())

    @available_if(_has_points)  # type: ignore[untyped-decorator]
    def score_samples(self, X: Any) -> Floats:
        """How usual points are: less the distance to the plane of all components."""
        values: Floats = -self.outlier_distances(X)
        return values
