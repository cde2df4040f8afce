"""The main job from Python: the same numbers as the command line, files that go both ways, scikit-learn's contract."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import AutoClassifier, AutoRegressor

REPOSITORY = Path(__file__).resolve().parents[2]
FAST = {"estimate": False, "tune": False}


def frame(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 2))
    city = rng.choice(["north", "south"], size=n)
    y = np.sin(x[:, 0]) + 0.5 * (city == "north") + 0.05 * rng.normal(size=n)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "city": city, "y": y})


def test_a_frame_is_fitted_judged_and_explained() -> None:
    data = frame()
    fit = mercer.fit(data, target="y", cv=3)
    scores = fit.report["estimate"]["model"]["regression"]
    assert scores["r2"] > 0.8
    assert fit.error == fit.report["estimate"]
    assert np.corrcoef(fit.predict(data), data["y"])[0, 1] > 0.95
    assert fit.verify()["holds"] and fit.verify(data)["holds"]
    assert not fit.verify(data.iloc[::-1].reset_index(drop=True))["holds"]
    assert fit.columns == ["a", "b", "city"] and fit.classes is None
    assert len(fit.explain(data.head(2))["rows"]) == 2
    assert "svg" in fit.plot().svg()
    assert "error of this model" in repr(fit.report) and "<table>" in fit.report._repr_html_()
    assert "<svg" in fit._repr_html_() and "ridge" in repr(fit)


def test_targets_may_be_given_apart() -> None:
    data = frame()
    one = mercer.fit(data, target="y", **FAST)
    other = mercer.fit(data.drop(columns="y"), data["y"], **FAST)
    assert np.array_equal(one.predict(data), other.predict(data))
    arrays = mercer.fit(data[["a", "b"]].to_numpy(), (data["y"] > 0).map({True: "high", False: "low"}).to_numpy(), **FAST)
    assert arrays.classes == ["high", "low"]
    shares = arrays.predict_proba(data[["a", "b"]].to_numpy())
    assert shares.shape == (60, 2) and np.allclose(shares.sum(axis=1), 1.0)
    assert set(arrays.predict(data[["a", "b"]].to_numpy())) <= {"high", "low"}


def test_few_whole_numbers_are_classes_unless_told() -> None:
    data = frame().assign(y=lambda d: (d["y"] > 0).astype(int))
    assert mercer.fit(data, target="y", **FAST).classes == ["0", "1"]
    assert mercer.fit(data, target="y", target_type="number", **FAST).classes is None
    assert mercer.fit(data, target="y", model="svr", **FAST).classes is None
    assert AutoRegressor(tune=False).fit(data[["a", "b"]], data["y"]).fit_.classes is None


def test_new_rows_judge_a_model(tmp_path: Path) -> None:
    data, new = frame(60), frame(90).iloc[60:]
    fit = mercer.fit(data, target="y", **FAST)
    score = fit.score(new)
    found = {measure["name"]: measure["value"] for measure in score["measures"]}
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean((fit.predict(new) - new["y"]) ** 2)))
    assert "rmse" in repr(score) and "<svg" in score._repr_html_()
    page = fit.page(tmp_path / "fit.html")
    assert page.startswith("<!") and (tmp_path / "fit.html").read_text(encoding="utf-8") == page


def test_weights_and_groups_may_be_columns() -> None:
    data = frame().assign(times=1.0 + np.arange(60) % 3, household=np.arange(60) // 4)
    fit = mercer.fit(data, target="y", weights="times", groups="household", cv=3, tune=False)
    assert fit.columns == ["a", "b", "city"]
    assert fit.report["estimate"]["split"] == {"groups": 3}
    plain = data.drop(columns=["times", "household"])
    same = mercer.fit(plain, target="y", weights=data["times"], **FAST)
    assert np.allclose(fit.predict(data), same.predict(plain))


def test_files_go_both_ways(tmp_path: Path) -> None:
    data = frame()
    data.to_csv(tmp_path / "rows.csv", index=False)
    fit = mercer.fit(data, target="y", **FAST)
    fit.save(tmp_path / "here.mercer")
    again = mercer.load_model(tmp_path / "here.mercer")
    assert np.array_equal(again.predict(data), fit.predict(data))
    assert again.certificate == fit.certificate
    assert np.array_equal(pickle.loads(pickle.dumps(fit)).predict(data), fit.predict(data))
    with pytest.raises(mercer.errors.UnsupportedError):
        _ = again.report
    with pytest.raises(mercer.errors.DataError):
        again.verify()
    binary = REPOSITORY / "target" / "release" / "mercer"
    if not binary.exists() or "MERCER_NO_CLI" in os.environ:
        pytest.skip("the command line is not built")
    command = [binary, "fit", "rows.csv", "--target", "y", "--no-estimate", "--no-tune", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["alpha"] == pytest.approx(fit.report["alpha"], rel=1e-12)
    there = mercer.load_model(tmp_path / "rows.mercer")
    assert np.allclose(there.predict(data), fit.predict(data), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"target": "z"}, mercer.errors.DataError),
        ({"target": None}, mercer.errors.DataError),
        ({"target": np.ones(3)}, mercer.errors.ShapeError),
        ({"target": "y", "cv": 2.5}, mercer.errors.InvalidParameterError),
        ({"target": "y", "tune": 1}, mercer.errors.InvalidParameterError),
        ({"target": "y", "cv": 3, "hold_out": 0.2}, mercer.errors.InvalidParameterError),
        ({"target": "y", "model": "rigde"}, mercer.errors.InvalidParameterError),
        ({"target": "y", "weights": "w"}, mercer.errors.DataError),
        ({"target": "y", "folds": 3}, TypeError),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        mercer.fit(frame(20), **arguments)


CHOSEN = "kernel and alpha are chosen by folds and by the evidence, for which copies of a row are other data than a weight"


def unlike(_: Any) -> dict[str, str]:
    return {f"check_sample_weight_equivalence_on_{kind}_data": CHOSEN for kind in ("dense", "sparse")}


@parametrize_with_checks([AutoRegressor(), AutoClassifier()], expected_failed_checks=unlike)
def test_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_weight_means_repetition_where_nothing_is_chosen() -> None:
    data = frame(30)
    X, times = data[["a", "b"]].to_numpy(), 1 + np.arange(30) % 3
    for model, y in [(AutoRegressor, data["y"]), (AutoClassifier, data["city"])]:
        given = model(kernel="rbf(length_scale=1)", tune=False, alpha=0.5, standardize=False)
        one = given.fit(X, y, sample_weight=times)
        values = one.predict(X) if model is AutoRegressor else one.decision_function(X)
        many = model(**given.get_params()).fit(np.repeat(X, times, axis=0), np.repeat(y.to_numpy(), times))
        others = many.predict(X) if model is AutoRegressor else many.decision_function(X)
        assert np.allclose(values, others, atol=1e-6)


def test_classes_keep_their_order_beyond_ten() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 8)
    X = np.column_stack([np.cos(y), np.sin(y)]) + 0.02 * rng.normal(size=(96, 2))
    model = AutoClassifier(kernel="rbf(length_scale=0.5)", tune=False, alpha=1e-3).fit(X, y)
    assert model.predict_proba(X).shape == (96, 12)
    assert (model.predict(X) == y).all()
    assert (model.predict_proba(X).argmax(axis=1) == y).all()


def test_landmarks_of_logistic_regression_come_near_to_all_rows() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=400) > 0).astype(int)
    whole = mercer.KernelLogisticRegression("rbf(length_scale=1)", alpha=0.5).fit(X, y)
    some = mercer.KernelLogisticRegression("rbf(length_scale=1)", alpha=0.5, landmarks=120).fit(X, y)
    assert some.dual_coef_.shape[0] <= 120
    assert np.abs(some.predict_proba(X) - whole.predict_proba(X)).max() < 0.02
    assert some.certificate_.gap is not None and some.certificate_.gap < 1e-6


def seasons(days: int = 900) -> dict[str, Any]:
    """A table whose target follows the week and the year of its dates."""
    when = np.datetime64("2021-01-01") + np.arange(days)
    at = np.arange(days)
    noise = np.random.default_rng(0).normal(size=days)
    return {"when": when, "x": noise, "y": np.sin(2 * np.pi * (at + 4) / 7) + np.cos(2 * np.pi * at / 365) + 0.1 * noise}


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "pandas with a zone": lambda v: pd.DataFrame(v).assign(when=pd.to_datetime(v["when"]).tz_localize("UTC")),
    "python's dates": lambda v: pd.DataFrame(v).assign(when=[d.item() for d in v["when"]]),
    "polars": lambda v: pl.DataFrame({**v, "when": v["when"].astype("datetime64[ms]")}),
    "polars dates": lambda v: pl.DataFrame({**v, "when": [d.item() for d in v["when"]]}),
    "arrow": lambda v: pa.table({**v, "when": [d.item() for d in v["when"]]}),
}


@pytest.mark.parametrize("library", FRAMES)
def test_dates_of_frames_are_those_of_files(library: str, tmp_path: Path) -> None:
    values = seasons(120)
    frame = FRAMES[library](values)
    fit = mercer.fit(frame, target="y", model="ridge", tune=False, kernel="rbf", estimate=False)
    path = tmp_path / "seasons.csv"
    pd.DataFrame(values).to_csv(path, index=False)
    read = mercer.fit(mercer.read(path, target="y"), model="ridge", tune=False, kernel="rbf", estimate=False)
    assert fit.columns == read.columns == ["when", "when_weekday_sin", "when_weekday_cos", "x"]
    # A single row has no week, and gets its parts all the same.
    one = {name: column[50:51] for name, column in values.items()}
    expected = read.predict(mercer.read(path, target="y", date_parts="all"))
    np.testing.assert_allclose(fit.predict(FRAMES[library](one)), expected[50:51], rtol=1e-9)
    assert fit.score(FRAMES[library](one))["rows"] == 1


def test_dates_that_are_missing_are_missing() -> None:
    values = seasons(60)
    values["when"][7] = np.datetime64("NaT")
    for library in ("dict", "pandas", "polars"):
        with pytest.raises(mercer.errors.MercerError, match="`when`"):
            mercer.fit(FRAMES[library](values), target="y", missing="error", model="ridge", estimate=False)


def test_parts_of_a_target_do_not_tell_it() -> None:
    values = seasons(60)
    fit = mercer.fit(pd.DataFrame(values), target="when", model="ridge", tune=False, estimate=False)
    assert fit.columns == ["x", "y"]
    frame = pd.DataFrame(values).assign(when_weekday_sin=values["x"])
    fit = mercer.fit(frame, target="when", model="ridge", tune=False, estimate=False)
    assert fit.columns == ["x", "y", "when_weekday_sin"]


def test_reading_obeys_a_limit_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "1.5,2.5\n" * 50_000)
    with pytest.raises(mercer.errors.MemoryLimitError):
        mercer.read(path, memory_limit=100_000)
    assert len(mercer.read(path, memory_limit=10**9)) == 50_000


@pytest.mark.parametrize("method", ["clip", "flip", "shift"])
def test_a_kernel_that_needs_a_repair_is_fitted_judged_and_verified(method: str, tmp_path: Path) -> None:
    data = frame().drop(columns="city")
    with pytest.raises(mercer.errors.MercerError):
        mercer.fit(data, target="y", kernel="sigmoid(gamma=0.5, coef0=0)", model="ridge", tune=False, estimate=False)
    fit = mercer.fit(data, target="y", kernel="sigmoid(gamma=0.5, coef0=0)", model="ridge", repair=method, cv=3)
    assert fit.report["estimate"]["model"]["regression"]["r2"] > 0.3
    assert fit.certificate.repaired is not None
    assert fit.verify()["holds"]
    fit.save(tmp_path / "m.mercer")
    again = mercer.load_model(tmp_path / "m.mercer")
    assert np.array_equal(again.predict(data), fit.predict(data))
    assert again.verify(data)["holds"]
    with pytest.raises(mercer.errors.InvalidParameterError, match="clip"):
        mercer.fit(data, target="y", kernel="sigmoid(gamma=0.5, coef0=0)", model="ridge", repair="glue")


def test_letters_that_a_kernel_does_not_know_are_said() -> None:
    proteins = ["MKVLAAGI", "MKVLAAGL", "GGCTACGT", "MKKLAAGV"] * 5
    data = pd.DataFrame({"sequence": proteins, "y": np.arange(20.0)})
    kernel = "gapped_kmer(sequence, l=3, k=2)"
    fit = mercer.fit(data, target="y", kernel=kernel, model="ridge", tune=False, estimate=False)
    assert any(note["kind"] == "unknown_letters" for note in fit.report["notes"])
    with pytest.warns(mercer.errors.MercerWarning, match="letters"):
        mercer.Kernel(kernel).gram(data[["sequence"]])
