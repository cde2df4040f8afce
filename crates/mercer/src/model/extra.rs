//! What some models have beside their functions.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

use super::Expansion;
use super::posterior::{Modes, Process};
use super::support::Support;

/// Exact leave-one-out residuals and predictions, row by row as the data were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaveOneOut {
    /// yᵢ minus the prediction at xᵢ of the fit without row i, row-major: rows×outputs.
    pub residuals: Vec<f64>,
    /// That prediction.
    pub predictions: Vec<f64>,
}

/// Bounds of the predictions, row-major: points×outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower bounds; −∞ where the rows are too few for the level.
    pub lower: Vec<f64>,
    /// Upper bounds; ∞ where the rows are too few for the level.
    pub upper: Vec<f64>,
}

/// What a model has beside its functions.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Extra {
    /// Nothing.
    #[default]
    None,
    /// Leave-one-out residuals that came along with a solution.
    LeaveOneOut(LeaveOneOut),
    /// What calibration adds to the values of each output.
    Shifts(Vec<f64>),
    /// For each output, the alpha whose penalty gives the function of a bound of the norm.
    Alphas(Vec<f64>),
    /// The posterior of a regression.
    Process(Process),
    /// The posteriors of a classification, one an output.
    Modes(Modes),
    /// The functions of a second input, as many as there are of the first.
    Second(Expansion),
    /// How coordinates follow from the outputs, row-major: a row for each output with its part in each coordinate, and a row of
    /// what is added.
    Coordinates(Vec<f64>),
    /// Which rows the points are, and what else a support vector machine found.
    Support(Support),
}

impl Extra {
    /// Fails unless it fits a model of so many outputs.
    pub(super) fn validate(&self, outputs: usize) -> Result<()> {
        match self {
            Extra::None | Extra::Modes(_) => Ok(()),
            Extra::LeaveOneOut(loo) => {
                match loo.residuals.len() == loo.predictions.len() && loo.residuals.len().is_multiple_of(outputs) {
                    true => Ok(()),
                    false => Err(Error::shape("leave-one-out predictions", loo.residuals.len(), loo.predictions.len())),
                }
            }
            Extra::Shifts(shifts) => one_an_output("shifts", shifts, outputs, |s| s.is_finite(), "finite numbers"),
            Extra::Alphas(alphas) => {
                one_an_output("alphas", alphas, outputs, |a| *a > 0.0 && a.is_finite(), "finite numbers > 0")
            }
            Extra::Coordinates(map) => match map.len().is_multiple_of(outputs + 1) && map.iter().all(|v| v.is_finite())
            {
                true => Ok(()),
                false => Err(Error::shape("the coordinates of a model", format!("{} rows", outputs + 1), map.len())),
            },
            Extra::Process(process) => process.validate(outputs),
            Extra::Support(support) => support.validate(outputs),
            Extra::Second(g) => match g.outputs() == outputs {
                true => Ok(()),
                false => Err(Error::shape("the functions of a second input", outputs, g.outputs())),
            },
        }
    }
}

fn one_an_output(name: &str, given: &[f64], outputs: usize, good: impl Fn(&f64) -> bool, must: &str) -> Result<()> {
    match given.len() == outputs && given.iter().all(good) {
        true => Ok(()),
        false => Err(Error::invalid("a model", name, format!("{given:?}"), format!("{outputs} {must}"))),
    }
}
