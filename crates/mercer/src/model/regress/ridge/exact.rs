//! The direct solvers: one eigendecomposition, or one Cholesky factor.

use crate::certificate::{Algorithm, Stop};
use crate::error::{Error, Result};
use crate::gram::{DenseGram, KernelMatrix, Streamed, dense};
use crate::linalg::{cholesky_in_place_with_jitter, solve_cholesky};
use crate::model::Considered;
use crate::run::Run;
use crate::solver::SpectralRidge;

use super::Alpha;
use super::certify::Story;
use super::path::path;
use super::problem::Problem;
use super::report::Solved;
use super::zero::{Reached, certify_or_clear};

/// Eigenvalues this many times the rounding below zero are not rounding.
const CERTAIN: f64 = 100.0;

/// All alphas of the list from one eigendecomposition of √w·K·√w.
pub(super) fn eigen(
    problem: &Problem,
    alpha: &Alpha,
    considered: Vec<Considered>,
    reason: String,
    run: &Run,
) -> Result<Solved> {
    let matrix = problem.training.space.gram(&problem.training.x, run)?;
    let spectral = decompose(problem, &matrix, run)?;
    let found = path(problem, &spectral, alpha, run)?;
    let chosen = alpha.list()[found.chosen];
    let scaled = problem.scaled_alpha(chosen);
    let mut coefficients = found.beta;
    problem.weigh(&mut coefficients, problem.outputs);
    let kernel = Streamed(&matrix);
    let late = run.without_stops();
    let intercept = balance(problem, &kernel, &coefficients, &late)?;
    let interpolates = spectral.is_zero(scaled);
    let mut reached = Reached { coefficients, intercept };
    let limit = (scaled, interpolates);
    let story = Story {
        algorithm: Algorithm::Eigen,
        reason,
        stop: Stop::Direct,
        iterations: None,
        jitter: 0.0,
        rank: Some(spectral.rank()),
        condition: Some(spectral.condition(scaled)),
    };
    let certificate = certify_or_clear(problem, &matrix, &mut reached, limit, story, &late)?;
    let Reached { coefficients, intercept } = reached;
    Ok(Solved {
        coefficients,
        intercept,
        support: None,
        alpha: chosen,
        certificate,
        loo: found.loo,
        path: found.scores,
        considered,
    })
}

/// √w·K·√w, decomposed.
fn decompose(problem: &Problem, matrix: &dyn KernelMatrix, run: &Run) -> Result<SpectralRidge> {
    let n = problem.n;
    let mut gram: DenseGram<f64> = dense(matrix, run)?;
    let mut y = problem.y.clone();
    problem.weigh(&mut y, problem.outputs);
    if let Some(roots) = problem.root_weights() {
        for (i, row) in gram.values_mut().chunks_mut(n).enumerate() {
            row.iter_mut().zip(&roots).for_each(|(k, s)| *k *= s * roots[i]);
        }
    }
    let constant = problem.intercept.then(|| problem.constant());
    let spectral = SpectralRidge::new(gram.values_mut(), n, &y, constant.as_deref(), run)?;
    if spectral.smallest() < -CERTAIN * spectral.tolerance() {
        return Err(indefinite(problem, spectral.smallest()));
    }
    Ok(spectral)
}

fn indefinite(problem: &Problem, eigenvalue: f64) -> Error {
    Error::Domain {
        kernel: problem.training.space.kernel().to_string(),
        expected: "to be positive semi-definite for ridge regression".into(),
        got: format!("an eigenvalue of {eigenvalue:e} on these rows"),
        column: None,
        candidates: Vec::new(),
    }
}

/// b = Σ wᵢ(yᵢ − (Kα)ᵢ)/Σ wᵢ: the residuals add up to 0. Zeros without an intercept.
pub(super) fn balance(
    problem: &Problem,
    kernel: &dyn crate::linalg::LinearOperator,
    coefficients: &[f64],
    run: &Run,
) -> Result<Vec<f64>> {
    let c = problem.outputs;
    if !problem.intercept {
        return Ok(vec![0.0; c]);
    }
    let mut fitted = vec![0.0; problem.n * c];
    kernel.apply(coefficients, c, &mut fitted, run)?;
    let total: f64 = (0..problem.n).map(|i| problem.weight(i)).sum();
    let sum =
        |o: usize| (0..problem.n).map(|i| problem.weight(i) * (problem.y[i * c + o] - fitted[i * c + o])).sum::<f64>();
    Ok((0..c).map(|o| sum(o) / total).collect())
}

/// (K + alpha/w)·α + b = y by a Cholesky factor in the memory of K.
pub(super) fn cholesky(
    problem: &Problem,
    alpha: f64,
    considered: Vec<Considered>,
    reason: String,
    run: &Run,
) -> Result<Solved> {
    let matrix = problem.training.space.gram(&problem.training.x, run)?;
    let gram: DenseGram<f64> = dense(&matrix, run)?;
    let (coefficients, intercept, jitter, condition) = factor_and_solve(problem, gram, alpha, run)?;
    let mut reached = Reached { coefficients, intercept };
    let story = Story {
        algorithm: Algorithm::Cholesky,
        reason,
        stop: Stop::Direct,
        iterations: None,
        jitter,
        rank: None,
        condition: Some(condition),
    };
    let limit = (problem.scaled_alpha(alpha), false);
    let late = run.without_stops();
    let certificate = certify_or_clear(problem, &matrix, &mut reached, limit, story, &late)?;
    let Reached { coefficients, intercept } = reached;
    Ok(Solved { coefficients, intercept, support: None, alpha, certificate, loo: None, path: Vec::new(), considered })
}

/// α, b, jitter and condition; the memory of K is given back.
pub(super) fn factor_and_solve(
    problem: &Problem,
    mut gram: DenseGram<f64>,
    alpha: f64,
    run: &Run,
) -> Result<(Vec<f64>, Vec<f64>, f64, f64)> {
    let (n, c) = (problem.n, problem.outputs);
    let scaled = problem.scaled_alpha(alpha);
    for i in 0..n {
        gram.values_mut()[i * n + i] += (scaled / problem.weight(i)).min(f64::MAX / 8.0);
    }
    let info = cholesky_in_place_with_jitter(gram.values_mut(), n, run)?;
    let k = c + usize::from(problem.intercept);
    let mut both = vec![1.0; n * k];
    for (row, y) in both.chunks_mut(k).zip(problem.y.chunks(c)) {
        row[..c].copy_from_slice(y);
    }
    solve_cholesky(gram.values(), n, &mut both, k, run)?;
    let (coefficients, intercept) = eliminate(&both, c, problem.intercept);
    Ok((coefficients, intercept, info.jitter, info.condition))
}

/// From B⁻¹y and B⁻¹1, side by side: b = 1ᵀB⁻¹y/1ᵀB⁻¹1 and α = B⁻¹y − b·B⁻¹1.
pub(super) fn eliminate(solved: &[f64], c: usize, intercept: bool) -> (Vec<f64>, Vec<f64>) {
    if !intercept {
        return (solved.to_vec(), vec![0.0; c]);
    }
    let k = c + 1;
    let sum = |o: usize| solved.iter().skip(o).step_by(k).sum::<f64>();
    let ones = sum(c);
    let b: Vec<f64> = (0..c).map(|o| sum(o) / ones).collect();
    let coefficients =
        solved.chunks(k).flat_map(|row| (0..c).map(|o| row[o] - b[o] * row[c]).collect::<Vec<_>>()).collect();
    (coefficients, b)
}
