//! Weights that are orders of magnitude apart, against a closed form and another method.

use mercer::gram::dense;
use mercer::loss::{Against, Convex, LossSpec, NamedLoss, ScalarRows, SquaredHinge};
use mercer::solver::penalized::{Penalized, PenalizedParams, interior_point, newton};
use mercer::testkit::points::{self, Chance};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

#[test]
fn rows_that_do_not_see_each_other_have_a_closed_form() {
    // K = I: min w(1 − y·a)² + (alpha/2)a² is alpha·w/(2w + alpha), at a = 2wy/(2w + alpha).
    let n = 6;
    let kernel: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
    let y: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    for light in [1.0, 1e-3, 1e-7, 1e-10] {
        let weights: Vec<f64> = y.iter().map(|y| if *y > 0.0 { 1.0 } else { light }).collect();
        for alpha in [1e-4, 1e-2, 1.0, 100.0] {
            let problem = Penalized { kernel: &kernel, weights: &weights, alpha, intercept: false };
            let answer =
                interior_point(&problem, &SquaredHinge, &y, &PenalizedParams::default(), &Run::new()).expect("solves");
            let expected: f64 = weights.iter().map(|w| alpha * w / (2.0 * w + alpha)).sum();
            let off = answer.primal(alpha) / expected - 1.0;
            assert!(off.abs() <= tol::GOLDEN, "{light:e}, {alpha}: {off:e} after {}", answer.iters);
            let gap = answer.gap.expect("convex") / expected;
            assert!(gap <= tol::GOLDEN && gap >= off - tol::round(n), "{light:e}, {alpha}: gap {gap:e}");
        }
    }
}

#[test]
fn every_loss_reaches_its_gap_with_weights_far_apart() {
    let n = 40;
    let x = points::vectors(n, 2, 41);
    let mut chance = Chance::new(42);
    let signs: Vec<f64> = (0..n).map(|i| (x.row(i)[0] + 0.5 * chance.normal()).signum()).collect();
    let numbers: Vec<f64> = (0..n).map(|i| signs[i] + x.row(i)[1]).collect();
    let run = Run::new();
    let bound = KernelExpr::parse("rbf(length_scale=1)").and_then(|k| k.bind(&x.into(), &run)).expect("binds");
    let kernel = dense::<f64>(&bound, &run).expect("small");
    for spec in LossSpec::ALL {
        let loss = NamedLoss::parse(spec.name, spec.parameter.map(|_| 0.3)).and_then(NamedLoss::build).expect("a loss");
        let y = if spec.against == Against::Signs { &signs } else { &numbers };
        let pieces = |convex: &dyn Convex| convex.pieces(y[0]).len();
        // The others are for Newton's method alone.
        if loss.convex().map_or(0, pieces) == 0 {
            continue;
        }
        for (light, alpha, intercept) in
            [(1e-7, 1.0, true), (1e-7, 1e-4, false), (1e-10, 0.01, true), (1e-3, 100.0, true)]
        {
            let weights: Vec<f64> = signs.iter().map(|s| if *s > 0.0 { 1.0 } else { light }).collect();
            let problem = Penalized { kernel: kernel.values(), weights: &weights, alpha, intercept };
            let answer = interior_point(&problem, &*loss, y, &PenalizedParams::default(), &run).expect("solves");
            let (primal, gap) = (answer.primal(alpha), answer.gap.expect("convex"));
            let what =
                format!("{}, weights {light:e}, alpha {alpha}, {:?} after {}", spec.name, answer.stop, answer.iters);
            // Where rows are interpolated, a kink feels the rounding of z = −K·v/alpha itself.
            let terms = |i: usize| kernel.row(i).iter().zip(&answer.slopes).map(|(k, v)| (k * v).abs()).sum::<f64>();
            let rounding: f64 = (0..n).map(|i| weights[i] * tol::round(1) * terms(i) / alpha).sum();
            // What a millionth of a unit of z would cost in every row counts as no objective at all.
            let nothing = 1e-6 * weights.iter().sum::<f64>();
            let enough = tol::GOLDEN * primal.max(nothing) + rounding;
            assert!(gap <= enough, "{what}: gap {gap:e} of {primal:e}, {rounding:e}");
            // Newton's method wants a slope everywhere.
            if spec.largest_curvature.is_some() {
                let rows = ScalarRows { loss: &*loss, y };
                let other = newton(&problem, &rows, None, &PenalizedParams::default(), &run).expect("solves");
                // Nothing that another method finds is below the dual bound.
                let least = primal - gap - tol::round(n * n) * primal;
                assert!(other.primal(alpha) >= least, "{what}: Newton's {:e}, {:?}", other.primal(alpha), other.stop);
            }
        }
    }
}
