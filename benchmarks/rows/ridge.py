"""Kernel ridge regression: exact, iterative, a path of alphas, prediction, landmarks."""

import numpy as np

from harness import Peer, Row, Work, costs_at_most, faster, memory_at_most, no_worse, points, register

LENGTH_SCALE = 5.0
LARGE_LENGTH_SCALE = 3.0
ALPHAS = np.logspace(-6, 3, 50)
LANDMARKS = 1_000


def smooth(X, seed):
    noise = np.random.default_rng(seed).standard_normal(len(X))
    return np.sin(X[:, 0]) + X[:, 1] * X[:, 2] / 4 + 0.1 * noise


def setup(n, d, m=200):
    X = points(n, d)
    return {"X": X, "y": smooth(X, 1), "X_new": points(m, d, seed=2)}


def gamma(length_scale=LENGTH_SCALE):
    return 1 / (2 * length_scale**2)


def mercer_ridge(data, length_scale=LENGTH_SCALE, **params):
    """A call that fits, and gives the model."""
    from mercer import KernelRidge

    model = KernelRidge(f"rbf(length_scale={length_scale})", **params)
    return lambda: model.fit(data["X"], data["y"])


def certified(model, tolerance=1e-8):
    if not model.certificate_.relative_residual <= tolerance:
        raise ValueError(f"not certified: {model.certificate_}")
    return model


def mercer_solve(solver, alpha):
    def make(data):
        fit = mercer_ridge(data, alpha=alpha, solver=solver)
        return lambda: certified(fit()).predict(data["X_new"])

    return make


def scikit_learn_solve(alpha):
    def make(data):
        from sklearn.kernel_ridge import KernelRidge

        model = KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma())
        return lambda: model.fit(data["X"], data["y"]).predict(data["X_new"])

    return make


def solve_row(name, what, solver, alpha, figures):
    register(
        Row(
            name=name,
            what=what,
            size={"n": 10_000, "d": 50},
            quick={"n": 2_000, "d": 50},
            setup=setup,
            mercer=mercer_solve(solver, alpha),
            peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_solve(alpha))],
            figures=figures,
            work=lambda n, d: Work(flops=n**3 / 3 + n * n * d, exps=n * n / 2),
            tolerance=1e-6,
        )
    )


solve_row(
    "ridge-exact",
    "ridge by a Cholesky factor, n=10,000, d=50, alpha=1, against KernelRidge",
    "cholesky",
    1.0,
    [
        faster("scikit-learn", 1.3),
        memory_at_most("scikit-learn", "8n²+15 %", lambda n, d: 8 * n * n * 1.15),
    ],
)
solve_row(
    "ridge-auto",
    "the same by `auto`, certified to 1e-8",
    "auto",
    1.0,
    [faster("scikit-learn", 3)],
)
solve_row(
    "ridge-auto-small-alpha",
    "the same with alpha=1e-4",
    "auto",
    1e-4,
    [faster("scikit-learn", 1.3)],
)


def mercer_path(data):
    fit = mercer_ridge(data, alpha="loo", alphas=ALPHAS, solver="eigen")
    return lambda: np.array([score.loo for score in fit().path_])


def numpy_eigh(data):
    """The decomposition alone, of a matrix that is there already."""
    X = data["X"] / LENGTH_SCALE
    h = 0.5 * np.einsum("ij,ij->i", X, X)
    K = np.exp(np.minimum(X @ X.T - h[:, None] - h[None, :], 0.0))
    y = data["y"]

    def call():
        values, vectors = np.linalg.eigh(K)
        return scores(values, vectors, y)

    return call


def scores(values, vectors, y):
    """Leave-one-out of every alpha, so that results can be compared; 2 % of the time of `eigh`."""
    filters = 1 / (values[:, None] + ALPHAS)
    residuals = vectors @ (filters * (vectors.T @ y)[:, None]) / ((vectors * vectors) @ filters)
    return (residuals**2).mean(axis=0)


def scikit_learn_grid(data):
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(
        KernelRidge(kernel="rbf", gamma=gamma()),
        {"alpha": ALPHAS},
        cv=5,
        scoring="neg_mean_squared_error",
    )
    return lambda: search.fit(data["X"], data["y"])


def path_row(name, what, peer, figures, tolerance):
    register(
        Row(
            name=name,
            what=what,
            size={"n": 3_000, "d": 50},
            quick={"n": 600, "d": 50},
            setup=setup,
            mercer=mercer_path,
            peers=[peer],
            figures=figures,
            work=lambda n, d: Work(flops=4 * n**3 / 3),
            tolerance=tolerance,
        )
    )


path_row(
    "ridge-path-eigh",
    "50 alphas with exact leave-one-out, n=3,000, against eigh of that size",
    Peer("NumPy eigh", "numpy", numpy_eigh),
    [costs_at_most("NumPy eigh", 1.6)],
    1e-6,
)
path_row(
    "ridge-path-grid",
    "the same against GridSearchCV(KernelRidge), 5 folds",
    Peer("scikit-learn", "scikit-learn", scikit_learn_grid),
    [faster("scikit-learn", 15)],
    None,
)


def mercer_predict(data):
    model = mercer_ridge(data, solver="cholesky")()
    return lambda: model.predict(data["X_new"])


def scikit_learn_predict(data):
    from sklearn.kernel_ridge import KernelRidge

    model = KernelRidge(alpha=1.0, kernel="rbf", gamma=gamma()).fit(data["X"], data["y"])
    return lambda: model.predict(data["X_new"])


def predict_row(d, times):
    register(
        Row(
            name=f"ridge-predict-{d}",
            what=f"prediction of 100,000 points from 5,000, d={d}, against KernelRidge.predict",
            size={"n": 5_000, "d": d, "m": 100_000},
            quick={"n": 1_000, "d": d, "m": 10_000},
            setup=setup,
            mercer=mercer_predict,
            peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_predict)],
            figures=[faster("scikit-learn", times)],
            work=lambda n, d, m: Work(flops=2 * n * m * (d + 1), exps=n * m),
        )
    )


predict_row(50, 4)
predict_row(10, 8)


def error(predictions, X_new):
    """Root mean squared error against the function without noise."""
    truth = np.sin(X_new[:, 0]) + X_new[:, 1] * X_new[:, 2] / 4
    return float(np.sqrt(np.mean((predictions - truth) ** 2)))


def mercer_landmarks(data):
    m = min(LANDMARKS, len(data["X"]) // 10)
    fit = mercer_ridge(data, LARGE_LENGTH_SCALE, solver="nystrom", landmarks=m)
    return lambda: error(fit().predict(data["X_new"]), data["X_new"])


def scikit_learn_landmarks(data):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    m = min(LANDMARKS, len(data["X"]) // 10)
    features = Nystroem(gamma=gamma(LARGE_LENGTH_SCALE), n_components=m, random_state=0)
    model = make_pipeline(features, Ridge(alpha=1.0, fit_intercept=False))

    def call():
        return error(model.fit(data["X"], data["y"]).predict(data["X_new"]), data["X_new"])

    return call


register(
    Row(
        name="ridge-nystrom",
        what="1,000 landmarks, n=500,000, d=10, against Nystroem and Ridge",
        size={"n": 500_000, "d": 10, "m": 10_000},
        quick={"n": 20_000, "d": 10, "m": 1_000},
        setup=setup,
        mercer=mercer_landmarks,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_landmarks)],
        figures=[
            faster("scikit-learn", 3),
            memory_at_most("scikit-learn", "2 GB", lambda n, d, m: 2e9),
            no_worse("scikit-learn"),
        ],
        work=lambda n, d, m: Work(flops=n * LANDMARKS**2, exps=n * LANDMARKS),
        tolerance=None,
    )
)
