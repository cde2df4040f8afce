//! The RKHS of the linear kernel k(x, y) = ⟨x, y⟩ is the set of functions f(x) = ⟨w, x⟩, with norm ‖w‖.
//!
//! cargo run --release --example rkhs_linear

use mercer::data::{Inputs, Rows};
use mercer::rkhs::Space;
use mercer::{KernelExpr, Result, Run};

/// The steps of the proof, with numbers.
pub fn main() -> Result<()> {
    let run = Run::new();
    let x: Inputs = Rows::new(vec![1.0, 0.0, 2.0, 0.0, 1.0, 1.0], 2, 3)?.into();
    let space = Space::new(&KernelExpr::parse("linear")?, &x, &run)?;

    // Step 1. A finite sum Σ aᵢ⟨xᵢ, ·⟩ is ⟨w, ·⟩ with w = Σ aᵢxᵢ.
    let f = space.function(&x, &[2.0, -1.0])?;
    let w = [2.0, -1.0, 3.0]; // 2·(1, 0, 2) − (0, 1, 1)
    let at: Inputs = Rows::new(vec![1.0, 1.0, 1.0, -2.0, 0.5, 4.0], 2, 3)?.into();
    let values = f.evaluate(&at, &run)?;
    println!("f(1, 1, 1) = {}, ⟨w, x⟩ = {}", values[0], w.iter().sum::<f64>());
    assert_eq!(values, [4.0, -4.0 - 0.5 + 12.0]);

    // Step 2. ⟨f, g⟩ = ⟨w, v⟩, so ‖f‖ = ‖w‖: the slope of the function.
    let norm = f.norm_squared(&run)?;
    println!("‖f‖² = {norm}, ‖w‖² = {}", w.iter().map(|w| w * w).sum::<f64>());
    assert_eq!(norm, 14.0);

    // Step 3. The kernel reproduces: f(x) = ⟨f, k(x, ·)⟩.
    let representer = space.function(&at, &[1.0, 0.0])?;
    assert_eq!(f.inner(&representer, &run)?, values[0]);

    // The same function can be written with other points; the space knows only w.
    let basis: Inputs = Rows::new(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3, 3)?.into();
    let again = space.function(&basis, &w)?;
    let gap = f.subtract(&again)?.norm(&run)?;
    println!("‖f − g‖ = {gap} for g = Σ w_j⟨e_j, ·⟩");
    assert!(gap < 1e-7);
    Ok(())
}
