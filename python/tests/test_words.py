"""Kernels whose settings are words: levels in an order, and counts of n-grams."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score

import mercer
from mercer import Kernel, KernelRidge
from mercer.svm import SVC

LEVELS = ["small", "medium", "large"]
TEXTS = ["free prize now", "call me now", "prize prize", "are you free", "call you", "the prize is free"]


def sizes(values: list[str], *, ordered: bool = True) -> pd.DataFrame:
    return pd.DataFrame({"size": pd.Categorical(values, categories=LEVELS, ordered=ordered)})


def test_an_ordered_categorical_has_its_order() -> None:
    X = sizes(["large", "small", "large"])
    kernel, found = Kernel("ordinal(size)").resolve(X)
    assert str(kernel) == 'ordinal(size, levels=["small", "medium", "large"])'
    assert found[0].detail == "small < medium < large, the order of `size`"
    assert kernel.gram(sizes(["large", "small", "medium"], ordered=False))[0].tolist() == [1.0, 0.0, 0.5]
    given = Kernel('ordinal(size, levels="small<medium<large")')
    assert given == kernel and pickle.loads(pickle.dumps(kernel)) == kernel and clone(kernel) == kernel
    again = Kernel("ordinal(size)").with_params(levels=kernel.get_params()["levels"])
    assert again == kernel


def test_models_keep_the_order_and_refuse_other_levels() -> None:
    model = KernelRidge("ordinal(size)", alpha=1e-3).fit(sizes(["large", "small", "medium"]), [3.0, 1.0, 2.0])
    answers = model.predict(pd.DataFrame({"size": ["small", "medium", "large"]}))
    assert np.all(np.diff(answers) > 0.5)
    with pytest.raises(mercer.MercerError, match="`huge` in row 0 of `size` is none of the 3 levels"):
        model.predict(pd.DataFrame({"size": ["huge"]}))
    with pytest.raises(mercer.MercerError, match="have no order that the data tells"):
        KernelRidge("ordinal(size)").fit(sizes(["large", "small"], ordered=False), [1.0, 2.0])


@pytest.mark.parametrize(
    ("formula", "settings"),
    [("tfidf", {"analyzer": str.split}), ("tfidf(n=3, unit=char)", {"analyzer": "char", "ngram_range": (3, 3)})],
)
def test_tfidf_is_that_of_scikit_learn(formula: str, settings: dict[str, object]) -> None:
    vectorizer = TfidfVectorizer(lowercase=False, **settings)
    x = vectorizer.fit_transform(TEXTS[:4])
    kernel, _ = Kernel(formula).resolve(TEXTS[:4])
    np.testing.assert_allclose(kernel.gram(TEXTS[:4]), (x @ x.T).toarray(), atol=1e-12)
    new = vectorizer.transform(TEXTS[4:])
    np.testing.assert_allclose(kernel.gram(TEXTS[4:], TEXTS[:4]), (new @ x.T).toarray(), atol=1e-12)


def test_counts_are_found_in_each_fold() -> None:
    y = np.array([1, 0, 1, 0, 0, 1] * 5)
    scores = cross_val_score(SVC(kernel="tfidf"), TEXTS * 5, y, cv=3)
    assert scores.min() > 0.9
    model = SVC(kernel="tfidf").fit(TEXTS, y[:6])
    assert 'counts=["6", "3 free", "3 prize"' in str(model.kernel_)
    assert (pickle.loads(pickle.dumps(model)).predict(TEXTS) == model.predict(TEXTS)).all()
