//! What a stochastic descent can be held to when it is over.

use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::loss::Loss;
use crate::model::Expansion;
use crate::run::Run;

/// The function of a descent on the rows of its fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The mean of the loss over rows and outputs.
    pub(super) mean_loss: f64,
    /// ‖f‖, of several outputs √Σ‖f‖².
    pub(super) norm: f64,
}

impl Outcome {
    /// Computes it, by one pass over the rows.
    pub(super) fn of(f: &Expansion, loss: &dyn Loss, x: &Inputs, y: &Targets, run: &Run) -> Result<Self> {
        let c = f.outputs();
        if (y.nrows(), y.outputs()) != (x.len(), c) {
            return Err(Error::shape("the target", format!("{} rows of {c}", x.len()), y.values().len()));
        }
        let values = f.evaluate(x, run)?;
        let sum: f64 = y.values().iter().zip(&values).map(|(y, f)| loss.value(*y, *f)).sum();
        let at_points = match f.points() {
            // Every row is a point, in its order.
            Inputs::Precomputed(_) => values,
            points => {
                let mut own = vec![0.0; points.len() * c];
                apply(&f.space().gram(points, run)?, f.coefficients(), c, &mut own, run)?;
                own
            }
        };
        let square: f64 = at_points.iter().zip(f.coefficients()).map(|(f, a)| f * a).sum();
        // A square of rounding alone may come out below 0.
        Ok(Outcome { mean_loss: sum / y.values().len().max(1) as f64, norm: square.max(0.0).sqrt() })
    }
}
