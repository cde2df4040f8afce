"""Pictures of results, drawn by the core: figures that show in notebooks, save as SVG and PNG, and hand out arrays.

>>> import mercer
>>> figure = mercer.plot.distance("rbf(length_scale=0.2)", [[2.0], [3.0]], window=(0, 5))
>>> figure
Figure(1 panel: 'rbf(length_scale=0.2)')
>>> curve = figure.data[0]["series"][0]
>>> curve["kind"], curve["x"].shape
('line', (401,))

``figure.save("distance.svg")`` writes a file, whole or not at all; ``figure.dark()`` is the same on dark paper. Those who
draw with Matplotlib take the numbers from ``figure.data``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._inputs import inputs, matrix
from mercer._kernel import Kernel
from mercer._run import RunOptions, options
from mercer._warn import warn
from mercer.errors import ShapeError, UnsupportedError
from mercer.rkhs import Barycentre, Discrimination

__all__ = [
    "Figure",
    "calibration",
    "convergence",
    "curve",
    "decision",
    "discrimination",
    "distance",
    "gallery",
    "gram",
    "heat",
    "join",
    "path",
    "projection",
    "residuals",
    "roc",
    "spectrum",
]

#: Low and high of a line, or of both sides of a rectangle.
Window = Sequence[float] | Sequence[Sequence[float]]


class Figure:
    """A sheet of panels."""

    def __init__(self, figure: _core.Figure) -> None:
        self._figure = figure

    def _repr_svg_(self) -> str:
        return self._figure.svg()

    def __repr__(self) -> str:
        titles = [panel["title"] for panel in self.data]
        many = "panel" if len(titles) == 1 else "panels"
        return f"Figure({len(titles)} {many}: {', '.join(repr(title) for title in titles)})"

    def svg(self) -> str:
        """The picture as SVG."""
        return self._figure.svg()

    def png(self) -> bytes:
        """The picture as a PNG, two pixels a unit."""
        return self._figure.png()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes ``path``, whole or not at all, as its extension says: ``.svg`` or ``.png``."""
        for note in self._figure.save(os.fspath(path)):
            warn(note)

    def dark(self) -> Figure:
        """The same on dark paper."""
        return Figure(self._figure.themed(True))

    def light(self) -> Figure:
        """The same on light paper."""
        return Figure(self._figure.themed(False))

    def titled(self, title: str) -> Figure:
        """The same with a title above all panels."""
        return Figure(self._figure.changed(title, None))

    def sized(self, width: float, height: float) -> Figure:
        """The same on paper of another size, in pixels of an SVG."""
        return Figure(self._figure.changed(None, (float(width), float(height))))

    @property
    def data(self) -> list[dict[str, Any]]:
        """What is drawn: for each panel ``title``, ``subtitle``, the axes ``x`` and ``y``, and ``series``, each with its
        ``kind``, its ``name`` and its arrays."""
        return self._figure.data()


def join(figures: Sequence[Figure], columns: int = 2) -> Figure:
    """The panels of several figures on one sheet."""
    return Figure(_core.Figure.joined([figure._figure for figure in figures], columns))


def _sides(window: Window | None) -> list[tuple[float, float]]:
    if window is None:
        return []
    values = np.asarray(window, dtype=np.float64)
    if values.shape == (2,):
        values = values[None, :]
    if values.ndim != 2 or values.shape[1] != 2:
        raise ShapeError("`window`: expected (low, high), or ((low, high), (low, high))")
    return [(float(low), float(high)) for low, high in values]


def _machine(estimator: Any) -> _core.Machine:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    model = getattr(estimator, "_model", None)
    if not isinstance(model, _core.Machine):
        raise UnsupportedError(f"a picture of {type(estimator).__name__} is not supported", "give an estimator of mercer")
    return model


def _vector(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 and not (array.ndim == 2 and array.shape[1] == 1):
        raise ShapeError(f"`{name}`: expected one number a row, got shape {array.shape}")
    return np.ascontiguousarray(array.reshape(-1))


def _same(a: npt.NDArray[Any], b: npt.NDArray[Any], names: str) -> None:
    if len(a) != len(b):
        raise ShapeError(f"{names}: expected as many rows, got {len(a)} and {len(b)}")


def _plane(X: Any, columns: int) -> npt.NDArray[np.float64]:
    values = matrix(np.asarray(X, dtype=np.float64), "`X`")
    if values.shape[1] != columns:
        raise ShapeError(f"`X`: expected {columns} columns of numbers, got {values.shape[1]}")
    return values


def _labels(labels: Any, count: int) -> list[str]:
    if labels is None:
        return []
    words = [str(label) for label in np.asarray(labels).reshape(-1).tolist()]
    if len(words) != count:
        raise ShapeError(f"`labels`: expected {count}, one a point, got {len(words)}")
    return words


def _groups(groups: Any) -> list[int] | None:
    if groups is None:
        return None
    codes: npt.NDArray[np.intp] = np.unique(np.asarray(groups).reshape(-1), return_inverse=True)[1]
    return [int(code) for code in codes.reshape(-1)]


def distance(kernel: str | Kernel, S: Any, window: Window | None = None, **run: Unpack[RunOptions]) -> Figure:
    """d(x, S) = ‖k(x, ·) − μ‖ along a line or in the plane, with the points of S."""
    set_ = Barycentre(kernel, S, **run)
    return Figure(_core.draw_distance(set_._barycentre, _sides(window), options(**run)))


def discrimination(
    kernel: str | Kernel, S: Any, T: Any, window: Window | None = None, **run: Unpack[RunOptions]
) -> Figure:
    """d(x, S)² − d(x, T)² in the plane, below 0 where S is nearer."""
    sets = Discrimination(kernel, S, T, **run)
    return Figure(_core.draw_discrimination(sets._rule, _sides(window), options(**run)))


def gram(kernel: str | Kernel, X: Any, groups: Any = None, **run: Unpack[RunOptions]) -> Figure:
    """The Gram matrix as a heat map, computed in bands; rows of the same group stand side by side."""
    return Figure(_core.draw_gram(Kernel(kernel)._expr, inputs(X), _groups(groups), options(**run)))


def heat(values: npt.ArrayLike, groups: Any = None, title: str = "") -> Figure:
    """A matrix of numbers as a heat map."""
    return Figure(_core.draw_matrix(matrix(np.asarray(values), "the matrix"), _groups(groups), title))


def spectrum(kernel: str | Kernel, X: Any, **run: Unpack[RunOptions]) -> Figure:
    """The eigenvalues of K/n with their decay, and the effective dimension by λ."""
    return Figure(_core.draw_spectrum(Kernel(kernel)._expr, inputs(X), options(**run)))


def curve(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    window: Sequence[float] | None = None,
    level: float | None = None,
    draws: int = 0,
    seed: int = 0,
    **run: Unpack[RunOptions],
) -> Figure:
    """A fitted function of one number with what was observed; ``level`` adds bands, and ``draws`` functions drawn from
    the posterior of a Gaussian process.

    >>> import numpy as np
    >>> from mercer import KernelRidge, plot
    >>> X = np.linspace(0, 6, 20)[:, None]
    >>> figure = plot.curve(KernelRidge("rbf", alpha=0.1).fit(X, np.sin(X[:, 0])), X, np.sin(X[:, 0]))
    >>> [series["kind"] for series in figure.data[0]["series"]]
    ['points', 'line']
    """
    observed = np.empty((0, 2))
    if X is not None and y is not None:
        points, values = _plane(X, 1), _vector(y, "y")
        _same(points, values, "`X` and `y`")
        observed = np.column_stack([points[:, 0], values])
    sides = _sides(window)
    machine = _machine(estimator)
    drawn = _core.draw_curve(machine, observed, sides[0] if sides else None, level, draws, seed, options(**run))
    return Figure(drawn)


def decision(
    estimator: Any, X: Any, y: Any = None, *, window: Window | None = None, **run: Unpack[RunOptions]
) -> Figure:
    """The function of a model of two classes in the plane, its border and margins, the points by their classes, and the
    support vectors of a machine, sized by their coefficients."""
    points = _plane(X, 2)
    sides = _sides(window) or None
    return Figure(_core.draw_decision(_machine(estimator), points, _labels(y, len(points)), sides, options(**run)))


def projection(
    points: npt.ArrayLike,
    labels: Any = None,
    *,
    names: tuple[str, str] = ("component 1", "component 2"),
    title: str = "",
) -> Figure:
    """Points of the plane, such as two components, with a colour and a form for each label."""
    values = _plane(points, 2)
    return Figure(_core.draw_projection(values, _labels(labels, len(values)), names, title))


def roc(y: Any, score: npt.ArrayLike, *, positive: Any = None, sample_weight: Any = None) -> Figure:
    """The ROC curve of scores, larger for the positive class: ``positive``, or the last of two."""
    truth, name = _truth(y, positive)
    scores = _vector(score, "score")
    _same(np.asarray(truth), scores, "`y` and `score`")
    return Figure(_core.draw_roc(truth, scores, _weights(sample_weight), name))


def calibration(
    y: Any, probability: npt.ArrayLike, *, positive: Any = None, bins: int = 10, sample_weight: Any = None
) -> Figure:
    """The share of rows that came true by the probability they were given, in groups of equal width."""
    truth, _ = _truth(y, positive)
    given = _vector(probability, "probability")
    _same(np.asarray(truth), given, "`y` and `probability`")
    return Figure(_core.draw_calibration(truth, given, bins, _weights(sample_weight)))


def residuals(y: npt.ArrayLike, predicted: npt.ArrayLike) -> Figure:
    """y − predicted by predicted."""
    truth, values = _vector(y, "y"), _vector(predicted, "predicted")
    _same(truth, values, "`y` and `predicted`")
    return Figure(_core.draw_residuals(truth, values))


def convergence(estimator: Any) -> Figure:
    """What was watched after each iteration of a fit: the gap where there is a bound, else the residual or loss."""
    drawn = _core.draw_convergence(_machine(estimator))
    if drawn is None:
        raise UnsupportedError(
            f"{type(estimator).__name__} has no iterations to draw", "draw a fit by gradient descent, or of a loss"
        )
    return Figure(drawn)


def path(estimator: Any) -> Figure:
    """The score of every alpha of the list that it was chosen from."""
    drawn = _core.draw_path(_machine(estimator))
    if drawn is None:
        raise UnsupportedError("alpha was not chosen from a list", "fit with `alpha=\"loo\"` or `alpha=\"gcv\"`")
    return Figure(drawn)


def gallery(**run: Unpack[RunOptions]) -> Mapping[str, Figure]:
    """Every kind of picture from shipped data, by name: what ``mercer gallery`` draws."""
    return {name: Figure(figure) for name, _, _, figure in _core.draw_gallery(options(**run))}


def _truth(y: Any, positive: Any) -> tuple[list[bool], str]:
    labels = np.asarray(y).reshape(-1)
    classes = np.unique(labels)
    if positive is None:
        if len(classes) > 2:
            raise UnsupportedError(f"there are {len(classes)} classes", "say which one is `positive`")
        positive = classes[-1] if len(classes) else True
    elif positive not in classes:
        raise UnsupportedError(f"no row is of the class {positive!r}", "give one of the classes of `y` as `positive`")
    return [bool(is_) for is_ in labels == positive], str(positive)


def _weights(sample_weight: Any) -> npt.NDArray[np.float64] | None:
    return None if sample_weight is None else _vector(sample_weight, "sample_weight")
