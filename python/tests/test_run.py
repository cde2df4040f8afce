"""Threads, signals, deadlines, memory and progress."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from mercer import Kernel, errors

SLOW = Kernel("matern52(length_scale=1)*rbf(length_scale=2) + periodic(length_scale=1)")


def slow_points(n: int = 40_000) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 8))


def test_other_threads_run_during_a_long_call() -> None:
    X, v, count, stop = slow_points(), np.ones(40_000), 0, threading.Event()

    def tick() -> None:
        nonlocal count
        while not stop.is_set():
            count += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        with pytest.raises(TimeoutError):
            SLOW.matvec(X, v, deadline=0.5, n_jobs=1)
    finally:
        stop.set()
        ticker.join()
    assert count > 50


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("call", ["SLOW.matvec(X, np.ones(len(X)))", "SLOW.gram(X[:20000], out=big)", "user.gram(X)"])
def test_an_interrupt_stops_a_long_call(call: str) -> None:
    script = f"""
import sys, time
import numpy as np
from mercer import Kernel
SLOW = Kernel({str(SLOW)!r})
user = Kernel.from_function(lambda x, y: x @ y, name="inner")
X = np.random.default_rng(0).normal(size=(200_000, 8))
big = np.empty((20000, 20000), np.float32) if "big" in {call!r} else None
print("ready", flush=True)
try:
    {call}
    print("finished", flush=True)
except KeyboardInterrupt:
    print(f"interrupted {{time.time()}}", flush=True)
"""
    if call.startswith("user"):
        script = script.replace("200_000", "3_000")
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.4)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    answer, _ = child.communicate(timeout=60)
    word, at = answer.split()
    assert word == "interrupted"
    assert float(at) - sent < 2.0


def test_a_deadline_is_a_timeout() -> None:
    start = time.monotonic()
    with pytest.raises(TimeoutError, match="stopped by the deadline") as caught:
        SLOW.matvec(slow_points(), np.ones(40_000), deadline=0.1)
    assert isinstance(caught.value, errors.DeadlineError)
    assert time.monotonic() - start < 5
    with pytest.raises(errors.InvalidParameterError, match="seconds"):
        Kernel("linear").gram(np.ones((2, 2)), deadline=-1)


def test_a_memory_limit_is_kept_before_anything_is_allocated() -> None:
    X = np.ones((1000, 2))
    with pytest.raises(MemoryError, match="the 1000×1000 kernel matrix needs 7.63 MiB, limit 977 KiB") as caught:
        Kernel("linear").gram(X, memory_limit=1_000_000)
    assert "matvec" in caught.value.hint
    with pytest.raises(errors.MemoryLimitError, match="GiB|TiB"):
        Kernel("linear").gram(np.ones((3_000_000, 1)))
    assert Kernel("linear").gram(X, memory_limit=5_000_000, dtype=np.float32).shape == (1000, 1000)
    with pytest.raises(errors.InvalidParameterError, match="memory_limit"):
        Kernel("linear").gram(X, memory_limit=-1)


def test_progress_is_told_on_the_calling_thread() -> None:
    seen = []

    def progress(task: str, done: int, total: int | None) -> None:
        seen.append((task, done, total, threading.get_ident()))

    SLOW.gram(slow_points(2000), progress=progress)
    assert seen[-1][0] == "gram" and seen[-1][1] == seen[-1][2]
    assert {ident for *_, ident in seen} == {threading.get_ident()}


def test_an_exception_in_progress_stops_the_work() -> None:
    def progress(task: str, done: int, total: int | None) -> None:
        raise RuntimeError("enough")

    start = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        SLOW.matvec(slow_points(), np.ones(40_000), progress=progress)
    assert time.monotonic() - start < 5


def test_progress_can_be_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    Kernel("linear").gram(np.ones((10, 1)), progress=True)
    assert "gram: 1 of 1" in capsys.readouterr().err


def test_wrong_numbers_of_threads() -> None:
    for threads in (0, 100_000, "2", 1.5):
        with pytest.raises(errors.InvalidParameterError, match="n_jobs"):
            Kernel("linear").gram(np.ones((2, 1)), n_jobs=threads)
    with pytest.raises(TypeError, match="progress"):
        Kernel("linear").gram(np.ones((2, 1)), progress=3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    X = slow_points(600)
    SLOW.gram(X)
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        answer = pool.apply_async(SLOW.gram, (X,)).get(timeout=30)
    np.testing.assert_array_equal(answer, SLOW.gram(X))


def test_a_memory_limit_in_words_is_refused() -> None:
    with pytest.raises(errors.InvalidParameterError, match="a number of bytes"):
        Kernel("linear").gram([[1.0], [2.0]], memory_limit="2GB")  # type: ignore[arg-type]
