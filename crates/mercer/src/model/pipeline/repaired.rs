//! A matrix that was repaired before a fit, repaired again to verify it.

use crate::certificate;
use crate::data::{Inputs, Precomputed};
use crate::error::Result;
use crate::gram::{Repair, RepairMethod, dense};
use crate::linalg::{filled, largest_magnitude};
use crate::model::Model;
use crate::run::Run;

use super::same::SAME;
use super::verify::exceeds;

/// The fit as it was on the repaired matrix, and what the repair makes of it.
pub(super) struct Repaired {
    /// The repaired matrix.
    pub(super) points: Inputs,
    /// The model of it.
    pub(super) fitted: Model,
    /// What was changed.
    pub(super) change: certificate::Repaired,
    /// The coefficients that stand for those of the fit, M·a.
    coefficients: Vec<f64>,
    /// The largest eigenvalue before, in size: eigenvalues are off by rounding of it.
    size: f64,
}

impl Repaired {
    /// Repairs the matrix as the model says; nothing if it says that nothing was.
    pub(super) fn again(model: &Model, given: &Inputs, run: &Run) -> Result<Option<Self>> {
        let Some(claimed) = &model.certificate().repaired else { return Ok(None) };
        let n = given.len();
        let alternative = "verify on a machine with more memory";
        let (mut values, _reserved) = filled((n * n) as u128, 0.0, "the repaired matrix", alternative, run)?;
        match given {
            Inputs::Precomputed(k) => values.copy_from_slice(k.values()),
            points => values.copy_from_slice(dense::<f64>(&model.kernel().bind(points, run)?, run)?.values()),
        }
        let repair = Repair::fit(&values, n, RepairMethod::by_name(&claimed.method)?, run)?;
        repair.apply(&mut values, run)?;
        let fitted = match given {
            Inputs::Precomputed(_) => model.before_repair()?,
            _ => model.before_repair()?.on_matrix(run)?,
        };
        let after = fitted.after_repair(&repair, run)?;
        let points = Precomputed::new(values, n, n)?.into();
        let coefficients = after.coefficients().to_vec();
        let report = repair.report();
        let [least, most] = [report.smallest_eigenvalue, report.largest_eigenvalue].map(|v| v.unwrap_or(0.0));
        let size = largest_magnitude(&[least, most]);
        let change = after.certificate().repaired.clone();
        Ok(change.map(|change| Repaired { points, fitted, change, coefficients, size }))
    }

    /// Half a sentence about what the repair makes otherwise than the model says.
    pub(super) fn differs(&self, model: &Model) -> Option<String> {
        let claimed = model.certificate().repaired.as_ref()?;
        let off = |is: f64, was: f64, size: f64| exceeds((is - was).abs(), SAME * size);
        let (is, was) = (self.change.moved_share, claimed.moved_share);
        if off(is, was, 1.0) {
            return Some(format!(
                "the repair moves the share {is:.9e} of the eigenvalues, and the model claims {was:.9e}"
            ));
        }
        let (is, was) = (self.change.smallest_eigenvalue, claimed.smallest_eigenvalue);
        if off(is, was, self.size) {
            return Some(format!("the smallest eigenvalue was {is:.9e}, and the model claims {was:.9e}"));
        }
        let size = largest_magnitude(self.fitted.coefficients());
        let differ = self.coefficients.iter().zip(model.coefficients()).any(|(is, was)| off(*is, *was, size));
        differ.then(|| "the coefficients are not those that the repair makes of the fit".into())
    }
}
