//! How far the answers of a process are from their solutions, computed from the answers themselves: when
//! they were found, and again from a saved model and its data.

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::{Bound, dense};
use crate::kernel::property::Standing;
use crate::linalg::{Ball, CholeskyInfo, largest_magnitude, power_of_two};
use crate::loss::{Logistic, ScalarRows};
use crate::model::penalized::{Claim, Rows};
use crate::model::squares::{Held, Squares, in_units};
use crate::model::{Expansion, Model, Sample};
use crate::run::Run;

use super::classify_evidence::LabelProblem;
use super::evidence::Factored;
use super::laplace::{Labels, factor_curvature, product};
use super::problem::Problem;

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
    training: &Sample,
    bound: &Bound,
    mean: &Mean<'_>,
    info: &CholeskyInfo,
    run: &Run,
) -> Result<Certificate> {
    let c = mean.shift.len();
    // Powers of two change no digit.
    let of = |o: usize| largest_magnitude(&mean.y.iter().skip(o).step_by(c).copied().collect::<Vec<_>>());
    let units: Vec<f64> = (0..c).map(of).map(power_of_two).collect();
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
    Ok(Certificate::new(Algorithm::Cholesky, reason, Stop::Direct)
        .of_system("(K + alpha/w)·a = y", residual)
        .with(Measure::Primal, total(|h| h.primal).0)
        .with(Measure::Dual, (mean.alpha > 0.0 && has_minimum).then(|| total(|h| h.dual).1))
        .with(Measure::Rounding, total(|h| h.rounding).0)
        .with(Measure::Jitter, Some(info.jitter).filter(|j| *j > 0.0))
        .with(Measure::Condition, info.condition))
}

/// f = K·a + b computed again, in doubled precision: kernel logistic regression with alpha = 1, whose slopes at f are a
/// dual point whatever a is. A process has no intercept b; one that a file brings makes the residual large.
pub(super) fn classification(labels: Labels<'_>, bound: &Bound, a: &[f64], b: f64, run: &Run) -> Result<Certificate> {
    let weights: Vec<f64> = (0..a.len()).map(|i| labels.weight(i)).collect();
    let claim = Claim {
        kernel: bound,
        loss: &ScalarRows { loss: &Logistic, y: labels.y },
        weights: &weights,
        alpha: 1.0,
        bound: None,
        coefficients: a,
        intercept: &[b],
        free: false,
        rows: Rows::One { loss: &Logistic, y: labels.y, smooth: true },
    };
    let found = claim.measure(run)?;
    let reason = "Newton's method finds the mode; its curvature there gives variance and evidence";
    let system = "a = w·(t − 1/(1 + exp(−K·a))), t = 0 or 1";
    Ok(Certificate::new(Algorithm::Laplace, reason, Stop::Tolerance)
        .of_system(system, found.slope_residual)
        .with(Measure::Primal, found.primal)
        .with(Measure::Dual, found.dual)
        .with(Measure::Rounding, found.rounding))
}

/// The coefficients of the rows that count; a model of a precomputed matrix has a place for every row.
pub(super) fn counting(expansion: &Expansion, sample: &Sample) -> Result<Vec<f64>> {
    let (c, all) = (expansion.outputs(), expansion.coefficients());
    let place = |at: usize| match expansion.points() {
        Inputs::Precomputed(_) => sample.row(at),
        _ => at,
    };
    let places: Vec<usize> = (0..sample.n).map(place).collect();
    match places.iter().all(|i| (i + 1) * c <= all.len()) {
        true => Ok(places.iter().flat_map(|i| all[i * c..(i + 1) * c].iter().copied()).collect()),
        false => Err(Error::shape("the rows of a process", expansion.points().len(), sample.n)),
    }
}

/// The certificate of a regression and its log evidence, computed again from the rows of the fit.
pub(super) fn regression_again(
    model: &Model,
    prior: &[f64],
    alpha: f64,
    sample: &Sample,
    run: &Run,
) -> Result<Certificate> {
    let (of_data, c, shift) = (sample.numbers()?, model.outputs(), model.intercept());
    if of_data.outputs() != c {
        return Err(Error::shape("the targets of the model", format!("{c} outputs"), of_data.outputs()));
    }
    let centred = of_data.values().iter().enumerate().map(|(at, y)| y - shift[at % c]);
    let mut problem = Problem::new(sample.clone(), &Targets::new(centred.collect::<Vec<_>>(), c)?, false);
    problem.prior = prior.to_vec();
    let bound = sample.space.gram(&sample.x, run)?;
    let coefficients = counting(model.expansion(), sample)?;
    let factored = Factored::new(&problem, &bound, alpha, run)?;
    let mean = Mean { y: of_data.values(), shift, coefficients: &coefficients, alpha };
    let found = regression(sample, &bound, &mean, &factored.info, run)?;
    Ok(found.with(Measure::LogEvidence, factored.log_evidence(&problem, alpha)))
}

/// The certificate of a classification and Laplace's approximation of its log evidence, at the modes as they are.
pub(super) fn classification_again(model: &Model, problem: &LabelProblem, run: &Run) -> Result<Certificate> {
    let sample = &problem.training;
    if model.outputs() != problem.outputs {
        return Err(Error::shape("the targets of the model", format!("{} outputs", model.outputs()), problem.outputs));
    }
    let bound = sample.space.gram(&sample.x, run)?;
    let k = dense::<f64>(&bound, run)?;
    let mut factor = dense::<f64>(&k, run)?;
    let coefficients = counting(model.expansion(), sample)?;
    let (mut each, mut evidence) = (Vec::new(), 0.0);
    for o in 0..problem.outputs {
        let a: Vec<f64> = coefficients.iter().skip(o).step_by(problem.outputs).copied().collect();
        each.push(classification(problem.output(o), &bound, &a, model.intercept()[o], run)?);
        let f = product(&k, &a, run)?;
        let (_, roots) = problem.output(o).slopes(&f);
        factor_curvature(&k, &roots, &mut factor, run)?;
        let half_log_det: f64 = (0..sample.n).map(|i| factor.row(i)[i].ln()).sum();
        let norm: f64 = a.iter().zip(&f).map(|(a, f)| a * f).sum();
        evidence += problem.output(o).log_likelihood(&f) - 0.5 * norm - half_log_det;
    }
    Ok(joined(&each).with(Measure::LogEvidence, evidence))
}

/// One certificate for all outputs: the worst residual and stop, sums of objectives and steps.
pub(super) fn joined(each: &[Certificate]) -> Certificate {
    let sum = |of: Measure| each.iter().map(|c| c.get(of).map(Ball::from)).sum::<Option<Ball>>();
    let mut whole = each[0].clone();
    whole.stop = each.iter().map(|c| c.stop).find(|s| !s.is_complete()).unwrap_or(whole.stop);
    whole
        .with(Measure::RelativeResidual, each.iter().fold(0.0, |m, c| f64::max(m, c.residual())))
        .with(Measure::Primal, sum(Measure::Primal).map(Ball::above))
        .with(Measure::Dual, sum(Measure::Dual).map(Ball::below))
        .with(Measure::Rounding, sum(Measure::Rounding).map(Ball::above))
        .count(Measure::Iterations, each.iter().map(Certificate::iterations).sum::<Option<usize>>())
}
