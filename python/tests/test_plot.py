"""Pictures as objects: what is drawn is what the numbers say."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score, roc_curve

import mercer
from mercer import _core, plot
from mercer._run import options
from mercer.errors import MercerError, ShapeError, UnsupportedError

CHANCE = np.random.default_rng(4)
X = np.linspace(0, 6, 25)[:, None]
Y = np.sin(X[:, 0]) + 0.1 * CHANCE.standard_normal(25)
PLANE = np.concatenate([CHANCE.standard_normal((15, 2)) - 1, CHANCE.standard_normal((15, 2)) + 1])
CLASSES = np.repeat(["a", "b"], 15)


def series(figure: plot.Figure, kind: str, panel: int = 0) -> list[dict[str, Any]]:
    return [s for s in figure.data[panel]["series"] if s["kind"] == kind]


def check(figure: plot.Figure) -> None:
    """The SVG is XML, the PNG has the size of the figure, and both repeat."""
    svg = figure._repr_svg_()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and svg == figure.svg()
    png = figure.png()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (2 * float(root.get("width", 0)), 2 * float(root.get("height", 0)))
    assert figure.dark().svg() != svg and figure.dark().light().svg() == svg


def test_distances_are_those_of_barycentres() -> None:
    figure = plot.distance("rbf(length_scale=0.2)", [[2.0], [3.0]], window=(0, 5))
    check(figure)
    (line,) = series(figure, "line")
    expected = mercer.rkhs.Barycentre("rbf(length_scale=0.2)", [[2.0], [3.0]]).distance(line["x"][:, None])
    np.testing.assert_array_equal(line["y"], expected)
    assert (line["x"][0], line["x"][-1]) == (0.0, 5.0)
    sets = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0]]
    figure = plot.distance("linear", sets)
    check(figure)
    (field,) = series(figure, "field")
    grid = np.stack(np.meshgrid(field["x"], field["y"]), axis=-1)
    np.testing.assert_allclose(field["values"], np.linalg.norm(grid - np.mean(sets, axis=0), axis=-1), atol=1e-7)


def test_discrimination_has_the_sign_of_the_nearer_set() -> None:
    figure = plot.discrimination("rbf(length_scale=1)", [[1.0, 1.0], [1.0, 2.0]], [[1.0, 3.0], [2.0, 2.0]])
    check(figure)
    (field,) = series(figure, "field")
    i, j = np.abs(field["y"] - 1).argmin(), np.abs(field["x"] - 1).argmin()
    assert field["values"][i, j] < 0 and {s["name"] for s in series(figure, "points")} == {"S₁", "S₂"}


def test_matrices_and_spectra_are_those_of_the_kernel() -> None:
    kernel = mercer.Kernel("rbf(length_scale=1)")
    figure = plot.gram(kernel, X)
    check(figure)
    np.testing.assert_allclose(series(figure, "field")[0]["values"], kernel.gram(X), rtol=1e-14)
    groups = np.arange(25) % 3
    order = np.argsort(groups, kind="stable")
    by_group = series(plot.gram(kernel, X, groups=[f"g{g}" for g in groups]), "field")[0]["values"]
    np.testing.assert_allclose(by_group, kernel.gram(X[order]), rtol=1e-14)
    np.testing.assert_array_equal(series(plot.heat([[1.0, 2.0], [3.0, 4.0]]), "field")[0]["values"], [[1, 2], [3, 4]])
    figure = plot.spectrum(kernel, X)
    check(figure)
    (points,) = series(figure, "points")
    np.testing.assert_allclose(points["y"], kernel.eigvals(X)[: len(points["y"])], rtol=1e-9)


def test_curves_are_the_functions_of_estimators() -> None:
    ridge = mercer.KernelRidge("rbf(length_scale=1)", alpha=0.1).fit(X, Y)
    figure = plot.curve(ridge, X, Y)
    check(figure)
    (line,) = series(figure, "line")
    np.testing.assert_allclose(line["y"], ridge.predict(line["x"][:, None]), rtol=1e-10, atol=1e-12)
    process = mercer.GaussianProcessRegressor("rbf(length_scale=1)", tune=False).fit(X, Y)
    figure = plot.curve(process, X, Y, level=0.9, draws=4, window=(0, 6))
    check(figure)
    assert len(series(figure, "band")) == 2 and len(series(figure, "curves")[0]["lines"]) == 4
    outer = series(figure, "band")[0]
    assert ((outer["low"] < outer["high"]).all()) and figure.data[0]["x"]["scale"] == "linear"


def test_decisions_show_the_support_vectors() -> None:
    machine = mercer.SVC(kernel="rbf(length_scale=1)", C=10.0).fit(PLANE, CLASSES)
    figure = plot.decision(machine, PLANE, CLASSES)
    check(figure)
    (field,) = series(figure, "field")
    grid = np.stack(np.meshgrid(field["x"], field["y"]), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(field["values"].ravel(), machine.decision_function(grid), rtol=1e-9, atol=1e-9)
    (sized,) = series(figure, "sized")
    np.testing.assert_allclose(np.sort(sized["size"]), np.sort(np.abs(machine.dual_coef_).ravel()))
    with pytest.raises(MercerError, match="two columns|2 columns"):
        plot.decision(machine, X)


def test_labels_have_series_of_their_own() -> None:
    figure = plot.projection(PLANE, CLASSES, title="two")
    check(figure)
    assert [s["name"] for s in series(figure, "points")] == ["a", "b"]
    assert len(series(plot.projection(PLANE), "points")) == 1


def test_curves_of_scores_are_those_of_scikit_learn() -> None:
    truth = CLASSES == "b"
    score = 1 / (1 + np.exp(-PLANE.sum(axis=1)))
    figure = plot.roc(CLASSES, score)
    check(figure)
    (line,) = series(figure, "line")
    fpr, tpr, _ = roc_curve(truth, score, drop_intermediate=False)
    np.testing.assert_allclose(line["x"], fpr)
    np.testing.assert_allclose(line["y"], tpr)
    assert f"{roc_auc_score(truth, score):.4g}" in line["name"]
    figure = plot.calibration(CLASSES, score, bins=5)
    check(figure)
    observed, predicted = calibration_curve(truth, score, n_bins=5)
    (line,) = series(figure, "line")
    np.testing.assert_allclose(line["x"], predicted)
    np.testing.assert_allclose(line["y"], observed)
    figure = plot.residuals(Y, Y - 1)
    np.testing.assert_allclose(series(figure, "points")[0]["y"], 1.0)


def test_fits_show_how_they_went() -> None:
    logistic = mercer.KernelLogisticRegression("rbf(length_scale=1)").fit(PLANE, CLASSES)
    figure = plot.convergence(logistic)
    check(figure)
    assert len(series(figure, "line")[0]["y"]) == len(logistic.history_)
    ridge = mercer.KernelRidge("rbf(length_scale=1)", alpha="loo", alphas=[0.01, 0.1, 1.0]).fit(X, Y)
    figure = plot.path(ridge)
    check(figure)
    np.testing.assert_allclose(series(figure, "line")[0]["x"], [0.01, 0.1, 1.0])
    with pytest.raises(UnsupportedError, match="list"):
        plot.path(mercer.KernelRidge("rbf", alpha=1.0).fit(X, Y))
    with pytest.raises(UnsupportedError, match="iterations"):
        plot.convergence(ridge)


def test_files_are_written_by_extension(tmp_path: Path) -> None:
    figure = plot.join([plot.residuals(Y, Y), plot.projection(PLANE)]).titled("both").sized(900, 400)
    check(figure)
    figure.save(tmp_path / "a.svg")
    figure.save(tmp_path / "a.png")
    assert (tmp_path / "a.svg").read_text() == figure.svg() and (tmp_path / "a.png").read_bytes() == figure.png()
    with pytest.raises(UnsupportedError, match="pdf"):
        figure.save(tmp_path / "a.pdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "a.svg"]
    assert repr(figure) == "Figure(2 panels: 'Residuals', '')"


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot.distance("rbf", [[1.0, 2.0, 3.0]]),
        lambda: plot.distance("linear", [[1.0]], window=(1, 1)),
        lambda: plot.distance("linear", [[1.0]], window=(0, 1, 2)),
        lambda: plot.roc([1, 1], [0.1, 0.2]),
        lambda: plot.roc([0, 1, 2], [0.1, 0.2, 0.3]),
        lambda: plot.roc([0, 1], [0.1, 0.2], positive=7),
        lambda: plot.roc([0, 1], [0.1]),
        lambda: plot.calibration([0, 1], [0.1, 1.2]),
        lambda: plot.residuals([1.0], [1.0, 2.0]),
        lambda: plot.projection(np.ones((3, 3))),
        lambda: plot.projection(PLANE, ["a"]),
        lambda: plot.heat(np.empty((0, 0))),
        lambda: plot.gram("rbf(length_scale=1)", X, groups=[1, 2]),
        lambda: plot.residuals([1.0], [1.0]).sized(10, 10).svg(),
    ],
)
def test_what_cannot_be_drawn_is_said(draw: Any) -> None:
    with pytest.raises((MercerError, ShapeError)) as error:
        draw()
    assert len(str(error.value)) > 10


def test_the_lines_of_the_gallery_draw_its_pictures() -> None:
    drawn = _core.draw_gallery(options())
    assert set(plot.gallery()) == {name for name, *_ in drawn}
    python = [(name, code, figure) for name, _, code, figure in drawn if not code.startswith("mercer ")]
    assert len(python) >= 6
    for name, code, figure in python:
        *before, last = code.split("\n")
        names: dict[str, Any] = {"mercer": mercer, "np": np}
        exec("\n".join(before), names)
        made = eval(last, names)
        check(made)
        # One of the panels of the exhibit is what the lines draw: the same marks with the same numbers.
        (own,) = made.data
        kinds = [s["kind"] for s in own["series"]]
        same = [p for p in figure.data() if [s["kind"] for s in p["series"]] == kinds]
        assert same, name
