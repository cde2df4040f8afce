"""The main job: ``mercer.fit`` on a table, as ``mercer fit`` does it on a file."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._dataset import Dataset
from mercer._frames import table
from mercer._inputs import inputs
from mercer._kernel import Kernel, KernelLike
from mercer._records import Certificate
from mercer._run import RunOptions, options
from mercer._warn import warn
from mercer.errors import DataError, InvalidParameterError, ShapeError, UnsupportedError
from mercer.plot import Figure

#: What a job may be told, with the type of each.
CHOICES: dict[str, tuple[type, ...]] = {
    "model": (str,),
    "settings": (Mapping,),
    "alpha": (Real,),
    "tune": (bool, np.bool_),
    "tune_rows": (Integral,),
    "repair": (str,),
    "missing": (str,),
    "standardize": (bool, np.bool_),
    "cv": (Integral,),
    "hold_out": (Real,),
    "time_ordered": (bool, np.bool_),
    "estimate": (bool, np.bool_),
    "seed": (Integral,),
    "target_type": (str,),
}


class FitReport(dict[str, Any]):
    """What a fit has to say: the fields of ``mercer fit --json``; shows as text and, in notebooks, as a table."""

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {value}" if name else value for name, value in self._lines())

    def _repr_html_(self) -> str:
        row = "<tr><th style='text-align:left'>{}</th><td style='text-align:left'>{}</td></tr>"
        rows = [row.format(html.escape(name), html.escape(value)) for name, value in self._lines()]
        return f"<table>{''.join(rows)}</table>"

    def _lines(self) -> list[tuple[str, str]]:
        lines = [("", f"{self['task']} of {self['target']} from {self['rows']} rows")]
        estimate = self.get("estimate")
        if estimate is not None:
            named = {"model": "this model", "linear": "linear model", "constant": "constant"}
            for part, name in named.items():
                if estimate.get(part) is not None:
                    lines.append((f"error of {name}", _scores(estimate[part])))
        lines += [("kernel", self["kernel"]), ("learner", self["learner"])]
        if self.get("alpha") is not None:
            lines.append(("alpha", f"{self['alpha']:.4g}"))
        lines += [("note", note["sentence"]) for note in self["notes"]]
        return lines


def _scores(scores: Mapping[str, Any]) -> str:
    """The measures of one model, in words."""
    (measures,) = scores.values()
    numbers = {name: value for name, value in measures.items() if isinstance(value, Real)}
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in numbers.items())


class Score(dict[str, Any]):
    """How a model does on new rows; shows its measures, and its picture in notebooks."""

    def __init__(self, fields: dict[str, Any], figure: Figure) -> None:
        super().__init__(fields)
        #: Predictions against the truth, or which class was taken for which.
        self.figure = figure

    def __repr__(self) -> str:
        found = ", ".join(f"{measure['name']} {measure['value']:.4g}" for measure in self["measures"])
        return f"Score({self['rows']} rows: {found})"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.figure.svg()}"


class Fit:
    """A fitted model with its preparation: what ``mercer fit`` saves.

    Made by :func:`mercer.fit` and :func:`mercer.load_model`.
    """

    def __init__(self, trained: _core.Trained, rows: tuple[_core.Inputs, _core.Column, Any] | None = None) -> None:
        self._trained = trained
        #: Points, target and weights of the fit, which `verify` takes where none are given.
        self._rows = rows
        self._learner, self._kernel, self._columns, self._targets, self._classes = trained.about()

    def __repr__(self) -> str:
        return f"Fit({self._learner} of {', '.join(self._targets)}: {self._kernel})"

    def _repr_html_(self) -> str:
        if self._trained.report() is None:
            return f"<code>{html.escape(repr(self))}</code>"
        figure = self._trained.plot()
        picture = "" if figure is None else figure.svg()
        return self.report._repr_html_() + picture

    def __getstate__(self) -> dict[str, Any]:
        return {"bytes": self._trained.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(_core.trained_from_bytes(state["bytes"]))  # type: ignore[misc]

    @property
    def report(self) -> FitReport:
        """What the fit has to say; of a model that was read, what its file keeps."""
        found = self._trained.report()
        if found is None:
            hint = "`error` and `certificate` are in the file; fit again for the rest"
            raise UnsupportedError("the report of a model that was read is not supported", hint)
        return FitReport(found)

    @property
    def error(self) -> dict[str, Any] | None:
        """The error on rows that chose nothing, by field; None where it was not estimated."""
        found: dict[str, Any] | None = self._trained.settings().get("estimate")
        return found

    @property
    def kernel(self) -> Kernel:
        """The kernel, with numbers for its rules."""
        return Kernel(self._kernel)

    @property
    def model(self) -> str:
        """The learner, by name."""
        return self._learner

    @property
    def columns(self) -> list[str]:
        """The columns that predictions read."""
        return self._columns

    @property
    def classes(self) -> list[str] | None:
        """The classes, in order; None of numbers."""
        return self._classes

    @property
    def certificate(self) -> Certificate:
        """How far the answer is from the solution."""
        return Certificate.of(self._trained.certificate())

    def predict(self, X: Any, interval: float | None = None, **run: Unpack[RunOptions]) -> npt.NDArray[Any]:
        """The predicted numbers or classes of new rows; with a level, lower and upper bounds beside them: rows×3."""
        found = self.answers(X, interval, **run)
        target = self._targets[0]
        if interval is None:
            return np.asarray(found[target])
        return np.column_stack([np.asarray(values, dtype=np.float64) for values in found.values()][:3])

    def predict_proba(self, X: Any, **run: Unpack[RunOptions]) -> npt.NDArray[np.float64]:
        """The probability of every class: rows×classes."""
        shares = self._trained.predict(_new(X), options(**run))[2]
        if shares is None:
            raise UnsupportedError(f"probabilities of the model `{self._learner}` are not supported", "use `logistic`")
        return shares

    def answers(self, X: Any, interval: float | None = None, **run: Unpack[RunOptions]) -> dict[str, npt.NDArray[Any]]:
        """All that the model answers for new rows, by column, as ``mercer predict`` writes it."""
        columns, notes = self._trained.answers(_new(X), interval, options(**run))
        for note in notes:
            warn(note)
        return {name: np.asarray(column.values()) for name, column in columns}

    def explain(self, X: Any, top: int = 5, **run: Unpack[RunOptions]) -> dict[str, Any]:
        """The training points and the columns that made each prediction, as ``mercer explain --json`` says it."""
        found: dict[str, Any] = self._trained.explain(_new(X), top, options(**run))
        return found

    def verify(self, X: Any = None, y: Any = None, **run: Unpack[RunOptions]) -> dict[str, Any]:
        """The certificate computed again on the rows of the fit: ``holds``, ``verdict`` and the numbers.

        Without data, on the rows that it was fitted to.
        """
        if X is None and self._rows is None:
            raise DataError("verifying needs the rows of the fit, and a model that was read does not keep all", "give `X` and `y`")
        if X is None and self._rows is not None:
            points, column, weights = self._rows
        else:
            (points, column), weights = _parts(X, y, self._targets[0], "all"), None
        found: dict[str, Any] = self._trained.verify(points, (self._targets[0], column), weights, options(**run))
        return found

    def score(self, X: Any, y: Any = None, weights: Any = None, **run: Unpack[RunOptions]) -> Score:
        """Judges the model on rows whose target is known: the fields of ``mercer score --json``, and a picture."""
        points, column = _parts(X, y, self._targets[0], "all")
        numbers = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        fields, figure = self._trained.score(points, (self._targets[0], column), numbers, options(**run))
        return Score(fields, Figure(figure))

    def page(self, path: str | os.PathLike[str] | None = None, **run: Unpack[RunOptions]) -> str:
        """The whole report with its pictures as one HTML page, as ``mercer fit --report`` writes it; also into a file."""
        found = self._trained.page(options(**run))
        if found is None:
            raise UnsupportedError("the report of a model that was read is not supported", "fit it again")
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(found)
        return found

    def plot(self) -> Figure:
        """The sheet that ``mercer fit --plot`` draws."""
        figure = self._trained.plot()
        if figure is None:
            raise UnsupportedError("the picture of a fit that was read from a file is not supported", "fit it again")
        return Figure(figure)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, whole or not at all: ``mercer predict`` and :func:`mercer.load_model` read it."""
        self._trained.save(os.fspath(path))


def fit(
    data: Any,
    target: Any = None,
    *,
    kernel: KernelLike | None = None,
    weights: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    memory_limit: int | None = None,
    deadline: float | None = None,
    progress: Any = None,
    **choices: Any,
) -> Fit:
    """From a table with a target to a certified model: what ``mercer fit`` does.

    >>> import mercer
    >>> fit = mercer.fit(mercer.load("iris"), cv=3)
    >>> fit.model
    'lssvm'
    >>> fit.report["estimate"]["model"]["classification"]["accuracy"] > 0.9
    True
    >>> fit.predict(mercer.load("iris").take([0, 60]))
    array(['setosa', 'versicolor'], dtype='<U10')

    Parameters
    ----------
    data
        A data frame, a dict of columns, a :class:`mercer.Dataset`, or an array of points.
    target
        The name of the column to predict, or the values themselves. A data set has its own.
    kernel
        A formula or a kernel to start from; None tries those that fit the columns.
    weights, groups
        One number or word a row, or the name of a column: how often a row counts, and rows that folds keep together.
    choices
        The words of the command line: ``model``, ``settings`` (a dict), ``alpha``, ``tune``, ``tune_rows``, ``repair`` (``clip``, ``flip``, ``shift``), ``missing``
        (``error``, ``drop``, ``impute``, ``keep``), ``standardize``, ``cv``, ``hold_out``, ``time_ordered``, ``estimate``, ``seed``; ``target_type`` is ``number`` or
        ``category`` where few whole numbers are not what they are taken for.
    n_jobs, memory_limit, deadline, progress
        How it is run. A deadline leaves the best model by that time.
    """
    checked = _checked(choices)
    frame, weights = _taken(data, weights, "weights")
    frame, groups = _taken(frame, groups, "groups")
    points, column = _parts(frame, target, None, "helpful")
    name = _target_name(frame, target)
    numbers = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    codes = None if groups is None else np.unique(np.asarray(groups).astype(str), return_inverse=True)[1].tolist()
    expr = None if kernel is None else Kernel(kernel)._expr
    run = options(n_jobs, memory_limit, deadline, progress)
    told = {**checked, "data": getattr(data, "name", "data"), "grouped": codes is not None}
    trained = _core.train(points, (name, column), expr, numbers, codes, told, run)
    return Fit(trained, (points, column, numbers))


def load_model(path: str | os.PathLike[str], **run: Unpack[RunOptions]) -> Fit:
    """Opens a model file, of the command line or of :meth:`Fit.save`."""
    return Fit(_core.trained_load(os.fspath(path), options(**run)))


def _checked(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that were given, each of its type."""
    for name, value in choices.items():
        if name not in CHOICES:
            raise TypeError(f"mercer.fit() has no choice `{name}`; there are {', '.join(sorted(CHOICES))}")
        bad = value is not None and not isinstance(value, CHOICES[name])
        if bad or (isinstance(value, bool) and bool not in CHOICES[name]):
            raise InvalidParameterError(f"`{name}` of mercer.fit must be {CHOICES[name][0].__name__.lower()}, got {value!r}")
    return {name: _plain(value) for name, value in choices.items() if value is not None}


def _plain(value: Any) -> Any:
    """A value of Python's own."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    return dict(value) if isinstance(value, Mapping) else value


def _new(X: Any) -> _core.Inputs:
    """Rows to predict. A part of a date that a model reads is made of a single row, too."""
    return inputs(X, parts="all")


def _columns(data: Any, parts: str) -> dict[str, _core.Column]:
    """The columns of a table with these parts of dates, the target of a data set among them."""
    if isinstance(data, _Named):
        return dict(data.columns)
    if isinstance(data, Dataset):
        return dict(data._table())
    found = inputs(data, "data", parts)
    if found.kind != "table":
        raise ShapeError("`data`: expected a table with named columns", "give the target's values, or a data frame")
    return dict(found.table_columns())


def _taken(data: Any, given: Any, what: str) -> tuple[Any, Any]:
    """A column that was named, out of the data; or the values as they were given."""
    if not isinstance(given, str):
        return data, given
    columns = _columns(data, "helpful")
    if given not in columns:
        raise DataError(f"`{what}`: there is no column `{given}`", f"there are {', '.join(columns)}")
    values = columns.pop(given).values()
    return _Named(columns, getattr(data, "target_name", None)), values


class _Named:
    """Columns of which one may be a target."""

    def __init__(self, columns: dict[str, _core.Column], target: str | None) -> None:
        self.columns, self.target_name = columns, target


def _target_name(data: Any, target: Any) -> str:
    own = getattr(data, "target_name", None)
    if isinstance(target, str):
        return target
    named = getattr(target, "name", None)
    return str(named if target is not None and isinstance(named, str) else own if target is None and own else "y")


def _parts(data: Any, target: Any, usual: str | None, dates: str) -> tuple[_core.Inputs, _core.Column]:
    """Points, with these parts of dates, and target column."""
    name = target if isinstance(target, str) else (usual if target is None else None)
    own = getattr(data, "target_name", None)
    name = own if name is None and target is None else name
    if target is not None and not isinstance(target, str):
        points = _core.Inputs.table(list(data.columns.items())) if isinstance(data, _Named) else inputs(data, "data", dates)
        column = _column(target)
        if len(column) != len(points):
            raise ShapeError(f"`target`: expected {len(points)} values, one a row, got {len(column)}")
        return points, column
    if name is None:
        raise DataError("there is no target to predict", "name the column to predict: `target=\"…\"`")
    columns = _columns(data, dates)
    if name not in columns:
        raise DataError(f"`target`: there is no column `{name}`", f"there are {', '.join(columns)}")
    column = columns.pop(name)
    # The parts of its dates would tell it; columns of the caller with such names stay.
    parts = {f"{name}_{part}_{wave}" for part in ("hour", "weekday", "yearday") for wave in ("sin", "cos")} & columns.keys()
    for part in parts - (_columns(data, "none").keys() if parts else parts):
        columns.pop(part)
    if not columns:
        raise DataError("there is nothing to predict from", "give at least one column beside the target")
    return _core.Inputs.table(list(columns.items())), column


def _column(values: Any) -> _core.Column:
    """Values as a column, by the rule of tables."""
    if isinstance(values, _core.Column):
        return values
    array = values if hasattr(values, "dtype") else np.asarray(values)
    if getattr(array, "ndim", 1) != 1:
        raise ShapeError(f"`target`: expected one value a row, got shape {array.shape}")
    found = dict(table({"y": array}).table_columns())["y"]
    kind = getattr(array.dtype, "kind", "")
    # A column of strings is text by the readers' rule where all differ; a target is a class.
    return _core.Column.category([None if v is None else str(v) for v in array]) if kind in "UOSb" else found
