//! One variable of a test of dependence: its centred Gram matrix, and what permutations do not change of it.

use rayon::prelude::*;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{Centering, DenseGram, KernelColumns, Resolution, dense};
use crate::kernel::KernelExpr;
use crate::linalg::{PivotedParams, PivotedStop, dot, pivoted_cholesky};
use crate::run::Run;

use super::moments::CentredSums;

/// Rows that every test of dependence needs: the unbiased estimate and the variance over permutations divide by n − 3.
pub const FEWEST_ROWS: usize = 4;

/// A variable: points and the kernel that compares them, with rules (`median`) that look at these points alone.
#[derive(Clone, Copy, Debug)]
pub struct Variable<'a> {
    /// Its values, one a row.
    pub points: &'a Inputs,
    /// Its kernel.
    pub kernel: &'a KernelExpr,
}

impl<'a> Variable<'a> {
    /// Values and their kernel.
    pub fn new(points: &'a Inputs, kernel: &'a KernelExpr) -> Self {
        Variable { points, kernel }
    }

    /// The stored Gram matrix, with the formula without rules and what the rules found.
    pub(super) fn gram(&self, run: &Run) -> Result<(KernelExpr, Vec<Resolution>, DenseGram)> {
        let (kernel, found) = self.kernel.resolve(self.points, run)?;
        let gram = dense(&kernel.bind(self.points, run)?, run)?;
        Ok((kernel, found, gram))
    }
}

/// The number of rows that all variables have.
pub(super) fn common_rows(variables: &[Variable<'_>], names: &[&str]) -> Result<usize> {
    let n = variables.first().map_or(0, |v| v.points.len());
    for (variable, name) in variables.iter().zip(names) {
        if variable.points.len() != n {
            let expected = format!("{n} rows, as `{}` has", names[0]);
            return Err(Error::shape(format!("`{name}`"), expected, variable.points.len()));
        }
    }
    match n < FEWEST_ROWS {
        true => Err(Error::shape("a test of dependence", format!("at least {FEWEST_ROWS} rows"), n)),
        false => Ok(n),
    }
}

/// HKH, with H = I − 11ᵀ/n, and its invariants under permutations.
pub(super) struct Centred {
    pub(super) kernel: KernelExpr,
    pub(super) found: Vec<Resolution>,
    pub(super) gram: DenseGram,
    /// The diagonal of HKH.
    pub(super) diagonal: Vec<f64>,
    /// What the moments over permutations need.
    pub(super) sums: CentredSums,
    /// max k(x, x), which bounds every value before centring.
    pub(super) largest: f64,
}

impl Centred {
    /// Computes, stores and centres the Gram matrix of a variable.
    pub(super) fn of(variable: &Variable<'_>, run: &Run) -> Result<Self> {
        let (kernel, found, gram) = variable.gram(run)?;
        Self::of_gram(gram, kernel, found, run)
    }

    /// Centres a Gram matrix in place.
    pub(super) fn of_gram(mut gram: DenseGram, kernel: KernelExpr, found: Vec<Resolution>, run: &Run) -> Result<Self> {
        let n = gram.nrows();
        let largest = (0..n).map(|i| gram.row(i)[i].abs()).fold(0.0, f64::max);
        let centering = run.install(|| Centering::fit(gram.values(), n, None))?;
        centering.apply(gram.values_mut(), run)?;
        let diagonal: Vec<f64> = (0..n).map(|i| gram.row(i)[i]).collect();
        let squares = run.install(|| sum_of_rows(n, |i| dot(gram.row(i), gram.row(i))));
        let (trace, diagonal_squares) = (diagonal.iter().sum(), dot(&diagonal, &diagonal));
        let sums = CentredSums { n, trace, squares, diagonal_squares };
        Ok(Centred { kernel, found, gram, diagonal, sums, largest })
    }

    pub(super) fn n(&self) -> usize {
        self.diagonal.len()
    }

    /// ‖HKH‖_F.
    pub(super) fn norm(&self) -> f64 {
        self.sums.squares.sqrt()
    }

    /// By how much an entry of HKH may be off: a mean of n values and three sums, of values up to `largest`.
    pub(super) fn rounding(&self) -> f64 {
        (self.n() as f64 + 4.0) * f64::EPSILON * self.largest
    }
}

/// HKH ≈ ΨΨᵀ.
pub(super) struct Short {
    /// Ψ, row-major: n×rank.
    pub(super) rows: Vec<f64>,
    pub(super) rank: usize,
    /// A bound of the norm of HKH − ΨΨᵀ: the trace of the remainder, and what rounding hides of it.
    pub(super) remainder: f64,
}

impl Centred {
    /// A factor of at most `most` columns that leaves nothing but rounding; none where there is no such factor, or the matrix
    /// is indefinite.
    pub(super) fn short(&self, most: usize, run: &Run) -> Result<Option<Short>> {
        let hidden = self.n() as f64 * self.rounding();
        let highest = self.diagonal.iter().fold(0.0f64, |a, d| a.max(*d));
        // Where nothing varies, HKH is rounding of either sign.
        if highest <= 4.0 * self.rounding() {
            return Ok(Some(Short { rows: Vec::new(), rank: 0, remainder: self.norm() + hidden }));
        }
        let tolerance = (self.n() as f64 * f64::EPSILON).max(self.rounding() / highest);
        let params = PivotedParams { max_rank: Some(most.min(self.n())), tolerance: Some(tolerance) };
        let factor = match pivoted_cholesky(&KernelColumns(&self.gram), &params, run) {
            Err(Error::NotPositiveDefinite { .. }) => return Ok(None),
            other => other?,
        };
        run.task("factor", None).step_or_cancel()?;
        if !matches!(factor.stop(), PivotedStop::Tolerance | PivotedStop::FullRank) {
            return Ok(None);
        }
        let remainder = factor.residual_trace().abs() + hidden;
        Ok(Some(Short { rows: factor.rows(), rank: factor.rank(), remainder }))
    }
}

/// A sum over rows, whose parts are computed on all threads and added in order.
pub(super) fn sum_of_rows(n: usize, part: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    (0..n).into_par_iter().map(part).collect::<Vec<f64>>().iter().sum()
}
