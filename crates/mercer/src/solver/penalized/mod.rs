//! Losses with a quadratic penalty, in the coefficients of a kernel matrix.
//!
//! **Solves** min Σ wᵢℓᵢ(zᵢ) + (alpha/2)·tr aᵀKa over a: n×c and b: c, with z = Ka + 1bᵀ: n×c. The
//! numbers b are there if asked for, and are not penalised.
//!
//! **Dual** max −Σ wᵢℓᵢ*(vᵢ/wᵢ) − tr vᵀKv/(2·alpha) over v with 1ᵀv = 0 (with an intercept). At the
//! solution vᵢ = wᵢ∇ℓᵢ(zᵢ) and a = −v/alpha, so both solvers work on v.
//!
//! **Gap** For z of v and any dual point u: primal − dual = Σ (wᵢℓᵢ(zᵢ) + wᵢℓᵢ*(uᵢ/wᵢ) − uᵢzᵢ) +
//! tr (v − u)ᵀK(v − u)/(2·alpha): sums of terms ≥ 0, so nothing cancels.
//!
//! `working_sets` and `interior_point` are for losses that are sums of pieces, `newton` for smooth ones.

mod balance;
mod constant;
mod explicit;
mod features;
mod inner;
mod interior;
mod newton;
mod pieces;
mod shifted;
mod system;
mod working_sets;

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::linalg::{largest_magnitude, multiply};
use crate::run::Run;

pub(crate) use balance::balance;

pub use explicit::{Explicit, ExplicitAnswer, newton_explicit};
pub use interior::interior_point;
pub use newton::newton;
pub use working_sets::{Attempt, working_sets};

/// K, weights and the penalty.
#[derive(Clone, Copy, Debug)]
pub struct Penalized<'a> {
    /// K, symmetric and positive semi-definite, row-major: n×n.
    pub kernel: &'a [f64],
    /// wᵢ > 0.
    pub weights: &'a [f64],
    /// alpha > 0.
    pub alpha: f64,
    /// Whether b is there.
    pub intercept: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenalizedParams {
    /// The gap over the objective (without a conjugate, the gradient over its size) at which to stop.
    pub tolerance: f64,
    /// The largest number of steps.
    pub max_iterations: usize,
}

impl Default for PenalizedParams {
    fn default() -> Self {
        PenalizedParams { tolerance: 1e-12, max_iterations: 100 }
    }
}

impl PenalizedParams {
    /// Checks both numbers.
    pub fn validate(&self) -> Result<()> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::invalid("the solver", "tolerance", self.tolerance, "between 0 and 1, both excluded"));
        }
        match self.max_iterations {
            0 => Err(Error::invalid("the solver", "max_iterations", 0, "at least 1")),
            _ => Ok(()),
        }
    }
}

/// What a solver found.
#[derive(Clone, Debug)]
pub struct PenalizedAnswer {
    /// v, row-major: n×c. The coefficients are −v/alpha.
    pub slopes: Vec<f64>,
    /// b; zeros without an intercept.
    pub intercept: Vec<f64>,
    /// z, row-major: n×c.
    pub values: Vec<f64>,
    /// Σ wᵢℓᵢ(zᵢ).
    pub loss: f64,
    /// tr vᵀKv, not below 0 but by rounding; ‖f‖² = tr vᵀKv/alpha².
    pub slopes_square: f64,
    /// An upper bound of the distance of the objective from its minimum, to the rounding of plain sums, which
    /// certificates do not trust; nothing without a conjugate.
    pub gap: Option<f64>,
    /// ‖v − w·∇ℓ(z)‖/‖w·∇ℓ(z)‖ of smooth losses, the gap over the objective of others.
    pub residual: f64,
    /// Steps taken.
    pub iters: usize,
    /// Why it ended.
    pub stop: Stop,
    /// The largest number that was added to the diagonal of I + √S·K·√S/alpha.
    pub jitter: f64,
    /// The objective after each step.
    pub history: Vec<f64>,
}

impl PenalizedAnswer {
    /// The objective of a problem with this alpha.
    pub fn primal(&self, alpha: f64) -> f64 {
        self.loss + 0.5 * self.slopes_square / alpha
    }
}

impl Penalized<'_> {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.weights.len()
    }

    fn validate(&self, rows: usize) -> Result<()> {
        let n = self.n();
        if n == 0 || n.checked_mul(n) != Some(self.kernel.len()) || rows != n {
            let got = format!("{} and {rows}", self.kernel.len());
            return Err(Error::shape("a penalized problem", format!("{n}×{n} values and {n} losses, n ≥ 1"), got));
        }
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            return Err(Error::invalid("the penalty", "alpha", self.alpha, "a finite number > 0"));
        }
        match self.weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
            Some(bad) => Err(Error::invalid("the penalty", "weights", bad, "finite and > 0")),
            None => Ok(()),
        }
    }

    /// scale·K fits into numbers with room for sums.
    fn check_range(&self, scale: f64) -> Result<()> {
        let n = self.n();
        let largest = (0..n).map(|i| self.kernel[i * n + i].abs()).fold(0.0, f64::max);
        let size = largest * scale * n as f64;
        match size < 1e290 && scale > 0.0 {
            true => Ok(()),
            false => Err(Error::invalid(
                "the penalty",
                "alpha",
                self.alpha,
                format!("larger beside kernel values up to {largest:e}: their quotient leaves the range of numbers"),
            )),
        }
    }

    /// K·V for V: n×c.
    fn times(&self, v: &[f64], c: usize, out: &mut [f64], run: &Run) -> Result<()> {
        multiply(self.kernel, v, [self.n(), self.n(), c], out, run)
    }
}

/// Fails where a number is none, which only a loss of the user's, or an overflow, can bring about.
fn check_finite(values: &[f64], place: &str) -> Result<()> {
    if largest_magnitude(values).is_finite() {
        return Ok(());
    }
    Err(Error::NonFinite {
        place: place.into(),
        count: values.iter().filter(|v| !v.is_finite()).count(),
        total: values.len(),
        first_row: values.iter().position(|v| !v.is_finite()).unwrap_or(0),
        what: "NaN or infinite".into(),
    })
}
