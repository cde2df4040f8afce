"""Functions, distances, sets, factors and spectra, against NumPy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.preprocessing import KernelCenterer

import mercer
from mercer import Kernel, errors, rkhs

KERNEL = Kernel("rbf(length_scale=1.3) + 0.2*linear")


def test_functions_are_their_sums(X: np.ndarray, Y: np.ndarray) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=len(X)), rng.normal(size=len(Y))
    f, g = rkhs.Function(KERNEL, X, a), rkhs.Function(KERNEL, Y, b)
    K, C, H = KERNEL.gram(X), KERNEL.gram(X, Y), KERNEL.gram(Y)
    np.testing.assert_allclose(f(Y), C.T @ a, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(f.norm() ** 2, a @ K @ a)
    np.testing.assert_allclose(f.inner(g), a @ C @ b)
    h = 2 * f - g / 4 + (-f)
    np.testing.assert_allclose(h(X), K @ a - C @ b / 4, atol=1e-11)
    np.testing.assert_allclose(h.norm() ** 2, a @ K @ a - a @ C @ b / 2 + b @ H @ b / 16)
    assert len(h) == 2 * len(X) + len(Y) and h.coefficients.shape == (len(h),)
    np.testing.assert_allclose(f.bound(Y), f.norm() * np.sqrt(np.diag(H)))
    assert (np.abs(f(Y)) <= f.bound(Y)).all()
    d = np.sqrt(np.diag(K)[:35] + np.diag(H) - 2 * np.diag(C[:35]))
    np.testing.assert_allclose(f.lipschitz(X[:35], Y), f.norm() * d)
    assert (np.abs(f(X[:35]) - f(Y)) <= f.lipschitz(X[:35], Y) + 1e-12).all()


def test_rules_are_resolved_once_and_kept(X: np.ndarray, Y: np.ndarray) -> None:
    f = rkhs.Function("rbf", X, np.ones(len(X)))
    resolved, found = Kernel("rbf").resolve(X)
    assert f.kernel == resolved and f.resolutions == found
    np.testing.assert_allclose(f(Y), resolved.gram(Y, X).sum(axis=1))
    with pytest.raises(errors.UnsupportedError, match="two kernels"):
        f + rkhs.Function("rbf", Y, np.ones(len(Y)))
    for wrong in (lambda: f + 1, lambda: f * f, lambda: "a" * f):
        with pytest.raises(TypeError):
            wrong()


def test_any_type_of_data(X: np.ndarray) -> None:
    table = pd.DataFrame({"age": X[:8, 0], "kind": list("abcabcab"), "note": [f"banana number {i * i} of many" for i in range(8)]})
    kernel = Kernel("rbf(age, length_scale=1)*delta(kind) + ngram(note, n=2)")
    f = rkhs.Function(kernel, table, np.arange(8.0))
    np.testing.assert_allclose(f(table), kernel.gram(table) @ np.arange(8.0))
    sparse = scipy.sparse.random(20, 50, 0.1, random_state=1, format="csr")
    g = rkhs.Function("linear", sparse, np.ones(20))
    np.testing.assert_allclose(g.norm(), np.linalg.norm(sparse.sum(axis=0)))
    tanimoto = Kernel.from_function(lambda x, y: x @ y / (x @ x + y @ y - x @ y), "shared_part")
    h = rkhs.Function(tanimoto, np.abs(X), np.ones(len(X)))
    np.testing.assert_allclose(h(np.abs(X)), tanimoto.gram(np.abs(X)).sum(axis=1))
    assert h.kernel == tanimoto


def test_distances(X: np.ndarray, Y: np.ndarray) -> None:
    K, C, H = KERNEL.gram(X), KERNEL.gram(X, Y), KERNEL.gram(Y)
    expected = np.sqrt(np.diag(K)[:, None] + np.diag(H)[None, :] - 2 * C)
    np.testing.assert_allclose(rkhs.distance(KERNEL, X, Y), expected)
    own = rkhs.distance(KERNEL, X)
    assert (np.diag(own) == 0).all() and (own == own.T).all()
    mean = rkhs.Barycentre(KERNEL, X)
    to_set = np.sqrt(np.diag(H) - 2 * C.mean(axis=0) + K.mean())
    np.testing.assert_allclose(mean.distance(Y), to_set)
    np.testing.assert_allclose(mean.function(Y), C.mean(axis=0), atol=1e-14)
    mmd = np.sqrt(K.mean() + H.mean() - 2 * C.mean())
    np.testing.assert_allclose(rkhs.set_distance(KERNEL, X, Y), mmd)
    rule = rkhs.Discrimination(KERNEL, X, Y)
    score = rule.score(X)
    np.testing.assert_allclose(score, mean.distance(X) ** 2 - rule.second.distance(X) ** 2, atol=1e-12)
    weights = np.arange(1.0, 61.0)
    w = weights / weights.sum()
    weighted = rkhs.Barycentre(KERNEL, X, weights)
    np.testing.assert_allclose(weighted.distance(Y) ** 2, np.diag(H) - 2 * w @ C + w @ K @ w)
    with pytest.raises(errors.ShapeError):
        rkhs.Barycentre(KERNEL, X[:0])


def test_centring_is_scikit_learns(X: np.ndarray, Y: np.ndarray) -> None:
    K, C = KERNEL.gram(X), KERNEL.gram(Y, X)
    peer = KernelCenterer().fit(K)
    centering = rkhs.Centering(K)
    np.testing.assert_allclose(centering.transform(K), peer.transform(K), atol=1e-12)
    np.testing.assert_allclose(centering.transform(C), peer.transform(C), atol=1e-12)
    np.testing.assert_allclose(centering.column_means, K.mean(axis=0))
    np.testing.assert_allclose(centering.grand_mean, K.mean())
    assert (centering.weights == 1 / 60).all()
    with pytest.raises(errors.ShapeError):
        centering.transform(C.T)
    with pytest.raises(errors.ShapeError):
        rkhs.Centering(C)


def test_the_factor_reproduces_the_kernel(X: np.ndarray, Y: np.ndarray) -> None:
    factor = rkhs.Factor("(linear + 1)^2", X)
    K, C = factor.kernel.gram(X), factor.kernel.gram(X, Y)
    assert factor.report.rank == 10 and factor.B.shape == (60, 10) and len(factor.pivots) == 10
    np.testing.assert_allclose(factor.B @ factor.B.T, K, atol=1e-10)
    F = factor.transform(Y)
    np.testing.assert_allclose(F, np.linalg.lstsq(factor.B, C)[0].T, atol=1e-10)
    np.testing.assert_allclose(factor.B @ F.T, C, atol=1e-10)
    np.testing.assert_allclose(factor.transform(X), factor.B, atol=1e-10)
    short = rkhs.Factor("rbf(length_scale=0.3)", X, max_rank=5)
    assert short.report.rank == 5 and "largest rank" in short.report.reason
    rest = short.kernel.gram(X) - short.B @ short.B.T
    np.testing.assert_allclose(np.trace(rest), short.report.residual_trace)
    assert np.abs(rest).max() <= short.report.largest_residual * (1 + 1e-12)
    given = rkhs.Factor("precomputed", mercer.Precomputed(K))
    assert given.report.rank == 10
    np.testing.assert_allclose(given.B @ given.B.T, K, atol=1e-10)
    np.testing.assert_allclose(given.transform(mercer.Precomputed(C.T.copy())), F, atol=1e-8)
    with pytest.raises(np.linalg.LinAlgError):
        rkhs.Factor("precomputed", mercer.Precomputed([[0.0, 1.0], [1.0, 0.0]]))


def test_spectra_are_numpys(X: np.ndarray, Y: np.ndarray) -> None:
    K, C = KERNEL.gram(X), KERNEL.gram(Y, X)
    values = KERNEL.eigvals(X)
    exact, vectors = np.linalg.eigh(K / 60)
    np.testing.assert_allclose(values, exact[::-1], atol=1e-14)
    psi = KERNEL.eigenfunctions(X, 4)
    assert len(psi) == 4 and psi.kernel == KERNEL
    np.testing.assert_allclose(psi.values, exact[::-1][:4])
    u = vectors[:, ::-1][:, :4]
    sign = np.sign((psi.at_points * u).sum(axis=0))
    np.testing.assert_allclose(psi.at_points, np.sqrt(60) * u * sign, atol=1e-11)
    np.testing.assert_allclose(psi(Y), C @ u * sign / (np.sqrt(60) * exact[::-1][:4]), atol=1e-11)
    np.testing.assert_allclose(psi(X), psi.at_points, atol=1e-11)
    a = np.random.default_rng(4).normal(size=60)
    f = rkhs.Function(KERNEL, X, a)
    every = KERNEL.eigenfunctions(X, 60)
    np.testing.assert_allclose(every.norm(f(X)), f.norm(), rtol=1e-6)
    np.testing.assert_allclose(psi.coefficients(f(X)), psi.at_points.T @ f(X) / 60)
    with pytest.raises(errors.InvalidParameterError, match="n_components"):
        KERNEL.eigenfunctions(X, 0)


def test_audit() -> None:
    rng = np.random.default_rng(5)
    S = rng.normal(size=(20, 20))
    S = S + S.T
    report = mercer.audit(S)
    assert not report and report.verdict == "indefinite" and "aᵀKa" in report.summary
    values = np.linalg.eigvalsh(S)
    np.testing.assert_allclose([report.smallest_eigenvalue, report.largest_eigenvalue], values[[0, -1]])
    assert report.witness is not None
    a = report.witness.vector
    np.testing.assert_allclose(a @ S @ a, report.witness.value)
    x = rng.normal(size=15)
    energy = mercer.audit(-np.abs(np.subtract.outer(x, x)))
    assert energy.verdict == "indefinite" and energy.conditionally_positive_semidefinite
    plus = mercer.audit(np.abs(np.subtract.outer(x, x)))
    assert plus.conditional_witness is not None and abs(plus.conditional_witness.vector.sum()) < 1e-12
    assert mercer.audit(np.zeros((3, 3))) and mercer.audit(np.ones((3, 3))) and mercer.audit(np.zeros((0, 0)))
    assert mercer.audit([[1.0, np.nan], [0.0, 1.0]]).not_finite == (1, 0, 1)
    skew = mercer.audit([[1.0, 2.0], [3.0, 9.0]])
    assert skew.verdict == "not_symmetric" and skew.asymmetry == (1, 0, 1.0)
    assert mercer.audit([[1.0, 1 + 1e-9], [1 + 1e-9, 1.0]], tolerance=1e-6)
    with pytest.raises(errors.ShapeError):
        mercer.audit(np.ones((2, 3)))
    with pytest.raises(errors.InvalidParameterError):
        mercer.audit(np.eye(2), tolerance=-1.0)


@pytest.mark.parametrize("method", ["clip", "flip", "shift"])
def test_repair(method: str) -> None:
    rng = np.random.default_rng(6)
    S = rng.normal(size=(25, 25))
    S = S + S.T
    values, U = np.linalg.eigh(S)
    new = {"clip": np.maximum(values, 0), "flip": np.abs(values), "shift": values - values[0]}[method]
    fixed = mercer.repair(S, method)  # type: ignore[arg-type]
    np.testing.assert_allclose(fixed.gram, U * new @ U.T, atol=1e-12)
    assert mercer.audit(fixed.gram, tolerance=1e-12)
    np.testing.assert_allclose(fixed.report.moved, np.abs(new - values).sum())
    assert fixed.report.negative == (values < 0).sum()
    rows = rng.normal(size=(4, 25))
    M = {"clip": U * (values > 0) @ U.T, "flip": U * np.sign(values) @ U.T, "shift": np.eye(25)}[method]
    np.testing.assert_allclose(fixed.transform(rows), rows @ M, atol=1e-12)
    if method != "shift":
        np.testing.assert_allclose(fixed.transform(S), fixed.gram, atol=1e-12)
    with pytest.raises(errors.ShapeError):
        fixed.transform(rows.T)
    with pytest.raises(errors.ShapeError):
        mercer.repair(rows)
    with pytest.raises(errors.InvalidParameterError, match="clip"):
        mercer.repair(S, "mend")  # type: ignore[arg-type]
