"""Everything that is accepted as points, and what is refused."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import mercer
from mercer import Kernel, errors

NUMBERS = Kernel("rbf(length_scale=2) + linear")
MIXED = Kernel("rbf(age, length_scale=10)*delta(city) + ngram(note, n=2) + delta(member)")

RECORDS = {
    "age": [31, 47, 25, 60, 52],
    "city": ["Rome", "Oslo", "Rome", "Oslo", "Rome"],
    "note": ["a long walk", "a short talk", "no walk at all", "talk of walks", "nothing"],
    "member": [True, False, True, True, False],
}


def test_arrays_of_any_layout_and_type(X: np.ndarray) -> None:
    expected = NUMBERS.gram(X)
    frozen = X.copy()
    frozen.setflags(write=False)
    wide = np.zeros((60, 6))
    wide[:, ::2] = X
    for same in [np.asfortranarray(X), frozen, wide[:, ::2], X.tolist(), X.astype(object), np.ma.array(X)]:
        np.testing.assert_array_equal(NUMBERS.gram(same), expected)
    whole = np.arange(12).reshape(6, 2)
    np.testing.assert_array_equal(NUMBERS.gram(whole), NUMBERS.gram(whole.astype(float)))
    single = X.astype(np.float32)
    np.testing.assert_array_equal(NUMBERS.gram(single), NUMBERS.gram(single.astype(float)))


def test_tables_of_numbers_give_the_numbers_of_arrays(X: np.ndarray) -> None:
    expected = NUMBERS.gram(X)
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    arrow = pa.table(columns)
    tables = [
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype("Float64"),
        pl.DataFrame(columns),
        pl.DataFrame(columns).lazy(),
        arrow,
        arrow.to_batches()[0],
        columns,
        {name: values.tolist() for name, values in columns.items()},
        {name: pd.Series(values) for name, values in columns.items()},
    ]
    for table in tables:
        np.testing.assert_array_equal(NUMBERS.gram(table), expected)
        np.testing.assert_array_equal(NUMBERS.gram(table, arrow), NUMBERS.gram(X, X))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
def test_sparse_matrices(index: type, form: str, container: type) -> None:
    dense = np.random.default_rng(4).poisson(0.4, size=(20, 8)).astype(float)
    sparse = container(dense).asformat(form)
    for part in ("indices", "indptr", "row", "col"):
        if hasattr(sparse, part) and not isinstance(getattr(type(sparse), part, None), property):
            setattr(sparse, part, getattr(sparse, part).astype(index))
    np.testing.assert_allclose(NUMBERS.gram(sparse), NUMBERS.gram(dense), rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(NUMBERS.gram(sparse), NUMBERS.gram(container(dense)))


def test_duplicates_are_summed_and_the_caller_keeps_his_matrix() -> None:
    rows = sp.csr_array((np.ones(3), np.array([2, 0, 2]), np.array([0, 3, 3])), shape=(2, 3))
    before = rows.indices.copy()
    np.testing.assert_array_equal(NUMBERS.gram(rows), NUMBERS.gram(sp.csr_array([[1.0, 0, 2], [0, 0, 0]])))
    np.testing.assert_array_equal(rows.indices, before)


def test_mixed_tables_agree_whatever_holds_them() -> None:
    frame = pd.DataFrame(RECORDS)
    expected = MIXED.gram(RECORDS)
    tables = [
        frame,
        frame.assign(city=frame.city.astype("category")),
        frame.assign(note=frame.note.astype(object)),
        pl.DataFrame(RECORDS),
        pl.DataFrame(RECORDS, schema_overrides={"city": pl.Categorical}),
        pl.DataFrame(RECORDS, schema_overrides={"city": pl.Enum(["Oslo", "Rome"])}),
        pa.table(RECORDS),
        pa.table({**RECORDS, "city": pa.array(RECORDS["city"]).dictionary_encode()}),
    ]
    for table in tables:
        np.testing.assert_array_equal(MIXED.gram(table), expected)
    assert expected[0, 2] > expected[0, 1]


def test_strings_are_text() -> None:
    texts = ["banana", "ananas", "bandana"]
    expected = Kernel("ngram(n=2)").gram(texts)
    np.testing.assert_array_equal(Kernel("ngram(text, n=2)").gram(np.array(texts)), expected)
    np.testing.assert_array_equal(Kernel("ngram(n=2)").gram({"text": texts}), expected)


def test_other_numbers_become_numbers() -> None:
    amounts = [decimal.Decimal("1.5"), None, decimal.Decimal("2")]
    for table in [pa.table({"a": pa.array(amounts)}), {"a": amounts}, pd.DataFrame({"a": amounts})]:
        with pytest.raises(errors.NonFiniteError, match="column `a` is missing, first at row 1"):
            Kernel("linear").gram(table)


@pytest.mark.parametrize("missing", ["pandas", "nullable", "polars", "arrow"])
def test_nulls_are_missing(missing: str) -> None:
    values = {"age": [1, None, 3], "city": ["Rome", "Rome", None]}
    table = {
        "pandas": lambda: pd.DataFrame(values),
        "nullable": lambda: pd.DataFrame(values).convert_dtypes(),
        "polars": lambda: pl.DataFrame(values),
        "arrow": lambda: pa.table(values),
    }[missing]()
    with pytest.raises(errors.NonFiniteError, match="column `age` is missing, first at row 1") as caught:
        Kernel("linear(age)").gram(table)
    assert caught.value.hint is not None
    with pytest.raises(ValueError, match="`city`.*first at row 2"):
        Kernel("delta(city)").gram(table)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_dates_are_refused_by_name(library: type) -> None:
    days = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)]
    values = {"age": [1, 2], "born": np.array(days, dtype="datetime64[ns]") if library is dict else days}
    with pytest.raises(errors.DataError, match="column `born`.*dates or times"):
        Kernel("linear(age)").gram(library(values))


def test_lists_in_cells_are_bags_and_sets() -> None:
    people = pl.DataFrame({"age": [1, 2], "marks": [[1], [2, 3]], "tags": [["a"], ["a", "b"]]})
    np.testing.assert_array_equal(Kernel("linear(age)").gram(people), [[1, 2], [2, 4]])
    np.testing.assert_array_equal(Kernel("jaccard(tags)").gram(people), [[1, 0.5], [0.5, 1]])
    near = (np.exp(-0.5) + np.exp(-2.0)) / 2
    assert np.isclose(Kernel("mean_embedding(marks)").gram(people)[0, 1], near)


def test_what_is_no_table_is_refused() -> None:
    linear = Kernel("linear")
    with pytest.raises(errors.ShapeError, match="2-D.*1-D(?s:.*)reshape"):
        linear.gram(np.arange(3.0))
    with pytest.raises(errors.ShapeError, match="3-D"):
        linear.gram(np.zeros((2, 2, 2)))
    with pytest.raises(errors.DataError, match=r"'b' at \[1, 0\]"):
        linear.gram(np.array([[1.0], ["b"]], dtype=object))
    with pytest.raises(errors.DataError, match="complex"):
        linear.gram(np.array([[1j]]))
    with pytest.raises(errors.DataError, match="expected numbers, got an array of <U"):
        linear.gram(np.array([["a", "b"]]))
    with pytest.raises(errors.ShapeError, match="single column"):
        linear.gram(pd.Series([1.0]))
    with pytest.raises(errors.ShapeError, match="different lengths"):
        linear.gram([[1.0], [1.0, 2.0]])
    with pytest.raises(errors.ShapeError, match="column `b`"):
        linear.gram({"a": [1, 2], "b": [1]})
    with pytest.raises(errors.DataError, match="same name"):
        linear.gram(pd.DataFrame(np.ones((2, 2)), columns=["a", "a"]))
    with pytest.raises(ValueError, match="missing"):
        Kernel("ngram").gram(["a", None])
    with pytest.raises(TypeError, match="got int"):
        linear.gram(3)
    with pytest.raises(TypeError, match="got str"):
        linear.gram("penguins")


def test_empty_points_do_no_harm() -> None:
    assert Kernel("linear").gram(np.empty((0, 3))).shape == (0, 0)
    assert Kernel("linear").gram(np.empty((0, 3)), np.ones((2, 3))).shape == (0, 2)
    for nothing in [[], {}, pd.DataFrame(), np.empty((3, 0))]:
        with pytest.raises((ValueError, TypeError)):
            Kernel("linear").gram(nothing)


def test_data_sets_by_name() -> None:
    iris = mercer.load("iris")
    assert len(iris) == 150 and iris.target_name == "species" and set(iris.target) >= {"setosa"}
    assert "Fisher" in iris.source and iris.licence == "CC BY 4.0"
    kernel = Kernel("rbf(length_scale=1)")
    expected = kernel.gram(iris)
    np.testing.assert_array_equal(kernel.gram(iris.data), expected)
    for table in [iris.to_pandas(), iris.to_polars(), iris.to_arrow()]:
        np.testing.assert_array_equal(kernel.gram(table), expected)
    np.testing.assert_array_equal(kernel.gram(iris.take([3, -1])), expected[np.ix_([3, -1], [3, -1])])
    other = iris.with_target("petal_length_cm")
    assert other.target.dtype == float and "species" in other.columns and "petal_length_cm" not in other.columns
    assert len(mercer.datasets()) == 11
    for about in mercer.datasets():
        assert len(mercer.load(about.name)) == about.rows
    sparse = mercer.load("heart_scale")
    np.testing.assert_array_equal(kernel.gram(sparse), kernel.gram(sparse.data))
    with pytest.raises(errors.InvalidParameterError, match="the nearest is `penguins`"):
        mercer.load("pengiuns")


def test_files(tmp_path: object) -> None:
    path = tmp_path / "people.csv"
    pd.DataFrame(RECORDS).to_csv(path, index=False)
    people = mercer.read(path, target="age", types={"note": "text"})
    assert people.columns == {"city": "category", "note": "text", "member": "category"}
    np.testing.assert_array_equal(people.target, RECORDS["age"])
    with pytest.raises(errors.InvalidParameterError, match="`text`, `set` or `bag`"):
        mercer.read(path, types={"note": "words"})
    with pytest.raises(errors.DataError, match="no such file"):
        mercer.read(tmp_path / "absent.csv")


def test_odd_files(tmp_path: object) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("id;rate;x\na;5%;1,5\nb;12%;2,5\nc;7%;3,0\n")
    odd = mercer.read(path, exclude=["id"])
    np.testing.assert_array_equal(odd.data["rate"], [0.05, 0.12, 0.07])
    np.testing.assert_array_equal(odd.data["x"], [1.5, 2.5, 3.0])
    assert [note.kind for note in odd.notes] == ["numbers_spelt", "numbers_spelt"]
    path.write_text("n;v\n1;1,234\n2;5,678\n")
    with pytest.raises(errors.DataError, match="may be 1234 or 1.234"):
        mercer.read(path)
    np.testing.assert_array_equal(mercer.read(path, decimal=",").data["v"], [1.234, 5.678])
    with pytest.raises(errors.InvalidParameterError, match="`decimal`"):
        mercer.read(path, decimal=":")
    path.write_text("x\n1\n2\noops\n4\n5\n")
    with pytest.raises(errors.DataError, match=r"`oops` \(line 4\)"):
        mercer.read(path)
    frame = pd.DataFrame({"v": [1.5, 2.5]}, index=["a", "b"])
    frame.to_csv(path)
    assert list(mercer.read(path).data) == ["v"]
