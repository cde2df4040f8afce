//! What rounding may and may not do.

use mercer::data::{Inputs, Rows};
use mercer::gram::dense;
use mercer::testkit::{points, tol};
use mercer::{KernelExpr, Run};

fn gram(formula: &str, x: Rows) -> Vec<f64> {
    let k = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"));
    let x: Inputs = x.into();
    let bound = k.resolve(&x, &Run::new()).and_then(|(k, _)| k.bind(&x, &Run::new())).unwrap_or_else(|e| panic!("{e}"));
    dense::<f64>(&bound, &Run::new()).unwrap_or_else(|e| panic!("{e}")).into_values()
}

fn shifted(x: &Rows, by: f64) -> Rows {
    Rows::new(x.values().iter().map(|v| v + by).collect::<Vec<_>>(), x.nrows(), x.ncols()).expect("same shape")
}

fn scaled(x: &Rows, by: f64) -> Rows {
    Rows::new(x.values().iter().map(|v| v * by).collect::<Vec<_>>(), x.nrows(), x.ncols()).expect("same shape")
}

/// An offset of 2²⁰ costs the points themselves 20 bits; the kernel must not lose more.
#[test]
fn an_offset_does_not_move_stationary_kernels() {
    let x = points::vectors(50, 8, 31);
    let exact =
        Rows::new(x.values().iter().map(|v| (v * 1024.0).round() / 1024.0).collect::<Vec<_>>(), 50, 8).expect("50×8");
    for (formula, tolerance) in [("rbf(length_scale=2)", tol::GRAM_R2), ("matern12(length_scale=2)", tol::GRAM_R)] {
        let (here, there) = (gram(formula, exact.clone()), gram(formula, shifted(&exact, 1_048_576.0)));
        assert!(here.iter().zip(&there).all(|(a, b)| (a - b).abs() <= tolerance), "{formula}");
    }
}

/// Scales of 1e±150 square to beyond the range of numbers; the kernel must not notice.
#[test]
fn huge_and_tiny_scales_give_the_same_kernel() {
    let x = points::vectors(20, 4, 32);
    for formula in ["rbf", "matern52", "laplace_l1", "cauchy", "cosine", "arc_cosine(order=0)"] {
        let plain = gram(formula, x.clone());
        let tolerance = if formula.starts_with("arc") { tol::ANGLE } else { tol::GRAM_R };
        for by in [1e150, 1e-150, 1e300, 1e-300] {
            let other = gram(formula, scaled(&x, by));
            assert!(plain.iter().zip(&other).all(|(a, b)| (a - b).abs() <= tolerance), "{formula} at {by:e}");
        }
    }
}

#[test]
fn overflow_is_an_error_with_a_place() {
    let x = scaled(&points::vectors(5, 2, 33), 1e200);
    let k = KernelExpr::parse("linear + 1").expect("a formula");
    let error = k.bind(&x.into(), &Run::new()).map(|_| ()).expect_err("1e400 is not a number");
    assert!(error.to_string().contains("the diagonal of `linear + 1`"), "{error}");
    let x = points::vectors(5, 2, 33);
    let error = KernelExpr::parse("exp(1000*linear)").expect("a formula").bind(&x.into(), &Run::new()).map(|_| ());
    assert!(error.is_err());
}

/// Equal points have distance exactly 0, on the diagonal and off it, within a set and between two.
#[test]
fn equal_points_are_at_distance_zero() {
    let x = shifted(&points::vectors(300, 7, 34), 1e3);
    for formula in
        ["rbf(length_scale=1e-3)", "matern12(length_scale=1e-6)", "laplace_l1(length_scale=1e-6)", "periodic(period=3)"]
    {
        let k = gram(formula, x.clone());
        assert!((0..300).all(|i| k[i * 300 + i] == 1.0), "{formula}: the diagonal");
        assert_eq!(k[298 * 300], 1.0, "{formula}: a repeated point");
    }
}

/// The naive double loop, for a matrix of many tiles and a depth of many panels.
#[test]
fn a_large_matrix_is_the_naive_one() {
    for (n, d) in [(700, 5), (250, 300)] {
        let x = points::vectors(n, d, 35);
        let l = (d as f64).sqrt();
        let k = gram(&format!("rbf(length_scale={l})"), x.clone());
        for i in 0..n {
            for j in 0..n {
                let r2: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
                assert!((k[i * n + j] - (-0.5 * r2 / (l * l)).exp()).abs() <= tol::GRAM_R2);
            }
        }
    }
}
