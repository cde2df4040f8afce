"""The empirical kernel map: features from any similarity to templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Floats, KernelEstimator
from mercer._kernel import KernelLike
from mercer._run import Progress
from mercer.errors import InvalidParameterError, UnsupportedError

__all__ = ["EmpiricalKernelMap"]


@dataclass(eq=False, repr=False)
class EmpiricalKernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Similarities to templates as features, φ(x) = (s(x, t₁), …, s(x, t_m)), a transformer for scikit-learn.

    The inner product of φ(x) and φ(y) is a positive definite kernel for every similarity s, also one that is none itself, and new points
    are treated as those of the fit.

    >>> import numpy as np
    >>> from mercer import EmpiricalKernelMap
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> EmpiricalKernelMap("energy", n_templates=None).fit_transform(X).tolist()  # −|x − t|
    [[0.0, -1.0, -3.0], [-1.0, 0.0, -2.0], [-3.0, -2.0, 0.0]]

    Parameters
    ----------
    kernel
        The similarity: a formula, a :class:`mercer.Kernel`, or a function of two points. None reads every column: ``rbf`` for numbers.
    templates
        Points like those of the fit; None draws them from the fit.
    n_templates
        How many to draw; None or more than there are rows takes all of them.
    random_state
        Where the chance of the draw begins.
    n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Attributes
    ----------
    templates_
        The templates.
    indices_
        Their rows in the fit, where they were drawn.
    kernel_
        The similarity, with what rules such as ``median`` found on the templates.
    """

    kernel: KernelLike | None = None
    _: KW_ONLY
    templates: Any = None
    n_templates: int | None = 100
    random_state: Any = None
    n_jobs: int | None = None
    memory_limit: int | None = None
    deadline: float | None = None
    progress: Progress | None = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Takes the templates, and resolves rules of the similarity on them. ``y`` is not looked at."""
        points = self._training_points(X)
        if self._is_pairwise():
            raise UnsupportedError(
                "similarities that are given are features already",
                "pass the similarities to the templates to a model with the kernel `linear`",
            )
        self.templates_ = self.templates if self.templates is not None else self._drawn(X, len(points))
        self._resolve_kernel(self._new_points(self.templates_), None)
        self._n_features_out = len(self._new_points(self.templates_))
        return self

    def _drawn(self, X: Any, rows: int) -> Any:
        """Rows of the fit, in their order."""
        wanted = rows if self.n_templates is None else self.n_templates
        if not isinstance(wanted, (int, np.integer)) or wanted < 1:
            raise InvalidParameterError(f"`n_templates` must be a whole number ≥ 1 or None, got {wanted!r}")
        chance = check_random_state(self.random_state)
        self.indices_ = np.sort(chance.permutation(rows)[: min(rows, wanted)])
        return _taken(X, self.indices_)

    def transform(self, X: Any) -> Floats:
        """The similarities to the templates, a row for each point."""
        check_is_fitted(self)
        run = {"n_jobs": self.n_jobs, "memory_limit": self.memory_limit, "deadline": self.deadline}
        found: Floats = self.kernel_.gram(self._new_points(X), self._new_points(self.templates_), **run)  # type: ignore[arg-type]
        return found


def _taken(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    """The rows of these indices, of a table as of a list."""
    if isinstance(X, Mapping):
        return {name: _safe_indexing(values, rows) for name, values in X.items()}
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    return _safe_indexing(X, rows)
