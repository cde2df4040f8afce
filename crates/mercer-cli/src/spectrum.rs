//! The spectrum of a kernel matrix, gathered and printed.

use mercer::gram::{Bound, KernelMatrix};
use mercer::report::SpectrumReport;
use mercer::rkhs::{DecayFit, DecayKind, Spectrum};
use mercer::{Result, Run};

use crate::context::Context;
use crate::export::Matrix;
use crate::layout::{Grid, number, percent};

/// Eigenvalues that are printed.
const SHOWN: usize = 10;
/// Decomposes a Gram matrix; from its stored values where they are in double precision.
pub fn report(matrix: &Matrix<'_>, bound: &Bound, context: &Context) -> Result<SpectrumReport> {
    let spectrum = decompose(matrix, bound, &context.run)?;
    let smallest = spectrum.values().last().copied().unwrap_or(0.0);
    if smallest < -4.0 * spectrum.tolerance() {
        context.printer.warn(&format!(
            "the smallest eigenvalue is {}: the matrix is not positive semi-definite",
            number(smallest * bound.nrows() as f64, 3)
        ));
    }
    SpectrumReport::new(&spectrum)
}

/// The lines of the report.
pub fn lines(report: &SpectrumReport) -> Vec<String> {
    let mut lines = vec!["eigenvalues λ̂ = eig(K)/n".to_owned()];
    lines.extend(eigenvalue_lines(report));
    lines.push(String::new());
    let n = report.eigenvalues.len();
    lines.push(format!("rank   {} of {n} (above {})", report.rank, number(report.tolerance, 3)));
    lines.push(format!("decay  {}", decay_line(report)));
    if !report.effective_dimension.is_empty() {
        lines.push(String::new());
        lines.push("effective dimension Σ λ̂/(λ̂ + λ)".to_owned());
        let mut grid = Grid::new(&["λ", "dimension"], &[0, 1]);
        report.effective_dimension.iter().for_each(|d| grid.row([number(d.lambda, 3), number(d.dimension, 4)]));
        lines.extend(grid.lines("  "));
    }
    lines
}

fn eigenvalue_lines(report: &SpectrumReport) -> Vec<String> {
    let mut grid = Grid::new(&["ℓ", "λ̂", "of the trace", "up to here"], &[0, 1, 2, 3]);
    let share = |v: f64| if report.trace > 0.0 { percent((v / report.trace).clamp(0.0, 1.0)) } else { "–".into() };
    let mut sum = 0.0;
    for (l, value) in report.eigenvalues.iter().enumerate().take(SHOWN) {
        sum += value;
        grid.row([(l + 1).to_string(), number(*value, 4), share(*value), share(sum)]);
    }
    let mut lines = grid.lines("  ");
    if report.eigenvalues.len() > SHOWN {
        lines.push(format!("  … and {} more", report.eigenvalues.len() - SHOWN));
    }
    lines
}

fn decay_line(report: &SpectrumReport) -> String {
    let polynomial = |f: DecayFit| format!("λ̂ ≈ c·ℓ^(−{}), R² {}", number(f.rate, 3), number(f.r_squared, 3));
    let exponential = |f: DecayFit| format!("λ̂ ≈ c·e^(−{}ℓ), R² {}", number(f.rate, 3), number(f.r_squared, 3));
    let (Some(p), Some(e)) = (report.decay.polynomial, report.decay.exponential) else {
        return report.decay.kind.name().to_owned();
    };
    let (better, other) = match report.decay.kind {
        DecayKind::Polynomial => (polynomial(p), exponential(e)),
        _ => (exponential(e), polynomial(p)),
    };
    let range = format!("over ℓ = 1, …, {}", report.decay.last);
    format!("{}: {better}, {range}\n       (otherwise {other})", report.decay.kind.name())
}

fn decompose(matrix: &Matrix<'_>, bound: &Bound, run: &Run) -> Result<Spectrum> {
    match matrix {
        Matrix::Double(k) => Spectrum::of_values(k.values(), k.nrows(), run),
        _ => Spectrum::of(bound, run),
    }
}
