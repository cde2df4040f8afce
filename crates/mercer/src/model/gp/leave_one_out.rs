//! What the process says of each row from all others.

use std::f64::consts::TAU;

use serde::Serialize;

use crate::data::Weights;
use crate::error::Result;
use crate::linalg::inverse_diagonal;
use crate::model::{LeaveOneOut, Model};
use crate::run::Run;

use super::problem::noise;
use super::regress_model::Told;

/// Leave-one-out predictions of the rows kept, row-major: rows×outputs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpLeaveOneOut {
    /// The mean at xᵢ of the process without row i, and how far yᵢ is from it.
    pub errors: LeaveOneOut,
    /// The variance of an observation there, noise included.
    pub variances: Vec<f64>,
    /// log p(yᵢ | all other rows).
    pub log_densities: Vec<f64>,
    /// Σ wᵢ·log p(yᵢ | all other rows), over all outputs.
    pub log_density: f64,
}

impl Model {
    /// Leave-one-out predictions from the factor: with Q = (K + alpha·W⁻¹)⁻¹ and β = Q·y, the mean is
    /// yᵢ − βᵢ/Qᵢᵢ and the variance of the function there 1/Qᵢᵢ − alpha/wᵢ (Rasmussen & Williams 2006,
    /// eq. 5.12). The density is that of one observation, of noise alpha.
    pub fn process_leave_one_out(&self, run: &Run) -> Result<GpLeaveOneOut> {
        let Told { process, alpha } = self.process()?;
        let (c, points) = (self.outputs(), self.points());
        let posterior = self.posterior(run)?;
        let q = inverse_diagonal(posterior.factor.values(), points.len(), run)?;
        let fitted = self.predict(points, run)?;
        let errors = LeaveOneOut { residuals: Vec::new(), predictions: Vec::new() };
        let mut loo = GpLeaveOneOut { errors, variances: Vec::new(), log_densities: Vec::new(), log_density: 0.0 };
        let weights = self.weights().map(Weights::values);
        for (at, f) in fitted.iter().enumerate() {
            let (i, o) = (at / c, at % c);
            let (weight, own) = (weights.map_or(1.0, |w| w[i]), noise(alpha, weights, i));
            let coefficient = self.expansion().coefficients()[at];
            let residual = coefficient / q[i];
            let scale = process.prior[o];
            // alpha/w out, alpha in; what is left of the function's own variance is not below 0.
            let variance = (1.0 / q[i] - own).max(0.0) + alpha;
            let standardised = residual / scale / variance.sqrt();
            let log = -0.5 * (standardised * standardised + (TAU * variance).ln()) - scale.ln();
            // y = f + alpha·a/w at the rows kept.
            loo.errors.predictions.push(f + own * coefficient - residual);
            loo.errors.residuals.push(residual);
            loo.variances.push(variance * scale * scale);
            loo.log_densities.push(log);
            loo.log_density += weight * log;
        }
        Ok(loo)
    }
}
