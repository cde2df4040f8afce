"""What a column is: the kernel decides, the same in every part of the data, and no column vanishes silently."""

from __future__ import annotations

import copy
import datetime
import decimal
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import GaussianProcessRegressor, Kernel, KernelLogisticRegression, KernelRidge, KernelSGDRegressor, errors

N = 30
A = np.random.default_rng(0).normal(size=N)
Y_ = A + 0.1 * np.random.default_rng(1).normal(size=N)
WORDS = [("u", "v", "w")[i % 3] for i in range(N)]
TRUTHS = [i % 2 == 0 for i in range(N)]
#: What an estimator takes where no kernel is given, by what the columns hold.
NUMBERS, MIXED, TEXT = "rbf(", "(rbf(", "0.5*normalize(ngram("
USUAL_TEXT = "0.5*normalize(ngram(n=2)) + normalize(ngram(n=3)) + 0.5*normalize(ngram(n=5))"


def head(X: Any, rows: int = 3) -> Any:
    return {name: values[:rows] for name, values in X.items()} if isinstance(X, dict) else X[:rows]


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({**columns, "a": A})


GOOD: dict[str, tuple[Callable[[], Any], str]] = {
    "nullable integers": (lambda: frame(i=pd.array(range(N), dtype="Int64")), NUMBERS),
    "small integers": (lambda: frame(i=np.arange(N, dtype=np.uint8)), NUMBERS),
    "half floats": (lambda: frame(i=A.astype(np.float16)), NUMBERS),
    "nullable booleans": (lambda: frame(b=pd.array(TRUTHS, dtype="boolean")), MIXED),
    "booleans of Arrow": (lambda: frame(b=pd.Series(TRUTHS, dtype=pd.ArrowDtype(pa.bool_()))), MIXED),
    "objects that are booleans": (lambda: frame(b=pd.Series(TRUTHS, dtype=object)), MIXED),
    "strings": (lambda: frame(s=WORDS), MIXED),
    "strings of pyarrow": (lambda: frame(s=pd.array(WORDS, dtype="string[pyarrow]")), MIXED),
    "strings of Python": (lambda: frame(s=pd.array(WORDS, dtype="string[python]")), MIXED),
    "categories": (lambda: frame(c=pd.Categorical(WORDS, categories=["u", "v", "w", "z"])), MIXED),
    "ordered categories": (lambda: frame(c=pd.Categorical(WORDS, ordered=True)), MIXED),
    "categories of numbers": (lambda: frame(c=pd.Categorical([i % 3 for i in range(N)])), MIXED),
    "objects that are numbers": (lambda: frame(o=pd.Series([1, 2.5, 3] * 10, dtype=object)), NUMBERS),
    "decimals": (lambda: frame(o=[decimal.Decimal(i) for i in range(N)]), NUMBERS),
    "two levels of names": (
        lambda: pd.DataFrame(np.c_[A, A**2], columns=pd.MultiIndex.from_tuples([("x", "p"), ("x", "q")])),
        NUMBERS,
    ),
    "numbers for names": (lambda: pd.DataFrame(np.c_[A, A**2]), NUMBERS),
    "an odd index": (lambda: frame(s=WORDS).set_index(pd.Index([f"r{i % 7}" for i in range(N)])), MIXED),
    "sparse columns": (lambda: frame(s=pd.arrays.SparseArray(np.where(A > 0, A, 0))), NUMBERS),
    "sparse dummies": (lambda: pd.get_dummies(frame(s=WORDS), sparse=True), MIXED),
    "polars": (lambda: pl.DataFrame({"a": A, "s": WORDS, "b": TRUTHS}), MIXED),
    "categories of polars": (lambda: pl.DataFrame({"a": A, "s": pl.Series(WORDS, dtype=pl.Categorical)}), MIXED),
    "an enum of polars": (lambda: pl.DataFrame({"a": A, "s": pl.Series(WORDS, dtype=pl.Enum(["u", "v", "w"]))}), MIXED),
    "Arrow": (lambda: pa.table({"a": A, "s": WORDS}), MIXED),
    "a dict": (lambda: {"a": A, "s": WORDS}, MIXED),
    "records": (lambda: np.array(list(zip(A, WORDS, strict=True)), dtype=[("a", "f8"), ("s", "U5")]), MIXED),
    "a list of strings": (lambda: WORDS, TEXT),
    "an array of strings": (lambda: np.array(WORDS), TEXT),
    "a series of strings": (lambda: pd.Series(WORDS, index=range(100, 100 + N)), TEXT),
    "a named series of strings": (lambda: pd.Series(WORDS, name="note"), TEXT),
    "a series of polars": (lambda: pl.Series("note", WORDS), TEXT),
    "a series of categories": (lambda: pd.Series(WORDS, dtype="category"), "hamming"),
}


@pytest.mark.parametrize("case", GOOD)
def test_every_container_is_read_and_read_again(case: str) -> None:
    make, formula = GOOD[case]
    X = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelRidge().fit(X, Y_)
        predicted = model.predict(X)
        # A few rows are read as all of them are, and copies predict the same bits.
        np.testing.assert_allclose(model.predict(X[:3] if not isinstance(X, (dict, pa.Table)) else head_of(X)), predicted[:3])
    assert str(model.kernel_).startswith(formula), model.kernel_
    for copied in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(copied.predict(X), predicted)


def head_of(X: Any) -> Any:
    return X.slice(0, 3) if isinstance(X, pa.Table) else head(X)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "dates": (lambda: frame(t=pd.date_range("2020", periods=N)), "column `t`: dates or times.*\n.*`mercer.fit`"),
    "dates of polars": (lambda: pl.DataFrame({"a": A, "t": [datetime.date(2020, 1, 1)] * N}), "`t`: dates or times"),
    "durations": (lambda: frame(t=pd.to_timedelta(range(N), unit="D")), "`t`.*times of no day"),
    "periods": (lambda: frame(t=pd.period_range("2020", periods=N, freq="M")), r"`t`: values of type period\[M\]"),
    "intervals": (lambda: frame(t=pd.interval_range(0, N)), "`t`: values of type interval"),
    "complex numbers": (lambda: frame(z=A + 1j), "`z`: values of type complex128 are not supported"),
    "one name twice": (lambda: pd.DataFrame(np.c_[A, A], columns=["a", "a"]), "two columns have the same name"),
    "mixed objects": (lambda: frame(o=[1, "x", 2.5] * 10), "column `o`.*such as 'x'"),
    "lists of objects": (lambda: frame(o=[[b"x"]] * N), r"column `o`.*such as b'x'"),
    "bytes": (lambda: frame(o=[b"x"] * N), "column `o`.*such as b'x'"),
    "missing integers": (lambda: frame(i=pd.array([None, *range(N - 1)], dtype="Int64")), "`i` is missing.*\n.*dropna"),
    "missing truths": (lambda: frame(b=pd.array([None, *TRUTHS[1:]], dtype="boolean")), "`b` is missing.*\n.*dropna"),
    "missing words": (lambda: pd.Series([None, *WORDS[1:]]), "`text` is missing.*\n.*SimpleImputer"),
    "no columns": (lambda: pd.DataFrame(index=range(N)), "a table with columns"),
    "a column of numbers": (lambda: pd.Series(A), "2D array|2-dimensional"),
    "rows of strings": (lambda: np.array([WORDS, WORDS]).T, "expected numbers.*\n.*data frame"),
    "names of two types": (lambda: pd.DataFrame(np.c_[A, A], columns=["a", 1]), "string names"),
    "columns of two lengths": (lambda: {"a": A, "s": WORDS[:3]}, "column `s`: expected 30 rows"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_said_by_name(case: str) -> None:
    make, message = BAD[case]
    with pytest.raises((ValueError, TypeError), match=f"(?s){message}"):
        KernelRidge().fit(make(), Y_)


def test_truths_are_numbers_for_kernels_of_numbers() -> None:
    city = np.random.default_rng(3).choice(["x", "y", "z"], 200)
    y = np.where(city == "x", 2.0, np.where(city == "y", 0.0, -2.0))
    truths = pd.get_dummies(pd.DataFrame({"noise": np.random.default_rng(2).normal(size=200), "city": city}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelRidge("rbf", alpha=0.01).fit(truths, y)
    assert model.score(truths, y) > 0.98
    assert np.array_equal(model.predict(truths), KernelRidge("rbf", alpha=0.01).fit(truths.astype(float), y).predict(truths))


def test_columns_that_no_part_reads_are_named_at_the_users_line() -> None:
    X = frame(c=WORDS, t=[f"note {i}" for i in range(N)])
    with pytest.warns(errors.UnreadColumnsWarning) as found:
        KernelRidge("rbf").fit(X, Y_)
    assert len(found) == 1 and found[0].filename == __file__
    expected = "the columns `c` (category), `t` (text): add `hamming(c)` and `ngram(t)`, or leave them out"
    assert expected in str(found[0].message)
    with pytest.warns(errors.UnreadColumnsWarning) as found:
        cross_val_score(KernelRidge("rbf"), X, Y_, cv=2)
    assert {warning.filename for warning in found} == {__file__}
    with pytest.warns(errors.MercerWarning, match="reads the columns `c`"):
        Kernel("rbf").gram(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kernel in ("rbf(a)", "rbf(a)*delta(c)", "rbf + hamming + ngram", None):
            KernelRidge(kernel).fit(X, Y_)
        KernelRidge("rbf").fit(X.to_dict("list") | {"c": A, "t": A}, Y_)


@pytest.mark.parametrize("estimator", [KernelRidge(), KernelSGDRegressor(passes=2), GaussianProcessRegressor(tune=False)])
def test_the_usual_kernel_reads_every_column(estimator: Any) -> None:
    X = frame(c=WORDS, b=TRUTHS, t=[f"note {i}" for i in range(N)])
    model = estimator.fit(X, Y_)
    assert model.kernel is None and not Kernel(model.kernel_)._expr.functions()
    expected = Kernel(f"(rbf + 1)*(hamming + 1) + {USUAL_TEXT}").resolve(X)[0]
    assert model.kernel_ in (expected, Kernel("1") * expected, 1.0 * expected)
    assert str(clone(estimator).fit(A.reshape(-1, 1), Y_).kernel_).removeprefix("1*").startswith("rbf(")


def test_folds_read_columns_as_the_whole_does() -> None:
    rows = np.arange(250)
    X = pd.DataFrame({"state": [f"state {i % 50}" for i in rows], "zip": rows % 5, "x": rows % 11 / 3})
    y = X["zip"] + rows % 50 % 3
    for kernel in ("delta(state) + delta(zip)", "hamming(state, zip) + 1", "delta(state)*rbf + delta(zip)"):
        assert cross_val_score(KernelRidge(kernel, alpha=0.01), X, y, cv=5, error_score="raise").mean() > 0.5
    # Also where the kernel names no column: what few rows would make text is a category in all of them.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = cross_val_score(KernelRidge("hamming + rbf", alpha=0.01), X, y, cv=5, error_score="raise")
    assert scores.mean() > 0.5
    model = KernelRidge("delta(state)").fit(X, y)
    assert np.array_equal(model.predict(X[:1]), model.predict(X)[:1])


def test_a_kernel_that_does_not_fit_says_what_to_write() -> None:
    X = frame(zip=[f"{i % 4}" for i in range(N)], c=WORDS)
    cases = {
        "rbf(zip)": "convert `zip` with `pandas.to_numeric`, or write `delta",
        "rbf(c)": "`delta.c.` reads it as a category, `ngram.c.` as text",
        "delta(a)": "`rbf.a.` reads numbers",
    }
    for kernel, hint in cases.items():
        with pytest.raises(errors.FormulaError, match=hint):
            KernelRidge(kernel).fit(X, Y_)


def test_new_data_have_the_types_of_the_fit() -> None:
    trained = KernelRidge().fit(frame(c=WORDS, b=TRUTHS), Y_)
    new = pd.DataFrame({"c": ["z", "u"], "b": [True, False], "a": [0.0, 1.0]})
    assert np.isfinite(trained.predict(new)).all(), "a category that was not seen is unlike every other"
    assert np.array_equal(trained.predict(new.assign(b=[1, 0])), trained.predict(new))
    for wrong, hint in [({"a": ["x", "y"]}, "convert the column `a` to number"), ({"c": [0.5, 1]}, "`c` to category")]:
        with pytest.raises(errors.DataError, match=hint):
            trained.predict(new.assign(**wrong))
    numbers = KernelRidge("rbf").fit(frame(b=TRUTHS), Y_)
    assert np.array_equal(numbers.predict(frame(b=TRUTHS)), numbers.predict(frame(b=np.array(TRUTHS, dtype=int))))
    zips = KernelRidge("delta(zip)").fit(frame(zip=np.arange(N) % 4), Y_)
    assert zips.predict(pd.DataFrame({"zip": [7], "a": [0.0]}))[0] == 0.0, "a number that was not seen, neither"
    with pytest.raises(errors.DataError, match="`zip`"):
        zips.predict(pd.DataFrame({"zip": [1.5], "a": [0.0]}))
    words = KernelRidge("ngram(note, n=1)").fit(pd.Series(WORDS, name="note"), Y_)
    assert np.array_equal(words.predict(["u", "v"]), words.predict(pd.Series(["u", "v"])))


@pytest.mark.parametrize("kernel", ["rbf(length_scale=1)", "linear", "laplace_l1(length_scale=1)"])
def test_dense_and_sparse_meet_either_way(kernel: str) -> None:
    X = np.where(np.random.default_rng(5).random((N, 4)) < 0.5, 0.0, np.c_[A, A**2, A**3, A])
    expected = KernelRidge(kernel).fit(X, Y_).predict(X)
    for fitted in (X, sp.csr_array(X)):
        for new in (X, sp.csr_array(X), sp.coo_array(X), sp.csc_matrix(X)):
            np.testing.assert_allclose(KernelRidge(kernel).fit(fitted, Y_).predict(new), expected, rtol=1e-9, atol=1e-9)


def test_transformers_of_columns() -> None:
    X = frame(c=WORDS, b=TRUTHS)
    steps = [("a", StandardScaler(), ["a"]), ("c", OneHotEncoder(sparse_output=False), ["c"])]
    for output in ("default", "pandas", "polars"):
        columns = ColumnTransformer(steps, remainder="passthrough").set_output(transform=output)
        model = make_pipeline(columns, KernelRidge("rbf", alpha=0.1)).fit(X, Y_)
        assert model.score(X, Y_) > 0.8, output
    kept = ColumnTransformer(steps[:1], remainder="passthrough", verbose_feature_names_out=False)
    model = make_pipeline(kept.set_output(transform="pandas"), KernelLogisticRegression("rbf*hamming + delta(c)"))
    assert model.fit(X, WORDS).score(X, WORDS) == 1.0


def test_rows_are_counted_among_all_rows() -> None:
    X = pd.DataFrame({"a": [1.0] * 20 + [2.0, np.nan, 3.0]})
    with pytest.raises(errors.NonFiniteError, match="1 of 23 values in column `a` is missing, first at row 21"):
        KernelRidge("rbf").fit(X, np.arange(23.0))
