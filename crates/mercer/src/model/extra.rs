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

/// What principal components keep beside their functions.
///
/// ```
/// use mercer::model::Components;
/// let of = Components { variances: vec![3.0, 1.0], total: 5.0, mean: vec![], mean_norm: 0.0 };
/// assert_eq!(of.explained(), [0.6, 0.2]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// The variance along each component, the largest first.
    pub variances: Vec<f64>,
    /// The variance of all that there is: the trace of the covariance.
    pub total: f64,
    /// The mean of the rows in feature space, as coefficients of the points kept; empty without centring.
    pub mean: Vec<f64>,
    /// The square of its norm.
    pub mean_norm: f64,
}

impl Components {
    /// The share of all variance that each component has.
    pub fn explained(&self) -> Vec<f64> {
        self.variances.iter().map(|v| if self.total > 0.0 { v / self.total } else { 0.0 }).collect()
    }

    /// Half a sentence about the first number that is not that of another, over the largest variance.
    pub(super) fn differs(&self, found: &Self, tolerance: f64) -> Option<String> {
        let unit = found.variances.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        // What is no number does not pass.
        let off = |a: f64, b: f64, unit: f64| (a - b).is_nan() || (a - b).abs() > tolerance * unit;
        if self.variances.len() != found.variances.len() || self.mean.len() != found.mean.len() {
            return Some("the components are not as many as the functions".into());
        }
        let pairs = self.variances.iter().zip(&found.variances);
        if let Some(l) = pairs.clone().position(|(a, b)| off(*a, *b, unit)) {
            return Some(format!(
                "the variance of component {l} is {:.9e}, and the model claims {:.9e}",
                found.variances[l], self.variances[l]
            ));
        }
        let size = found.total.abs().max(found.mean_norm.abs()).max(unit);
        if off(self.total, found.total, size) {
            return Some(format!(
                "the variance is {:.9e} in all, and the model claims {:.9e}",
                found.total, self.total
            ));
        }
        let largest = found.mean.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let other = self.mean.iter().zip(&found.mean).any(|(a, b)| off(*a, *b, largest));
        (other || off(self.mean_norm, found.mean_norm, size)).then(|| "the mean is not that of the rows".into())
    }

    fn validate(&self, outputs: usize) -> Result<()> {
        let finite = |v: &f64| v.is_finite();
        one_an_output("variances", &self.variances, outputs, finite, "finite numbers")?;
        match self.mean.iter().chain([&self.total, &self.mean_norm]).all(finite) {
            true => Ok(()),
            false => Err(Error::invalid("a model", "mean", "other numbers", "finite")),
        }
    }
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
    /// The slope of probabilities: P(class c) = exp(slope·f_c)/Σ exp(slope·f_j), and f_0 = 0 of two classes.
    Slope(f64),
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
    /// The variances of principal components, and the mean they are taken from.
    Components(Components),
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
            Extra::Slope(slope) => match *slope > 0.0 && slope.is_finite() {
                true => Ok(()),
                false => Err(Error::invalid("a model", "slope", slope, "a finite number > 0")),
            },
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
            Extra::Components(components) => components.validate(outputs),
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
