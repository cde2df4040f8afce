//! Repair of an indefinite similarity matrix: clip, flip or shift.
//!
//! With K = UΛUᵀ, a repair replaces Λ: *clip* by max(Λ, 0), *flip* by |Λ|, *shift* by Λ + cI with
//! the least c ≥ 0 that makes it non-negative. Clip and flip are products K·M with
//! M = U₊U₊ᵀ and M = U·sign(Λ)·Uᵀ, so rows of similarities to new points are repaired by the same M:
//! a training point that comes back as a new one gets its own row. Shift adds c to k(x, x) of
//! training points alone and leaves the similarities to new points as they are.
//!
//! Reference: Chen, Garcia, Gupta, Rahimi, Cazzanti, Similarity-based classification: concepts and
//! algorithms, JMLR 10 (2009), section 4.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::linalg::{
    Eigen, add_weighted_outer, eigen, eigenvalues, filled, largest_magnitude, multiply, multiply_transposed,
};
use crate::run::Run;

use super::audit::{finite, symmetric};

const WHAT: &str = "the similarity matrix";
const ALTERNATIVE: &str = "use fewer points, or raise the memory limit";

/// What to do with negative eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairMethod {
    /// Negative eigenvalues become 0: the nearest positive semi-definite matrix.
    Clip,
    /// Negative eigenvalues change their sign.
    Flip,
    /// All eigenvalues are raised by the same amount.
    Shift,
}

impl RepairMethod {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            RepairMethod::Clip => "clip",
            RepairMethod::Flip => "flip",
            RepairMethod::Shift => "shift",
        }
    }

    /// The method of this name.
    pub fn by_name(name: &str) -> Result<Self> {
        match name {
            "clip" => Ok(RepairMethod::Clip),
            "flip" => Ok(RepairMethod::Flip),
            "shift" => Ok(RepairMethod::Shift),
            other => Err(Error::invalid("the repair", "method", format!("`{other}`"), "`clip`, `flip` or `shift`")),
        }
    }
}

/// What a repair changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepairReport {
    /// The method.
    pub method: RepairMethod,
    /// Number of points.
    pub size: usize,
    /// Eigenvalues below −tolerance.
    pub negative: usize,
    /// Eigenvalues within the tolerance of zero, which clip and flip take as zero.
    pub null: usize,
    /// The smallest eigenvalue before the repair; none of an empty matrix.
    pub smallest_eigenvalue: Option<f64>,
    /// The largest one.
    pub largest_eigenvalue: Option<f64>,
    /// Eigenvalues within this of zero count as zero: 4·n·ε·|λ|_max.
    pub tolerance: f64,
    /// Σ|λ′ − λ| over all eigenvalues: how much was moved.
    pub moved: f64,
    /// That as a share of Σ|λ|; 0 of a zero matrix.
    pub moved_share: f64,
    /// What shift added to the diagonal; 0 for the others.
    pub shift: f64,
}

/// A repair fitted to a training matrix, M = β·I + Σ_ℓ w_ℓ·u_ℓ·u_ℓᵀ.
#[derive(Debug)]
pub struct Repair {
    n: usize,
    identity: f64,
    vectors: Vec<f64>,
    weights: Vec<f64>,
    /// The eigenvalues of those vectors.
    values: Vec<f64>,
    report: RepairReport,
    _reserved: Option<crate::run::Reservation>,
}

impl Repair {
    /// Learns the repair of a symmetric n×n matrix, row-major.
    ///
    /// ```
    /// use mercer::{Run, gram::{Repair, RepairMethod}};
    /// let mut k = [1.0, 2.0, 2.0, 1.0]; // eigenvalues −1 and 3
    /// let repair = Repair::fit(&k, 2, RepairMethod::Clip, &Run::new())?;
    /// let mut new = [1.0, 2.0]; // the first point again
    /// repair.apply(&mut k, &Run::new())?;
    /// repair.transform(&mut new, &Run::new())?;
    /// assert!(k.iter().chain(&new).all(|v| (v - 1.5).abs() < 1e-15));
    /// assert_eq!((repair.report().negative, repair.report().moved.round()), (1, 1.0));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit(gram: &[f64], n: usize, method: RepairMethod, run: &Run) -> Result<Self> {
        if n.checked_mul(n) != Some(gram.len()) {
            return Err(Error::shape(WHAT, format!("{n}×{n} values"), gram.len()));
        }
        finite(gram, n, WHAT)?;
        symmetric(gram, n, n, WHAT)?;
        if method == RepairMethod::Shift {
            let spectrum = eigenvalues(gram, n, run)?;
            return Ok(Self::shifted(&spectrum, n));
        }
        Self::spectral(&eigen(gram, n, run)?, method, run)
    }

    fn shifted(spectrum: &[f64], n: usize) -> Self {
        let mut report = RepairReport::of(spectrum, RepairMethod::Shift);
        let smallest = spectrum.first().copied().unwrap_or(0.0);
        report.shift = if report.negative > 0 { -smallest } else { 0.0 };
        let shift = report.shift;
        let report = report.moved_by(spectrum, |_| shift);
        Repair {
            n,
            identity: 1.0,
            vectors: Vec::new(),
            weights: Vec::new(),
            values: Vec::new(),
            report,
            _reserved: None,
        }
    }

    /// Keeps the eigenvectors of the smaller side only: those that change, or those that stay.
    fn spectral(eigen: &Eigen, method: RepairMethod, run: &Run) -> Result<Self> {
        let (n, spectrum) = (eigen.n(), eigen.values());
        let report = RepairReport::of(spectrum, method);
        let tolerance = report.tolerance;
        let sign = |v: f64| match v {
            v if v > tolerance => 1.0,
            v if v < -tolerance && method == RepairMethod::Flip => -1.0,
            _ => 0.0,
        };
        let report = report.moved_by(spectrum, |v| sign(v) * v - v);
        let changed = spectrum.iter().filter(|v| sign(**v) != 1.0).count();
        let identity = if 2 * changed <= n { 1.0 } else { 0.0 };
        let kept: Vec<usize> = (0..n).filter(|&l| sign(spectrum[l]) != identity).collect();
        let purpose = format!("the {} eigenvectors of a repair", kept.len());
        let (mut vectors, reserved) = filled((kept.len() * n) as u128, 0.0, &purpose, ALTERNATIVE, run)?;
        vectors.chunks_mut(n.max(1)).zip(&kept).for_each(|(place, &l)| place.copy_from_slice(eigen.vector(l)));
        Ok(Repair {
            n,
            identity,
            weights: kept.iter().map(|&l| sign(spectrum[l]) - identity).collect(),
            values: kept.iter().map(|&l| spectrum[l]).collect(),
            vectors,
            report,
            _reserved: Some(reserved),
        })
    }

    /// What was changed.
    pub fn report(&self) -> &RepairReport {
        &self.report
    }

    /// Repairs the matrix it was fitted to, in place; the result is symmetric to the bit.
    pub fn apply(&self, gram: &mut [f64], run: &Run) -> Result<()> {
        let n = self.n;
        if n.checked_mul(n) != Some(gram.len()) {
            return Err(Error::shape("the fitted similarity matrix", format!("{n}×{n} values"), gram.len()));
        }
        if self.report.method == RepairMethod::Shift {
            (0..n).for_each(|i| gram[i * n + i] += self.report.shift);
            return Ok(());
        }
        if self.identity == 0.0 {
            gram.fill(0.0);
        }
        let weights: Vec<f64> = self.weights.iter().zip(&self.values).map(|(w, v)| w * v).collect();
        let (mut scratch, _reserved) =
            filled(self.vectors.len() as u128, 0.0, "the weighted eigenvectors", ALTERNATIVE, run)?;
        add_weighted_outer(&self.vectors, &weights, n, &mut scratch, gram, run);
        Ok(())
    }

    /// Repairs rows of similarities between new points and the training points, in place: rows·M.
    ///
    /// Shift leaves them as they are: it changes k(x, x) of the training points alone.
    pub fn transform(&self, rows: &mut [f64], run: &Run) -> Result<()> {
        let (n, p) = (self.n, self.weights.len());
        if rows.is_empty() {
            return Ok(());
        }
        if n == 0 || !rows.len().is_multiple_of(n) {
            return Err(Error::shape("similarities to the training points", format!("rows of {n} values"), rows.len()));
        }
        finite(rows, n, "the similarities to new points")?;
        if self.report.method == RepairMethod::Shift || p == 0 {
            rows.iter_mut().for_each(|v| *v *= self.identity);
            return Ok(());
        }
        let m = rows.len() / n;
        let size = (m * p + m * n) as u128;
        let (mut scratch, _reserved) = filled(size, 0.0, "repaired rows", "repair fewer rows at a time", run)?;
        let (coefficients, moved) = scratch.split_at_mut(m * p);
        multiply_transposed(rows, &self.vectors, [m, n, p], coefficients, run)?;
        coefficients.chunks_mut(p).for_each(|row| row.iter_mut().zip(&self.weights).for_each(|(c, w)| *c *= w));
        multiply(coefficients, &self.vectors, [m, p, n], moved, run)?;
        rows.iter_mut().zip(moved).for_each(|(k, change)| *k = self.identity * *k + *change);
        Ok(())
    }
}

impl RepairReport {
    fn of(spectrum: &[f64], method: RepairMethod) -> Self {
        let tolerance = 4.0 * spectrum.len() as f64 * f64::EPSILON * largest_magnitude(spectrum);
        RepairReport {
            method,
            size: spectrum.len(),
            negative: spectrum.iter().filter(|v| **v < -tolerance).count(),
            null: spectrum.iter().filter(|v| v.abs() <= tolerance).count(),
            smallest_eigenvalue: spectrum.first().copied(),
            largest_eigenvalue: spectrum.last().copied(),
            tolerance,
            moved: 0.0,
            moved_share: 0.0,
            shift: 0.0,
        }
    }

    /// Fills in how much a change of every eigenvalue moves.
    fn moved_by(mut self, spectrum: &[f64], change: impl Fn(f64) -> f64) -> Self {
        let total: f64 = spectrum.iter().map(|v| v.abs()).sum();
        self.moved = spectrum.iter().map(|v| change(*v).abs()).sum();
        self.moved_share = if total > 0.0 { self.moved / total } else { 0.0 };
        self
    }
}
