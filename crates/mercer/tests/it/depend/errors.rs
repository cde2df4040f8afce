//! What cannot be tested is refused with a sentence.

use std::time::Duration;

use mercer::data::{Inputs, Rows};
use mercer::model::compare::{
    Dhsic, Draws, Hsic, HsicEstimate, HsicNull, Kci, Ksd, Side, SteinBase, Variable, kernel_herding, stein_thinning,
};
use mercer::{Error, KernelExpr, Run};

use super::column;

fn hsic(test: Hsic, x: &Inputs, y: &Inputs, run: &Run) -> mercer::Result<f64> {
    let rbf = KernelExpr::parse("rbf")?;
    test.test(Variable::new(x, &rbf), Variable::new(y, &rbf), run).map(|found| found.pvalue)
}

fn side(points: &Inputs) -> Side<'_> {
    Side { points, kernel: None }
}

fn said(error: mercer::Result<f64>) -> String {
    error.expect_err("refused").to_string()
}

fn steps(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i * i % 7) as f64 + 0.1 * i as f64).collect()
}

#[test]
fn sizes_settings_and_values() {
    let (x, y, run) = (column(steps(9)), column(steps(9)), Run::new());
    let usual = Hsic::default();
    assert_eq!(said(hsic(usual, &x, &column(steps(8)), &run)), "`Y`: expected 9 rows, as `X` has, got 8");
    let few = column(steps(3));
    assert_eq!(said(hsic(usual, &few, &few, &run)), "a test of dependence: expected at least 4 rows, got 3");
    assert!(said(hsic(usual, &x, &column(vec![2.0; 9]), &run)).contains("all rows are equal"));
    let mut broken = steps(9);
    broken[4] = f64::NAN;
    assert!(matches!(hsic(usual, &x, &column(broken), &run), Err(Error::NonFinite { .. })));
    let none = Hsic { draws: Draws { n_permutations: 0, ..Draws::default() }, ..usual };
    assert_eq!(said(hsic(none, &x, &y, &run)), "`n_permutations` of HSIC must be ≥ 1, got 0");
    let wild = Hsic { null: HsicNull::WildBootstrap { lag: 0.0 }, ..usual };
    assert_eq!(said(hsic(wild, &x, &y, &run)), "`lag` of the wild bootstrap must be > 0, got 0");
    let both = Hsic { null: HsicNull::WildBootstrap { lag: 1.0 }, estimate: HsicEstimate::Unbiased, ..usual };
    assert!(said(hsic(both, &x, &y, &run)).contains("`biased` with the wild bootstrap"));
    let rbf = KernelExpr::parse("rbf").expect("a kernel");
    assert!(Dhsic::default().test(&[Variable::new(&x, &rbf)], &run).is_err());
    assert!(Dhsic::default().test(&[], &run).is_err());
}

#[test]
fn conditional_sides() {
    let (x, run) = (column(steps(20)), Run::new());
    let refused = Kci { epsilon: 0.0, ..Kci::default() }.given(side(&x), &run);
    assert!(refused.is_err());
    let given = Kci::default().given(side(&x), &run).expect("a set");
    let short = column(steps(19));
    assert_eq!(
        said(given.test(side(&x), side(&short), &run).map(|t| t.pvalue)),
        "`Y`: expected 20 rows, as `Z` has, got 19"
    );
    let mut broken = steps(20);
    broken[3] = f64::INFINITY;
    assert!(matches!(given.test(side(&column(broken)), side(&x), &run), Err(Error::NonFinite { first_row: 3, .. })));
}

#[test]
fn scores_and_counts() {
    let run = Run::new();
    let rows = |values: Vec<f64>, d: usize| Rows::new(values.clone(), values.len() / d, d).expect("rows");
    let x = rows(steps(10), 2);
    assert!(Ksd::default().test(&x, &rows(steps(5), 1), &run).is_err());
    assert!(Ksd::default().test(&rows(vec![1.0], 1), &rows(vec![1.0], 1), &run).is_err());
    let base = SteinBase::InverseMultiquadric { length_scale: Some(1.0), beta: 0.5 };
    assert!(Ksd { base, ..Ksd::default() }.test(&x, &x, &run).is_err());
    let base = SteinBase::Rbf { length_scale: Some(-1.0) };
    assert!(Ksd { base, ..Ksd::default() }.test(&x, &x, &run).is_err());
    assert!(Ksd { lag: Some(f64::NAN), ..Ksd::default() }.test(&x, &x, &run).is_err());
    assert!(stein_thinning(&x, &x, 0, (SteinBase::default(), true), &run).is_err());
    assert!(stein_thinning(&x, &rows(steps(5), 1), 2, (SteinBase::default(), true), &run).is_err());
    let kernel = KernelExpr::parse("rbf").expect("a kernel");
    assert!(kernel_herding(&x.clone().into(), &kernel, 0, &run).is_err());
    assert!(kernel_herding(&x.take(&[]).into(), &kernel, 1, &run).is_err());
}

#[test]
fn limits_are_obeyed() {
    let (x, y) = (column(steps(400)), column(steps(400)));
    let usual = Hsic::default();
    assert!(matches!(hsic(usual, &x, &y, &Run::new().with_memory_limit(1_000_000)), Err(Error::Memory { .. })));
    assert!(matches!(hsic(usual, &x, &y, &Run::new().with_deadline(Duration::ZERO)), Err(Error::Cancelled { .. })));
    assert!(Kci::default().given(side(&x), &Run::new().with_deadline(Duration::ZERO)).is_err());
}
