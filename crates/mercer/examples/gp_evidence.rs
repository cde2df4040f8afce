//! The evidence of a process with a length scale for each column, and the time of its gradient.
//!
//! cargo run --release --example gp_evidence -- 2000 9

use std::time::Instant;

use mercer::data::{Inputs, Rows, Targets};
use mercer::kernel::{Param, Transform};
use mercer::model::Criterion;
use mercer::model::gp::GaussianProcessRegressor;
use mercer::{KernelExpr, Run};

/// Prints the evidence, its gradient and the time of both.
pub fn main() -> mercer::Result<()> {
    let number = |at: usize, default: usize| std::env::args().nth(at).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (n, d) = (number(1, 300), number(2, 9));
    // The same points as benchmarks of other libraries make: x = sin of whole numbers.
    let values: Vec<f64> = (0..n * d).map(|i| 2.0 * (12.9898 * i as f64).sin()).collect();
    let target: Vec<f64> = values.chunks(d).map(|row| row[0].sin() + 0.5 * row[d - 1] * row[1]).collect();
    let x: Inputs = Rows::new(values, n, d)?.into();
    let scales: Vec<String> = (0..d).map(|j| format!("{}", 1.0 + 0.2 * j as f64)).collect();
    let kernel = KernelExpr::parse(&format!("1.5*rbf(length_scale=[{}])", scales.join(", ")))?;
    let gp = GaussianProcessRegressor { kernel, alpha: Param::new(0.1, Transform::Log), ..Default::default() };
    let run = Run::new();
    let evidence = gp.evidence(&x, &Targets::new(target, 1)?, None, &run)?;
    let at = evidence.start()?;
    let (value, gradient) = evidence.value_and_gradient(&at, &run)?;
    println!("log evidence {value:.10}");
    for (name, slope) in evidence.names().iter().zip(&gradient) {
        println!("  {name:<28} {slope:.10}");
    }
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        evidence.value_and_gradient(&at, &run)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    println!("{n} rows, {} parameters: {:.1} ms, median of {}", at.len(), 1e3 * times[2], times.len());
    Ok(())
}
