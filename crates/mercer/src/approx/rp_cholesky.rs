//! Randomly pivoted Cholesky: K ≈ F·Fᵀ with pivots drawn in proportion to what is left.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef};

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::linalg::{ColumnSource, PARTS, filled};
use crate::run::{Reservation, Run, StopReason};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RpCholeskyParams {
    /// The largest rank.
    pub rank: usize,
    /// Stops when the trace of what is left is not above this.
    pub residual_trace: f64,
    /// Where chance begins.
    pub seed: u64,
}

/// F of K ≈ F·Fᵀ.
#[derive(Debug)]
pub struct RpCholesky {
    n: usize,
    /// The columns of F, one after the other.
    columns: Vec<f64>,
    pivots: Vec<usize>,
    residual_trace: f64,
    stopped: Option<StopReason>,
    _reserved: Reservation,
}

impl RpCholesky {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of columns.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// The pivots, in the order they were drawn.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// F, column-major: n×rank.
    pub fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// The trace of K − F·Fᵀ.
    pub fn residual_trace(&self) -> f64 {
        self.residual_trace
    }

    /// Why it ended early, if it did; the factor is of the rank reached by then.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }
}

/// A share of the trace that rounding may leave.
const ROUNDING: f64 = 1e-13;

/// Draws pivots in blocks with rejection, which gives the same distribution as one at a time:
/// a proposal drawn in proportion to the diagonal at the start of its block is accepted with the
/// probability of what the block's earlier pivots have left of it.
///
/// rank·n values of K and 8·n·rank bytes; 2n·rank² multiplications, almost all in matrix products.
///
/// Reference: Chen, Epperly, Tropp, Webber, Randomly pivoted Cholesky, Comm. Pure Appl. Math. (2025);
/// for the blocks, Epperly, Tropp, Webber, Embrace rejection (2024), algorithm 2.
pub fn rp_cholesky(matrix: &dyn ColumnSource, params: &RpCholeskyParams, run: &Run) -> Result<RpCholesky> {
    let n = matrix.dim();
    let mut diagonal = vec![0.0; n];
    matrix.diag(&mut diagonal);
    if diagonal.iter().any(|d| !d.is_finite()) {
        let first_row = diagonal.iter().position(|d| !d.is_finite()).unwrap_or(0);
        let count = diagonal.iter().filter(|d| !d.is_finite()).count();
        let place = "the diagonal of the matrix".into();
        return Err(Error::NonFinite { place, count, total: n, first_row, what: "NaN or infinite".into() });
    }
    let rank = params.rank.min(n);
    let purpose = format!("a factor of {n} rows and {rank} columns");
    let (columns, reserved) = filled((n * rank) as u128, 0.0, &purpose, "ask for a smaller rank", run)?;
    diagonal.iter_mut().for_each(|d| *d = d.max(0.0));
    let target = params.residual_trace.max(ROUNDING * diagonal.iter().sum::<f64>());
    let mut work = Work { matrix, n, columns, pivots: Vec::new(), diagonal, chance: Chance::new(params.seed) };
    let task = run.task("rp_cholesky", Some(rank as u64));
    let mut stopped = None;
    while work.pivots.len() < rank && work.diagonal.iter().sum::<f64>() > target && stopped.is_none() {
        let before = work.pivots.len();
        let width = (rank / 8).clamp(16, 128);
        work.round(width, rank, run)?;
        // A round without a pivot means that what is left is rounding.
        if work.pivots.len() == before {
            break;
        }
        stopped = task.step(Some(work.diagonal.iter().sum()));
    }
    let residual_trace = work.diagonal.iter().sum();
    work.columns.truncate(n * work.pivots.len());
    Ok(RpCholesky { n, columns: work.columns, pivots: work.pivots, residual_trace, stopped, _reserved: reserved })
}

struct Work<'a> {
    matrix: &'a dyn ColumnSource,
    n: usize,
    columns: Vec<f64>,
    pivots: Vec<usize>,
    /// The diagonal of what is left.
    diagonal: Vec<f64>,
    chance: Chance,
}

impl Work<'_> {
    /// One block of proposals.
    fn round(&mut self, width: usize, rank: usize, run: &Run) -> Result<()> {
        let (n, done) = (self.n, self.pivots.len());
        let proposals = self.propose(width);
        let b = proposals.len();
        // What is left of the columns of the proposals: K[:, S] − F·F[S]ᵀ.
        let mut fresh = vec![0.0; n * b];
        for (column, j) in fresh.chunks_mut(n).zip(&proposals) {
            self.matrix.column(*j, column, run)?;
        }
        let at_proposals: Vec<f64> = (0..done)
            .flat_map(|c| proposals.iter().map(move |j| (c, *j)))
            .map(|(c, j)| self.columns[c * n + j])
            .collect();
        if done > 0 {
            let before = MatRef::from_column_major_slice(&self.columns[..n * done], n, done);
            let weights = MatRef::from_row_major_slice(&at_proposals, done, b);
            let fresh = MatMut::from_column_major_slice_mut(&mut fresh, n, b);
            run.install(|| matmul(fresh, Accum::Add, before, weights, -1.0, PARTS));
        }
        let (accepted, lower) = self.reject(&proposals, &fresh, rank - done);
        let count = accepted.len();
        let target = &mut self.columns[n * done..n * (done + count)];
        for (column, a) in target.chunks_mut(n).zip(&accepted) {
            column.copy_from_slice(&fresh[a * n..(a + 1) * n]);
        }
        // F_new = fresh·L⁻ᵀ, as L·F_newᵀ = freshᵀ.
        let lower = MatRef::from_row_major_slice(&lower, count, count);
        let block = MatMut::from_column_major_slice_mut(target, n, count);
        run.install(|| solve_lower_triangular_in_place(lower, block.transpose_mut(), PARTS));
        for column in self.columns[n * done..n * (done + count)].chunks(n) {
            self.diagonal.iter_mut().zip(column).for_each(|(d, f)| *d = (*d - f * f).max(0.0));
        }
        for a in accepted {
            // Zero but for rounding, and never to be drawn again.
            self.diagonal[proposals[a]] = 0.0;
            self.pivots.push(proposals[a]);
        }
        Ok(())
    }

    /// So many draws in proportion to the diagonal, with replacement, in the order drawn.
    fn propose(&mut self, width: usize) -> Vec<usize> {
        let mut sums = Vec::with_capacity(self.n);
        let mut total = 0.0;
        for d in &self.diagonal {
            total += d;
            sums.push(total);
        }
        let mut draw = || {
            let at = self.chance.unit() * total;
            sums.partition_point(|s| *s <= at).min(self.n - 1)
        };
        (0..width).map(|_| draw()).collect()
    }

    /// Which proposals are accepted, at most `most`, and the Cholesky factor of what is left of K
    /// among them, row-major.
    fn reject(&mut self, proposals: &[usize], fresh: &[f64], most: usize) -> (Vec<usize>, Vec<f64>) {
        let (n, b) = (self.n, proposals.len());
        let mut rest: Vec<f64> = (0..b * b).map(|at| fresh[(at % b) * n + proposals[at / b]]).collect();
        let own: Vec<f64> = (0..b).map(|j| rest[j * b + j]).collect();
        let (mut accepted, mut columns): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for j in 0..b {
            let left = rest[j * b + j];
            let accept = self.chance.unit() * own[j] < left;
            if !accept
                || accepted.len() == most
                || left <= ROUNDING * own[j]
                || accepted.iter().any(|a| proposals[*a] == proposals[j])
            {
                continue;
            }
            let root = left.sqrt();
            let column: Vec<f64> = (0..b).map(|i| if i < j { 0.0 } else { rest[i * b + j] / root }).collect();
            for i in j + 1..b {
                for l in j + 1..b {
                    rest[i * b + l] -= column[i] * column[l];
                }
            }
            accepted.push(j);
            columns.push(column);
        }
        let lower = accepted.iter().flat_map(|i| columns.iter().map(move |c| c[*i])).collect();
        (accepted, lower)
    }
}
