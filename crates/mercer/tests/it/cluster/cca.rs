//! Canonical correlation of two inputs.

use mercer::Run;
use mercer::certificate::Measure;
use mercer::data::{Inputs, Precomputed, Rows};
use mercer::model::correlate::KernelCca;
use mercer::testkit::points::Chance;

use super::{kernel, naive_gram};

fn learner(formula: &str, components: usize, alpha: f64) -> KernelCca {
    KernelCca { kernel: kernel(formula), components, alpha, ..Default::default() }
}

/// Two inputs that share one number, each with noise of its own.
fn views(n: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut chance = Chance::new(seed);
    let row = |_| {
        let common = chance.normal();
        let x = vec![common + 0.3 * chance.normal(), chance.normal()];
        let z = vec![chance.normal(), 5.0 - 2.0 * common + 0.6 * chance.normal(), chance.normal()];
        (x, z)
    };
    (0..n).map(row).unzip()
}

fn inputs(rows: &[Vec<f64>]) -> Inputs {
    Rows::new(rows.concat(), rows.len(), rows[0].len()).expect("rows").into()
}

/// The eigenvalue of largest size of a small matrix, by powers.
fn largest_eigenvalue(a: &[Vec<f64>]) -> f64 {
    let n = a.len();
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * i as f64).collect();
    let mut value = 0.0;
    for _ in 0..20_000 {
        let w: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i][j] * v[j]).sum()).collect();
        value = w.iter().map(|x| x * x).sum::<f64>().sqrt();
        v = w.iter().map(|x| x / value).collect();
    }
    value
}

/// Solves A·X = B by Gauss with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| a[*i][c].abs().total_cmp(&a[*j][c].abs())).expect("rows");
        a.swap(c, pivot);
        b.swap(c, pivot);
        for i in (0..n).filter(|i| *i != c) {
            let f = a[i][c] / a[c][c];
            (0..n).for_each(|j| a[i][j] -= f * a[c][j]);
            (0..b[0].len()).for_each(|j| b[i][j] -= f * b[c][j]);
        }
    }
    (0..n).map(|i| b[i].iter().map(|v| v / a[i][i]).collect()).collect()
}

/// A·(A + alpha·I)⁻¹ for the centred kernel matrix A over n.
fn smoother(formula: &str, x: &[Vec<f64>], alpha: f64) -> Vec<Vec<f64>> {
    let (k, n) = (naive_gram(formula, x), x.len());
    let mean = |i: usize| k[i].iter().sum::<f64>() / n as f64;
    let grand = (0..n).map(mean).sum::<f64>() / n as f64;
    let a: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| (k[i][j] - mean(i) - mean(j) + grand) / n as f64).collect()).collect();
    let mut shifted = a.clone();
    (0..n).for_each(|i| shifted[i][i] += alpha);
    solve(shifted, a)
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = a.len();
    (0..n).map(|i| (0..n).map(|j| (0..n).map(|l| a[i][l] * b[l][j]).sum()).collect()).collect()
}

/// The covariance ρ of the first pair is the root of the largest eigenvalue of A·(A + alpha)⁻¹·B·(B + alpha)⁻¹, dense.
#[test]
fn a_dense_oracle_agrees() {
    let (x, z) = views(40, 1);
    for (f, g, alpha) in [("rbf(length_scale=1)", "rbf(length_scale=4)", 0.02), ("linear", "poly(degree=2)", 0.1)] {
        let cca = KernelCca { second_kernel: Some(g.into()), ..learner(f, 1, alpha) };
        let model = cca.fit(&inputs(&x), inputs(&z), None, &Run::new()).expect("fits").model;
        let rho = largest_eigenvalue(&product(&smoother(f, &x, alpha), &smoother(g, &z, alpha))).sqrt();
        let xi = model.predict(&inputs(&x), &Run::new()).expect("values");
        let zeta = model.second().expect("two").evaluate(&inputs(&z), &Run::new()).expect("values");
        let covariance = xi.iter().zip(&zeta).map(|(a, b)| a * b).sum::<f64>() / 40.0;
        assert!((covariance - rho).abs() <= 1e-8, "{f}: {covariance} {rho}");
        assert!(model.certificate().residual() <= 1e-6, "{f}: {}", model.certificate().residual());
        assert!(xi.iter().sum::<f64>().abs() <= 1e-8, "values are centred");
    }
}

/// With linear kernels and almost no penalty it is plain canonical correlation: the first squared correlation is the largest
/// eigenvalue of Sxx⁻¹·Sxz·Szz⁻¹·Szx.
#[test]
fn linear_kernels_are_plain_canonical_correlation() {
    let (x, z) = views(60, 2);
    let centre = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let d = rows[0].len();
        let mean: Vec<f64> = (0..d).map(|j| rows.iter().map(|r| r[j]).sum::<f64>() / rows.len() as f64).collect();
        rows.iter().map(|r| r.iter().zip(&mean).map(|(v, m)| v - m).collect()).collect()
    };
    let cov = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let at = |i: usize, j: usize| a.iter().zip(b).map(|(p, q)| p[i] * q[j]).sum::<f64>() / a.len() as f64;
        (0..a[0].len()).map(|i| (0..b[0].len()).map(|j| at(i, j)).collect()).collect()
    };
    let (cx, cz) = (centre(&x), centre(&z));
    let (first, second) = (solve(cov(&cx, &cx), cov(&cx, &cz)), solve(cov(&cz, &cz), cov(&cz, &cx)));
    let at = |i: usize, j: usize| (0..3).map(|l| first[i][l] * second[l][j]).sum::<f64>();
    let squared: Vec<Vec<f64>> = (0..2).map(|i| (0..2).map(|j| at(i, j)).collect()).collect();
    let plain = largest_eigenvalue(&squared).sqrt();
    let fitted = learner("linear", 2, 1e-10).fit(&inputs(&x), inputs(&z), None, &Run::new()).expect("fits");
    assert!((fitted.report.correlations[0] - plain).abs() <= 1e-6, "{:?} {plain}", fitted.report.correlations);
    let claimed = fitted.model.certificate().get(Measure::Correlation).expect("measured");
    assert_eq!(claimed, fitted.report.correlations[0]);
}

/// kernlab's `kcca` does not centre, has one kernel for both inputs and no way to new points; here a shift of an input changes nothing.
#[test]
fn inputs_are_centred_and_have_kernels_of_their_own() {
    let (x, z) = views(50, 3);
    let shifted: Vec<Vec<f64>> = z.iter().map(|r| r.iter().map(|v| v + 100.0).collect()).collect();
    let cca = KernelCca { second_kernel: Some("linear".into()), ..learner("rbf(length_scale=1)", 2, 0.01) };
    let a = cca.fit(&inputs(&x), inputs(&z), None, &Run::new()).expect("fits");
    let b = cca.fit(&inputs(&x), inputs(&shifted), None, &Run::new()).expect("fits");
    for (a, b) in a.report.correlations.iter().zip(&b.report.correlations) {
        assert!((a - b).abs() <= 1e-6, "{a} {b}");
    }
    assert_eq!(a.model.second().expect("two").kernel().to_string(), "linear");
    let (new_x, new_z) = views(200, 4);
    let f = a.model.predict(&inputs(&new_x), &Run::new()).expect("values");
    let g = a.model.second().expect("two").evaluate(&inputs(&new_z), &Run::new()).expect("values");
    let column = |v: &[f64]| v.iter().step_by(2).copied().collect::<Vec<f64>>();
    let (f, g) = (column(&f), column(&g));
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(p, q)| (p - mean(a)) * (q - mean(b))).sum::<f64>();
    let correlation = dot(&f, &g) / (dot(&f, &f) * dot(&g, &g)).sqrt();
    assert!(correlation > 0.7, "new rows: {correlation}");
}

#[test]
fn bad_inputs_are_refused() {
    let (x, z) = views(10, 5);
    let message =
        |cca: KernelCca, z: Inputs| cca.fit(&inputs(&x), z, None, &Run::new()).expect_err("refused").to_string();
    assert!(message(learner("linear", 0, 0.1), inputs(&z)).contains("`components` of the model `kernel_cca`"));
    assert!(message(learner("linear", 1, 0.0), inputs(&z)).contains("`alpha`"));
    let constant = vec![vec![3.0]; 10];
    assert!(message(learner("linear", 1, 0.1), inputs(&constant)).contains("nothing in common"));
    let matrix: Inputs = Precomputed::new(vec![1.0; 100], 10, 10).expect("square").into();
    assert!(message(learner("linear", 1, 0.1), matrix).contains("a second input of kernel values"));
    let other = KernelCca { second_kernel: Some("rbff".into()), ..learner("linear", 1, 0.1) };
    assert!(message(other, inputs(&z)).contains("rbff"));
}
