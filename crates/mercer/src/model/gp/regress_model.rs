//! The posterior of a regression: a process itself.

use std::sync::{Arc, OnceLock};

use crate::certificate::Certificate;
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{DenseGram, KernelMatrix, dense};
use crate::kernel::KernelExpr;
use crate::linalg::cholesky_in_place_with_jitter;
use crate::model::Expansion;
use crate::run::Run;

use super::posterior::Posterior;
use super::problem::noise;
use super::sample::{Draw, Samples, draw};

/// A Gaussian process that has seen its points: mean, variance, covariance, samples.
///
/// A factor of n×n numbers is kept once it has been needed; it is made again from the points and the
/// kernel where a model comes from its parts.
#[derive(Clone, Debug)]
pub struct GaussianProcessModel {
    parts: GpParts,
    factor: OnceLock<Arc<Posterior>>,
}

/// The parts of a model, for files.
#[derive(Clone, Debug)]
pub struct GpParts {
    /// The mean: coefficients of all points of positive weight.
    pub expansion: Expansion,
    /// The variance of the noise, in units of the process.
    pub alpha: f64,
    /// The weights of the rows that count, where there are weights.
    pub weights: Option<Vec<f64>>,
    /// The unit of the process, one an output: 1, or the standard deviation of a normalised target.
    pub prior: Vec<f64>,
    /// log p(y | X, θ), of the normalised targets where they were.
    pub log_evidence: f64,
    /// How far the mean is from the solution.
    pub certificate: Certificate,
}

impl GaussianProcessModel {
    /// Puts a model together, checking that its parts fit.
    pub fn from_parts(parts: GpParts) -> Result<Self> {
        let (m, c) = (parts.expansion.points().len(), parts.expansion.outputs());
        if parts.prior.len() != c {
            return Err(Error::shape(
                "the units of a process",
                format!("{c} values, one an output"),
                parts.prior.len(),
            ));
        }
        let precomputed = matches!(parts.expansion.points(), Inputs::Precomputed(_));
        if let Some(weights) = parts.weights.as_ref().filter(|w| w.len() != m && !precomputed) {
            return Err(Error::shape("the weights of a process", format!("{m} values, one a point"), weights.len()));
        }
        let positive = |name: &str, values: &[f64]| match values.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
            Some(bad) => Err(Error::invalid("a Gaussian process", name, bad, "finite and positive")),
            None => Ok(()),
        };
        positive("prior", &parts.prior)?;
        positive("weights", parts.weights.as_deref().unwrap_or(&[]))?;
        if !(parts.alpha >= 0.0 && parts.alpha.is_finite()) {
            return Err(Error::invalid("a Gaussian process", "alpha", parts.alpha, "a finite number ≥ 0"));
        }
        Ok(GaussianProcessModel { parts, factor: OnceLock::new() })
    }

    /// The same model with a factor that is there already.
    pub(super) fn with_factor(self, factor: DenseGram<f64>) -> Self {
        GaussianProcessModel { factor: OnceLock::from(Arc::new(Posterior { factor, roots: None })), ..self }
    }

    /// Its parts, to be saved.
    pub fn parts(&self) -> &GpParts {
        &self.parts
    }

    /// The mean, as a function.
    pub fn expansion(&self) -> &Expansion {
        &self.parts.expansion
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.parts.expansion.kernel()
    }

    /// The points kept.
    pub fn points(&self) -> &Inputs {
        self.parts.expansion.points()
    }

    /// The variance of the noise, in units of the process.
    pub fn alpha(&self) -> f64 {
        self.parts.alpha
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.parts.expansion.outputs()
    }

    /// log p(y | X, θ).
    pub fn log_evidence(&self) -> f64 {
        self.parts.log_evidence
    }

    /// How far the mean is from the solution.
    pub fn certificate(&self) -> &Certificate {
        &self.parts.certificate
    }

    /// The mean at every point, row-major: rows×outputs.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        self.parts.expansion.evaluate(x, run)
    }

    /// The variance at every point, row-major: rows×outputs; of the function, or `with_noise` of an
    /// observation of weight 1. In batches: never more than a few hundred rows of kernel values.
    pub fn variance(&self, x: &Inputs, with_noise: bool, run: &Run) -> Result<Vec<f64>> {
        let latent = self.posterior(run)?.variances(self.parts.expansion.space(), self.points(), x, run)?;
        let noise = if with_noise { self.parts.alpha } else { 0.0 };
        Ok(latent.iter().flat_map(|v| self.parts.prior.iter().map(move |s| (v + noise) * s * s)).collect())
    }

    /// The covariance of the function at all pairs of points, in units of the process (times prior² of an
    /// output it is that output's), row-major; `with_noise` adds alpha to its diagonal.
    pub fn covariance(&self, x: &Inputs, with_noise: bool, run: &Run) -> Result<DenseGram<f64>> {
        let mut covariance = self.posterior(run)?.covariance(self.parts.expansion.space(), self.points(), x, run)?;
        let m = x.len();
        if with_noise {
            (0..m).for_each(|i| covariance.values_mut()[i * m + i] += self.parts.alpha);
        }
        Ok(covariance)
    }

    /// Functions drawn from the posterior, at these points; the same for a seed on every machine and
    /// for any number of threads.
    pub fn sample(&self, x: &Inputs, count: usize, seed: u64, run: &Run) -> Result<Samples> {
        let mean = self.predict(x, run)?;
        let trace = self.parts.expansion.space().diag(x, run)?.iter().sum();
        let what = Draw { count, seed, prior: &self.parts.prior, mean: Some(&mean) };
        draw(self.covariance(x, false, run)?, trace, what, run)
    }

    /// The factor of K + alpha·W⁻¹, made if it is not there yet.
    pub(super) fn posterior(&self, run: &Run) -> Result<Arc<Posterior>> {
        if let Some(there) = self.factor.get() {
            return Ok(Arc::clone(there));
        }
        if let Inputs::Precomputed(_) = self.points() {
            return Err(Error::Unsupported {
                what: "the variance of a process of a precomputed matrix, which the model does not keep,".into(),
                alternative: "ask the model as it was fitted, before it was saved".into(),
            });
        }
        let bound = self.parts.expansion.space().gram(self.points(), run)?;
        let n = bound.nrows();
        let mut factor = dense::<f64>(&bound, run)?;
        for i in 0..n {
            factor.values_mut()[i * n + i] += noise(self.parts.alpha, self.parts.weights.as_deref(), i);
        }
        cholesky_in_place_with_jitter(factor.values_mut(), n, run)?;
        let made = Arc::new(Posterior { factor, roots: None });
        Ok(Arc::clone(self.factor.get_or_init(|| made)))
    }
}
