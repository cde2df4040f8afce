//! Conjugate gradients with a randomly pivoted preconditioner.

use crate::approx::{LowRankPlusShift, RpCholeskyParams, rp_cholesky};
use crate::certificate::{Algorithm, Certificate, Stop};
use crate::error::{Result, counted};
use crate::gram::{DenseGram, KernelColumns, KernelMatrix, Streamed, dense};
use crate::linalg::{ColumnSource, LinearOperator};
use crate::model::Considered;
use crate::run::Run;
use crate::solver::{CgInfo, CgParams, System, conjugate_gradient};

use super::certify::{Answer, Story, certify};
use super::exact::{eliminate, factor_and_solve};
use super::problem::Problem;
use super::report::Solved;
use super::zero::{FAR, Reached, certify_or_clear};

/// How the kernel matrix is kept while it is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Storage {
    Stored,
    Streamed,
}

/// What to do.
pub(super) struct Iteration {
    pub(super) params: CgParams,
    pub(super) storage: Storage,
    /// Whether a stored matrix may be factored where the iteration does not converge.
    pub(super) may_factor: bool,
}

/// Rounds of iterations; each begins at the true residual of the last.
const ROUNDS: usize = 3;

/// √w·K·√w + shift.
struct Weighted<'a> {
    kernel: &'a dyn KernelMatrix,
    roots: Option<&'a [f64]>,
    shift: f64,
    /// √w·v, so that products need no memory of their own.
    scratch: std::sync::Mutex<Vec<f64>>,
}

impl LinearOperator for Weighted<'_> {
    fn nrows(&self) -> usize {
        self.kernel.nrows()
    }

    fn ncols(&self) -> usize {
        self.kernel.nrows()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let kernel = Streamed(self.kernel);
        match (self.roots, self.scratch.lock()) {
            (Some(roots), Ok(mut scaled)) => {
                scaled.resize(v.len(), 0.0);
                scaled.iter_mut().zip(v).enumerate().for_each(|(at, (s, v))| *s = roots[at / k] * v);
                kernel.apply(&scaled, k, out, run)?;
                out.iter_mut().enumerate().for_each(|(at, o)| *o *= roots[at / k]);
            }
            _ => kernel.apply(v, k, out, run)?,
        }
        out.iter_mut().zip(v).for_each(|(o, v)| *o += self.shift * v);
        Ok(())
    }
}

impl ColumnSource for Weighted<'_> {
    fn dim(&self) -> usize {
        self.kernel.nrows()
    }

    fn diag(&self, out: &mut [f64]) {
        self.kernel.diag(out);
        if let Some(roots) = self.roots {
            out.iter_mut().zip(roots).for_each(|(d, s)| *d *= s * s);
        }
    }

    fn column(&self, j: usize, out: &mut [f64], run: &Run) -> Result<()> {
        KernelColumns(self.kernel).column(j, out, run)?;
        if let Some(roots) = self.roots {
            out.iter_mut().zip(roots).for_each(|(k, s)| *k *= s * roots[j]);
        }
        Ok(())
    }
}

/// The rank of the preconditioner: its cost n·rank² is to stay near that of a few products.
fn rank(n: usize) -> usize {
    (n / 20).clamp(16, 600).min(n)
}

/// Solves by conjugate gradients, and certifies; a stored matrix is factored where they fail.
pub(super) fn cg(
    problem: &Problem,
    alpha: f64,
    plan: &Iteration,
    considered: Vec<Considered>,
    reason: String,
    run: &Run,
) -> Result<Solved> {
    let bound = problem.training.space.gram(&problem.training.x, run)?;
    if plan.storage == Storage::Streamed {
        let (reached, certificate) = iterate(problem, &bound, alpha, plan, reason, run)?;
        return checked(problem, &bound, reached, alpha, certificate, considered, run);
    }
    let gram: DenseGram<f64> = dense(&bound, run)?;
    let (reached, certificate) = iterate(problem, &gram, alpha, plan, reason, run)?;
    if !plan.may_factor || !matches!(certificate.stop, Stop::MaxIterations | Stop::Stagnation) {
        return checked(problem, &gram, reached, alpha, certificate, considered, run);
    }
    let reason = format!(
        "conjugate gradients reached a relative residual of {:.1e} in {}, so the matrix was factored",
        certificate.residual(),
        counted(certificate.iterations().unwrap_or(0), "iteration", "iterations")
    );
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
    let (limit, late) = ((problem.scaled_alpha(alpha), false), run.without_stops());
    let certificate = certify_or_clear(problem, &bound, &mut reached, limit, story, &late)?;
    Ok(solved(reached, alpha, certificate, considered))
}

/// What was reached, or f = 0 where that is better.
fn checked(
    problem: &Problem,
    kernel: &dyn KernelMatrix,
    mut reached: Reached,
    alpha: f64,
    certificate: Certificate,
    considered: Vec<Considered>,
    run: &Run,
) -> Result<Solved> {
    if certificate.residual() <= FAR {
        return Ok(solved(reached, alpha, certificate, considered));
    }
    let story = Story::from(&certificate);
    let (limit, late) = ((problem.scaled_alpha(alpha), false), run.without_stops());
    let certificate = certify_or_clear(problem, kernel, &mut reached, limit, story, &late)?;
    Ok(solved(reached, alpha, certificate, considered))
}

fn solved(reached: Reached, alpha: f64, certificate: Certificate, considered: Vec<Considered>) -> Solved {
    let Reached { coefficients, intercept } = reached;
    Solved { coefficients, intercept, support: None, alpha, certificate, loo: None, path: Vec::new(), considered }
}

/// Rounds of conjugate gradients until the true residual is below the tolerance.
fn iterate(
    problem: &Problem,
    kernel: &dyn KernelMatrix,
    alpha: f64,
    plan: &Iteration,
    reason: String,
    run: &Run,
) -> Result<(Reached, Certificate)> {
    let (n, c, scaled) = (problem.n, problem.outputs, problem.scaled_alpha(alpha));
    let roots = problem.root_weights();
    let weighted = Weighted { kernel, roots: roots.as_deref(), shift: scaled, scratch: Default::default() };
    let factor =
        rp_cholesky(&weighted, &RpCholeskyParams { rank: rank(n), residual_trace: scaled, seed: problem.seed }, run)?;
    // What the factor leaves is taken as a multiple of the identity: its mean joins the shift.
    let left = factor.residual_trace() / n as f64;
    let preconditioner = LowRankPlusShift::new(factor, scaled + left, &run.without_stops())?;
    let k = c + usize::from(problem.intercept);
    let rhs = right_hand_sides(problem, k);
    let system = System { operator: &weighted, preconditioner: &preconditioner, rhs: &rhs, k };
    let mut x = vec![0.0; n * k];
    let mut total = 0;
    // The residuals of y and of the intercept's column add up.
    let mut tolerance = 0.5 * plan.params.tolerance;
    let mut round = 0;
    loop {
        round += 1;
        let budget = plan.params.max_iterations.saturating_sub(total);
        let info = conjugate_gradient(&system, &mut x, &CgParams { tolerance, max_iterations: budget }, run)?;
        total += info.iterations;
        let mut both = x.clone();
        problem.weigh(&mut both, k);
        let (coefficients, intercept) = eliminate(&both, c, problem.intercept);
        let answer = Answer { coefficients: &coefficients, intercept: &intercept, alpha: scaled, interpolates: false };
        let story = story(&info, total, preconditioner.rank(), reason.clone());
        let mut certificate = certify(problem, kernel, answer, story, &run.without_stops())?;
        let good = certificate.residual() <= plan.params.tolerance;
        if good || round == ROUNDS || info.stop != Stop::Tolerance {
            if !good && info.stop == Stop::Tolerance {
                certificate.stop = Stop::Stagnation;
            }
            return Ok((Reached { coefficients, intercept }, certificate));
        }
        tolerance *= 0.1;
    }
}

fn story(info: &CgInfo, iterations: usize, rank: usize, reason: String) -> Story {
    Story {
        algorithm: Algorithm::Cg,
        reason,
        stop: info.stop,
        iterations: Some(iterations),
        jitter: 0.0,
        rank: Some(rank),
        condition: Some(info.condition),
    }
}

/// √w·y and, for the intercept, √w.
fn right_hand_sides(problem: &Problem, k: usize) -> Vec<f64> {
    let c = problem.outputs;
    let mut rhs = vec![1.0; problem.n * k];
    for (row, y) in rhs.chunks_mut(k).zip(problem.y.chunks(c)) {
        row[..c].copy_from_slice(y);
    }
    problem.weigh(&mut rhs, k);
    rhs
}
