//! Variances and covariances of a process that has seen its points.
//!
//! k(x, x′) − v(x)ᵀv(x′) with v(x) = L⁻¹·D·k(X, x), where L·Lᵀ = K + alpha·W⁻¹ and D = I for a regression,
//! and L·Lᵀ = I + DKD with D = √W for a classifier. Reference: Rasmussen & Williams (2006), eq. 2.26
//! and 3.24.

use std::sync::{Arc, OnceLock};

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{DenseGram, dense, dense_into};
use crate::linalg::{filled, multiply_transposed, solve_cholesky_lower_rows};
use crate::rkhs::Space;
use crate::run::Run;

/// New points whose kernel values with all points are held at a time.
const BATCH: usize = 512;

/// The posterior of a regression: its unit, and a factor of n×n numbers that is kept once it has been needed.
#[derive(Clone, Debug)]
pub struct Process {
    /// The unit of the process, one an output: 1, or the standard deviation of a normalised target.
    pub(crate) prior: Vec<f64>,
    pub(crate) factor: OnceLock<Arc<Posterior>>,
}

impl Process {
    /// One whose factor is made when it is needed.
    pub(crate) fn new(prior: Vec<f64>) -> Self {
        Process { prior, factor: OnceLock::new() }
    }

    /// The unit of each output.
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    pub(super) fn validate(&self, outputs: usize) -> Result<()> {
        if self.prior.len() != outputs {
            let expected = format!("{outputs} values, one an output");
            return Err(Error::shape("the units of a process", expected, self.prior.len()));
        }
        match self.prior.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
            Some(bad) => Err(Error::invalid("a Gaussian process", "prior", bad, "finite and positive")),
            None => Ok(()),
        }
    }
}

/// The posteriors of a classification, one an output; factors are kept once they have been needed.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    pub(crate) factors: OnceLock<Arc<Vec<Posterior>>>,
}

/// A factor of what the points have told.
#[derive(Debug)]
pub(crate) struct Posterior {
    /// L, in the upper triangle of rows.
    pub(crate) factor: DenseGram<f64>,
    /// The diagonal of D, where it is not 1.
    pub(crate) roots: Option<Vec<f64>>,
}

impl Posterior {
    fn n(&self) -> usize {
        self.factor.nrows()
    }

    /// v(x) for the points x, one a row of `rows`: m×n.
    fn whitened(&self, space: &Space, points: &Inputs, x: &Inputs, rows: &mut [f64], run: &Run) -> Result<()> {
        dense_into(&space.cross(x, points, run)?, rows, run)?;
        if let Some(roots) = &self.roots {
            for row in rows.chunks_mut(self.n()) {
                row.iter_mut().zip(roots).for_each(|(k, d)| *k *= d);
            }
        }
        solve_cholesky_lower_rows(self.factor.values(), self.n(), rows, run)
    }

    /// k(x, x) − ‖v(x)‖² for every point, in batches. Where nothing is left but rounding, of the size
    /// n·ε·k(x, x), the difference may come out below 0, which no variance is: there it is 0.
    pub(crate) fn variances(&self, space: &Space, points: &Inputs, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        check_own_values(x)?;
        let (n, m) = (self.n(), x.len());
        let mut variances = space.diag(x, run)?;
        let widest = BATCH.min(m);
        let alternative = "raise the memory limit";
        let (mut memory, _reserved) =
            filled(widest as u128 * n as u128, 0.0, "kernel values of new points", alternative, run)?;
        let task = run.task("variance", Some(m.div_ceil(BATCH) as u64));
        for (batch, variances) in variances.chunks_mut(BATCH).enumerate() {
            let rows: Vec<usize> = (batch * BATCH..batch * BATCH + variances.len()).collect();
            let whitened = &mut memory[..rows.len() * n];
            self.whitened(space, points, &x.take(&rows), whitened, run)?;
            for (variance, v) in variances.iter_mut().zip(whitened.chunks(n)) {
                *variance = (*variance - v.iter().map(|v| v * v).sum::<f64>()).max(0.0);
            }
            task.step_or_cancel()?;
        }
        Ok(variances)
    }

    /// k(x, x′) − v(x)ᵀv(x′) for all pairs, symmetric to the bit; its diagonal as in
    /// [`variances`](Self::variances).
    pub(crate) fn covariance(&self, space: &Space, points: &Inputs, x: &Inputs, run: &Run) -> Result<DenseGram<f64>> {
        check_own_values(x)?;
        let (n, m) = (self.n(), x.len());
        let mut covariance = dense::<f64>(&space.gram(x, run)?, run)?;
        let alternative = "ask for variances, or for the covariance of fewer points";
        let size = m as u128 * (n as u128 + m as u128);
        let (mut memory, _reserved) = filled(size, 0.0, "the covariance of new points", alternative, run)?;
        let (whitened, product) = memory.split_at_mut(m * n);
        self.whitened(space, points, x, whitened, run)?;
        multiply_transposed(whitened, whitened, [m, n, m], product, run)?;
        let values = covariance.values_mut();
        for i in 0..m {
            for j in 0..i {
                let value = values[i * m + j] - product[i * m + j];
                (values[i * m + j], values[j * m + i]) = (value, value);
            }
            values[i * m + i] = (values[i * m + i] - product[i * m + i]).max(0.0);
        }
        Ok(covariance)
    }
}

/// A precomputed matrix of new points against old ones does not hold k(x, x) of the new ones.
fn check_own_values(x: &Inputs) -> Result<()> {
    match x {
        Inputs::Precomputed(_) => Err(Error::Unsupported {
            what: "the variance of a process with a precomputed kernel, whose k(x, x) at new points is unknown,".into(),
            alternative: "use a kernel by name, or a kernel of your own".into(),
        }),
        _ => Ok(()),
    }
}
