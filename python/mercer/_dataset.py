"""Data sets: those that come with Mercer, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from mercer import _core
from mercer._records import Note
from mercer._run import RunOptions, options
from mercer._warn import warn
from mercer.errors import UnsupportedError


@dataclass(frozen=True)
class ShippedDataset:
    """What is known of a data set that comes with Mercer."""

    name: str
    rows: int
    #: Number of columns, the target included.
    columns: int
    #: What it is commonly used for: ``classification``, ``regression`` or ``series``.
    task: str
    #: The column that is commonly predicted.
    target: str
    description: str
    source: str
    licence: str


class Dataset:
    """Points with names and types, and a target where there is one. Can be passed as ``X``.

    >>> import mercer
    >>> iris = mercer.load("iris")
    >>> iris
    Dataset("iris": 150 rows, 4 columns, target "species")
    >>> mercer.Kernel("linear").gram(iris).shape
    (150, 150)
    """

    def __init__(self, inner: _core.Dataset) -> None:
        self._inner = inner

    def _mercer_inputs(self) -> _core.Inputs:
        return self._inner.inputs

    def __len__(self) -> int:
        return len(self._inner)

    def __repr__(self) -> str:
        target = "" if self.target_name is None else f', target "{self.target_name}"'
        return f'Dataset("{self.name}": {len(self)} rows, {self._inner.inputs.width} columns{target})'

    @property
    def name(self) -> str:
        """A short name: the file's without its extension, or the shipped set's."""
        return self._inner.name

    @property
    def columns(self) -> Mapping[str, str]:
        """Types of the columns by name (``number``, ``category``, ``text``, ``set`` or ``bag``), without the target."""
        return dict(self._inner.inputs.columns())

    @property
    def data(self) -> Any:
        """The points: a dict of columns, a 2-D array, or a SciPy sparse array."""
        inputs = self._inner.inputs
        array = inputs.array()
        if array is not None:
            return array
        if inputs.kind == "sparse":
            return _sparse(inputs)
        return {name: _values(column) for name, column in inputs.table_columns()}

    @property
    def target_name(self) -> str | None:
        """The name of what is to be predicted."""
        return self._inner.target_name

    @property
    def target(self) -> npt.NDArray[Any] | None:
        """What is to be predicted: numbers, or an array of strings (None where missing)."""
        column = self._inner.target
        return None if column is None else _values(column)

    @property
    def about(self) -> ShippedDataset | None:
        """Source, licence and description, where it comes with Mercer."""
        record = self._inner.about()
        return None if record is None else ShippedDataset(**record)

    @property
    def source(self) -> str:
        """Who made it and who carries it, or the file it was read from."""
        return str(self._inner.path) if self.about is None else self.about.source

    @property
    def licence(self) -> str | None:
        """The terms it may be passed on under, where it comes with Mercer."""
        return None if self.about is None else self.about.licence

    @property
    def notes(self) -> tuple[Note, ...]:
        """What its reader found worth knowing: numbers in words, comments, names of rows."""
        return tuple(Note.of(record) for record in self._inner.notes)

    def with_target(self, name: str) -> Dataset:
        """The same data with another column as target; the earlier one becomes a column again."""
        return Dataset(self._inner.with_target(name))

    def drop_missing(self) -> Dataset:
        """The rows without missing values, in the columns or in the target.

        >>> import mercer
        >>> len(mercer.load("penguins")), len(mercer.load("penguins").drop_missing())
        (344, 333)
        """
        return Dataset(self._inner.drop_missing())

    def take(self, indices: Sequence[int] | npt.NDArray[Any]) -> Dataset:
        """The rows of these indices, in that order; negative ones count from the end."""
        rows = np.arange(len(self))[np.asarray(indices, dtype=np.int64)]
        return Dataset(self._inner.take(rows.tolist()))

    def to_pandas(self) -> Any:
        """A pandas data frame of all columns, the target last."""
        import pandas

        table = self._table()
        frame = {name: _pandas(column, pandas) for name, column in table}
        return pandas.DataFrame(frame)

    def to_polars(self) -> Any:
        """A polars data frame of all columns, the target last."""
        import polars

        return polars.from_arrow(self.to_arrow())

    def to_arrow(self) -> Any:
        """A pyarrow table of all columns, the target last."""
        import pyarrow

        return pyarrow.table({name: _arrow(column, pyarrow) for name, column in self._table()})

    def _table(self) -> list[tuple[str, _core.Column]]:
        """All columns, the target last."""
        inputs = self._inner.inputs
        columns = inputs.table_columns()
        array = inputs.array()
        if array is not None:
            columns = [
                (name, _core.Column.number(np.ascontiguousarray(array[:, j])))
                for j, (name, _) in enumerate(inputs.columns())
            ]
        if inputs.kind == "sparse":
            raise UnsupportedError("a data frame of sparse rows is not supported", "use `data`, a SciPy sparse array")
        target, name = self._inner.target, self._inner.target_name
        return columns if target is None or name is None else [*columns, (name, target)]


def datasets() -> tuple[ShippedDataset, ...]:
    """The data sets that come with Mercer.

    >>> import mercer
    >>> [d.name for d in mercer.datasets()][:4]
    ['abalone', 'breast_cancer', 'diabetes', 'digits']
    """
    return tuple(ShippedDataset(**record) for record in _core.shipped())


def load(name: str) -> Dataset:
    """Reads a data set that comes with Mercer.

    >>> import mercer
    >>> mercer.load("penguins").columns["island"]
    'category'
    """
    return Dataset(_core.load(name))


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    types: Mapping[str, str] | None = None,
    missing: Sequence[str] | None = None,
    decimal: str | None = None,
    date_parts: str | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    target: str | None = None,
    width: int | None = None,
    **run: Unpack[RunOptions],
) -> Dataset:
    """Reads a CSV, LIBSVM, NumPy, Parquet, Arrow or FASTA file, or the shipped data set of that name.

    Everything that is not said is found out from the file.

    Parameters
    ----------
    format
        ``csv``, ``libsvm``, ``npy``, ``npz``, ``parquet``, ``arrow`` or ``fasta`` (FASTQ, too).
    delimiter, header
        The character between the cells of a CSV file, and whether its first line names the columns.
    types
        Types of columns by name: ``number``, ``category``, ``text``, ``set`` or ``bag``.
    missing
        Cells that mean "missing".
    decimal
        What begins decimals in a CSV file, ``.`` or ``,``.
    date_parts
        Which of hour, weekday and day of the year of dates become columns: ``helpful``, those that come round at least twice in
        the file, ``all``, for rows that a model is to predict, or ``none``.
    columns, exclude, target
        The columns to keep, in this order, those to leave out, and the one to predict.
    width
        The least number of columns of sparse rows.
    n_jobs, memory_limit, deadline, progress
        How it is run: a file that needs more memory or time is refused.
    """
    data = Dataset(
        _core.open(
            os.fspath(path),
            options(**run),
            format=format,
            delimiter=delimiter,
            header=header,
            types=None if types is None else dict(types),
            missing=None if missing is None else list(missing),
            decimal=decimal,
            date_parts=date_parts,
            columns=None if columns is None else list(columns),
            exclude=None if exclude is None else list(exclude),
            target=target,
            width=width,
        )
    )
    for note in data.notes:
        if note.kind == "spoiled_numbers":
            warn(note)
    return data


def read_fasta(path: str | os.PathLike[str], **run: Unpack[RunOptions]) -> Dataset:
    """Reads sequences from a FASTA or FASTQ file, packed with gzip or not.

    The columns are ``id``, ``description`` where some record has one, ``sequence`` and, of FASTQ, ``quality``.

    >>> import mercer, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.fa"
    >>> _ = path.write_text(">a\\nACGT\\nAC\\n>b\\nGGG\\n")
    >>> list(mercer.read_fasta(path).data["sequence"])
    ['ACGTAC', 'GGG']
    """
    return read(path, format="fasta", **run)


def _values(column: _core.Column) -> npt.NDArray[Any]:
    values = column.values()
    if column.kind in ("set", "bag"):
        return _lists(values)
    return values if isinstance(values, np.ndarray) else np.array(values, dtype=object)


def _lists(cells: Iterable[str | None]) -> npt.NDArray[Any]:
    """Sets and bags as an array of lists, one a row."""
    lists = [None if cell is None else json.loads(cell) for cell in cells]
    array = np.empty(len(lists), dtype=object)
    array[:] = lists
    return array


def _sparse(inputs: _core.Inputs) -> Any:
    from scipy.sparse import csr_array

    parts = inputs.csr()
    assert parts is not None, "sparse inputs have compressed rows"
    starts, columns, values, width = parts
    return csr_array((values, columns, starts), shape=(len(inputs), width))


def _pandas(column: _core.Column, pandas: Any) -> Any:
    if column.kind == "category":
        return pandas.Categorical(column.values(), categories=column.levels())
    return pandas.Series(column.values(), dtype="float64" if column.kind == "number" else "str")


def _arrow(column: _core.Column, pyarrow: Any) -> Any:
    values = column.values()
    if isinstance(values, np.ndarray):
        return pyarrow.array(values, from_pandas=True)
    strings = pyarrow.array(values, type=pyarrow.string())
    return strings.dictionary_encode() if column.kind == "category" else strings
