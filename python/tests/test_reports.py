"""What a fit says of itself: the same objects as on the command line."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer import GaussianProcessRegressor, KernelGradientDescent, KernelRidge

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "json.md"


def _listed(schema: str) -> set[str]:
    """The fields of a schema by the table under its heading."""
    section = GUIDE.read_text().split(f"\n## {schema}\n")[1].split("\n## ")[0]
    cells = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return {name for cell in cells for name in cell.split("`")[1::2]}


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=40)


def test_reports_have_fields_of_the_guide(data: tuple[np.ndarray, np.ndarray]) -> None:
    model = KernelRidge("rbf", alpha="loo").fit(*data)
    fields = set(model.report_)
    assert {"rows", "notes", "parameter", "value", "path", "considered"} <= fields <= _listed("mercer.fit/1")
    assert model.report_["value"] == model.alpha_ and model.report_["choice"] == {"by": "leave_one_out"}
    assert min(model.report_["path"], key=lambda tried: tried["score"])["value"] == model.alpha_
    process = GaussianProcessRegressor("rbf").fit(*data)
    assert process.report_["tuned"] == process.tuning_


def test_notes_are_sentences_with_data(data: tuple[np.ndarray, np.ndarray]) -> None:
    model = KernelGradientDescent(
        "rbf(length_scale=1)", early_stopping="hold_out", hold_out=0.2
    ).fit(*data)
    (note,) = model.notes_
    assert note.kind == "held_out" and note.data["share"] == pytest.approx(0.2)
    assert note == f"{note.data['iterations']} iterations did best on the 20 % of rows held out"
    copy = pickle.loads(pickle.dumps(note))
    assert (copy, copy.kind, copy.data) == (note, note.kind, note.data)
    assert f"`{note.kind}`" in GUIDE.read_text()


def test_checks_say_the_same_as_before() -> None:
    proved, refuted = mercer.check("x*y"), mercer.check("2*rbf(length_scale=1) - 3*rbf(length_scale=2)")
    assert proved and proved.reason is None and proved.counterexample is None
    assert not refuted and refuted.proof is None and refuted.counterexample is not None
    undecided = mercer.check("2*rbf(length_scale=3) - rbf")
    assert undecided.verdict == "not decided" and undecided.reason
