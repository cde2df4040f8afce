"""The machine's limits, measured with NumPy in a process of its own.

`python -m harness.limits THREADS` prints them as one line of JSON. What NumPy
reaches is taken as the limit: a better `exp` than NumPy's can exceed it.
"""

import json
import mmap
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .measure import BENCHMARKS, environment
from .row import Work

TOUCH_BYTES = 800_000_000
STREAM_ENTRIES = 40_000_000
UNITS = {
    "gemm": ("GEMM, float64", "GFLOP/s", 1e9),
    "copy": ("copy (read + write)", "GB/s", 1e9),
    "write": ("write", "GB/s", 1e9),
    "exp": ("numpy exp, one thread", "M/s", 1e6),
    "touch": ("first touch, huge pages asked for", "GB/s", 1e9),
    "touch_small": ("first touch, ordinary pages", "GB/s", 1e9),
}


def best(action, repeat: int) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def gemm(n: int = 2048) -> float:
    """Flops per second of C = A·B; threads by the environment."""
    rng = np.random.default_rng(0)
    a, b, c = rng.random((n, n)), rng.random((n, n)), np.zeros((n, n))
    return 2 * n**3 / best(lambda: np.matmul(a, b, out=c), 8)


def in_chunks(pool, threads: int, action, *arrays) -> None:
    """Apply `action` to equal parts of the arrays, one part per thread."""
    parts = zip(*(np.array_split(array, threads) for array in arrays))
    list(pool.map(lambda part: action(*part), parts))


def copy(pool, threads: int) -> float:
    source, target = np.ones(STREAM_ENTRIES), np.zeros(STREAM_ENTRIES)
    seconds = best(lambda: in_chunks(pool, threads, np.copyto, target, source), 6)
    return 2 * source.nbytes / seconds


def write(pool, threads: int) -> float:
    target = np.zeros(STREAM_ENTRIES)
    target.fill(1.0)
    seconds = best(lambda: in_chunks(pool, threads, fill, target), 6)
    return target.nbytes / seconds


def fill(part: np.ndarray) -> None:
    part.fill(2.0)


def exp(n: int = 4096, rounds: int = 200) -> float:
    """Elements per second in cache, arguments in [−10, 0]."""
    x = np.linspace(-10.0, 0.0, n)
    out = np.empty_like(x)

    def action():
        for _ in range(rounds):
            np.exp(x, out=out)

    return n * rounds / best(action, 8)


def touch(pool, threads: int) -> float:
    """NumPy asks for huge pages (madvise) for arrays of this size."""

    def action():
        in_chunks(pool, threads, fill, np.empty(TOUCH_BYTES // 8))

    return TOUCH_BYTES / best(action, 4)


def touch_small(pool, threads: int) -> float:
    """Anonymous memory as any allocator gets it, without madvise."""

    def action():
        memory = mmap.mmap(-1, TOUCH_BYTES)
        in_chunks(pool, threads, fill, np.frombuffer(memory, dtype=np.float64))

    return TOUCH_BYTES / best(action, 3)


def measure_here(threads: int) -> dict:
    with ThreadPoolExecutor(threads) as pool:
        return {
            "gemm": gemm(),
            "copy": copy(pool, threads),
            "write": write(pool, threads),
            "exp": exp(),
            "touch": touch(pool, threads),
            "touch_small": touch_small(pool, threads),
        }


def measure_limits(threads: int) -> dict:
    """In a fresh process with the threads all contenders get."""
    output = subprocess.run(
        [sys.executable, "-m", "harness.limits", str(threads)],
        cwd=BENCHMARKS,
        env=environment(threads, ""),
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(output.stdout)


def best_of(first: dict, second: dict) -> dict:
    """Rates of two moments of the run: the higher is the limit."""
    return {name: max(first[name], second[name]) for name in first}


def least_seconds(work: Work, limits: dict, threads: int) -> float:
    """Arithmetic and memory can overlap, so the longer of the two."""
    arithmetic = work.flops / limits["gemm"] + work.exps / (limits["exp"] * threads)
    memory = work.fresh / limits["touch"] + work.written / limits["write"]
    return max(arithmetic, memory)


if __name__ == "__main__":
    print(json.dumps(measure_here(int(sys.argv[1]))))
