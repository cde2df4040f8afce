//! The posterior of a classification.

use std::sync::{Arc, OnceLock};

use crate::certificate::Certificate;
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::kernel::KernelExpr;
use crate::model::Expansion;
use crate::run::Run;

use super::average::averaged_logistic;
use super::laplace::{Labels, Mode, factor_curvature, product};
use super::posterior::Posterior;

/// A Gaussian process that has seen classes: mean and variance of its latent functions, probabilities.
///
/// A factor of n×n numbers for each output is kept once it has been needed.
#[derive(Clone, Debug)]
pub struct GaussianProcessClassifierModel {
    parts: GpClassifierParts,
    factors: OnceLock<Arc<Vec<Posterior>>>,
}

/// The parts of a model, for files.
#[derive(Clone, Debug)]
pub struct GpClassifierParts {
    /// The modes of the latent functions, one an output.
    pub expansion: Expansion,
    /// The weights of the rows that count, where there are weights.
    pub weights: Option<Vec<f64>>,
    /// Laplace's approximation of the log evidence.
    pub log_evidence: f64,
    /// How far the modes are from the solution.
    pub certificate: Certificate,
}

impl GaussianProcessClassifierModel {
    /// Puts a model together, checking that its parts fit.
    pub fn from_parts(parts: GpClassifierParts) -> Result<Self> {
        let m = parts.expansion.points().len();
        let precomputed = matches!(parts.expansion.points(), Inputs::Precomputed(_));
        if let Some(weights) = parts.weights.as_ref().filter(|w| w.len() != m && !precomputed) {
            return Err(Error::shape("the weights of a process", format!("{m} values, one a point"), weights.len()));
        }
        if let Some(bad) = parts.weights.iter().flatten().find(|w| !(**w > 0.0 && w.is_finite())) {
            return Err(Error::invalid("a Gaussian process", "weights", bad, "finite and positive"));
        }
        Ok(GaussianProcessClassifierModel { parts, factors: OnceLock::new() })
    }

    /// The same model with factors that are there already.
    pub(super) fn with_modes(self, modes: Vec<Mode>) -> Self {
        let factors = modes.into_iter().map(|m| Posterior { factor: m.factor, roots: Some(m.roots) }).collect();
        GaussianProcessClassifierModel { factors: OnceLock::from(Arc::new(factors)), ..self }
    }

    /// Its parts, to be saved.
    pub fn parts(&self) -> &GpClassifierParts {
        &self.parts
    }

    /// The modes of the latent functions.
    pub fn expansion(&self) -> &Expansion {
        &self.parts.expansion
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.parts.expansion.kernel()
    }

    /// Number of outputs: 1 for two classes.
    pub fn outputs(&self) -> usize {
        self.parts.expansion.outputs()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.outputs().max(2)
    }

    /// Laplace's approximation of the log evidence.
    pub fn log_evidence(&self) -> f64 {
        self.parts.log_evidence
    }

    /// How far the modes are from the solution.
    pub fn certificate(&self) -> &Certificate {
        &self.parts.certificate
    }

    /// The latent mean at every point, row-major: rows×outputs. Of two classes, the second is the more
    /// probable one where it is positive.
    pub fn decision(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        self.parts.expansion.evaluate(x, run)
    }

    /// The latent variance at every point, row-major: rows×outputs.
    pub fn variance(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let (c, points) = (self.outputs(), self.parts.expansion.points());
        let mut variances = vec![0.0; x.len() * c];
        for (o, posterior) in self.posteriors(run)?.iter().enumerate() {
            let own = posterior.variances(self.parts.expansion.space(), points, x, run)?;
            variances.iter_mut().skip(o).step_by(c).zip(own).for_each(|(v, own)| *v = own);
        }
        Ok(variances)
    }

    /// The probabilities of the classes at every point, row-major: rows×classes.
    ///
    /// The logistic function is averaged over the latent Gaussian by a quadrature that is good to 1e-12
    /// ([`averaged_logistic`]). Of several classes, each has the probability of its own output against the
    /// rest, divided by their sum.
    pub fn probabilities(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let (means, variances) = (self.decision(x, run)?, self.variance(x, run)?);
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

    /// The most probable class of every point, counted from 0; the first of equal ones.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Vec<usize>> {
        if self.outputs() == 1 {
            // The average is above ½ where the mean is above 0.
            return Ok(self.decision(x, run)?.iter().map(|f| usize::from(*f > 0.0)).collect());
        }
        let probabilities = self.probabilities(x, run)?;
        let best = |row: &[f64]| (0..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
        Ok(probabilities.chunks(self.outputs()).map(best).collect())
    }

    /// The factors of I + √W·K·√W at the modes, made if they are not there yet.
    fn posteriors(&self, run: &Run) -> Result<Arc<Vec<Posterior>>> {
        if let Some(there) = self.factors.get() {
            return Ok(Arc::clone(there));
        }
        let (c, points) = (self.outputs(), self.parts.expansion.points());
        if let Inputs::Precomputed(_) = points {
            return Err(Error::Unsupported {
                what: "probabilities from a precomputed matrix, which the model does not keep,".into(),
                alternative: "ask the model as it was fitted, before it was saved".into(),
            });
        }
        let k = dense::<f64>(&self.parts.expansion.space().gram(points, run)?, run)?;
        let one = |o: usize| {
            let a: Vec<f64> = self.parts.expansion.coefficients().iter().skip(o).step_by(c).copied().collect();
            let f = product(&k, &a, run)?;
            // The curvature does not depend on the labels.
            let (_, roots) = Labels { y: &f, weights: self.parts.weights.as_deref() }.slopes(&f);
            let mut factor = dense::<f64>(&k, run)?;
            factor_curvature(&k, &roots, &mut factor, run)?;
            Ok(Posterior { factor, roots: Some(roots) })
        };
        let made = Arc::new((0..c).map(one).collect::<Result<Vec<_>>>()?);
        Ok(Arc::clone(self.factors.get_or_init(|| made)))
    }
}
