//! What descents and filters are held to: not a system, but how much of the targets they leave.

use crate::certificate::Certificate;
use crate::data::{Inputs, Targets};
use crate::error::Result;
use crate::gram::{KernelMatrix, doubled_product};
use crate::linalg::{Ball, largest_magnitude, power_of_two};
use crate::model::Expansion;
use crate::model::training::{NamedKernel, Training};
use crate::run::Run;

use super::empirical::shares;

/// With the risk ½·Σ p·r² and the discrepancy ‖r‖/‖y‖ of residuals r with these shares p, neither below the true one.
pub(super) fn attained(certificate: Certificate, r: &[Ball], y: &[f64], shares: &[f64]) -> Certificate {
    let c = y.len() / shares.len().max(1);
    // Squares of 1e±160 leave the range of numbers; a power of two changes no digit.
    let unit = power_of_two(largest_magnitude(y)).max(f64::MIN_POSITIVE);
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
    Certificate {
        empirical_risk: Some((Ball::from((left * 0.5).above() * unsure) * unit * unit).above()),
        discrepancy: Some(discrepancy),
        ..certificate
    }
}

/// y − K·a in doubled precision.
pub(super) fn residuals(kernel: &dyn KernelMatrix, a: &[f64], y: &[f64], run: &Run) -> Result<Vec<Ball>> {
    let a: Vec<Ball> = a.iter().map(|a| Ball::from(*a)).collect();
    let fitted = doubled_product(kernel, &a, y.len() / kernel.nrows().max(1), run)?;
    Ok(y.iter().zip(&fitted).map(|(y, f)| Ball::from(*y) - *f).collect())
}

/// Risk and discrepancy of functions on the rows of their fit, in place of those of a certificate; the filter error
/// would need the eigendecomposition again.
pub(crate) fn attained_again(
    certificate: &Certificate,
    f: &Expansion,
    x: &Inputs,
    y: &Targets,
    weights: Option<&[f64]>,
    run: &Run,
) -> Result<Certificate> {
    let kernel = NamedKernel { kernel: f.kernel(), registry: f.space().registry() };
    let training = Training::new("a descent", kernel, x, y.nrows(), weights, run)?;
    let (c, all) = (f.outputs(), f.coefficients());
    // Of a precomputed matrix, rows of weight 0 have coefficients, too.
    let a: Vec<f64> = match x {
        Inputs::Precomputed(_) => (0..training.n).flat_map(|i| all[training.row(i) * c..][..c].to_vec()).collect(),
        _ => all.to_vec(),
    };
    let y = super::targets(&training, y);
    let r = residuals(&training.space.gram(&training.x, run)?, &a, &y, run)?;
    let unknown = Certificate { filter_error: None, ..certificate.clone() };
    Ok(attained(unknown, &r, &y, &shares(&training)))
}
