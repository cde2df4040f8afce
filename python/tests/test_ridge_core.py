"""The private binding of kernel ridge regression, which `mercer.KernelRidge` is built on."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

import mercer
from mercer import _core

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))
NEW = RNG.normal(size=(7, 3))
WEIGHTS = RNG.uniform(0.5, 2.0, size=40)


def fit(alpha, solver="auto", weights=None, fit_intercept=False):
    kernel = _core.Expr("rbf(gamma=0.3)", [])
    choices = {"alpha": alpha, "solver": solver, "fit_intercept": fit_intercept}
    return _core.learn("ridge", kernel, _core.Inputs.dense(X), Y, False, weights, choices, None, _core.Options())


@pytest.mark.parametrize("solver", ["auto", "eigen", "cholesky", {"cg": {}}, {"nystrom": {}}])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_every_solver_is_scikit_learn(solver, weights):
    model = fit({"value": 0.5}, solver=solver, weights=weights)
    peer = KernelRidge(alpha=0.5, kernel="rbf", gamma=0.3).fit(X, Y, sample_weight=weights)
    predictions = model.predict(_core.Inputs.dense(NEW), _core.Options())
    np.testing.assert_allclose(predictions, peer.predict(NEW), atol=1e-6)
    assert model.certificate()["measures"]["relative_residual"] <= 1e-8


def test_the_path_is_reported_and_its_best_taken():
    alphas = [1e-3, 1.0, 1e3]
    model = fit({"loo": alphas}, fit_intercept=True)
    errors = [loo for _, loo, _, _ in model.path()]
    assert model.alpha == alphas[int(np.argmin(errors))]
    residuals, predictions = model.leave_one_out(_core.Options())
    np.testing.assert_allclose(residuals + predictions, Y, atol=1e-12)
    assert np.isclose((residuals**2).sum() / 40, min(errors))


def test_intervals_hold_the_prediction():
    model = fit({"value": 0.5}, solver="cholesky")
    points = _core.Inputs.dense(NEW)
    lower, upper = model.interval(points, 0.8, _core.Options())
    middle = model.predict(points, _core.Options())
    assert ((lower <= middle) & (middle <= upper)).all()


@pytest.mark.parametrize(
    "wrong", [{"solver": "newton"}, {"alpha": {"value": -1.0}}, {"alpha": {"loo": []}}, {"solver": {"cg": {"steps": 3}}}]
)
def test_bad_choices_are_named(wrong):
    with pytest.raises(mercer.errors.InvalidParameterError, match=next(iter(wrong))):
        fit(**{"alpha": {"value": 1.0}, **wrong})
