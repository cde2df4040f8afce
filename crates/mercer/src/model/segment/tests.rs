//! Against brute force over all segmentations.

use crate::chance::Chance;
use crate::data::{Inputs, Rows};
use crate::gram::KernelMatrix;
use crate::kernel::KernelExpr;
use crate::run::Run;
use crate::testkit::tol;

use super::{ChangePoints, KernelChangePoint, Segmentation};

fn points(values: &[f64], width: usize) -> Inputs {
    Rows::new(values.to_vec(), values.len() / width, width).expect("rows").into()
}

fn fitted(kernel: &str, x: &Inputs, min_size: usize) -> ChangePoints {
    let kernel = KernelExpr::parse(kernel).expect("a kernel");
    KernelChangePoint { kernel, min_size }.fit(x, &Run::new()).expect("points")
}

/// Every segmentation with segments of `min_size` or more.
fn all(n: usize, min_size: usize) -> Vec<Vec<usize>> {
    let sets = (0u32..1 << (n - 1)).map(|bits| (1..n).filter(|i| bits >> (i - 1) & 1 == 1).collect());
    sets.filter(|changes: &Vec<usize>| {
        let ends = changes.iter().chain([&n]);
        ends.scan(0, |s, t| Some(t - std::mem::replace(s, *t))).all(|length| length >= min_size)
    })
    .collect()
}

fn price(points: &ChangePoints, changes: &[usize]) -> f64 {
    let ends = changes.iter().copied().chain([points.n()]);
    ends.scan(0, |s, t| Some(points.cost(std::mem::replace(s, t)..t).expect("a cost"))).sum()
}

fn attack(rounds: usize, seed: u64) {
    let mut chance = Chance::new(seed);
    let kernels =
        ["linear", "rbf(length_scale=0.7)", "energy", "laplace(length_scale=2)", "rbf(length_scale=1) + 0.1*linear"];
    for round in 0..rounds {
        let (n, width) = (1 + chance.below(9), 1 + chance.below(3));
        let coarse = chance.below(2) == 0;
        let scale = [1.0, 1e-6, 1e4][chance.below(3)];
        let values: Vec<f64> =
            (0..n * width).map(|_| if coarse { chance.below(3) as f64 } else { scale * chance.normal() }).collect();
        let kernel = kernels[chance.below(kernels.len())];
        let min_size = 1 + chance.below(n);
        let x = points(&values, width);
        let points = fitted(kernel, &x, min_size);
        let all: Vec<(Vec<usize>, f64)> =
            all(n, min_size).into_iter().map(|c| (c.clone(), price(&points, &c))).collect();
        let total = points.cost(0..n).expect("a cost");
        let mut diagonal = vec![0.0; n];
        points.kernel().bind(&x, &Run::new()).expect("a matrix").diag(&mut diagonal);
        let size = diagonal.iter().map(|k| k.abs()).sum::<f64>() + total.abs();
        let slack = 8.0 * tol::round(n) * size;
        let said = format!("round {round}: {kernel}, min_size {min_size}, {values:?}");
        let path = points.path(points.max_changes(), &Run::new()).expect("a path");
        for (changes, found) in path.segmentations().iter().enumerate() {
            let least = all.iter().filter(|(c, _)| c.len() == changes).map(|(_, p)| *p).fold(f64::INFINITY, f64::min);
            check(&points, found, changes, &said);
            assert!((found.cost - least).abs() <= slack, "{said}: {found:?} with {changes}, least {least}");
        }
        let penalty = total * chance.unit();
        let found = points.penalised(penalty.max(0.0), &Run::new()).expect("a segmentation");
        check(&points, &found, found.changes.len(), &said);
        let paid = |cost: f64, changes: usize| cost + penalty.max(0.0) * changes as f64;
        let least = all.iter().map(|(c, p)| paid(*p, c.len())).fold(f64::INFINITY, f64::min);
        let got = paid(found.cost, found.changes.len());
        assert!(
            (got - least).abs() <= slack * n as f64,
            "{said}: penalty {penalty}: {found:?}, least {least}, got {got}"
        );
    }
}

/// A legal segmentation whose cost is the sum of its segments'.
fn check(points: &ChangePoints, found: &Segmentation, changes: usize, said: &str) {
    assert_eq!(found.changes.len(), changes, "{said}");
    let ends: Vec<usize> = [0].iter().chain(&found.changes).chain([&points.n()]).copied().collect();
    assert!(ends.windows(2).all(|w| w[1] >= w[0] + points.min_size()), "{said}: {found:?}");
}

#[test]
fn no_segmentation_is_cheaper() {
    attack(400, 1);
}

#[test]
#[ignore = "long"]
fn no_segmentation_is_cheaper_attacked_for_long() {
    let rounds = std::env::var("MERCER_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(2000);
    attack(rounds, 2);
}

/// The definition, pair by pair, on enough points for several blocks and tiles.
#[test]
fn blocks_tiles_and_threads_leave_no_trace() {
    let mut chance = Chance::new(3);
    let n = 407;
    let values: Vec<f64> = (0..n).map(|i| chance.normal() + if i % 150 > 70 { 1.5 } else { 0.0 }).collect();
    let x = points(&values, 1);
    for min_size in [1, 3, 90] {
        let points = fitted("rbf(length_scale=1)", &x, min_size);
        let most = points.max_changes().min(6);
        let naive = naive(&values, most, min_size);
        let path = points.path(most, &Run::new().with_threads(1).expect("a run")).expect("a path");
        assert_eq!(path, points.path(most, &Run::new().with_threads(3).expect("a run")).expect("a path"));
        for (found, naive) in path.costs().iter().zip(&naive) {
            assert!((found - naive).abs() <= tol::round(n) * n as f64, "{found} {naive}");
        }
        for penalty in [0.5, 3.0, 20.0] {
            let found = points.penalised(penalty, &Run::new()).expect("a segmentation");
            let bound = points.kernel().bind(&x, &Run::new()).expect("a matrix");
            let plain = super::dynamic::penalised(&bound, (penalty, false), min_size, &Run::new());
            assert_eq!(found, plain.expect("a segmentation"));
            let paid = found.cost + penalty * found.changes.len() as f64;
            let best = naive.iter().enumerate().map(|(c, p)| p + penalty * c as f64).fold(f64::INFINITY, f64::min);
            assert!(paid <= best + 1e-9, "{paid} {best}");
        }
    }
}

/// V by its definition, with costs from a table of the double sums.
fn naive(x: &[f64], most: usize, min_size: usize) -> Vec<f64> {
    let n = x.len();
    let k = |i: usize, j: usize| (-0.5 * (x[i] - x[j]).powi(2)).exp();
    let mut sums = vec![0.0; (n + 1) * (n + 1)];
    for s in (0..n).rev() {
        for t in s + 1..=n {
            let inner = if t > s + 1 { sums[(s + 1) * (n + 1) + t] } else { 0.0 };
            let own: f64 = (s + 1..t).map(|j| 2.0 * k(s, j)).sum::<f64>() + 1.0;
            sums[s * (n + 1) + t] = inner + own;
        }
    }
    let cost = |s: usize, t: usize| (t - s) as f64 - sums[s * (n + 1) + t] / (t - s) as f64;
    let mut level: Vec<f64> = (0..=n).map(|t| if t >= min_size { cost(0, t) } else { f64::INFINITY }).collect();
    let mut found = vec![level[n]];
    for _ in 0..most {
        let next = |t: usize| {
            let starts = 0..(t + 1).saturating_sub(min_size);
            starts.map(|s| level[s] + cost(s, t)).fold(f64::INFINITY, f64::min)
        };
        level = (0..=n).map(next).collect();
        found.push(level[n]);
    }
    found
}
