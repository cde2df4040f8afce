//! Bounds of new observations.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::model::regress::Interval;
use crate::run::Run;

use super::average::normal_quantile;
use super::regress_model::GaussianProcessModel;

impl GaussianProcessModel {
    /// mean ± z·√(variance of the function + noise) with z the normal quantile of (1 + level)/2: what holds a
    /// new observation of weight 1 with probability `level`, if the process is right about its kernel and noise.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, kernel::{Param, Transform}};
    /// use mercer::model::gp::GaussianProcessRegressor;
    /// let run = Run::new();
    /// let x: Inputs = Rows::new(vec![0.0], 1, 1)?.into();
    /// let alpha = Param::new(0.5, Transform::Log).fixed();
    /// let gp = GaussianProcessRegressor { kernel: KernelExpr::parse("2*rbf(length_scale=1)")?, alpha, tuning: None,
    ///     ..Default::default() };
    /// let model = gp.fit(&x, &Targets::new(vec![3.0], 1)?, None, &run)?.model;
    /// // Mean 2·3/2.5, variance 2 − 4/2.5 and noise 0.5; P(|Z| ≤ 1.959964) = 0.95.
    /// let bounds = model.interval(&x, 0.95, &run)?;
    /// assert!((bounds.upper[0] - (2.4 + 1.959964 * (0.4f64 + 0.5).sqrt())).abs() < 1e-6);
    /// assert!((bounds.lower[0] + bounds.upper[0] - 4.8).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn interval(&self, x: &Inputs, level: f64, run: &Run) -> Result<Interval> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::invalid("an interval", "level", level, "above 0 and below 1"));
        }
        let z = normal_quantile(0.5 * (1.0 + level));
        let (means, variances) = (self.predict(x, run)?, self.variance(x, true, run)?);
        let reach = |sign: f64| means.iter().zip(&variances).map(move |(mean, v)| mean + sign * z * v.sqrt()).collect();
        Ok(Interval { lower: reach(-1.0), upper: reach(1.0) })
    }
}
