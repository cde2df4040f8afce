//! The log evidence of a process, with its gradient.
//!
//! With A = K + alpha·W⁻¹ and β = A⁻¹y, summed over the outputs,
//!
//! log p(y | X, θ) = −½yᵀβ − ½log det A − (n/2)log 2π − Σᵢ ½((wᵢ − 1)log(2π·alpha) + log wᵢ).
//!
//! The last sum is 0 without weights. With it, the evidence is that of the likelihood Π N(yᵢ; fᵢ, alpha)^wᵢ,
//! so that a weight means repetition for every parameter, alpha among them. The derivative along dA
//! is ⟨½(ββᵀ − A⁻¹), dA⟩: one matrix, pulled back through the formula. Reference: Rasmussen & Williams
//! (2006), eq. 5.8 and 5.9.

use std::f64::consts::TAU;
use std::sync::Arc;

use rayon::prelude::*;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{Bound, DenseGram, dense, pull_back_symmetric};
use crate::kernel::{KernelExpr, Param};
use crate::linalg::{CholeskyInfo, cholesky_in_place_with_jitter, invert_cholesky_in_place, solve_cholesky};
use crate::model::Criterion;
use crate::run::Run;

use super::problem::Problem;

/// What the evidence of a model is a function of, and how to compute it.
pub(super) trait LogEvidence: Send + Sync {
    /// The value at a kernel and alpha; −∞ where it has none. The gradient, where wanted, is by θ and,
    /// if there is noise at all, by log alpha.
    fn at(&self, kernel: &KernelExpr, alpha: f64, gradient: Option<&mut Vec<f64>>, run: &Run) -> Result<f64>;

    /// Number of targets, counted by their weights; values are divided by it when they are compared with a
    /// tolerance, so that a search takes the same steps for a weight as for its repetition.
    fn size(&self) -> f64;
}

/// The log evidence of a kernel on data, as a function of its free parameters on their own scales
/// and, where alpha is free, of log alpha, which comes last.
pub struct GpEvidence {
    pub(super) kernel: KernelExpr,
    pub(super) alpha: Option<Param>,
    pub(super) of: Arc<dyn LogEvidence>,
}

impl std::fmt::Debug for GpEvidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpEvidence({}, {:?})", self.kernel, self.names())
    }
}

impl GpEvidence {
    fn free_alpha(&self) -> Option<&Param> {
        self.alpha.as_ref().filter(|a| a.free)
    }

    /// The kernel and alpha at these parameters; alpha is 0 for a model without noise.
    pub fn model_at(&self, at: &[f64]) -> Result<(KernelExpr, f64)> {
        let given = || self.alpha.as_ref().and_then(Param::number).unwrap_or(0.0);
        match (self.free_alpha(), at.split_last()) {
            (Some(_), Some((log_alpha, theta))) => Ok((self.kernel.with_theta(theta)?, log_alpha.exp())),
            _ => Ok((self.kernel.with_theta(at)?, given())),
        }
    }

    /// The log evidence; −∞ where the matrix is not positive definite to rounding.
    pub fn value(&self, at: &[f64], run: &Run) -> Result<f64> {
        let (kernel, alpha) = self.model_at(at)?;
        self.of.at(&kernel, alpha, None, run)
    }
}

impl Criterion for GpEvidence {
    fn names(&self) -> Vec<String> {
        let alpha = self.free_alpha().map(|_| "alpha".to_owned());
        self.kernel.names().into_iter().chain(alpha).collect()
    }

    fn start(&self) -> Result<Vec<f64>> {
        let mut at = self.kernel.theta()?;
        at.extend(self.free_alpha().and_then(Param::number).map(f64::ln));
        Ok(at)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let ends = |a: &Param| (a.bounds().0.ln(), a.bounds().1.ln());
        self.kernel.bounds().into_iter().chain(self.free_alpha().map(ends)).collect()
    }

    fn in_units(&self, parameter: usize, theta: f64) -> f64 {
        let params = self.kernel.free_params();
        params.get(parameter).map_or(theta.exp(), |p| p.param.transform.backward(theta))
    }

    fn value_and_gradient(&self, at: &[f64], run: &Run) -> Result<(f64, Vec<f64>)> {
        let (kernel, alpha) = self.model_at(at)?;
        let mut gradient = Vec::new();
        let value = self.of.at(&kernel, alpha, Some(&mut gradient), run)?;
        gradient.resize(at.len(), 0.0);
        Ok((value, gradient))
    }

    fn size(&self) -> f64 {
        self.of.size()
    }
}

/// Binds a kernel, or nothing where its values leave the range of numbers.
pub(super) fn bind(kernel: &KernelExpr, x: &Inputs, run: &Run) -> Result<Option<Bound>> {
    match kernel.bind(x, run) {
        Ok(bound) => Ok(Some(bound)),
        Err(Error::NonFinite { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// A = K + alpha·W⁻¹ factored, and β = A⁻¹z.
pub(super) struct Factored {
    /// The factor, in the memory of the matrix.
    pub(super) factor: DenseGram<f64>,
    pub(super) info: CholeskyInfo,
    /// β, row-major: n×outputs.
    pub(super) beta: Vec<f64>,
}

impl Factored {
    pub(super) fn new(problem: &Problem, bound: &Bound, alpha: f64, run: &Run) -> Result<Self> {
        let n = problem.training.n;
        let mut factor = dense::<f64>(bound, run)?;
        (0..n).for_each(|i| factor.values_mut()[i * n + i] += problem.noise(alpha, i));
        let info = cholesky_in_place_with_jitter(factor.values_mut(), n, run)?;
        let mut beta = problem.z.clone();
        solve_cholesky(factor.values(), n, &mut beta, problem.outputs, run)?;
        Ok(Factored { factor, info, beta })
    }

    pub(super) fn log_evidence(&self, problem: &Problem, alpha: f64) -> f64 {
        let (n, c) = (problem.training.n, problem.outputs);
        let log_det: f64 = (0..n).map(|i| 2.0 * self.factor.row(i)[i].ln()).sum();
        let quadratic = |o: usize| {
            let products = problem.z.iter().zip(&self.beta).skip(o).step_by(c).map(|(z, b)| z * b);
            problem.power(o) * products.sum::<f64>()
        };
        let fit: f64 = (0..c).map(quadratic).sum();
        -0.5 * fit - 0.5 * c as f64 * (log_det + n as f64 * TAU.ln() + repetition(problem, alpha))
    }
}

/// Σᵢ (wᵢ − 1)log(2π·alpha) + log wᵢ. Without noise a repeated row says nothing new: 0.
fn repetition(problem: &Problem, alpha: f64) -> f64 {
    match &problem.training.weights {
        Some(weights) if alpha > 0.0 => {
            let log = (TAU * alpha).ln();
            weights.iter().map(|w| (w - 1.0) * log + w.ln()).sum()
        }
        _ => 0.0,
    }
}

impl LogEvidence for Problem {
    fn at(&self, kernel: &KernelExpr, alpha: f64, gradient: Option<&mut Vec<f64>>, run: &Run) -> Result<f64> {
        let Some(bound) = bind(kernel, &self.training.x, run)? else {
            return Ok(f64::NEG_INFINITY);
        };
        let factored = match Factored::new(self, &bound, alpha, run) {
            Ok(factored) if factored.info.jitter == 0.0 => factored,
            Ok(_) | Err(Error::NotPositiveDefinite { .. }) => return Ok(f64::NEG_INFINITY),
            Err(other) => return Err(other),
        };
        let value = factored.log_evidence(self, alpha);
        if let Some(gradient) = gradient {
            *gradient = self.gradient(&bound, factored, alpha, run)?;
        }
        Ok(value)
    }

    fn size(&self) -> f64 {
        self.training.total_weight() * self.outputs as f64
    }
}

impl Problem {
    fn gradient(&self, bound: &Bound, factored: Factored, alpha: f64, run: &Run) -> Result<Vec<f64>> {
        let (n, c) = (self.training.n, self.outputs);
        let Factored { mut factor, beta, .. } = factored;
        invert_cholesky_in_place(factor.values_mut(), n, run)?;
        let weighted: Vec<f64> = beta.iter().enumerate().map(|(at, b)| b * self.power(at % c)).collect();
        let row = |(i, row): (usize, &mut [f64])| {
            let own = &weighted[i * c..(i + 1) * c];
            for (w, beta) in row[i..].iter_mut().zip(beta[i * c..].chunks_exact(c)) {
                let outer: f64 = own.iter().zip(beta).map(|(a, b)| a * b).sum();
                *w = 0.5 * (outer - c as f64 * *w);
            }
        };
        run.install(|| factor.values_mut().par_chunks_mut(n).enumerate().for_each(row));
        let mut gradient = pull_back_symmetric(bound, factor.values(), run)?;
        let diagonal: f64 = (0..n).map(|i| factor.row(i)[i] * self.noise(alpha, i)).sum();
        let repeated: f64 = self.training.weights.as_ref().map_or(0.0, |w| w.iter().map(|w| w - 1.0).sum());
        gradient.push(diagonal - 0.5 * c as f64 * repeated);
        Ok(gradient)
    }
}
