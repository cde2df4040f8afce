"""Shapes of the records that the compiled part gives."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt


class CatalogueParameter(TypedDict):
    """A parameter of a kernel."""

    name: str
    summary: str
    values: str
    default: str
    #: Other names, each with its meaning.
    aliases: list[tuple[str, str]]


class CatalogueEntry(TypedDict):
    """A kernel of the catalogue."""

    name: str
    aliases: list[str]
    summary: str
    definition: str
    domain: str
    parameters: list[CatalogueParameter]


class About(TypedDict):
    """A data set that comes with Mercer."""

    name: str
    rows: int
    columns: int
    task: str
    target: str
    description: str
    source: str
    licence: str


class RepairRecord(TypedDict):
    """What a repair changed."""

    size: int
    negative: int
    null: int
    smallest_eigenvalue: float | None
    largest_eigenvalue: float | None
    tolerance: float
    moved: float
    moved_share: float
    shift: float
