"""How a call is run: threads, memory limit, deadline and progress."""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral, Real
from typing import TypedDict

from mercer import _core
from mercer._threads import counted, usual
from mercer.errors import InvalidParameterError

#: Called on the calling thread as ``progress(task, done, total)``; total may be None.
Progress = Callable[[str, int, int | None], object]


class RunOptions(TypedDict, total=False):
    """Keyword arguments of everything that may take long."""

    #: Number of threads; None means what joblib, OpenMP's limits and the cores allow, -1 all cores.
    n_jobs: int | None
    #: Bytes that may be used; None means 80 % of what is free.
    memory_limit: int | None
    #: Seconds after which to give up with a ``TimeoutError``.
    deadline: float | None
    #: A function of (task, done, total), or True for a line on stderr.
    progress: Progress | bool | None


def options(
    n_jobs: int | None = None,
    memory_limit: int | None = None,
    deadline: float | None = None,
    progress: Progress | bool | None = None,
) -> _core.Options:
    """The core's options, checked."""
    threads = usual() if n_jobs is None else _threads(n_jobs)
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"`progress` must be a function of (task, done, total) or True, got {progress!r}")
    if memory_limit is not None and (not isinstance(memory_limit, Real) or not 0 <= memory_limit < 2**64):
        must = "a number of bytes ≥ 0, such as 2 * 10**9"
        raise InvalidParameterError(f"`memory_limit` of the run must be {must}, got {memory_limit!r}")
    return _core.Options(
        threads,
        None if memory_limit is None else int(memory_limit),
        None if deadline is None else float(deadline),
        _line if progress is True else (progress or None),
    )


def _threads(n_jobs: int) -> int | None:
    """scikit-learn's meaning: -1 is all cores, -2 all but one."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or not (n_jobs < 0 or 1 <= n_jobs <= 1024):
        must = "a whole number of threads from 1 to 1024, or -1 for all cores"
        raise InvalidParameterError(f"`n_jobs` of the run must be {must}, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else counted(int(n_jobs))


def _line(task: str, done: int, total: int | None) -> None:
    """One line on stderr, written over itself."""
    shown = f"{task}: {done}" if total is None else f"{task}: {done} of {total}"
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{shown}\x1b[K{end}")
    sys.stderr.flush()
