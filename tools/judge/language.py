"""The expression language, read a second time: text to tree, with every decimal as it is written.

    sum     := product (('+' | '-') product)*
    product := signed (('*' | '/') signed)*
    signed  := '-' signed | power
    power   := atom (('^' | '**') signed)?
    atom    := number | 'x' | 'y' | 'pi' | 'e' | name '(' sum (',' sum)* ')' | '(' sum ')'

Trees are tuples: ``("number", Fraction)``, ``("x",)``, ``("y",)``, ``("pi",)``, ``("e",)``,
``("negate", a)``, ``("add" | "subtract" | "multiply" | "divide" | "power", a, b)`` and
``("call", name, a, …)``.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

Tree = tuple[Any, ...]

#: The functions and how many arguments each takes.
FUNCTIONS = {
    "exp": 1,
    "log": 1,
    "sqrt": 1,
    "abs": 1,
    "cos": 1,
    "sin": 1,
    "cosh": 1,
    "sinh": 1,
    "tanh": 1,
    "min": 2,
    "max": 2,
    "gcd": 2,
    "lcm": 2,
}
CONSTANTS = {"x": "x", "y": "y", "pi": "pi", "π": "pi", "e": "e"}
SYNONYMS = {"ln": "log"}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<symbol>\*\*|[-+*/^(),·×]))"
)


class NotAnExpression(ValueError):
    """The text is not in the language."""


def parse(text: str) -> Tree:
    """The tree of an expression."""
    reader = _Reader(_tokens(text))
    tree = reader.sum()
    if reader.peek() is not None:
        raise NotAnExpression(f"expected an operator, found `{reader.peek()}`")
    return tree


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if not found:
            raise NotAnExpression(f"cannot read `{text[place:]}`")
        tokens.append(found[0].strip())
        place = found.end()
    return tokens


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.next = tokens, 0

    def peek(self) -> str | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def take(self, *symbols: str) -> str | None:
        token = self.peek()
        if token not in symbols:
            return None
        self.next += 1
        return token

    def expect(self, symbol: str) -> None:
        if not self.take(symbol):
            raise NotAnExpression(f"expected `{symbol}`, found `{self.peek()}`")

    def sum(self) -> Tree:
        tree = self.product()
        while sign := self.take("+", "-"):
            tree = ("add" if sign == "+" else "subtract", tree, self.product())
        return tree

    def product(self) -> Tree:
        tree = self.signed()
        while sign := self.take("*", "/", "·", "×"):
            tree = ("divide" if sign == "/" else "multiply", tree, self.signed())
        return tree

    def signed(self) -> Tree:
        return ("negate", self.signed()) if self.take("-") else self.power()

    def power(self) -> Tree:
        base = self.atom()
        return ("power", base, self.signed()) if self.take("^", "**") else base

    def atom(self) -> Tree:
        if self.take("("):
            tree = self.sum()
            self.expect(")")
            return tree
        token = self.peek()
        if token is None:
            raise NotAnExpression("the expression ends too early")
        self.next += 1
        if token[0].isdigit() or token[0] == ".":
            return ("number", Fraction(token))
        if token in CONSTANTS:
            return (CONSTANTS[token],)
        name = SYNONYMS.get(token, token)
        if name not in FUNCTIONS:
            raise NotAnExpression(f"unknown name `{token}`")
        return ("call", name, *self.arguments(name))

    def arguments(self, name: str) -> list[Tree]:
        self.expect("(")
        found = [self.sum()]
        while self.take(","):
            found.append(self.sum())
        self.expect(")")
        if len(found) != FUNCTIONS[name]:
            raise NotAnExpression(f"`{name}` takes {FUNCTIONS[name]} arguments, got {len(found)}")
        return found


_STRENGTH = {"add": 1, "subtract": 1, "multiply": 2, "divide": 2, "negate": 3, "power": 4}
_SIGN = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "^"}


def write(tree: Tree) -> str:
    """The text of a tree; reading it gives the tree again."""
    kind = tree[0]
    if kind == "number":
        return _decimal(tree[1])
    if kind in ("x", "y", "pi", "e"):
        return str(kind)
    if kind == "call":
        return f"{tree[1]}({','.join(write(a) for a in tree[2:])})"
    if kind == "negate":
        return "-" + _wrapped(tree[1], 3)
    own = _STRENGTH[kind]
    # Sums, products and differences lean left; powers lean right and bind a sign there.
    left, right = (5, 3) if kind == "power" else (own, own + 1)
    return _wrapped(tree[1], left) + _SIGN[kind] + _wrapped(tree[2], right)


def _wrapped(tree: Tree, least: int) -> str:
    text = write(tree)
    return f"({text})" if _STRENGTH.get(tree[0], 9) < least else text


def _decimal(value: Fraction) -> str:
    """A number ≥ 0 whose denominator divides a power of ten, without an exponent."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
        if places > 400:
            raise ValueError(f"{value} is not a decimal")
    digits = str((value * 10**places).numerator).rjust(places + 1, "0")
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"
