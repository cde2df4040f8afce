"""Kernel ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats, KernelEstimator, warn_unless_solved
from mercer._kernel import KernelLike
from mercer._records import AlphaScore, Certificate
from mercer._run import Progress
from mercer.errors import DomainError, InvalidParameterError, NotPositiveDefiniteError

__all__ = ["KernelRidge"]


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelEstimator):  # type: ignore[misc]
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

    _model: _core.RidgeModel
    alpha_: float
    dual_coef_: Floats
    intercept_: float | Floats
    certificate_: Certificate
    path_: tuple[AlphaScore, ...]
    loo_predictions_: Floats

    def __init__(
        self,
        kernel: KernelLike | None = None,
        *,
        alpha: float | str = 1.0,
        alphas: Sequence[float] | None = None,
        fit_intercept: bool = False,
        solver: str = "auto",
        tolerance: float | None = None,
        max_iterations: int | None = None,
        landmarks: int | None = None,
        repair: str | None = "clip",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        deadline: float | None = None,
        progress: Progress | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.landmarks = landmarks
        self.repair = repair
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.deadline = deadline
        self.progress = progress
        self.verbose = verbose

    @staticmethod
    def _load(saved: bytes, kernel: _core.Expr) -> _core.RidgeModel:
        return _core.ridge_load(saved, kernel)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, targets (one column or several) and weights ≥ 0.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        choices = self._choices()
        points = self._training_points(X)
        targets = self._targets(y, points)
        weights = self._weights(sample_weight, points)
        kernel = self._resolve_kernel(points, weights)
        columns = np.ascontiguousarray(targets.reshape(len(points), -1))
        try:
            model = _core.ridge_fit(kernel._expr, points, columns, weights, choices, self._options())
        except (DomainError, NotPositiveDefiniteError):
            if kernel.formula != "precomputed" or self.repair is None:
                raise
            repair, points = self._repaired(points, self.repair)
            model = _core.ridge_fit(kernel._expr, points, columns, weights, choices, self._options())
            model = model.after_repair(repair, self._options())
        self._single = targets.ndim == 1
        self._model = model
        self._describe(model)
        self._warn_unless_solved()
        return self

    def predict(self, X: Any) -> Floats:
        """f(x) + b for every point."""
        check_is_fitted(self)
        return self._shaped(self._model.predict(self._new_points(X), self._options()))

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

    def _choices(self) -> _core.RidgeChoices:
        criterion = self.alpha if isinstance(self.alpha, str) else None
        if criterion is None and (isinstance(self.alpha, bool) or not isinstance(self.alpha, Real)):
            raise InvalidParameterError(f"`alpha` of KernelRidge must be a number, `loo` or `gcv`, got {self.alpha!r}")
        if isinstance(self.alpha, str):
            given = np.logspace(-8, 4, 25) if self.alphas is None else np.asarray(self.alphas, dtype=np.float64)
            alphas = [float(a) for a in given.ravel()]
        else:
            alphas = [float(self.alpha)]
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        return _core.RidgeChoices(
            alphas,
            criterion,
            bool(self.fit_intercept),
            self.solver,
            seed,
            tolerance=self.tolerance,
            max_iterations=self.max_iterations,
            landmarks=self.landmarks,
        )

    def _warn_unless_solved(self) -> None:
        hint = "raise `alpha` or `max_iterations`, or use the solver `auto`"
        warn_unless_solved(self.certificate_, hint)

    def _describe(self, model: _core.RidgeModel) -> None:
        self.alpha_ = model.alpha
        self.dual_coef_ = self._shaped(model.coefficients())
        intercept = model.intercept()
        self.intercept_ = float(intercept[0]) if self._single else intercept
        self.certificate_ = Certificate.of(model.certificate())
        self.path_ = tuple(AlphaScore(*score) for score in model.path())
        # A second fit may have none where the first had some.
        self.__dict__.pop("loo_predictions_", None)
        known = model.known_leave_one_out()
        if known is not None:
            self.loo_predictions_ = self._shaped(known[1])

    def _shaped(self, values: Floats) -> Floats:
        """Targets of one dimension are answered in one."""
        return values[:, 0] if self._single else values
