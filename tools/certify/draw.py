"""Random problems that are hard on rounding: nearly singular kernels, tiny alphas, far scales, far weights."""

from __future__ import annotations

from dataclasses import dataclass

import gmpy2
import numpy as np
from gmpy2 import mpfr

import mercer
from certify.exact import Matrix, is_definite, matrix, shifted, vector

#: Units of rounding that kernel values are taken to be good to, as docs/decisions/0009 says.
UNITS = 4


@dataclass
class Data:
    rng: np.random.Generator
    formula: str
    x: np.ndarray
    gram: np.ndarray
    #: The largest eigenvalue.
    top: float
    #: What targets are multiplied by.
    scale: float
    weights: np.ndarray | None
    intercept: bool

    @property
    def n(self) -> int:
        return len(self.x)

    def alpha(self, low: float = -18, high: float = 3) -> float:
        return float(self.top * 10 ** self.rng.uniform(low, high))

    def targets(self) -> np.ndarray:
        kind = self.rng.integers(5)
        x = self.x[:, 0] / max(np.abs(self.x[:, 0]).max(), 1e-300)
        if kind == 0:
            y = self.rng.normal(size=self.n)
        elif kind == 1:
            y = np.full(self.n, 1.7)
        elif kind == 2:
            y = np.sin(3 * x) + 100 + 0.01 * self.rng.normal(size=self.n)
        else:
            y = np.sin(3 * x) + 0.1 * self.rng.normal(size=self.n)
        return y * self.scale

    def labels(self, classes: int) -> np.ndarray:
        y = self.rng.integers(classes, size=self.n)
        y[:classes] = np.arange(classes)
        return y

    def w(self) -> np.ndarray:
        return np.ones(self.n) if self.weights is None else self.weights


def formula(rng: np.random.Generator) -> str:
    kind = rng.integers(8)
    length = repr(float(10 ** rng.uniform(-1, 3)))
    if kind <= 2:
        return f"rbf(length_scale={length})"
    if kind == 3:
        return "linear"
    if kind == 4:
        return f"poly(degree={rng.integers(2, 9)})"
    if kind == 5:
        return f"laplace(length_scale={length})"
    if kind == 6:
        return f"matern52(length_scale={length})*linear + 0.5"
    return f"2*rbf(length_scale={length}) + 1e-3*linear"


def data(rng: np.random.Generator, most: int) -> Data:
    n, d = int(rng.integers(5, most + 1)), int(rng.integers(1, 4))
    x = rng.normal(size=(n, d)) * 10 ** rng.uniform(-1, 1)
    if rng.random() < 0.3:
        x += 10 ** rng.uniform(0, 3)
    if rng.random() < 0.3:
        x[rng.integers(n, size=n // 3)] = x[rng.integers(n, size=n // 3)]
    text = formula(rng)
    gram = mercer.Kernel(text).gram(x)
    top = float(np.linalg.eigvalsh(gram)[-1])
    scale = 1.0 if rng.random() < 0.6 else float(10 ** rng.uniform(-150, 150))
    weights = None if rng.random() < 0.6 else 10 ** rng.uniform(-4, 4, size=n)
    return Data(rng, text, x, gram, top, scale, weights, bool(rng.random() < 0.5))


def exact_gram(text: str, x: np.ndarray) -> Matrix | None:
    """Kernel values from their definitions, for the plain kernels."""
    rows = [vector(row) for row in x]
    name, _, rest = text.partition("(")
    if "*" in text:
        return None
    number = mpfr(float(rest.rstrip(")").partition("=")[2])) if rest else mpfr(0)

    def inner(a: list[mpfr], b: list[mpfr]) -> mpfr:
        return sum((p * q for p, q in zip(a, b, strict=True)), mpfr(0))

    def square(a: list[mpfr], b: list[mpfr]) -> mpfr:
        return sum(((p - q) ** 2 for p, q in zip(a, b, strict=True)), mpfr(0))

    known = {
        "rbf": lambda a, b: gmpy2.exp(-square(a, b) / (2 * number**2)),
        "laplace": lambda a, b: gmpy2.exp(-gmpy2.sqrt(square(a, b)) / number),
        "linear": inner,
        "poly": lambda a, b: (inner(a, b) + 1) ** int(number),
    }
    if name not in known:
        return None
    return [[known[name](a, b) for b in rows] for a in rows]


def references(found: Data) -> list[tuple[str, Matrix]]:
    """Positive semi-definite matrices within 4u·tr K of the kernel matrix: claims hold for each."""
    k = matrix(found.gram)
    trace = sum((abs(row[i]) for i, row in enumerate(k)), mpfr(0))
    reach = UNITS * mpfr(2) ** -53 * trace
    up = shifted(k, lambda _: reach * mpfr("0.999"))
    far = [("as it is", k), ("up", up)]
    # Down in one direction, up in the others.
    q = vector(found.rng.normal(size=found.n))
    size = sum((v * v for v in q), mpfr(0))
    far.append(("tilted", [[v - reach * q[i] * q[j] / size for j, v in enumerate(row)] for i, row in enumerate(up)]))
    true = exact_gram(found.formula, found.x)
    if true is not None:
        apart = gmpy2.sqrt(sum(((p - r) ** 2 for a, b in zip(true, k, strict=True)
                                for p, r in zip(a, b, strict=True)), mpfr(0)))
        if apart <= reach:
            far.append(("true", true))
    return [(name, m) for name, m in far if is_definite(m)]
