"""How many threads a call may use where nobody says.

Results never depend on the number; what else runs on the machine does. ``n_jobs=None`` therefore asks
those who know, as scikit-learn's own parallel code does:

1. a ``joblib.parallel_config(n_jobs=...)`` around the call;
2. inside a worker of joblib's, its share of the cores where joblib gave it one (loky does), else one: its
   neighbours have the others;
3. otherwise all that this process may use: its affinity and quotas, ``LOKY_MAX_CPU_COUNT``, and the limit
   of OpenMP, which is ``OMP_NUM_THREADS`` or what ``threadpoolctl.threadpool_limits`` set.
   ``RAYON_NUM_THREADS`` limits the shared pool as ever.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import cache

from mercer import _core


def usual() -> int | None:
    """The number of threads; None for the shared pool, which has as many as there are cores."""
    asked = _joblib()
    cores = _cores()
    limit = cores if asked is None else asked
    for other in (_whole("LOKY_MAX_CPU_COUNT"), _openmp() if asked is None else None):
        limit = limit if other is None else min(limit, other)
    if limit >= cores and asked is None:
        return None
    own = _whole("RAYON_NUM_THREADS")
    return max(1, limit if own is None else min(limit, own))


def counted(n_jobs: int) -> int | None:
    """scikit-learn's meaning of a negative number: -1 is all cores, -2 all but one."""
    return None if n_jobs == -1 else max(1, _cores() + 1 + n_jobs)


@cache
def _cores() -> int:
    return _core.cores()


def _joblib() -> int | None:
    """What joblib says, if it is there and says something."""
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None:
        return None
    local = getattr(parallel, "_backend", None)
    if isinstance(local, threading.local) and not hasattr(local, "config"):
        # Nobody has said anything on this thread; to ask would make a backend.
        return None
    backend, n_jobs = parallel.get_active_backend()
    if n_jobs is not None:
        return max(1, int(backend.effective_n_jobs(n_jobs)))
    nested = (getattr(backend, "nesting_level", 0) or 0) > 0
    shares = threading.current_thread() is threading.main_thread() and _whole("OMP_NUM_THREADS") is not None
    return 1 if nested and not shares else None


def _openmp() -> int | None:
    """The threads that OpenMP would use: scikit-learn knows, where it is loaded."""
    helpers = sys.modules.get("sklearn.utils._openmp_helpers")
    effective = getattr(helpers, "_openmp_effective_n_threads", None)
    if effective is None:
        return _whole("OMP_NUM_THREADS")
    return int(effective(only_physical_cores=False))


def _whole(name: str) -> int | None:
    """A number of threads in the environment; of a list by levels, the first."""
    text = os.environ.get(name, "").split(",")[0].strip()
    return int(text) if text.isdecimal() and int(text) > 0 else None
