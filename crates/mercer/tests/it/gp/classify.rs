//! Laplace's approximation against its definition.

use mercer::Run;
use mercer::certificate::{Algorithm, Stop};
use mercer::data::{Inputs, Rows, Targets, load};
use mercer::linalg::symmetric_eigenvalues;
use mercer::model::Model;
use mercer::model::Tuning;
use mercer::model::gp::GaussianProcessClassifier;
use mercer::model::pipeline::Task;
use mercer::testkit::tol;

use super::{classifier, classify, close, distinct, eliminate, kernel, labels, repeated, run, weights};

const FORMULA: &str = "3*rbf(length_scale=[1.2, 0.8])";

fn logistic(f: f64) -> f64 {
    1.0 / (1.0 + (-f).exp())
}

#[test]
fn mode_variance_and_evidence_are_those_of_the_definition() {
    let (x, at, w) = (distinct(24, 2, 1), distinct(7, 2, 2), weights(24, 3));
    let (y, n) = (labels(&x), 24);
    for w in [None, Some(&w[..])] {
        let weight = |i: usize| w.map_or(1.0, |w| w[i]);
        let fitted = classify(&classifier(FORMULA), &x, &y, w);
        let a = fitted.model.expansion().coefficients();
        let k = kernel(FORMULA, &x, &x);
        let f: Vec<f64> = (0..n).map(|i| (0..n).map(|j| k[i * n + j] * a[j]).sum()).collect();
        let slope: Vec<f64> =
            (0..n).map(|i| weight(i) * (f64::from(u8::from(y.row(i)[0] > 0.0)) - logistic(f[i]))).collect();
        close(a, &slope, tol::GOLDEN, "a is the slope of the likelihood at the mode");
        // log q = −½aᵀf + Σ w·log σ(yf) − ½ Σ log(1 + eigenvalues of √W·K·√W).
        let curvature: Vec<f64> = f.iter().enumerate().map(|(i, f)| weight(i) * logistic(*f) * logistic(-f)).collect();
        let scaled: Vec<f64> = (0..n * n).map(|e| (curvature[e / n] * curvature[e % n]).sqrt() * k[e]).collect();
        let log_det: f64 = symmetric_eigenvalues(&scaled, n).expect("symmetric").iter().map(|v| v.ln_1p()).sum();
        let likelihood: f64 = (0..n).map(|i| weight(i) * logistic(y.row(i)[0] * f[i]).ln()).sum();
        let energy: f64 = a.iter().zip(&f).map(|(a, f)| a * f).sum();
        let expected = likelihood - 0.5 * energy - 0.5 * log_det;
        assert!((fitted.model.log_evidence().expect("an evidence") - expected).abs() < tol::GOLDEN * expected.abs());
        // k(x, x) − kᵀ(K + W⁻¹)⁻¹k.
        let mut system = k.clone();
        (0..n).for_each(|i| system[i * n + i] += 1.0 / curvature[i]);
        let cross = kernel(FORMULA, &x, &at);
        let solved = eliminate(&system, n, &cross, 7);
        let left = |p: usize| 3.0 - (0..n).map(|i| cross[i * 7 + p] * solved[i * 7 + p]).sum::<f64>();
        let expected: Vec<f64> = (0..7).map(left).collect();
        close(&fitted.model.variance(&at, false, &run()).expect("variances"), &expected, tol::GOLDEN, "variances");
        let certificate = &fitted.model.certificate();
        assert_eq!((certificate.algorithm, certificate.stop), (Algorithm::Laplace, Stop::Tolerance));
        assert!(certificate.residual() < tol::GOLDEN, "{certificate:?}");
        let (gap, primal) = (certificate.gap().expect("both"), certificate.primal().expect("a number"));
        assert!(
            gap.abs() < tol::GOLDEN * primal && (primal - (0.5 * energy - likelihood)).abs() < tol::GOLDEN * primal
        );
    }
}

#[test]
fn probabilities_are_averages_over_the_latent_function() {
    let (x, at) = (distinct(30, 2, 4), distinct(9, 2, 5));
    let model = classify(&classifier("20*rbf(length_scale=0.7)"), &x, &labels(&x), None).model;
    let (mean, variance) =
        (model.predict(&at, &run()).expect("means"), model.variance(&at, false, &run()).expect("variances"));
    let p = model.probabilities(&at, &run()).expect("probabilities");
    for i in 0..9 {
        let s = variance[i].sqrt();
        // The midpoint rule on a fine grid.
        let n = 40_000;
        let average: f64 = (0..n)
            .map(|k| -10.0 + 20.0 * (f64::from(k) + 0.5) / f64::from(n))
            .map(|t| (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt() * logistic(mean[i] + s * t))
            .sum::<f64>()
            * 20.0
            / f64::from(n);
        assert!((p[2 * i + 1] - average).abs() < 1e-10, "{} and {average}", p[2 * i + 1]);
        assert!((p[2 * i] + p[2 * i + 1] - 1.0).abs() < 1e-15);
        assert_eq!(mean[i] > 0.0, p[2 * i + 1] > 0.5);
    }
}

fn iris() -> (Inputs, Targets) {
    let data = load("iris").expect("shipped");
    let (name, column) = data.target.clone().expect("a target");
    let (_, y) = Task::decide(&[(name, column)]).expect("classes");
    (data.inputs, y.numbers().expect("codes"))
}

#[test]
fn three_classes_share_a_tuned_kernel() {
    let (x, y) = iris();
    let gp = GaussianProcessClassifier {
        tuning: Some(Tuning { max_iterations: 20, ..Tuning::default() }),
        ..Default::default()
    };
    let fitted = classify(&gp, &x, &y, None);
    let p = fitted.model.probabilities(&x, &run()).expect("probabilities");
    assert!(p.chunks(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    let best = |i: usize| (0..3).fold(0, |b, c| if p[3 * i + c] > p[3 * i + b] { c } else { b });
    let right = (0..150).filter(|i| y.row(*i)[best(*i)] == 1.0).count();
    assert!(right >= 144, "{right} of 150 right");
    let given = classify(&GaussianProcessClassifier { tuning: None, ..gp }, &x, &y, None);
    assert!(
        fitted.model.log_evidence().expect("an evidence") > given.model.log_evidence().expect("an evidence") + 1.0,
        "tuning raises the evidence"
    );
    // One output at a time is one class against the rest.
    let first = Targets::new((0..150).map(|i| y.row(i)[0]).collect::<Vec<_>>(), 1).expect("finite");
    let single =
        GaussianProcessClassifier { kernel: fitted.model.kernel().clone(), tuning: None, ..Default::default() };
    let alone = classify(&single, &x, &first, None).model.predict(&x, &run()).expect("means");
    let together: Vec<f64> = fitted.model.predict(&x, &run()).expect("means").chunks(3).map(|f| f[0]).collect();
    close(&together, &alone, tol::GOLDEN, "the first class");
}

#[test]
fn weights_parts_and_threads() {
    let (x, at) = (distinct(12, 2, 6), distinct(5, 2, 7));
    let y = labels(&x);
    let times = [1, 2, 1, 3, 1, 1, 2, 1, 0, 1, 1, 2];
    let w: Vec<f64> = times.iter().map(|t| *t as f64).collect();
    let (many_x, many_y) = repeated(&x, &y, &times);
    let gp = classifier(FORMULA);
    let (one, many) = (classify(&gp, &x, &y, Some(&w)), classify(&gp, &many_x, &many_y, None));
    assert!(
        (one.model.log_evidence().expect("an evidence") - many.model.log_evidence().expect("an evidence")).abs()
            < tol::GOLDEN * many.model.log_evidence().expect("an evidence").abs()
    );
    let p = |m: &Model, run: &Run| m.probabilities(&at, run).expect("probabilities");
    close(&p(&one.model, &run()), &p(&many.model, &run()), tol::GOLDEN, "a weight is repetition");
    let again = Model::from_parts(one.model.parts().clone()).expect("the same parts");
    close(&p(&again, &run()), &p(&one.model, &run()), tol::GOLDEN, "from parts");
    let [a, b] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).expect("threads");
        p(&gp.fit(&x, &y, None, &run).expect("fits").model, &run)
    });
    assert_eq!(a, b);
}

#[test]
fn hard_problems_converge() {
    // Separable data and a kernel of huge variance; far starts would overshoot without step control.
    let x: Inputs =
        Rows::new((0..40).map(|i| f64::from(i) - 19.5).collect::<Vec<_>>(), 40, 1).expect("a column").into();
    let y = Targets::new((0..40).map(|i| if i < 20 { -1.0 } else { 1.0 }).collect::<Vec<_>>(), 1).expect("finite");
    for formula in ["1e6*rbf(length_scale=3)", "1e-12*rbf(length_scale=3)", "1e4*linear", "rbf(length_scale=1e150)"] {
        let fitted = classify(&classifier(formula), &x, &y, None);
        let p = fitted.model.probabilities(&x, &run()).expect("probabilities");
        assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{formula}");
        assert!(fitted.model.log_evidence().expect("an evidence").is_finite(), "{formula}");
        assert!(fitted.model.certificate().residual() < 1e-6, "{formula}: {:?}", fitted.model.certificate());
    }
}
