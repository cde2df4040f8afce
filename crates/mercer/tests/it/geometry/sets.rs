//! Distances between points, to sets, and between sets.

use mercer::Error;
use mercer::data::Inputs;
use mercer::rkhs::{Barycentre, Discrimination};
use mercer::testkit::{laws, points, tol};

use super::{cases, column, cross, gram, precomputed, run, space};
use crate::weigh;

fn barycentre(space: &mercer::rkhs::Space, x: &Inputs, weights: Option<&[f64]>) -> Barycentre {
    Barycentre::fit(space, x, weights.map(weigh).as_ref(), &run()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn distances_are_those_of_the_feature_space() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let (c, xx, yy) = (cross(&space, &x, &y), gram(&space, &x), gram(&space, &y));
        let d = space.distance_matrix(&x, Some(&y), &run()).expect("distances");
        let own = space.distance_matrix(&x, None, &run()).expect("distances");
        let (n, m) = (x.len(), y.len());
        let scale = (0..n).map(|i| xx[i * n + i]).fold(1.0f64, f64::max);
        for i in 0..n {
            for j in 0..m {
                let square = xx[i * n + i] + yy[j * m + j] - 2.0 * c[i * m + j];
                assert!((d.row(i)[j].powi(2) - square).abs() <= tol::round(4) * 10.0 * scale, "{formula}: ({i}, {j})");
            }
            assert_eq!(own.row(i)[i], 0.0, "{formula}: a point is at no distance from itself");
        }
        laws::matrix(formula, &space.distances(&x, None, &run()).expect("distances"));
    }
}

/// Of the linear kernel, all of this is geometry of the plane.
#[test]
fn linear_distances_are_euclidean() {
    let (x, y) = (points::vectors(12, 2, 131), points::vectors(7, 2, 132));
    let (xi, yi): (Inputs, Inputs) = (x.clone().into(), y.clone().into());
    let space = space("linear", &xi);
    let mean =
        |p: &mercer::data::Rows| [0, 1].map(|j| (0..p.nrows()).map(|i| p.row(i)[j]).sum::<f64>() / p.nrows() as f64);
    let apart = |a: &[f64], b: &[f64]| ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
    let (mx, my) = (mean(&x), mean(&y));
    let (first, second) = (barycentre(&space, &xi, None), barycentre(&space, &yi, None));
    let d = first.distances(&yi, &run()).expect("distances");
    assert!((0..7).all(|j| (d[j] - apart(y.row(j), &mx)).abs() <= tol::GOLDEN));
    assert!((first.distance_to(&second, &run()).expect("distance") - apart(&mx, &my)).abs() <= tol::GOLDEN);
    let scores = Discrimination::new(first, second).and_then(|d| d.scores(&xi, &run())).expect("scores");
    for (i, score) in scores.iter().enumerate() {
        let expected = apart(x.row(i), &mx).powi(2) - apart(x.row(i), &my).powi(2);
        assert!((score - expected).abs() <= tol::GOLDEN);
    }
}

/// d(x, S)² = k(x, x) − 2Σwᵢk(x, sᵢ) + ΣΣwᵢwⱼk(sᵢ, sⱼ), and the biased MMD, by loops.
#[test]
fn sets_are_their_sums() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let (n, m) = (x.len(), y.len());
        let (k, c, h) = (gram(&space, &x), cross(&space, &y, &x), gram(&space, &y));
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        let total: f64 = weights.iter().sum();
        for (given, w) in
            [(None, vec![1.0 / n as f64; n]), (Some(&*weights), weights.iter().map(|w| w / total).collect())]
        {
            let set = barycentre(&space, &x, given);
            let own: f64 = (0..n * n).map(|at| w[at / n] * w[at % n] * k[at]).sum();
            let scale = h.iter().chain(&k).fold(1.0f64, |a, v| a.max(v.abs()));
            let d = set.squared_distances(&y, &run()).expect("distances");
            for j in 0..m {
                let expected = h[j * m + j] - 2.0 * (0..n).map(|i| w[i] * c[j * n + i]).sum::<f64>() + own;
                assert!((d[j] - expected).abs() <= tol::round(n) * scale, "{formula}: {j}");
            }
            let other = barycentre(&space, &y, None);
            let between: f64 = (0..m * n).map(|at| w[at % n] * c[at]).sum::<f64>() / m as f64;
            let mmd = own + h.iter().sum::<f64>() / (m * m) as f64 - 2.0 * between;
            let got = set.distance_to(&other, &run()).expect("distance");
            assert!((got * got - mmd).abs() <= tol::round(n) * scale, "{formula}: {got}");
            let scores =
                Discrimination::new(set.clone(), other.clone()).and_then(|d| d.scores(&y, &run())).expect("scores");
            let (d1, d2) = (d, other.squared_distances(&y, &run()).expect("distances"));
            assert!((0..m).all(|j| (scores[j] - (d1[j] - d2[j])).abs() <= tol::round(n) * scale), "{formula}");
        }
    }
}

#[test]
fn a_set_is_at_no_distance_from_itself() {
    for (formula, x, _) in cases() {
        let set = barycentre(&space(formula, &x), &x, None);
        let scale = set.norm_squared().sqrt().max(1.0);
        assert!(set.distance_to(&set, &run()).expect("distance") <= tol::ANGLE * scale, "{formula}");
    }
    let x = column(&[2.0]);
    let set = barycentre(&space("rbf(length_scale=1)", &x), &x, None);
    assert_eq!(set.distances(&column(&[2.0, 2.0]), &run()).expect("distances"), [0.0, 0.0]);
}

#[test]
fn hostile_sets() {
    let x: Inputs = points::vectors(5, 2, 133).into();
    let space_x = space("rbf(length_scale=1)", &x);
    assert!(matches!(Barycentre::fit(&space_x, &x.take(&[]), None, &run()), Err(Error::Shape { .. })));
    assert!(Barycentre::fit(&space_x, &x, Some(&weigh(&[1.0])), &run()).is_err());
    let other = barycentre(&space("rbf(length_scale=2)", &x), &x, None);
    let here = barycentre(&space_x, &x, None);
    assert!(here.distance_to(&other, &run()).is_err());
    assert!(Discrimination::new(here.clone(), other).is_err());
    assert!(here.distances(&x.take(&[]), &run()).expect("none").is_empty());
    // Of a precomputed matrix between two sets, k(x, x) of the new points is not known.
    let (own, new) = (precomputed(&[2.0, 1.0, 1.0, 2.0], 2, 2), precomputed(&[1.0, 1.0, 0.5, 1.5, 0.0, 0.0], 3, 2));
    let set = barycentre(&space("precomputed", &own), &own, None);
    assert!(matches!(set.distances(&new, &run()), Err(Error::Shape { .. })));
    assert_eq!(set.function().evaluate(&new, &run()).expect("values"), [1.0, 1.0, 0.0]);
}
