//! What descents and filters are held to: not a system, but how much of the targets they leave.

use crate::certificate::{Certificate, Measure};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, doubled_product};
use crate::linalg::{Ball, largest_magnitude, power_of_two};
use crate::model::{Model, Sample};
use crate::run::Run;

/// With the risk ½·Σ p·r² and the discrepancy ‖r‖/‖y‖ of residuals r with these shares p, neither below the true one.
pub(super) fn attained(certificate: Certificate, r: &[Ball], y: &[f64], shares: &[f64]) -> Certificate {
    let c = y.len() / shares.len().max(1);
    // Squares of 1e±160 leave the range of numbers; a power of two changes no digit.
    let unit = power_of_two(largest_magnitude(y));
    let square = |of: &dyn Fn(usize) -> Ball| -> Ball {
        let term = |at: usize| {
            let v = of(at) * (1.0 / unit);
            v * v * shares[at / c]
        };
        (0..y.len()).map(term).sum()
    };
    // A share is w over a sum of all, each rounded.
    let unsure = 1.0 + 2.0 * (shares.len() as f64 + 8.0) * f64::EPSILON;
    let (left, all) = (square(&|at| r[at]), square(&|at| Ball::from(y[at])));
    let discrepancy = left.root_above() / all.root_below().max(f64::MIN_POSITIVE) * unsure;
    let risk = (Ball::from((left * 0.5).above() * unsure) * unit * unit).above();
    certificate.with(Measure::EmpiricalRisk, risk).with(Measure::Discrepancy, discrepancy)
}

/// y − K·a − b in doubled precision.
pub(super) fn residuals(
    kernel: &dyn KernelMatrix,
    a: &[f64],
    y: &[f64],
    intercept: &[f64],
    run: &Run,
) -> Result<Vec<Ball>> {
    let (a, c): (Vec<Ball>, _) = (a.iter().map(|a| Ball::from(*a)).collect(), intercept.len());
    let fitted = doubled_product(kernel, &a, c, run)?;
    Ok(y.iter()
        .zip(&fitted)
        .enumerate()
        .map(|(at, (y, f))| Ball::from(*y) - *f - Ball::from(intercept[at % c]))
        .collect())
}

/// Risk and discrepancy of a model on the rows of its fit, in place of those it claims; the filter error would need the
/// eigendecomposition again.
pub(super) fn attained_again(model: &Model, sample: &Sample, run: &Run) -> Result<Certificate> {
    let (c, all) = (model.outputs(), model.coefficients());
    // Of a precomputed matrix, rows of weight 0 have coefficients, too.
    let a: Vec<f64> = match &sample.x {
        Inputs::Precomputed(_) => (0..sample.n).flat_map(|i| all[sample.row(i) * c..][..c].to_vec()).collect(),
        _ => all.to_vec(),
    };
    let y = sample.numbers()?;
    if (a.len(), y.outputs()) != (sample.n * c, c) {
        return Err(Error::shape("the rows of the fit", format!("{} that count", a.len() / c), sample.n));
    }
    let kernel = match &sample.x {
        Inputs::Precomputed(_) => sample.space.gram(&sample.x, run)?,
        points => sample.space.cross(points, model.points(), run)?,
    };
    let r = residuals(&kernel, &a, y.values(), model.intercept(), run)?;
    let unknown = model.certificate().clone().with(Measure::FilterError, None);
    Ok(attained(unknown, &r, y.values(), &sample.shares()))
}
