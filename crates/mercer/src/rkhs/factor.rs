//! The rank-revealing factor K = B·Bᵀ and its feature map.

use serde::Serialize;

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::{KernelColumns, dense};
use crate::linalg::{
    PivotedCholesky, PivotedParams, PivotedStop, pivoted_cholesky, pivoted_cholesky_dense, solve_lower,
};
use crate::run::Run;

use super::Space;

/// K ≈ B·Bᵀ of a set of points, with B: n×r, and the map that gives the rows of B.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, rkhs::{Factor, Space}};
/// let run = Run::new();
/// let x: Inputs = Rows::new(vec![1.0, 0.0, 0.0, 2.0, 1.0, 2.0], 3, 2)?.into();
/// let space = Space::new(&KernelExpr::parse("linear")?, &x, &run)?;
/// let factor = Factor::fit(&space, &x, &Default::default(), &run)?;
/// assert_eq!(factor.report().rank, 2); // three vectors of a plane
/// let new: Inputs = Rows::new(vec![3.0, -1.0], 1, 2)?.into();
/// let f = factor.map().transform(&new, &run)?;
/// let b = factor.rows();
/// assert!((b[2] * f[0] + b[3] * f[1] - (-2.0)).abs() < 1e-14); // ⟨(0, 2), (3, −1)⟩
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct Factor {
    cholesky: PivotedCholesky,
    map: FeatureMap,
}

/// How the rank was decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactorReport {
    /// Number of points.
    pub size: usize,
    /// Number of columns of B.
    pub rank: usize,
    /// The trace of K.
    pub trace: f64,
    /// The trace of K − B·Bᵀ.
    pub residual_trace: f64,
    /// The largest diagonal value of K − B·Bᵀ, which bounds all of its entries.
    pub largest_residual: f64,
    /// Remaining diagonal values up to this count as zero.
    pub tolerance: f64,
    /// Why no more columns were added.
    pub stop: PivotedStop,
    /// The same as a sentence.
    pub reason: &'static str,
}

impl Factor {
    /// Factors the Gram matrix of `x`, column by column; a precomputed matrix is factored in a copy.
    pub fn fit(space: &Space, x: &Inputs, params: &PivotedParams, run: &Run) -> Result<Self> {
        let matrix = space.gram(x, run)?;
        let cholesky = match x {
            Inputs::Precomputed(_) => {
                let gram = dense::<f64>(&matrix, run)?;
                let n = gram.nrows();
                pivoted_cholesky_dense(&mut gram.into_values(), n, params, run)?
            }
            _ => pivoted_cholesky(&KernelColumns(&matrix), params, run)?,
        };
        let map = FeatureMap::new(space, x, &cholesky);
        Ok(Factor { cholesky, map })
    }

    /// The rank, and how it was decided.
    pub fn report(&self) -> FactorReport {
        let c = &self.cholesky;
        FactorReport {
            size: c.n(),
            rank: c.rank(),
            trace: c.trace(),
            residual_trace: c.residual_trace(),
            largest_residual: c.residual().iter().copied().fold(0.0, f64::max),
            tolerance: c.tolerance(),
            stop: c.stop(),
            reason: c.stop().describe(),
        }
    }

    /// The points that were chosen, in order.
    pub fn pivots(&self) -> &[usize] {
        self.cholesky.pivots()
    }

    /// B, row-major: n×r. Row i is the feature vector of point i.
    pub fn rows(&self) -> Vec<f64> {
        self.cholesky.rows()
    }

    /// The feature map.
    pub fn map(&self) -> &FeatureMap {
        &self.map
    }

    /// The factor itself.
    pub fn cholesky(&self) -> &PivotedCholesky {
        &self.cholesky
    }
}

/// F(x) = B†·k(x) with k(x) = (k(x₁, x), …, k(xₙ, x)), so that B·F(x) = k(x).
///
/// With L the rows of B at the pivots P, F(x) = L⁻¹·k_P(x): r kernel values and one triangular solve
/// a point. This is B†·k(x) whenever K = B·Bᵀ exactly; of a truncated factor it is the projection
/// onto the pivots, and |k(xᵢ, x) − ⟨Bᵢ, F(x)⟩|² ≤ residualᵢ·k(x, x).
#[derive(Clone, Debug)]
pub struct FeatureMap {
    space: Space,
    points: Inputs,
    /// The columns to pick where kernel values come as a matrix of all training points.
    columns: Option<Vec<usize>>,
    lower: Vec<f64>,
    rank: usize,
}

impl FeatureMap {
    fn new(space: &Space, x: &Inputs, cholesky: &PivotedCholesky) -> Self {
        let pivots = cholesky.pivots();
        let (points, columns) = match x {
            Inputs::Precomputed(_) => (x.clone(), Some(pivots.to_vec())),
            _ => (x.take(pivots), None),
        };
        FeatureMap { space: space.clone(), points, columns, lower: cholesky.triangle(), rank: cholesky.rank() }
    }

    /// The space of the kernel.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Number of features.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// F(x) for every point x, row-major: m×r.
    pub fn transform(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        if self.rank == 0 || x.is_empty() {
            return Ok(Vec::new());
        }
        let cross = dense::<f64>(&self.space.cross(x, &self.points, run)?, run)?;
        let mut features = match &self.columns {
            None => cross.into_values(),
            Some(columns) => (0..cross.nrows())
                .flat_map(|i| columns.iter().map(move |&j| (i, j)))
                .map(|(i, j)| cross.row(i)[j])
                .collect(),
        };
        solve_lower(&self.lower, self.rank, &mut features, run)?;
        Ok(features)
    }
}
