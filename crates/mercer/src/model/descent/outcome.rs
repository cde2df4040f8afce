//! What a stochastic descent can be held to when it is over.

use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::loss::NamedLoss;
use crate::model::KernelMachine;
use crate::run::Run;

/// The function of a descent on the rows of its fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// The mean of the loss over rows and outputs.
    pub(crate) mean_loss: f64,
    /// ‖f‖, of several outputs √Σ‖f‖².
    pub(crate) norm: f64,
}

impl Outcome {
    /// Computes it for a machine, by one pass over the rows.
    pub(crate) fn of(machine: &KernelMachine, x: &Inputs, y: &Targets, run: &Run) -> Result<Self> {
        let (f, c) = (&machine.expansion, machine.expansion.outputs());
        if (y.nrows(), y.outputs()) != (x.len(), c) {
            return Err(Error::shape("the target", format!("{} rows of {c}", x.len()), y.values().len()));
        }
        let values = f.evaluate(x, run)?;
        let loss = machine.settings.get("loss").cloned().unwrap_or_default();
        let loss = serde_json::from_value::<NamedLoss>(loss).unwrap_or_default().build()?;
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

    /// What a machine says of itself.
    pub(crate) fn claimed(machine: &KernelMachine) -> Option<Self> {
        let number = |name: &str| machine.settings.get(name).and_then(serde_json::Value::as_f64);
        Some(Outcome { mean_loss: number("mean_loss")?, norm: number("norm")? })
    }

    /// The machine, saying this of itself.
    pub(crate) fn claim(self, machine: &mut KernelMachine) {
        machine.settings.insert("mean_loss".into(), self.mean_loss.into());
        machine.settings.insert("norm".into(), self.norm.into());
    }
}
