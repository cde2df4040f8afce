"""Tests of hypotheses with kernels: do two samples come from one distribution?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import inputs
from mercer._kernel import Kernel, KernelLike
from mercer._run import RunOptions, options
from mercer._tested import TestResult
from mercer.errors import InvalidParameterError

if TYPE_CHECKING:
    from mercer.plot import Figure

__all__ = ["MmdResult", "mmd_test"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class MmdResult(TestResult):
    """The answer of :func:`mmd_test`, with the witness function of the two samples."""

    _compared: _core.Compared = field(repr=False, compare=False)

    @classmethod
    def _from(cls, compared: _core.Compared) -> MmdResult:
        return cls(**cls._fields(compared.record()), _compared=compared)

    @property
    def kernel(self) -> Kernel:
        """The kernel that shows the difference best; the only one where there is one."""
        return Kernel(self._compared.witness_kernel())

    def witness(self, X: Any = None, **run: Unpack[RunOptions]) -> Floats:
        """f(t) = mean k(t, x) − mean k(t, y) at points: large where the first sample is denser, small where the second is.

        Without points, at the rows of both samples, those of the first before the others.
        """
        return self._compared.witness(None if X is None else inputs(X), options(**run))

    def plot(self, names: tuple[str, str] = ("X", "Y"), **run: Unpack[RunOptions]) -> Figure:
        """The null distribution and the values of the witness function, as a picture."""
        from mercer.plot import Figure

        return Figure(self._compared.draw(names, options(**run)))


def mmd_test(
    X: Any,
    Y: Any,
    kernel: KernelLike | Sequence[KernelLike] | None = None,
    *,
    estimate: str = "unbiased",
    n_permutations: int = 999,
    enough: int | None = None,
    lag: float | None = None,
    random_state: Any = None,
    **run: Unpack[RunOptions],
) -> MmdResult:
    """Tests whether two samples come from one distribution, by their maximum mean discrepancy.

    >>> import numpy as np
    >>> import mercer
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(50, 2)), rng.normal(size=(60, 2)) + [1.0, 0.0]
    >>> found = mercer.mmd_test(X, Y, "rbf(length_scale=1)")
    >>> found.pvalue, found.resolution
    (0.001, 0.001)
    >>> found.kernel
    Kernel("rbf(length_scale=1)")
    >>> bool(found.witness([[-1.0, 0.0]])[0] > 0 > found.witness([[2.0, 0.0]])[0])
    True

    Parameters
    ----------
    X, Y
        Samples with the same columns: arrays, sparse matrices, data frames or dicts whose columns may be text and categories, or
        lists of strings. For ``"precomputed"``, X holds the kernel values of all rows, and Y says how many of them, from the
        first on, belong to the first sample.
    kernel
        A formula or a kernel, used as it is; several are fused into one statistic with one p-value. None finds a family in the
        data, by the types of the columns: one length scale misses differences on other scales.
    estimate
        ``"unbiased"``, which is negative about half of the time where nothing differs; ``"biased"``, which never is;
        ``"linear"`` and ``"block"``, which look at some of the pairs and are judged by the normal distribution.
    n_permutations
        How many are drawn; all are taken, and p is exact, where there are no more.
    enough
        Stop when so many permutations reach the statistic: then p is large, and known well enough.
    lag
        Rows are times of two series whose dependence fades within about so many rows, and multipliers with that lag are drawn instead of
        permutations; 0 draws signs. Both samples have as many rows.
    random_state
        Where chance begins: None or a whole number.
    n_jobs, memory_limit, deadline, progress
        How it is run. A deadline keeps the permutations that were drawn before it.
    """
    if random_state is not None and (isinstance(random_state, bool) or not isinstance(random_state, Integral)):
        raise InvalidParameterError(f"`random_state` of mmd_test must be None or a whole number, got {random_state!r}")
    for name, count in (("n_permutations", n_permutations), ("enough", enough)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, Integral) or count < 1):
            raise InvalidParameterError(f"`{name}` of mmd_test must be a whole number ≥ 1, got {count!r}")
    kernels = _kernels(kernel)
    x, y, first = _samples(X, Y)
    compared = _core.mmd_test(
        [k._expr for k in kernels],
        x,
        y,
        first,
        estimate,
        (int(n_permutations), None if enough is None else int(enough)),
        None if lag is None else float(lag),
        int(random_state or 0) % 2**64,
        options(**run),
    )
    return MmdResult._from(compared)


def _kernels(kernel: KernelLike | Sequence[KernelLike] | None) -> list[Kernel]:
    if kernel is None:
        return []
    several = isinstance(kernel, Sequence) and not isinstance(kernel, str)
    return [Kernel(k) for k in (kernel if several else [kernel])]  # type: ignore[union-attr, arg-type]


def _samples(X: Any, Y: Any) -> tuple[_core.Inputs, _core.Inputs | None, int]:
    """The core's inputs; where Y is a number, it splits the rows of X."""
    if isinstance(Y, Integral):
        from mercer._inputs import Precomputed

        given = X if isinstance(X, (Precomputed, _core.Inputs)) else Precomputed(X)
        return inputs(given), None, int(Y)
    return inputs(X, "X"), inputs(Y, "Y"), 0
