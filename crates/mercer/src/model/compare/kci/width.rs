//! Widths of Gaussian kernels for conditional independence, on columns of standard deviation 1.

use serde::Serialize;

use crate::data::{Inputs, Rows};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::run::Run;

/// How wide the Gaussian kernels are that compare numbers. Columns are brought to mean 0 and standard deviation 1 first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Width {
    /// By the number of rows and columns: σ = 1.2, 0.7 or 0.4 for n < 200, n < 1200 and above, and length_scale = σ·√d of the d columns of
    /// Z; without Z, σ = 0.8, 0.5 or 0.3 and length_scale = σ/√d of the variable's own columns (Zhang et al. 2011, and their program).
    #[default]
    Empirical,
    /// length_scale = √2·the median distance.
    Median,
}

impl Width {
    /// The word of every face.
    pub fn name(self) -> &'static str {
        match self {
            Width::Empirical => "empirical",
            Width::Median => "median",
        }
    }

    /// The Gaussian kernel of points that are standardised already; `columns` of Z, if there is one.
    pub(super) fn kernel(self, points: &Rows, given: Option<usize>, run: &Run) -> Result<KernelExpr> {
        let n = points.nrows();
        let length_scale = match (self, given) {
            (Width::Empirical, Some(columns)) => by_rows(n, [1.2, 0.7, 0.4]) * (columns as f64).sqrt(),
            (Width::Empirical, None) => by_rows(n, [0.8, 0.5, 0.3]) / (points.ncols() as f64).sqrt(),
            // Points that are all equal have no distances; with any width their centred matrix is 0.
            (Width::Median, _) if points.values().iter().all(|v| *v == 0.0) => 1.0,
            (Width::Median, _) => {
                let (_, found) = KernelExpr::parse("rbf")?.resolve(&points.clone().into(), run)?;
                std::f64::consts::SQRT_2 * found.first().map_or(1.0, |f| f.value)
            }
        };
        KernelExpr::parse(&format!("rbf(length_scale={length_scale})"))
    }
}

fn by_rows(n: usize, [few, some, many]: [f64; 3]) -> f64 {
    match n {
        0..200 => few,
        200..1200 => some,
        _ => many,
    }
}

/// Columns of numbers with mean 0 and standard deviation 1 (divided by n − 1); those that do not vary become 0.
pub(super) fn standardized(points: &Inputs, name: &str) -> Result<Rows> {
    let rows = match points {
        Inputs::Dense(rows) => rows.clone(),
        Inputs::Table(table) => table.to_rows()?,
        other => {
            let expected = "rows of numbers, or a kernel of its own";
            return Err(Error::shape(format!("`{name}`"), expected, other.describe()));
        }
    };
    let (n, d) = (rows.nrows(), rows.ncols());
    if d == 0 {
        return Err(Error::shape(format!("`{name}`"), "at least 1 column", 0));
    }
    if let Some(at) = rows.values().iter().position(|v| !v.is_finite()) {
        return Err(Error::NonFinite {
            place: format!("`{name}`"),
            count: rows.values().iter().filter(|v| !v.is_finite()).count(),
            total: rows.values().len(),
            first_row: at / d,
            what: "missing or infinite".into(),
        });
    }
    let mut values = rows.values().to_vec();
    (0..d).for_each(|j| standardize(&mut values, n, d, j));
    Rows::new(values, n, d)
}

fn standardize(values: &mut [f64], n: usize, d: usize, j: usize) {
    let column = || (0..n).map(|i| i * d + j);
    // A power of two brings the largest value near 1: squares of huge and tiny columns stay in the range of numbers.
    let largest = column().fold(0.0f64, |a, at| a.max(values[at].abs()));
    let unit = if largest > 0.0 { crate::linalg::power_of_two(largest) } else { 1.0 };
    let first = values[j] / unit;
    let mean = first + column().map(|at| values[at] / unit - first).sum::<f64>() / n as f64;
    let square = column().map(|at| (values[at] / unit - mean).powi(2)).sum::<f64>();
    let deviation = (square / (n as f64 - 1.0)).sqrt();
    for at in column() {
        values[at] = if deviation > 0.0 { (values[at] / unit - mean) / deviation } else { 0.0 };
    }
}

/// [x, z/2].
pub(super) fn beside_half(x: &Rows, z: &Rows) -> Result<Rows> {
    let row = |i: usize| x.row(i).iter().copied().chain(z.row(i).iter().map(|v| 0.5 * v));
    Rows::new((0..x.nrows()).flat_map(row).collect::<Vec<f64>>(), x.nrows(), x.ncols() + z.ncols())
}
