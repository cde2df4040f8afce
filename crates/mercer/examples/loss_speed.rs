//! Times fits with a loss: `cargo run --release --example loss_speed -- 2000`.

use std::sync::Arc;
use std::time::Instant;

use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::loss::NamedLoss;
use mercer::model::classify::KernelLogisticRegression;
use mercer::model::regress::KernelRegressor;
use mercer::model::{Fitted, Penalty};
use mercer::{KernelExpr, Result, Run};

/// Numbers that look random: the fractional parts of multiples of √2, √3 and so on.
fn points(n: usize, d: usize) -> Vec<f64> {
    let roots = [2.0f64, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0];
    (0..n * d).map(|at| ((at / d + 1) as f64 * roots[at % d].sqrt()).fract() * 4.0 - 2.0).collect()
}

fn show(what: &str, begin: Instant, fitted: &Fitted) {
    let c = &fitted.model.certificate();
    let (primal, gap) = (c.primal().unwrap_or(f64::NAN), c.gap().unwrap_or(f64::NAN));
    println!(
        "{what:24} {:8.3} s  {:3} steps  objective {primal:.6}  relative gap {:.1e}  {}",
        begin.elapsed().as_secs_f64(),
        c.iterations().unwrap_or(0),
        gap / primal,
        c.stop.name()
    );
}

fn main() -> Result<()> {
    let n = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(500);
    let values = points(n, 10);
    let y: Vec<f64> =
        values.chunks(10).map(|x| (x[0] * x[1]).sin() + x[2] - 0.3 * x[3] * x[4] + 0.5 * x[9].signum()).collect();
    let x: Inputs = Rows::new(values, n, 10)?.into();
    let kernel = KernelExpr::parse("rbf(length_scale=2)")?;
    let run = Run::new();
    let two = Labels::new(y.iter().map(|y| usize::from(*y > 0.0)).collect(), 2)?;
    let four = Labels::new(y.iter().map(|y| (y + 2.0).clamp(0.0, 3.0) as usize).collect(), 4)?;
    for fit_intercept in [false, true] {
        let learner = KernelLogisticRegression { kernel: kernel.clone(), fit_intercept, ..Default::default() };
        for (what, labels) in [("logistic, 2 classes", &two), ("logistic, 4 classes", &four)] {
            let begin = Instant::now();
            show(what, begin, &learner.fit(&x, labels, None, &run)?);
        }
    }
    let targets = Targets::new(y, 1)?;
    for name in ["huber", "absolute", "epsilon_insensitive", "pinball"] {
        let loss = NamedLoss::parse(name, None)?.build()?;
        let learner = KernelRegressor {
            kernel: kernel.clone(),
            loss: Arc::clone(&loss).into(),
            penalty: Penalty::Alpha(0.1),
            ..Default::default()
        };
        let begin = Instant::now();
        show(name, begin, &learner.fit(&x, &targets, None, &run)?);
    }
    Ok(())
}
