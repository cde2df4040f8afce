"""The evidence of a Gaussian process with its gradient, beside scikit-learn."""

import numpy as np

from harness import Peer, Row, Work, faster, points, register

COLUMNS = 8


def setup(n, d):
    X = points(n, d)
    noise = np.random.default_rng(1).standard_normal(n)
    return {"X": X, "y": np.sin(X[:, 0]) + X[:, 1] * X[:, 2] / 4 + 0.1 * noise}


def scales(d):
    return np.linspace(1.5, 4.0, d)


def mercer_evidence(data):
    from mercer import GaussianProcessRegressor

    d = data["X"].shape[1]
    kernel = f"2*rbf(length_scale={scales(d).tolist()})"
    model = GaussianProcessRegressor(kernel, alpha=0.01, tune=False)

    def call():
        value, gradient = model.log_evidence(data["X"], data["y"], eval_gradient=True)
        return np.concatenate([[value], np.sort(gradient)])

    return call


def scikit_learn_evidence(data):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    d = data["X"].shape[1]
    kernel = ConstantKernel(2.0) * RBF(scales(d)) + WhiteKernel(0.01)
    model = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(data["X"], data["y"])
    theta = model.kernel_.theta

    def call():
        value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
        return np.concatenate([[value], np.sort(gradient)])

    return call


register(
    Row(
        name="gp-evidence",
        what="evidence with gradient in 10 parameters (8 length scales, amplitude, noise), n=2,000",
        size={"n": 2_000, "d": COLUMNS},
        quick={"n": 400, "d": COLUMNS},
        setup=setup,
        mercer=mercer_evidence,
        peers=[Peer("scikit-learn", "scikit-learn", scikit_learn_evidence)],
        figures=[faster("scikit-learn", 3)],
        work=lambda n, d: Work(flops=n**3 + 2 * n * n * d, exps=n * n / 2),
        tolerance=1e-6,
    )
)
