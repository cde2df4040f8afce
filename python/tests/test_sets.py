"""Sets, bags, paths and sequences as columns, alone and beside others."""

from __future__ import annotations

import gzip
import pathlib
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from mercer.svm import SVC


def jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0


def tags(n: int, seed: int) -> tuple[list[set[str]], np.ndarray[Any, Any]]:
    """Sets of words; the class says whether ``red`` or ``green`` is among them."""
    rng = np.random.default_rng(seed)
    words = ["red", "green", "blue", "round", "square", "old", "new"]
    sets = [set(rng.choice(words, size=rng.integers(0, 6), replace=False)) for _ in range(n)]
    return sets, np.array(["warm" if {"red", "green"} & s else "cold" for s in sets])


def test_kernel_values_are_those_of_the_definition() -> None:
    sets, _ = tags(40, 1)
    gram = mercer.Kernel("jaccard").gram(sets)
    expected = np.array([[jaccard(a, b) for b in sets] for a in sets])
    np.testing.assert_allclose(gram, expected, rtol=1e-15)
    for column in (sets, [sorted(s) for s in sets], [None if False else "|".join(sorted(s)) or "[]" for s in sets]):
        np.testing.assert_array_equal(mercer.Kernel("jaccard(tags)").gram({"tags": column}), gram)
    frame = pd.DataFrame({"tags": [np.array(sorted(s), dtype=object) for s in sets]})
    np.testing.assert_array_equal(mercer.Kernel("jaccard(tags)").gram(frame), gram)


def test_sets_go_through_pipelines_and_searches() -> None:
    sets, y = tags(120, 2)
    column = np.empty(len(sets), dtype=object)
    column[:] = sets
    frame = pd.DataFrame({"tags": column})
    model = make_pipeline(FunctionTransformer(), SVC(kernel="jaccard(tags)"))
    assert cross_val_score(model, frame, y, cv=4).mean() > 0.9
    search = GridSearchCV(model, {"svc__C": [0.1, 10.0]}, cv=3).fit(frame, y)
    again = pickle.loads(pickle.dumps(search))
    assert (again.predict(frame) == search.predict(frame)).all()


def test_one_formula_over_a_table_of_all_types(tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(3)
    n = 150
    sets, _ = tags(n, 4)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "income": rng.normal(3000, 500, n),
            "sequence": ["".join(rng.choice(list("ACGT"), 20)) for _ in range(n)],
            "city": rng.choice(["Paris", "Rome"], n),
            "tags": [sorted(s) for s in sets],
            "place": rng.choice(["eu/fr", "eu/it", "us/ny"], n),
            "cells": [rng.normal(size=(int(rng.integers(1, 4)), 2)).tolist() for _ in range(n)],
        }
    )
    frame["y"] = frame["age"] / 10 + np.array([len(s & {"red", "blue"}) for s in sets]) + rng.normal(0, 0.1, n)
    formula = (
        "rbf(age, income, length_scale=[10, 500]) + 0.5*spectrum(sequence, n=3)*delta(city) + jaccard(tags)"
        " + hierarchy(place) + normalize(mean_embedding(cells))"
    )
    fit = mercer.fit(frame, target="y", kernel=formula, standardize=False, estimate=False)
    path = tmp_path / "mixed.mercer"
    fit.save(path)
    again = mercer.load_model(path)
    np.testing.assert_array_equal(again.predict(frame), fit.predict(frame))
    assert fit.verify(frame)["holds"]
    # Without a formula, every column is read.
    auto = mercer.fit(frame, target="y", estimate=False)
    for word in ("jaccard", "ngram", "hamming", "mean_embedding"):
        assert word in str(auto.report), auto.report


def test_lists_of_arrow_and_parquet_are_sets_and_bags(tmp_path: pathlib.Path) -> None:
    table = pa.table(
        {
            "tags": pa.array([["a", "b"], [], ["b"], None]),
            "series": pa.array([[1.0, 2.0], [3.5], [], [0.0]]),
            "points": pa.array([[[1.0, 2.0]], [[0.0, 1.0], [2.0, 2.0]], [], [[1.0, 1.0]]]),
            "truths": pa.array([[True], [False, True], [], None]),
        }
    )
    path = tmp_path / "lists.parquet"
    pq.write_table(table, path)
    data = mercer.read(path)
    assert data.columns == {"tags": "set", "series": "bag", "points": "bag", "truths": "set"}
    assert data.data["tags"].tolist() == [["a", "b"], [], ["b"], None]
    assert data.data["points"].tolist() == [[[1.0, 2.0]], [[0.0, 1.0], [2.0, 2.0]], [], [[1.0, 1.0]]]
    gram = mercer.Kernel("jaccard(tags)").gram({"tags": data.data["tags"][:3]})
    np.testing.assert_array_equal(gram, [[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]])


def test_sequences_of_fasta(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reads.fa.gz"
    path.write_bytes(gzip.compress(b">a first\nACGT\nAC\n>b\nGGNN\n"))
    data = mercer.read_fasta(path)
    assert data.columns == {"id": "text", "description": "text", "sequence": "text"}
    assert list(data.data["sequence"]) == ["ACGTAC", "GGNN"]
    quality = tmp_path / "reads.fastq"
    quality.write_text("@a\nACGT\n+\nII@I\n")
    assert list(mercer.read(quality).data["quality"]) == ["II@I"]
    quality.write_text("@a\nACGT\n+\nII\n")
    with pytest.raises(mercer.errors.MercerError, match="4 letters and 2 marks"):
        mercer.read(quality)


def test_bad_sets_and_bags_are_refused() -> None:
    with pytest.raises(mercer.errors.MercerError, match="points of 1 and of 2 coordinates"):
        mercer.Kernel("mean_embedding(cells)").gram({"cells": ["[[1, 2], [3]]", "[[1, 2]]"]})
    with pytest.raises(mercer.errors.MercerError, match="not supported"):
        mercer.Kernel("jaccard(tags)").gram({"tags": [{("a", 1)}, {"b"}]})
    with pytest.raises(mercer.errors.MercerError, match="a set such as"):
        mercer.Kernel("jaccard(tags)").gram({"tags": ["[[1], 2]", "a"]})
    # Rows of words might be a table of categories: nothing is guessed.
    with pytest.raises(mercer.errors.MercerError):
        mercer.Kernel("jaccard").gram([["a", "b"], ["a", "c"]])


def test_histogram_kernels_are_those_of_scikit_learn() -> None:
    from sklearn.metrics.pairwise import additive_chi2_kernel, chi2_kernel

    rng = np.random.default_rng(5)
    x = rng.gamma(0.5, size=(30, 8)) * (rng.random((30, 8)) > 0.3)
    np.testing.assert_allclose(mercer.Kernel("chi2(gamma=0.7)").gram(x), chi2_kernel(x, gamma=0.7), rtol=1e-12)
    total = x.sum(axis=1)
    distance = -additive_chi2_kernel(x)
    # Σ 2xy/(x + y) = (Σ x + Σ y − Σ (x − y)²/(x + y))/2.
    np.testing.assert_allclose(
        mercer.Kernel("additive_chi2").gram(x), (total[:, None] + total - distance) / 2, rtol=1e-10, atol=1e-12
    )


def test_the_empirical_map_is_the_similarity_to_templates() -> None:
    from sklearn.svm import LinearSVC

    sets, y = tags(90, 6)
    mapped = mercer.EmpiricalKernelMap("jaccard", n_templates=30, random_state=0).fit(sets)
    features = mapped.transform(sets)
    expected = [[jaccard(a, sets[t]) for t in mapped.indices_] for a in sets]
    np.testing.assert_allclose(features, expected, rtol=1e-15)
    assert mapped.get_feature_names_out()[0] == "empiricalkernelmap0"
    model = make_pipeline(mercer.EmpiricalKernelMap("jaccard", templates=sets[:20]), LinearSVC())
    assert model.fit(sets, y).score(sets, y) > 0.9
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(sets) == model.predict(sets)).all()
    x = np.random.default_rng(0).normal(size=(20, 3))
    # tanh is no kernel; the inner product of its similarities is.
    s = mercer.EmpiricalKernelMap("sigmoid(gamma=2, coef0=-1)", n_templates=None).fit_transform(x)
    assert np.linalg.eigvalsh(mercer.Kernel("sigmoid(gamma=2, coef0=-1)").gram(x)).min() < -0.01
    assert np.linalg.eigvalsh(s @ s.T).min() > -1e-10
    with pytest.raises(mercer.errors.MercerError, match="n_templates"):
        mercer.EmpiricalKernelMap("rbf", n_templates=0).fit(x)
