"""Mercer as it is asked: in a child process, whose death or silence is an answer, too."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

#: Seconds of the processor after which a question counts as hung.
LIMIT = 5.0


class Mercer:
    """A child process that answers; another one is started when it dies."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self.child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Mercer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self.child = None

    def ask(self, expression: str, domain: str) -> dict[str, Any]:
        """The answer; ``crash`` says that the process died or did not come back."""
        child = self._running()
        assert child.stdin is not None and child.stdout is not None
        before = _processor_seconds(child.pid)
        try:
            child.stdin.write(json.dumps([expression, domain]) + "\n")
            child.stdin.flush()
        except BrokenPipeError:
            return self._died()
        start = time.monotonic()
        while not select.select([child.stdout], [], [], 0.5)[0]:
            # The machine may be busy with others: the processor's time decides, in the end the clock.
            used = _processor_seconds(child.pid) - before
            if used > self.limit or time.monotonic() - start > 30 * self.limit:
                self.stop()
                return {"crash": f"no answer after {used:.1f} s of the processor"}
        line = child.stdout.readline()
        return json.loads(line) if line else self._died()

    def _died(self) -> dict[str, Any]:
        assert self.child is not None
        code = self.child.wait()
        self.child = None
        return {"crash": f"the process ended with code {code}"}

    def _running(self) -> subprocess.Popen[str]:
        if self.child is None:
            here = str(Path(__file__).parents[1])
            path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
            self.child = subprocess.Popen(
                [sys.executable, "-m", "judge.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | {"PYTHONPATH": path},
            )
        return self.child


def _processor_seconds(pid: int) -> float:
    """What a process has used of the processor; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
