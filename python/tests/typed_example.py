"""What a user's type checker sees; read by mypy in ``test_typing.py``, and run there."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import mercer
from mercer import (
    Certificate,
    GaussianProcessRegressor,
    Kernel,
    KernelClassifier,
    KernelLogisticRegression,
    KernelRidge,
    KernelSGDRegressor,
)

Floats = npt.NDArray[np.float64]

X: Floats = np.linspace(0, 3, 20).reshape(-1, 1)
y: Floats = np.sin(X[:, 0])


class Mine(KernelRidge):
    """An estimator of the user's."""

    def hello(self) -> str:
        return "hello"


assert_type(KernelRidge("rbf", alpha="loo").fit(X, y), KernelRidge)
assert_type(Mine().fit(X, y).hello(), str)
assert_type(KernelRidge(lambda a, b: float(a @ b)).fit(X, y).predict(X), Floats)
assert_type(KernelRidge().fit(X, y).certificate_, Certificate)
assert_type(KernelRidge().fit(X, y).predict_interval(X), tuple[Floats, Floats])
assert_type(KernelLogisticRegression().fit(X, y > 0.5), KernelLogisticRegression)
assert_type(KernelClassifier(loss="hinge").fit(X, y > 0.5).set_params(alpha=2.0), KernelClassifier)
assert_type(KernelSGDRegressor(passes=1).partial_fit(X, y).fit(X, y), KernelSGDRegressor)

process = GaussianProcessRegressor(tune=False).fit(X, y)
assert_type(process, GaussianProcessRegressor)
assert_type(process.predict(X), Floats)
assert_type(process.predict(X, return_std=True), tuple[Floats, Floats])
assert_type(process.predict(X, return_cov=True), tuple[Floats, Floats])
assert_type(process.log_evidence(X, y), float)
assert_type(process.log_evidence(X, y, eval_gradient=True), tuple[float, Floats])

k = 0.5 * Kernel("rbf(length_scale=1)") + mercer.kernels.linear() / 2
assert_type(k, Kernel)
assert_type(k.with_params(length_scale=2.0), Kernel)
assert_type(k.set_params(length_scale=2.0), Kernel)
assert_type(k.gram(X), npt.NDArray[Any])
assert_type(k.diag(X), Floats)
assert_type(mercer.check("linear").verdict, str)
assert_type(mercer.load("iris").name, str)
assert_type(mercer.__version__, str)
