"""Gram matrix of DNA by shared words of five letters, from raw strings."""

import numpy as np

from harness import Peer, Row, Work, register


def setup(n, letters):
    """Sequences by chance."""
    rng = np.random.default_rng(0)
    drawn = np.array(list("ACGT"))[rng.integers(0, 4, (n, letters))]
    return {"sequences": ["".join(row) for row in drawn]}


def mercer(data):
    import mercer
    import pandas

    table = pandas.DataFrame({"sequence": data["sequences"]})
    kernel = mercer.Kernel("spectrum(sequence, k=5)")
    return lambda: kernel.gram(table)


def scikit_learn(data):
    from sklearn.feature_extraction.text import CountVectorizer

    def gram():
        vectorizer = CountVectorizer(
            analyzer="char", ngram_range=(5, 5), lowercase=False, dtype=np.float64
        )
        counts = vectorizer.fit_transform(data["sequences"])
        return (counts @ counts.T).toarray()

    return gram


register(
    Row(
        name="spectrum-dna",
        what="spectrum Gram matrix (k = 5) of 10,000 DNA sequences against CountVectorizer and X·Xᵀ",
        size={"n": 10_000, "letters": 200},
        quick={"n": 1_000, "letters": 200},
        setup=setup,
        mercer=mercer,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn)],
        work=lambda n, letters: Work(fresh=8.0 * n * n),
    )
)
