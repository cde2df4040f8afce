"""Random expressions, with a liking for what provers get wrong.

Known kernels bent a little, closed under what keeps and what breaks them; signs and nested minima;
fractional powers; logarithms; numbers that are almost equal; exponents that are huge; the ends of
domains; and a share of trees with no design at all.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from . import table
from .families import FAMILIES
from .language import FUNCTIONS, Tree, parse, write
from .points import DOMAINS

#: Texts longer than this are drawn again.
LONGEST = 300

X: Tree = ("x",)
Y: Tree = ("y",)


def number(text: str | int | Fraction) -> Tree:
    """A number; a negative one is a sign before it."""
    value = Fraction(text)
    return ("number", value) if value >= 0 else ("negate", ("number", -value))


PLAIN = ["0", "1", "2", "3", "4", "0.5", "1.5", "0.25", "0.1", "0.9", "2.5", "10", "7", "0.7", "1.1"]
CLOSE = [
    "0.999",
    "1.001",
    "1.0000001",
    "0.9999999",
    "1.00000000000000000001",
    "0.99999999999999999999",
    "2.0000001",
    "1.9999999",
    "2.00000000000000001",
    "0.50000000000000000001",
    "0.49999999999999999999",
    "0.30000000000000004",
    "0.001",
    "0.00000000000000000001",
    "1.4142135623730950488",
    "0.33333333333333333333",
    "3.1415926535897932385",
    "2.7182818284590452354",
    "1e-20",
    "1e-300",
]
HUGE = [
    "1e20",
    "1e39",
    "9007199254740993",
    "170141183460469231731687303715884105728",
    "200",
    "400",
    "1000",
    "127",
    "1e6",
]


def constant(r: Random) -> Tree:
    kind = r.random()
    if kind < 0.62:
        return number(r.choice(PLAIN))
    if kind < 0.82:
        return number(r.choice(CLOSE))
    if kind < 0.86:
        return number(r.choice(HUGE))
    if kind < 0.9:
        return (r.choice(["pi", "e"]),)
    if kind < 0.95:
        return number(Fraction(r.randint(0, 10**20), 10 ** r.choice([1, 10, 19, 20])))
    return r.choice(
        [
            parse("0.1+0.2-0.3"),
            parse("0.1+0.2-0.30000000000000004"),
            parse("1-1.0000000000000000001"),
            parse("9007199254740993-9007199254740992"),
            parse("2^127"),
            parse("10^39"),
            parse("2^-200"),
            parse("1/3"),
            parse("sqrt(2)"),
            parse("log(2)"),
            parse("sqrt(2)^2-2"),
            parse("exp(1)-e"),
            parse("exp(log(3))-3"),
            parse("sin(1)^2+cos(1)^2-1"),
            parse("1/3+1/3+1/3-1"),
            parse("0^0"),
            parse("(-1)^3"),
        ]
    )


def own(r: Random, depth: int = 1) -> Tree:
    """A function of x alone."""
    kind = r.randrange(12)
    if depth == 0 or kind < 3:
        return X
    a = own(r, depth - 1)
    return [
        ("power", a, number(r.choice(["2", "3", "0.5", "1.5", "4"]))),
        ("add", constant(r), a),
        ("subtract", constant(r), a),
        ("multiply", constant(r), a),
        ("call", r.choice(["exp", "log", "sqrt", "abs", "cos", "sin", "tanh", "sinh", "cosh"]), a),
        ("call", r.choice(["min", "max"]), a, constant(r)),
        ("divide", number(1), a),
        ("negate", a),
        ("power", a, ("negate", number(r.choice(["1", "2", "0.5"])))),
    ][kind - 3]


def at_y(tree: Tree) -> Tree:
    """The same function of y."""
    if tree == X:
        return Y
    return tuple(at_y(part) if isinstance(part, tuple) else part for part in tree)


def swapped(tree: Tree) -> Tree:
    if tree == X:
        return Y
    if tree == Y:
        return X
    return tuple(swapped(part) if isinstance(part, tuple) else part for part in tree)


def pair(r: Random, domain: str) -> Tree:
    """A symmetric function of x and y, the stuff that kernels are made of."""
    f = own(r, r.choice([0, 0, 0, 1, 1, 2]))
    g = at_y(f)
    difference = ("subtract", f, g)
    kinds = [
        ("multiply", f, g),
        ("add", f, g),
        difference,
        ("call", "abs", difference),
        ("power", difference, number(2)),
        ("call", "min", f, g),
        ("call", "max", f, g),
        ("call", "min", ("negate", f), ("negate", g)),
        ("negate", ("call", "max", ("negate", f), ("negate", g))),
        ("negate", ("call", "min", ("negate", f), ("negate", g))),
        ("call", "abs", difference),
        ("multiply", f, g),
    ]
    if domain == "N":
        kinds += [("call", "gcd", X, Y), ("call", "lcm", X, Y)] * 2
    return r.choice(kinds)


#: Rules that make kernels out of kernels or nearly: where provers have their side conditions.
def around(r: Random, a: Tree, b: Tree) -> Tree:
    """One more layer around a, perhaps with b."""
    c = constant(r)
    q = number(
        r.choice(["2", "3", "0.5", "1.5", "0.25", "2.5", "0.3", "1.0000001", "0.99999999999999999999", "13", "400"])
    )
    return r.choice(
        [
            ("add", a, b),
            ("add", a, b),
            ("subtract", a, b),
            ("multiply", a, b),
            ("multiply", a, b),
            ("divide", a, b),
            ("add", a, c),
            ("subtract", a, c),
            ("subtract", c, a),
            ("multiply", c, a),
            ("multiply", ("negate", c), a),
            ("divide", a, c),
            ("divide", c, a),
            ("divide", a, ("divide", number(1), b)),
            ("divide", number(1), ("add", number(1), a)),
            ("divide", number(1), ("subtract", number(1), a)),
            ("divide", number(1), ("subtract", c, a)),
            ("negate", a),
            ("power", a, q),
            ("power", a, q),
            ("power", a, ("negate", q)),
            ("power", c, a),
            ("power", c, ("negate", a)),
            ("call", "exp", a),
            ("call", "exp", ("negate", a)),
            ("call", "exp", ("negate", ("multiply", c, a))),
            ("call", "log", a),
            ("negate", ("call", "log", ("subtract", number(1), a))),
            ("call", "log", ("add", number(1), a)),
            ("negate", ("call", "log", a)),
            ("call", "exp", ("call", "log", a)),
            ("call", "log", ("call", "exp", a)),
            ("call", "exp", ("multiply", q, ("call", "log", a))),
            ("call", "sqrt", a),
            ("call", "sqrt", ("multiply", a, b)),
            ("call", "abs", a),
            ("call", "cos", a),
            ("call", "cosh", a),
            ("call", "sinh", a),
            ("call", "tanh", a),
            ("call", "sin", a),
            ("call", "min", a, b),
            ("call", "max", a, b),
            ("call", "min", a, c),
            ("call", "max", a, c),
            ("call", "max", number(0), a),
            ("call", "min", number(0), a),
            ("call", "max", number(0), ("subtract", c, a)),
            ("negate", ("call", "min", ("negate", a), ("negate", b))),
            ("subtract", ("call", "exp", a), c),
            ("subtract", a, ("multiply", number(r.choice(CLOSE)), a)),
            ("subtract", ("multiply", c, a), ("multiply", constant(r), b)),
            ("multiply", a, swapped(a)),
            ("add", a, swapped(a)),
            ("divide", a, swapped(b)),
        ]
    )


def bent(r: Random, tree: Tree) -> Tree:
    """The tree with one place changed."""
    places = list(_places(tree))
    place = r.choice(places)
    old = _get(tree, place)
    return _put(tree, place, _changed(r, old))


def _changed(r: Random, old: Tree) -> Tree:
    if old[0] == "number" and r.random() < 0.8:
        value = old[1]
        tiny = Fraction(1, 10 ** r.choice([1, 3, 7, 17, 20]))
        return r.choice(
            [
                number(value + tiny),
                number(value - tiny),
                number(value * (1 + tiny)),
                number(2 * value),
                number(value + 1),
                constant(r),
                number(-value),
            ]
        )
    if old[0] == "call" and old[1] in ("min", "max", "gcd", "lcm") and r.random() < 0.5:
        other = {"min": "max", "max": "min", "gcd": "lcm", "lcm": "gcd"}[old[1]]
        return ("call", other, *old[2:])
    if old[0] == "call" and FUNCTIONS[old[1]] == 1 and r.random() < 0.4:
        return ("call", r.choice([name for name, n in FUNCTIONS.items() if n == 1]), old[2])
    if old[0] in ("add", "subtract", "multiply", "divide") and r.random() < 0.5:
        return (r.choice(["add", "subtract", "multiply", "divide"]), *old[1:])
    c = constant(r)
    return r.choice(
        [
            ("negate", old),
            ("multiply", c, old),
            ("add", old, c),
            ("subtract", old, c),
            ("power", old, number(r.choice(["2", "0.5", "1.5", "3"]))),
            ("call", "abs", old),
            ("call", "max", number(0), old),
            ("call", "exp", old),
            ("divide", number(1), old),
            swapped(old),
            c,
            ("call", "log", old),
            ("call", "min", old, c),
        ]
    )


def _places(tree: Tree, here: tuple[int, ...] = ()):  # type: ignore[no-untyped-def]
    yield here
    for i, part in enumerate(tree):
        if isinstance(part, tuple):
            yield from _places(part, (*here, i))


def _get(tree: Tree, place: tuple[int, ...]) -> Tree:
    for i in place:
        tree = tree[i]
    return tree


def _put(tree: Tree, place: tuple[int, ...], new: Tree) -> Tree:
    if not place:
        return new
    i, *rest = place
    return (*tree[:i], _put(tree[i], tuple(rest), new), *tree[i + 1 :])


def wild(r: Random, depth: int) -> Tree:
    """Any tree at all."""
    if depth == 0:
        return r.choice(
            [
                X,
                Y,
                ("multiply", X, Y),
                ("subtract", X, Y),
                ("add", X, Y),
                ("call", "min", X, Y),
                ("call", "max", X, Y),
                constant(r),
            ]
        )
    a, b = wild(r, depth - 1), wild(r, depth - 1)
    name = r.choice(list(FUNCTIONS))
    kinds = [
        ("negate", a),
        ("add", a, b),
        ("subtract", a, b),
        ("multiply", a, b),
        ("divide", a, b),
        ("power", a, constant(r)),
        ("power", a, b),
        ("call", name, *[a, b][: FUNCTIONS[name]]),
    ]
    return r.choice(kinds)


class Generator:
    """Expressions from a seed."""

    def __init__(self, seed: int, domains: tuple[str, ...] = DOMAINS) -> None:
        self.r = Random(seed)
        self.domains = domains
        self.known = [(parse(row.expression), row.domain) for row in table.rows() if len(row.expression) < 80]
        self.kernels = [
            (parse(row.expression), row.domain)
            for row in table.rows()
            if row.answer == "kernel" and len(row.expression) < 60
        ]

    def draw(self) -> tuple[str, str]:
        """An expression and a domain."""
        while True:
            domain = self.r.choice(self.domains)
            text = write(self._tree(domain))
            if len(text) <= LONGEST and "x" in text:
                return text, domain

    def _tree(self, domain: str) -> Tree:
        r = self.r
        kind = r.random()
        if kind < 0.3:
            tree = parse(r.choice(FAMILIES[domain])(r))
            return around(r, tree, self._known(domain, self.kernels)) if r.random() < 0.25 else tree
        if kind < 0.45:
            tree = bent(r, self._known(domain, self.known))
            return bent(r, tree) if r.random() < 0.3 else tree
        if kind < 0.65:
            tree = self._known(domain, self.kernels)
            for _ in range(r.choice([1, 1, 2, 2, 3])):
                tree = around(r, tree, self._known(domain, self.kernels))
            return tree
        if kind < 0.93:
            tree = pair(r, domain)
            for _ in range(r.choice([1, 2, 2, 3, 3, 4])):
                tree = around(r, tree, pair(r, domain))
            return tree
        return wild(r, r.choice([1, 2, 2, 3]))

    def _known(self, domain: str, pool: list[tuple[Tree, str]]) -> Tree:
        """A tree of the table, mostly one of the same domain."""
        fitting = [tree for tree, own_domain in pool if own_domain == domain]
        if fitting and self.r.random() < 0.7:
            return self.r.choice(fitting)
        return self.r.choice(pool)[0]
