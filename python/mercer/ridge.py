"""Kernel ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats
from mercer._kernel import KernelLike
from mercer._machine import Choices, Regressor
from mercer._records import AlphaScore
from mercer.errors import InvalidParameterError

__all__ = ["KernelRidge"]


@dataclass(eq=False, repr=False, kw_only=True)
class KernelRidge(Regressor):
    """Kernel ridge regression, an estimator for scikit-learn.

    Minimises Σ wᵢ·½(yᵢ − f(xᵢ) − b)² + (alpha/2)‖f‖² over the functions f of a kernel's space.

    >>> import numpy as np
    >>> from mercer import KernelRidge
    >>> X = np.linspace(0, 3, 30).reshape(-1, 1)
    >>> model = KernelRidge("rbf(length_scale=1)", alpha="loo").fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5]]).round(3)
    array([0.997])
    >>> model.certificate_.relative_residual < 1e-9
    True

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers. Rules such
        as ``median`` are resolved from the distinct training points.
    alpha
        A number ≥ 0, or ``"loo"`` or ``"gcv"`` to take the best of ``alphas`` by exact leave-one-out or
        generalised cross-validation.
    alphas
        The numbers to choose from; 25 from 1e-8 to 1e4 unless given.
    fit_intercept
        Whether to add a number b that the norm does not count.
    solver
        ``auto``, ``eigen``, ``cholesky``, ``cg``, ``nystrom`` or ``primal``.
    tolerance, max_iterations
        Of the solver ``cg``.
    landmarks
        How many points the solver ``nystrom`` keeps.
    repair
        What to do with a precomputed matrix that is not positive semi-definite: ``clip``, ``flip`` or
        ``shift`` its spectrum, with a warning unless single precision explains it, or refuse it (None).
    random_state
        Where the chance of ``cg`` and ``nystrom`` begins; None is always the same.
    n_jobs, memory_limit, deadline, progress
        Threads (None: what is free, see the guide), bytes, seconds, and a function of (task, done, total).
    verbose
        Whether to show the progress on stderr.

    Attributes
    ----------
    alpha_
        alpha, as given or chosen.
    dual_coef_
        The coefficients of the points kept: those of positive weight, or the landmarks.
    intercept_
        b; 0 without an intercept.
    kernel_, resolutions_
        The kernel with numbers for its rules, and what the rules found.
    certificate_
        How far the answer is from the solution: a :class:`mercer.Certificate`.
    path_
        The scores of every alpha, where the solver gives them.
    loo_predictions_
        The prediction at each row of the fit without it; only where the solver gives them
        (``eigen`` does).
    n_features_in_, feature_names_in_
        The columns of the training data.
    """

    kernel: KernelLike | None = field(default=None, kw_only=False)
    alpha: float | str = 1.0
    alphas: Sequence[float] | None = None
    fit_intercept: bool = False
    solver: str = "auto"
    tolerance: float | None = None
    max_iterations: int | None = None
    landmarks: int | None = None
    random_state: Any = None

    _learner: ClassVar[str] = "ridge"
    _remedy: ClassVar[str] = "raise `alpha` or `max_iterations`, or use the solver `auto`"

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the target at every point, by jackknife+.

        For exchangeable rows a new target lies inside with probability at least 2·level − 1, and close
        to ``level`` in practice.

        >>> import numpy as np
        >>> from mercer import KernelRidge
        >>> X = np.linspace(0, 3, 30).reshape(-1, 1)
        >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(50 * X[:, 0])
        >>> low, high = KernelRidge("rbf(length_scale=1)", alpha=0.1).fit(X, y).predict_interval([[1.5]])
        >>> bool(low[0] < np.sin(1.5) < high[0])
        True
        """
        check_is_fitted(self)
        low, high = self._model.interval(self._new_points(X), float(level), self._options())
        return self._shaped(low), self._shaped(high)

    def _choices(self) -> Choices:
        return {**super()._choices(), "alpha": self._alpha(), "solver": self._solver()}

    def _alpha(self) -> Choices:
        if not isinstance(self.alpha, str):
            return {"value": self._real("alpha")}
        if self.alpha not in ("loo", "gcv"):
            raise InvalidParameterError(f"`alpha` of KernelRidge must be a number, `loo` or `gcv`, got {self.alpha!r}")
        return {self.alpha: {} if self.alphas is None else np.asarray(self.alphas, dtype=np.float64).ravel().tolist()}

    def _solver(self) -> Any:
        match self.solver:
            case "cg":
                given = {"tolerance": self.tolerance, "max_iterations": self.max_iterations}
                return {"cg": {name: value for name, value in given.items() if value is not None}}
            case "nystrom":
                return {"nystrom": {"landmarks": self.landmarks}}
            case "auto" | "eigen" | "cholesky" | "primal":
                return self.solver
        must = "one of `auto`, `eigen`, `cholesky`, `cg`, `nystrom`, `primal`"
        raise InvalidParameterError(f"`solver` of KernelRidge must be {must}, got {self.solver!r}")

    def _keep(self, model: _core.Machine) -> None:
        super()._keep(model)
        self.alpha_ = model.alpha if model.alpha is not None else np.nan
        self.path_ = tuple(AlphaScore(*score) for score in model.path())
        # A second fit may have none where the first had some.
        self.__dict__.pop("loo_predictions_", None)
        known = model.known_leave_one_out()
        if known is not None:
            self.loo_predictions_ = self._shaped(known[1])
