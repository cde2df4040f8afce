//! Fisher's discriminant.

use mercer::Run;
use mercer::data::{Inputs, Labels, Precomputed, Rows};
use mercer::model::classify::{ClassWeight, KernelFisherDiscriminant};
use mercer::testkit::points::{Chance, vectors};
use mercer::testkit::tol;

use super::{kernel, naive_gram};

fn learner(formula: &str, alpha: f64) -> KernelFisherDiscriminant {
    KernelFisherDiscriminant { kernel: kernel(formula), alpha, ..Default::default() }
}

/// A solution of a small system, by Gauss with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| a[*i][c].abs().total_cmp(&a[*j][c].abs())).expect("rows");
        a.swap(c, pivot);
        b.swap(c, pivot);
        for i in c + 1..n {
            let f = a[i][c] / a[c][c];
            (c..n).for_each(|j| a[i][j] -= f * a[c][j]);
            b[i] -= f * b[c];
        }
    }
    for c in (0..n).rev() {
        let known: f64 = (c + 1..n).map(|j| a[c][j] * b[j]).sum();
        b[c] = (b[c] - known) / a[c][c];
    }
    b
}

/// Values of linear discriminant analysis on plain vectors, with alpha added to the variances.
fn naive_lda(x: &[Vec<f64>], y: &[usize], w: &[f64], classes: usize, alpha: f64) -> Vec<Vec<f64>> {
    let d = x[0].len();
    let total: f64 = w.iter().sum();
    let rows = |c: usize| (0..x.len()).filter(move |i| y[*i] == c);
    let weight = |c: usize| rows(c).map(|i| w[i]).sum::<f64>();
    let mean =
        |c: usize| -> Vec<f64> { (0..d).map(|j| rows(c).map(|i| w[i] * x[i][j]).sum::<f64>() / weight(c)).collect() };
    let means: Vec<Vec<f64>> = (0..classes).map(mean).collect();
    let mut within = vec![vec![0.0; d]; d];
    for i in 0..x.len() {
        for a in 0..d {
            for b in 0..d {
                within[a][b] += w[i] / total * (x[i][a] - means[y[i]][a]) * (x[i][b] - means[y[i]][b]);
            }
        }
    }
    (0..d).for_each(|j| within[j][j] += alpha);
    let direction: Vec<Vec<f64>> = means.iter().map(|m| solve(within.clone(), m.clone())).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let value =
        |p: &[f64], c: usize| dot(p, &direction[c]) - 0.5 * dot(&means[c], &direction[c]) + (weight(c) / total).ln();
    x.iter().map(|p| (0..classes).map(|c| value(p, c)).collect()).collect()
}

fn sample(seed: u64, n: usize, classes: usize) -> (Rows, Vec<usize>) {
    let mut chance = Chance::new(seed);
    let x = vectors(n, 3, seed);
    let y = (0..n).map(|i| if i < classes { i } else { chance.below(classes) }).collect();
    (x, y)
}

#[test]
fn the_linear_kernel_is_linear_discriminant_analysis() {
    for (seed, classes) in [(1, 2), (2, 3), (3, 4), (4, 2)] {
        let (x, y) = sample(seed, 40, classes);
        let w: Vec<f64> = (0..40).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
        let rows: Vec<Vec<f64>> = (0..40).map(|i| x.row(i).to_vec()).collect();
        let naive = naive_lda(&rows, &y, &w, classes, 0.01);
        let labels = Labels::new(y, classes).expect("codes");
        let inputs: Inputs = x.into();
        let fitted = learner("linear", 0.01).fit(&inputs, &labels, Some(&crate::weigh(&w)), &Run::new()).expect("fits");
        let f = fitted.model.predict(&inputs, &Run::new()).expect("values");
        let c = fitted.model.outputs();
        for i in 0..40 {
            for o in 1..classes {
                // Values of classes are known up to what is common to all.
                let wanted = naive[i][o] - naive[i][0];
                let got = if classes == 2 { f[i] } else { f[i * c + o] - f[i * c] };
                assert!((got - wanted).abs() <= 1e-9 * (1.0 + wanted.abs()), "{seed}: {got} {wanted}");
            }
        }
        assert!(fitted.model.certificate().residual() <= tol::round(40), "{}", fitted.model.certificate().residual());
    }
}

/// Coordinates have variance 1 within classes (less what alpha takes), none in common, and mean 0.
#[test]
fn discriminants_are_what_they_are_said_to_be() {
    let (x, y) = sample(5, 60, 3);
    let labels = Labels::new(y.clone(), 3).expect("codes");
    let inputs: Inputs = x.into();
    let model = learner("linear", 1e-6).fit(&inputs, &labels, None, &Run::new()).expect("fits").model;
    let f = model.functions(&inputs, &Run::new()).expect("values");
    let z = model.coordinates(&f).expect("coordinates");
    let d = z.len() / 60;
    assert_eq!(d, 2);
    let mean = |c: usize, l: usize| {
        let rows: Vec<usize> = (0..60).filter(|i| y[*i] == c).collect();
        rows.iter().map(|i| z[i * d + l]).sum::<f64>() / rows.len() as f64
    };
    for l in 0..d {
        assert!((0..60).map(|i| z[i * d + l]).sum::<f64>().abs() <= 1e-9);
        for m in 0..d {
            let within = |i: usize| (z[i * d + l] - mean(y[i], l)) * (z[i * d + m] - mean(y[i], m));
            let covariance: f64 = (0..60).map(within).sum::<f64>() / 60.0;
            assert!((covariance - f64::from(u8::from(l == m))).abs() <= tol::SOLVED, "{l} {m}: {covariance}");
        }
    }
}

#[test]
fn a_matrix_of_kernel_values_gives_the_same() {
    let (x, y) = sample(6, 30, 2);
    let gram = naive_gram("rbf(length_scale=1)", &(0..30).map(|i| x.row(i).to_vec()).collect::<Vec<_>>());
    let matrix: Inputs = Precomputed::new(gram.concat(), 30, 30).expect("square").into();
    let labels = Labels::new(y, 2).expect("codes");
    let a =
        learner("rbf(length_scale=1)", 1e-3).fit(&x.clone().into(), &labels, None, &Run::new()).expect("fits").model;
    let b = learner("precomputed", 1e-3).fit(&matrix, &labels, None, &Run::new()).expect("fits").model;
    let (f, g) = (a.predict(&x.into(), &Run::new()).expect("values"), b.predict(&matrix, &Run::new()).expect("values"));
    assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() <= 1e-8 * (1.0 + f.abs())));
}

#[test]
fn class_weights_and_bad_alpha() {
    let (x, y) = sample(7, 30, 3);
    let labels = Labels::new(y, 3).expect("codes");
    let inputs: Inputs = x.into();
    let weighted = KernelFisherDiscriminant { class_weight: ClassWeight::Balanced, ..learner("linear", 0.1) };
    let own = weighted.class_weight.rows("a test", &labels, None).expect("weights");
    let a = weighted.fit(&inputs, &labels, None, &Run::new()).expect("fits").model;
    let b = learner("linear", 0.1).fit(&inputs, &labels, own.as_ref(), &Run::new()).expect("fits").model;
    assert_eq!(a.coefficients(), b.coefficients());
    for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = learner("linear", alpha).fit(&inputs, &labels, None, &Run::new()).expect_err("refused");
        assert!(
            error.to_string().contains("`alpha` of the model `kernel_fisher` must be a finite number > 0"),
            "{error}"
        );
    }
}
