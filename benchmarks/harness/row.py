"""A row: one thing measured for Mercer and for one or more peers."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .figure import Figure

SEED = 0
REGISTRY: dict[str, "Row"] = {}

# A contender is made from the data of `setup`. Making it (imports, parsing a
# kernel, allocating `out`, compiling) is not measured; calling it is.
Make = Callable[[dict], Callable[[], object]]


@dataclass(frozen=True)
class Peer:
    """`package` is the distribution whose version is printed."""

    label: str
    package: str
    make: Make


@dataclass(frozen=True)
class Work:
    """What the result needs at least, whoever computes it.

    `fresh` is memory that must be touched for the first time, `written` memory
    that is there already. `share of limit` compares with these.
    """

    flops: float = 0.0
    exps: float = 0.0
    fresh: float = 0.0
    written: float = 0.0


@dataclass(frozen=True)
class Row:
    """`size` and `quick` are keyword arguments of `setup` and of `work`.

    `tolerance` bounds the largest difference between Mercer's and a peer's
    result, relative to the peer's largest entry; None: they are not comparable.
    `loss` of a result and the data says how wrong it is, after the clock has
    stopped; a result that is one number is its own loss.
    """

    name: str
    what: str
    size: dict
    quick: dict
    setup: Callable[..., dict]
    mercer: Make
    peers: list[Peer]
    figures: list[Figure] = field(default_factory=list)
    work: Callable[..., Work] | None = None
    tolerance: float | None = 1e-9
    loss: Callable[[object, dict], float] | None = None

    def sizes(self, quick: bool) -> dict:
        return self.quick if quick else self.size


def register(row: Row) -> Row:
    if row.name in REGISTRY:
        raise ValueError(f"two rows are called `{row.name}`")
    REGISTRY[row.name] = row
    return row


def load_rows() -> dict[str, Row]:
    """Import every file of `rows/`, in the order of their names."""
    package = importlib.import_module("rows")
    for module in sorted(m.name for m in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"rows.{module}")
    return REGISTRY


def points(n: int, d: int, seed: int = SEED) -> np.ndarray:
    """Standard normal points, n×d, the same in every process."""
    return np.random.default_rng(seed).standard_normal((n, d))


def gram_work(n: int, d: int, exps: int = 1, into: bool = False) -> Work:
    """A symmetric Gram matrix: half of the pairs computed, all of them stored."""
    pairs, size = n * (n + 1) / 2, 8.0 * n * n
    return Work(
        flops=2 * pairs * d,
        exps=exps * pairs,
        fresh=0.0 if into else size,
        written=size if into else 0.0,
    )
