"""Stochastic gradient descent over a million rows that come in parts."""

import numpy as np

from harness import Peer, Row, Work, memory_at_most, register

LANDMARKS = 500
PART = 20_000


def target(X):
    return np.sin(X[:, 0]) + X[:, 1] * X[:, 2] / 4


def part(number, d):
    chance = np.random.default_rng(number)
    X = chance.standard_normal((PART, d))
    return X, target(X) + 0.1 * chance.standard_normal(PART)


def setup(n, d):
    return {"parts": n // PART, "d": d}


def learnt(data, learn, predict):
    """Feeds every part to `learn`; the error against the function without noise."""
    for number in range(data["parts"]):
        learn(*part(number, data["d"]))
    X = np.random.default_rng(2**20).standard_normal((5_000, data["d"]))
    error = np.sqrt(np.mean((predict(X) - target(X)) ** 2))
    print(f"RMSE after {data['parts'] * PART:,} rows: {error:.4f}")
    return np.array([error])


def mercer_learn(data):
    from mercer import KernelSGDRegressor

    def call():
        model = KernelSGDRegressor("rbf(length_scale=3)", landmarks=LANDMARKS)
        return learnt(data, model.partial_fit, model.predict)

    return call


def scikit_learn_learn(data):
    """The same steps on landmarks drawn uniformly from the first part."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import SGDRegressor

    def call():
        features = Nystroem(gamma=1 / 18, n_components=LANDMARKS, random_state=0).fit(part(0, data["d"])[0])
        model = SGDRegressor(
            penalty=None, fit_intercept=False, learning_rate="constant", eta0=1.0, average=True, shuffle=False
        )
        learn = lambda X, y: model.partial_fit(features.transform(X), y)  # noqa: E731
        return learnt(data, learn, lambda X: model.predict(features.transform(X)))

    return call


register(
    Row(
        name="sgd-million",
        what="stochastic gradient descent, a million rows in parts of 20,000, d=10, 500 landmarks",
        size={"n": 1_000_000, "d": 10},
        quick={"n": 40_000, "d": 10},
        setup=setup,
        mercer=mercer_learn,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_learn)],
        figures=[memory_at_most("scikit-learn", "500 MB", lambda n, d: 500e6)],
        work=lambda n, d: Work(flops=n * LANDMARKS**2, exps=n * LANDMARKS),
        tolerance=None,
    )
)
