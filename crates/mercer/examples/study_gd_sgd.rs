//! Gradient descent beside stochastic gradient descent on [0, 1]²: iterations and time to convergence,
//! influence of the step and of the start.
//!
//! cargo run --release --example study_gd_sgd -- study.svg

use mercer::Run;
use mercer::plot::gd_sgd_sheet;
use mercer::study::GdSgd;

/// Runs the study, prints what it saw, and draws it where a file is named.
pub fn main() -> mercer::Result<()> {
    let study = GdSgd { n: 100, ..GdSgd::default() }.run(&Run::new())?;
    println!("largest eigenvalue of K/n: {:.4}", study.largest_eigenvalue);
    for count in &study.by_step {
        println!("step·μ₁ = {:<6} {:>8} iterations", count.share, count.iterations.map_or(-1, |t| t as i64));
    }
    for method in &study.methods {
        let passes = method.passes.map_or_else(|| "–".into(), |p| p.to_string());
        println!("{:<20} {passes:>4} passes, distance to the truth {:.4}", method.name, method.error);
    }
    if let Some(path) = std::env::args().nth(1).filter(|p| p.ends_with(".svg") || p.ends_with(".png")) {
        gd_sgd_sheet(&study).write(path)?;
    }
    Ok(())
}
