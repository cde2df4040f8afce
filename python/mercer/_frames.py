"""Data frames, Arrow tables and dicts of columns, made into the core's tables.

Numbers become numbers, booleans and categoricals categories, strings category or text by the same
rule as in files, sets and lists of words sets, lists of numbers or of points bags, dates and times seconds since 1970 where
they are asked for, nulls are missing, and what no kernel is defined on is refused by its column's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer.errors import DataError, ShapeError

if TYPE_CHECKING:
    import narwhals as nw

Words = list[str | None]
Named = tuple[str, _core.Column]
Ticks = npt.NDArray[np.int64]

#: What stands for a date that is missing.
MISSING = np.iinfo(np.int64).min


def frame(X: Any, name: str, parts: str | None = None) -> _core.Inputs | None:
    """The table of a data frame of any library that narwhals knows, with these parts of dates; None if it is none."""
    import narwhals as nw

    if type(X).__name__ == "RecordBatch" and type(X).__module__.startswith("pyarrow"):
        X = _batch_table(X)
    try:
        native = nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"`{name}`: two columns have the same name", "give each column a name of its own") from error
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if isinstance(native, nw.Series):
        words = _series_of_words(native)
        if words is None:
            raise ShapeError(f"`{name}`: expected a table, got a single column of {native.dtype}", "use `to_frame()`")
        return _core.Inputs.table([(str(native.name or "text"), words)])
    if not isinstance(native, nw.DataFrame):
        return None
    names = [str(name) for name in native.columns]
    columns = [own for c in native.iter_columns() for own in _columns(c, names, parts)]
    if not columns:
        raise ShapeError(f"`{name}`: expected a table with columns, got one without any", "give at least one column")
    return _core.Inputs.table(columns)


def is_words(X: Any) -> bool:
    """Whether it is a series of words: strings or categories, some of them perhaps missing."""
    if type(X).__name__ != "Series" or not hasattr(X, "dtype"):
        return False
    import narwhals as nw

    series = nw.from_native(X, pass_through=True, series_only=True)
    return isinstance(series, nw.Series) and _series_of_words(series) is not None


def _series_of_words(series: nw.Series[Any]) -> _core.Column | None:
    """Categories, or strings as text, as a list of them is; None for other things."""
    import narwhals as nw

    if isinstance(series.dtype, (nw.Categorical, nw.Enum)):
        return _column(series)
    values = series.to_list() if series.dtype in (nw.String, nw.Object) else []
    if not all(isinstance(value, str) or _is_null(value) for value in values) or not any(
        isinstance(value, str) for value in values
    ):
        return None
    return _core.Column.words(_words(values), "text")


def table(columns: Mapping[Any, Any], parts: str | None = None) -> _core.Inputs:
    """The table of a dict of columns, with these parts of dates."""
    names = [str(name) for name in columns]
    made = [_values(str(name), values, names, parts) for name, values in columns.items()]
    return _core.Inputs.table([own for columns in made for own in columns])


def _batch_table(batch: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches([batch])


def _columns(series: nw.Series[Any], names: list[str], parts: str | None) -> list[Named]:
    """The columns that one of a data frame with columns of these names becomes: several where it holds dates."""
    import narwhals as nw

    name = str(series.name)
    if isinstance(series.dtype, (nw.Date, nw.Datetime)):
        return dates((name, names), *_moments(series), parts)
    values = _are_dates(series.to_list()) if series.dtype == nw.Object else None
    return [(name, _column(series))] if values is None else dates((name, names), *values, parts)


def _column(series: nw.Series[Any]) -> _core.Column:
    """One column of a data frame, of anything but dates."""
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric():
        return _core.Column.number(_floats(series))
    if dtype == nw.Boolean:
        return _booleans(series.to_list())
    if isinstance(dtype, nw.Enum):
        # Ordered categoricals of pandas and enumerations of polars: their order means something.
        return _core.Column.category(_words(series.to_list()), [str(level) for level in dtype.categories])
    if isinstance(dtype, nw.Categorical):
        return _core.Column.category(_words(series.to_list()))
    if dtype == nw.String:
        return _core.Column.words(_words(series.to_list()))
    if dtype.is_temporal():
        raise _timeless(str(series.name), str(dtype))
    named = getattr(series.to_native(), "dtype", dtype) if dtype == nw.Unknown else dtype
    return _objects(str(series.name), series.to_list(), str(named))


def _floats(series: nw.Series[Any]) -> npt.NDArray[np.float64]:
    """The numbers, with NaN for nulls."""
    values = series.to_numpy()
    if values.dtype.kind == "O":
        values = np.array([np.nan if _is_null(v) else float(v) for v in values], dtype=np.float64)
    return np.ascontiguousarray(values, dtype=np.float64)


def _values(name: str, values: Any, names: list[str], parts: str | None) -> list[Named]:
    """The columns that one of a dict becomes: an array, a list or a series."""
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return _columns(series.alias(name), names, parts)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ShapeError(f"column `{name}`: expected an array or a list, got {type(values).__name__}")
    array = values if isinstance(values, np.ndarray) else None
    if array is not None and array.ndim != 1:
        raise ShapeError(f"column `{name}`: expected a 1-D array, got {array.ndim}-D", "give one column for each name")
    if array is not None and array.dtype.kind in "iuf":
        return [(name, _core.Column.number(np.ascontiguousarray(array, dtype=np.float64)))]
    if array is not None and array.dtype.kind == "M":
        days = np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "D")
        return dates((name, names), array.astype("datetime64[us]").view(np.int64), days, None, parts)
    if array is not None and array.dtype.kind == "m":
        raise _timeless(name, str(array.dtype))
    cells = array.tolist() if array is not None else list(values)
    found = _are_dates(cells)
    return [(name, _objects(name, cells, "object"))] if found is None else dates((name, names), *found, parts)


def _objects(name: str, values: list[Any], dtype: str) -> _core.Column:
    """A column of Python objects: words, booleans or numbers, with nulls."""
    present = [value for value in values if not _is_null(value)]
    if not present:
        return _core.Column.number(np.full(len(values), np.nan))
    if all(isinstance(value, str) for value in present):
        return _core.Column.words(_words(values))
    if all(isinstance(value, (bool, np.bool_)) for value in present):
        return _booleans(values)
    if all(is_collection(value) for value in present):
        return collections(name, values)
    try:
        numbers = [np.nan if _is_null(value) else _number(value) for value in values]
    except TypeError as error:
        raise DataError(
            f"column `{name}`: values of type {dtype} are not supported ({error})",
            "leave the column out, or give it as numbers or text",
        ) from None
    return _core.Column.number(np.array(numbers, dtype=np.float64))


def is_collection(value: object) -> bool:
    """Whether it is a set, list, tuple or array: one value of a column of sets or bags."""
    return isinstance(value, (set, frozenset, list, tuple, np.ndarray))


def collections(name: str, values: Iterable[Any]) -> _core.Column:
    """A column of sets of words, or of bags of points where all elements are numbers or lists of them."""
    lists = [None if _is_null(value) else _elements(value) for value in values]
    elements = [element for cell in lists if cell is not None for element in cell]
    ordered = not any(isinstance(value, (set, frozenset)) for value in values)
    points = ordered and bool(elements) and all(_is_point(element) for element in elements)
    words = all(isinstance(element, (str, int, float, bool)) for element in elements)
    if not points and not words:
        odd = next(e for e in elements if not isinstance(e, (str, int, float, bool)))
        raise DataError(
            f"column `{name}`: elements such as {odd!r} are not supported",
            "give sets or lists of words, or lists of numbers or of points",
        )
    cells = [None if cell is None else json.dumps(cell) for cell in lists]
    return _core.Column.words(cells, "bag" if points else "set")


def _elements(value: Any) -> list[Any]:
    """The elements of a collection as plain Python objects."""
    if isinstance(value, np.ndarray):
        return list(value.tolist())
    return [e.tolist() if isinstance(e, (np.ndarray, np.generic)) else e for e in value]


def _is_point(element: Any) -> bool:
    if isinstance(element, (list, tuple)):
        return bool(element) and all(_is_point(e) and not isinstance(e, (list, tuple)) for e in element)
    return isinstance(element, (int, float)) and not isinstance(element, bool)


def _number(value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"such as {value!r}")
    return float(value)


def _booleans(values: list[Any]) -> _core.Column:
    return _core.Column.category([None if _is_null(v) else str(bool(v)).lower() for v in values])


def _words(values: list[Any]) -> Words:
    return [None if _is_null(value) else str(value) for value in values]


def _is_null(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA; none of them equals itself or is a string."""
    if value is None:
        return True
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, (float, np.floating)) and value != value)


def dates(names: tuple[str, list[str]], at: Ticks, days: bool, zone: str | None, parts: str | None) -> list[Named]:
    """Seconds since 1970, and the parts of dates that are asked for, as the readers of files make them.

    Without a word for the parts they are refused: what does not bring its columns to one scale would see nothing but the seconds.
    """
    if parts is None:
        message = f"column `{names[0]}`: dates or times are read by `mercer.fit` alone, which brings columns to one scale"
        raise DataError(message, "use `mercer.fit`, give a number such as days since a fixed date, or leave the column out")
    return _core.Column.dates(names, np.ascontiguousarray(at), days, zone, parts)


def _moments(series: nw.Series[Any]) -> tuple[Ticks, bool, str | None]:
    """Microseconds since 1970 in UTC, whether they are days, and the zone."""
    import narwhals as nw

    stamps = _floats(series.cast(nw.Datetime("us")).dt.timestamp("us") if series.dtype == nw.Date else series.dt.timestamp("us"))
    missing = np.isnan(stamps)
    at = np.where(missing, 0.0, stamps).astype(np.int64)
    at[missing] = MISSING
    return at, series.dtype == nw.Date, getattr(series.dtype, "time_zone", None)


def _are_dates(values: list[Any]) -> tuple[Ticks, bool, str | None] | None:
    """The same of Python's own dates and times; None of other things."""
    present = [value for value in values if not _is_null(value)]
    if not present or not all(isinstance(value, date) for value in present):
        return None
    at = [MISSING if _is_null(value) else _microseconds(value) for value in values]
    return np.array(at, dtype=np.int64), not any(isinstance(value, datetime) for value in present), None


def _microseconds(value: date) -> int:
    """Since 1970 in UTC; a time without a zone is one of UTC."""
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    moment = moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


def _timeless(name: str, dtype: str) -> DataError:
    return DataError(
        f"column `{name}`: values of type {dtype} are times of no day, which no kernel is defined on",
        "give a number instead, such as seconds, or leave the column out",
    )
