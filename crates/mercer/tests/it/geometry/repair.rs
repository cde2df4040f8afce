//! Repairs of indefinite matrices, on training points and new ones.

use mercer::gram::{Repair, RepairMethod};
use mercer::linalg::{eigen, eigenvalues};
use mercer::testkit::{points, tol};
use mercer::{Error, Run};

use super::{gram, run, space, symmetric};

const METHODS: [RepairMethod; 3] = [RepairMethod::Clip, RepairMethod::Flip, RepairMethod::Shift];

fn fit(k: &[f64], n: usize, method: RepairMethod) -> Repair {
    Repair::fit(k, n, method, &run()).unwrap_or_else(|e| panic!("{method:?}: {e}"))
}

fn repaired(k: &[f64], n: usize, method: RepairMethod) -> Vec<f64> {
    let mut out = k.to_vec();
    fit(k, n, method).apply(&mut out, &run()).expect("the same shape");
    out
}

/// Σ g(λ)·u·uᵀ by the double loop.
fn oracle(k: &[f64], n: usize, g: impl Fn(f64) -> f64) -> Vec<f64> {
    let e = eigen(k, n, &run()).expect("decomposes");
    let entry = |at: usize| (0..n).map(|l| g(e.values()[l]) * e.vector(l)[at / n] * e.vector(l)[at % n]).sum();
    (0..n * n).map(entry).collect()
}

/// Matrices with few, half and mostly negative eigenvalues.
fn indefinite(n: usize) -> Vec<Vec<f64>> {
    let mixed = symmetric(n, 81);
    let shifted = |by: f64| {
        let mut k = mixed.clone();
        (0..n).for_each(|i| k[i * n + i] += by);
        k
    };
    vec![shifted(5.0), mixed.clone(), shifted(-5.0)]
}

#[test]
fn eigenvalues_are_replaced_and_nothing_else() {
    let n = 40;
    for k in indefinite(n) {
        let smallest = eigenvalues(&k, n, &run()).expect("decomposes")[0];
        let expected = [oracle(&k, n, |v| v.max(0.0)), oracle(&k, n, f64::abs), oracle(&k, n, |v| v - smallest)];
        for (method, expected) in METHODS.into_iter().zip(expected) {
            let got = repaired(&k, n, method);
            let scale = k.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            assert!(
                got.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= tol::round(n) * n as f64 * scale),
                "{method:?}"
            );
            assert!((0..n * n).all(|at| got[at] == got[at % n * n + at / n]), "{method:?}: symmetric to the bit");
            let spectrum = eigenvalues(&got, n, &run()).expect("decomposes");
            assert!(spectrum[0] >= -tol::round(n) * spectrum[n - 1].abs(), "{method:?}: {}", spectrum[0]);
        }
    }
}

/// A training point that comes back as a new one gets the row it has in the repaired matrix.
#[test]
fn training_rows_become_their_repaired_rows() {
    let n = 40;
    for k in indefinite(n) {
        for method in [RepairMethod::Clip, RepairMethod::Flip] {
            let repair = fit(&k, n, method);
            let (mut rows, expected) = (k.clone(), repaired(&k, n, method));
            repair.transform(&mut rows, &run()).expect("rows of the right length");
            let scale = k.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            assert!(
                rows.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= tol::round(n) * n as f64 * scale),
                "{method:?}"
            );
            let mut part = k[3 * n..5 * n].to_vec();
            repair.transform(&mut part, &run()).expect("two rows");
            assert!(part.iter().zip(&rows[3 * n..5 * n]).all(|(a, b)| (a - b).abs() <= tol::round(n) * scale));
        }
        let mut rows = k[..2 * n].to_vec();
        fit(&k, n, RepairMethod::Shift).transform(&mut rows, &run()).expect("two rows");
        assert_eq!(rows, k[..2 * n], "shift leaves rows of new points alone");
    }
}

#[test]
fn the_report_counts_what_was_moved() {
    // Eigenvalues 3 and −1.
    let k = [1.0, 2.0, 2.0, 1.0];
    for (method, moved) in METHODS.into_iter().zip([1.0, 2.0, 2.0]) {
        let repair = fit(&k, 2, method);
        let report = repair.report();
        assert_eq!((report.negative, report.null, report.size), (1, 0, 2));
        assert!(
            (report.moved - moved).abs() <= tol::round(2) && (report.moved_share - moved / 4.0).abs() <= tol::round(2)
        );
        let shift = if method == RepairMethod::Shift { 1.0 } else { 0.0 };
        assert!((report.shift - shift).abs() <= tol::round(2));
    }
}

#[test]
fn a_gram_matrix_is_left_as_it_is() {
    let x = points::vectors(30, 2, 82).into();
    let k = gram(&space("rbf", &x), &x);
    for method in METHODS {
        let report = fit(&k, 30, method).report().clone();
        assert_eq!((report.negative, report.shift), (0, 0.0), "{method:?}");
        assert!(report.null > 0, "repeated points make it singular");
        let got = repaired(&k, 30, method);
        assert!(got.iter().zip(&k).all(|(a, b)| (a - b).abs() <= tol::round(30) * 30.0), "{method:?}");
    }
}

#[test]
fn threads_do_not_matter() {
    let k = symmetric(150, 83);
    let [one, three] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).expect("a few");
        let repair = Repair::fit(&k, 150, RepairMethod::Clip, &run).expect("fits");
        let (mut gram, mut rows) = (k.clone(), k[..450].to_vec());
        repair.apply(&mut gram, &run).expect("the same shape");
        repair.transform(&mut rows, &run).expect("three rows");
        (gram, rows)
    });
    assert_eq!(one, three);
}

#[test]
fn hostile_matrices() {
    for method in METHODS {
        assert!(matches!(Repair::fit(&[1.0; 3], 2, method, &run()), Err(Error::Shape { .. })));
        assert!(matches!(Repair::fit(&[f64::NAN], 1, method, &run()), Err(Error::NonFinite { .. })));
        let skew = Repair::fit(&[1.0, 2.0, 3.0, 1.0], 2, method, &run()).map(|_| ()).expect_err("not symmetric");
        assert!(matches!(skew, Error::Domain { .. }), "{skew}");
        assert!(repaired(&[], 0, method).is_empty());
        assert_eq!(repaired(&[0.0; 4], 2, method), [0.0; 4]);
        let huge = repaired(&[1e150, 2e150, 2e150, 1e150], 2, method);
        assert!(huge.iter().all(|v| v.is_finite() && *v > 0.9e150), "{method:?}: {huge:?}");
        let repair = fit(&[1.0, 2.0, 2.0, 1.0], 2, method);
        assert!(matches!(repair.apply(&mut [1.0], &run()), Err(Error::Shape { .. })));
        assert!(matches!(repair.transform(&mut [1.0; 3], &run()), Err(Error::Shape { .. })));
        assert!(matches!(repair.transform(&mut [1.0, f64::NAN], &run()), Err(Error::NonFinite { .. })));
        assert!(repair.transform(&mut [], &run()).is_ok());
    }
    assert!(RepairMethod::by_name("mend").is_err_and(|e| e.to_string().contains("`clip`, `flip` or `shift`")));
}
