//! What descents and filters are held to: not a system, but how much of the targets they leave.

use crate::certificate::Certificate;
use crate::data::{Inputs, Targets};
use crate::error::Result;
use crate::model::Expansion;
use crate::model::training::{NamedKernel, Training};
use crate::run::Run;

use super::empirical::{Kept, norm, shares};

/// With the risk ½·Σ p·r² and the discrepancy ‖r‖/‖y‖ of residuals r with these shares p.
pub(super) fn attained(certificate: Certificate, r: &[f64], y: &[f64], shares: &[f64]) -> Certificate {
    let c = y.len() / shares.len().max(1);
    let (left, all) = (norm(r, shares, c), norm(y, shares, c));
    Certificate {
        empirical_risk: Some(0.5 * left * left),
        discrepancy: Some(left / all.max(f64::MIN_POSITIVE)),
        ..certificate
    }
}

/// y − K·a, with kernel values that are computed again.
pub(super) fn residuals(training: &Training, a: &[f64], y: &[f64], run: &Run) -> Result<Vec<f64>> {
    let kernel = Kept::Streamed(training.space.gram(&training.x, run)?);
    let mut r = vec![0.0; a.len()];
    kernel.multiply(a, y.len() / training.n, &mut r, run)?;
    r.iter_mut().zip(y).for_each(|(r, y)| *r = y - *r);
    Ok(r)
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
    let r = residuals(&training, &a, &y, run)?;
    let unknown = Certificate { filter_error: None, ..certificate.clone() };
    Ok(attained(unknown, &r, &y, &shares(&training)))
}
