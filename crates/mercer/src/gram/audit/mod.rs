//! Audit of a matrix that is said to be a Gram matrix.
//!
//! A matrix K is the Gram matrix of some kernel exactly when it is symmetric and positive
//! semi-definite: aᵀKa ≥ 0 for every a. [`audit`] decides this within rounding and, where the answer
//! is no, shows a vector a with aᵀKa < 0 that anyone can check by a sum.

mod check;
mod conditional;
mod quadratic;

use std::mem::MaybeUninit;

use rayon::prelude::*;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::linalg::{Buffer, eigen, eigenvalues, largest_magnitude, power_of_two};
use crate::run::Run;

pub(crate) use check::{finite, symmetric};
pub use conditional::Conditional;
pub use quadratic::quadratic_form;

/// Eigenvalues of this many n·ε·|λ|_max below zero are no rounding: the solver's own error is a
/// small multiple of ε·|λ|_max, and values that were rounded once add up to n·ε·|λ|_max.
const ROUNDINGS: f64 = 4.0;

/// How strict to be.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct AuditParams {
    /// Eigenvalues below −tolerance·|λ|_max make a matrix indefinite; 4·n·ε without one. Values
    /// that were stored in single precision need about n·1e-7.
    pub tolerance: Option<f64>,
}

/// What an audit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditVerdict {
    /// Symmetric, and no eigenvalue is below −tolerance.
    PositiveSemidefinite,
    /// Symmetric, and there is a vector a with aᵀKa < 0.
    Indefinite,
    /// Not symmetric beyond rounding. What is said of eigenvalues holds of (K + Kᵀ)/2.
    NotSymmetric,
    /// Some values are NaN or infinite; nothing else can be said.
    NotFinite,
}

impl AuditVerdict {
    /// The word, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            AuditVerdict::PositiveSemidefinite => "positive_semidefinite",
            AuditVerdict::Indefinite => "indefinite",
            AuditVerdict::NotSymmetric => "not_symmetric",
            AuditVerdict::NotFinite => "not_finite",
        }
    }
}

/// The first value that is not finite, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NotFinite {
    /// How many values are NaN or infinite.
    pub count: usize,
    /// Row of the first.
    pub row: usize,
    /// Its column.
    pub column: usize,
}

/// The pair that differs most from its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Asymmetry {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// |K[row, column] − K[column, row]|.
    pub gap: f64,
}

/// A unit vector and the value of its quadratic form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// a, with ‖a‖ = 1.
    pub vector: Vec<f64>,
    /// aᵀKa, by a direct sum over all pairs and not from the eigen-solver.
    pub value: f64,
    /// How far rounding can have moved that sum.
    pub rounding: f64,
}

impl Witness {
    fn new(vector: Vec<f64>, values: &[f64], unit: f64) -> Self {
        let (value, rounding) = quadratic::scaled(values, &vector, unit);
        Witness { vector, value: value * unit, rounding: rounding * unit }
    }
}

/// The report on one matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// Number of rows and columns.
    pub size: usize,
    /// The conclusion.
    pub verdict: AuditVerdict,
    /// Values that are not finite, if there are any.
    pub not_finite: Option<NotFinite>,
    /// The worst pair, if the matrix is not exactly symmetric.
    pub asymmetry: Option<Asymmetry>,
    /// The smallest eigenvalue; none of an empty or non-finite matrix.
    pub smallest_eigenvalue: Option<f64>,
    /// The largest eigenvalue.
    pub largest_eigenvalue: Option<f64>,
    /// Eigenvalues above minus this count as not negative.
    pub tolerance: Option<f64>,
    /// A vector a with aᵀKa < 0, if there is one.
    pub witness: Option<Witness>,
    /// Whether aᵀKa ≥ 0 for all a that sum to zero; none of a non-finite matrix.
    pub conditional: Option<Conditional>,
}

impl Audit {
    /// Whether the matrix can be the Gram matrix of a kernel.
    pub fn is_gram(&self) -> bool {
        self.verdict == AuditVerdict::PositiveSemidefinite
    }

    /// The conclusion as a sentence.
    pub fn summary(&self) -> String {
        let n = self.size;
        let eigen = |value: Option<f64>| value.map_or_else(|| "none".into(), |v| format!("{v:.6e}"));
        match self.verdict {
            AuditVerdict::NotFinite => "not a Gram matrix: some values are NaN or infinite".into(),
            AuditVerdict::NotSymmetric => "not a Gram matrix: it is not symmetric".into(),
            AuditVerdict::Indefinite => {
                format!("not a Gram matrix: a vector has aᵀKa = {}", eigen(self.witness.as_ref().map(|w| w.value)))
            }
            AuditVerdict::PositiveSemidefinite => {
                format!("positive semi-definite ({n}×{n}, smallest eigenvalue {})", eigen(self.smallest_eigenvalue))
            }
        }
    }
}

/// Audits a matrix, row-major. Only a shape that is not square is an error; everything else that
/// can be wrong is an answer.
///
/// ```
/// use mercer::{Run, gram::{AuditParams, AuditVerdict, audit}};
/// let max = [1.0, 2.0, 2.0, 2.0]; // max(x, y) on the points 1 and 2
/// let report = audit(&max, 2, 2, &AuditParams::default(), &Run::new())?;
/// assert_eq!(report.verdict, AuditVerdict::Indefinite);
/// let w = report.witness.expect("a vector that shows it");
/// let sum: f64 = (0..4).map(|at| w.vector[at / 2] * max[at] * w.vector[at % 2]).sum();
/// assert!(sum < -0.5 && (sum - w.value).abs() <= w.rounding);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn audit(values: &[f64], nrows: usize, ncols: usize, params: &AuditParams, run: &Run) -> Result<Audit> {
    if nrows != ncols || nrows.checked_mul(ncols) != Some(values.len()) {
        let got = format!("{nrows}×{ncols} ({} values)", values.len());
        return Err(Error::shape("a Gram matrix", "as many columns as rows", got));
    }
    if let Some(t) = params.tolerance.filter(|t| !(0.0..1.0).contains(t)) {
        return Err(Error::invalid("the audit", "tolerance", t, "from 0 to below 1"));
    }
    let mut report = Audit {
        size: nrows,
        verdict: AuditVerdict::PositiveSemidefinite,
        not_finite: not_finite(values, ncols),
        asymmetry: None,
        smallest_eigenvalue: None,
        largest_eigenvalue: None,
        tolerance: None,
        witness: None,
        conditional: None,
    };
    if report.not_finite.is_some() {
        report.verdict = AuditVerdict::NotFinite;
        return Ok(report);
    }
    let (gap, row, column) = run.install(|| check::worst_pair(values, nrows));
    report.asymmetry = (gap > 0.0).then_some(Asymmetry { row, column, gap });
    let work = Symmetrised::new(values, nrows, run)?;
    work.judge(values, &mut report, params, run)?;
    if gap > check::ASYMMETRY * largest_magnitude(values) {
        report.verdict = AuditVerdict::NotSymmetric;
    }
    Ok(report)
}

fn not_finite(values: &[f64], ncols: usize) -> Option<NotFinite> {
    let first = values.iter().position(|v| !v.is_finite())?;
    let count = values.iter().filter(|v| !v.is_finite()).count();
    Some(NotFinite { count, row: first / ncols, column: first % ncols })
}

/// Rows of (K + Kᵀ)/2 over `unit`, from the first on, tile by tile.
fn symmetrise(values: &[f64], n: usize, unit: f64, first: usize, rows: &mut [MaybeUninit<f64>]) {
    for across in (0..n).step_by(check::TILE) {
        for (i, row) in rows.chunks_mut(n).enumerate().map(|(i, row)| (first + i, row)) {
            for j in across..(across + check::TILE).min(n) {
                row[j].write(0.5 * (values[i * n + j] / unit) + 0.5 * (values[j * n + i] / unit));
            }
        }
    }
}

/// (K + Kᵀ)/2 divided by a power of two, so that no sum overflows.
struct Symmetrised {
    values: Vec<f64>,
    n: usize,
    unit: f64,
    _reserved: crate::run::Reservation,
}

impl Symmetrised {
    fn new(values: &[f64], n: usize, run: &Run) -> Result<Self> {
        let largest = largest_magnitude(values);
        let unit = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        let alternative = "audit fewer points, or raise the memory limit";
        let mut copy = Buffer::reserve(values.len() as u128, "a working copy of the matrix", alternative, run)?;
        let task = run.task("symmetrise", Some(n.div_ceil(check::TILE) as u64));
        let rows = |(tile, rows): (usize, &mut [MaybeUninit<f64>])| {
            symmetrise(values, n, unit, tile * check::TILE, rows);
            task.step_or_cancel()
        };
        let tiles = copy.as_mut_slice().par_chunks_mut(check::TILE * n.max(1));
        run.install(|| tiles.enumerate().try_for_each(rows))?;
        // SAFETY: all tiles were done, and each writes every element of its rows.
        let (values, _reserved) = unsafe { copy.assume_written() };
        Ok(Symmetrised { values, n, unit, _reserved })
    }

    fn judge(mut self, original: &[f64], report: &mut Audit, params: &AuditParams, run: &Run) -> Result<()> {
        let spectrum = eigenvalues(&self.values, self.n, run)?;
        let (Some(&smallest), Some(&largest)) = (spectrum.first(), spectrum.last()) else {
            report.conditional = Some(Conditional::trivial());
            return Ok(());
        };
        let relative = params.tolerance.unwrap_or(ROUNDINGS * self.n as f64 * f64::EPSILON);
        let tolerance = relative * smallest.abs().max(largest.abs());
        report.smallest_eigenvalue = Some(smallest * self.unit);
        report.largest_eigenvalue = Some(largest * self.unit);
        report.tolerance = Some(tolerance * self.unit);
        if smallest < -tolerance {
            let vector = eigen(&self.values, self.n, run)?.vector(0).to_vec();
            let witness = Witness::new(vector, original, self.unit);
            // The sum decides: a vector that does not show it is not shown.
            if witness.value < 0.0 {
                report.verdict = AuditVerdict::Indefinite;
                report.witness = Some(witness);
            }
        }
        report.conditional = Some(match report.witness {
            None => Conditional::trivial(),
            Some(_) => conditional::judge(&mut self, original, tolerance, run)?,
        });
        Ok(())
    }
}
