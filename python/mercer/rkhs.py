"""The geometry of a kernel: functions, distances, sets, centring, factors and eigenfunctions.

>>> import numpy as np
>>> from mercer import Kernel, rkhs
>>> X = np.array([[1.0, 2.0], [0.0, 1.0]])
>>> f = rkhs.Function(Kernel("linear"), X, [3.0, -1.0])   # f(x) = ⟨w, x⟩ with w = (3, 5)
>>> f(np.array([[1.0, 1.0]]))
array([8.])
>>> f.norm() ** 2
34.0

Points may be of any type that kernels read: arrays, sparse matrices, tables, texts. Rules such as
``median`` are resolved once, on the first points, and kept: see ``kernel`` and ``resolutions``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import inputs, matrix
from mercer._kernel import Kernel
from mercer._records import Resolution
from mercer._run import RunOptions, options

__all__ = [
    "Barycentre",
    "Centering",
    "Discrimination",
    "Eigenfunctions",
    "Factor",
    "FactorReport",
    "Function",
    "distance",
    "set_distance",
]

Floats = npt.NDArray[np.float64]


def _space(kernel: str | Kernel, x: _core.Inputs, run: _core.Options) -> tuple[Kernel, _core.Space]:
    given = Kernel(kernel)
    return given, _core.Space(given._expr, x, run)


def _vector(values: npt.ArrayLike) -> Floats:
    return np.ascontiguousarray(np.asarray(values, dtype=np.float64).reshape(-1))


class _InSpace:
    """What lives in the space of one kernel."""

    _functions: dict[str, Any]

    def _core_space(self) -> _core.Space:
        raise NotImplementedError

    @property
    def kernel(self) -> Kernel:
        """The kernel, with every rule resolved."""
        return Kernel._of(self._core_space().kernel(), self._functions)

    @property
    def resolutions(self) -> Sequence[Resolution]:
        """What the rules found in the first points."""
        return [Resolution(*record) for record in self._core_space().resolutions()]


class Function(_InSpace):
    """f = Σ aᵢ·k(xᵢ, ·), a function of the RKHS as a value.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> f = Function("rbf", X, [1.0, -0.5, 2.0])
    >>> f.kernel
    Kernel("rbf(length_scale=2)")
    >>> g = 2 * f - f
    >>> bool(np.isclose(g.norm(), f.norm()))
    True
    >>> bool((abs(f(X)) <= f.bound(X)).all())
    True

    Parameters
    ----------
    kernel
        A formula or a kernel; rules are resolved on ``X``.
    X
        The points xᵢ.
    coefficients
        The numbers aᵢ, one a point.
    """

    # Keeps numpy from taking `np.float64(2) * f` for itself.
    __array_ufunc__ = None

    def __init__(
        self, kernel: str | Kernel, X: Any, coefficients: npt.ArrayLike, **run: Unpack[RunOptions]
    ) -> None:
        x = inputs(X)
        given, space = _space(kernel, x, options(**run))
        self._functions = given._functions
        self._function = space.function(x, _vector(coefficients))

    @classmethod
    def _of(cls, function: _core.Function, functions: dict[str, Any]) -> Function:
        made = cls.__new__(cls)
        made._function, made._functions = function, functions
        return made

    def _core_space(self) -> _core.Space:
        return self._function.space()

    def __len__(self) -> int:
        """Number of points."""
        return len(self._function)

    def __repr__(self) -> str:
        return f"Function({str(self.kernel)!r}, {len(self)} points)"

    @property
    def coefficients(self) -> Floats:
        """The numbers aᵢ, those of added functions one after the other."""
        return np.concatenate([a for _, a in self._function.terms()] or [np.empty(0)])

    def __call__(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """f(x) for every point x."""
        return self._function.evaluate(inputs(X), options(**run))

    def __add__(self, other: Function) -> Function:
        if not isinstance(other, Function):
            return NotImplemented
        return self._of(self._function.add(other._function), {**self._functions, **other._functions})

    def __sub__(self, other: Function) -> Function:
        if not isinstance(other, Function):
            return NotImplemented
        return self._of(self._function.subtract(other._function), {**self._functions, **other._functions})

    def __mul__(self, factor: float) -> Function:
        if not isinstance(factor, Real):
            return NotImplemented
        return self._of(self._function.scale(float(factor)), self._functions)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Function:
        if not isinstance(divisor, Real):
            return NotImplemented
        return self * (1.0 / float(divisor))

    def __neg__(self) -> Function:
        return self * -1.0

    def inner(self, other: Function, **run: Unpack[RunOptions]) -> float:
        """⟨f, g⟩; both must be of the same kernel."""
        return self._function.inner(other._function, options(**run))

    def norm(self, **run: Unpack[RunOptions]) -> float:
        """‖f‖ = √(aᵀKa), without storing K."""
        return math.sqrt(self._function.norm_squared(options(**run)))

    def bound(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """‖f‖·√k(x, x) ≥ |f(x)| for every point x."""
        return self._function.bound(inputs(X), options(**run))

    def lipschitz(self, X: Any, Y: Any, **run: Unpack[RunOptions]) -> Floats:
        """‖f‖·d(xᵢ, yᵢ) ≥ |f(xᵢ) − f(yᵢ)| for pairs of points."""
        return self._function.lipschitz(inputs(X), inputs(Y, "Y"), options(**run))


def distance(kernel: str | Kernel, X: Any, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
    """d(x, y) = √(k(x, x) + k(y, y) − 2k(x, y)), the distances in feature space.

    Rules are resolved on ``X``.

    >>> import numpy as np
    >>> distance("linear", np.array([[0.0, 0.0], [3.0, 4.0]]))
    array([[0., 5.],
           [5., 0.]])
    """
    x, y = inputs(X), None if Y is None else inputs(Y, "Y")
    _, space = _space(kernel, x, options(**run))
    return space.distances(x, y, options(**run))


class Barycentre(_InSpace):
    """The barycentre μ = Σ wᵢ·k(xᵢ, ·) of a set, with weights that sum to 1.

    >>> import numpy as np
    >>> mean = Barycentre("linear", np.array([[1.0], [3.0]]))
    >>> mean.distance(np.array([[5.0]]))
    array([3.])
    """

    def __init__(
        self, kernel: str | Kernel, S: Any, weights: npt.ArrayLike | None = None, **run: Unpack[RunOptions]
    ) -> None:
        x = inputs(S, "S")
        given, space = _space(kernel, x, options(**run))
        self._functions = given._functions
        w = None if weights is None else _vector(weights)
        self._barycentre = space.barycentre(x, w, options(**run))

    def _core_space(self) -> _core.Space:
        return self._barycentre.function().space()

    @property
    def function(self) -> Function:
        """μ as a function: the mean embedding of the set."""
        return Function._of(self._barycentre.function(), self._functions)

    def distance(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """The distance of every point x to the set, ‖k(x, ·) − μ‖."""
        return self._barycentre.distances(inputs(X), options(**run))

    def distance_to(self, other: Barycentre, **run: Unpack[RunOptions]) -> float:
        """The distance between two sets, ‖μ − ν‖."""
        return self._barycentre.distance_to(other._barycentre, options(**run))


def set_distance(kernel: str | Kernel, S: Any, T: Any, **run: Unpack[RunOptions]) -> float:
    """The distance between the barycentres of two sets: the biased maximum mean discrepancy.

    Rules are resolved on ``S``.

    >>> import numpy as np
    >>> set_distance("linear", np.array([[0.0], [2.0]]), np.array([[4.0]]))
    3.0
    """
    first = Barycentre(kernel, S, **run)
    return first.distance_to(Barycentre(first.kernel, T, **run), **run)


class Discrimination(_InSpace):
    """Discrimination of two sets by the nearer barycentre; rules are resolved on the first set.

    >>> import numpy as np
    >>> rule = Discrimination("linear", np.array([[0.0], [2.0]]), np.array([[10.0]]))
    >>> rule.score(np.array([[1.0], [5.5], [10.0]]))   # d(x, S)² − d(x, T)²
    array([-81.,   0.,  81.])
    """

    def __init__(self, kernel: str | Kernel, S: Any, T: Any, **run: Unpack[RunOptions]) -> None:
        #: The barycentre of the first set.
        self.first = Barycentre(kernel, S, **run)
        #: The barycentre of the second set.
        self.second = Barycentre(self.first.kernel, T, **run)
        self._functions = self.first._functions
        self._rule = _core.Discrimination(self.first._barycentre, self.second._barycentre)

    def _core_space(self) -> _core.Space:
        return self.first._core_space()

    def score(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """d(x, S)² − d(x, T)² for every point x: below zero means nearer to the first set."""
        return self._rule.scores(inputs(X), options(**run))


class Centering:
    """Centres Gram matrices in feature space, as fitted to that of the training points.

    >>> import numpy as np
    >>> K = np.array([[2.0, 1.0], [1.0, 4.0]])
    >>> Centering(K).transform(K)
    array([[ 1., -1.],
           [-1.,  1.]])

    Parameters
    ----------
    K
        The Gram matrix of the training points.
    weights
        Weights of the training points in the mean; equal by default.
    """

    def __init__(self, K: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> None:
        w = None if weights is None else _vector(weights)
        self._centering = _core.Centering(matrix(np.asarray(K), "the Gram matrix"), w)

    @property
    def weights(self) -> Floats:
        """The weights, which sum to 1."""
        return self._centering.weights()

    @property
    def column_means(self) -> Floats:
        """The means of the columns of K."""
        return self._centering.column_means()

    @property
    def grand_mean(self) -> float:
        """Their mean: the squared norm of the barycentre."""
        return self._centering.grand_mean

    def transform(self, K: npt.ArrayLike, **run: Unpack[RunOptions]) -> Floats:
        """Rows of kernel values against the training points, centred: those of K, or of new points."""
        return self._centering.transform(matrix(np.asarray(K), "the rows"), options(**run))


@dataclass(frozen=True)
class FactorReport:
    """How the rank of a factor was decided."""

    #: Number of points.
    size: int
    #: Number of columns of B.
    rank: int
    #: The trace of K.
    trace: float
    #: The trace of K − BBᵀ.
    residual_trace: float
    #: The largest diagonal value of K − BBᵀ, which bounds all of its entries.
    largest_residual: float
    #: Remaining diagonal values up to this count as zero.
    tolerance: float
    #: Why no more columns were added.
    reason: str


class Factor(_InSpace):
    """The rank-revealing factor K ≈ BBᵀ by pivoted Cholesky, and its feature map F(x) = B†k(x).

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])
    >>> factor = Factor("linear", X)
    >>> factor.report.rank, factor.report.reason
    (2, 'no remaining diagonal value is above the tolerance')
    >>> (factor.B @ factor.transform(np.array([[3.0, -1.0]])).T).round(12).ravel()
    array([ 3., -2.,  1.])

    Parameters
    ----------
    kernel, X
        A kernel and points; only rank·n kernel values are computed. With ``"precomputed"`` and a
        :class:`mercer.Precomputed` matrix, that matrix is factored.
    max_rank
        The largest rank; all of n by default.
    tolerance
        Stops when no remaining diagonal value is above this times the largest one; n·ε by default.
    """

    def __init__(
        self,
        kernel: str | Kernel,
        X: Any,
        max_rank: int | None = None,
        tolerance: float | None = None,
        **run: Unpack[RunOptions],
    ) -> None:
        x = inputs(X)
        given, space = _space(kernel, x, options(**run))
        self._functions = given._functions
        self._factor = space.factor(x, max_rank, tolerance, options(**run))
        self.report = FactorReport(*self._factor.report())

    def _core_space(self) -> _core.Space:
        return self._factor.space()

    @property
    def B(self) -> Floats:
        """n×rank; row i is the feature vector of point i."""
        return self._factor.rows()

    @property
    def pivots(self) -> list[int]:
        """The points that were chosen, in order."""
        return self._factor.pivots()

    def transform(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """F(x) for every point x, so that ⟨Bᵢ, F(x)⟩ = k(xᵢ, x) up to the residual."""
        return self._factor.transform(inputs(X), options(**run))


class Eigenfunctions(_InSpace):
    """The leading empirical eigenfunctions; made by :meth:`mercer.Kernel.eigenfunctions`.

    With K·u = nλ̂·u and ‖u‖ = 1: ψ̂(xᵢ) = √n·uᵢ and ψ̂(x) = Σᵢ uᵢk(xᵢ, x)/(√n·λ̂) everywhere.
    """

    def __init__(self, kernel: str | Kernel, X: Any, n_components: int, **run: Unpack[RunOptions]) -> None:
        x = inputs(X)
        given, space = _space(kernel, x, options(**run))
        self._functions = given._functions
        self._eigen = space.eigenfunctions(x, max(int(n_components), 0), options(**run))

    def _core_space(self) -> _core.Space:
        return self._eigen.space()

    def __len__(self) -> int:
        """How many there are; fewer than asked for where K has a smaller rank."""
        return len(self._eigen)

    def __repr__(self) -> str:
        return f"Eigenfunctions({str(self.kernel)!r}, {len(self)} of {len(self.spectrum)})"

    @property
    def values(self) -> Floats:
        """The eigenvalues λ̂ of these eigenfunctions, in decreasing order."""
        return self._eigen.values()

    @property
    def spectrum(self) -> Floats:
        """All eigenvalues λ̂ = eig(K)/n."""
        return self._eigen.spectrum()

    @property
    def at_points(self) -> Floats:
        """ψ̂(xᵢ) at the points themselves: n×len."""
        return self._eigen.at_points()

    def __call__(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """ψ̂(x) for every point x: m×len."""
        return self._eigen.evaluate(inputs(X), options(**run))

    def coefficients(self, values: npt.ArrayLike) -> Floats:
        """θ = (1/n)Σᵢ f(xᵢ)ψ̂(xᵢ) of a function, from its values at the points."""
        return self._eigen.coefficients(_vector(values))

    def norm(self, values: npt.ArrayLike) -> float:
        """√Σ θ²/λ̂: the norm of a function through the spectrum, from its values at the points."""
        return math.sqrt(self._eigen.norm_squared(_vector(values)))
