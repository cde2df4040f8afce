//! How far the answers of a process are from their solutions, computed from the answers themselves: when
//! they were found, and again from a saved model and its data.

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::{Bound, dense};
use crate::kernel::Registry;
use crate::kernel::property::Standing;
use crate::linalg::{Ball, CholeskyInfo, largest_magnitude, power_of_two};
use crate::loss::{Logistic, ScalarRows};
use crate::model::Expansion;
use crate::model::penalized::{Claim, Rows};
use crate::model::squares::{Held, Squares, in_units};
use crate::model::training::{NamedKernel, Training};
use crate::run::Run;

use super::classify::{GaussianProcessClassifier, joined};
use super::classify_evidence::LabelProblem;
use super::classify_model::GaussianProcessClassifierModel;
use super::evidence::Factored;
use super::laplace::{Labels, factor_curvature, product};
use super::problem::Problem;
use super::regress_model::GaussianProcessModel;

/// What is certified of a regression: targets of the rows that count, the shift of the process and the coefficients, as
/// they are kept.
pub(super) struct Mean<'a> {
    /// Row-major: n×outputs.
    pub(super) y: &'a [f64],
    pub(super) shift: &'a [f64],
    pub(super) coefficients: &'a [f64],
    pub(super) alpha: f64,
}

/// K·a computed again, in doubled precision, and from it the residual and bounds of both objectives of the ridge problem.
pub(super) fn regression(
    training: &Training,
    bound: &Bound,
    mean: &Mean<'_>,
    info: &CholeskyInfo,
    run: &Run,
) -> Result<Certificate> {
    let c = mean.shift.len();
    // Powers of two change no digit.
    let of = |o: usize| largest_magnitude(&mean.y.iter().skip(o).step_by(c).copied().collect::<Vec<_>>());
    let units: Vec<f64> = (0..c).map(of).map(|m| if m > 0.0 { power_of_two(m) } else { 1.0 }).collect();
    let weight_unit = training.weights.as_ref().map_or(1.0, |w| power_of_two(largest_magnitude(w)));
    let weights: Option<Vec<f64>> =
        training.weights.as_ref().map(|w| w.iter().map(|w| (w / weight_unit).max(f64::MIN_POSITIVE)).collect());
    let scaled = |v: &[f64]| v.iter().enumerate().map(|(at, v)| v / units[at % c]).collect::<Vec<f64>>();
    let (shift, coefficients) = (scaled(mean.shift), scaled(mean.coefficients));
    let centred =
        scaled(mean.y).iter().enumerate().map(|(at, y)| Ball::from(*y) - Ball::from(shift[at % c])).collect::<Vec<_>>();
    let squares = Squares {
        kernel: bound,
        y: &centred,
        outputs: c,
        weights: weights.as_deref(),
        alpha: mean.alpha / weight_unit,
        coefficients: &coefficients,
        intercept: None,
        weighted_residual: false,
    };
    let found = squares.certify(false, run)?.outputs;
    let total = |of: fn(&Held) -> f64| in_units(found.iter().map(of).zip(units.iter().copied()), weight_unit);
    let has_minimum = training.space.kernel().standing() != Standing::Indefinite;
    let reason = "a factor gives the variance and the evidence as well";
    let residual = found.iter().map(|h| h.residual).fold(0.0, f64::max);
    Ok(Certificate {
        primal: Some(total(|h| h.primal).0),
        dual: (mean.alpha > 0.0 && has_minimum).then(|| total(|h| h.dual).1),
        rounding: Some(total(|h| h.rounding).0),
        jitter: info.jitter,
        condition: Some(info.condition),
        ..Certificate::new(Algorithm::Cholesky, reason, Stop::Direct).of_system("(K + alpha/w)·a = y", residual)
    })
}

/// f = K·a computed again, in doubled precision: kernel logistic regression with alpha = 1, whose slopes at f are a dual
/// point whatever a is.
pub(super) fn classification(labels: Labels<'_>, bound: &Bound, a: &[f64], run: &Run) -> Result<Certificate> {
    let weights: Vec<f64> = (0..a.len()).map(|i| labels.weight(i)).collect();
    let claim = Claim {
        kernel: bound,
        loss: &ScalarRows { loss: &Logistic, y: labels.y },
        weights: &weights,
        alpha: 1.0,
        bound: None,
        coefficients: a,
        intercept: &[0.0],
        free: false,
        rows: Rows::One { loss: &Logistic, y: labels.y, smooth: true },
    };
    let found = claim.measure(run)?;
    let reason = "Newton's method finds the mode; its curvature there gives variance and evidence";
    let system = "a = w·(t − 1/(1 + exp(−K·a))), t = 0 or 1";
    Ok(Certificate {
        primal: Some(found.primal),
        dual: found.dual,
        rounding: Some(found.rounding),
        ..Certificate::new(Algorithm::Laplace, reason, Stop::Tolerance).of_system(system, found.slope_residual)
    })
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
        let (of_data, y) = (y, Targets::new(centred.collect::<Vec<_>>(), c)?);
        let mut problem = Problem::new(NamedKernel { kernel, registry }, x, &y, weights, false, run)?;
        problem.prior.clone_from(&parts.prior);
        let bound = problem.training.space.gram(&problem.training.x, run)?;
        let rows: Vec<usize> = (0..problem.training.n).map(|i| problem.training.row(i)).collect();
        let coefficients = counting(&parts.expansion, &rows)?;
        let factored = Factored::new(&problem, &bound, parts.alpha, run)?;
        let given: Vec<f64> = rows.iter().flat_map(|i| of_data.row(*i).to_vec()).collect();
        let shift = parts.expansion.intercept();
        let mean = Mean { y: &given, shift, coefficients: &coefficients, alpha: parts.alpha };
        let found = regression(&problem.training, &bound, &mean, &factored.info, run)?;
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
            let f = product(&k, &a, run)?;
            let (_, roots) = problem.output(o).slopes(&f);
            factor_curvature(&k, &roots, &mut factor, run)?;
            let half_log_det: f64 = (0..rows.len()).map(|i| factor.row(i)[i].ln()).sum();
            let norm: f64 = a.iter().zip(&f).map(|(a, f)| a * f).sum();
            evidence += problem.output(o).log_likelihood(&f) - 0.5 * norm - half_log_det;
            each.push(found);
        }
        Ok((joined(&each), evidence))
    }
}
