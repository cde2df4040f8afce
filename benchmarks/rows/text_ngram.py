"""Gram matrix of texts by shared character trigrams, from raw strings."""

import numpy as np

from harness import Peer, Row, Work, register

WORDS = 2_000
LETTERS = np.array(list("etaoinshrdlucmfw"))


def setup(n, words):
    """Sentences over a made-up vocabulary whose words are used unevenly."""
    rng = np.random.default_rng(0)
    vocabulary = ["".join(rng.choice(LETTERS, rng.integers(2, 10))) for _ in range(WORDS)]
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, size=(n, words), p=weights / weights.sum())
    return {"texts": [" ".join(vocabulary[i] for i in row) for row in drawn]}


def mercer(data):
    import mercer
    import pandas

    table = pandas.DataFrame({"text": data["texts"]})
    kernel = mercer.Kernel("ngram(text, n=3)")
    return lambda: kernel.gram(table)


def scikit_learn(data):
    from sklearn.feature_extraction.text import CountVectorizer

    def gram():
        vectorizer = CountVectorizer(
            analyzer="char", ngram_range=(3, 3), lowercase=False, dtype=np.float64
        )
        counts = vectorizer.fit_transform(data["texts"])
        return (counts @ counts.T).toarray()

    return gram


register(
    Row(
        name="text-ngram",
        what="character-trigram Gram matrix of 3,000 texts against CountVectorizer and X·Xᵀ",
        size={"n": 3_000, "words": 40},
        quick={"n": 500, "words": 40},
        setup=setup,
        mercer=mercer,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn)],
        work=lambda n, words: Work(fresh=8.0 * n * n),
    )
)
