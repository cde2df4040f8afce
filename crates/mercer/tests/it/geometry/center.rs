//! Centring of training and test matrices.

use mercer::Error;
use mercer::gram::{Centered, Centering};
use mercer::testkit::{laws, points, tol};
use serde::Deserialize;

use super::{cases, cross, gram, run, size, space, values};
use crate::weigh;

fn fit(k: &[f64], n: usize, weights: Option<&[f64]>) -> Centering {
    Centering::fit(k, n, weights.map(weigh).as_ref()).unwrap_or_else(|e| panic!("{e}"))
}

/// (I − 1wᵀ)K(I − w1ᵀ) for the training set, (C − 1wᵀK)(I − w1ᵀ) for other rows, by naive products.
fn oracle(rows: &[f64], k: &[f64], n: usize, w: &[f64]) -> Vec<f64> {
    let m = rows.len() / n;
    let mut shifted = rows.to_vec();
    for i in 0..m {
        for j in 0..n {
            shifted[i * n + j] -= (0..n).map(|l| w[l] * k[l * n + j]).sum::<f64>();
        }
    }
    let mut out = shifted.clone();
    for i in 0..m {
        for j in 0..n {
            out[i * n + j] -= (0..n).map(|l| shifted[i * n + l] * w[l]).sum::<f64>();
        }
    }
    out
}

#[test]
fn it_is_the_product_with_projectors() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let (k, c, n) = (gram(&space, &x), cross(&space, &y, &x), x.len());
        let unequal: Vec<f64> = (0..n).map(|i| 1.0 + (i % 4) as f64).collect();
        let total: f64 = unequal.iter().sum();
        let shares: Vec<f64> = unequal.iter().map(|w| w / total).collect();
        for (given, w) in [(None, vec![1.0 / n as f64; n]), (Some(&*unequal), shares)] {
            let centering = fit(&k, n, given);
            let scale = k.iter().chain(&c).fold(0.0f64, |a, v| a.max(v.abs()));
            for rows in [&k, &c] {
                let mut got = rows.clone();
                centering.apply(&mut got, &run()).expect("rows of n");
                let expected = oracle(rows, &k, n, &w);
                assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= tol::round(n) * scale), "{formula}");
                let block = &rows[n..3 * n];
                let mut part = block.to_vec();
                centering.apply(&mut part, &run()).expect("two rows");
                assert_eq!(part, got[n..3 * n], "{formula}: any block of rows");
            }
        }
    }
}

#[test]
fn centred_rows_sum_to_zero() {
    let x = points::vectors(70, 3, 91).into();
    let mut k = gram(&space("rbf + linear", &x), &x);
    fit(&k, 70, None).apply(&mut k, &run()).expect("rows of n");
    for row in k.chunks(70) {
        assert!(row.iter().sum::<f64>().abs() <= tol::round(70) * size(row.iter().copied()));
    }
    assert!((0..4900).all(|at| k[at] == k[at % 70 * 70 + at / 70]), "symmetric to the bit");
}

/// The mean of the points themselves, for the linear kernel.
#[test]
fn linear_kernels_lose_their_mean() {
    let x = points::vectors(40, 3, 92);
    let mean: Vec<f64> = (0..3).map(|j| (0..40).map(|i| x.row(i)[j]).sum::<f64>() / 40.0).collect();
    let mut k = gram(&space("linear", &x.clone().into()), &x.clone().into());
    fit(&k, 40, None).apply(&mut k, &run()).expect("rows of n");
    for i in 0..40 {
        for j in 0..40 {
            let expected: f64 = (0..3).map(|c| (x.row(i)[c] - mean[c]) * (x.row(j)[c] - mean[c])).sum();
            assert!((k[i * 40 + j] - expected).abs() <= tol::GRAM_R2 * 10.0);
        }
    }
}

#[test]
fn a_streamed_matrix_is_centred_alike() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let (own, other) = (space.gram(&x, &run()).expect("binds"), space.cross(&y, &x, &run()).expect("binds"));
        let centering = Centering::fit_streamed(&own, None, &run()).expect("one set");
        let (mut k, mut c) = (values(&own), values(&other));
        let stored = fit(&k, x.len(), None);
        let tolerance = tol::round(x.len()) * stored.column_means().iter().fold(1.0f64, |a, v| a.max(v.abs())) * 8.0;
        stored.apply(&mut k, &run()).expect("rows of n");
        stored.apply(&mut c, &run()).expect("rows of n");
        for (matrix, expected) in [(&own, &k), (&other, &c)] {
            let centred = Centered::new(matrix, &centering, &run()).expect("the same columns");
            let got = values(&centred);
            assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance), "{formula}");
        }
        laws::matrix(formula, &Centered::new(&own, &centering, &run()).expect("the same columns"));
    }
}

#[derive(Deserialize)]
struct Golden {
    #[serde(rename = "K")]
    k: Vec<Vec<f64>>,
    #[serde(rename = "K_new")]
    k_new: Vec<Vec<f64>>,
    centred: Vec<Vec<f64>>,
    centred_new: Vec<Vec<f64>>,
}

#[test]
fn scikit_learn_kernel_centerer() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scikit-learn-1.9.1/center.json");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    let golden: Golden = serde_json::from_str(&text).expect("the shape of its script");
    let n = golden.k.len();
    let centering = fit(&golden.k.concat(), n, None);
    for (rows, expected) in [(&golden.k, &golden.centred), (&golden.k_new, &golden.centred_new)] {
        let mut got = rows.concat();
        centering.apply(&mut got, &run()).expect("rows of n");
        assert!(got.iter().zip(expected.concat()).all(|(a, b)| (a - b).abs() <= tol::GOLDEN));
    }
}

#[test]
fn hostile_matrices() {
    assert!(matches!(Centering::fit(&[1.0; 3], 2, None), Err(Error::Shape { .. })));
    assert!(matches!(Centering::fit(&[1.0; 4], 2, Some(&weigh(&[1.0]))), Err(Error::Shape { .. })));
    let one = fit(&[1.0; 16], 4, None);
    let mut all_ones = [1.0; 16];
    one.apply(&mut all_ones, &run()).expect("rows of n");
    assert_eq!(all_ones, [0.0; 16], "constant data have no spread");
    assert!(matches!(one.apply(&mut [1.0; 5], &run()), Err(Error::Shape { .. })));
    assert!(one.apply(&mut [], &run()).is_ok());
    let mut single = [7.0];
    fit(&[7.0], 1, None).apply(&mut single, &run()).expect("one point");
    assert_eq!(single, [0.0]);
    assert!(fit(&[], 0, None).apply(&mut [], &run()).is_ok());
    let mut huge = [1e308, -1e308, -1e308, 1e308];
    fit(&huge, 2, Some(&[1e308, 1e308])).apply(&mut huge, &run()).expect("rows of n");
    assert_eq!(huge, [1e308, -1e308, -1e308, 1e308]);
}
