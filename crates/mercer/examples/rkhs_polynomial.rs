//! The RKHS of k(x, y) = ⟨x, y⟩² is the set of quadratic forms f(x) = xᵀSx with S symmetric, with the
//! Frobenius norm ‖S‖_F.
//!
//! cargo run --release --example rkhs_polynomial

use mercer::data::{Inputs, Rows};
use mercer::rkhs::{Factor, Space};
use mercer::{KernelExpr, Result, Run};

/// The steps of the proof, with numbers.
pub fn main() -> Result<()> {
    let run = Run::new();
    let points = [[1.0, 2.0], [1.0, -1.0]];
    let x: Inputs = Rows::new(points.concat(), 2, 2)?.into();
    let space = Space::new(&KernelExpr::parse("linear^2")?, &x, &run)?;

    // Step 1. k(x, y) = ⟨xxᵀ, yyᵀ⟩_F: the feature map is Φ(x) = xxᵀ.
    let frobenius = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let outer = |p: [f64; 2]| [p[0] * p[0], p[0] * p[1], p[1] * p[0], p[1] * p[1]];
    let k = space.kernel().at(&points[0], &points[1])?;
    println!("k(x₁, x₂) = {k}, ⟨x₁x₁ᵀ, x₂x₂ᵀ⟩ = {}", frobenius(outer(points[0]), outer(points[1])));
    assert_eq!(k, 1.0);

    // Step 2. Σ aᵢk(xᵢ, ·) is xᵀSx with S = Σ aᵢxᵢxᵢᵀ.
    let a = [1.0, -2.0];
    let f = space.function(&x, &a)?;
    let s: Vec<f64> = (0..4).map(|at| a[0] * outer(points[0])[at] + a[1] * outer(points[1])[at]).collect();
    let y = [3.0, 1.0];
    let form = s[0] * y[0] * y[0] + (s[1] + s[2]) * y[0] * y[1] + s[3] * y[1] * y[1];
    let value = f.evaluate(&Rows::new(y.to_vec(), 1, 2)?.into(), &run)?[0];
    println!("f(3, 1) = {value}, yᵀSy = {form}");
    assert_eq!(value, form);

    // Step 3. ‖f‖ = ‖S‖_F.
    let norm = f.norm_squared(&run)?;
    println!("‖f‖² = {norm}, ‖S‖_F² = {}", s.iter().map(|s| s * s).sum::<f64>());
    assert_eq!(norm, s.iter().map(|s| s * s).sum::<f64>());

    // Step 4. Symmetric 2×2 matrices have three dimensions: no set of points has a larger rank.
    let many: Inputs = Rows::new((0..40).map(|i| (i as f64).sin()).collect::<Vec<_>>(), 20, 2)?.into();
    let report = Factor::fit(&space, &many, &Default::default(), &run)?.report();
    println!("20 points span {} dimensions ({})", report.rank, report.reason);
    assert_eq!(report.rank, 3);
    Ok(())
}
