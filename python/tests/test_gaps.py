"""Kernels that read gaps: k where both values are there, 1 where both are missing, 0 where one is."""

import pickle

import numpy as np
import pandas as pd
import pytest

import mercer

NAN = float("nan")


def data(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 1))
    y = np.sin(2 * x[:, 0])
    x[rng.random(n) < 0.3] = NAN
    return x, y


def definition(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    a, b = x[:, :1], z[:, :1].T
    k = np.exp(-0.5 * (a - b) ** 2)
    both = np.isnan(a) & np.isnan(b)
    return np.where(both, 1.0, np.where(np.isnan(a) | np.isnan(b), 0.0, k))


def test_values_are_the_definition() -> None:
    (x, _), (z, _) = data(30, 0), data(20, 1)
    kernel = mercer.Kernel("rbf(length_scale=1)").with_gaps()
    assert str(kernel) == "with_gaps(rbf(length_scale=1))"
    np.testing.assert_allclose(kernel.gram(x), definition(x, x), atol=1e-14)
    np.testing.assert_allclose(kernel.gram(z, x), definition(z, x), atol=1e-14)
    with pytest.raises(mercer.errors.NonFiniteError):
        mercer.Kernel("rbf(length_scale=1)").gram(x)


def test_estimators_fit_predict_and_travel_with_gaps() -> None:
    (x, y), (z, _) = data(60, 2), data(20, 3)
    model = mercer.KernelRidge("with_gaps(rbf(length_scale=1))", alpha=0.1).fit(x, y)
    given = mercer.KernelRidge("precomputed", alpha=0.1).fit(definition(x, x), y)
    np.testing.assert_allclose(model.predict(z), given.predict(definition(z, x)), atol=1e-9)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(z), model.predict(z))
    with pytest.raises(mercer.errors.NonFiniteError):
        mercer.KernelRidge("rbf(length_scale=1)").fit(x, y)


def test_the_main_job_reads_gaps_of_frames() -> None:
    x, y = data(60, 4)
    city = pd.Series(np.where(np.arange(60) % 3 == 0, "Oslo", "Rome"), dtype="object")
    city[np.arange(60) % 7 == 0] = None
    frame = pd.DataFrame({"x": x[:, 0], "city": city})
    job = mercer.fit(frame, y, kernel="with_gaps(rbf(x)) + with_gaps(delta(city))", estimate=False)
    assert np.isfinite(job.predict(frame)).all()
