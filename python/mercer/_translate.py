"""Kernels of scikit-learn's Gaussian processes, and functions, as kernels of Mercer.

Every kernel that has a formula becomes it, number for number; bounds become bounds and ``"fixed"`` becomes
``!``. What has none (a Matérn kernel of another ν, a class of the user's) is called as it is.

>>> from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct
>>> from mercer import Kernel
>>> Kernel(ConstantKernel(2.0) * RBF(1.5) + DotProduct(0.5))
Kernel("2*rbf(length_scale=1.5) + linear + 0.25")
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np

from mercer.errors import UnsupportedError

if TYPE_CHECKING:
    from mercer._kernel import Kernel

#: The bounds that scikit-learn gives where the user gives none.
USUAL_BOUNDS = (1e-5, 1e5)
_MATERN = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52", math.inf: "rbf"}


class ForeignKernel(Protocol):
    """A kernel object of scikit-learn's Gaussian processes."""

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def is_stationary(self) -> bool: ...


def is_foreign(given: object) -> TypeGuard[ForeignKernel]:
    """Whether it is such a kernel, without importing scikit-learn."""
    return any(c.__module__ == "sklearn.gaussian_process.kernels" for c in type(given).__mro__)


def from_callable(fn: Callable[..., Any], *, vectorized: bool = False) -> Kernel:
    """The kernel of a function of two points, or of one of two matrices, as those of scikit-learn are."""
    from mercer._kernel import Kernel

    named = str(getattr(fn, "__name__", type(fn).__name__)).isidentifier()
    vectorized = vectorized or getattr(fn, "__module__", None) == "sklearn.metrics.pairwise"
    return Kernel.from_function(fn, None if named else "function", vectorized=vectorized)


def from_foreign(given: ForeignKernel, columns: int | None = None) -> Kernel:
    """The kernel of a kernel object of scikit-learn's, on so many columns where that is known."""
    return _Translation(columns).of(given)


class _Translation:
    """One formula; the functions in it are numbered."""

    def __init__(self, columns: int | None) -> None:
        self.columns = columns
        self.functions = 0

    def of(self, k: Any) -> Kernel:
        """The kernel of ``k``, by the name of its class; classes of the user's are functions."""
        known = type(k).__module__ == "sklearn.gaussian_process.kernels"
        made = getattr(self, f"_{type(k).__name__}", None) if known else None
        return self._called(k) if made is None else made(k)

    def _called(self, k: Any) -> Kernel:
        from mercer._kernel import Kernel

        name = f"{type(k).__name__}_{self.functions}"
        self.functions += 1
        return Kernel.from_function(k, name, vectorized=True)

    def _RBF(self, k: Any) -> Kernel:
        return _kernel(f"rbf(length_scale={_number(k, 'length_scale')})")

    def _Matern(self, k: Any) -> Kernel:
        name = _MATERN.get(float(k.nu))
        return self._called(k) if name is None else _kernel(f"{name}(length_scale={_number(k, 'length_scale')})")

    def _RationalQuadratic(self, k: Any) -> Kernel:
        return _kernel(f"rational_quadratic(length_scale={_number(k, 'length_scale')}, alpha={_number(k, 'alpha')})")

    def _ExpSineSquared(self, k: Any) -> Kernel:
        # scikit-learn's is a function of the distance, Mercer's a product over the columns: one where there is one.
        if self.columns is not None and self.columns > 1:
            return self._called(k)
        return _kernel(f"periodic(length_scale={_number(k, 'length_scale')}, period={_number(k, 'periodicity')})")

    def _DotProduct(self, k: Any) -> Kernel:
        linear = _kernel("linear")
        return linear if k.sigma_0 == 0 else linear + _kernel(_number(k, "sigma_0", np.square))

    def _ConstantKernel(self, k: Any) -> Kernel:
        return _kernel(_number(k, "constant_value"))

    def _WhiteKernel(self, k: Any) -> Kernel:
        raise UnsupportedError(
            "WhiteKernel as a part of a kernel is not supported: it is the noise of the targets, not a function of points",
            f"leave it out, and give the noise to the estimator: `alpha={float(k.noise_level):g}`",
        )

    def _Sum(self, k: Any) -> Kernel:
        return self.of(k.k1) + self.of(k.k2)

    def _Product(self, k: Any) -> Kernel:
        return self.of(k.k1) * self.of(k.k2)

    def _Exponentiation(self, k: Any) -> Kernel:
        return self.of(k.kernel) ** float(k.exponent)

    def _CompoundKernel(self, k: Any) -> Kernel:
        raise UnsupportedError("CompoundKernel, which has several values, is not supported", "give one of its kernels")

    def _PairwiseKernel(self, k: Any) -> Kernel:
        if not isinstance(k.metric, str):
            return self._called(k)
        gamma, more = _number(k, "gamma"), k.pairwise_kernels_kwargs or {}
        degree, coef0 = more.get("degree", 3), more.get("coef0", 1)
        formula = {
            "linear": "linear",
            "cosine": "cosine",
            "rbf": f"rbf(gamma={gamma})",
            "laplacian": f"laplace_l1(gamma={gamma})",
            "poly": f"poly(degree={degree}, gamma={gamma}, coef0={coef0}!)",
            "polynomial": f"poly(degree={degree}, gamma={gamma}, coef0={coef0}!)",
            "sigmoid": f"sigmoid(gamma={gamma}, coef0={coef0}!)",
        }.get(k.metric)
        return self._called(k) if formula is None else _kernel(formula)


def _kernel(formula: str) -> Kernel:
    from mercer._kernel import Kernel

    return Kernel(formula)


def _number(k: Any, name: str, change: Callable[[Any], Any] = lambda v: v) -> str:
    """The parameter as a piece of a formula, with its bounds."""
    values = np.atleast_1d(np.asarray(change(getattr(k, name)), dtype=np.float64))
    given = getattr(k, f"{name}_bounds", USUAL_BOUNDS)
    if isinstance(given, str):
        pieces = [f"{float(v)!r}!" for v in values]
    else:
        pairs = np.broadcast_to(np.atleast_2d(np.asarray(given, dtype=np.float64)), (len(values), 2))
        pieces = [_bounded(float(v), pair, change) for v, pair in zip(values, pairs, strict=True)]
    return f"[{', '.join(pieces)}]" if np.ndim(getattr(k, name)) else pieces[0]


def _bounded(value: float, pair: Any, change: Callable[[Any], Any]) -> str:
    low, high = (float(end) for end in change(pair))
    if tuple(float(end) for end in pair) == USUAL_BOUNDS or not low <= value <= high:
        return repr(value)
    return f"{value!r} in [{low!r}, {high!r}]"
