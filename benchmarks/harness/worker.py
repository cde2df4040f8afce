"""One contender in its own process: makes the data, then runs when told to.

Called as `python -m harness.worker ROW CONTENDER QUICK`. Commands come on
standard input, one per line; each is answered by one line of JSON:

    run           time one call and take its peak memory
    sample PATH   store a sample of the last result
"""

import ctypes
import gc
import importlib.metadata
import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
import psutil

from .row import load_rows

SAMPLE_ENTRIES = 4_000_000
# Threads of whoever was called before may still look for work: those of OpenBLAS do so for 2²⁶ cycles.
SETTLE_SECONDS = 0.1
NOT_BUSY = ("iowait", "guest", "guest_nice")  # waiting, or counted in user already


def main() -> None:
    reply = open_reply()
    name, contender, quick = sys.argv[1:4]
    row = load_rows()[name]
    data = row.setup(**row.sizes(quick == "quick"))
    make, package = find(row, contender)
    start = time.perf_counter()
    call = make(data)
    prepare = time.perf_counter() - start
    reply({"prepare": prepare, "version": version(package)})
    serve(call, lambda result: loss_of(row, result, data), reply)


def open_reply():
    """Answer on the original standard output; prints of libraries go to stderr."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def reply(message: dict) -> None:
        channel.write(json.dumps(message) + "\n")
        channel.flush()

    return reply


def find(row, contender: str):
    if contender == "mercer":
        return row.mercer, "mercer"
    peer = next(p for p in row.peers if p.label == contender)
    return peer.make, peer.package


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "?"


def loss_of(row, result, data: dict) -> float | None:
    """How wrong a result is, where the row measures this; less is better."""
    if row.loss is not None:
        return float(row.loss(result, data))
    return float(result) if isinstance(result, float) else None


def serve(call, judge, reply) -> None:
    result = None
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command == "run":
            result = None
            result, answer = measure(call)
            reply({**answer, "loss": judge(result)})
        elif command == "sample":
            np.save(argument, sample(result))
            reply({})


def measure(call):
    """The result of one call; its wall and processor time, and extra peak memory.

    `others` is the processor time that other processes used meanwhile.
    """
    gc.collect()
    return_free_memory()
    time.sleep(SETTLE_SECONDS)
    before = reset_peak()
    busy, wall, processor = busy_seconds(), time.perf_counter(), time.process_time()
    result = call()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak, busy = peak_memory() - before, busy_seconds() - busy
    return result, {
        "seconds": wall,
        "processor": processor,
        "others": max(busy - processor, 0.0),
        "peak": max(peak, 0),
    }


def busy_seconds() -> float:
    """Processor time used by everything on this machine, its host included."""
    times = psutil.cpu_times()
    return sum(times) - times.idle - sum(getattr(times, name, 0.0) for name in NOT_BUSY)


def return_free_memory() -> None:
    """Give freed pages back, or the next call would hide its memory in them."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        pass


def reset_peak() -> int:
    """Set the high-water mark to what is resident now, and return that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return status("VmRSS")
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    try:
        return status("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return 1024 * int(line.split()[1])
    raise OSError(f"no {field} in /proc/self/status")


def sample(result) -> np.ndarray:
    """All of a small result; of a large one, evenly spread whole rows."""
    if hasattr(result, "toarray"):
        result = result.toarray()
    result = np.asarray(result)
    step = max(1, -(-result.size // SAMPLE_ENTRIES))
    return result[::step]


if __name__ == "__main__":
    main()
