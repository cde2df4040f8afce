"""Tests of dependence and of fit: HSIC, dHSIC, KCI and KSD; Stein thinning and kernel herding.

>>> import numpy as np, mercer
>>> x = np.linspace(-1, 1, 60)
>>> mercer.hsic_test(x, x**2)
HSIC = 0.03162 (biased, 60 rows), p = 0.001, about 7.606e-8 by a fitted formula: 0 of 999 permutations reach it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import inputs, numbers
from mercer._kernel import Kernel
from mercer._run import RunOptions, options
from mercer._tested import TestResult
from mercer._translate import from_foreign, is_foreign
from mercer.errors import InvalidParameterError, ShapeError

__all__ = [
    "ConditioningSet",
    "Thinned",
    "dhsic_test",
    "hsic_test",
    "kci_test",
    "kernel_herding",
    "ksd_test",
    "stein_thinning",
]

Floats = npt.NDArray[np.float64]
Draws = tuple[int, int, int | None]


def hsic_test(
    X: Any,
    Y: Any,
    *,
    kernel: Any = None,
    kernel_y: Any = None,
    estimate: Literal["biased", "unbiased"] = "biased",
    null: Literal["permutation", "circular_shift", "wild_bootstrap", "gamma"] = "permutation",
    lag: float = 20.0,
    n_permutations: int = 999,
    enough: int | None = None,
    random_state: Any = None,
    **run: Unpack[RunOptions],
) -> TestResult:
    """Are two variables of the same rows independent?

    Parameters
    ----------
    X, Y
        The variables: arrays (a vector is one column), sparse matrices, data frames with text and categories, lists of strings.
    kernel, kernel_y
        The kernels; ``kernel_y`` None is ``kernel`` where one is given. None reads every column, ``rbf`` with the median rule for
        numbers. Each variable has its own bandwidth.
    estimate
        ``biased``, tr(KHLH)/n², or ``unbiased``, which may be negative.
    null
        ``permutation``: exact for rows that may be exchanged. ``circular_shift`` and ``wild_bootstrap`` (correlated multipliers that
        fade within about ``lag`` rows): for stationary time series. ``gamma``: fitted to the exact permutation moments, approximate.
    n_permutations, enough, random_state
        Draws; stop when so many reach the statistic; where chance begins.
    """
    x, y = _points(X, "X"), _points(Y, "Y")
    kernels = _kernel(kernel, x)._expr, _kernel(kernel if kernel_y is None else kernel_y, y)._expr
    draws = _draws(n_permutations, enough, random_state)
    return TestResult._of(_core.hsic(x, y, kernels, estimate, (null, _real("lag", lag)), draws, options(**run)))


def dhsic_test(
    *variables: Any,
    kernels: Sequence[Any] | None = None,
    n_permutations: int = 999,
    enough: int | None = None,
    random_state: Any = None,
    **run: Unpack[RunOptions],
) -> TestResult:
    """Are several variables of the same rows independent of each other, all at once?

    ``kernels`` has one for each variable, None for the usual one.
    """
    given = [None] * len(variables) if kernels is None else list(kernels)
    if len(given) != len(variables):
        raise ShapeError(f"`kernels` has {len(given)} kernels, there are {len(variables)} variables")
    points = [_points(v, f"X{j + 1}") for j, v in enumerate(variables)]
    pairs = [(x, _kernel(k, x)._expr) for x, k in zip(points, given, strict=True)]
    return TestResult._of(_core.dhsic(pairs, _draws(n_permutations, enough, random_state), options(**run)))


class ConditioningSet:
    """Z, prepared once, for tests of any number of pairs given Z.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=200)
    >>> given = ConditioningSet(z)
    >>> x, y = z + rng.normal(size=(2, 200))
    >>> given.test(x, y).pvalue > 0.05
    True

    Parameters
    ----------
    Z
        The conditioning variable, of one or more columns.
    kernel
        Its kernel, on the values as they are. None, for numbers: columns are standardised and a Gaussian kernel is as wide as
        ``width`` says, ``"empirical"`` or ``"median"``.
    epsilon
        How much of a function is taken for noise around a function of Z.
    null
        ``gamma``, fitted to two moments, or ``spectrum``, draws of the limit itself.
    """

    def __init__(
        self,
        Z: Any,
        *,
        kernel: Any = None,
        width: Literal["empirical", "median"] = "empirical",
        epsilon: float = 1e-3,
        null: Literal["gamma", "spectrum"] = "gamma",
        n_permutations: int = 999,
        random_state: Any = None,
        **run: Unpack[RunOptions],
    ) -> None:
        z = _points(Z, "Z")
        draws = _draws(n_permutations, None, random_state)
        own = _own(kernel, z)
        self._given = _core.Conditioning(z, own, width, _real("epsilon", epsilon), null, draws, options(**run))

    def test(
        self, X: Any, Y: Any, *, kernel: Any = None, kernel_y: Any = None, **run: Unpack[RunOptions]
    ) -> TestResult:
        """Are X and Y independent given Z?"""
        x, y = _points(X, "X"), _points(Y, "Y")
        kernels = _own(kernel, x), _own(kernel if kernel_y is None else kernel_y, y)
        return TestResult._of(self._given.test(x, y, *kernels, options(**run)))


def kci_test(
    X: Any,
    Y: Any,
    Z: Any = None,
    *,
    kernel: Any = None,
    kernel_y: Any = None,
    kernel_z: Any = None,
    width: Literal["empirical", "median"] = "empirical",
    epsilon: float = 1e-3,
    null: Literal["gamma", "spectrum"] = "gamma",
    n_permutations: int = 999,
    random_state: Any = None,
    **run: Unpack[RunOptions],
) -> TestResult:
    """Are X and Y independent given Z? Without Z, are they independent?

    For numbers, kernels are Gaussian on standardised columns and as wide as ``width`` says; the widths are those of causal-learn, and so
    are the statistic and, to three digits, the p-value. For many pairs given one Z, use :class:`ConditioningSet`.
    """
    if Z is None:
        if kernel_z is not None or null != "gamma":
            raise InvalidParameterError("`kernel_z` and `null` of KCI need `Z`, got none")
        x, y = _points(X, "X"), _points(Y, "Y")
        kernels = _own(kernel, x), _own(kernel if kernel_y is None else kernel_y, y)
        return TestResult._of(_core.kci_without_conditions(x, y, *kernels, width, options(**run)))
    given = ConditioningSet(
        Z,
        kernel=kernel_z,
        width=width,
        epsilon=epsilon,
        null=null,
        n_permutations=n_permutations,
        random_state=random_state,
        **run,
    )
    return given.test(X, Y, kernel=kernel, kernel_y=kernel_y, **run)


def ksd_test(
    X: Any,
    score: npt.ArrayLike | Callable[[Floats], npt.ArrayLike],
    *,
    kernel: Literal["imq", "rbf"] = "imq",
    length_scale: float | Literal["median"] = "median",
    beta: float = -0.5,
    estimate: Literal["biased", "unbiased"] = "unbiased",
    lag: float | None = None,
    n_permutations: int = 999,
    enough: int | None = None,
    random_state: Any = None,
    **run: Unpack[RunOptions],
) -> TestResult:
    """Do points come from the density whose score ∇ log p is given?

    >>> import numpy as np
    >>> points = np.random.default_rng(0).normal(size=(200, 2))
    >>> ksd_test(points, lambda x: -x).pvalue > 0.05
    True
    >>> ksd_test(points + 1, lambda x: -x).pvalue
    0.001

    Parameters
    ----------
    X
        The points, n×d.
    score
        ∇ log p at each point, n×d, or a function that gives it for such an array.
    kernel, length_scale, beta
        ``imq``, (1 + ‖x − y‖²/ℓ²)^β, or ``rbf``; ``"median"`` is the median distance of the points.
    lag
        For points that are a time series, such as the output of a Markov chain: rows within which their dependence fades.
    """
    points, scores = _scored(X, score)
    base = kernel, _length_scale(length_scale), _real("beta", beta)
    draws = _draws(n_permutations, enough, random_state)
    fades = None if lag is None else _real("lag", lag)
    return TestResult._of(_core.ksd(points, scores, base, estimate, fades, draws, options(**run)))


@dataclass(frozen=True)
class Thinned:
    """Rows chosen one after the other."""

    #: The rows; one may be chosen more than once.
    indices: npt.NDArray[np.int64]
    #: The discrepancy of the first t of them, for every t.
    discrepancy: Floats
    #: The kernel, with its numbers.
    kernel: str


def stein_thinning(
    X: Any,
    score: npt.ArrayLike | Callable[[Floats], npt.ArrayLike],
    n_points: int,
    *,
    kernel: Literal["imq", "rbf"] = "imq",
    length_scale: float | Literal["median"] = "median",
    beta: float = -0.5,
    standardize: bool = True,
    **run: Unpack[RunOptions],
) -> Thinned:
    """The rows that stand best for the density of a score, chosen one after the other.

    ``standardize`` first brings every coordinate to mean absolute deviation 1. ``discrepancy`` is √(Σ u)/t.
    """
    points, scores = _scored(X, score)
    base = kernel, _length_scale(length_scale), _real("beta", beta)
    count = _whole("n_points", n_points)
    return Thinned(*_core.thin(points, scores, count, base, bool(standardize), options(**run)))


def kernel_herding(X: Any, n_points: int, *, kernel: Any = None, **run: Unpack[RunOptions]) -> Thinned:
    """Rows whose mean in feature space is near that of all, chosen one after the other; any kernel, any type of data.

    ``discrepancy`` is the distance of the two means, an MMD.
    """
    x = _points(X, "X")
    return Thinned(*_core.herd(x, _kernel(kernel, x)._expr, _whole("n_points", n_points), options(**run)))


def _points(X: Any, name: str) -> _core.Inputs:
    """Points; a vector of numbers is one column."""
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biuf":
        X = X.reshape(-1, 1)
    elif type(X).__name__ == "Series" and hasattr(X, "to_frame"):
        X = X.to_frame()
    return inputs(X, name)


def _kernel(given: Any, x: _core.Inputs) -> Kernel:
    """The kernel as given; where none is, one that reads every column."""
    return Kernel._of(_core.Expr.usual(x), {}) if given is None else _read(given, x)


def _own(given: Any, x: _core.Inputs) -> _core.Expr | None:
    """The kernel of a variable of KCI: none for numbers, whose width is found by a rule."""
    if given is not None:
        return _read(given, x)._expr
    kinds = {kind for _, kind in x.columns()} if x.kind == "table" else {"number"}
    return None if kinds == {"number"} and x.kind != "precomputed" else _core.Expr.usual(x)


def _read(given: Any, x: _core.Inputs) -> Kernel:
    return from_foreign(given, x.width) if is_foreign(given) else Kernel(given)


def _scored(X: Any, score: Any) -> tuple[Floats, Floats]:
    points = _columns(X, "X")
    return points, _columns(score(points) if callable(score) else score, "score")


def _columns(values: Any, what: str) -> Floats:
    array = np.asarray(values)
    return np.ascontiguousarray(numbers(array.reshape(-1, 1) if array.ndim == 1 else array, what))


def _length_scale(given: Any) -> float | None:
    return None if isinstance(given, str) and given == "median" else _real("length_scale", given)


def _draws(n_permutations: Any, enough: Any, random_state: Any) -> Draws:
    stop = None if enough is None else _whole("enough", enough)
    return _whole("n_permutations", n_permutations), _seed(random_state), stop


def _seed(random_state: Any) -> int:
    """Where chance begins; None is always the same."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return _whole("random_state", random_state)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 2**64:
        raise InvalidParameterError(f"`{name}` must be a whole number ≥ 0, got {value!r}")
    return int(value)


def _real(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidParameterError(f"`{name}` must be a number, got {value!r}")
    return float(value)
