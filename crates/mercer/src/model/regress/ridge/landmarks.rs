//! Ridge regression on some of the points: exactly, where they span the space, or nearly.

use crate::approx::{LandmarkData, LandmarkSystem, NystromParams};
use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{Bound, KernelColumns, KernelMatrix, dense};
use crate::linalg::{PivotedParams, PivotedStop, pivoted_cholesky};
use crate::model::sample::subset;
use crate::model::{AlphaScore, Considered};
use crate::run::Run;
use crate::solver::SpectralRidge;

use super::certify::{Answer, landmark_objective};
use super::problem::Problem;
use super::report::Solved;
use super::selection::select;
use super::zero::{self, Reached};
use super::{Alpha, leverage};

/// Corrections from the recomputed gradient.
const ROUNDS: usize = 3;
/// Rows up to which leave-one-out residuals come along.
const FEW: usize = 500;
/// The gradient to reach.
const TOLERANCE: f64 = 1e-8;

/// Landmarks that the targets ask for, among pivots of a randomly pivoted Cholesky factor.
pub(super) fn nystrom(
    problem: &Problem,
    alpha: &Alpha,
    params: &NystromParams,
    considered: Vec<Considered>,
    reason: String,
    run: &Run,
) -> Result<Solved> {
    let chosen = select(problem, middle(alpha.list()), params.count(problem.n), run)?;
    on(problem, alpha, chosen, Algorithm::Nystrom, considered, reason, run)
}

/// The middle one of the alphas above 0: what landmarks are chosen for while alpha is not.
fn middle(alphas: &[f64]) -> f64 {
    let mut above: Vec<f64> = alphas.iter().copied().filter(|a| *a > 0.0).collect();
    above.sort_by(f64::total_cmp);
    above.get(above.len() / 2).copied().unwrap_or(0.0)
}

/// Points that span the whole feature space, found by complete pivoting: the same function as the
/// dual's, from fewer points.
pub(super) fn primal(
    problem: &Problem,
    alpha: &Alpha,
    considered: Vec<Considered>,
    reason: String,
    run: &Run,
) -> Result<Solved> {
    let gram = problem.training.space.gram(&problem.training.x, run)?;
    let most = problem.n.saturating_sub(1).max(1);
    let params = PivotedParams { max_rank: Some(most), tolerance: None };
    let factor = pivoted_cholesky(&KernelColumns(&gram), &params, run)?;
    match factor.stop() {
        PivotedStop::Tolerance | PivotedStop::FullRank => {}
        PivotedStop::MaxRank if problem.n == 1 => {}
        PivotedStop::MaxRank => {
            return Err(Error::Unsupported {
                what: format!("the solver `primal` with a kernel of full rank on {} rows", problem.n),
                alternative: "use the solver `auto`, `eigen` or `cholesky`".into(),
            });
        }
        _ => return Err(run.stop_reason().map_or_else(stalled, |r| run.task("primal", None).cancelled(r))),
    }
    on(problem, alpha, factor.pivots().to_vec(), Algorithm::Primal, considered, reason, run)
}

fn stalled() -> Error {
    Error::Unsupported { what: "a factor without an end".into(), alternative: "use the solver `eigen`".into() }
}

fn on(
    problem: &Problem,
    alpha: &Alpha,
    chosen: Vec<usize>,
    algorithm: Algorithm,
    considered: Vec<Considered>,
    reason: String,
    run: &Run,
) -> Result<Solved> {
    if matches!(alpha, Alpha::Loo(_)) {
        return Err(Error::Unsupported {
            what: format!("choosing alpha by leave-one-out with the solver `{}`", algorithm.name()),
            alternative: "choose it by `gcv`, or use the solver `eigen`".into(),
        });
    }
    if chosen.is_empty() {
        return Ok(zero::solution(problem, alpha, algorithm, considered, reason));
    }
    let k_zz = dense::<f64>(&problem.training.space.gram(&subset(&problem.training.x, &chosen), run)?, run)?;
    let m = k_zz.nrows();
    let (mut system, kept) = LandmarkSystem::new(k_zz.into_values(), m, problem.outputs, run)?;
    if kept.is_empty() {
        return Ok(zero::solution(problem, alpha, algorithm, considered, reason));
    }
    let support: Vec<usize> = kept.into_iter().map(|i| chosen[i]).collect();
    let bound = problem.training.cross(None, &support, run)?;
    let data = LandmarkData { cross: &bound, y: &problem.y, weights: problem.weights.as_deref() };
    let single = alpha.list().len() == 1 && problem.scaled_alpha(alpha.list()[0]) > 0.0;
    let scaled = problem.scaled_alpha(alpha.list()[0]);
    let raw = single && system.raw_is_safe(scaled, mass(&data, &bound, &problem.training.x, &support));
    system.accumulate(&data, !raw, run)?;
    let fit = Fit { problem, system: &system, data: &data, algorithm, reason, run: &run.without_stops() };
    let (coefficients, intercept, alpha, certificate, path) =
        if single { fit.one(alpha.list()[0])? } else { fit.many(alpha)? };
    let few = single && algorithm == Algorithm::Primal && problem.n <= FEW && (problem.n > 1 || !problem.intercept);
    let loo =
        few.then(|| leverage::leave_one_out(problem, &system, &bound, (&coefficients, &intercept), scaled, fit.run));
    let loo = loo.transpose()?;
    let answer = Answer {
        coefficients: &coefficients,
        intercept: &intercept,
        alpha: problem.scaled_alpha(alpha),
        interpolates: false,
    };
    let own = problem.training.space.gram(&subset(&problem.training.x, &support), run)?;
    let (primal, rounding) = landmark_objective(problem, &bound, &own, answer, &run.without_stops())?;
    let certificate = certificate.with(Measure::Primal, primal).with(Measure::Rounding, rounding);
    Ok(Solved { coefficients, intercept, support: Some(support), alpha, certificate, loo, path, considered })
}

/// Σ w·k(x, x), of a precomputed matrix from the landmarks alone.
pub(super) fn mass(data: &LandmarkData<'_>, bound: &Bound, x: &Inputs, support: &[usize]) -> f64 {
    let n = bound.nrows();
    if let Inputs::Precomputed(k) = x {
        return support.iter().map(|&i| k.row(i)[i]).sum::<f64>() / support.len().max(1) as f64 * n as f64;
    }
    let mut diagonal = vec![0.0; n];
    bound.diag(&mut diagonal);
    diagonal.iter().enumerate().map(|(i, k)| data.weights.map_or(1.0, |w| w[i]) * k).sum()
}

/// Coefficients, intercept, alpha, certificate, scores.
type Found = (Vec<f64>, Vec<f64>, f64, Certificate, Vec<AlphaScore>);

struct Fit<'a> {
    problem: &'a Problem,
    system: &'a LandmarkSystem,
    data: &'a LandmarkData<'a>,
    algorithm: Algorithm,
    reason: String,
    run: &'a Run,
}

impl Fit<'_> {
    /// One alpha > 0: a Cholesky factor, and corrections until the recomputed gradient is small.
    fn one(&self, alpha: f64) -> Result<Found> {
        let (problem, system, run) = (self.problem, self.system, self.run);
        let scaled = problem.scaled_alpha(alpha);
        let (factor, jitter, condition) = system.factor(scaled, problem.intercept, run)?;
        let mut u = system.normal_equations(problem.intercept).1;
        system.solve_with(&factor, &mut u, run)?;
        let mut best: Option<(f64, Found)> = None;
        for round in 0..=ROUNDS {
            let a = system.coefficients(&u);
            let gradient = system.gradient(self.data, &a, scaled, problem.intercept, run)?;
            let better = best.as_ref().is_none_or(|(relative, _)| gradient.relative < 0.5 * relative);
            if better {
                let certificate = self.certificate(gradient.relative, jitter, Some(condition));
                best = Some((gradient.relative, (a, gradient.intercept.clone(), alpha, certificate, Vec::new())));
            }
            if !better || gradient.relative <= TOLERANCE || round == ROUNDS {
                break;
            }
            let mut step = gradient.whitened;
            system.solve_with(&factor, &mut step, run)?;
            u.iter_mut().zip(&step).for_each(|(u, s)| *u += s);
        }
        best.map_or_else(|| Err(stalled()), |(relative, found)| self.not_worse(found, scaled, relative))
    }

    /// Outputs that are worse than f = 0 are f = 0, as rounding beside a tiny alpha can make them.
    fn not_worse(&self, found: Found, scaled: f64, relative: f64) -> Result<Found> {
        let problem = self.problem;
        let gradient = |a: &[f64]| self.system.gradient(self.data, a, scaled, problem.intercept, self.run);
        let (a, b, alpha, certificate, path) = found;
        if relative <= zero::FAR {
            return Ok((a, b, alpha, certificate, path));
        }
        let objectives = gradient(&a)?.objective;
        let worse: Vec<usize> = (0..problem.outputs).filter(|o| zero::is_worse(problem, *o, objectives[*o])).collect();
        if worse.is_empty() {
            return Ok((a, b, alpha, certificate, path));
        }
        let mut reached = Reached { coefficients: a, intercept: b };
        worse.iter().for_each(|o| reached.clear(problem, *o));
        let again = gradient(&reached.coefficients)?;
        let condition = certificate.get(Measure::Condition);
        let mut certificate = self.certificate(again.relative, certificate.jitter(), condition);
        certificate.reason.push_str(zero::NOTE);
        Ok((reached.coefficients, again.intercept, alpha, certificate, path))
    }

    /// A list of alphas, or alpha = 0, from one eigendecomposition of the normal equations.
    fn many(&self, alpha: &Alpha) -> Result<Found> {
        let (problem, system, run) = (self.problem, self.system, self.run);
        let (mut gram, rhs) = system.normal_equations(problem.intercept);
        let (m, c) = (system.rank(), problem.outputs);
        let spectral = SpectralRidge::new(&mut gram, m, &rhs, None, run)?;
        let scaled: Vec<f64> = alpha.list().iter().map(|a| problem.scaled_alpha(*a)).collect();
        let all = spectral.solve(&scaled, run)?;
        let traces: Vec<f64> = spectral.spread(&scaled, run)?.iter().map(|s| s.trace).collect();
        let of = |a: usize| {
            all.chunks(c * scaled.len()).flat_map(|row| row[a * c..(a + 1) * c].iter().copied()).collect::<Vec<f64>>()
        };
        let mut path = Vec::new();
        for (a, value) in alpha.list().iter().enumerate() {
            path.push(self.score(*value, scaled[a], &of(a), &rhs, traces[a], spectral.rank()));
        }
        let best = (0..path.len()).reduce(|b, a| if path[a].gcv < path[b].gcv { a } else { b }).unwrap_or(0);
        let a = system.coefficients(&of(best));
        let least = if spectral.is_zero(scaled[best]) { 0.0 } else { scaled[best] };
        let gradient = system.gradient(self.data, &a, least, problem.intercept, run)?;
        let certificate = self.certificate(gradient.relative, 0.0, Some(spectral.condition(scaled[best])));
        let path = if path.len() > 1 { path } else { Vec::new() };
        let found = (a, gradient.intercept, alpha.list()[best], certificate, path);
        self.not_worse(found, least, gradient.relative)
    }

    /// GCV from the sums alone: RSS = ‖y‖² − 2uᵀr + uᵀGu with G·u = r − alpha·u.
    fn score(&self, alpha: f64, scaled: f64, u: &[f64], rhs: &[f64], trace: f64, rank: usize) -> AlphaScore {
        let (problem, c) = (self.problem, self.problem.outputs);
        let squares = self.system.target_squares(problem.intercept);
        let mut rss = 0.0;
        for (o, square) in squares.iter().enumerate() {
            let dot = |v: &[f64]| {
                u.iter().skip(o).step_by(c).zip(v.iter().skip(o).step_by(c)).map(|(a, b)| a * b).sum::<f64>()
            };
            // Cancels where the fit is nearly perfect; below zero it is rounding.
            rss += (square - dot(rhs) - scaled * dot(u)).max(0.0) * problem.units[o].powi(2);
        }
        let fitted = if scaled > 0.0 { self.system.rank() as f64 - scaled * trace } else { rank as f64 };
        let freedom = fitted + f64::from(u8::from(problem.intercept));
        let n = problem.n as f64;
        AlphaScore { alpha, loo: None, gcv: n * problem.weight_unit * rss / (n - freedom).powi(2), freedom }
    }

    /// Without the objective, which is computed once, at the end.
    fn certificate(&self, relative: f64, jitter: f64, condition: Option<f64>) -> Certificate {
        let system = "the gradient at the landmarks, in the norm of the space, over that of f = 0";
        Certificate::new(self.algorithm, self.reason.clone(), Stop::Direct)
            .of_system(system, relative)
            .with(Measure::Jitter, Some(jitter).filter(|j| *j > 0.0))
            .count(Measure::Rank, self.system.rank())
            .with(Measure::Condition, condition)
    }
}
