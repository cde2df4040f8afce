"""Kernel logistic regression beside scikit-learn's Gaussian process classifier and calibrated SVC."""

import numpy as np

from harness import Peer, Row, Work, faster, points, register

LENGTH_SCALE = 3.0


def setup(n, d):
    X = points(n, d)
    noise = np.random.default_rng(1).logistic(size=n)
    return {"X": X, "y": (np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + noise > 0).astype(int), "X_new": points(500, d, seed=2)}


def mercer_fit(data):
    from mercer import KernelLogisticRegression

    model = KernelLogisticRegression(f"rbf(length_scale={LENGTH_SCALE})", alpha=1.0, fit_intercept=False)

    def call():
        fitted = model.fit(data["X"], data["y"])
        if not fitted.certificate_.gap <= 1e-8 * max(1.0, fitted.certificate_.primal):
            raise ValueError(f"not certified: {fitted.certificate_}")
        return fitted.decision_function(data["X_new"])

    return call


def scikit_learn_fit(data):
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF

    model = GaussianProcessClassifier(RBF(LENGTH_SCALE), optimizer=None)

    def call():
        fitted = model.fit(data["X"], data["y"])
        found = fitted.base_estimator_
        # The mode of the latent function at new points: the same function as Mercer's.
        return found.kernel_(data["X_new"], found.X_train_) @ (found.y_train_ - found.pi_)

    return call


register(
    Row(
        name="logistic-fit",
        what="logistic regression, n=2,000, d=10, gap ≤ 1e-8, against GaussianProcessClassifier without tuning",
        size={"n": 2_000, "d": 10},
        quick={"n": 400, "d": 10},
        setup=setup,
        mercer=mercer_fit,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_fit)],
        figures=[faster("scikit-learn", 10)],
        work=lambda n, d: Work(flops=6 * n**3 / 3, exps=n * n / 2),
        # scikit-learn stops Newton's method at a change of 1e-10 of the evidence.
        tolerance=1e-3,
    )
)


STRENGTHS = np.logspace(-4, 1, 6)


def digits(share):
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, test_size=share, random_state=0, stratify=y)
    # scikit-learn's default width of the kernel, for both.
    return {"X": X, "y": y, "X_new": X_new, "y_new": y_new, "gamma": 1 / (X.shape[1] * X.var())}


def chosen(model, name, values, data, score):
    """A call that picks one parameter by cross-validated log-loss, and its score on rows kept apart."""
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(model, {name: list(values)}, scoring="neg_log_loss", cv=5)
    return lambda: score(search.fit(data["X"], data["y"]).best_estimator_, data["X_new"], data["y_new"])


def mercer_digits(score):
    def make(data):
        from mercer import KernelLogisticRegression

        kernel = f"rbf(length_scale={(2 * data['gamma']) ** -0.5})"
        return chosen(KernelLogisticRegression(kernel), "alpha", STRENGTHS, data, score)

    return make


def scikit_learn_digits(score):
    def make(data):
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.svm import SVC

        model = CalibratedClassifierCV(SVC(gamma=data["gamma"]), ensemble=False)
        return chosen(model, "estimator__C", 1 / STRENGTHS, data, score)

    return make


def log_loss(model, X, y):
    from sklearn.metrics import log_loss

    return float(log_loss(y, model.predict_proba(X)))


def share_wrong(model, X, y):
    return float(np.mean(model.predict(X) != y))


for short, score in (("log-loss", log_loss), ("errors", share_wrong)):
    register(
        Row(
            name=f"digits-{short}",
            what=f"ten digits, {short} on 540 rows kept apart, against SVC with calibrated probabilities",
            size={"share": 0.3},
            quick={"share": 0.8},
            setup=digits,
            mercer=mercer_digits(score),
            peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_digits(score))],
            figures=[],
            work=None,
            tolerance=None,
        )
    )
