"""The kernels that formulas know by name."""

from __future__ import annotations

from functools import cache

from mercer import _core
from mercer._records import KernelInfo, KernelParameter
from mercer._types import CatalogueEntry


@cache
def catalogue() -> tuple[KernelInfo, ...]:
    """Every kernel that formulas know by name.

    >>> import mercer
    >>> next(k for k in mercer.catalogue() if k.name == "rbf").definition
    'exp(−‖x − y‖²/(2·length_scale²))'
    """
    return tuple(_entry(record) for record in _core.catalogue())


def _entry(record: CatalogueEntry) -> KernelInfo:
    parameters = (
        KernelParameter(p["name"], p["summary"], p["values"], p["default"], tuple(p["aliases"]))
        for p in record["parameters"]
    )
    return KernelInfo(
        record["name"],
        tuple(record["aliases"]),
        record["summary"],
        record["definition"],
        record["domain"],
        tuple(parameters),
    )
