//! k-means in the RKHS.

use mercer::certificate::{Measure, Stop};
use mercer::data::{Inputs, Precomputed, Rows, Target, Weights};
use mercer::model::cluster::KernelKMeans;
use mercer::model::{Learner, Model};
use mercer::testkit::points::{Chance, texts, vectors};
use mercer::testkit::tol;
use mercer::{ErrorKind, Run};

use super::{fit, kernel, labels, naive_gram, naive_inertia, points};

fn learner(formula: &str, clusters: usize) -> KernelKMeans {
    KernelKMeans { kernel: kernel(formula), clusters, ..Default::default() }
}

fn inertia(model: &Model) -> f64 {
    model.certificate().get(Measure::Inertia).expect("measured")
}

/// Calls `visit` with every partition of n rows into at most k clusters, numbered by first rows.
fn partitions(n: usize, k: usize, visit: &mut dyn FnMut(&[usize])) {
    fn go(labels: &mut Vec<usize>, used: usize, n: usize, k: usize, visit: &mut dyn FnMut(&[usize])) {
        if labels.len() == n {
            return visit(labels);
        }
        for c in 0..(used + 1).min(k) {
            labels.push(c);
            go(labels, used.max(c + 1), n, k, visit);
            labels.pop();
        }
    }
    go(&mut Vec::new(), 0, n, k, visit);
}

/// One strange sample: its claims against naive formulas and all partitions. Says whether the least inertia was found.
fn judge(seed: u64) -> bool {
    let mut chance = Chance::new(seed);
    let (n, k) = (1 + chance.below(8), 1 + chance.below(4));
    let scale = [1.0, 1e-8, 1e6, 1e60][chance.below(4)];
    let grid = chance.below(2) == 0;
    let draw = |chance: &mut Chance| if grid { chance.below(3) as f64 } else { chance.normal() };
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..2).map(|_| draw(&mut chance) * scale).collect()).collect();
    let formula = ["linear", "rbf(length_scale=1)", "poly(degree=2)", "laplace(length_scale=2)"][chance.below(4)];
    let weights: Vec<f64> = (0..n).map(|_| [1.0, 1.0, 2.5, 0.1, 0.0][chance.below(5)]).collect();
    let Ok(given) = Weights::new(weights.clone()) else { return true };
    let learner = KernelKMeans { seed, bound: true, ..learner(formula, k) };
    let inputs = points(&x.concat(), 2);
    let model = fit(&learner.into(), &inputs, Some(&given)).model;
    let gram = naive_gram(formula, &x);
    let size: f64 = (0..n).map(|i| weights[i] * gram[i][i].abs()).sum();
    let close = |a: f64, b: f64| (a - b).abs() <= tol::round(64) * size;
    // The rows of weight 0 have a nearest mean, too; they add nothing.
    let found = labels(&model, &inputs);
    let claimed = inertia(&model);
    assert!(close(naive_inertia(&gram, &found, &weights), claimed), "seed {seed}: {claimed}");
    assert_eq!(model.certificate().get(Measure::Misplaced), Some(0.0), "seed {seed}");
    let mut least = f64::INFINITY;
    partitions(n, k, &mut |p| least = least.min(naive_inertia(&gram, p, &weights)));
    assert!(claimed >= least - tol::round(64) * size, "seed {seed}: {claimed} below {least}");
    if let Some(bound) = model.certificate().get(Measure::InertiaBound) {
        assert!(bound <= least + tol::round(64) * size, "seed {seed}: the bound {bound} is above {least}");
    }
    close(claimed, least)
}

#[test]
fn small_samples_against_all_partitions() {
    let least = (0..300).filter(|seed| judge(*seed)).count();
    assert!(least >= 297, "{least} of 300");
}

#[test]
#[ignore = "minutes"]
fn small_samples_attacked_for_long() {
    let rounds: u64 = std::env::var("MERCER_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(20_000);
    let least = (0..rounds).filter(|seed| judge(1_000_000 + *seed)).count();
    println!("the least inertia in {least} of {rounds}");
    assert!(least as f64 >= 0.98 * rounds as f64, "{least} of {rounds}");
}

#[test]
fn no_move_of_one_row_pays() {
    let x = vectors(60, 3, 4);
    let rows: Vec<Vec<f64>> = (0..60).map(|i| x.row(i).to_vec()).collect();
    let formula = "rbf(length_scale=1.5)";
    let model = fit(&KernelKMeans { restarts: 1, ..learner(formula, 6) }.into(), &x.clone().into(), None).model;
    let (gram, ones) = (naive_gram(formula, &rows), vec![1.0; 60]);
    let mut found = labels(&model, &x.into());
    let before = naive_inertia(&gram, &found, &ones);
    for i in 0..60 {
        // The last two rows repeat the first, exactly and nearly: equal rows move together.
        let own = found[i];
        for c in 0..6 {
            found[i] = c;
            let alone = i == 0 || i == 58;
            assert!(alone || naive_inertia(&gram, &found, &ones) >= before - 1e-12, "row {i} to {c}");
        }
        found[i] = own;
    }
}

/// Clusters that are far apart: the bound is close to what was found, and below it.
#[test]
fn the_bound_shows_that_clear_clusters_are_best() {
    let mut chance = Chance::new(5);
    let values: Vec<f64> =
        (0..3000).map(|at| 0.5 * chance.normal() + 40.0 * f64::from(u8::from(at / 10 % 3 == at % 10))).collect();
    let x = points(&values, 10);
    let model = fit(&KernelKMeans { bound: true, ..learner("linear", 3) }.into(), &x, None).model;
    let bound = model.certificate().get(Measure::InertiaBound).expect("asked for");
    assert!(bound <= inertia(&model) && bound >= 0.7 * inertia(&model), "{bound} {}", inertia(&model));
}

#[test]
fn clusters_are_numbered_by_their_least_points() {
    let x = points(&[5.0, 0.0, 5.1, 9.0, 0.1, 9.1], 1);
    for seed in 0..5 {
        let model = fit(&KernelKMeans { seed, ..learner("linear", 3) }.into(), &x, None).model;
        assert_eq!(labels(&model, &x), [1, 0, 1, 2, 0, 2]);
    }
}

#[test]
fn more_clusters_than_points_are_said() {
    let x = points(&[1.0, 1.0, 2.0, 1.0], 1);
    let fitted = fit(&learner("rbf(length_scale=1)", 5).into(), &x, None);
    assert_eq!(labels(&fitted.model, &x), [0, 0, 1, 0]);
    assert!(inertia(&fitted.model) < 1e-15);
    assert!(fitted.report.notes[0].to_string().contains("2 clusters, of 5 asked for"), "{:?}", fitted.report.notes);
    let one = fit(&learner("rbf(length_scale=1)", 5).into(), &points(&[3.0], 1), None).model;
    assert_eq!(one.outputs(), 1);
}

/// Clusters numbered by their first rows.
fn by_first_rows(labels: &[usize]) -> Vec<usize> {
    let mut seen = Vec::new();
    let mut number = |label: &usize| {
        seen.iter().position(|s| s == label).unwrap_or_else(|| {
            seen.push(*label);
            seen.len() - 1
        })
    };
    labels.iter().map(&mut number).collect()
}

#[test]
fn a_matrix_of_kernel_values_gives_the_same() {
    let x = vectors(40, 2, 9);
    let gram = naive_gram("rbf(length_scale=1)", &(0..40).map(|i| x.row(i).to_vec()).collect::<Vec<_>>());
    let matrix: Inputs = Precomputed::new(gram.concat(), 40, 40).expect("square").into();
    let by_points = fit(&learner("rbf(length_scale=1)", 4).into(), &x.clone().into(), None).model;
    let by_values = fit(&learner("precomputed", 4).into(), &matrix, None).model;
    assert!((inertia(&by_points) - inertia(&by_values)).abs() <= 1e-10);
    // Nobody knows which of the points of a matrix are the least.
    assert_eq!(labels(&by_values, &matrix), by_first_rows(&labels(&by_points, &x.into())));
}

#[test]
fn a_matrix_that_is_not_kept_gives_the_same() {
    let x: Inputs = vectors(700, 3, 2).into();
    let whole: Learner = KernelKMeans { restarts: 3, ..learner("rbf(length_scale=2)", 5) }.into();
    let kept = whole.fit(&x, Target::None, None, &Run::new()).expect("fits").model;
    // The matrix would take 4 MB.
    let tight = Run::new().with_memory_limit(3_000_000);
    let streamed = whole.fit(&x, Target::None, None, &tight).expect("fits").model;
    assert_eq!(labels(&kept, &x), labels(&streamed, &x));
    assert!((inertia(&kept) - inertia(&streamed)).abs() <= 1e-10 * inertia(&kept));
}

#[test]
fn texts_are_clustered() {
    let (x, notes) = texts();
    let model = fit(&learner("normalize(ngram)", 3).into(), &x, None).model;
    let found = labels(&model, &x);
    let of = |text: &str| found[notes.iter().position(|n| *n == text).expect("there")];
    assert_eq!(of("banana"), of("banana banana banana"));
    assert_ne!(of("banana"), of("日本語の日本語"));
}

#[test]
fn rounds_and_tolerance_are_obeyed() {
    let x: Inputs = vectors(300, 2, 7).into();
    let short = KernelKMeans { max_iterations: 1, restarts: 1, ..learner("rbf(length_scale=1)", 6) };
    let fitted = fit(&short.clone().into(), &x, None);
    assert_eq!((fitted.model.certificate().stop, fitted.report.history.len()), (Stop::MaxIterations, 1));
    let loose = KernelKMeans { tolerance: 0.5, max_iterations: 300, ..short };
    let fitted = fit(&loose.into(), &x, None);
    assert_eq!(fitted.model.certificate().stop, Stop::Tolerance);
    assert!(fitted.report.history.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{:?}", fitted.report.history);
}

#[test]
fn bad_input_has_an_error() {
    let x = points(&[1.0, 2.0, 3.0], 1);
    let refused = |learner: KernelKMeans| learner.fit(&x, Target::None, None, &Run::new()).expect_err("refused");
    let message = refused(learner("linear", 0)).to_string();
    assert_eq!(message, "`clusters` of the model `kernel_k_means` must be a whole number ≥ 1, got 0");
    let tolerance = KernelKMeans { tolerance: f64::NAN, ..learner("linear", 2) };
    assert!(refused(tolerance).to_string().contains("`tolerance`"));
    let huge: Inputs = Rows::new(vec![1e200, -1e200], 2, 1).expect("rows").into();
    let error = learner("linear", 2).fit(&huge, Target::None, None, &Run::new()).expect_err("k(x, x) overflows");
    assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
}
