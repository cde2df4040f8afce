//! How far the answers of a process are from their solutions, computed from the answers themselves: when
//! they were found, and again from a saved model and its data.

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::{Bound, apply, dense};
use crate::kernel::Registry;
use crate::linalg::CholeskyInfo;
use crate::model::Expansion;
use crate::model::training::NamedKernel;
use crate::run::Run;

use super::classify::{GaussianProcessClassifier, joined};
use super::classify_evidence::LabelProblem;
use super::classify_model::GaussianProcessClassifierModel;
use super::evidence::Factored;
use super::laplace::{Labels, factor_curvature, product};
use super::problem::Problem;
use super::regress_model::GaussianProcessModel;

/// K·β computed again, and from it the residual and both objectives of the ridge problem.
pub(super) fn regression(
    problem: &Problem,
    bound: &Bound,
    (beta, alpha): (&[f64], f64),
    info: &CholeskyInfo,
    run: &Run,
) -> Result<Certificate> {
    let (n, c) = (problem.training.n, problem.outputs);
    let mut fitted = vec![0.0; n * c];
    apply(bound, beta, c, &mut fitted, run)?;
    let (mut worst, mut primal, mut dual) = (0.0f64, 0.0, 0.0);
    for o in 0..c {
        let (mut residual, mut target) = (0.0, 0.0);
        let unit = problem.unit[o] * problem.unit[o];
        for i in 0..n {
            let at = i * c + o;
            let (z, b, f, noise) = (problem.z[at], beta[at], fitted[at], problem.noise(alpha, i));
            residual += (z - f - noise * b).powi(2);
            target += z * z;
            let weight = problem.training.weights.as_ref().map_or(1.0, |w| w[i]);
            primal += unit * 0.5 * (weight * (z - f).powi(2) + alpha * b * f);
            dual += unit * alpha * b * (z - 0.5 * f - 0.5 * noise * b);
        }
        worst = worst.max(if residual == 0.0 { 0.0 } else { (residual / target.max(f64::MIN_POSITIVE)).sqrt() });
    }
    let reason = "a factor gives the variance and the evidence as well";
    Ok(Certificate {
        primal: Some(primal),
        dual: (alpha > 0.0).then_some(dual),
        jitter: info.jitter,
        condition: Some(info.condition),
        ..Certificate::new(Algorithm::Cholesky, reason, Stop::Direct).of_system("(K + alpha/w)·a = y", worst)
    })
}

/// f = K·a computed again; the residual of a = g(f), and the objective with the dual value of g(f), which
/// is feasible whatever a is: Σ w·H(|gᵢ|/wᵢ) − ½gᵀKg with H the entropy of a coin.
pub(super) fn classification(labels: Labels<'_>, bound: &Bound, a: &[f64], run: &Run) -> Result<Certificate> {
    let mut f = vec![0.0; a.len()];
    apply(bound, a, 1, &mut f, run)?;
    let (g, _) = labels.slopes(&f);
    let mut kg = vec![0.0; a.len()];
    apply(bound, &g, 1, &mut kg, run)?;
    let size: f64 = g.iter().map(|g| g * g).sum();
    let gap: f64 = g.iter().zip(a).map(|(g, a)| (g - a) * (g - a)).sum();
    let half = |a: &[f64], f: &[f64]| 0.5 * a.iter().zip(f).map(|(a, f)| a * f).sum::<f64>();
    let reason = "Newton's method finds the mode; its curvature there gives variance and evidence";
    let residual = (gap / size.max(f64::MIN_POSITIVE)).sqrt();
    let system = "a = w·(t − 1/(1 + exp(−K·a))), t = 0 or 1";
    Ok(Certificate {
        primal: Some(half(a, &f) - labels.log_likelihood(&f)),
        dual: Some(g.iter().enumerate().map(|(i, g)| entropy(labels, i, g.abs())).sum::<f64>() - half(&g, &kg)),
        ..Certificate::new(Algorithm::Laplace, reason, Stop::Tolerance).of_system(system, residual)
    })
}

/// wᵢ·H(p) with p = g/wᵢ and H(p) = −p·log p − (1 − p)·log(1 − p).
fn entropy(labels: Labels<'_>, i: usize, g: f64) -> f64 {
    let w = labels.weight(i);
    let p = (g / w).clamp(0.0, 1.0);
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    w * (term(p) + term(1.0 - p))
}

/// The coefficients of the rows that count; a model of a precomputed matrix has a place for every row.
fn counting(expansion: &Expansion, rows: &[usize]) -> Result<Vec<f64>> {
    let (c, all) = (expansion.outputs(), expansion.coefficients());
    let place = |(at, row): (usize, &usize)| match expansion.points() {
        Inputs::Precomputed(_) => *row,
        _ => at,
    };
    let places: Vec<usize> = rows.iter().enumerate().map(place).collect();
    match places.iter().all(|i| (i + 1) * c <= all.len()) {
        true => Ok(places.iter().flat_map(|i| all[i * c..(i + 1) * c].iter().copied()).collect()),
        false => Err(Error::shape("the rows of a process", expansion.points().len(), rows.len())),
    }
}

impl GaussianProcessModel {
    /// The certificate and the log evidence computed again from the rows of the fit; without `weights`, with
    /// those the model keeps.
    pub fn certify(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<(Certificate, f64)> {
        let parts = self.parts();
        let (registry, kernel): (&Registry, _) = (parts.expansion.space().registry(), self.kernel());
        let weights = weights.or(parts.weights.as_deref());
        let c = y.outputs();
        let centred = y.values().iter().enumerate().map(|(at, y)| y - parts.expansion.intercept()[at % c]);
        let y = Targets::new(centred.collect::<Vec<_>>(), c)?;
        let mut problem = Problem::new(NamedKernel { kernel, registry }, x, &y, weights, false, run)?;
        problem.prior.clone_from(&parts.prior);
        let bound = problem.training.space.gram(&problem.training.x, run)?;
        let rows: Vec<usize> = (0..problem.training.n).map(|i| problem.training.row(i)).collect();
        let coefficients = counting(&parts.expansion, &rows)?;
        let beta: Vec<f64> = coefficients.iter().enumerate().map(|(at, a)| a / problem.unit[at % c]).collect();
        let factored = Factored::new(&problem, &bound, parts.alpha, run)?;
        let found = regression(&problem, &bound, (&beta, parts.alpha), &factored.info, run)?;
        Ok((found, factored.log_evidence(&problem, parts.alpha)))
    }
}

impl GaussianProcessClassifierModel {
    /// The certificate and Laplace's approximation of the log evidence, at the modes as they are, computed
    /// again from the rows of the fit; without `weights`, with those the model keeps.
    pub fn certify(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<(Certificate, f64)> {
        let parts = self.parts();
        let learner = GaussianProcessClassifier { kernel: self.kernel().clone(), tuning: None };
        let weights = weights.or(parts.weights.as_deref());
        let problem: LabelProblem = learner.problem(x, y, weights, parts.expansion.space().registry(), run)?;
        let bound = problem.training.space.gram(&problem.training.x, run)?;
        let k = dense::<f64>(&bound, run)?;
        let mut factor = dense::<f64>(&k, run)?;
        let rows: Vec<usize> = (0..problem.training.n).map(|i| problem.training.row(i)).collect();
        let coefficients = counting(&parts.expansion, &rows)?;
        let (mut each, mut evidence) = (Vec::new(), 0.0);
        for o in 0..problem.outputs {
            let a: Vec<f64> = coefficients.iter().skip(o).step_by(problem.outputs).copied().collect();
            let found = classification(problem.output(o), &bound, &a, run)?;
            let (_, roots) = problem.output(o).slopes(&product(&k, &a, run)?);
            factor_curvature(&k, &roots, &mut factor, run)?;
            let half_log_det: f64 = (0..rows.len()).map(|i| factor.row(i)[i].ln()).sum();
            evidence -= found.primal.unwrap_or(f64::NAN) + half_log_det;
            each.push(found);
        }
        Ok((joined(&each), evidence))
    }
}
