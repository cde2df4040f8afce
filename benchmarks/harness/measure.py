"""Drive the contenders of a row: one process each, calls taken in turn."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .row import Row

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
BENCHMARKS = Path(__file__).resolve().parent.parent


@dataclass
class Plan:
    """How to measure: repeats, seconds a row may take before it stops early."""

    quick: bool
    repeat: int
    budget: float
    threads: int
    peers_only: bool


@dataclass
class Timing:
    """What one contender did; `error` is set when it could not."""

    label: str
    version: str = "?"
    prepare: float = 0.0
    calls: list[dict] = field(default_factory=list)
    error: str | None = None

    @property
    def seconds(self) -> float:
        return min(call["seconds"] for call in self.calls)

    @property
    def peak(self) -> int:
        """Of the first call: later ones may find memory their allocator kept."""
        return self.calls[0]["peak"]

    @property
    def loss(self) -> float | None:
        """How wrong its answer is, in rows that measure this."""
        return self.calls[0]["loss"]


@dataclass
class Line:
    """Mercer beside one peer."""

    row: Row
    sizes: dict
    mercer: Timing
    peer: Timing
    difference: float | None = None
    relative: float | None = None


def environment(threads: int, scratch: str) -> dict:
    """Equal threads for all; a fresh KeOps cache, so that it really compiles."""
    extra = {name: str(threads) for name in THREAD_VARIABLES}
    return {**os.environ, **extra, "KEOPS_CACHE_FOLDER": scratch}


class Contender:
    """A worker process and what it measured so far."""

    def __init__(self, row: Row, label: str, plan: Plan, scratch: str):
        self.timing = Timing(label)
        self.sample_path = Path(scratch) / f"{abs(hash(label))}.npy"
        self.errors = tempfile.TemporaryFile("w+")
        mode = "quick" if plan.quick else "full"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "harness.worker", row.name, label, mode],
            cwd=BENCHMARKS,
            env=environment(plan.threads, scratch),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        ready = self.read()
        self.timing.version = ready.get("version", "?")
        self.timing.prepare = ready.get("prepare", 0.0)

    @property
    def alive(self) -> bool:
        return self.timing.error is None

    def read(self) -> dict:
        """The next answer; when there is none, the worker's last error line."""
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        self.timing.error = lines[-1] if lines else "the worker stopped"
        return {}

    def ask(self, command: str) -> dict:
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.read()

    def run(self) -> float:
        """One measured call; its seconds, or zero if it failed."""
        if not self.alive:
            return 0.0
        call = self.ask("run")
        if call:
            self.timing.calls.append(call)
        return call.get("seconds", 0.0)

    def sample(self) -> np.ndarray | None:
        if not self.alive:
            return None
        self.ask(f"sample {self.sample_path}")
        return np.load(self.sample_path) if self.alive else None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()


def measure_row(row: Row, plan: Plan) -> list[Line]:
    """One line per peer."""
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as scratch:
        contenders = []
        try:
            for label in labels(row, plan):
                contenders.append(Contender(row, label, plan, scratch))
            take_turns(contenders, plan)
            return make_lines(row, contenders, plan)
        finally:
            for contender in contenders:
                contender.close()


def labels(row: Row, plan: Plan) -> list[str]:
    own = [] if plan.peers_only else ["mercer"]
    return own + [peer.label for peer in row.peers]


def take_turns(contenders: list[Contender], plan: Plan) -> None:
    """M, P, M, P, …: a slow minute of the machine falls on all alike."""
    used = 0.0
    for turn in range(plan.repeat):
        used += sum(contender.run() for contender in contenders)
        if turn > 0 and used > plan.budget:
            break


def make_lines(row: Row, contenders: list[Contender], plan: Plan) -> list[Line]:
    if plan.peers_only:
        mercer, peers = Timing("mercer", error="not asked for"), contenders
        own_sample = None
    else:
        mercer, peers = contenders[0].timing, contenders[1:]
        own_sample = contenders[0].sample() if row.tolerance is not None else None
    lines = [Line(row, row.sizes(plan.quick), mercer, peer.timing) for peer in peers]
    for line, peer in zip(lines, peers):
        if own_sample is not None:
            compare(line, own_sample, peer.sample())
    return lines


def compare(line: Line, own: np.ndarray, other: np.ndarray | None) -> None:
    if other is None:
        return
    if own.shape != other.shape:
        line.difference = line.relative = float("inf")
        return
    line.difference = float(np.max(np.abs(own - other)))
    line.relative = line.difference / max(float(np.max(np.abs(other))), 1e-300)
