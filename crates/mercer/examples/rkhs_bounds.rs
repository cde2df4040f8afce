//! The norm of a function bounds its values and how fast it varies:
//! |f(x)| ≤ ‖f‖·√k(x, x) and |f(x) − f(y)| ≤ ‖f‖·d(x, y), by Cauchy–Schwarz.
//!
//! cargo run --release --example rkhs_bounds

use mercer::data::{Inputs, Rows};
use mercer::rkhs::Space;
use mercer::{KernelExpr, Result, Run};

/// Both bounds on a line, and where they are reached.
pub fn main() -> Result<()> {
    let run = Run::new();
    let column = |v: &[f64]| Rows::new(v.to_vec(), v.len(), 1).map(Inputs::from);
    let x = column(&[0.0, 1.0, 3.0])?;
    let space = Space::new(&KernelExpr::parse("rbf")?, &x, &run)?;
    println!("kernel {} ({})", space.kernel(), space.resolutions()[0].detail);

    let f = space.function(&x, &[1.0, -0.5, 2.0])?;
    let norm = f.norm(&run)?;
    let grid: Vec<f64> = (0..60).map(|i| -3.0 + 0.15 * f64::from(i)).collect();
    let values = f.evaluate(&column(&grid)?, &run)?;
    let bound = f.bound(&column(&grid)?, &run)?;
    let largest = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    println!("‖f‖ = {norm:.4}; |f| on the grid is at most {largest:.4}, the bound is {:.4}", bound[0]);
    assert!(values.iter().zip(&bound).all(|(v, b)| v.abs() <= *b));

    // d(x, y) = √(2 − 2k(x, y)) for a kernel with k(x, x) = 1.
    let lipschitz = f.lipschitz(&column(&grid[..59])?, &column(&grid[1..])?, &run)?;
    let steepest = (0..59).map(|i| (values[i] - values[i + 1]).abs() / lipschitz[i]).fold(0.0, f64::max);
    println!("the steepest step uses {:.0} % of the Lipschitz bound", 100.0 * steepest);
    assert!(steepest <= 1.0);

    // k(x, ·) itself reaches the first bound at x.
    let here = column(&[0.5])?;
    let representer = space.function(&here, &[1.0])?;
    assert_eq!(representer.evaluate(&here, &run)?, representer.bound(&here, &run)?);
    Ok(())
}
