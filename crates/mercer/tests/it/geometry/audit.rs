//! Audits: verdicts, witnesses that can be checked, and matrices that are not what they should be.

use mercer::Error;
use mercer::gram::{Audit, AuditParams, AuditVerdict, audit, quadratic_form};
use mercer::testkit::points::Chance;
use mercer::testkit::{points, tol};

use super::{gram, run, space, symmetric};

fn report(k: &[f64], n: usize) -> Audit {
    audit(k, n, n, &AuditParams::default(), &run()).unwrap_or_else(|e| panic!("{e}"))
}

/// aᵀKa by the double loop.
fn form(k: &[f64], a: &[f64]) -> f64 {
    let n = a.len();
    (0..n * n).map(|at| a[at / n] * k[at] * a[at % n]).sum()
}

#[test]
fn gram_matrices_of_kernels_pass() {
    let x = points::vectors(60, 3, 71).into();
    for formula in ["rbf", "linear", "matern12", "poly(degree=3)", "cosine", "linear + 1", "rbf(length_scale=100)"] {
        let found = report(&gram(&space(formula, &x), &x), 60);
        assert!(found.is_gram(), "{formula}: {found:?}");
        assert!(found.conditional.as_ref().is_some_and(|c| c.positive_semidefinite));
        assert!(found.tolerance.is_some_and(|t| t > 0.0 && t < 1e-10 * found.largest_eigenvalue.unwrap_or(0.0)));
    }
}

#[test]
fn an_indefinite_matrix_has_a_witness() {
    for (n, scale) in [(2, 1.0), (3, 1e-200), (50, 1.0), (20, 1e150), (20, 1e306)] {
        let k: Vec<f64> = symmetric(n, 72).iter().map(|v| v * scale).collect();
        let found = report(&k, n);
        assert_eq!(found.verdict, AuditVerdict::Indefinite, "{n} at {scale:e}");
        let w = found.witness.expect("a vector");
        let norm: f64 = w.vector.iter().map(|a| a * a).sum();
        assert!((norm - 1.0).abs() <= tol::round(n));
        let direct = form(&k.iter().map(|v| v / scale).collect::<Vec<_>>(), &w.vector);
        assert!((direct - w.value / scale).abs() <= n as f64 * w.rounding / scale, "{n} at {scale:e}");
        assert!(w.value < -w.rounding, "{n}: rounding cannot have made it negative");
        let smallest = found.smallest_eigenvalue.expect("an eigenvalue");
        assert!((w.value - smallest).abs() <= tol::round(n) * found.largest_eigenvalue.expect("one").abs() * 4.0);
    }
}

/// −|x − y| and −|x − y|² on a line are conditionally positive semi-definite and not more; |x − y|
/// is not even that, and the witness of it sums to zero.
#[test]
fn conditional_matrices_are_known_as_such() {
    let x: Vec<f64> = {
        let mut chance = Chance::new(73);
        (0..30).map(|_| chance.normal()).collect()
    };
    let of = |f: &dyn Fn(f64) -> f64| (0..900).map(|at| f((x[at / 30] - x[at % 30]).abs())).collect::<Vec<f64>>();
    for k in [of(&|r| -r), of(&|r| -r * r), of(&|r| 0.1 - r), of(&|r| -r.sqrt())] {
        let found = report(&k, 30);
        assert_eq!(found.verdict, AuditVerdict::Indefinite);
        let conditional = found.conditional.expect("judged");
        assert!(conditional.positive_semidefinite && conditional.witness.is_none(), "{conditional:?}");
    }
    let k = of(&|r| r);
    let conditional = report(&k, 30).conditional.expect("judged");
    assert!(!conditional.positive_semidefinite);
    let w = conditional.witness.expect("a vector");
    assert!(w.vector.iter().sum::<f64>().abs() <= tol::round(30));
    assert!((form(&k, &w.vector) - w.value).abs() <= 30.0 * w.rounding && w.value < 0.0);
}

#[test]
fn asymmetry_is_found_where_it_is_worst() {
    let mut k = gram(&space("rbf", &points::vectors(10, 2, 74).into()), &points::vectors(10, 2, 74).into());
    k[3 * 10 + 7] += 1e-14;
    let found = report(&k, 10);
    assert!(found.is_gram(), "rounding is no asymmetry");
    k[8 * 10 + 2] += 0.25;
    let found = report(&k, 10);
    assert_eq!(found.verdict, AuditVerdict::NotSymmetric);
    let pair = found.asymmetry.expect("a pair");
    assert_eq!((pair.row, pair.column), (8, 2));
    assert!((pair.gap - 0.25).abs() <= tol::GRAM_R2);
}

#[test]
fn hostile_matrices_get_an_answer() {
    let found = report(&[1.0, f64::NAN, f64::NEG_INFINITY, 1.0], 2);
    assert_eq!(found.verdict, AuditVerdict::NotFinite);
    assert_eq!(found.not_finite.map(|v| (v.count, v.row, v.column)), Some((2, 0, 1)));
    assert!(report(&[], 0).is_gram() && report(&[0.0], 1).is_gram() && report(&[3.0], 1).is_gram());
    assert_eq!(report(&[-3.0], 1).verdict, AuditVerdict::Indefinite);
    assert!(report(&[0.0; 16], 4).is_gram(), "the zero matrix");
    assert!(report(&[1.0; 400], 20).is_gram(), "all ones");
    assert!(report(&[1e150; 400], 20).is_gram(), "all alike and huge");
    assert!(report(&[f64::MAX; 4], 2).is_gram(), "as large as can be");
    assert_eq!(report(&[0.0, 1.0, 1.0, 0.0], 2).verdict, AuditVerdict::Indefinite);
    let shape = audit(&[1.0; 6], 2, 3, &AuditParams::default(), &run()).expect_err("not square");
    assert!(matches!(shape, Error::Shape { .. }), "{shape}");
    for bad in [f64::NAN, -1.0, 1.0] {
        assert!(audit(&[1.0], 1, 1, &AuditParams { tolerance: Some(bad) }, &run()).is_err());
    }
}

#[test]
fn the_tolerance_is_the_callers_choice() {
    // Eigenvalues 2 and −1e-9.
    let k = [1.0 - 5e-10, 1.0 + 5e-10, 1.0 + 5e-10, 1.0 - 5e-10];
    assert_eq!(report(&k, 2).verdict, AuditVerdict::Indefinite);
    let loose = audit(&k, 2, 2, &AuditParams { tolerance: Some(1e-6) }, &run()).expect("a report");
    assert!(loose.is_gram());
}

/// Terms that cancel exactly leave nothing, where a plain sum would leave rounding.
#[test]
fn the_form_is_compensated() {
    let (value, rounding) = quadratic_form(&[1e16, 1.0, 1.0, -1e16], &[1.0, 1.0]);
    assert_eq!(value, 2.0);
    assert!(rounding > 0.0);
}
