"""Change points: where the distribution of a sequence changes, and streams that are watched for a change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._estimator import Floats, KernelEstimator
from mercer._kernel import Kernel, KernelLike
from mercer._run import Progress
from mercer.errors import InvalidParameterError, ShapeError

__all__ = ["AutomaticChoice", "ChangeTest", "Compared", "KernelChangeDetector", "KernelChangePoint", "breakpoints", "changes"]


class Compared(NamedTuple):
    """Levels beside lines: the least J of each, and how many values far out of those around them were limited for it."""

    levels: float
    lines: float
    limited: int


class AutomaticChoice(NamedTuple):
    """The number of changes that ``pen="auto"`` finds, and what it was found from.

    Of the cheapest segmentations with K = 0, 1, 2, … changes it minimises J = n·(c + ln(c·(1 − ρ²)^p + ε)) + P·ln n/√D. For the kernel
    ``linear``, whose features are the columns, p = 1, ε = 0.005 and P = 4·K for levels, 7·K + 2 for lines; for others p = 1.5, ε = 0.02 and
    P = 3.5·K or 5.5·K + 2.
    """

    #: What segments are, ``"levels"`` or ``"lines"``.
    segments: str
    #: K.
    changes: int
    #: v: the variance of all points in feature space.
    variance: float
    #: c: the share of it that is left.
    share: float
    #: ρ: the correlation of what is left of neighbours, from 0 to 0.95.
    correlation: float
    #: D: in how many directions columns of numbers move freely, from 1 to 9.
    directions: float
    #: J.
    criterion: float
    #: Both kinds of segments, where both were looked at.
    compared: Compared | None


class ChangeTest(NamedTuple):
    """How a change stands out in the segment that it cuts.

    The p-value is valid for the null hypothesis that the points of the parent segment are exchangeable; those of later changes are
    conditional on earlier ones, at which their parents end. Dependence between neighbours makes it too small. Where segments are lines, what
    one line leaves of the parent is permuted.
    """

    change: int
    #: First point of the segment that it cuts, and of the one behind it.
    parent: tuple[int, int]
    #: What the cut takes off the cost of the parent.
    gain: float
    #: The largest gain that a cut of the parent has.
    statistic: float
    #: (1 + number of permutations whose largest gain is not smaller)/(1 + number of permutations).
    pvalue: float


def breakpoints(changes: Sequence[int], n: int) -> list[int]:
    """Changes as ruptures has them: ends of the segments, the last of which is n.

    >>> breakpoints([3, 5], 9)
    [3, 5, 9]
    """
    ends = [int(c) for c in changes] + [int(n)]
    if any(b <= a for a, b in zip([0, *ends], ends, strict=False)):
        raise ShapeError(f"`changes`: expected rising numbers from 1 to {n - 1}, got {list(changes)}")
    return ends


def changes(breakpoints: Sequence[int]) -> list[int]:
    """The changes of a list of ruptures.

    >>> changes([3, 5, 9])
    [3, 5]
    """
    ends = [int(b) for b in breakpoints]
    if not ends or any(b <= a for a, b in zip([0, *ends], ends, strict=False)):
        raise ShapeError(f"`breakpoints`: expected rising numbers that end with the number of points, got {ends}")
    return ends[:-1]


def _column(X: Any) -> Any:
    """A sequence of numbers is a matrix of one column."""
    values = X if isinstance(X, np.ndarray) else None
    if values is None and isinstance(X, Sequence) and not isinstance(X, str) and X and isinstance(X[0], Real):
        values = np.asarray(X, dtype=np.float64)
    return values.reshape(-1, 1) if values is not None and values.ndim == 1 and values.dtype.names is None else X


class _Found(KernelEstimator):
    """What is there after a fit."""

    changes_: npt.NDArray[np.intp]
    breakpoints_: list[int]
    n_bkps_: int
    n_samples_: int
    cost_: float
    penalty_: float | None
    automatic_: AutomaticChoice
    segments_: str
    approximation_error_: float
    state_: str
    threshold_: float
    statistics_: Floats
    alarms_: npt.NDArray[np.bool_]
    _segments: _core.Segments
    _path: list[tuple[list[int], float]]
    _tests: list[ChangeTest]


@dataclass(eq=False, repr=False)
class _Sequential(_Found):
    """What both have."""

    kernel: KernelLike | None = None
    _: KW_ONLY
    random_state: Any = 0
    n_jobs: int | None = None
    memory_limit: int | None = None
    deadline: float | None = None
    progress: Progress | None = None
    verbose: bool = False

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral) and int(self.random_state) >= 0:
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _asked_kernel(self, points: _core.Inputs) -> Kernel:
        if self.kernel is None and (found := _core.segment_kernel(points, self._options())) is not None:
            return Kernel._of(found, {})
        return super()._asked_kernel(points)


@dataclass(eq=False, repr=False)
class KernelChangePoint(_Sequential):
    """Kernel change points: cuts a sequence into segments that are as alike inside as can be.

    Minimises the sum of the costs Σ k(xᵢ, xᵢ) − (1/m)·ΣΣ k(xᵢ, xⱼ) of the segments, m points each, over all segmentations with
    ``n_bkps`` changes, or over all segmentations at a price of ``pen`` for every change. Both are exact, also with ``min_size``.
    That is the squared distance to the mean of a segment in feature space, a *level*; with ``segments="lines"`` it is that to a straight line
    in time, so that segments may rise and fall.

    >>> import numpy as np
    >>> from mercer import KernelChangePoint
    >>> x = np.r_[np.zeros(20), np.full(15, 3.0)] + 0.1 * np.sin(np.arange(35))
    >>> model = KernelChangePoint().fit(x)
    >>> model.breakpoints_, model.changes_.tolist()
    ([20, 35], [20])
    >>> model.predict(n_bkps=0)
    [35]
    >>> model.pvalues_.tolist()
    [0.005]

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or ``"precomputed"`` for an X of
        kernel values. None is for numbers ``rbf`` with the median distance of two points over √2 as its length scale where segments are levels,
        and ``linear`` where they are lines, on columns whose values are limited where they stand far out of those around them; sparse rows
        have ``rbf`` for both.
        `energy`, which is only conditionally positive definite, is allowed.
    pen
        The price of a change, a number ≥ 0, or ``"auto"``: the number of changes is found in the data, see ``automatic_``. Not used
        with ``n_bkps``.
    n_bkps
        Number of changes, 0 or more.
    min_size
        The least number of points in a segment; at least 5 where segments are lines.
    segments
        ``"levels"``, ``"lines"`` or ``"auto"``: levels for a given ``n_bkps`` or ``pen``, and else what has the smaller J, see
        ``automatic_``.
    landmarks
        Without them, the answer is exact in O(n²) kernel values. With so many, drawn by chance, binary segmentation on features of
        rank ``landmarks`` answers for sequences of a hundred thousand points and more.
    random_state
        Where the chance of landmarks and permutations begins.
    n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`mercer.KernelRidge`.

    Values that are missing or not finite are refused; drop or fill them first.

    Attributes
    ----------
    changes_, breakpoints_, n_bkps_
        First points of the segments but the first; the same as ruptures has them, a list that ends with n; their number.
    cost_, penalty_
        The sum of the costs, without penalties; the price of a change, None where none was given.
    segments_
        What segments are, ``"levels"`` or ``"lines"``.
    automatic_
        What ``pen="auto"`` found, an :class:`AutomaticChoice`.
    costs_, path_
        Costs and lists of the cheapest segmentations with 0, 1, … changes, as many as asked for, and five more where they were found.
    pvalues_
        Those of the changes, by :meth:`significance`.
    approximation_error_
        The share of Σ k(x, x) that landmarks leave; 0 without.
    kernel_, resolutions_
        The kernel with its numbers, and what its rules found.
    """

    _: KW_ONLY
    pen: float | str = "auto"
    n_bkps: int | None = None
    min_size: int = 2
    segments: str = "auto"
    landmarks: int | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Finds the changes of points in their order; ``y`` is not looked at.

        X is an array, also of one dimension, a sparse matrix, a data frame or dict whose columns may be text and categories, or a
        list of strings.
        """
        points = self._training_points(_column(X))
        self.n_samples_ = len(points)
        for name in ("_path", "_tests", "automatic_"):
            self.__dict__.pop(name, None)
        asked = self._asked(points)
        if self.n_bkps is None and self.pen == "auto":
            self._segments, cut, choice = _core.Segments.found(asked, points, self._options())
            self.automatic_, self.penalty_ = _choice(choice), None
        else:
            self._segments = _core.Segments(asked, points, self._options())
            cut = self._find(self.n_bkps, None if self.n_bkps is not None else self.pen, keep=True)
        found, self.cost_ = cut
        self.segments_ = self._segments.kind
        if asked[0] is None:
            self.kernel_, self.resolutions_ = Kernel._of(self._segments.kernel, {}), ()
        self.approximation_error_ = self._segments.approximation_error or 0.0
        self.changes_ = np.array(found, dtype=np.intp)
        self.breakpoints_ = breakpoints(found, self.n_samples_)
        self.n_bkps_ = len(found)
        return self

    def _asked(self, points: _core.Inputs) -> tuple[_core.Expr | None, str | None, int, int | None, int]:
        """Kernel, segments, least size, landmarks and their seed; numbers without a kernel have usual views."""
        if self.segments not in ("auto", "levels", "lines"):
            must = "`auto`, `levels` or `lines`"
            raise InvalidParameterError(f"`segments` of KernelChangePoint must be {must}, got {self.segments!r}")
        size, marks = self._whole("min_size", 1), None if self.landmarks is None else self._whole("landmarks", 1)
        usual = self.kernel is None and _core.segment_kernel(points, self._options()) is not None
        kernel = None if usual else self._resolve_kernel(points, None)._expr
        return kernel, None if self.segments == "auto" else self.segments, size, marks, self._seed()

    def predict(self, n_bkps: int | None = None, pen: float | str | None = None) -> list[int]:
        """Ends of the segments, the last of which is n: for a number of changes, for a penalty, or those of the fit.

        Segments are what they were in the fit, ``segments_``, with its kernel.
        """
        self._check()
        if n_bkps is not None and pen is not None:
            raise InvalidParameterError("`n_bkps` and `pen` cannot both be given", "give one of them")
        if n_bkps is None and pen is None:
            return list(self.breakpoints_)
        return breakpoints(self._find(n_bkps, pen)[0], self.n_samples_)

    def fit_predict(self, X: Any, y: Any = None) -> list[int]:
        """Fits, and gives the ends of the segments."""
        return self.fit(X, y).predict()

    def significance(self, n_permutations: int = 199, breakpoints: Sequence[int] | None = None) -> list[ChangeTest]:
        """Tests every change, by default those of the fit, by permutations of the points of its parent segment.

        Of the changes in a segment, the one that gains most cuts it, and the others are looked for in the two parts. Permutations
        keep no order, so that neighbours that depend on each other make p-values too small.
        """
        self._check()
        count = _whole("n_permutations", n_permutations, 1)
        own = self.changes_.tolist() if breakpoints is None else changes(breakpoints)
        return [ChangeTest(*t) for t in self._segments.tests(own, count, self._seed(), self._options())]

    def cost(self, start: int, end: int) -> float:
        """The cost of the segment of points from ``start`` to before ``end``."""
        self._check()
        return self._segments.cost(start, end)

    @property
    def costs_(self) -> Floats:
        """Costs of the cheapest segmentations with 0, 1, … changes."""
        return np.array([cost for _, cost in self._whole_path()])

    @property
    def path_(self) -> list[list[int]]:
        """The cheapest segmentations with 0, 1, … changes."""
        return [breakpoints(found, self.n_samples_) for found, _ in self._whole_path()]

    @property
    def pvalues_(self) -> Floats:
        """The p-value of every change."""
        self._check()
        if not hasattr(self, "_tests"):
            self._tests = self.significance()
        return np.array([test.pvalue for test in self._tests])

    def _whole_path(self) -> list[tuple[list[int], float]]:
        self._check()
        if not hasattr(self, "_path"):
            self._path = self._segments.path(min(self.n_bkps_ + 5, self._segments.max_changes), self._options())
        return self._path

    def _find(self, n_bkps: int | None, pen: float | str | None, keep: bool = False) -> tuple[list[int], float]:
        """The changes and their cost."""
        if n_bkps is not None:
            path = self._segments.path(_whole("n_bkps", n_bkps, 0), self._options())
            if keep:
                self.penalty_, self._path = None, path
            return path[-1]
        if pen == "auto":
            return self._segments.automatic(self._options())[0]
        if isinstance(pen, bool) or not isinstance(pen, Real) or not 0 <= float(pen) < np.inf:
            raise InvalidParameterError(f"`pen` of KernelChangePoint must be a number ≥ 0 or `auto`, got {pen!r}")
        if keep:
            self.penalty_ = float(pen)
        return self._segments.penalised(float(pen), self._options())

    def _whole(self, name: str, least: int) -> int:
        return _whole(name, getattr(self, name), least)

    def _check(self) -> None:
        check_is_fitted(self)
        if not hasattr(self, "_segments"):
            raise InvalidParameterError("the points are not there after loading", "fit again")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_segments", None)
        return state


def _choice(told: _core._Automatic) -> AutomaticChoice:
    return AutomaticChoice._make((*told[:-1], told[-1] and Compared(*told[-1])))


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        must = f"a whole number from {least}"
        raise InvalidParameterError(f"`{name}` of KernelChangePoint must be {must}, got {value!r}")
    return int(value)


@dataclass(eq=False, repr=False)
class KernelChangeDetector(_Sequential):
    """Watches a stream of vectors for a change, with a wanted mean number of points between false alarms.

    The statistic is MMD², the squared distance in feature space between the mean of the last ``window`` points and the mean of a
    reference. The threshold comes from streams drawn from the rows of the fit; it holds for points that are independent.

    >>> import numpy as np
    >>> from mercer import KernelChangeDetector
    >>> rng = np.random.default_rng(0)
    >>> watch = KernelChangeDetector(window=20, run_length=500).fit(rng.normal(size=(200, 1)))
    >>> bool(watch.update(rng.normal(size=(40, 1)) + 3).any())
    True

    Parameters
    ----------
    kernel
        As of :class:`KernelChangePoint`.
    window
        Points in the window.
    run_length
        The mean number of points between false alarms.
    random_state
        Where chance begins: which rows are the reference, and the streams that set the threshold.

    Attributes
    ----------
    threshold_, state_
        The statistic that raises an alarm when it is exceeded; all that the detector knows, as JSON.
    statistics_, alarms_
        Of the last call of :meth:`update`: a number for every point, NaN while the window fills, and whether it raised an alarm.
    """

    _: KW_ONLY
    window: int = 50
    run_length: float = 1000.0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Takes rows without change, two windows of them or more; half are the reference."""
        points = self._training_points(_column(X))
        kernel = self._resolve_kernel(points, None)
        window = _whole("window", self.window, 2)
        self.state_ = _core.watch_fit(
            kernel._expr, points, window, float(self.run_length), self._seed(), self._options()
        )
        self.threshold_ = float(json.loads(self.state_)["threshold"])
        return self

    def update(self, X: Any) -> npt.NDArray[np.bool_]:
        """Takes the next points in, and says for each whether it raised an alarm. An alarm empties the window."""
        check_is_fitted(self)
        points = self._new_points(_column(X))
        self.state_, steps = _core.watch_update(self.state_, points, self._options())
        self.statistics_ = np.array([np.nan if s is None else s for s, _ in steps])
        self.alarms_ = np.array([alarm for _, alarm in steps], dtype=bool)
        return self.alarms_
