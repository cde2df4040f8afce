"""What the guides and the README show runs as it stands, each page from its first line to its last."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))] if blocks(page)]
#: What pages promise of the names that they leave.
PROMISES = {
    "figures": lambda names: Path("nile.svg").exists(),
    "model-file": lambda names: names["written"] == names["found"],
    "ridge": lambda names: np.all(names["low"] < names["high"]),
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)
    assert PROMISES.get(page.stem, lambda names: True)(names)
