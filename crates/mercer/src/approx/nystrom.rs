//! Ridge regression on landmarks, in one pass over the data.

use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::gram::{KernelColumns, KernelMatrix, TileMut, dense, multiply_tile, multiply_tile_transposed};
use crate::linalg::{
    Half, PARTS, PivotedParams, add_gram_of_columns, cholesky_in_place_with_jitter, filled, inverse_diagonal, mirror,
    multiply_first_transposed, pivoted_cholesky_dense, solve_cholesky, solve_lower, solve_lower_transposed,
    transpose_in_place,
};
use crate::run::{Reservation, Run};

use super::{RpCholeskyParams, rp_cholesky};

/// Rows that are accumulated at a time: enough for matrix products, few enough for the caches.
const ROWS: usize = 512;
/// Rows that a thread fills at a time.
const STRIP: usize = 64;
/// Sums that are kept apart in a pass and added in order, so that threads do not matter.
const GROUPS: usize = 32;

/// How landmarks are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NystromParams {
    /// How many; 10√n, from 500 to 3000, without a number.
    pub landmarks: Option<usize>,
}

impl NystromParams {
    /// Refuses values without a meaning.
    pub fn validate(&self) -> Result<()> {
        match self.landmarks {
            Some(0) => Err(Error::invalid("Nyström", "landmarks", 0, "at least 1")),
            _ => Ok(()),
        }
    }

    /// How many, for n rows.
    pub fn count(&self, n: usize) -> usize {
        let usual = (10.0 * (n as f64).sqrt()).round() as usize;
        self.landmarks.unwrap_or(usual.clamp(500, 3000)).min(n)
    }
}

/// `count` landmarks of a set, given by its Gram matrix, by randomly pivoted Cholesky; fewer if they
/// already span everything, and none of a kernel that is 0 on all of them.
pub fn landmarks(gram: &dyn KernelMatrix, count: usize, seed: u64, run: &Run) -> Result<Vec<usize>> {
    let params = RpCholeskyParams { rank: count, residual_trace: 0.0, seed };
    let factor = rp_cholesky(&KernelColumns(gram), &params, run)?;
    match factor.stopped() {
        Some(reason) => Err(run.task("landmarks", None).cancelled(reason)),
        None => Ok(factor.pivots().to_vec()),
    }
}

/// The normal equations of ridge regression on landmarks z:
/// minimise Σ wᵢ·½(yᵢ − Σⱼ aⱼk(zⱼ, xᵢ) − b)² + (alpha/2)·aᵀK_zz·a.
///
/// With K_zz = L·Lᵀ and features φ(x) = L⁻¹k_z(x), this is ridge regression on φ. The sums
/// G = Σ wφφᵀ and Σ wφy are either of whitened features or of raw kernel values that are whitened at
/// the end, which halves the work; [`raw_is_safe`](Self::raw_is_safe) says when rounding allows it.
#[derive(Debug)]
pub struct LandmarkSystem {
    m: usize,
    outputs: usize,
    /// L, row-major.
    lower: Vec<f64>,
    /// tr K_zz⁻¹, which bounds how much whitening enlarges rounding.
    inverse_trace: f64,
    /// Σ wφφᵀ; the lower triangle of columns.
    gram: Vec<f64>,
    /// Σ wφ·(y, 1), row-major: m×(outputs + 1).
    moments: Vec<f64>,
    /// Σ w·(y, 1)·(y, 1) of each output and of 1, and Σ w·y of each output.
    squares: Vec<f64>,
    sums: Vec<f64>,
    _reserved: Vec<Reservation>,
}

/// Data to be passed over: kernel values of rows against landmarks, targets, weights.
#[derive(Clone, Copy)]
pub struct LandmarkData<'a> {
    /// n×m.
    pub cross: &'a dyn KernelMatrix,
    /// n×outputs, row-major.
    pub y: &'a [f64],
    /// One a row; all 1 without.
    pub weights: Option<&'a [f64]>,
}

impl LandmarkData<'_> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }
}

/// What a pass over the data finds of coefficients.
#[derive(Debug)]
pub struct Gradient {
    /// L⁻¹·Σ wk_z(x)·(y − f(x) − b) − alpha·Lᵀa, row-major: m×outputs.
    pub whitened: Vec<f64>,
    /// b, the weighted mean of y − f; zeros without an intercept.
    pub intercept: Vec<f64>,
    /// ‖whitened‖ over that of coefficients 0, the largest of the outputs.
    pub relative: f64,
    /// The objective of each output.
    pub objective: Vec<f64>,
}

impl LandmarkSystem {
    /// Factors K_zz (m×m, row-major, used up) and answers the landmarks that are kept: those that
    /// bring something new to rounding.
    pub fn new(mut k_zz: Vec<f64>, m: usize, outputs: usize, run: &Run) -> Result<(Self, Vec<usize>)> {
        let factor = pivoted_cholesky_dense(&mut k_zz, m, &PivotedParams::default(), run)?;
        drop(k_zz);
        let (kept, r) = (factor.pivots().to_vec(), factor.rank());
        let lower = factor.triangle();
        drop(factor);
        let reserved = run.reserve(16 * (r as u128).pow(2), "the factor of the landmarks", "use fewer landmarks")?;
        let (gram, more) = filled((r * r) as u128, 0.0, "the normal equations", "use fewer landmarks", run)?;
        // Lᵀ by rows is what `inverse_diagonal` takes.
        let upper: Vec<f64> = (0..r * r).map(|at| lower[(at % r) * r + at / r]).collect();
        let inverse_trace = inverse_diagonal(&upper, r, run)?.iter().sum();
        let system = LandmarkSystem {
            m: r,
            outputs,
            lower,
            inverse_trace,
            gram,
            moments: vec![0.0; r * (outputs + 1)],
            squares: vec![0.0; outputs + 1],
            sums: vec![0.0; outputs],
            _reserved: vec![reserved, more],
        };
        Ok((system, kept))
    }

    /// φ(x) = L⁻¹k_z(x) of every row, row-major: n×m.
    pub fn features(&self, cross: &dyn KernelMatrix, run: &Run) -> Result<Vec<f64>> {
        let mut rows = dense::<f64>(cross, run)?.into_values();
        solve_lower(&self.lower, self.m, &mut rows, run)?;
        Ok(rows)
    }

    /// Number of landmarks kept; 0 where the kernel is 0 at all of them.
    pub fn rank(&self) -> usize {
        self.m
    }

    /// Whether sums of raw kernel values, whitened at the end, lose at most a hundredth of alpha:
    /// ε·Σ wk(x, x)·tr K_zz⁻¹·max k(z, z) ≤ alpha/100. What is lost is found again by refinement.
    pub fn raw_is_safe(&self, alpha: f64, mass: f64) -> bool {
        let largest = (0..self.m).map(|i| self.lower[i * self.m..=i * self.m + i].iter().map(|v| v * v).sum::<f64>());
        f64::EPSILON * mass * self.inverse_trace * largest.fold(0.0, f64::max) <= 0.01 * alpha
    }

    /// One pass: adds the sums of all rows, whitening every row if `whitened`, and whitens at the end
    /// if not.
    pub fn accumulate(&mut self, data: &LandmarkData<'_>, whitened: bool, run: &Run) -> Result<()> {
        let (n, m, c) = (data.cross.nrows(), self.m, self.outputs);
        let rows = ROWS.min(n);
        let (mut tile, _reserved) =
            filled((rows * m) as u128, 0.0, "a block of kernel values", "use fewer landmarks", run)?;
        let mut scaled = vec![0.0; rows * (c + 1)];
        let task = run.task("nystrom", Some(n.div_ceil(ROWS) as u64));
        for start in (0..n).step_by(ROWS) {
            let count = ROWS.min(n - start);
            let tile = &mut tile[..count * m];
            run.install(|| fill(data.cross, start, tile, m));
            if whitened {
                solve_lower(&self.lower, m, tile, run)?;
            }
            self.add_rows(data, start, tile, &mut scaled[..count * (c + 1)], run)?;
            task.step_or_cancel()?;
        }
        if !whitened {
            self.whiten(run)?;
        }
        Ok(())
    }

    fn add_rows(
        &mut self,
        data: &LandmarkData<'_>,
        start: usize,
        tile: &mut [f64],
        scaled: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        let (m, c) = (self.m, self.outputs);
        let count = scaled.len() / (c + 1);
        for (r, t) in scaled.chunks_mut(c + 1).enumerate() {
            let i = start + r;
            let root = data.weight(i).sqrt();
            if root != 1.0 {
                tile[r * m..(r + 1) * m].iter_mut().for_each(|k| *k *= root);
            }
            t[..c].iter_mut().zip(&data.y[i * c..(i + 1) * c]).for_each(|(t, y)| *t = root * y);
            t[c] = root;
            self.squares.iter_mut().zip(&*t).for_each(|(s, t)| *s += t * t);
            self.sums.iter_mut().zip(&*t).for_each(|(s, t)| *s += t * root);
        }
        if m == 0 {
            return Ok(());
        }
        let mut moments = vec![0.0; m * (c + 1)];
        multiply_first_transposed(tile, scaled, [m, count, c + 1], &mut moments, run)?;
        self.moments.iter_mut().zip(&moments).for_each(|(s, t)| *s += t);
        add_gram_of_columns(tile, m, &mut self.gram, run)
    }

    /// The sums that [`gradient`](Self::gradient) needs and not the matrix of the normal equations: two
    /// passes of n·m multiplications an output, to check an answer and not to find one.
    pub fn accumulate_moments(&mut self, data: &LandmarkData<'_>, run: &Run) -> Result<()> {
        let (m, c) = (self.m, self.outputs);
        let zeros = vec![0.0; m * c];
        let of_y = self.residual_sums(data, &zeros, run)?;
        let ones = vec![1.0; data.y.len()];
        let of_ones = self.residual_sums(&LandmarkData { y: &ones, ..*data }, &zeros, run)?;
        for (j, row) in self.moments.chunks_mut(c + 1).enumerate() {
            row[..c].copy_from_slice(&of_y[j * c..(j + 1) * c]);
            row[c] = of_ones[j * c];
        }
        self.sums.copy_from_slice(&of_y[m * c..(m + 1) * c]);
        self.squares[..c].copy_from_slice(&of_y[(m + 1) * c..]);
        self.squares[c] = of_ones[m * c];
        self.whiten_columns(run)
    }

    /// G ← L⁻¹·G·L⁻ᵀ, moments ← L⁻¹·moments.
    fn whiten(&mut self, run: &Run) -> Result<()> {
        let m = self.m;
        mirror(&mut self.gram, m, Half::Upper);
        // Rows b become L⁻¹b: G·L⁻ᵀ, and, G being symmetric, again on the transpose.
        solve_lower(&self.lower, m, &mut self.gram, run)?;
        transpose_in_place(&mut self.gram, m);
        solve_lower(&self.lower, m, &mut self.gram, run)?;
        self.whiten_columns(run)
    }

    fn whiten_columns(&mut self, run: &Run) -> Result<()> {
        let k = self.outputs + 1;
        let whitened = self.whiten_rows_of(&self.moments, k, run)?;
        self.moments = whitened;
        Ok(())
    }

    /// L⁻¹·V for V: m×k, row-major.
    fn whiten_rows_of(&self, v: &[f64], k: usize, run: &Run) -> Result<Vec<f64>> {
        let m = self.m;
        let mut columns: Vec<f64> = (0..m * k).map(|at| v[(at % m) * k + at / m]).collect();
        solve_lower(&self.lower, m, &mut columns, run)?;
        Ok((0..m * k).map(|at| columns[(at % k) * m + at / k]).collect())
    }

    /// The matrix and right-hand side of the normal equations without alpha, both row-major; with an
    /// intercept, of features and targets less their weighted means.
    pub fn normal_equations(&self, intercept: bool) -> (Vec<f64>, Vec<f64>) {
        let (m, c) = (self.m, self.outputs);
        let mut gram = self.gram.clone();
        mirror(&mut gram, m, Half::Upper);
        let total = self.squares[c];
        let mean = |i: usize| self.moments[i * (c + 1) + c] / total;
        if intercept {
            for (i, row) in gram.chunks_mut(m.max(1)).enumerate() {
                row.iter_mut().enumerate().for_each(|(j, g)| *g -= mean(i) * mean(j) * total);
            }
        }
        (gram, self.right_hand_side(intercept))
    }

    /// Σ w·y² of each output, less its weighted mean with an intercept.
    pub fn target_squares(&self, intercept: bool) -> Vec<f64> {
        let total = self.squares[self.outputs];
        let of = |o: usize| self.squares[o] - if intercept { self.sums[o] * self.sums[o] / total } else { 0.0 };
        (0..self.outputs).map(of).collect()
    }

    /// The Cholesky factor of G + alpha, and the jitter it took.
    pub fn factor(&self, alpha: f64, intercept: bool, run: &Run) -> Result<(Vec<f64>, f64, f64)> {
        let (mut gram, _) = self.normal_equations(intercept);
        (0..self.m).for_each(|i| gram[i * self.m + i] += alpha);
        let info = cholesky_in_place_with_jitter(&mut gram, self.m, run)?;
        Ok((gram, info.jitter, info.condition))
    }

    /// What the least objective rises by if a landmark is left out, for each: Σ aⱼ²/(2·(H⁻¹)ⱼⱼ) over the outputs,
    /// with a the minimiser and H = Σ wk_z·k_zᵀ + alpha·K_zz, less means with an intercept.
    pub fn removal_costs(&self, alpha: f64, intercept: bool, run: &Run) -> Result<Vec<f64>> {
        let (m, c) = (self.m, self.outputs);
        let (factor, ..) = self.factor(alpha, intercept, run)?;
        let mut u = self.right_hand_side(intercept);
        self.solve_with(&factor, &mut u, run)?;
        let a = self.coefficients(&u);
        // H = L·(G + alpha)·Lᵀ, so that its factor is L times that of G + alpha.
        let (mut of_h, _reserved) = filled((m * m) as u128, 0.0, "a factor", "use fewer landmarks", run)?;
        let triangle = BlockStructure::TriangularLower;
        let lower = MatRef::from_row_major_slice(&self.lower, m, m);
        let factor = MatRef::from_column_major_slice(&factor, m, m);
        let product = MatMut::from_column_major_slice_mut(&mut of_h, m, m);
        run.install(|| {
            triangular_matmul(product, triangle, Accum::Replace, lower, triangle, factor, triangle, 1.0, PARTS)
        });
        let squares = a.chunks(c).map(|row| row.iter().map(|a| a * a).sum::<f64>());
        Ok(squares.zip(inverse_diagonal(&of_h, m, run)?).map(|(s, d)| 0.5 * s / d).collect())
    }

    /// Solves in the coordinates of φ with a factor: v ← (G + alpha)⁻¹v.
    pub fn solve_with(&self, factor: &[f64], v: &mut [f64], run: &Run) -> Result<()> {
        solve_cholesky(factor, self.m, v, self.outputs, run)
    }

    /// Coefficients of the landmarks from coordinates of φ: a = L⁻ᵀu, row-major: m×outputs.
    pub fn coefficients(&self, u: &[f64]) -> Vec<f64> {
        let mut a = u.to_vec();
        solve_lower_transposed(&self.lower, self.m, &mut a, self.outputs);
        a
    }

    /// Coordinates of φ from coefficients of the landmarks: u = Lᵀa, row-major: m×outputs. ‖u‖ is the norm of the function.
    pub fn coordinates(&self, a: &[f64]) -> Vec<f64> {
        let (m, c) = (self.m, self.outputs);
        let one = |j: usize, o: usize| (j..m).map(|i| self.lower[i * m + j] * a[i * c + o]).sum();
        (0..m).flat_map(|j| (0..c).map(move |o| (j, o))).map(|(j, o)| one(j, o)).collect()
    }

    /// One pass with coefficients: the gradient, computed from the kernel values themselves.
    pub fn gradient(
        &self,
        data: &LandmarkData<'_>,
        a: &[f64],
        alpha: f64,
        intercept: bool,
        run: &Run,
    ) -> Result<Gradient> {
        let (m, c) = (self.m, self.outputs);
        let sums = self.residual_sums(data, a, run)?;
        let (total, mc) = (self.squares[c], m * c);
        let mean: Vec<f64> = (0..c).map(|o| if intercept { sums[mc + o] / total } else { 0.0 }).collect();
        let of_ones = self.moments.iter().skip(c).step_by(c + 1);
        let mut whitened = self.whiten_rows_of(&sums[..mc], c, run)?;
        // ‖f‖² = ‖Lᵀa‖².
        let mut norms = vec![0.0; c];
        for (j, phi) in of_ones.enumerate() {
            for o in 0..c {
                let u: f64 = (j..m).map(|i| self.lower[i * m + j] * a[i * c + o]).sum();
                whitened[j * c + o] -= phi * mean[o] + alpha * u;
                norms[o] += u * u;
            }
        }
        let objective = (0..c).map(|o| 0.5 * (sums[mc + c + o] - mean[o] * sums[mc + o] + alpha * norms[o])).collect();
        let rhs = self.right_hand_side(intercept);
        let relative = (0..c).map(|o| relative_norm(&whitened, &rhs, o, c)).fold(0.0, f64::max);
        Ok(Gradient { whitened, intercept: mean, relative, objective })
    }

    /// The right-hand side of the normal equations.
    fn right_hand_side(&self, intercept: bool) -> Vec<f64> {
        let (c, total) = (self.outputs, self.squares[self.outputs]);
        let mean = |row: &[f64]| if intercept { row[c] / total } else { 0.0 };
        let less_mean = |row: &[f64]| (0..c).map(|o| row[o] - mean(row) * self.sums[o]).collect::<Vec<f64>>();
        self.moments.chunks(c + 1).flat_map(less_mean).collect()
    }

    /// Σ w·k_z·r, Σ w·r and Σ w·r² with r = y − f, one after the other.
    fn residual_sums(&self, data: &LandmarkData<'_>, a: &[f64], run: &Run) -> Result<Vec<f64>> {
        let (n, m, c) = (data.cross.nrows(), self.m, self.outputs);
        let size = m * c + 2 * c;
        let blocks = n.div_ceil(STRIP);
        let groups = GROUPS.min(blocks);
        let (mut parts, _reserved) =
            filled((groups * size) as u128, 0.0, "the sums of a pass", "use fewer landmarks", run)?;
        let task = run.task("certify", Some(blocks as u64));
        let group = |(group, sums): (usize, &mut [f64])| -> Result<()> {
            let (mut tile, mut r) = (vec![0.0; STRIP * m], vec![0.0; STRIP * c]);
            for block in (group..blocks).step_by(groups) {
                let rows = block * STRIP..((block + 1) * STRIP).min(n);
                let count = rows.len();
                let r = &mut r[..count * c];
                r.fill(0.0);
                if m > 0 {
                    data.cross.block(rows.clone(), 0..m, TileMut::contiguous(&mut tile[..count * m], count, m));
                    multiply_tile(&tile[..count * m], a, c, r);
                }
                let (gradient, rest) = sums.split_at_mut(m * c);
                for (i, row) in rows.zip(r.chunks_mut(c)) {
                    let w = data.weight(i);
                    for (o, r) in row.iter_mut().enumerate() {
                        let residual = data.y[i * c + o] - *r;
                        rest[o] += w * residual;
                        rest[c + o] += w * residual * residual;
                        *r = w * residual;
                    }
                }
                if m > 0 {
                    multiply_tile_transposed(&tile[..count * m], r, c, gradient);
                }
                task.step_or_cancel()?;
            }
            Ok(())
        };
        run.install(|| parts.par_chunks_mut(size).enumerate().try_for_each(group))?;
        let mut sums = vec![0.0; size];
        for part in parts.chunks(size) {
            sums.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
        Ok(sums)
    }
}

fn relative_norm(v: &[f64], of: &[f64], o: usize, c: usize) -> f64 {
    let norm = |v: &[f64]| v.iter().skip(o).step_by(c).map(|x| x * x).sum::<f64>().sqrt();
    if norm(v) == 0.0 { 0.0 } else { norm(v) / norm(of).max(f64::MIN_POSITIVE) }
}

/// Kernel values of rows from `start` on.
fn fill(cross: &dyn KernelMatrix, start: usize, tile: &mut [f64], m: usize) {
    if m == 0 {
        return;
    }
    tile.par_chunks_mut(STRIP * m).enumerate().for_each(|(strip, part)| {
        let (first, count) = (start + strip * STRIP, part.len() / m);
        cross.block(first..first + count, 0..m, TileMut::contiguous(part, count, m));
    });
}
