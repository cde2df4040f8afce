"""Random formulas, and a judge of their verdicts that shares nothing with Mercer.

A formula is drawn as a tree, printed for Mercer, and evaluated here from the definitions of its
kernels in 50 digits. What is proved must have no negative eigenvalue at any points; what is refuted
must have aᵀKa < 0 at the points of the counterexample, whatever number a rule may find.

Run this file for a long search: ``python formula_judge.py 20000 1`` (formulas, seed).
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np

import mercer

mp.mp.dps = 50

#: An eigenvalue is negative below −this times the largest entry; 50 digits are computed.
NEGATIVE = mp.mpf(10) ** -35
#: Entries beyond this are not looked at.
LARGEST = mp.mpf(10) ** 12

Tree = tuple[Any, ...]
Point = Mapping[str, mp.mpf]
#: The number that the rule `median` finds, by columns and kind of distance.
Rules = Callable[[tuple[str, ...], bool], mp.mpf]


class Undefined(Exception):
    """The formula has no value at a pair of points."""


# Drawing.

NUMBERS = ["0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3"]
STATIONARY = ["rbf", "laplace", "laplace_l1", "matern12", "matern32", "matern52", "cauchy", "rational_quadratic", "periodic"]
HISTOGRAMS = ["min", "spline", "minmax", "chi2", "additive_chi2", "hellinger"]
OTHERS = ["linear", "linear", "poly", "general_poly", "exponential", "cosine", "tanimoto", "energy", "thin_plate", "sigmoid", "delta", *HISTOGRAMS]


def leaf(draw: random.Random) -> Tree:
    """A kernel of the catalogue: name, columns, settings."""
    name = draw.choice(STATIONARY if draw.random() < 0.55 else OTHERS)
    columns = () if name == "delta" else draw.choice([(), (), ("a",), ("a",), ("b",), ("a", "b"), ("b", "a")])
    settings: dict[str, Any] = {}
    if name in STATIONARY:
        settings["length_scale"] = "median" if draw.random() < 0.25 else draw.choice(["1", "1", "2", "0.5", "3"])
        if len(columns) == 2 and draw.random() < 0.2:
            settings["length_scale"] = [draw.choice(["1", "2", "0.5"]) for _ in columns]
    if name == "rational_quadratic":
        settings["alpha"] = draw.choice(["1", "2", "0.5"])
    if name == "periodic":
        settings["period"] = draw.choice(["1", "2", "3"])
    if name == "poly":
        settings |= {"degree": draw.choice([1, 2, 3]), "gamma": draw.choice(["1", "0.5"]), "coef0": draw.choice(["0", "1", "2"])}
    if name == "general_poly":
        settings["coefficients"] = [draw.choice(["0", "1", "0.5"]) for _ in range(3)]
    if name in ("exponential", "chi2"):
        settings["gamma"] = draw.choice(["1", "0.5"])
    if name == "energy":
        settings |= {"length_scale": draw.choice(["1", "2"]), "exponent": draw.choice(["1", "0.5", "1.5"])}
    if name == "thin_plate":
        settings["length_scale"] = "1"
    if name == "sigmoid":
        settings |= {"gamma": "1", "coef0": draw.choice(["0", "1", "0.5"])}
    return ("leaf", name, columns, settings)


def tree(draw: random.Random, depth: int, pool: list[Tree]) -> Tree:
    """A formula; parts are repeated often, so that like terms are met."""
    if depth == 0 or draw.random() < 0.15:
        kind = draw.random()
        if kind < 0.15:
            return ("number", draw.choice([*NUMBERS, "0"]))
        if kind < 0.55 and pool:
            return draw.choice(pool)
        pool.append(leaf(draw))
        return pool[-1]
    inner = lambda: tree(draw, depth - 1, pool)  # noqa: E731
    kind = draw.random()
    if kind < 0.32:
        terms = [(draw.choice("++-"), inner()) for _ in range(draw.choice([2, 2, 3]))]
        return ("sum", [("+", terms[0][1]), *terms[1:]])
    if kind < 0.52:
        return ("product", [("*", inner()), ("*", inner())])
    if kind < 0.62:
        return ("product", [("*", ("number", draw.choice(NUMBERS))), ("*", inner())])
    if kind < 0.70:
        return ("product", [("*", inner()), ("/", ("number", draw.choice(NUMBERS)))])
    if kind < 0.74:
        return ("product", [("*", inner()), ("/", inner())])
    if kind < 0.82:
        return ("power", inner(), draw.choice(["2", "2", "3", "0.5", "1.5"]))
    if kind < 0.84:
        return ("minus", inner())
    return ("call", draw.choice(["exp", "exp", "log", "log", "sqrt", "abs", "normalize", "normalize", "tanh", "sin"]), inner())


def text(node: Tree) -> str:
    """The formula as Mercer reads it."""
    match node:
        case ("number", value):
            return str(value)
        case ("leaf", name, columns, settings):
            shown = lambda v: f"[{', '.join(v)}]" if isinstance(v, list) else str(v)  # noqa: E731
            arguments = [*columns, *(f"{key}={shown(value)}" for key, value in settings.items())]
            return f"{name}({', '.join(arguments)})" if arguments else str(name)
        case ("sum", parts):
            return "(" + "".join(f" {sign} {text(part)}" for sign, part in parts)[3:] + ")"
        case ("product", parts):
            return "(" + "".join(f"{sign}{text(part)}" for sign, part in parts)[1:] + ")"
        case ("power", base, exponent):
            return f"({text(base)})^{exponent}"
        case ("minus", inner):
            return f"(-{text(inner)})"
        case ("call", name, inner):
            return f"{name}({text(inner)})"
    raise AssertionError(node)


def leaves(node: Tree) -> list[Tree]:
    """Every kernel in it."""
    match node:
        case ("leaf", *_):
            return [node]
        case ("sum" | "product", parts):
            return [found for _, part in parts for found in leaves(part)]
        case ("power", base, _):
            return leaves(base)
        case ("minus", inner) | ("call", _, inner):
            return leaves(inner)
    return []


# Evaluating.


def value(node: Tree, x: Point, y: Point, rules: Rules) -> mp.mpf:
    """k(x, y) from the definitions."""
    match node:
        case ("number", number):
            return exact(number)
        case ("leaf", name, columns, settings):
            return kernel(name, columns or tuple(sorted(c for c in x if c != "category")), settings, x, y, rules)
        case ("sum", parts):
            return mp.fsum([value(p, x, y, rules) * (-1 if sign == "-" else 1) for sign, p in parts])
        case ("product", parts):
            out = mp.mpf(1)
            for sign, part in parts:
                factor = value(part, x, y, rules)
                if sign == "/" and told_from_zero(factor) == 0:
                    raise Undefined
                out = out / factor if sign == "/" else out * factor
            return bounded(out)
        case ("power", base, exponent):
            return bounded(power(value(base, x, y, rules), exact(exponent)))
        case ("minus", inner):
            return -value(inner, x, y, rules)
        case ("call", "normalize", inner):
            own, other = told_from_zero(value(inner, x, x, rules)), told_from_zero(value(inner, y, y, rules))
            if own < 0 or other < 0:
                raise Undefined
            between = value(inner, x, y, rules)
            return mp.mpf(0) if own == 0 or other == 0 else between / mp.sqrt(own * other)
        case ("call", name, inner):
            return bounded(call(name, value(inner, x, y, rules)))
    raise AssertionError(node)


def bounded(number: mp.mpf) -> mp.mpf:
    """The number, unless it is too large to go on with."""
    if abs(number) > LARGEST:
        raise OverflowError
    return number


def told_from_zero(number: mp.mpf) -> mp.mpf:
    """The number, unless it may be 0 but for rounding."""
    if number != 0 and abs(number) < mp.mpf(10) ** -40:
        raise OverflowError
    return number


def exact(number: str) -> mp.mpf:
    fraction = Fraction(number)
    return mp.mpf(fraction.numerator) / fraction.denominator


def power(base: mp.mpf, exponent: mp.mpf) -> mp.mpf:
    if told_from_zero(base) < 0 and exponent != int(exponent):
        raise Undefined
    return mp.mpf(base) ** (int(exponent) if exponent == int(exponent) else exponent)


def call(name: str, v: mp.mpf) -> mp.mpf:
    if name in ("log", "sqrt"):
        told_from_zero(v)
    if name == "log" and v <= 0 or name == "sqrt" and v < 0:
        raise Undefined
    return {"exp": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "abs": abs, "tanh": mp.tanh, "sin": mp.sin}[name](v)


def kernel(name: str, columns: Sequence[str], settings: Mapping[str, Any], x: Point, y: Point, rules: Rules) -> mp.mpf:
    """A kernel of the catalogue, as docs/guide/kernels.md defines it."""
    number = lambda key: exact(settings[key])  # noqa: E731
    xs, ys = [x[c] for c in columns], [y[c] for c in columns]
    dot = mp.fsum(a * b for a, b in zip(xs, ys, strict=True))
    given = settings.get("length_scale", "1")
    if given == "median":
        scales = [rules(tuple(sorted(columns)), name == "laplace_l1")] * len(columns)
    else:
        scales = [exact(s) for s in (given if isinstance(given, list) else [given] * len(columns))]
    square = mp.fsum(((a - b) / s) ** 2 for a, b, s in zip(xs, ys, scales, strict=True))
    r = mp.sqrt(square)
    match name:
        case "linear":
            return dot
        case "poly":
            return bounded((number("gamma") * dot + number("coef0")) ** settings["degree"])
        case "general_poly":
            return mp.fsum(exact(c) * dot**i for i, c in enumerate(settings["coefficients"]))
        case "exponential":
            return bounded(mp.exp(number("gamma") * dot))
        case "cosine":
            norm = mp.sqrt(mp.fsum(a * a for a in xs) * mp.fsum(b * b for b in ys))
            return dot / norm if norm > 0 else mp.mpf(0)
        case "rbf":
            return mp.exp(-square / 2)
        case "laplace" | "matern12":
            return mp.exp(-r)
        case "laplace_l1":
            return mp.exp(-mp.fsum(abs(a - b) / s for a, b, s in zip(xs, ys, scales, strict=True)))
        case "matern32":
            return (1 + mp.sqrt(3) * r) * mp.exp(-mp.sqrt(3) * r)
        case "matern52":
            return (1 + mp.sqrt(5) * r + 5 * square / 3) * mp.exp(-mp.sqrt(5) * r)
        case "cauchy":
            return 1 / (1 + square)
        case "rational_quadratic":
            alpha = number("alpha")
            return (1 + square / (2 * alpha)) ** -alpha
        case "periodic":
            waves = (mp.sin(mp.pi * (a - b) / number("period")) / s for a, b, s in zip(xs, ys, scales, strict=True))
            return mp.exp(-2 * mp.fsum(w**2 for w in waves))
        case "energy":
            return -(r ** number("exponent"))
        case "thin_plate":
            return square * mp.log(r) if r > 0 else mp.mpf(0)
        case "sigmoid":
            return mp.tanh(number("gamma") * dot + number("coef0"))
        case "min":
            return mp.fsum(min(a, b) for a, b in zip(xs, ys, strict=True))
        case "tanimoto":
            whole = mp.fsum(a * a + b * b for a, b in zip(xs, ys, strict=True))
            return dot / (whole - dot) if whole > 0 else mp.mpf(1)
        case "minmax":
            most = mp.fsum(max(a, b) for a, b in zip(xs, ys, strict=True))
            return mp.fsum(min(a, b) for a, b in zip(xs, ys, strict=True)) / most if most > 0 else mp.mpf(1)
        case "additive_chi2":
            return mp.fsum(2 * a * b / (a + b) for a, b in zip(xs, ys, strict=True) if a + b > 0)
        case "chi2":
            return mp.exp(-number("gamma") * mp.fsum((a - b) ** 2 / (a + b) for a, b in zip(xs, ys, strict=True) if a + b > 0))
        case "hellinger":
            return mp.fsum(mp.sqrt(a * b) for a, b in zip(xs, ys, strict=True))
        case "spline":
            out = mp.mpf(1)
            for a, b in zip(xs, ys, strict=True):
                m = min(a, b)
                out *= 1 + a * b + a * b * m - (a + b) * m**2 / 2 + m**3 / 3
            return bounded(out)
        case "delta":
            return mp.mpf(x["category"] == y["category"])
    raise AssertionError(name)


def gram(node: Tree, points: Sequence[Point], rules: Rules) -> mp.matrix:
    return mp.matrix([[value(node, x, y, rules) for y in points] for x in points])


def draw_rules(draw: random.Random) -> Rules:
    found: dict[Any, mp.mpf] = {}
    return lambda columns, manhattan: found.setdefault(
        (columns, manhattan), mp.mpf(draw.choice([Fraction(1, 7), Fraction(1, 2), 1, 3, 20]).__float__())
    )


def draw_points(draw: random.Random, node: Tree) -> list[Point]:
    """A few points, with zeros, repetitions and equal columns among them."""
    positive = any(found[1] in HISTOGRAMS for found in leaves(node))

    def number() -> mp.mpf:
        v = mp.mpf(draw.choice([0, 1, 2, draw.randint(-40, 40), draw.randint(-8, 8)])) / draw.choice([1, 1, 8])
        return abs(v) if positive else v

    points = [{"a": number(), "b": number(), "category": mp.mpf(draw.randint(0, 2))} for _ in range(draw.choice([1, 2, 3, 5, 6]))]
    if draw.random() < 0.3:
        for point in points:
            point["b"] = draw.choice([point["a"], mp.mpf(0)])
    return points


# Judging.


def smallest(matrix: mp.matrix, conditional: bool) -> mp.mpf:
    """The smallest eigenvalue, as a share of the largest entry."""
    size = max(abs(v) for v in matrix)
    if size == 0:
        return mp.mpf(0)
    share = matrix / size
    return min(mp.eigsy(centred(share) if conditional else share, eigvals_only=True))


def centred(matrix: mp.matrix) -> mp.matrix:
    """JKJ with J = I − 11ᵀ/n: what K is to vectors that sum to 0."""
    n = matrix.rows
    j = mp.eye(n) - mp.ones(n) / n
    return j * matrix * j


def judge_proof(node: Tree, draw: random.Random, trials: int, conditional: bool) -> str | None:
    """What is wrong with the claim that the formula is (conditionally) positive definite."""
    for _ in range(trials):
        points, rules = draw_points(draw, node), draw_rules(draw)
        try:
            matrix = gram(node, points, rules)
        except OverflowError:
            continue
        except Undefined:
            return f"no value at {points}"
        low = smallest(matrix, conditional)
        if low < -NEGATIVE:
            return f"eigenvalue {mp.nstr(low, 5)} at {points}"
    return None


def judge_counterexample(
    node: Tree,
    ts: Sequence[Fraction],
    vector: Sequence[Fraction],
    columns: Mapping[str, str],
    categories: bool,
    draw: random.Random,
) -> str | None:
    """What is wrong with a counterexample: the numbers t of its points, and the columns at t."""
    for _ in range(3):
        rules = draw_rules(draw)
        units = {c: rule_of(node, c, rules) for c in ("a", "b")}
        points = [point_at(t, columns, units, categories) for t in ts]
        try:
            matrix = gram(node, points, rules)
        except OverflowError:
            continue
        except Undefined:
            if vector:
                return f"no value at {points}"
            continue
        if not vector:
            return f"it has a value at {points}"
        a = mp.matrix([mp.mpf(v.numerator) / v.denominator for v in vector])
        form = (a.T * matrix * a)[0]
        if form >= 0:
            return f"aᵀKa = {mp.nstr(form, 10)} at {points}"
    return None


def rule_of(node: Tree, column: str, rules: Rules) -> mp.mpf:
    """The length that a column is measured in, where a kernel with a rule reads it."""
    for _, name, columns, settings in leaves(node):
        read = columns or ("a", "b")
        if settings.get("length_scale") == "median" and column in read:
            return rules(tuple(sorted(read)), name == "laplace_l1")
    return mp.mpf(1)


def point_at(t: Fraction, columns: Mapping[str, str], units: Mapping[str, mp.mpf], categories: bool) -> Point:
    number = mp.mpf(t.numerator) / t.denominator
    point = {"a": mp.mpf(0), "b": mp.mpf(0), "category": number if categories else mp.mpf(0)}
    for name, formula in columns.items():
        for column in ["a"] if name == "*" else [name]:
            code = formula.replace("^", "**")
            point[column] = mp.mpf(eval(code, {"t": number, "median": units[column]}))
    return point


# Mercer's answers.


def judge_answer(node: Tree, found: mercer.Check, draw: random.Random, trials: int) -> str | None:
    """What is wrong with an answer of Mercer's."""
    if found.verdict == "positive definite":
        return judge_proof(node, draw, trials, conditional=False)
    fault = None
    if found.counterexample is not None:
        example = found.counterexample
        ts, vector = ([Fraction(float(v)).limit_denominator(10**7) for v in values] for values in (example.points, example.vector))
        categories = "categories of its own" in (found.place or "")
        fault = judge_counterexample(node, ts, vector, found.columns, categories, draw)
    if fault is None and found.standing == "conditionally positive definite of order 1":
        fault = judge_proof(node, draw, trials, conditional=True)
    return fault


def judge_values(node: Tree, formula: str, draw: random.Random) -> str | None:
    """Whether a formula that is accepted as a kernel computes what it says, to half the digits."""
    points, rules = draw_points(draw, node), draw_rules(draw)
    kernels = leaves(node)
    by_rule = any(settings.get("length_scale") == "median" for _, _, _, settings in kernels)
    # Few rows do not tell categories from text.
    if not kernels or by_rule or any(name == "delta" for _, name, _, _ in kernels):
        return None
    try:
        kernel = mercer.Kernel(formula)
    except mercer.errors.MercerError:
        return None
    if mercer.Kernel(str(kernel)) != kernel:
        return f"{kernel} does not read back"
    try:
        expected = gram(node, points, rules)
    except (OverflowError, Undefined):
        return None
    read = {c for _, _, columns, _ in kernels for c in columns or ("a", "b")}
    table = {c: [float(p[c]) for p in points] for c in sorted(read)}
    actual = kernel.gram(table)
    size = max(1.0, float(max(abs(v) for v in expected)))
    gap = max(abs(float(expected[i, j]) - actual[i, j]) for i in range(len(points)) for j in range(len(points)))
    return f"{kernel} is off by {gap / size} at {points}" if gap > 1e-6 * size or np.isnan(gap) else None


def hunt(count: int, seed: int, trials: int) -> tuple[Counter[str], list[str]]:
    """Judges this many formulas: how they were answered, and what was wrong."""
    draw = random.Random(seed)
    counts: Counter[str] = Counter()
    faults: list[str] = []
    for _ in range(count):
        node = tree(draw, draw.choice([1, 2, 2, 3, 3, 4]), [])
        formula = text(node)
        try:
            found = mercer.check(formula, language="formula")
        except mercer.errors.FormulaError as e:
            # The largest power is 64, also of powers of powers.
            counts["error"] += 1
            if "exponent" not in str(e):
                faults.append(f"{formula}: {e}")
            continue
        counts[found.verdict] += 1
        for fault in (judge_answer(node, found, draw, trials), judge_values(node, formula, draw)):
            if fault is not None:
                faults.append(f"{formula} is {found.verdict}: {fault}")
    return counts, faults


if __name__ == "__main__":
    answered, wrong = hunt(int(sys.argv[1]), int(sys.argv[2]), trials=6)
    print("\n".join(wrong))
    print(dict(answered), f"{len(wrong)} findings")
