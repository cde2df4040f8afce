"""Types as a user's type checker sees them."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).with_name("typed_example.py")


def test_the_example_is_typed_and_runs() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(EXAMPLE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    runpy.run_path(str(EXAMPLE))
