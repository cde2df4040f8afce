//! Timings of the Gram engine, for profiling: `cargo bench --bench gram -- gram`.

use std::time::Instant;

use mercer::gram::{KernelMatrix, apply, dense, dense_into};
use mercer::testkit::points::Chance;
use mercer::{KernelExpr, Run, data::Inputs, data::Rows};

fn points(n: usize, d: usize) -> Inputs {
    let mut chance = Chance::new(1);
    Rows::new((0..n * d).map(|_| chance.normal()).collect::<Vec<_>>(), n, d).expect("n×d").into()
}

fn best(repeats: usize, mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..repeats).map(|_| time(&mut work)).fold(f64::INFINITY, f64::min)
}

fn gram(formula: &str, n: usize, d: usize) {
    let x = points(n, d);
    let run = Run::new();
    let k = KernelExpr::parse(formula).expect("a formula");
    let mut out = vec![0.0; n * n];
    let into = best(7, || dense_into(&k.bind(&x, &run).expect("binds"), &mut out, &run).expect("fits"));
    let fresh = best(5, || drop(dense::<f64>(&k.bind(&x, &run).expect("binds"), &run).expect("fits")));
    println!("{formula:45} n={n} d={d}: into {into:.4} s, fresh {fresh:.4} s");
}

fn product(formula: &str, n: usize, d: usize) {
    let x = points(n, d);
    let run = Run::new();
    let bound = KernelExpr::parse(formula).expect("a formula").bind(&x, &run).expect("binds");
    let v = vec![1.0; bound.ncols()];
    let mut out = vec![0.0; n];
    let seconds = best(2, || apply(&bound, &v, 1, &mut out, &run).expect("fits"));
    println!("{formula:45} n={n} d={d}: product {seconds:.4} s");
}

fn main() {
    // Cargo adds `--bench` to the arguments.
    let only = std::env::args().skip(1).find(|a| !a.starts_with("--")).unwrap_or_default();
    if only.is_empty() || only == "gram" {
        gram("rbf(length_scale=5)", 10_000, 50);
        gram("matern52(length_scale=5)", 10_000, 50);
        gram("rbf(length_scale=5) + matern52(length_scale=5)", 10_000, 50);
        gram("laplace_l1(length_scale=50)", 3_000, 50);
        gram("linear", 10_000, 50);
    }
    if only.is_empty() || only == "product" {
        product("rbf(length_scale=5)", 50_000, 20);
    }
}
