//! Targets brought to mean 0 and standard deviation 1, and back.

use serde::{Deserialize, Serialize};

use crate::data::{Inputs, Rows, Standardizer, Target, Targets, Weights};
use crate::error::{Error, Result};

/// A fitted scale of each output: y becomes (y − mean)/scale.
///
/// ```
/// use mercer::{data::Targets, model::pipeline::TargetScaling};
/// let y = Targets::new(vec![1.0, 3.0], 1)?;
/// let scaling = TargetScaling::fit(&y, None)?;
/// assert_eq!(scaling.apply(&y)?.values(), [-1.0, 1.0]);
/// let mut back = vec![-1.0, 0.0, 1.0];
/// scaling.undo(&mut back);
/// assert_eq!(back, [1.0, 2.0, 3.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetScaling {
    /// The weighted mean of each output.
    pub mean: Vec<f64>,
    /// The weighted standard deviation of each output; 1 where it does not vary.
    pub scale: Vec<f64>,
}

impl TargetScaling {
    /// Learns means and scales; `weights`, one a row, count rows.
    pub fn fit(targets: &Targets, weights: Option<&Weights>) -> Result<Self> {
        let rows = Rows::new(targets.values().to_vec(), targets.nrows(), targets.outputs())?;
        let fitted = Standardizer::fit(&Inputs::from(rows), weights)?;
        let (mean, scale) = fitted.columns().map(|(_, mean, scale)| (mean, scale)).unzip();
        Ok(TargetScaling { mean, scale })
    }

    /// The scale of one output for so many outputs of a model: quantiles have the unit of their target.
    pub(super) fn of_outputs(self, outputs: usize) -> Self {
        match self.mean.len() {
            1 => TargetScaling { mean: vec![self.mean[0]; outputs], scale: vec![self.scale[0]; outputs] },
            _ => self,
        }
    }

    /// Scales a target of numbers; of one number, quantiles have the scale of the first output.
    pub(super) fn apply_to(&self, target: &Target) -> Result<Target> {
        let Target::Numbers(y) = target else { return Ok(target.clone()) };
        let one = TargetScaling { mean: self.mean[..1].to_vec(), scale: self.scale[..1].to_vec() };
        Ok(Target::Numbers(if y.outputs() == 1 { one.apply(y)? } else { self.apply(y)? }))
    }

    /// Scales targets.
    pub fn apply(&self, targets: &Targets) -> Result<Targets> {
        self.validate(targets.outputs())?;
        let c = targets.outputs();
        let scaled = |(at, y): (usize, &f64)| (y - self.mean[at % c]) / self.scale[at % c];
        Targets::new(targets.values().iter().enumerate().map(scaled).collect::<Vec<f64>>(), c)
    }

    /// Brings values of the outputs, row-major, back to the units of the targets.
    pub fn undo(&self, values: &mut [f64]) {
        for row in values.chunks_mut(self.mean.len().max(1)) {
            row.iter_mut().zip(self.mean.iter().zip(&self.scale)).for_each(|(v, (m, s))| *v = *v * s + m);
        }
    }

    pub(super) fn validate(&self, outputs: usize) -> Result<()> {
        for (what, got) in [("means", self.mean.len()), ("scales", self.scale.len())] {
            if got != outputs {
                return Err(Error::shape(
                    format!("the {what} of the target"),
                    format!("{outputs}, one an output"),
                    got,
                ));
            }
        }
        let bad = self.mean.iter().find(|m| !m.is_finite());
        match bad.or(self.scale.iter().find(|s| !(**s > 0.0 && s.is_finite()))) {
            Some(bad) => Err(Error::invalid("the target scaling", "mean and scale", bad, "finite, the scale > 0")),
            None => Ok(()),
        }
    }
}
