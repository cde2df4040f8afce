//! The posterior of a process: variances, covariances, samples.

use std::sync::Arc;

use crate::data::{Inputs, Weights};
use crate::error::{Error, Result};
use crate::gram::{DenseGram, KernelMatrix, dense};
use crate::linalg::cholesky_in_place_with_jitter;
use crate::model::average::normal_quantile;
use crate::model::posterior::Posterior;
use crate::model::{Extra, Interval, Model, Process};
use crate::run::Run;

use super::problem::noise;
use super::sample::{Draw, Samples, draw};

/// What the process of a regression was told and learnt.
pub(super) struct Told<'a> {
    pub(super) process: &'a Process,
    /// The variance of the noise, in units of the process.
    pub(super) alpha: f64,
}

impl Model {
    /// The process, of a model that is one.
    pub(super) fn process(&self) -> Result<Told<'_>> {
        match (self.extra(), self.alpha()) {
            (Extra::Process(process), Some(alpha)) => Ok(Told { process, alpha }),
            _ => Err(super::no_process("a posterior", self)),
        }
    }

    /// The variance at every point, row-major: rows×outputs; of the function, or `with_noise` of an observation of weight
    /// 1; of a classification, that of the latent functions. In batches: never more than a few hundred rows of kernel
    /// values.
    pub fn variance(&self, x: &Inputs, with_noise: bool, run: &Run) -> Result<Vec<f64>> {
        if let Extra::Modes(_) = self.extra() {
            return self.latent_variance(x, run);
        }
        let Told { process, alpha } = self.process()?;
        let latent = self.posterior(run)?.variances(self.expansion().space(), self.points(), x, run)?;
        let noise = if with_noise { alpha } else { 0.0 };
        Ok(latent.iter().flat_map(|v| process.prior.iter().map(move |s| (v + noise) * s * s)).collect())
    }

    /// The covariance of the function at all pairs of points, in units of the process (times prior² of an
    /// output it is that output's), row-major; `with_noise` adds alpha to its diagonal.
    pub fn covariance(&self, x: &Inputs, with_noise: bool, run: &Run) -> Result<DenseGram<f64>> {
        let told = self.process()?;
        let mut covariance = self.posterior(run)?.covariance(self.expansion().space(), self.points(), x, run)?;
        let m = x.len();
        if with_noise {
            (0..m).for_each(|i| covariance.values_mut()[i * m + i] += told.alpha);
        }
        Ok(covariance)
    }

    /// Functions drawn from the posterior, at these points; the same for a seed on every machine and
    /// for any number of threads.
    pub fn sample(&self, x: &Inputs, count: usize, seed: u64, run: &Run) -> Result<Samples> {
        let prior = &self.process()?.process.prior;
        let mean = self.predict(x, run)?;
        let trace = self.expansion().space().diag(x, run)?.iter().sum();
        let what = Draw { count, seed, prior, mean: Some(&mean) };
        draw(self.covariance(x, false, run)?, trace, what, run)
    }

    /// The unit of the process, one an output; nothing for a model that is none.
    pub fn prior(&self) -> Option<&[f64]> {
        match self.extra() {
            Extra::Process(process) => Some(process.prior()),
            _ => None,
        }
    }

    /// mean ± z·√(variance of the function + noise) with z the normal quantile of (1 + level)/2.
    pub(crate) fn observed(&self, x: &Inputs, level: f64, run: &Run) -> Result<Interval> {
        let z = normal_quantile(0.5 * (1.0 + level));
        let (means, variances) = (self.predict(x, run)?, self.variance(x, true, run)?);
        let reach = |sign: f64| means.iter().zip(&variances).map(move |(mean, v)| mean + sign * z * v.sqrt()).collect();
        Ok(Interval { lower: reach(-1.0), upper: reach(1.0) })
    }

    /// The factor of K + alpha·W⁻¹, made if it is not there yet.
    pub(super) fn posterior(&self, run: &Run) -> Result<Arc<Posterior>> {
        let Told { process, alpha } = self.process()?;
        if let Some(there) = process.factor.get() {
            return Ok(Arc::clone(there));
        }
        if self.is_precomputed() {
            return Err(Error::Unsupported {
                what: "the variance of a process of a precomputed matrix, which the model does not keep,".into(),
                alternative: "ask the model as it was fitted, before it was saved or its matrix repaired".into(),
            });
        }
        let bound = self.expansion().space().gram(self.points(), run)?;
        let n = bound.nrows();
        let mut factor = dense::<f64>(&bound, run)?;
        for i in 0..n {
            factor.values_mut()[i * n + i] += noise(alpha, self.weights().map(Weights::values), i);
        }
        cholesky_in_place_with_jitter(factor.values_mut(), n, run)?;
        let made = Arc::new(Posterior { factor, roots: None });
        Ok(Arc::clone(process.factor.get_or_init(|| made)))
    }
}
