//! The spectrum of a kernel matrix, gathered and printed.

use mercer::gram::{Bound, KernelMatrix};
use mercer::rkhs::{Decay, DecayFit, DecayKind, Spectrum};
use mercer::{Result, Run};
use serde::Serialize;

use crate::context::Context;
use crate::export::Matrix;
use crate::layout::{Grid, number, percent};

/// Eigenvalues that are printed.
const SHOWN: usize = 10;
/// Penalties for the effective dimension, as shares of the mean diagonal value.
const PENALTIES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// The effective dimension at one penalty.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Dimension {
    /// λ.
    pub lambda: f64,
    /// Σ λ̂/(λ̂ + λ).
    pub dimension: f64,
}

/// The spectrum, as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// λ̂ = eig(K)/n, all of them, in decreasing order.
    pub eigenvalues: Vec<f64>,
    /// How many are above the tolerance.
    pub rank: usize,
    /// Eigenvalues up to this are rounding.
    pub tolerance: f64,
    /// Σ λ̂, the mean of the diagonal.
    pub trace: f64,
    /// How fast they fall.
    pub decay: Decay,
    /// The effective dimension for some penalties.
    pub effective_dimension: Vec<Dimension>,
}

impl Report {
    /// Decomposes a Gram matrix; from its stored values where they are in double precision.
    pub fn new(matrix: &Matrix<'_>, bound: &Bound, context: &Context) -> Result<Self> {
        let spectrum = decompose(matrix, bound, &context.run)?;
        let smallest = spectrum.values().last().copied().unwrap_or(0.0);
        if smallest < -4.0 * spectrum.tolerance() {
            context.printer.warn(&format!(
                "the smallest eigenvalue is {}: the matrix is not positive semi-definite",
                number(smallest * bound.nrows() as f64, 3)
            ));
        }
        let trace = spectrum.trace();
        let dimension = |share: &f64| {
            let lambda = share * trace;
            Ok(Dimension { lambda, dimension: spectrum.effective_dimension(lambda)? })
        };
        let effective_dimension = match trace > 0.0 {
            true => PENALTIES.iter().map(dimension).collect::<Result<_>>()?,
            false => Vec::new(),
        };
        Ok(Report {
            rank: spectrum.rank(),
            tolerance: spectrum.tolerance(),
            trace,
            decay: spectrum.decay(),
            effective_dimension,
            eigenvalues: spectrum.values().to_vec(),
        })
    }

    /// The lines of the report.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec!["eigenvalues λ̂ = eig(K)/n".to_owned()];
        lines.extend(self.eigenvalue_lines());
        lines.push(String::new());
        let n = self.eigenvalues.len();
        lines.push(format!("rank   {} of {n} (above {})", self.rank, number(self.tolerance, 3)));
        lines.push(format!("decay  {}", self.decay_line()));
        if !self.effective_dimension.is_empty() {
            lines.push(String::new());
            lines.push("effective dimension Σ λ̂/(λ̂ + λ)".to_owned());
            let mut grid = Grid::new(&["λ", "dimension"], &[0, 1]);
            self.effective_dimension.iter().for_each(|d| grid.row([number(d.lambda, 3), number(d.dimension, 4)]));
            lines.extend(grid.lines("  "));
        }
        lines
    }

    fn eigenvalue_lines(&self) -> Vec<String> {
        let mut grid = Grid::new(&["ℓ", "λ̂", "of the trace", "up to here"], &[0, 1, 2, 3]);
        let share = |v: f64| if self.trace > 0.0 { percent((v / self.trace).clamp(0.0, 1.0)) } else { "–".into() };
        let mut sum = 0.0;
        for (l, value) in self.eigenvalues.iter().enumerate().take(SHOWN) {
            sum += value;
            grid.row([(l + 1).to_string(), number(*value, 4), share(*value), share(sum)]);
        }
        let mut lines = grid.lines("  ");
        if self.eigenvalues.len() > SHOWN {
            lines.push(format!("  … and {} more", self.eigenvalues.len() - SHOWN));
        }
        lines
    }

    fn decay_line(&self) -> String {
        let polynomial = |f: DecayFit| format!("λ̂ ≈ c·ℓ^(−{}), R² {}", number(f.rate, 3), number(f.r_squared, 3));
        let exponential = |f: DecayFit| format!("λ̂ ≈ c·e^(−{}ℓ), R² {}", number(f.rate, 3), number(f.r_squared, 3));
        let (Some(p), Some(e)) = (self.decay.polynomial, self.decay.exponential) else {
            return self.decay.kind.name().to_owned();
        };
        let (better, other) = match self.decay.kind {
            DecayKind::Polynomial => (polynomial(p), exponential(e)),
            _ => (exponential(e), polynomial(p)),
        };
        let range = format!("over ℓ = 1, …, {}", self.decay.last);
        format!("{}: {better}, {range}\n       (otherwise {other})", self.decay.kind.name())
    }
}

fn decompose(matrix: &Matrix<'_>, bound: &Bound, run: &Run) -> Result<Spectrum> {
    match matrix {
        Matrix::Double(k) => Spectrum::of_values(k.values(), k.nrows(), run),
        _ => Spectrum::of(bound, run),
    }
}
