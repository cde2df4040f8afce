"""Numbers that are known exactly, or to some sixty digits with a bound of the error.

A value is an exact rational, or a ``Ball``: a middle of ``mp.prec`` bits and a radius that holds the
true value. Operations on rationals stay exact while they can and while their size is modest. What
has no real value raises ``Undefined``; what cannot be told raises ``Unsure``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import gcd, isqrt
from typing import Union

from mpmath import mp, mpf

try:
    from gmpy2 import mpq as Exact
except ImportError:
    Exact = Fraction

#: Sixty digits are 200 bits; what the last operations lose is in the radius.
DIGITS = 60
#: Rationals longer than this become balls.
LONGEST = 4000
#: Beyond this an exponential is not computed.
LARGEST_EXPONENT = mpf(10) ** 40


class Undefined(ArithmeticError):
    """There is no real value, for certain."""


class Unsure(ArithmeticError):
    """The precision does not decide, or the number is too large to compute."""


class Ball:
    """All numbers within ``radius`` of ``middle``."""

    __slots__ = ("middle", "radius")

    def __init__(self, middle: mpf, radius: mpf) -> None:
        self.middle, self.radius = middle, radius

    def __repr__(self) -> str:
        return f"{mp.nstr(self.middle, 20)} ± {mp.nstr(self.radius, 3)}"


Value = Union[Exact, Ball]


def exact(value: object) -> Value:
    """A rational from whole numbers, fractions or text such as 1/3."""
    if isinstance(value, Fraction):
        return Exact(value.numerator, value.denominator)
    return Exact(value)


def is_exact(a: Value) -> bool:
    return not isinstance(a, Ball)


def ball(a: Value) -> Ball:
    """The value with its bound."""
    if isinstance(a, Ball):
        return a
    middle = mpf(int(a.numerator)) / mpf(int(a.denominator))
    return _rounded(middle, mpf(0))


def _rounded(middle: mpf, radius: mpf) -> Ball:
    # An operation of mpmath errs by less than one unit in the last place; 16 units hold the errors
    # of the radius itself, too.
    return Ball(middle, radius + abs(middle) * _unit(mp.prec))


@cache
def _unit(bits: int) -> mpf:
    return mp.ldexp(1, 4 - bits)


def low(a: Value) -> mpf | Value:
    return a if is_exact(a) else a.middle - a.radius


def high(a: Value) -> mpf | Value:
    return a if is_exact(a) else a.middle + a.radius


def sign(a: Value) -> int:
    """-1, 0 or 1, for certain."""
    if is_exact(a):
        return (a > 0) - (a < 0)
    if abs(a.middle) <= a.radius * (1 + mp.ldexp(1, -20)):
        raise Unsure("a sign")
    return 1 if a.middle > 0 else -1


def _modest(a: Value) -> Value:
    size = int(a.numerator).bit_length() + int(a.denominator).bit_length()
    return a if size <= LONGEST else ball(a)


def negate(a: Value) -> Value:
    return -a if is_exact(a) else Ball(-a.middle, a.radius)


def add(a: Value, b: Value) -> Value:
    if is_exact(a) and is_exact(b):
        return _modest(a + b)
    a, b = ball(a), ball(b)
    return _rounded(a.middle + b.middle, a.radius + b.radius)


def subtract(a: Value, b: Value) -> Value:
    return add(a, negate(b))


def multiply(a: Value, b: Value) -> Value:
    if is_exact(a) and is_exact(b):
        return _modest(a * b)
    if (is_exact(a) and a == 0) or (is_exact(b) and b == 0):
        return Exact(0)
    a, b = ball(a), ball(b)
    radius = abs(a.middle) * b.radius + abs(b.middle) * a.radius + a.radius * b.radius
    return _rounded(a.middle * b.middle, radius)


def divide(a: Value, b: Value) -> Value:
    if sign(b) == 0:
        raise Undefined("a division by 0")
    if is_exact(a) and (is_exact(b) or a == 0):
        return _modest(a / b) if is_exact(b) else a
    a, b = ball(a), ball(b)
    quotient = a.middle / b.middle
    return _rounded(quotient, (a.radius + abs(quotient) * b.radius) / (abs(b.middle) - b.radius))


def absolute(a: Value) -> Value:
    return abs(a) if is_exact(a) else Ball(abs(a.middle), a.radius)


def minimum(a: Value, b: Value) -> Value:
    if is_exact(a) and is_exact(b):
        return min(a, b)
    try:
        return a if sign(subtract(a, b)) <= 0 else b
    except Unsure:
        # min is a contraction: errors of its arguments do not grow.
        a, b = ball(a), ball(b)
        return Ball(min(a.middle, b.middle), max(a.radius, b.radius))


def maximum(a: Value, b: Value) -> Value:
    return negate(minimum(negate(a), negate(b)))


def exp(a: Value) -> Value:
    if is_exact(a) and a == 0:
        return Exact(1)
    a = ball(a)
    if abs(a.middle) > LARGEST_EXPONENT or a.radius > 1:
        raise Unsure("an exponential that is too large")
    middle = mp.exp(a.middle)
    # eʳ − 1 < 2r for r ≤ 1.
    return _rounded(middle, 2 * middle * a.radius)


def log(a: Value) -> Value:
    if sign(a) <= 0:
        raise Undefined("the logarithm of a number that is not positive")
    if is_exact(a) and a == 1:
        return Exact(0)
    a = ball(a)
    if a.radius > a.middle / 4:
        raise Unsure("a logarithm")
    return _rounded(mp.log(a.middle), 2 * a.radius / a.middle)


def cos(a: Value) -> Value:
    return _wave(a, mp.cos, Exact(1))


def sin(a: Value) -> Value:
    return _wave(a, mp.sin, Exact(0))


def _wave(a: Value, function: object, at_zero: Value) -> Value:
    if is_exact(a) and a == 0:
        return at_zero
    a = ball(a)
    if mp.mag(a.middle) > 3000:
        raise Unsure("a sine or cosine of a large number")
    # The value is below 1, its rounding below 2 units of 1.
    return Ball(function(a.middle), a.radius + _unit(mp.prec))  # type: ignore[operator]


def cosh(a: Value) -> Value:
    return divide(add(exp(a), exp(negate(a))), Exact(2))


def sinh(a: Value) -> Value:
    if is_exact(a) and a == 0:
        return a
    a = ball(a)
    if abs(a.middle) > LARGEST_EXPONENT or a.radius > 1:
        raise Unsure("a hyperbolic sine that is too large")
    return _rounded(mp.sinh(a.middle), 4 * a.radius * mp.cosh(a.middle))


def tanh(a: Value) -> Value:
    if is_exact(a) and a == 0:
        return a
    a = ball(a)
    if abs(a.middle) > LARGEST_EXPONENT:
        raise Unsure("a hyperbolic tangent of a large number")
    return _rounded(mp.tanh(a.middle), a.radius)


def sqrt(a: Value) -> Value:
    return power(a, Exact(1, 2))


def divisor(a: Value, b: Value) -> Value:
    return Exact(gcd(_whole(a), _whole(b)))


def multiple(a: Value, b: Value) -> Value:
    return divide(multiply(a, b), divisor(a, b))


def _whole(a: Value) -> int:
    if not is_exact(a):
        if a.middle + a.radius < 1 or mp.floor(a.middle - a.radius) == mp.floor(a.middle + a.radius) != a.middle:
            raise Undefined("a divisor of a number that is not whole")
        raise Unsure("a divisor of a number that may be whole")
    if a.denominator != 1 or a < 1:
        raise Undefined("a divisor of a number that is not 1, 2, …")
    return int(a)


def power(base: Value, exponent: Value) -> Value:
    if is_exact(exponent):
        if exponent == 0:
            return Exact(1)
        if exponent.denominator == 1:
            return _whole_power(base, int(exponent))
    s = sign(base)
    if s == 0:
        if sign(exponent) > 0:
            return Exact(0)
        if sign(exponent) == 0:
            return Exact(1)
        raise Undefined("a negative power of 0")
    if s < 0:
        if is_exact(exponent) or mp.ceil(low(exponent)) > mp.floor(high(exponent)):
            raise Undefined("a fractional power of a negative number")
        raise Unsure("a power of a negative number")
    if is_exact(base) and base == 1:
        return base
    root = _root(base, exponent)
    return root if root is not None else exp(multiply(exponent, log(base)))


def _root(base: Value, exponent: Value) -> Value | None:
    """The exact power where the root is rational; only square roots are tried."""
    if not (is_exact(base) and is_exact(exponent) and exponent.denominator == 2 and abs(exponent) < 50):
        return None
    top, bottom = int(base.numerator), int(base.denominator)
    if isqrt(top) ** 2 != top or isqrt(bottom) ** 2 != bottom:
        return None
    return _whole_power(Exact(isqrt(top), isqrt(bottom)), int(exponent.numerator))


def _whole_power(base: Value, n: int) -> Value:
    if is_exact(base):
        if base == 0:
            if n < 0:
                raise Undefined("a negative power of 0")
            return Exact(0)
        size = int(base.numerator).bit_length() + int(base.denominator).bit_length()
        if size * abs(n) <= LONGEST or abs(base) == 1:
            return base**n if abs(base) != 1 else (Exact(1) if n % 2 == 0 else base)
    if n < 0:
        return divide(Exact(1), _whole_power(base, -n))
    if n <= 64:
        out: Value = Exact(1)
        for bit in bin(n)[2:]:
            out = multiply(out, out)
            if bit == "1":
                out = multiply(out, base)
        # Even powers are not negative, though the ball of a product may be.
        return out
    size = exp(multiply(Exact(n), log(absolute(base))))
    return negate(size) if sign(base) < 0 and n % 2 else size


def pi() -> Value:
    return _rounded(+mp.pi, mpf(0))


def euler() -> Value:
    return _rounded(+mp.e, mpf(0))


FUNCTIONS = {
    "exp": exp,
    "log": log,
    "sqrt": sqrt,
    "abs": absolute,
    "cos": cos,
    "sin": sin,
    "cosh": cosh,
    "sinh": sinh,
    "tanh": tanh,
    "min": minimum,
    "max": maximum,
    "gcd": divisor,
    "lcm": multiple,
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "power": power,
    "negate": negate,
}
