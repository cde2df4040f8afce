"""The class :class:`Kernel`: a formula that can be composed, printed and evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from mercer import _core
from mercer._algebra import Algebra
from mercer._catalogue import catalogue
from mercer._check import Check, answer
from mercer._expression import merged
from mercer._function import Function
from mercer._matrices import Matrices
from mercer._records import KernelInfo
from mercer._run import RunOptions
from mercer._translate import ForeignKernel, from_callable, from_foreign, is_foreign
from mercer.errors import InvalidParameterError

if TYPE_CHECKING:
    from mercer.rkhs import Eigenfunctions

#: What stands for a kernel: a formula, a kernel, one of scikit-learn's, or a function of two points.
KernelLike: TypeAlias = "str | Kernel | ForeignKernel | Callable[..., Any]"


class Kernel(Algebra, Matrices):
    """A positive definite kernel, written as a formula.

    >>> import numpy as np
    >>> from mercer import Kernel
    >>> k = 0.5 * Kernel("rbf(length_scale=2)") + Kernel("linear") ** 2
    >>> k
    Kernel("0.5*rbf(length_scale=2) + linear^2")
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> k.gram(X).round(3)
    array([[ 0.5  ,  0.441,  0.303],
           [ 0.441,  1.5  ,  4.441],
           [ 0.303,  4.441, 16.5  ]])

    Kernels read the columns they name, so a formula can join columns of different types:
    ``rbf(age) * delta(species) + ngram(notes)``. A parameter may be a number, a list with a number
    for each column, or a rule such as ``median``, which is resolved from the data. ``!`` fixes a
    parameter: ``rbf(length_scale=2!)``.

    Parameters
    ----------
    formula
        A formula, another kernel, a kernel of scikit-learn's Gaussian processes, or a function of two points.
    functions
        Python functions that the formula names: plain functions of two points, or what
        :meth:`from_function` makes.
    """

    __slots__ = ()

    def __init__(
        self, formula: KernelLike, *, functions: Mapping[str, Kernel | Callable[..., Any]] | None = None
    ) -> None:
        if not isinstance(formula, str):
            other = _converted(formula)
            self._expr, self._functions = other._expr, other._functions
            return
        self._functions = merged(*(_named(name, k) for name, k in (functions or {}).items()))
        self._expr = _core.Expr(formula, [f.registration() for f in self._functions.values()])

    @classmethod
    def from_function(
        cls, fn: Callable[..., Any], name: str | None = None, *, vectorized: bool = False, **params: float
    ) -> Kernel:
        """A kernel from a Python function of two points.

        ``fn(x, y)`` gets two rows (1-D arrays), two strings, or two records (dicts), after what it is
        bound to, and gives a number. With ``vectorized``, ``fn(X, Y)`` gets two sets of points and
        gives their matrix. The kernel has the name of the function, with ``own_`` before it where Mercer
        has one of that name. ``params`` are positive numbers that are passed on by name and are part
        of θ. The function is called when the kernel is bound to data; an exception in it comes
        through with its traceback, and a matrix that is not symmetric or not finite is refused.

        >>> import numpy as np
        >>> def shared_part(x, y):
        ...     return x @ y / (x @ x + y @ y - x @ y)
        >>> k = 2 * Kernel.from_function(shared_part) + Kernel("linear")
        >>> k
        Kernel("2*shared_part + linear")
        >>> k.gram(np.array([[1.0, 1.0], [0.0, 1.0]]))
        array([[4., 2.],
               [2., 3.]])
        """
        called = name or _free(str(getattr(fn, "__name__", type(fn).__name__)))
        if not called.isidentifier():
            raise InvalidParameterError(
                f"`name` of the user kernel must be an identifier, got `{called}`", "give one with `name=`"
            )
        values = tuple((key, float(value)) for key, value in params.items())
        function = Function(called, fn, vectorized, values)
        return cls._of(_core.Expr(called, [function.registration()]), {called: function})

    @staticmethod
    def list() -> tuple[KernelInfo, ...]:
        """Every kernel that formulas know by name."""
        return catalogue()

    @property
    def formula(self) -> str:
        """The formula, in normal form; it reads back as the same kernel."""
        return self._expr.formula

    def __str__(self) -> str:
        return self.formula

    def __repr__(self) -> str:
        shown = self.formula
        return f'Kernel("{shown}")' if '"' not in shown else f"Kernel({shown!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return self._expr.same(other._expr) and self._functions == other._functions

    def __hash__(self) -> int:
        return hash(self.formula)

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[str, dict[str, Function]]]:
        return _restore, (self.formula, self._functions)

    def check(self) -> Check:
        """Whether this kernel is positive definite: a proof by the closure rules, or what is known.

        >>> import mercer
        >>> print(mercer.Kernel("2*linear").check().proof)
        1. `linear` is positive definite
           explicit feature map: ⟨φ(x), φ(y)⟩ is positive definite for every map φ into a space with an inner product; here k(x, y) = ⟨x, y⟩, φ(x) = x
        2. `2*linear` is positive definite
           non-negative scale, from step 1: c·k is positive definite when k is and c ≥ 0
        """  # noqa: E501
        return answer(_core.check_kernel(self._expr))

    def eigenfunctions(self, X: Any, n_components: int, **run: Unpack[RunOptions]) -> Eigenfunctions:
        """The leading empirical eigenfunctions ψ̂, which can be called on new points.

        ψ̂(xᵢ) = √n·uᵢ at the points, for a unit eigenvector u of K, and ψ̂(x) = Σᵢ uᵢk(xᵢ, x)/(√n·λ̂).

        >>> import numpy as np
        >>> from mercer import Kernel
        >>> psi = Kernel("linear").eigenfunctions(np.array([[-1.0], [1.0]]), 2)
        >>> psi.values.round(12)   # the rank is one
        array([1.])
        >>> abs(psi(np.array([[3.0]]))).round(12)
        array([[3.]])
        """
        from mercer.rkhs import Eigenfunctions

        return Eigenfunctions(self, X, n_components, **run)


def _free(name: str) -> str:
    """The name of a function, or another where a kernel of the catalogue has it."""
    taken = (word for info in Kernel.list() for word in (info.name, *info.aliases))
    return f"own_{name}" if name in taken else name


def _converted(given: Any) -> Kernel:
    """The kernel of a kernel, of one of scikit-learn's, or of a function."""
    if isinstance(given, Kernel):
        return given
    if is_foreign(given):
        return from_foreign(given)
    if callable(given) and not isinstance(given, type):
        return from_callable(given)
    kinds = "a formula, a kernel, a kernel object of scikit-learn's or a function of two points"
    raise TypeError(f"a kernel is made from {kinds}, got {_named_type(given)}")


def _named_type(given: Any) -> str:
    """The type of what was given, or the class itself that should have been called."""
    return f"the class {given.__name__}: write `{given.__name__}()`" if isinstance(given, type) else type(given).__name__


def _restore(formula: str, functions: dict[str, Function]) -> Kernel:
    return Kernel._of(_core.Expr(formula, [f.registration() for f in functions.values()]), functions)


def _named(name: str, given: Kernel | Callable[..., Any]) -> dict[str, Function]:
    """The functions of a kernel, or a plain function under this name."""
    if isinstance(given, Kernel):
        return given._functions
    if not callable(given):
        raise TypeError(f"function `{name}` must be a function or a kernel, got {type(given).__name__}")
    return Kernel.from_function(given, name)._functions
