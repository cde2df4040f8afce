"""Figures to reach: a text for the table and a judgement of a measured pair."""

from collections.abc import Callable
from dataclasses import dataclass

MB = 1e6


@dataclass(frozen=True)
class Figure:
    """Judged on the line of `peer`; `holds` sees (mercer, peer, sizes)."""

    peer: str
    text: str
    holds: Callable[[object, object, dict], bool]


def faster(peer: str, times: float) -> Figure:
    """The peer takes at least `times` as long as Mercer."""
    return Figure(
        peer, f"≥ {times:g}×", lambda m, p, _: p.seconds >= times * m.seconds
    )


def costs_at_most(peer: str, times: float) -> Figure:
    """Mercer takes at most `times` as long as the peer."""
    return Figure(
        peer, f"cost ≤ {times:g}×", lambda m, p, _: m.seconds <= times * p.seconds
    )


def memory_at_most(peer: str, text: str, limit: Callable[..., float]) -> Figure:
    """Mercer's peak over what it had before the call; `limit(**sizes)` in bytes."""
    return Figure(peer, f"≤ {text}", lambda m, _, sizes: m.peak <= limit(**sizes))


def no_worse(peer: str) -> Figure:
    """Mercer's loss is at most the peer's."""
    return Figure(peer, "loss ≤ peer's", lambda m, p, _: m.loss <= p.loss)
