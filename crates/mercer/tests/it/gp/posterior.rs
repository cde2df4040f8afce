//! Mean, variance, covariance, samples and leave-one-out.

use mercer::Run;
use mercer::data::{Inputs, Targets};
use mercer::model::Model;
use mercer::model::gp::Samples;
use mercer::model::regress::RidgeSolver;
use mercer::testkit::tol;

use super::{close, distinct, eliminate, fit, kernel, one_column, regressor, repeated, run, targets, weights};
use crate::weigh;

const FORMULA: &str = "1.7*rbf(length_scale=1.5) + 0.3*linear";

/// K + alpha/w.
fn system(x: &Inputs, alpha: f64, w: Option<&[f64]>) -> Vec<f64> {
    let n = x.len();
    let mut a = kernel(FORMULA, x, x);
    (0..n).for_each(|i| a[i * n + i] += alpha / w.map_or(1.0, |w| w[i]));
    a
}

/// k(x, x′) − k(x)ᵀA⁻¹k(x′) by elimination.
fn naive_covariance(x: &Inputs, at: &Inputs, alpha: f64, w: Option<&[f64]>) -> Vec<f64> {
    let (n, m) = (x.len(), at.len());
    let (cross, own) = (kernel(FORMULA, x, at), kernel(FORMULA, at, at));
    let solved = eliminate(&system(x, alpha, w), n, &cross, m);
    let taken = |p: usize, q: usize| (0..n).map(|i| cross[i * m + p] * solved[i * m + q]).sum::<f64>();
    (0..m * m).map(|k| own[k] - taken(k / m, k % m)).collect()
}

#[test]
fn the_mean_is_the_ridge_function() {
    let (x, at) = (distinct(40, 3, 1), distinct(9, 3, 2));
    let (y, w) = (targets(&x, 2, 3), weights(40, 4));
    for w in [None, Some(&w[..])] {
        for alpha in [0.01, 1.0, 30.0] {
            let gp = fit(&regressor(FORMULA, alpha), &x, &y, w).model;
            let ridge =
                crate::ridge::fit(&crate::ridge::ridge(FORMULA, alpha, false, RidgeSolver::Eigen), &x, &y, w).model;
            let (ours, theirs) =
                (gp.predict(&at, &run()).expect("a mean"), ridge.predict(&at, &run()).expect("values"));
            close(&ours, &theirs, tol::GOLDEN, "mean and ridge");
            close(gp.expansion().coefficients(), ridge.coefficients(), tol::GOLDEN, "coefficients");
            let certificate = gp.certificate();
            assert!(certificate.residual() <= tol::round(40), "{certificate:?}");
            let (gap, primal) = (certificate.gap().expect("both"), certificate.primal().expect("a number"));
            assert!(gap.abs() <= tol::GOLDEN * primal, "{gap} of {primal}");
        }
    }
}

#[test]
fn the_covariance_is_what_the_points_leave_of_the_kernel() {
    let (x, at, w) = (distinct(30, 2, 5), distinct(12, 2, 6), weights(30, 7));
    let y = targets(&x, 2, 8);
    for w in [None, Some(&w[..])] {
        let model = fit(&regressor(FORMULA, 0.2), &x, &y, w).model;
        let expected = naive_covariance(&x, &at, 0.2, w);
        let covariance = model.covariance(&at, false, &run()).expect("a covariance");
        close(covariance.values(), &expected, tol::round(30) * 100.0, "covariance");
        let noisy = model.covariance(&at, true, &run()).expect("a covariance");
        let variance = model.variance(&at, false, &run()).expect("variances");
        let observed = model.variance(&at, true, &run()).expect("variances");
        for i in 0..12 {
            assert!((noisy.row(i)[i] - covariance.row(i)[i] - 0.2).abs() < 1e-14);
            for o in 0..2 {
                assert!((variance[i * 2 + o] - expected[i * 13]).abs() < tol::round(30) * 100.0, "point {i}");
                assert!((observed[i * 2 + o] - variance[i * 2 + o] - 0.2).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn variances_lie_between_zero_and_their_bounds() {
    let (x, at) = (distinct(60, 2, 9), distinct(700, 2, 10));
    let y = targets(&x, 1, 11);
    for alpha in [1e-10, 1e-3, 0.5] {
        let model = fit(&regressor("2*rbf(length_scale=1)", alpha), &x, &y, None).model;
        let everywhere = model.variance(&at, false, &run()).expect("variances");
        assert!(everywhere.iter().all(|v| (0.0..=2.0).contains(v)), "more points than a batch");
        // Seen once with noise alpha, the variance is at most that of this observation alone.
        let bound = 2.0 * alpha / (2.0 + alpha);
        let there = model.variance(&x, false, &run()).expect("variances");
        assert!(there.iter().all(|v| (0.0..=bound + tol::round(60)).contains(v)), "alpha {alpha}: {there:?}");
    }
}

#[test]
fn leaving_out_a_row_is_fitting_without_it() {
    let (x, w) = (distinct(14, 2, 12), weights(14, 13));
    let y = targets(&x, 2, 14);
    for w in [None, Some(&w[..])] {
        let gp = regressor(FORMULA, 0.3);
        let loo = fit(&gp, &x, &y, w).model.process_leave_one_out(&run()).expect("from the factor");
        let mut total = 0.0;
        for i in 0..14 {
            let others: Vec<usize> = (0..14).filter(|j| *j != i).collect();
            let rest =
                Targets::new(others.iter().flat_map(|j| y.row(*j).to_vec()).collect::<Vec<_>>(), 2).expect("finite");
            let w_rest: Option<Vec<f64>> = w.map(|w| others.iter().map(|j| w[*j]).collect());
            let model = fit(&gp, &x.take(&others), &rest, w_rest.as_deref()).model;
            let at = x.take(&[i]);
            let (mean, variance) =
                (model.predict(&at, &run()).expect("a mean"), model.variance(&at, true, &run()).expect("one"));
            for o in 0..2 {
                let k = i * 2 + o;
                let error = y.row(i)[o] - mean[o];
                let log = -0.5 * (error * error / variance[o] + (std::f64::consts::TAU * variance[o]).ln());
                assert!((loo.errors.predictions[k] - mean[o]).abs() < tol::GOLDEN, "mean {k}");
                assert!((loo.variances[k] - variance[o]).abs() < tol::GOLDEN, "variance {k}");
                assert!((loo.log_densities[k] - log).abs() < tol::GOLDEN, "density {k}");
                total += w.map_or(1.0, |w| w[i]) * log;
            }
        }
        assert!((loo.log_density - total).abs() < tol::GOLDEN * total.abs().max(1.0));
    }
}

#[test]
fn a_weight_is_repetition() {
    let (x, at) = (distinct(10, 2, 15), distinct(5, 2, 16));
    let y = targets(&x, 2, 17);
    let times = [1, 2, 3, 1, 1, 4, 1, 2, 0, 1];
    let w: Vec<f64> = times.iter().map(|t| *t as f64).collect();
    let (many_x, many_y) = repeated(&x, &y, &times);
    for normalize_target in [false, true] {
        let gp = mercer::model::gp::GaussianProcessRegressor { normalize_target, ..regressor(FORMULA, 0.3) };
        let (one, many) = (fit(&gp, &x, &y, Some(&w)), fit(&gp, &many_x, &many_y, None));
        assert_eq!((one.report.rows, one.report.rows_of_weight_zero, many.report.rows), (9, 1, 16));
        let mean = |m: &Model| m.predict(&at, &run()).expect("a mean");
        let variance = |m: &Model| m.variance(&at, true, &run()).expect("variances");
        close(&mean(&one.model), &mean(&many.model), tol::GOLDEN, "means");
        close(&variance(&one.model), &variance(&many.model), tol::GOLDEN, "variances");
        let (a, b) = (one.model.log_evidence().expect("an evidence"), many.model.log_evidence().expect("an evidence"));
        assert!((a - b).abs() < tol::GOLDEN * b.abs(), "evidences {a} and {b}");
    }
}

#[test]
fn a_normalised_target_moves_and_scales_with_its_target() {
    let (x, at) = (distinct(25, 2, 18), distinct(6, 2, 19));
    let y = targets(&x, 1, 20);
    let far = Targets::new(y.values().iter().map(|v| 5e6 + 1000.0 * v).collect::<Vec<_>>(), 1).expect("finite");
    let gp = mercer::model::gp::GaussianProcessRegressor { normalize_target: true, ..regressor(FORMULA, 0.3) };
    let (near, far) = (fit(&gp, &x, &y, None), fit(&gp, &x, &far, None));
    let expected: Vec<f64> =
        near.model.predict(&at, &run()).expect("a mean").iter().map(|v| 5e6 + 1000.0 * v).collect();
    close(&far.model.predict(&at, &run()).expect("a mean"), &expected, tol::GOLDEN, "means");
    let expected: Vec<f64> = near.model.variance(&at, true, &run()).expect("one").iter().map(|v| 1e6 * v).collect();
    close(
        &far.model.variance(&at, true, &run()).expect("one"),
        &expected,
        1e-7,
        "variances, of targets with ten digits",
    );
    assert!(
        (near.model.log_evidence().expect("an evidence") - far.model.log_evidence().expect("an evidence")).abs() < 1e-6
    );
}

/// |mean of z| and |variance of z − 1| in units of their own deviations are at most 4.
fn standard(z: &[f64], what: &str) {
    let n = z.len() as f64;
    let mean = z.iter().sum::<f64>() / n;
    let variance = z.iter().map(|v| v * v).sum::<f64>() / n;
    assert!(mean.abs() * n.sqrt() <= 4.0, "{what}: mean {mean}");
    assert!((variance - 1.0).abs() * (n / 2.0).sqrt() <= 4.0, "{what}: variance {variance}");
}

fn values_at(samples: &Samples, point: usize, output: usize) -> Vec<f64> {
    (0..samples.count).map(|s| samples.sample(s)[point * samples.outputs + output]).collect()
}

#[test]
fn samples_have_the_moments_of_the_posterior() {
    let (x, at) = (distinct(20, 2, 21), distinct(4, 2, 22));
    let y = targets(&x, 2, 23);
    let model = fit(&regressor(FORMULA, 0.4), &x, &y, None).model;
    let samples = model.sample(&at, 4000, 7, &run()).expect("samples");
    assert_eq!((samples.jitter, samples.count, samples.points, samples.outputs), (0.0, 4000, 4, 2));
    let mean = model.predict(&at, &run()).expect("a mean");
    let covariance = model.covariance(&at, false, &run()).expect("a covariance");
    let centred = |p: usize, o: usize| -> Vec<f64> {
        values_at(&samples, p, o).iter().map(|v| (v - mean[p * 2 + o]) / covariance.row(p)[p].sqrt()).collect()
    };
    for p in 0..4 {
        standard(&centred(p, 0), "posterior");
        standard(&centred(p, 1), "posterior, second output");
        for q in 0..p {
            // (zₚ + z_q)/√(2(1 + ρ)) is standard normal, too.
            let rho = covariance.row(p)[q] / (covariance.row(p)[p] * covariance.row(q)[q]).sqrt();
            let sums: Vec<f64> =
                centred(p, 0).iter().zip(centred(q, 0)).map(|(a, b)| (a + b) / (2.0 * (1.0 + rho)).sqrt()).collect();
            standard(&sums, "pairs");
        }
    }
    let prior = regressor(FORMULA, 0.4).sample_prior(&at, 4000, 8, &run()).expect("samples");
    let own = kernel(FORMULA, &at, &at);
    for p in 0..4 {
        standard(&values_at(&prior, p, 0).iter().map(|v| v / own[p * 5].sqrt()).collect::<Vec<_>>(), "prior");
    }
}

#[test]
fn samples_are_the_same_for_a_seed() {
    let (x, at) = (distinct(20, 2, 24), distinct(30, 2, 25));
    let model = fit(&regressor(FORMULA, 0.4), &x, &targets(&x, 2, 26), None).model;
    let one = Run::new().with_threads(1).expect("one thread");
    let three = Run::new().with_threads(3).expect("three threads");
    let few = model.sample(&at, 3, 9, &one).expect("samples");
    assert_eq!(few, model.sample(&at, 3, 9, &three).expect("samples"));
    let more = model.sample(&at, 5, 9, &one).expect("samples");
    close(&more.values[..few.values.len()], &few.values, tol::round(30), "more samples begin with the same ones");
    assert_ne!(few.values, model.sample(&at, 3, 10, &one).expect("samples").values);
    assert!(model.sample(&at, 0, 1, &one).expect("none").values.is_empty());
}

#[test]
fn samples_at_the_points_of_exact_observations_are_these() {
    let x = one_column(&[0.0, 0.4, 1.0, 1.1]);
    let y = Targets::new(vec![1.0, 2.0, -1.0, 0.5], 1).expect("finite");
    let model = fit(&regressor("rbf(length_scale=0.5)", 0.0), &x, &y, None).model;
    let samples = model.sample(&x, 2, 3, &run()).expect("with jitter");
    assert!(samples.jitter > 0.0, "nothing is left to be factored");
    for s in 0..2 {
        close(samples.sample(s), y.values(), 1e-5, "the data");
    }
}

#[test]
fn parts_make_the_same_model_and_threads_do_not_matter() {
    let (x, at, w) = (distinct(300, 3, 27), distinct(40, 3, 28), weights(300, 29));
    let y = targets(&x, 2, 30);
    let gp = regressor(FORMULA, 0.4);
    let [one, three] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).expect("threads");
        let model = gp.fit(&x, &y, Some(&weigh(&w)), &run).expect("fits").model;
        let again = Model::from_parts(model.parts().clone()).expect("the same parts");
        let variance = model.variance(&at, true, &run).expect("variances");
        assert_eq!(variance, again.variance(&at, true, &run).expect("variances"));
        (model.predict(&at, &run).expect("a mean"), variance, model.log_evidence())
    });
    assert_eq!(one, three);
}
