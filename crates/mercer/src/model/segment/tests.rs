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
        let [one, three] = [1, 3].map(|t| points.automatic(&Run::new().with_threads(t).expect("a run")));
        assert_eq!(one.expect("a choice"), three.expect("a choice"));
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

/// The matrix of what is left, (I − QQᵀ)K(I − QQᵀ), with Q from powers of time instead of Legendre's polynomials.
fn left_by_definition(k: &[f64], n: usize, changes: &[usize], terms: usize) -> (f64, f64) {
    let ends: Vec<usize> = [0].iter().chain(changes).chain([&n]).copied().collect();
    let indicator = |w: &[usize]| (0..n).map(|t| f64::from(u8::from((w[0]..w[1]).contains(&t)))).collect();
    let mut columns: Vec<Vec<f64>> = ends.windows(2).map(indicator).collect();
    columns.extend((1..=terms as i32).map(|l| (0..n).map(|t| ((2 * t + 1) as f64 / n as f64 - 1.0).powi(l)).collect()));
    let mut left = k.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut q in columns {
        for other in basis.iter().chain(&basis) {
            let along: f64 = q.iter().zip(other).map(|(a, b)| a * b).sum();
            q.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
        q.iter_mut().for_each(|v| *v /= length);
        for rows in [true, false] {
            let at = |i: usize, j: usize| if rows { i * n + j } else { j * n + i };
            for j in 0..n {
                let along: f64 = (0..n).map(|i| q[i] * left[at(i, j)]).sum();
                (0..n).for_each(|i| left[at(i, j)] -= along * q[i]);
            }
        }
        basis.push(q);
    }
    let pairs: Vec<usize> = (1..n).filter(|t| !changes.contains(t)).collect();
    let lagged: f64 = pairs.iter().map(|t| left[t * n + t - 1]).sum();
    ((0..n).map(|t| left[t * n + t]).sum(), lagged / pairs.len() as f64)
}

#[test]
fn what_is_left_is_the_projection() {
    let (mut chance, n, run) = (Chance::new(5), 41, Run::new());
    let values: Vec<f64> = (0..n).map(|t| chance.normal() + 0.2 * t as f64 + if t > 25 { 3.0 } else { 0.0 }).collect();
    for kernel in ["rbf(length_scale=2)", "energy", "linear"] {
        let x = points(&values, 1);
        let points = fitted(kernel, &x, 2);
        let bound = points.kernel().bind(&x, &run).expect("a matrix");
        let mut k = vec![0.0; n * n];
        bound.block(0..n, 0..n, crate::gram::TileMut::contiguous(&mut k, n, n));
        let neighbours: Vec<f64> = (1..n).map(|t| k[(t - 1) * n + t]).collect();
        let multiply = |v: &[f64], width: usize, out: &mut [f64]| crate::gram::apply_block(&bound, v, width, out, &run);
        let path = points.path(4, &run).expect("a path");
        let products = super::left::Products::new(&path, &neighbours, &multiply, &run).expect("products");
        for segmentation in path.segmentations() {
            let left = products.left(segmentation);
            assert_eq!(left.len(), 9);
            for (terms, left) in left.iter().enumerate() {
                let (cost, covariance) = left_by_definition(&k, n, &segmentation.changes, terms);
                let slack = 1e-9 * (1.0 + path.costs()[0]);
                let said = format!("{kernel}, {segmentation:?}, {terms}: {left:?}, {cost}, {covariance}");
                assert!((left.cost - cost).abs() <= slack && (left.covariance - covariance).abs() <= slack, "{said}");
            }
        }
    }
}

#[test]
fn the_rule_minimises_its_criterion() {
    let (mut chance, n, run) = (Chance::new(6), 160, Run::new());
    let values: Vec<f64> = (0..n).map(|t| chance.normal() + if t % 80 > 40 { 4.0 } else { 0.0 }).collect();
    let points = fitted("rbf(length_scale=2)", &points(&values, 1), 2);
    let (found, choice) = points.automatic(&run).expect("a choice");
    assert_eq!(found, points.path(choice.changes, &run).expect("a path").segmentations()[choice.changes]);
    assert_eq!((choice.changes, choice.terms, choice.directions), (3, 0, 1.0));
    let count = n as f64;
    let fit = choice.share + (choice.share * (1.0 - choice.correlation.powi(2)).powf(1.25) + 0.01).ln();
    let criterion = count * fit + (3.5 * choice.changes as f64 + 2.0 * choice.terms as f64) * count.ln();
    assert!((criterion - choice.criterion).abs() <= tol::round(n) * count, "{choice:?}");
    let cost = choice.share * count * choice.variance;
    assert!((cost - found.cost).abs() <= tol::round(n) * count, "{choice:?}");
}

#[test]
fn a_slow_movement_is_no_change() {
    let (mut chance, n, run) = (Chance::new(7), 240, Run::new());
    let line = |t: usize| (t as f64 / 60.0).powi(2) + (t as f64 * 0.5).sin();
    let smooth: Vec<f64> = (0..n).map(|t| line(t) + 0.3 * chance.normal()).collect();
    let usual = |values: &[f64]| {
        let x = points(values, 1);
        let kernel = super::usual_kernel(&x, &run).expect("a kernel").expect("numbers");
        KernelChangePoint { kernel, min_size: 2 }.fit(&x, &run).expect("points")
    };
    let (found, choice) = usual(&smooth).automatic(&run).expect("a choice");
    assert!(found.changes.is_empty() && choice.terms > 0, "{found:?} {choice:?}");
    let broken: Vec<f64> = smooth.iter().enumerate().map(|(t, v)| if t < 100 { *v } else { v + 12.0 }).collect();
    assert_eq!(usual(&broken).automatic(&run).expect("a choice").0.changes, [100]);
}

#[test]
fn odd_sequences_have_an_answer() {
    let run = Run::new();
    for values in [vec![1.0], vec![2.0; 2], vec![0.0, 1.0], vec![5.0; 40], vec![1e9; 7], vec![0.0, 0.0, 1.0, 1.0, 1.0]]
    {
        for min_size in [1, 2].into_iter().filter(|m| *m <= values.len()) {
            let points = fitted("rbf(length_scale=1)", &points(&values, 1), min_size);
            let (found, choice) = points.automatic(&run).expect("a choice");
            assert!(choice.criterion.is_finite() && found.changes.len() == choice.changes, "{values:?} {choice:?}");
            assert!(values.iter().any(|v| *v != values[0]) || found.changes.is_empty(), "{values:?} {found:?}");
        }
    }
    // More changes than are looked for at first.
    let many: Vec<f64> = (0..800).map(|t| if t / 20 % 2 == 0 { 0.0 } else { 1.0 } + 0.01 * (t % 3) as f64).collect();
    let found = fitted("rbf(length_scale=1)", &points(&many, 1), 2).automatic(&run).expect("a choice").0;
    assert_eq!(found.changes, (1..40).map(|i| 20 * i).collect::<Vec<_>>());
}

/// J rises with the first of them: each alone leaves the two states mixed on both sides.
#[test]
fn two_states_that_take_turns_are_told_apart() {
    let mut chance = Chance::new(29);
    let values: Vec<f64> = (0..1200).map(|t| chance.normal() + f64::from(t / 20 % 2) * 6.0).collect();
    let (found, choice) =
        fitted("rbf(length_scale=3)", &points(&values, 1), 2).automatic(&Run::new()).expect("a choice");
    let near = |turn: usize| found.changes.iter().any(|at| at.abs_diff(turn) <= 2);
    assert_eq!(choice.changes, found.changes.len());
    assert!((57..62).contains(&choice.changes), "{}", choice.changes);
    assert!((1..60).filter(|turn| near(20 * turn)).count() >= 56, "{:?}", found.changes);
}
