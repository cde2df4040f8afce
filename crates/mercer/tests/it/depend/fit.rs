//! KSD, Stein thinning and herding against their definitions.

use mercer::chance::Chance;
use mercer::data::{Inputs, Rows};
use mercer::model::compare::{Draws, Ksd, KsdEstimate, SteinBase, kernel_herding, stein_thinning};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::naive::gaussian;

fn normal(n: usize, d: usize, shift: f64, seed: u64) -> Rows {
    let mut chance = Chance::new(seed);
    Rows::new((0..n * d).map(|_| shift + chance.normal()).collect::<Vec<f64>>(), n, d).expect("rows")
}

/// The scores of the standard normal distribution.
fn scores(x: &Rows) -> Rows {
    Rows::new(x.values().iter().map(|v| -v).collect::<Vec<f64>>(), x.nrows(), x.ncols()).expect("scores")
}

/// u(x, y) by central differences of the base kernel itself.
fn stein(base: &dyn Fn(f64) -> f64, x: &[f64], y: &[f64], s: &[f64], t: &[f64]) -> f64 {
    let h = 1e-4;
    let k = |x: &[f64], y: &[f64]| base(x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum());
    let moved = |v: &[f64], j: usize, by: f64| {
        let mut v = v.to_vec();
        v[j] += by;
        v
    };
    let mut u = k(x, y) * s.iter().zip(t).map(|(a, b)| a * b).sum::<f64>();
    for (j, (s, t)) in s.iter().zip(t).enumerate() {
        let [xp, xm, yp, ym] = [moved(x, j, h), moved(x, j, -h), moved(y, j, h), moved(y, j, -h)];
        u += s * (k(x, &yp) - k(x, &ym)) / (2.0 * h) + t * (k(&xp, y) - k(&xm, y)) / (2.0 * h);
        u += (k(&xp, &yp) - k(&xp, &ym) - k(&xm, &yp) + k(&xm, &ym)) / (4.0 * h * h);
    }
    u
}

#[test]
fn the_statistic_is_the_mean_of_steins_kernel() {
    let (n, l) = (12, 0.8);
    let x = normal(n, 3, 0.3, 1);
    let s = Rows::new(x.values().iter().map(|v| v.sin() - v).collect::<Vec<f64>>(), n, 3).expect("scores");
    let imq = |beta: f64| move |r2: f64| (1.0 + r2 / (l * l)).powf(beta);
    let rbf = |r2: f64| (-r2 / (2.0 * l * l)).exp();
    let (wide, wider) = (imq(-0.5), imq(-0.8));
    let cases: [(SteinBase, &dyn Fn(f64) -> f64); 3] = [
        (SteinBase::InverseMultiquadric { length_scale: Some(l), beta: -0.5 }, &wide),
        (SteinBase::InverseMultiquadric { length_scale: Some(l), beta: -0.8 }, &wider),
        (SteinBase::Rbf { length_scale: Some(l) }, &rbf),
    ];
    for (base, profile) in cases {
        let u = |i: usize, j: usize| stein(profile, x.row(i), x.row(j), s.row(i), s.row(j));
        let all: f64 = (0..n).map(|i| (0..n).map(|j| u(i, j)).sum::<f64>()).sum();
        let own: f64 = (0..n).map(|i| u(i, i)).sum();
        for (estimate, expected) in
            [(KsdEstimate::Biased, all / (n * n) as f64), (KsdEstimate::Unbiased, (all - own) / (n * (n - 1)) as f64)]
        {
            let test = Ksd { base, estimate, ..Ksd::default() };
            let found = test.test(&x, &s, &Run::new()).expect("a test").statistic;
            assert!((found - expected).abs() <= tol::GRAD * all.abs(), "{base:?}: {found} is not {expected}");
        }
    }
}

#[test]
fn a_shifted_sample_is_seen_and_a_good_one_is_not() {
    for estimate in [KsdEstimate::Biased, KsdEstimate::Unbiased] {
        let test = Ksd { estimate, ..Ksd::default() };
        let pvalue = |shift, seed| {
            let x = normal(150, 2, shift, seed);
            test.test(&x, &scores(&x), &Run::new()).expect("a test").pvalue
        };
        assert!(pvalue(0.0, 2) > 0.05 && pvalue(0.5, 3) == 0.001);
    }
}

#[test]
fn streamed_and_stored_give_the_same_and_so_do_threads() {
    let x = normal(400, 2, 0.1, 4);
    let s = scores(&x);
    let test = Ksd { draws: Draws { n_permutations: 200, ..Draws::default() }, ..Ksd::default() };
    let stored = test.test(&x, &s, &Run::new().with_threads(1).expect("threads")).expect("a test");
    // 400² values are 1.3 MB.
    let streamed = test.test(&x, &s, &Run::new().with_memory_limit(1_100_000)).expect("a test");
    assert_eq!(stored, streamed);
    assert_eq!(stored, test.test(&x, &s, &Run::new().with_threads(2).expect("threads")).expect("a test"));
}

#[test]
fn correlated_multipliers_accept_a_good_chain() {
    let rejected = |lag: Option<f64>| {
        (0..40u64)
            .filter(|i| {
                let (mut chance, mut at) = (Chance::new(100 + i), 0.0);
                let chain: Vec<f64> = (0..300)
                    .map(|_| {
                        at = 0.9 * at + (1.0f64 - 0.81).sqrt() * chance.normal();
                        at
                    })
                    .collect();
                let x = Rows::new(chain, 300, 1).expect("rows");
                let test = Ksd {
                    lag,
                    draws: Draws { n_permutations: 199, ..Draws::default() },
                    estimate: KsdEstimate::Biased,
                    ..Ksd::default()
                };
                test.test(&x, &scores(&x), &Run::new()).expect("a test").pvalue <= 0.05
            })
            .count()
    };
    assert!(rejected(None) > 15 && rejected(Some(20.0)) < 8);
}

#[test]
fn thinning_takes_the_best_row_each_time() {
    let (n, m) = (30, 8);
    let x = normal(n, 2, 1.0, 5);
    let s = scores(&x);
    let base = SteinBase::InverseMultiquadric { length_scale: Some(1.0), beta: -0.5 };
    let found = stein_thinning(&x, &s, m, (base, false), &Run::new()).expect("rows");
    let u = |i: usize, j: usize| stein(&|r2: f64| (1.0 + r2).powf(-0.5), x.row(i), x.row(j), s.row(i), s.row(j));
    let total = |rows: &[usize]| rows.iter().map(|&i| rows.iter().map(|&j| u(i, j)).sum::<f64>()).sum::<f64>();
    for t in 1..=m {
        let value = |i: usize| total(&[&found.indices[..t - 1], &[i]].concat());
        let best = (0..n).map(value).fold(f64::INFINITY, f64::min);
        assert!(value(found.indices[t - 1]) <= best + tol::GRAD * n as f64);
        assert!((found.discrepancy[t - 1] - total(&found.indices[..t]).sqrt() / t as f64).abs() <= tol::GRAD);
    }
    let wide = stein_thinning(&x, &s, 200, (SteinBase::default(), true), &Run::new()).expect("rows");
    assert!(wide.indices.len() == 200 && wide.discrepancy[199] < wide.discrepancy[0]);
}

#[test]
fn herding_takes_the_row_of_the_largest_gap_each_time() {
    let (n, m) = (25, 10);
    let rows = normal(n, 2, 0.0, 6);
    let k = gaussian(&rows, 1.0);
    let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a kernel");
    let found = kernel_herding(&rows.into(), &kernel, m, &Run::new()).expect("rows");
    let mean: Vec<f64> = k.iter().map(|row| row.iter().sum::<f64>() / n as f64).collect();
    for t in 0..m {
        let chosen = &found.indices[..t];
        let value = |i: usize| mean[i] - chosen.iter().map(|&s| k[i][s]).sum::<f64>() / (t + 1) as f64;
        let best = (0..n).map(value).fold(f64::NEG_INFINITY, f64::max);
        assert!(value(found.indices[t]) >= best - tol::GRAM_R);
        let now = &found.indices[..t + 1];
        let count = now.len() as f64;
        let square = mean.iter().sum::<f64>() / n as f64 - 2.0 * now.iter().map(|&i| mean[i]).sum::<f64>() / count
            + now.iter().map(|&i| now.iter().map(|&j| k[i][j]).sum::<f64>()).sum::<f64>() / (count * count);
        assert!((found.discrepancy[t] - square.max(0.0).sqrt()).abs() <= tol::GRAD);
    }
    assert_eq!(found.kernel, "rbf(length_scale=1)");
    let one: Inputs = Rows::new(vec![1.0], 1, 1).expect("a row").into();
    assert_eq!(kernel_herding(&one, &kernel, 2, &Run::new()).expect("rows").indices, [0, 0]);
}
