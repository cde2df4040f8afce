//! What is computed once for a conditioning set Z, for all pairs that are tested given it.

use rayon::prelude::*;

use crate::data::{Inputs, Rows};
use crate::error::{Error, Result};
use crate::gram::{DenseGram, Resolution, dense};
use crate::kernel::KernelExpr;
use crate::linalg::{cholesky_in_place_with_jitter, multiply_transposed, solve_cholesky, transpose_in_place};
use crate::run::Run;

use super::width::{beside_half, standardized};
use super::{Kci, Side};
use crate::model::compare::product::StoredRows;
use crate::model::compare::result::{TestResult, TestedKernel};
use crate::model::compare::variable::{Centred, FEWEST_ROWS, Short};

/// Z with R = ε(HK_zH + εI)⁻¹, which takes out of a function of the rows what a smooth function of Z explains: one Cholesky
/// factor, made once. Each further pair costs products with it alone.
pub struct Conditioning {
    settings: Kci,
    n: usize,
    /// The Cholesky factor of HK_zH + εI.
    factor: Vec<f64>,
    z: Inputs,
    /// The columns of Z, standardised, where the width rule made its kernel.
    rows: Option<Rows>,
    kernel: KernelExpr,
    found: Vec<Resolution>,
}

impl Conditioning {
    pub(super) fn new(settings: &Kci, z: &Side<'_>, run: &Run) -> Result<Self> {
        settings.check()?;
        let n = z.points.len();
        if n < FEWEST_ROWS {
            return Err(Error::shape("a test of dependence", format!("at least {FEWEST_ROWS} rows"), n));
        }
        let (z, rows, kernel, found) = match z.kernel {
            Some(kernel) => {
                let (kernel, found) = kernel.resolve(z.points, run)?;
                (z.points.clone(), None, kernel, found)
            }
            None => {
                let rows = standardized(z.points, "Z")?;
                let kernel = settings.width.kernel(&rows, Some(rows.ncols()), run)?;
                (Inputs::from(rows.clone()), Some(rows), kernel, Vec::new())
            }
        };
        let gram = dense(&kernel.bind(&z, run)?, run)?;
        let mut factor = Centred::of_gram(gram, kernel.clone(), Vec::new(), run)?.gram.into_values();
        (0..n).for_each(|i| factor[i * n + i] += settings.epsilon);
        cholesky_in_place_with_jitter(&mut factor, n, run)?;
        Ok(Conditioning { settings: *settings, n, factor, z, rows, kernel, found })
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Tests whether X and Y are independent given Z.
    pub fn test(&self, x: Side<'_>, y: Side<'_>, run: &Run) -> Result<TestResult> {
        for (side, name) in [(&x, "X"), (&y, "Y")] {
            if side.points.len() != self.n {
                let expected = format!("{} rows, as `Z` has", self.n);
                return Err(Error::shape(format!("`{name}`"), expected, side.points.len()));
            }
        }
        let (k, of_x) = self.beside_z(&x, run)?;
        let (l, of_y) = self.alone(&y, run)?;
        let z = TestedKernel::new("Z", self.kernel.to_string(), self.found.clone());
        let (k, l) = (self.residual(k, run)?, self.residual(l, run)?);
        self.settings.judged(&k, &l, vec![of_x, of_y, z], run)
    }

    /// The Gram matrix of (x, z): of [x, z/2] by the width rule, else k_x·k_z.
    fn beside_z(&self, x: &Side<'_>, run: &Run) -> Result<(Centred, TestedKernel)> {
        if let (None, Some(z)) = (x.kernel, &self.rows) {
            let rows = beside_half(&standardized(x.points, "X")?, z)?;
            let kernel = self.settings.width.kernel(&rows, Some(z.ncols()), run)?;
            let gram = dense(&kernel.bind(&rows.into(), run)?, run)?;
            let said = TestedKernel::new("X and Z/2", kernel.to_string(), Vec::new());
            return Ok((Centred::of_gram(gram, kernel, Vec::new(), run)?, said));
        }
        let (mut gram, kernel, found) = self.gram(x, "X", run)?;
        let given: DenseGram = dense(&self.kernel.bind(&self.z, run)?, run)?;
        let pairs = gram.values_mut().par_iter_mut().zip(given.values().par_iter());
        run.install(|| pairs.for_each(|(k, z)| *k *= z));
        let said = TestedKernel::new("X", format!("{kernel}, times that of Z"), found);
        Ok((Centred::of_gram(gram, kernel, Vec::new(), run)?, said))
    }

    fn alone(&self, y: &Side<'_>, run: &Run) -> Result<(Centred, TestedKernel)> {
        let (gram, kernel, found) = self.gram(y, "Y", run)?;
        let said = TestedKernel::new("Y", kernel.to_string(), found);
        Ok((Centred::of_gram(gram, kernel, Vec::new(), run)?, said))
    }

    fn gram(&self, side: &Side<'_>, name: &str, run: &Run) -> Result<(DenseGram, KernelExpr, Vec<Resolution>)> {
        let columns = self.rows.as_ref().map_or_else(|| self.z.columns().len(), Rows::ncols).max(1);
        side.gram(self.settings.width, Some(columns), name, run)
    }

    /// R·K̃·R, through a factor K̃ ≈ ΨΨᵀ where it is short: (RΨ)(RΨ)ᵀ.
    ///
    /// R has no eigenvalue above 1, so what Ψ leaves out does not grow.
    fn residual(&self, k: Centred, run: &Run) -> Result<Residual> {
        let (n, epsilon) = (self.n, self.settings.epsilon);
        let short = k.short(n / 2, run)?;
        let mut values = k.gram.into_values();
        if let Some(Short { rows: mut psi, rank, .. }) = short {
            self.apply(&mut psi, rank, run)?;
            psi.iter_mut().for_each(|v| *v *= epsilon);
            multiply_transposed(&psi, &psi, [n, rank, n], &mut values, run)?;
            return Ok(Residual { n, values });
        }
        self.apply(&mut values, n, run)?;
        transpose_in_place(&mut values, n);
        run.task("residuals", None).step_or_cancel()?;
        self.apply(&mut values, n, run)?;
        run.install(|| values.par_iter_mut().for_each(|v| *v *= epsilon * epsilon));
        Ok(Residual { n, values })
    }

    fn apply(&self, columns: &mut [f64], k: usize, run: &Run) -> Result<()> {
        solve_cholesky(&self.factor, self.n, columns, k, run)
    }
}

/// K_{X|Z} = R·K̃·R, row-major.
pub(super) struct Residual {
    pub(super) n: usize,
    pub(super) values: Vec<f64>,
}

impl StoredRows for Residual {
    fn n(&self) -> usize {
        self.n
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }
}
