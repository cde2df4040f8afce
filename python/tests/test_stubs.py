"""The stubs say what the compiled part has."""

from __future__ import annotations

import subprocess
import sys


def test_stubs_match_the_module() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "mercer._core"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
