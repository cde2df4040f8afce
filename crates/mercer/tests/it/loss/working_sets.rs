//! Working sets beside the interior point method, which solves the same program another way.

use mercer::certificate::{Algorithm, Stop};
use mercer::gram::dense;
use mercer::loss::{Absolute, EpsilonInsensitive, Hinge, Loss, SquaredHinge};
use mercer::model::classify::KernelClassifier;
use mercer::solver::penalized::{Attempt, Penalized, PenalizedAnswer, PenalizedParams, interior_point, working_sets};
use mercer::testkit::points::{self, Chance};
use mercer::{KernelExpr, Run};

/// A matrix, signs by a smooth function with noise, and weights.
struct Problem {
    kernel: Vec<f64>,
    y: Vec<f64>,
    numbers: Vec<f64>,
    weights: Vec<f64>,
}

impl Problem {
    fn new(formula: &str, n: usize, seed: u64, weighted: bool) -> Self {
        let mut chance = Chance::new(seed);
        let x = points::vectors(n, 3, seed);
        let kernel =
            KernelExpr::parse(formula).expect("a formula").bind(&x.clone().into(), &Run::new()).expect("binds");
        let kernel = dense::<f64>(&kernel, &Run::new()).expect("a matrix").values().to_vec();
        let sign = |i: usize| (2.0 * x.row(i)[0]).sin() + x.row(i)[1] * x.row(i)[2];
        let numbers: Vec<f64> = (0..n).map(|i| sign(i) + 0.4 * chance.normal()).collect();
        let y = numbers.iter().map(|s| if *s > 0.0 { 1.0 } else { -1.0 }).collect();
        let weights = (0..n).map(|_| if weighted { 10f64.powf(2.0 * chance.unit() - 1.0) } else { 1.0 }).collect();
        Problem { kernel, y, numbers, weights }
    }

    fn at(&self, alpha: f64, intercept: bool) -> Penalized<'_> {
        Penalized { kernel: &self.kernel, weights: &self.weights, alpha, intercept }
    }
}

fn solved(problem: &Problem, alpha: f64, intercept: bool) -> PenalizedAnswer {
    let found =
        working_sets(&problem.at(alpha, intercept), &Hinge, &problem.y, &PenalizedParams::default(), &Run::new());
    found.expect("no error").answer().expect("an answer")
}

/// The hinge of signs, and the tube around numbers. Where rounding hides a gap of 1e-12, working sets leave the work to the other way; that
/// is rare, even among matrices of rank four.
#[test]
fn both_ways_reach_the_same_minimum() {
    let (mut all, mut left) = (0, 0);
    let tube = EpsilonInsensitive::new(0.1).expect("a width");
    for (formula, seed) in [("rbf(length_scale=1)", 1), ("linear + 1", 2), ("matern12(length_scale=2)", 3)] {
        for (n, weighted) in [(2, false), (7, true), (60, false), (150, true)] {
            let problem = Problem::new(formula, n, seed, weighted);
            for (alpha, intercept) in [100.0, 1.0, 0.03].into_iter().flat_map(|a| [(a, true), (a, false)]) {
                let at = problem.at(alpha, intercept);
                let what = format!("{formula}, {n} rows, alpha {alpha}, intercept {intercept}");
                left += usize::from(!same_minimum(&at, &Hinge, &problem.y, &what));
                left += usize::from(!same_minimum(&at, &tube, &problem.numbers, &what));
                all += 2;
            }
        }
    }
    assert!(20 * left <= all, "{left} of {all} were left");
}

/// Whether working sets have an answer; then it is that of the interior point method.
fn same_minimum(at: &Penalized<'_>, loss: &dyn Loss, y: &[f64], what: &str) -> bool {
    let params = PenalizedParams::default();
    let Some(a) = working_sets(at, loss, y, &params, &Run::new()).expect("no error").answer() else { return false };
    let b = interior_point(at, loss, y, &params, &Run::new()).expect("solves");
    let (p, q) = (a.primal(at.alpha), b.primal(at.alpha));
    // One of them may stand on a smaller gap; neither is below the minimum by more than its own.
    let gap = a.gap.expect("a gap") + b.gap.expect("a gap") + 1e-13 * q;
    assert!((p - q).abs() <= gap && a.residual <= params.tolerance, "{what}: {p} {q} {gap:e}");
    assert_eq!(a.stop, Stop::Tolerance, "{what}");
    true
}

/// 0 ≤ −y·v ≤ w: rows beyond the margin have exactly 0, those inside of it exactly their weight.
#[test]
fn zeros_are_zeros_and_bounds_are_bounds() {
    let problem = Problem::new("rbf(length_scale=1)", 200, 5, true);
    let answer = solved(&problem, 0.1, true);
    let (mut none, mut full, mut free) = (0, 0, 0);
    for (i, v) in answer.slopes.iter().enumerate() {
        let (margin, pull) = (problem.y[i] * answer.values[i], -problem.y[i] * v);
        if pull == 0.0 {
            none += 1;
            assert!(margin >= 1.0 - 1e-7, "row {i} lies at {margin}");
        } else if pull == problem.weights[i] {
            full += 1;
            assert!(margin <= 1.0 + 1e-7, "row {i} lies at {margin}");
        } else {
            free += 1;
            assert!(
                pull > 0.0 && pull < problem.weights[i] && (margin - 1.0).abs() < 1e-7,
                "row {i}: {pull} at {margin}"
            );
        }
    }
    assert!(none > 40 && full > 20 && free > 5, "{none} {full} {free}");
    assert!(answer.slopes.iter().sum::<f64>().abs() < 1e-13);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let problem = Problem::new("rbf(length_scale=1)", 300, 6, false);
    let with = |threads: usize| {
        let run = Run::new().with_threads(threads).expect("threads");
        let found = working_sets(&problem.at(0.1, true), &Hinge, &problem.y, &PenalizedParams::default(), &run);
        let answer = found.expect("no error").answer().expect("an answer");
        (answer.slopes, answer.intercept, answer.iters)
    };
    assert_eq!(with(1), with(4));
}

/// Copies with opposite signs, equal points, one class, a matrix of zeros: nothing of it is a reason not to end.
#[test]
fn odd_rows_end_in_an_answer() {
    for kernel in [vec![1.0; 16], vec![0.0; 16], (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect()] {
        for y in [[1.0, -1.0, 1.0, -1.0], [1.0; 4], [-1.0, 1.0, 1.0, 1.0]] {
            let (numbers, weights) = (y.to_vec(), vec![1.0, 1e-6, 1.0, 1e6]);
            let problem = Problem { kernel: kernel.clone(), y: y.to_vec(), numbers, weights };
            for (alpha, intercept) in [(1.0, true), (1.0, false), (1e-8, true)] {
                let params = PenalizedParams::default();
                let at = problem.at(alpha, intercept);
                let found = working_sets(&at, &Hinge, &problem.y, &params, &Run::new()).expect("no error").answer();
                let b = interior_point(&at, &Hinge, &problem.y, &params, &Run::new()).expect("ends");
                let Some(a) = found else { continue };
                let (p, q) = (a.primal(alpha), b.primal(alpha));
                assert!(p <= q + 1e-6 * (q + 1.0), "{kernel:?} {y:?} {alpha}: {p} above {q}");
            }
        }
    }
}

#[test]
fn other_losses_are_left_to_others() {
    let problem = Problem::new("rbf(length_scale=1)", 30, 7, false);
    let (at, params) = (problem.at(1.0, true), PenalizedParams::default());
    let tried = working_sets(&at, &SquaredHinge, &problem.y, &params, &Run::new()).expect("no error");
    assert!(matches!(tried, Attempt::OtherLoss), "{tried:?}");
    let tried = working_sets(&at, &Absolute, &problem.y, &params, &Run::new()).expect("no error");
    assert!(matches!(tried, Attempt::OtherLoss), "{tried:?}");
}

#[test]
fn a_classifier_with_a_hinge_keeps_few_coefficients() {
    let iris = mercer::data::load("iris").expect("shipped").with_target("species").expect("a column");
    let prepared = mercer::model::pipeline::Prepare::default().fit(&iris, None).expect("prepares");
    let model =
        KernelClassifier { kernel: KernelExpr::parse("rbf(length_scale=2)").expect("a kernel"), ..Default::default() };
    let model = model.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("fits").model;
    assert_eq!(model.certificate().algorithm, Algorithm::WorkingSets);
    let zeros = model.coefficients().iter().filter(|a| **a == 0.0).count();
    assert!(zeros > 200, "{zeros} of 450 coefficients are 0");
}

/// Whoever looks at the certificate learns why the other method stands there.
#[test]
fn what_is_left_to_the_interior_point_method_is_said() {
    let iris = mercer::data::load("iris").expect("shipped").with_target("species").expect("a column");
    let prepared = mercer::model::pipeline::Prepare::default().fit(&iris, None).expect("prepares");
    for (formula, gives_up) in [("1e35*rbf(length_scale=2)", true), ("rbf(length_scale=2)", false)] {
        let kernel = KernelExpr::parse(formula).expect("a kernel");
        let learner = KernelClassifier { kernel, ..Default::default() };
        let fitted = learner.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("fits");
        let told: Vec<String> = fitted.report.notes.iter().map(ToString::to_string).collect();
        let said = told.iter().filter(|n| n.contains("single precision") && n.contains("interior point")).count();
        assert_eq!(said, usize::from(gives_up), "{formula}: {told:?}");
        let taken = if gives_up { Algorithm::InteriorPoint } else { Algorithm::WorkingSets };
        assert_eq!(fitted.model.certificate().algorithm, taken, "{formula}");
    }
}
