"""Who decides how many threads there are where nobody asks for a number."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

from mercer import Kernel, KernelRidge, _threads


def usual() -> int | None:
    return _threads.usual()


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_threads, "_cores", lambda: 4)
    monkeypatch.setattr(_threads, "_openmp", lambda: _threads._whole("OMP_NUM_THREADS"))
    for name in ("OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT", "RAYON_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("four_cores")
def test_limits_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert usual() is None, "all cores, in the shared pool"
    assert (_threads.counted(-1), _threads.counted(-2), _threads.counted(-9)) == (None, 3, 1)
    for name in ("OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT"):
        for text, threads in [("2", 2), ("1", 1), ("3,2", 3), ("9", None), ("", None), ("x", None), ("0", None)]:
            monkeypatch.setenv(name, text)
            assert usual() == threads, (name, text)
        monkeypatch.delenv(name)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("RAYON_NUM_THREADS", "2")
    assert usual() == 2


@pytest.mark.usefixtures("four_cores")
def test_joblib_says_how_many() -> None:
    for n_jobs in (1, 2):
        with parallel_config(n_jobs=n_jobs):
            assert usual() == n_jobs
    with parallel_config(backend="threading"):
        assert usual() is None
    # Inside its threads there is one each.
    assert Parallel(n_jobs=2, backend="threading")(delayed(usual)() for _ in range(2)) == [1, 1]
    assert usual() is None


def test_limits_of_threadpoolctl() -> None:
    with threadpool_limits(1):
        assert usual() == 1 or _threads._cores() == 1


def test_workers_share_the_cores() -> None:
    """A worker of loky gets the share of the cores that joblib gives its libraries."""
    script = (
        "from joblib import Parallel, delayed\n"
        "def usual():\n"
        "    import os, sklearn.base\n"
        "    from mercer import _threads\n"
        "    return _threads.usual(), _threads._cores(), int(os.environ['OMP_NUM_THREADS'])\n"
        "print(Parallel(n_jobs=2)(delayed(usual)() for _ in range(2)))\n"
    )
    env = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True)
    for threads, cores, share in eval(done.stdout):
        assert (cores if threads is None else threads) == min(share, cores)


def test_numbers_do_not_depend_on_it(X: np.ndarray) -> None:
    y = np.sin(X[:, 0])
    answers: list[Any] = []
    for n_jobs in (None, 1, 2, 3, -1, -2):
        model = KernelRidge("rbf", n_jobs=n_jobs).fit(X, y)
        answers.append((model.predict(X), Kernel("rbf").gram(X, n_jobs=n_jobs)))
    with parallel_config(n_jobs=1):
        answers.append((KernelRidge("rbf").fit(X, y).predict(X), Kernel("rbf").gram(X)))
    for predicted, gram in answers:
        assert np.array_equal(predicted, answers[0][0]) and np.array_equal(gram, answers[0][1])
