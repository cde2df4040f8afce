"""Unary expansion: counts as zeros and ones, for which the minimum is an inner product."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.errors import DomainError

__all__ = ["UnaryMap"]


class UnaryMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of counts as explicit features, φ(x) = ([xⱼ ≥ t]) for every column j and t = 1, …, tⱼ, a transformer for scikit-learn.

    Of whole numbers a, b ≥ 0, min(a, b) = Σ_t [a ≥ t]·[b ≥ t]: the inner product of φ(x) and φ(y) is the kernel ``min``
    (``histogram_intersection``), and ``tanimoto`` of the features is ``minmax``. A linear machine on them is a machine of that kernel,
    without a Gram matrix. The largest counts tⱼ are those of the fit; counts above them are cut there, which changes no inner product
    with a row of the fit.

    >>> import numpy as np
    >>> from mercer import UnaryMap
    >>> X = np.array([[1, 3], [2, 0]])
    >>> UnaryMap().fit_transform(X).toarray().tolist()
    [[1.0, 0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0, 0.0]]

    Attributes
    ----------
    largest_
        The largest count of each column.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Takes the largest counts. ``y`` is not looked at."""
        counts = self._counts(X, reset=True)
        self.largest_ = counts.max(axis=0).toarray().ravel().astype(np.int64)
        self._n_features_out = int(self.largest_.sum())
        return self

    def transform(self, X: Any) -> csr_array:
        """φ(x), a sparse row for each point."""
        check_is_fitted(self)
        counts = self._counts(X, reset=False)
        ones = np.minimum(counts.data, self.largest_[counts.indices]).astype(np.int64)
        ends = np.cumsum(ones)
        # 0, 1, … for each count, from the first feature of its column on.
        first = (np.cumsum(self.largest_) - self.largest_)[counts.indices]
        columns = np.arange(ones.sum()) + np.repeat(first - (ends - ones), ones)
        starts = np.concatenate(([0], ends))[counts.indptr]
        # Most of scikit-learn takes no others.
        small = max(len(columns), self._n_features_out) <= np.iinfo(np.int32).max
        index = np.int32 if small else np.int64
        parts = (np.ones(len(columns)), columns.astype(index), starts.astype(index))
        return csr_array(parts, shape=(counts.shape[0], self._n_features_out))

    def _counts(self, X: Any, *, reset: bool) -> csr_array:
        """The counts as sparse rows, columns in order; an error where one is no whole number ≥ 0."""
        counts = csr_array(validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64))
        bad = np.flatnonzero((counts.data < 0) | (counts.data != np.floor(counts.data)))
        if len(bad) > 0:
            row = int(np.searchsorted(counts.indptr, bad[0], side="right")) - 1
            value, column = counts.data[bad[0]], counts.indices[bad[0]]
            message = f"unary features need whole numbers ≥ 0, got {value} in row {row}, column {column} (counted from 0)"
            raise DomainError(message, "round the values to counts, or use the kernel `min`, which takes any numbers ≥ 0")
        counts.sort_indices()
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
