"""The benchmark harness: what a file in `rows/` needs to register a row."""

from .figure import costs_at_most, faster, memory_at_most, no_worse
from .row import Peer, Row, Work, gram_work, points, register

__all__ = [
    "Peer",
    "Row",
    "Work",
    "costs_at_most",
    "faster",
    "gram_work",
    "memory_at_most",
    "no_worse",
    "points",
    "register",
]
