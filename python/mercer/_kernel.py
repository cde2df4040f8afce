"""The class :class:`Kernel`: a formula that can be composed, printed and evaluated."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._catalogue import catalogue
from mercer._check import Check, answer
from mercer._function import Function
from mercer._inputs import inputs, matrix
from mercer._output import checked_out, is_single
from mercer._records import KernelInfo, Parameter, Resolution
from mercer._run import RunOptions, options
from mercer._translate import ForeignKernel, from_callable, from_foreign, is_foreign
from mercer._warn import warn
from mercer.errors import InvalidParameterError, ShapeError, UnreadColumnsWarning, UnsupportedError

if TYPE_CHECKING:
    from mercer.rkhs import Eigenfunctions

Floats = npt.NDArray[np.float64]
#: What stands for a kernel: a formula, a kernel, one of scikit-learn's, or a function of two points.
KernelLike: TypeAlias = "str | Kernel | ForeignKernel | Callable[..., Any]"


class Kernel:
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

    __slots__ = ("_expr", "_functions")
    # Keeps numpy from taking `np.float64(2) * kernel` for itself.
    __array_ufunc__ = None

    _expr: _core.Expr
    _functions: dict[str, Function]

    def __init__(
        self, formula: KernelLike, *, functions: Mapping[str, Kernel | Callable[..., Any]] | None = None
    ) -> None:
        if not isinstance(formula, str):
            other = _converted(formula)
            _fill(self, other._expr, other._functions)
            return
        known = _merge(*(_named(name, k) for name, k in (functions or {}).items()))
        _fill(self, _core.Expr(formula, [f.registration() for f in known.values()]), known)

    @classmethod
    def from_function(
        cls, fn: Callable[..., Any], name: str | None = None, *, vectorized: bool = False, **params: float
    ) -> Kernel:
        """A kernel from a Python function of two points.

        ``fn(x, y)`` gets two rows (1-D arrays), two strings, or two records (dicts), after what it is
        bound to, and gives a number. With ``vectorized``, ``fn(X, Y)`` gets two sets of points and
        gives their matrix. ``params`` are positive numbers that are passed on by name and are part
        of θ. The function is called when the kernel is bound to data; an exception in it comes
        through with its traceback, and a matrix that is not symmetric or not finite is refused.

        >>> import numpy as np
        >>> def tanimoto(x, y):
        ...     return x @ y / (x @ x + y @ y - x @ y)
        >>> k = 2 * Kernel.from_function(tanimoto) + Kernel("linear")
        >>> k
        Kernel("2*tanimoto + linear")
        >>> k.gram(np.array([[1.0, 1.0], [0.0, 1.0]]))
        array([[4., 2.],
               [2., 3.]])
        """
        called = name or str(getattr(fn, "__name__", type(fn).__name__))
        if not called.isidentifier():
            raise InvalidParameterError(
                f"`name` of the user kernel must be an identifier, got `{called}`", "give one with `name=`"
            )
        values = tuple((key, float(value)) for key, value in params.items())
        function = Function(called, fn, vectorized, values)
        return _make(_core.Expr(called, [function.registration()]), {called: function})

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

    # The algebra.

    def __add__(self, other: Kernel | float) -> Kernel:
        if isinstance(other, Kernel):
            return _make(self._expr.add(other._expr), _merge(self._functions, other._functions))
        if not isinstance(other, Real):
            return NotImplemented
        return _make(self._expr.shift(float(other), False), self._functions)

    def __radd__(self, other: float) -> Kernel:
        if not isinstance(other, Real):
            return NotImplemented
        # `sum(kernels)` begins with the whole number 0.
        if type(other) is int and other == 0:
            return self
        return _make(self._expr.shift(float(other), True), self._functions)

    def __mul__(self, other: Kernel | float) -> Kernel:
        if isinstance(other, Kernel):
            return _make(self._expr.multiply(other._expr), _merge(self._functions, other._functions))
        if not isinstance(other, Real):
            return NotImplemented
        return _make(self._expr.scale(float(other)), self._functions)

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> Kernel:
        if isinstance(other, Kernel):
            return self._combined(f"({self})/({other})", other)
        if not isinstance(other, Real):
            return NotImplemented
        if not float(other) > 0:
            raise InvalidParameterError(f"a kernel can be divided by a number > 0, got {other}")
        return _make(self._expr.scale(1 / float(other)), self._functions)

    def __rtruediv__(self, other: float) -> Kernel:
        if not isinstance(other, Real):
            return NotImplemented
        return self._combined(f"{float(other)!r}/({self})")

    def __sub__(self, other: Kernel | float) -> Kernel:
        """A difference, where it is known to be a kernel; an error says why it is not."""
        if isinstance(other, Kernel):
            return self._combined(f"({self}) - ({other})", other)
        if not isinstance(other, Real):
            return NotImplemented
        return self._combined(f"({self}) - {float(other)!r}")

    def __rsub__(self, other: float) -> Kernel:
        if not isinstance(other, Real):
            return NotImplemented
        return self._combined(f"{float(other)!r} - ({self})")

    def __neg__(self) -> Kernel:
        return self._combined(f"-({self})")

    def _combined(self, formula: str, *others: Kernel) -> Kernel:
        """What a formula makes of this kernel and others, if it is a kernel."""
        return _restore(formula, _merge(self._functions, *(k._functions for k in others)))

    def __pow__(self, exponent: float) -> Kernel:
        try:
            power = float(exponent)
        except (TypeError, ValueError):
            raise InvalidParameterError(f"`exponent` of a power of a kernel must be a number, got {exponent!r}") from None
        return _make(self._expr.power(power), self._functions)

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

    def exp(self) -> Kernel:
        """exp(k)."""
        return _make(self._expr.exp(), self._functions)

    def normalize(self) -> Kernel:
        """k(x, y)/√(k(x, x)·k(y, y))."""
        return _make(self._expr.normalize(), self._functions)

    def on(self, *columns: str) -> Kernel:
        """This kernel on the columns of these names, for kernels that are not composed.

        >>> Kernel("rbf(length_scale=2)").on("age", "height")
        Kernel("rbf(age, height, length_scale=2)")
        """
        return _make(self._expr.on([str(c) for c in columns]), self._functions)

    # Parameters.

    @property
    def params(self) -> Sequence[Parameter]:
        """Every parameter, free or fixed, in the order of θ."""
        return [Parameter(*record) for record in self._expr.params()]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every setting by name, as scikit-learn asks for them.

        A kernel that is not composed has the names of its parameters; a composed one has the paths of
        ``params``.

        >>> Kernel("poly(gamma=0.5)").get_params()
        {'degree': 3, 'gamma': 0.5, 'coef0': 1.0}
        >>> Kernel("2*rbf").get_params()
        {'scale': 2.0, 'rbf.length_scale': 'median'}
        """
        settings: list[tuple[str, Any]] = self._expr.settings()
        alone = len({path.rpartition(".")[0] for path, _ in settings}) == 1
        return {path.rpartition(".")[2] if alone else path: value for path, value in settings}

    def set_params(self, **params: Any) -> Kernel:
        """Changes settings of this very kernel, as scikit-learn does it; see :meth:`with_params`."""
        self._expr = self.with_params(**params)._expr
        return self

    def with_params(self, **params: Any) -> Kernel:
        """This kernel with other settings.

        A name is a path of ``params``, with ``.`` or ``__`` between its parts, or the end of one where no other
        ends so. A value is a number, a list of numbers, or a piece of a formula such as ``"median"``, ``"2!"`` or
        ``"2 in [0.1, 10]"``.

        >>> k = Kernel("rbf + 0.1*matern32")
        >>> k.with_params(**{"rbf.length_scale": 2, "scale": 0.5})
        Kernel("rbf(length_scale=2) + 0.5*matern32(length_scale=median)")
        """
        expr = self._expr
        for name, value in params.items():
            expr = expr.with_setting(name.replace("__", "."), piece(value))
        return _make(expr, self._functions)

    def __sklearn_clone__(self) -> Kernel:
        return _make(self._expr, self._functions)

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

    def with_theta(self, theta: npt.ArrayLike) -> Kernel:
        """This kernel with its free parameters moved to θ."""
        values = np.asarray(theta, dtype=np.float64)
        return _make(self._expr.with_theta(values.ravel().tolist()), self._functions)

    def resolve(self, X: Any, **run: Unpack[RunOptions]) -> tuple[Kernel, Sequence[Resolution]]:
        """This kernel with every rule replaced by the number it finds in ``X``, and what was found.

        >>> import numpy as np
        >>> k, found = Kernel("rbf").resolve(np.array([[0.0], [1.0], [3.0]]))
        >>> k
        Kernel("rbf(length_scale=2)")
        >>> found[0].detail
        'median of the 3 distances among 3 rows'
        """
        expr, found = self._expr.resolve(inputs(X), options(**run))
        return _make(expr, self._functions), [Resolution(*record) for record in found]

    # Matrices.

    def gram(
        self,
        X: Any,
        Y: Any = None,
        *,
        out: npt.NDArray[Any] | None = None,
        dtype: npt.DTypeLike | None = None,
        **run: Unpack[RunOptions],
    ) -> npt.NDArray[Any]:
        """The kernel matrix: K[i, j] = k(X[i], X[j]), or k(X[i], Y[j]).

        Parameters
        ----------
        X, Y
            Points: a 2-D array, a SciPy sparse matrix, a pandas, polars or Arrow table, a dict of
            columns, a list of strings, or a data set.
        out
            A C-contiguous array to write to, n×m, which must not share memory with the points.
        dtype
            ``float64`` (the default) or ``float32``; values are computed in float64.
        n_jobs, memory_limit, deadline, progress
            Threads, bytes, seconds, and a function of (task, done, total).

        Rules such as ``median`` are resolved from ``X``. When there are training points, resolve them
        once, ``kernel, _ = kernel.resolve(X_train)``, so that later points meet the same numbers.
        """
        if Y is not None and not self.is_resolved:
            message = f"the rules of `{self}` are resolved from `X`; call `resolve` with the training points first"
            warn(message)
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        warn_unread(x if y is None or len(x) >= len(y) else y, self._expr)
        shape = (len(x), len(x) if y is None else len(y))
        single = is_single(dtype, out)
        if out is not None:
            out = checked_out(out, shape, single, (X, Y))
        return _core.gram(self._expr, x, y, out, single, options(**run))

    def __call__(self, X: Any, Y: Any = None) -> Any:
        """The kernel matrix, as scikit-learn calls a kernel; the number k(x, y) for two 1-D arrays.

        Rules must have been resolved if there are two sets of points: scikit-learn passes the
        training points last when it predicts, and other numbers would be found in the new ones.
        """
        if isinstance(X, np.ndarray) and isinstance(Y, np.ndarray) and X.ndim == Y.ndim == 1:
            return self._at(X, Y)
        if Y is not None:
            self._check_rules()
        return self.gram(X, Y)

    def _at(self, x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
        """k(x, y) of two vectors."""
        if not self._functions and _is_plain(x) and _is_plain(y):
            try:
                return self._expr.at(x, y)
            except UnsupportedError:
                self._check_rules()
                raise
        self._check_rules()
        return float(self.gram(x.reshape(1, -1), y.reshape(1, -1))[0, 0])

    def _check_rules(self) -> None:
        if not self.is_resolved:
            raise UnsupportedError(
                f"calling `{self}` with two sets of points before its rules are resolved is not supported",
                "use `kernel, _ = kernel.resolve(X_train)` first, or give numbers",
            )

    def diag(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """k(x, x) for every point x."""
        return _core.diag(self._expr, inputs(X), options(**run))

    def column(self, X: Any, j: int, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """Column ``j`` of the kernel matrix, without the rest of it."""
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        ncols = len(x if y is None else y)
        index = operator.index(j)
        if not -ncols <= index < ncols:
            raise IndexError(f"column {index} of a kernel matrix with {ncols} columns")
        return _core.column(self._expr, x, y, index % ncols, options(**run))

    def matvec(self, X: Any, v: npt.ArrayLike, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """K·v without storing K, for a vector or for the columns of a matrix.

        >>> import numpy as np
        >>> Kernel("linear").matvec(np.array([[1.0], [2.0]]), [1.0, 1.0])
        array([3., 6.])
        """
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        values = np.asarray(v)
        ncols = len(x if y is None else y)
        if values.ndim not in (1, 2) or values.shape[0] != ncols:
            raise ShapeError(f"`v`: expected {ncols} rows, one for each column of the matrix, got shape {values.shape}")
        columns = matrix(values.reshape(ncols, -1) if values.ndim == 1 else values, "`v`")
        product = _core.matvec(self._expr, x, y, columns, options(**run))
        return product[:, 0] if values.ndim == 1 else product

    def gradient(self, X: Any, W: npt.ArrayLike, Y: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """Σᵢⱼ W[i, j]·∂K[i, j]/∂θ for every free parameter θ; no matrix per parameter is formed."""
        x, y = inputs(X), None if Y is None else inputs(Y, "Y")
        weights = matrix(np.asarray(W), "`W`")
        shape = (len(x), len(x) if y is None else len(y))
        if weights.shape != shape:
            raise ShapeError(f"`W`: expected the shape of the kernel matrix, {shape}, got {weights.shape}")
        return _core.gradient(self._expr, x, y, weights, options(**run))

    # Spectrum.

    def eigvals(self, X: Any, **run: Unpack[RunOptions]) -> Floats:
        """The empirical eigenvalues λ̂ = eig(K)/n, in decreasing order.

        >>> import numpy as np
        >>> Kernel("linear").eigvals(np.array([[-1.0], [1.0]])).round(12)
        array([1., 0.])
        """
        return _core.eigvals(self._expr, inputs(X), options(**run))

    def eigenfunctions(self, X: Any, n_components: int, **run: Unpack[RunOptions]) -> Eigenfunctions:
        """The leading empirical eigenfunctions ψ̂, which can be called on new points.

        ψ̂(xᵢ) = √n·uᵢ at the points, for a unit eigenvector u of K, and ψ̂(x) = Σᵢ uᵢk(xᵢ, x)/(√n·λ̂).

        >>> import numpy as np
        >>> psi = Kernel("linear").eigenfunctions(np.array([[-1.0], [1.0]]), 2)
        >>> psi.values.round(12)   # the rank is one
        array([1.])
        >>> abs(psi(np.array([[3.0]]))).round(12)
        array([[3.]])
        """
        from mercer.rkhs import Eigenfunctions

        return Eigenfunctions(self, X, n_components, **run)


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


def _is_plain(x: npt.NDArray[Any]) -> bool:
    """Whether the core can read its numbers where they are."""
    flags = x.flags
    return x.dtype == np.float64 and flags.c_contiguous and flags.aligned


def piece(value: Any) -> str:
    """A value as a piece of a formula."""
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return f"[{', '.join(piece(v) for v in value)}]"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"a parameter is a number, a list of numbers or a piece of a formula, got {value!r}")
    return repr(float(value))


def warn_unread(x: _core.Inputs, expr: _core.Expr) -> None:
    """Says which columns no part of the kernel reads."""
    if x.kind == "table" and (note := x.unread(expr)) is not None:
        warn(note, UnreadColumnsWarning)


def _fill(kernel: Kernel, expr: _core.Expr, functions: dict[str, Function]) -> None:
    kernel._expr = expr
    kernel._functions = functions


def _make(expr: _core.Expr, functions: dict[str, Function]) -> Kernel:
    kernel = Kernel.__new__(Kernel)
    _fill(kernel, expr, functions)
    return kernel


def _restore(formula: str, functions: dict[str, Function]) -> Kernel:
    return _make(_core.Expr(formula, [f.registration() for f in functions.values()]), functions)


def _named(name: str, given: Kernel | Callable[..., Any]) -> dict[str, Function]:
    """The functions of a kernel, or a plain function under this name."""
    if isinstance(given, Kernel):
        return given._functions
    if not callable(given):
        raise TypeError(f"function `{name}` must be a function or a kernel, got {type(given).__name__}")
    return Kernel.from_function(given, name)._functions


def _merge(*parts: dict[str, Function]) -> dict[str, Function]:
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
