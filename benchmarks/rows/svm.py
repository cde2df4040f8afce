"""Support vector machines beside LIBSVM (through scikit-learn): training and prediction, each at the same tolerance.

Data sets that are too large for the project are read from a folder `shared/data` beside it, or from `MERCER_DATA`.
"""

import gzip
import os
from pathlib import Path

import numpy as np

from harness import Peer, Row, faster, register

DATA = Path(os.environ.get("MERCER_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data"))


def sparse(name):
    from sklearn.datasets import load_svmlight_file

    with gzip.open(DATA / "classification" / "libsvm" / name) as file:
        X, y = load_svmlight_file(file, n_features=123)
    # scikit-learn's SVC wants indices of 32 bits.
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def a9a(n):
    (X, y), (X_new, y_new) = sparse("a9a.gz"), sparse("a9a.t.gz")
    return {"X": X[:n], "y": y[:n], "X_new": X_new, "y_new": y_new, "settings": {"C": 1.0, "gamma": 0.05}}


def table(path):
    with gzip.open(DATA / path, "rt") as file:
        file.readline()
        return [line.rstrip("\n").replace('"', "").split(",") for line in file]


def letter(n):
    rows = table("classification/letterrecognition.csv.gz")
    X = np.array([row[:-1] for row in rows], float) / 15
    y = np.array([row[-1] for row in rows])
    settings = {"C": 16.0, "gamma": 4.0}
    return {"X": X[:n], "y": y[:n], "X_new": X[15_000:], "y_new": y[15_000:], "settings": settings}


def california(n):
    rows = np.array(table("regression/california_housing.csv.gz"), float)
    X, y = rows[:, :-1], rows[:, -1]
    X = (X - X[:10_000].mean(0)) / X[:10_000].std(0)
    settings = {"C": 10.0, "gamma": 0.3, "epsilon": 0.1}
    return {"X": X[:n], "y": y[:n], "X_new": X[10_000:], "y_new": y[10_000:], "settings": settings}


def images(name):
    with gzip.open(DATA / "images" / "mnist" / name) as file:
        header = np.frombuffer(file.read(4), ">u1")
        shape = np.frombuffer(file.read(4 * header[3]), ">u4")
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def mnist(n):
    X, X_new = (images(f"{part}-images-idx3-ubyte.gz").reshape(-1, 784) / 255 for part in ("train", "t10k"))
    y, y_new = (images(f"{part}-labels-idx1-ubyte.gz") for part in ("train", "t10k"))
    return {"X": X[:n], "y": y[:n], "X_new": X_new, "y_new": y_new, "settings": {"C": 10.0, "gamma": 0.02}}


def mercer_model(data):
    import mercer

    return (mercer.SVR if "epsilon" in data["settings"] else mercer.SVC)(**data["settings"], tol=1e-3)


def libsvm_model(data):
    from sklearn import svm

    return (svm.SVR if "epsilon" in data["settings"] else svm.SVC)(**data["settings"], tol=1e-3, cache_size=1000)


def training(model):
    def make(data):
        return lambda: dual(model(data).fit(data["X"], data["y"]), data)

    return make


def dual(fitted, data):
    """What tells two solutions apart: their answers on some rows."""
    some = data["X_new"][:200]
    return fitted.predict(some) if "epsilon" in data["settings"] else np.ravel(fitted.decision_function(some))


def predicting(model):
    def make(data):
        fitted = model(data).fit(data["X"], data["y"])
        return lambda: np.unique(fitted.predict(data["X_new"]), return_inverse=True)[1].astype(float)

    return make


SETS = {
    # name: set-up, rows, rows when quick, what, figure of training, figure of prediction
    "a9a": (a9a, 32_561, 3_000, "a9a, 32,561×123 sparse, C=1, gamma=0.05", 6, 10),
    "letter": (letter, 15_000, 2_000, "letter, 15,000×16, 26 classes, C=16, gamma=4", 2, 5),
    "california": (california, 10_000, 2_000, "California, 10,000×8, SVR, C=10, gamma=0.3, epsilon=0.1", 5, None),
    "mnist": (mnist, 60_000, 3_000, "MNIST, 60,000×784, C=10, gamma=0.02", 5, None),
}

for name, (setup, n, quick, what, train, predict) in SETS.items():
    register(
        Row(
            name=f"svm-{name}",
            what=f"training: {what}, tolerance 1e-3",
            size={"n": n},
            quick={"n": quick},
            setup=setup,
            mercer=training(mercer_model),
            peers=[Peer("scikit-learn", "scikit-learn", training(libsvm_model))],
            figures=[faster("scikit-learn", train)],
            # Both stop at a violation of 1e-3; votes of pairs jump.
            tolerance=None if name in ("letter", "mnist") else 2e-2,
        )
    )
    if predict is not None:
        register(
            Row(
                name=f"svm-predict-{name}",
                what=f"prediction of the test rows: {what}",
                size={"n": n},
                quick={"n": quick},
                setup=setup,
                mercer=predicting(mercer_model),
                peers=[Peer("scikit-learn", "scikit-learn", predicting(libsvm_model))],
                figures=[faster("scikit-learn", predict)],
                tolerance=None,
            )
        )
