//! Functions of the space: evaluation, algebra, norms and bounds.

use mercer::data::Inputs;
use mercer::rkhs::Function;
use mercer::testkit::points::Chance;
use mercer::testkit::{points, tol};
use mercer::{Error, KernelExpr, Run};

use super::{cases, column, cross, gram, precomputed, run, size, space};

fn coefficients(n: usize, seed: u64) -> Vec<f64> {
    let mut chance = Chance::new(seed);
    (0..n).map(|_| chance.normal()).collect()
}

fn evaluate(f: &Function, x: &Inputs) -> Vec<f64> {
    f.evaluate(x, &run()).unwrap_or_else(|e| panic!("{e}"))
}

/// aᵀKb by the double loop, and the sum of its magnitudes.
fn form(a: &[f64], k: &[f64], b: &[f64]) -> (f64, f64) {
    let terms = (0..a.len() * b.len()).map(|at| a[at / b.len()] * k[at] * b[at % b.len()]);
    terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()))
}

#[test]
fn values_products_and_norms_are_their_sums() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let (a, b) = (coefficients(x.len(), 111), coefficients(y.len(), 112));
        let (f, g) = (space.function(&x, &a).expect("f"), space.function(&y, &b).expect("g"));
        let (k, c, h) = (gram(&space, &x), cross(&space, &x, &y), gram(&space, &y));
        let n = x.len();
        for (j, value) in evaluate(&f, &y).into_iter().enumerate() {
            let terms: Vec<f64> = (0..n).map(|i| a[i] * c[i * y.len() + j]).collect();
            assert!((value - terms.iter().sum::<f64>()).abs() <= tol::round(n) * size(terms), "{formula}: f(y_{j})");
        }
        let (norm, magnitude) = form(&a, &k, &a);
        assert!((f.norm_squared(&run()).expect("norm") - norm).abs() <= tol::round(n) * magnitude, "{formula}");
        let (inner, inner_size) = form(&a, &c, &b);
        assert!((f.inner(&g, &run()).expect("inner") - inner).abs() <= tol::round(n) * inner_size, "{formula}");
        let (other, other_size) = form(&b, &h, &b);
        let sum = f.add(&g.scale(-2.0).expect("finite")).expect("one space");
        let expected = norm - 4.0 * inner + 4.0 * other;
        let allowed = tol::round(n) * (magnitude + 4.0 * inner_size + 4.0 * other_size);
        assert!((sum.norm_squared(&run()).expect("norm") - expected).abs() <= allowed, "{formula}: ‖f − 2g‖²");
    }
}

/// ⟨f, k(x, ·)⟩ = f(x).
#[test]
fn the_kernel_reproduces() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let f = space.function(&x, &coefficients(x.len(), 113)).expect("f");
        let values = evaluate(&f, &y);
        for (j, value) in values.iter().enumerate().take(5) {
            let representer = space.function(&y.take(&[j]), &[1.0]).expect("one point");
            let inner = f.inner(&representer, &run()).expect("inner");
            let scale = f.bound(&y.take(&[j]), &run()).expect("bound")[0];
            assert!((inner - value).abs() <= tol::round(x.len()) * scale * 10.0, "{formula}: {j}");
        }
    }
}

/// |f(x)| ≤ ‖f‖√k(x, x), |f(x) − f(x′)| ≤ ‖f‖d(x, x′), |⟨f, g⟩| ≤ ‖f‖‖g‖; with equality where it must be.
#[test]
fn bounds_hold_and_are_reached() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let f = space.function(&x, &coefficients(x.len(), 114)).expect("f");
        let g = space.function(&y, &coefficients(y.len(), 115)).expect("g");
        let (nf, ng) = (f.norm(&run()).expect("norm"), g.norm(&run()).expect("norm"));
        assert!(f.inner(&g, &run()).expect("inner").abs() <= nf * ng * (1.0 + tol::GOLDEN));
        let values = evaluate(&f, &y);
        let bound = f.bound(&y, &run()).expect("bound");
        assert!(values.iter().zip(&bound).all(|(v, b)| v.abs() <= b * (1.0 + tol::GOLDEN)), "{formula}");
        let shifted: Vec<usize> = (0..y.len()).map(|i| (i + 1) % y.len()).collect();
        let lipschitz = f.lipschitz(&y, &y.take(&shifted), &run()).expect("pairs");
        for (i, slope) in lipschitz.iter().enumerate() {
            let change = (values[i] - values[shifted[i]]).abs();
            assert!(change <= slope * (1.0 + tol::GOLDEN) + tol::ANGLE * nf, "{formula}: pair {i}");
        }
        let one = y.take(&[0]);
        let representer = space.function(&one, &[1.0]).expect("one point");
        let (value, limit) = (evaluate(&representer, &one)[0], representer.bound(&one, &run()).expect("bound")[0]);
        assert!((value - limit).abs() <= tol::GRAM_R2 * limit.max(1.0), "{formula}: k(x, ·) reaches its bound at x");
    }
}

#[test]
fn the_algebra_is_pointwise() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let f = space.function(&x, &coefficients(x.len(), 116)).expect("f");
        let g = space.function(&y, &coefficients(y.len(), 117)).expect("g");
        let (vf, vg) = (evaluate(&f, &x), evaluate(&g, &x));
        let sum = evaluate(&f.add(&g).expect("one space"), &x);
        let difference = evaluate(&f.subtract(&g).expect("one space"), &x);
        let scaled = evaluate(&f.scale(-2.5).expect("finite"), &x);
        let scale = f.norm(&run()).expect("norm") + g.norm(&run()).expect("norm");
        for i in 0..x.len() {
            let allowed = tol::round(x.len()) * scale * 10.0;
            assert!((sum[i] - (vf[i] + vg[i])).abs() <= allowed, "{formula}");
            assert!((difference[i] - (vf[i] - vg[i])).abs() <= allowed, "{formula}");
            assert!((scaled[i] + 2.5 * vf[i]).abs() <= allowed, "{formula}");
        }
        // Pythagoras, for f and what is left of g beside it.
        let share = f.inner(&g, &run()).expect("inner") / f.norm_squared(&run()).expect("norm");
        let rest = g.subtract(&f.scale(share).expect("finite")).expect("one space");
        let together = f.add(&rest).expect("one space").norm_squared(&run()).expect("norm");
        let apart = f.norm_squared(&run()).expect("norm") + rest.norm_squared(&run()).expect("norm");
        assert!((together - apart).abs() <= tol::GOLDEN * apart, "{formula}: {together} and {apart}");
        assert!(f.subtract(&f).expect("one space").norm(&run()).expect("norm") <= tol::ANGLE * scale * 10.0);
    }
}

#[test]
fn rules_are_resolved_once() {
    let x: Inputs = column(&[0.0, 1.0, 3.0]);
    let space = space("rbf", &x);
    assert_eq!(space.kernel().to_string(), "rbf(length_scale=2)");
    assert_eq!(space.resolutions()[0].value, 2.0);
    let f = space.function(&x, &[1.0, 0.0, 0.0]).expect("f");
    let far = column(&[100.0, 200.0, 2.0]);
    let expected = (-0.5f64 * 4.0 / 4.0).exp();
    assert!((evaluate(&f, &far)[2] - expected).abs() <= tol::GRAM_R2, "the scale of the first points, not of these");
}

#[test]
fn functions_of_two_kernels_do_not_meet() {
    let x: Inputs = column(&[0.0, 1.0, 3.0]);
    let f = space("rbf(length_scale=1)", &x).function(&x, &[1.0; 3]).expect("f");
    let g = space("rbf(length_scale=2)", &x).function(&x, &[1.0; 3]).expect("g");
    for error in [f.add(&g).map(|_| ()), f.inner(&g, &run()).map(|_| ()), f.subtract(&g).map(|_| ())] {
        let error = error.expect_err("two spaces");
        let text = error.to_string();
        assert!(text.contains("`rbf(length_scale=1)`") && text.contains("`rbf(length_scale=2)`"), "{text}");
        assert!(error.hint().is_some());
    }
    let same = space("rbf(length_scale=1)", &x).function(&x, &[1.0; 3]).expect("f again");
    assert!(f.add(&same).is_ok(), "one kernel, written twice");
}

#[test]
fn hostile_functions() {
    let x: Inputs = points::vectors(5, 2, 118).into();
    let space_x = space("rbf(length_scale=1)", &x);
    assert!(matches!(space_x.function(&x, &[1.0; 4]), Err(Error::Shape { .. })));
    assert!(matches!(space_x.function(&x, &[f64::NAN; 5]), Err(Error::NonFinite { .. })));
    let f = space_x.function(&x, &[1.0; 5]).expect("f");
    assert!(matches!(f.scale(f64::INFINITY), Err(Error::InvalidParameter { .. })));
    assert!(f.evaluate(&points::vectors(2, 3, 119).into(), &run()).is_err(), "another number of columns");
    assert!(evaluate(&f, &x.take(&[])).is_empty());
    let zero = space_x.function(&x.take(&[]), &[]).expect("no points");
    assert_eq!((zero.is_empty(), zero.norm(&run()).expect("norm")), (true, 0.0));
    assert_eq!(evaluate(&zero, &x), [0.0; 5]);
    assert!(matches!(f.lipschitz(&x, &x.take(&[0]), &run()), Err(Error::Shape { .. })));
    let huge: Inputs = column(&[1e75, 2e75]);
    let wide = space("linear", &huge).function(&huge, &[1.0, -1.0]).expect("f");
    assert!((wide.norm(&run()).expect("norm") / 1e75 - 1.0).abs() <= tol::round(2));
}

/// A precomputed matrix that is not positive semi-definite has functions without a norm, and says so.
#[test]
fn an_indefinite_matrix_has_no_norm() {
    let k = precomputed(&[1.0, 2.0, 2.0, 1.0], 2, 2);
    let f = space("precomputed", &k).function(&k, &[1.0, -1.0]).expect("f");
    let error = f.norm(&run()).expect_err("aᵀKa = −2");
    assert!(error.to_string().contains("positive semi-definite") && error.to_string().contains("-2e0"), "{error}");
}

#[test]
fn memory_and_threads() {
    let x: Inputs = points::vectors(3000, 2, 120).into();
    let small = Run::new().with_memory_limit(4 << 20);
    let space = mercer::rkhs::Space::new(&KernelExpr::parse("rbf(length_scale=1)").expect("a formula"), &x, &small)
        .expect("a space");
    let f = space.function(&x, &coefficients(3000, 121)).expect("f");
    let norm = f.norm_squared(&small).expect("72 MB of matrix are never stored");
    let three = Run::new().with_threads(3).expect("a few");
    assert_eq!(norm, f.norm_squared(&three).expect("norm"), "another number of threads");
}
