//! The largest eigenvalues of operators whose spectrum is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use mercer::certificate::Stop;
use mercer::data::Inputs;
use mercer::gram::Streamed;
use mercer::linalg::LinearOperator;
use mercer::solver::{TopEigen, TopEigenParams, top_eigen};
use mercer::testkit::points::{self, Chance};
use mercer::testkit::tol;
use mercer::{Error, Result, Run};

use super::{gram, run, space};

/// H·diag(λ)·H with two reflections H = (I − 2uuᵀ)(I − 2vvᵀ): a matrix with these eigenvalues and vectors that are no unit vectors.
struct Known {
    values: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    products: AtomicUsize,
    /// Raised after so many products.
    stop: Option<(usize, Arc<AtomicBool>)>,
}

impl Known {
    fn new(values: Vec<f64>, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut unit = || {
            let raw: Vec<f64> = values.iter().map(|_| chance.normal()).collect();
            let norm = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
            raw.iter().map(|x| x / norm).collect::<Vec<f64>>()
        };
        let (u, v) = (unit(), unit());
        Known { values, u, v, products: AtomicUsize::new(0), stop: None }
    }

    fn reflect(x: &mut [f64], u: &[f64]) {
        let along: f64 = 2.0 * x.iter().zip(u).map(|(x, u)| x * u).sum::<f64>();
        x.iter_mut().zip(u).for_each(|(x, u)| *x -= along * u);
    }

    fn times(&self, x: &mut [f64]) {
        Self::reflect(x, &self.u);
        Self::reflect(x, &self.v);
        x.iter_mut().zip(&self.values).for_each(|(x, l)| *x *= l);
        Self::reflect(x, &self.v);
        Self::reflect(x, &self.u);
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted
    }
}

impl LinearOperator for Known {
    fn nrows(&self) -> usize {
        self.values.len()
    }

    fn ncols(&self) -> usize {
        self.values.len()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let task = run.task("product", None);
        for o in 0..k {
            let mut x: Vec<f64> = v.iter().skip(o).step_by(k).copied().collect();
            self.times(&mut x);
            out.iter_mut().skip(o).step_by(k).zip(&x).for_each(|(out, x)| *out = *x);
        }
        let done = self.products.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some((most, flag)) = &self.stop {
            flag.store(done >= *most, Ordering::Relaxed);
        }
        task.step_or_cancel()
    }
}

fn top(operator: &dyn LinearOperator, count: usize) -> TopEigen {
    let params = TopEigenParams { count, ..TopEigenParams::default() };
    top_eigen(operator, &params, &run()).unwrap_or_else(|e| panic!("{e}"))
}

/// Values against the known ones, vectors orthonormal, residuals as a product in this file has them.
fn judge(operator: &Known, found: &TopEigen, count: usize, name: &str) {
    let (n, largest) = (operator.values.len(), operator.values.iter().fold(0.0f64, |m, l| m.max(l.abs())));
    assert_eq!(found.values().len(), count.min(n), "{name}");
    assert!(found.stop().is_complete(), "{name}: {:?} after {} products", found.stop(), found.products());
    for (l, (value, expected)) in found.values().iter().zip(operator.sorted()).enumerate() {
        let mut image = found.vector(l).to_vec();
        operator.times(&mut image);
        let left: f64 =
            image.iter().zip(found.vector(l)).map(|(a, v)| ((a - value * v) / largest.max(1e-300)).powi(2)).sum();
        assert!(left.sqrt() <= 1e-9 + tol::round(n), "{name}: residual {} of pair {l}", left.sqrt());
        let told = found.residuals()[l] / largest.max(1e-300);
        assert!((told - left.sqrt()).abs() <= tol::round(n), "{name}: told {told}, is {}", left.sqrt());
        // Weyl: a residual bounds the distance to some eigenvalue; that it is the right one is the test.
        assert!((value - expected).abs() <= 1e-9 * largest + tol::round(n) * largest, "{name}: {value} {expected}");
        for m in 0..=l {
            let product: f64 = found.vector(l).iter().zip(found.vector(m)).map(|(a, b)| a * b).sum();
            assert!((product - f64::from(u8::from(l == m))).abs() <= tol::round(n), "{name}: {l} {m} {product}");
        }
    }
}

/// Spectra that searches stumble over.
fn spectra(n: usize) -> Vec<(&'static str, Vec<f64>)> {
    let of = |f: &dyn Fn(f64) -> f64| (0..n).map(|i| f(i as f64)).collect::<Vec<f64>>();
    vec![
        ("geometric", of(&|i| 0.8f64.powf(i))),
        ("fast", of(&|i| 0.01f64.powf(i))),
        ("slow", of(&|i| 1.0 / (1.0 + i))),
        ("equidistant", of(&|i| n as f64 - i)),
        ("all the same", of(&|_| 3.0)),
        ("nothing", of(&|_| 0.0)),
        ("rank one", of(&|i| if i == 5.0 { 2.0 } else { 0.0 })),
        ("rank three", of(&|i| if i < 3.0 { i + 1.0 } else { 0.0 })),
        ("repeated twenty times", of(&|i| if i < 20.0 { 2.0 } else { 1.0 / i })),
        ("pairs", of(&|i| (-(i / 2.0).floor() / 5.0).exp())),
        ("a cluster", of(&|i| if i < 7.0 { 1.0 + 1e-7 * i } else { 0.5 / i })),
        ("two signs", of(&|i| if i % 2.0 == 0.0 { 1.0 / (1.0 + i) } else { -1.0 / (1.0 + i) })),
        ("huge", of(&|i| 1e200 * 0.7f64.powf(i))),
        ("tiny", of(&|i| 1e-200 * 0.7f64.powf(i))),
        ("negative", of(&|i| -1.0 - i)),
    ]
}

#[test]
fn known_spectra_are_found() {
    for (seed, n) in [(1, 1), (2, 7), (3, 199), (4, 300), (5, 1000)] {
        for (name, values) in spectra(n) {
            let operator = Known::new(values, seed);
            for count in [1, 3, 10, 24] {
                judge(&operator, &top(&operator, count), count, &format!("{name}, n = {n}, k = {count}"));
            }
        }
    }
}

#[test]
fn whether_the_operator_was_written_out_is_said() {
    let operator = Known::new((0..400).map(|i| 0.9f64.powi(i)).collect(), 6);
    assert!(!top(&operator, 10).is_dense());
    assert_eq!((top(&operator, 90).is_dense(), top(&operator, 90).stop()), (true, Stop::Direct));
    assert_eq!(top(&operator, 4000).values().len(), 400);
}

#[test]
fn a_search_that_is_stopped_gives_what_there_is() {
    for most in [1, 3] {
        let flag = Arc::new(AtomicBool::new(false));
        let mut operator = Known::new((0..1000).map(|i| 1.0 / f64::from(i + 1)).collect(), 7);
        operator.stop = Some((most, Arc::clone(&flag)));
        let run = Run::new().with_cancel(flag);
        let params = TopEigenParams { count: 5, ..TopEigenParams::default() };
        // The product that raises the flag is lost.
        let found = top_eigen(&operator, &params, &run);
        if most == 1 {
            assert!(matches!(found, Err(Error::Cancelled { .. })));
            continue;
        }
        let found = found.expect("two products are something");
        assert_eq!((found.stop(), found.values().len()), (Stop::Interrupted, 5));
        for l in 0..5 {
            let mut left = found.vector(l).to_vec();
            operator.times(&mut left);
            left.iter_mut().zip(found.vector(l)).for_each(|(a, v)| *a -= found.values()[l] * v);
            let norm = left.iter().map(|a| a * a).sum::<f64>().sqrt();
            assert!((norm - found.residuals()[l]).abs() <= tol::round(1000), "{norm} {}", found.residuals()[l]);
        }
    }
    let late = Run::new().with_deadline(Duration::ZERO);
    let operator = Known::new(vec![1.0; 500], 8);
    assert!(top_eigen(&operator, &TopEigenParams::default(), &late).is_err());
}

#[test]
fn bits_do_not_depend_on_threads_and_chance_not_on_the_hour() {
    let x: Inputs = points::vectors(700, 3, 11).into();
    let bound = space("rbf(length_scale=1)", &x);
    let matrix = bound.gram(&x, &run()).expect("bound");
    let params = TopEigenParams { count: 6, ..TopEigenParams::default() };
    let with = |threads: usize| {
        let run = Run::new().with_threads(threads).expect("threads");
        top_eigen(&Streamed(&matrix), &params, &run).expect("found")
    };
    let (one, three) = (with(1), with(3));
    assert_eq!((one.values(), one.vectors()), (three.values(), three.vectors()));
    let other = TopEigenParams { seed: 9, ..params };
    let other = top_eigen(&Streamed(&matrix), &other, &run()).expect("found");
    let whole = mercer::linalg::eigen(&gram(&bound, &x), 700, &run()).expect("decomposed");
    for l in 0..6 {
        let expected = whole.values()[699 - l];
        assert!((one.values()[l] - expected).abs() <= tol::round(700) * whole.values()[699]);
        for found in [&one, &other] {
            let along: f64 = found.vector(l).iter().zip(whole.vector(699 - l)).map(|(a, b)| a * b).sum();
            assert!((along - 1.0).abs() <= tol::GOLDEN, "{l}: {along}");
        }
    }
}

#[test]
fn what_is_no_number_is_said() {
    let operator = Known::new((0..300).map(|i| if i == 9 { f64::NAN } else { 1.0 }).collect(), 1);
    let refused = top_eigen(&operator, &TopEigenParams::default(), &run()).expect_err("not finite");
    assert!(matches!(refused, Error::NonFinite { .. }), "{refused}");
    let small = Known::new(vec![1.0, f64::INFINITY], 1);
    assert!(top_eigen(&small, &TopEigenParams::default(), &run()).is_err());
    for bad in [
        TopEigenParams { count: 0, ..Default::default() },
        TopEigenParams { tolerance: f64::NAN, ..Default::default() },
    ] {
        assert!(top_eigen(&small, &bad, &run()).is_err());
    }
}
