"""Fits of samples that nobody thought of, drawn with fixed seeds and judged by NumPy."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import mercer

FITS = 150
FRAMES = 60


def drawn_sample(rng):
    """Rows, classes, weights and settings of logistic regression on landmarks."""
    n, d, c = (int(rng.integers(*ends)) for ends in ((20, 80), (1, 4), (2, 5)))
    scale = 10.0 ** rng.integers(-3, 4)
    x = rng.normal(size=(n, d)) * scale
    if rng.random() < 0.3:
        x = np.round(x / scale) * scale
    y = rng.integers(0, c, size=n)
    y[:c] = np.arange(c)
    weights = None if rng.random() < 0.5 else rng.integers(1, 4, size=n).astype(float)
    settings = dict(
        alpha=10.0 ** rng.uniform(-3, 2),
        landmarks=int(rng.integers(2, max(3, n // 2))),
        fit_intercept=bool(rng.random() < 0.7),
    )
    return x, y, weights, f"rbf(length_scale={scale * rng.uniform(0.5, 3)})", settings


def test_the_objective_on_landmarks_is_that_of_its_own_answers():
    rng = np.random.default_rng(20)
    for _ in range(FITS):
        x, y, weights, kernel, settings = drawn_sample(rng)
        fit = mercer.KernelLogisticRegression(kernel, **settings).fit(x, y, sample_weight=weights)
        told = fit.certificate_
        assert told.gap >= 0 and told.stop in ("tolerance", "stagnation")
        if len(fit.dual_coef_) == len(x):
            continue  # As many landmarks as distinct rows: all rows, and another solver.
        given = fit.predict_proba(x)[np.arange(len(y)), y]
        loss = -(np.log(given) * (1.0 if weights is None else weights)).sum()
        objective = loss + 0.5 * settings["alpha"] * told.norm**2
        assert told.primal == pytest.approx(objective, rel=1e-7, abs=1e-7)
        assert told.gap <= 1e-6 * objective


def drawn_column(rng, n):
    kinds = [
        lambda: rng.normal(size=n) * 10.0 ** rng.integers(-200, 200),
        lambda: np.full(n, 3.0),
        lambda: rng.integers(0, 2, n).astype(float),
        lambda: rng.choice(list("abc"), n),
        lambda: [f"text {i} {rng.integers(9)}" for i in range(n)],
        lambda: (rng.random(n) < 0.05).astype(float),
        lambda: rng.normal(size=n),
    ]
    return kinds[int(rng.integers(len(kinds)))]()


def drawn_target(rng, n):
    kinds = [
        lambda: rng.normal(size=n) * 10.0 ** rng.integers(-100, 100),
        lambda: rng.integers(0, 3, n),
        lambda: rng.choice(["u", "v", "w"], n),
        lambda: rng.random(n) < 0.5,
        lambda: np.full(n, 1.0),
    ]
    return kinds[int(rng.integers(len(kinds)))]()


def test_a_frame_is_fitted_or_refused_with_a_sentence():
    rng = np.random.default_rng(16)
    fitted = 0
    for _ in range(FRAMES):
        n = int(rng.integers(2, 60))
        frame = pd.DataFrame({f"c{j}": drawn_column(rng, n) for j in range(int(rng.integers(1, 6)))})
        target = drawn_target(rng, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fit = mercer.fit(frame, target, estimate=False)
            except mercer.MercerError as refused:
                assert len(str(refused)) > 20
                continue
            found = fit.predict(frame)
        fitted += 1
        assert len(found) == n
        assert fit.classes is not None or np.isfinite(found.astype(float)).all()
        assert np.array_equal(pickle.loads(pickle.dumps(fit)).predict(frame), found)
        assert fit.verify()["holds"]
    assert fitted > FRAMES // 3
