"""One function for each kernel of the catalogue, made from it.

>>> from mercer import kernels
>>> kernels.rbf("age", "height", length_scale=2.0) + kernels.linear()
Kernel("rbf(age, height, length_scale=2) + linear")

Columns come first, parameters by name. A parameter is a number, a list of numbers, or a piece of a
formula such as ``"median"``, ``"2!"`` or ``"2 in [0.1, 10]"``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable

from mercer._catalogue import catalogue
from mercer._kernel import Kernel
from mercer._parameters import piece
from mercer._records import KernelInfo, KernelParameter

Value = float | str | Iterable[float | str]


def _constructor(info: KernelInfo) -> Callable[..., Kernel]:
    def make(*columns: str, **params: Value) -> Kernel:
        quoted = [_quote(column) for column in columns]
        settings = [f"{name}={piece(value)}" for name, value in params.items()]
        return Kernel(f"{info.name}({', '.join(quoted + settings)})")

    make.__name__ = make.__qualname__ = info.name
    make.__module__ = __name__
    make.__doc__ = _doc(info)
    make.__signature__ = _signature(info)  # type: ignore[attr-defined]
    return make


def _quote(column: str) -> str:
    if not isinstance(column, str):
        raise TypeError(f"columns are given by name, got {column!r}; parameters are given as `name=value`")
    return '"' + column.replace('"', '""') + '"'


def _signature(info: KernelInfo) -> inspect.Signature:
    columns = inspect.Parameter("columns", inspect.Parameter.VAR_POSITIONAL, annotation=str)
    named = [
        inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=_Shown(p.default)) for p in info.parameters
    ]
    return inspect.Signature([columns, *named], return_annotation=Kernel)


class _Shown:
    """A default that prints as it stands in a formula."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _doc(info: KernelInfo) -> str:
    lines = [f"{info.summary[:1].upper()}{info.summary[1:].rstrip('.')}.", "", f"k(x, y) = {info.definition}", ""]
    lines.append(f"Reads {info.domain}.")
    if info.aliases:
        lines.append(f"Also called {', '.join(info.aliases)}.")
    if info.parameters:
        lines += ["", "Parameters", "----------"]
    for parameter in info.parameters:
        lines += _parameter_doc(parameter)
    return "\n".join(lines)


def _parameter_doc(parameter: KernelParameter) -> list[str]:
    lines = [parameter.name, f"    {parameter.summary}; {parameter.values}. Default: {parameter.default}."]
    return lines + [f"    Or `{name}` = {meaning}." for name, meaning in parameter.aliases]


_constructors = {info.name: _constructor(info) for info in catalogue()}
globals().update(_constructors)
__all__ = list(_constructors)


def __getattr__(name: str) -> Callable[..., Kernel]:
    raise AttributeError(f"the catalogue has no kernel `{name}`; it has {', '.join(__all__)}")
