"""The parameters of kernels, by name and as θ, and the rules that find them in data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, Self, Unpack

import numpy as np
import numpy.typing as npt

from mercer._expression import Expression
from mercer._inputs import inputs
from mercer._records import Parameter, Resolution
from mercer._run import RunOptions, options

Floats = npt.NDArray[np.float64]


class Parameters(Expression):
    """What a kernel's numbers are read and changed by."""

    __slots__ = ()

    @property
    def params(self) -> Sequence[Parameter]:
        """Every parameter, free or fixed, in the order of θ."""
        return [Parameter(*record) for record in self._expr.params()]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every setting by name, as scikit-learn asks for them.

        A kernel that is not composed has the names of its parameters; a composed one has the paths of
        ``params``.

        >>> from mercer import Kernel
        >>> Kernel("poly(gamma=0.5)").get_params()
        {'degree': 3, 'gamma': 0.5, 'coef0': 1.0}
        >>> Kernel("2*rbf").get_params()
        {'scale': 2.0, 'rbf.length_scale': 'median'}
        """
        settings: list[tuple[str, Any]] = self._expr.settings()
        alone = len({path.rpartition(".")[0] for path, _ in settings}) == 1
        return {path.rpartition(".")[2] if alone else path: value for path, value in settings}

    def set_params(self, **params: Any) -> Self:
        """Changes settings of this very kernel, as scikit-learn does it; see :meth:`with_params`."""
        self._expr = self.with_params(**params)._expr
        return self

    def with_params(self, **params: Any) -> Self:
        """This kernel with other settings.

        A name is a path of ``params``, with ``.`` or ``__`` between its parts, or the end of one where no other
        ends so. A value is a number, a list of numbers, or a piece of a formula such as ``"median"``, ``"2!"``,
        ``"2 in [0.1, 10]"`` or ``'"small<large"'``.

        >>> from mercer import Kernel
        >>> k = Kernel("rbf + 0.1*matern32")
        >>> k.with_params(**{"rbf.length_scale": 2, "scale": 0.5})
        Kernel("rbf(length_scale=2) + 0.5*matern32(length_scale=median)")
        """
        expr = self._expr
        for name, value in params.items():
            expr = expr.with_setting(name.replace("__", "."), piece(value))
        return self._made(expr)

    def __sklearn_clone__(self) -> Self:
        return self._made(self._expr)

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter is a number, and no rule is left."""
        return self._expr.is_resolved

    @property
    def theta(self) -> Floats:
        """The free parameters, each on its own scale."""
        return np.array(self._expr.theta(), dtype=np.float64)

    @property
    def bounds(self) -> Floats:
        """The box of θ: p×2."""
        return np.array(self._expr.bounds(), dtype=np.float64).reshape(-1, 2)

    def with_theta(self, theta: npt.ArrayLike) -> Self:
        """This kernel with its free parameters moved to θ."""
        values = np.asarray(theta, dtype=np.float64)
        return self._made(self._expr.with_theta(values.ravel().tolist()))

    def resolve(self, X: Any, **run: Unpack[RunOptions]) -> tuple[Self, Sequence[Resolution]]:
        """This kernel with every rule replaced by the number it finds in ``X``, and what was found.

        >>> import numpy as np
        >>> from mercer import Kernel
        >>> k, found = Kernel("rbf").resolve(np.array([[0.0], [1.0], [3.0]]))
        >>> k
        Kernel("rbf(length_scale=2)")
        >>> found[0].detail
        'median of the 3 distances among 3 rows'
        """
        expr, found = self._expr.resolve(inputs(X), options(**run))
        return self._made(expr), [Resolution(*record) for record in found]


def piece(value: Any) -> str:
    """A value as a piece of a formula."""
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return f"[{', '.join(piece(v) for v in value)}]"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"a parameter is a number, a list of numbers or a piece of a formula, got {value!r}")
    return repr(float(value))
