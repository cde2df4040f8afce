"""Hints name what Python has: parameters and functions, never flags or commands of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mercer import Kernel, errors
from mercer._hints import WORDS, in_python

CORE = Path(__file__).parents[2] / "crates" / "mercer" / "src"
#: Pieces of strings that only the command line has.
FOREIGN = re.compile(r"--[a-z]|`mercer [a-z]+|raise the memory limit|larger memory limit|`drop`|`impute`|\bthe feature `")


def spoken() -> list[tuple[str, str]]:
    """Every string of the core outside of comments, documentation and tests, with its file."""
    found = []
    for path in sorted(CORE.rglob("*.rs")):
        # The pictures of the gallery say which command or code draws them.
        if path.name == "tests.rs" or "testkit" in path.parts or "gallery" in path.parts:
            continue
        source = path.read_text().split("#[cfg(test)]")[0]
        code = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
        code = re.sub(r"\\\n\s*", "", code)
        found += [(path.name, text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code)]
    return found


def test_no_flag_reaches_python() -> None:
    strings = spoken()
    assert len(strings) > 1000, "the core's sources were found"
    left = [(name, text) for name, text in strings if FOREIGN.search(in_python(text))]
    assert left == []


def test_every_word_is_still_said() -> None:
    said = "\n".join(text for _, text in spoken())
    for pattern, _ in WORDS:
        # Names stand in the core's strings as places to be filled.
        in_core = pattern.replace(r"`[^`]*`)", r"`\{\w*\}`)").replace(r"(\w+)", r"\{\w*\}")
        assert re.search(in_core, said), pattern


def test_hints_that_users_meet() -> None:
    for wrong, hint in [
        (lambda: Kernel(""), "`mercer.catalogue()`"),
        (lambda: Kernel("linear").gram(np.zeros((3000, 1)), memory_limit=1000), "`memory_limit`"),
        (lambda: Kernel("linear").gram({"a": np.array([1.0, np.nan])}), "`X.dropna()`"),
        (lambda: Kernel("rbf(length_scale=1)").gram(np.zeros((3000, 3)), deadline=0.0), "`deadline`"),
    ]:
        with pytest.raises(errors.MercerError) as raised:
            wrong()
        assert raised.value.hint is not None and hint in raised.value.hint, raised.value
