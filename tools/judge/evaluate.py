"""Values of trees: in sixty digits with a bound, and in floating point for many pairs at once."""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable

import numpy as np

from . import enclosure
from .enclosure import Value
from .language import Tree

Pair = Callable[[Any, Any], Any]


def in_digits(tree: Tree) -> Callable[[Value, Value], Value]:
    """k(x, y) with a bound, at the precision that is set when it is called."""
    kind = tree[0]
    if kind == "number":
        number = enclosure.exact(tree[1])
        return lambda x, y: number
    if kind == "x":
        return lambda x, y: x
    if kind == "y":
        return lambda x, y: y
    if kind == "pi":
        return lambda x, y: enclosure.pi()
    if kind == "e":
        return lambda x, y: enclosure.euler()
    if tree == ("power", ("e",), tree[-1]):
        exponent = in_digits(tree[2])
        return lambda x, y: enclosure.exp(exponent(x, y))
    function = enclosure.FUNCTIONS[tree[1] if kind == "call" else kind]
    parts = [in_digits(part) for part in (tree[2:] if kind == "call" else tree[1:])]
    if len(parts) == 1:
        (a,) = parts
        return lambda x, y: function(a(x, y))
    a, b = parts
    return lambda x, y: function(a(x, y), b(x, y))


def in_floats(tree: Tree) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """k(x, y) for arrays, with nan where there is no value or it is not finite."""
    inner = _floats(tree)

    def value(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = np.broadcast_to(np.asarray(inner(x, y), dtype=float), np.broadcast_shapes(x.shape, y.shape)).copy()
        out[~np.isfinite(out)] = np.nan
        return out

    return value


def _floats(tree: Tree) -> Pair:
    kind = tree[0]
    if kind == "number":
        number = _nearest(tree[1])
        return lambda x, y: number
    if kind == "x":
        return lambda x, y: x
    if kind == "y":
        return lambda x, y: y
    if kind in ("pi", "e"):
        constant = np.float64(math.pi if kind == "pi" else math.e)
        return lambda x, y: constant
    function = _FLOATS[tree[1] if kind == "call" else kind]
    parts = [_floats(part) for part in (tree[2:] if kind == "call" else tree[1:])]
    if len(parts) == 1:
        (a,) = parts
        return lambda x, y: function(a(x, y))
    a, b = parts
    return lambda x, y: function(a(x, y), b(x, y))


def _nearest(number: Any) -> np.float64:
    try:
        return np.float64(float(number))
    except OverflowError:
        return np.float64(np.inf)


def _divisor(a: Any, b: Any) -> Any:
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    whole = (a >= 1) & (b >= 1) & (a == np.floor(a)) & (b == np.floor(b)) & (a < 2**53) & (b < 2**53)
    found = np.gcd(np.where(whole, a, 1).astype(np.int64), np.where(whole, b, 1).astype(np.int64))
    return np.where(whole, found, np.nan)


def _over(a: Any, b: Any) -> Any:
    b = np.asarray(b, float)
    return a / np.where(b == 0, np.nan, b)


_FLOATS: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "cos": np.cos,
    "sin": np.sin,
    "cosh": np.cosh,
    "sinh": np.sinh,
    "tanh": np.tanh,
    "min": np.minimum,
    "max": np.maximum,
    "gcd": _divisor,
    "lcm": lambda a, b: a / _divisor(a, b) * b,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": _over,
    "power": lambda a, b: np.power(np.asarray(a, float), b),
    "negate": np.negative,
}
