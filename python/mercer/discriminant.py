"""Fisher's discriminant in feature space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import Classifier, Decision
from mercer.classify import ClassWeight

__all__ = ["KernelFisherDiscriminant"]


@dataclass(eq=False, repr=False, kw_only=True)
class KernelFisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Decision, Classifier):  # type: ignore[misc]
    """Linear discriminant analysis in the feature space of a kernel, a classifier and a transformer for scikit-learn.

    With S the covariance of the rows around the means m_c of their classes, the value of a class is that of Gaussian classes
    with the covariance S + alpha·I and the shares of the classes as priors. ``transform`` gives the discriminants: directions of
    largest variance between classes over that within them.

    >>> import numpy as np
    >>> from mercer import KernelFisherDiscriminant
    >>> X, y = np.array([[0.0], [2.0], [4.0], [6.0]]), ["a", "a", "b", "b"]
    >>> model = KernelFisherDiscriminant("linear", alpha=1.0).fit(X, y)
    >>> model.decision_function(X).round(6).tolist()  # (5 − 1)/(1 + 1)·(x − 3)
    [-6.0, -2.0, 2.0, 6.0]
    >>> model.transform(X).shape
    (4, 1)

    Parameters
    ----------
    kernel, class_weight, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelLogisticRegression`.
    alpha
        A number > 0 that is added to the variances within the classes.

    Attributes
    ----------
    classes_, dual_coef_, intercept_, kernel_, resolutions_, certificate_, notes_
        As of :class:`mercer.KernelLogisticRegression`.
    """

    alpha: float = 1.5e-3
    class_weight: ClassWeight = None

    _learner: ClassVar[str] = "kernel_fisher"

    def transform(self, X: Any) -> Floats:
        """The discriminants of every point: one fewer than classes, of variance about 1 within them."""
        check_is_fitted(self)
        return _core.coordinates(self._model, self._new_points(X), self._options())

    @property
    def _n_features_out(self) -> int:
        return int(self.n_classes_) - 1
