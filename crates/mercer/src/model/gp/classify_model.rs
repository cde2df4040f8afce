//! Probabilities of classes: averages over the posterior.

use std::sync::Arc;

use crate::data::{Inputs, Weights};
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::model::average::averaged_logistic;
use crate::model::posterior::Posterior;
use crate::model::{Extra, Model, Modes};
use crate::run::Run;

use super::laplace::{Labels, factor_curvature, product};

impl Model {
    fn modes(&self) -> Result<&Modes> {
        match self.extra() {
            Extra::Modes(modes) => Ok(modes),
            _ => Err(super::no_process("probabilities of a process", self)),
        }
    }

    /// The latent variance of a classification at every point, row-major: rows×outputs.
    pub(super) fn latent_variance(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let (c, points) = (self.outputs(), self.points());
        let mut variances = vec![0.0; x.len() * c];
        for (o, posterior) in self.posteriors(run)?.iter().enumerate() {
            let own = posterior.variances(self.expansion().space(), points, x, run)?;
            variances.iter_mut().skip(o).step_by(c).zip(own).for_each(|(v, own)| *v = own);
        }
        Ok(variances)
    }

    /// The probabilities of the classes of a process at points with these latent means, row-major: rows×classes.
    ///
    /// The logistic function is averaged over the latent Gaussian by a quadrature that is good to 1e-12
    /// ([`averaged_logistic`]). Of several classes, each has the probability of its own output against the
    /// rest, divided by their sum.
    pub(crate) fn averaged_probabilities(&self, x: &Inputs, means: &[f64], run: &Run) -> Result<Vec<f64>> {
        let variances = self.latent_variance(x, run)?;
        let each = means.iter().zip(&variances).map(|(mean, variance)| averaged_logistic(*mean, *variance));
        if self.outputs() == 1 {
            return Ok(each.flat_map(|p| [1.0 - p, p]).collect());
        }
        let mut all: Vec<f64> = each.collect();
        for row in all.chunks_mut(self.outputs()) {
            let total: f64 = row.iter().sum();
            // All against: no class is more probable than another.
            let even = 1.0 / row.len() as f64;
            row.iter_mut().for_each(|p| *p = if total > 0.0 { *p / total } else { even });
        }
        Ok(all)
    }

    /// The factors of I + √W·K·√W at the modes, made if they are not there yet.
    fn posteriors(&self, run: &Run) -> Result<Arc<Vec<Posterior>>> {
        let modes = self.modes()?;
        if let Some(there) = modes.factors.get() {
            return Ok(Arc::clone(there));
        }
        let c = self.outputs();
        if self.is_precomputed() {
            return Err(Error::Unsupported {
                what: "probabilities from a precomputed matrix, which the model does not keep,".into(),
                alternative: "ask the model as it was fitted, before it was saved or its matrix repaired".into(),
            });
        }
        let k = dense::<f64>(&self.expansion().space().gram(self.points(), run)?, run)?;
        let one = |o: usize| {
            let a: Vec<f64> = self.coefficients().iter().skip(o).step_by(c).copied().collect();
            let f = product(&k, &a, run)?;
            // The curvature does not depend on the labels.
            let (_, roots) = Labels { y: &f, weights: self.weights().map(Weights::values) }.slopes(&f);
            let mut factor = dense::<f64>(&k, run)?;
            factor_curvature(&k, &roots, &mut factor, run)?;
            Ok(Posterior { factor, roots: Some(roots) })
        };
        let made = Arc::new((0..c).map(one).collect::<Result<Vec<_>>>()?);
        Ok(Arc::clone(modes.factors.get_or_init(|| made)))
    }
}
