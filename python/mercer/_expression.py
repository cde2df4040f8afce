"""What every part of a kernel stands on: its formula, and the functions of the user's that it names."""

from __future__ import annotations

from typing import Self

from mercer import _core
from mercer._function import Function
from mercer.errors import InvalidParameterError


class Expression:
    """A formula of the core's with its functions; never changed in place but by ``set_params``."""

    __slots__ = ("_expr", "_functions")

    _expr: _core.Expr
    _functions: dict[str, Function]

    @classmethod
    def _of(cls, expr: _core.Expr, functions: dict[str, Function]) -> Self:
        made = cls.__new__(cls)
        made._expr, made._functions = expr, functions
        return made

    def _made(self, expr: _core.Expr, *others: Expression) -> Self:
        """What an operation of the core's made of this and of others."""
        return self._of(expr, merged(self._functions, *(other._functions for other in others)))

    def _written(self, formula: str, *others: Expression) -> Self:
        """What a formula makes of this and of others, if it is a kernel."""
        functions = merged(self._functions, *(other._functions for other in others))
        return self._of(_core.Expr(formula, [f.registration() for f in functions.values()]), functions)


def merged(*parts: dict[str, Function]) -> dict[str, Function]:
    """The functions of several kernels; one name cannot mean two of them."""
    all: dict[str, Function] = {}
    for part in parts:
        for name, function in part.items():
            if all.setdefault(name, function) != function:
                raise InvalidParameterError(
                    f"two different functions are named `{name}`",
                    "give one of them another name: `Kernel.from_function(fn, name=...)`",
                )
    return all
