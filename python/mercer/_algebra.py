"""The algebra of kernels: sums, products, powers, and what else makes kernels of kernels."""

from __future__ import annotations

from numbers import Real
from typing import Self

from mercer._expression import Expression
from mercer.errors import InvalidParameterError


class Algebra(Expression):
    """What kernels are put together with."""

    __slots__ = ()
    # Keeps numpy from taking `np.float64(2) * kernel` for itself.
    __array_ufunc__ = None

    def __add__(self, other: Self | float) -> Self:
        if isinstance(other, Algebra):
            return self._made(self._expr.add(other._expr), other)
        if not isinstance(other, Real):
            return NotImplemented
        return self._made(self._expr.shift(float(other), False))

    def __radd__(self, other: float) -> Self:
        if not isinstance(other, Real):
            return NotImplemented
        # `sum(kernels)` begins with the whole number 0.
        if type(other) is int and other == 0:
            return self
        return self._made(self._expr.shift(float(other), True))

    def __mul__(self, other: Self | float) -> Self:
        if isinstance(other, Algebra):
            return self._made(self._expr.multiply(other._expr), other)
        if not isinstance(other, Real):
            return NotImplemented
        return self._made(self._expr.scale(float(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> Self:
        if isinstance(other, Algebra):
            return self._written(f"({self})/({other})", other)
        if not isinstance(other, Real):
            return NotImplemented
        if not float(other) > 0:
            raise InvalidParameterError(f"a kernel can be divided by a number > 0, got {other}")
        return self._made(self._expr.scale(1 / float(other)))

    def __rtruediv__(self, other: float) -> Self:
        if not isinstance(other, Real):
            return NotImplemented
        return self._written(f"{float(other)!r}/({self})")

    def __sub__(self, other: Self | float) -> Self:
        """A difference, where it is known to be a kernel; an error says why it is not."""
        if isinstance(other, Algebra):
            return self._written(f"({self}) - ({other})", other)
        if not isinstance(other, Real):
            return NotImplemented
        return self._written(f"({self}) - {float(other)!r}")

    def __rsub__(self, other: float) -> Self:
        if not isinstance(other, Real):
            return NotImplemented
        return self._written(f"{float(other)!r} - ({self})")

    def __neg__(self) -> Self:
        return self._written(f"-({self})")

    def __pow__(self, exponent: float) -> Self:
        try:
            power = float(exponent)
        except (TypeError, ValueError):
            raise InvalidParameterError(f"`exponent` of a power of a kernel must be a number, got {exponent!r}") from None
        return self._made(self._expr.power(power))

    def exp(self) -> Self:
        """exp(k)."""
        return self._made(self._expr.exp())

    def normalize(self) -> Self:
        """k(x, y)/√(k(x, x)·k(y, y))."""
        return self._made(self._expr.normalize())

    def with_gaps(self) -> Self:
        """k where both points have every value that k reads, 1 where both lack one, 0 where one of them does.

        >>> from mercer import Kernel
        >>> k = Kernel("rbf(length_scale=1)").with_gaps()
        >>> k
        Kernel("with_gaps(rbf(length_scale=1))")
        >>> k.gram([[1.0], [float("nan")], [float("nan")]]).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
        """
        return self._made(self._expr.with_gaps())

    def on(self, *columns: str) -> Self:
        """This kernel on the columns of these names, for kernels that are not composed.

        >>> from mercer import Kernel
        >>> Kernel("rbf(length_scale=2)").on("age", "height")
        Kernel("rbf(age, height, length_scale=2)")
        """
        return self._made(self._expr.on([str(c) for c in columns]))
