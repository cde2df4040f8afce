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
