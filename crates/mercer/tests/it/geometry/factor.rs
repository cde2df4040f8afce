//! The pivoted factor, from columns and in a stored matrix, and its feature map.

use mercer::gram::KernelColumns;
use mercer::linalg::{PivotedCholesky, PivotedParams, PivotedStop, pivoted_cholesky, pivoted_cholesky_dense};
use mercer::rkhs::Factor;
use mercer::testkit::{points, tol};
use mercer::{Error, Run};

use super::{cases, column, cross, gram, precomputed, run, space};

/// Complete pivoting by the textbook: the whole remaining matrix, updated after every step.
fn naive(k: &[f64], n: usize, tolerance: f64) -> (Vec<usize>, Vec<Vec<f64>>) {
    let mut rest = k.to_vec();
    let (mut pivots, mut columns) = (Vec::new(), Vec::new());
    let largest = (0..n).map(|i| k[i * n + i]).fold(0.0, f64::max);
    while pivots.len() < n {
        let p = (0..n).fold(0, |best, i| if rest[i * n + i] > rest[best * n + best] { i } else { best });
        if rest[p * n + p] <= tolerance * largest {
            break;
        }
        let b: Vec<f64> = (0..n).map(|i| rest[i * n + p] / rest[p * n + p].sqrt()).collect();
        for at in 0..n * n {
            rest[at] -= b[at / n] * b[at % n];
        }
        pivots.push(p);
        columns.push(b);
    }
    (pivots, columns)
}

/// K − B·Bᵀ is bounded by the residual, entry by entry.
fn reproduces(name: &str, k: &[f64], factor: &PivotedCholesky) {
    let (n, b) = (factor.n(), factor.rows());
    let r = factor.rank();
    let scale = (0..n).map(|i| k[i * n + i]).fold(0.0, f64::max);
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..r).map(|c| b[i * r + c] * b[j * r + c]).sum();
            let rest = |i: usize| factor.residual()[i] + tol::round(n) * scale;
            let allowed = (rest(i) * rest(j)).sqrt();
            let gap = (k[i * n + j] - product).abs();
            assert!(gap <= allowed, "{name}: ({i}, {j}) is off by {gap:e}, {allowed:e} allowed");
        }
    }
    let trace: f64 = (0..n).map(|i| k[i * n + i] - b[i * r..(i + 1) * r].iter().map(|v| v * v).sum::<f64>()).sum();
    assert!((trace - factor.residual_trace()).abs() <= tol::round(n) * factor.trace(), "{name}: the trace of the rest");
}

#[test]
fn both_ways_are_the_textbook() {
    for (formula, x, _) in cases() {
        let space = space(formula, &x);
        let (k, n) = (gram(&space, &x), x.len());
        for tolerance in [1e-2, 1e-6] {
            let params = PivotedParams { tolerance: Some(tolerance), max_rank: None };
            let matrix = space.gram(&x, &run()).expect("binds");
            let streamed = pivoted_cholesky(&KernelColumns(&matrix), &params, &run()).expect("a kernel");
            let stored = pivoted_cholesky_dense(&mut k.clone(), n, &params, &run()).expect("a kernel");
            let (pivots, columns) = naive(&k, n, tolerance);
            for factor in [&streamed, &stored] {
                assert_eq!(factor.pivots(), pivots, "{formula} to {tolerance:e}");
                let full = pivots.len() == n;
                assert_eq!(factor.stop(), if full { PivotedStop::FullRank } else { PivotedStop::Tolerance });
                for (c, expected) in columns.iter().enumerate() {
                    let gap = factor.column(c).iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(gap <= tol::GOLDEN, "{formula}: column {c} is off by {gap:e}");
                    let zeros = pivots[..c].iter().all(|&p| factor.column(c)[p] == 0.0);
                    assert!(zeros, "{formula}: the rows at the pivots are a triangle");
                }
                reproduces(formula, &k, factor);
            }
        }
    }
}

/// A tridiagonal-like kernel on many points has full rank: blocks of 64 columns are all used.
#[test]
fn full_rank_and_many_blocks() {
    let x = points::vectors(310, 40, 101);
    let inputs = x.take(&(0..300).collect::<Vec<_>>()).into();
    let space = space("matern12(length_scale=3)", &inputs);
    let k = gram(&space, &inputs);
    let stored = pivoted_cholesky_dense(&mut k.clone(), 300, &PivotedParams::default(), &run()).expect("a kernel");
    assert_eq!((stored.rank(), stored.stop()), (300, PivotedStop::FullRank));
    reproduces("stored", &k, &stored);
    let matrix = space.gram(&inputs, &run()).expect("binds");
    let streamed = pivoted_cholesky(&KernelColumns(&matrix), &PivotedParams::default(), &run()).expect("a kernel");
    assert_eq!(streamed.rank(), 300);
    reproduces("streamed", &k, &streamed);
    let capped = PivotedParams { max_rank: Some(100), tolerance: None };
    let short = pivoted_cholesky_dense(&mut k.clone(), 300, &capped, &run()).expect("a kernel");
    assert_eq!((short.rank(), short.stop()), (100, PivotedStop::MaxRank));
    assert!(short.residual_trace() > 0.0);
    reproduces("capped", &k, &short);
}

/// Ranks that are known: a plane, repeated points, one point, all ones, nothing.
#[test]
fn the_rank_is_found() {
    let x = points::vectors(50, 2, 102).into();
    let rank = |formula: &str, x: &mercer::data::Inputs| {
        Factor::fit(&space(formula, x), x, &PivotedParams::default(), &run()).expect("a kernel").report().rank
    };
    assert_eq!(rank("linear", &x), 2);
    assert_eq!(rank("(linear + 1)^2", &x), 6, "monomials of degree up to 2 in two variables");
    assert_eq!(rank("min", &column(&[1.0, 2.0, 2.0, 3.0, 1.0])), 3, "repeated points add nothing");
    assert_eq!(rank("rbf(length_scale=1)", &column(&[4.0; 6])), 1, "constant data");
    assert_eq!(rank("linear", &column(&[0.0; 3])), 0, "the zero matrix");
    assert_eq!(rank("linear", &column(&[1e150, 2e-150])), 1, "the second is below rounding");
    assert_eq!(rank("rbf(length_scale=1)", &column(&[1.0])), 1);
    assert_eq!(rank("precomputed", &precomputed(&[], 0, 0)), 0);
}

/// F(x) = B†k(x): the pseudo-inverse through BᵀB, where the factor is exact.
#[test]
fn the_feature_map_reproduces_the_kernel() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let factor = Factor::fit(&space, &x, &PivotedParams::default(), &run()).expect("a kernel");
        let (n, m, r) = (x.len(), y.len(), factor.report().rank);
        let (b, k_y) = (factor.rows(), cross(&space, &y, &x));
        let features = factor.map().transform(&y, &run()).expect("maps");
        let own = space.diag(&y, &run()).expect("binds");
        let scale = own.iter().copied().fold(1.0f64, f64::max);
        for q in 0..m {
            for i in 0..n {
                let product: f64 = (0..r).map(|c| b[i * r + c] * features[q * r + c]).sum();
                let allowed = (factor.cholesky().residual()[i] * own[q]).sqrt() + tol::ANGLE * scale;
                assert!((product - k_y[q * n + i]).abs() <= allowed, "{formula}: k(x_{i}, y_{q})");
            }
        }
        let training = factor.map().transform(&x, &run()).expect("maps");
        let gap = training.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap <= 1e3 * tol::ANGLE * scale, "{formula}: the rows of B, off by {gap:e}");
    }
}

/// With well-separated points the factor is exact and well conditioned: B†k(x) by the normal equations.
#[test]
fn it_is_the_pseudo_inverse() {
    let x: mercer::data::Inputs = points::vectors(12, 2, 103).take(&(0..10).collect::<Vec<_>>()).into();
    let y = points::vectors(4, 2, 104).into();
    let space = space("(linear + 1)^2", &x);
    let factor = Factor::fit(&space, &x, &PivotedParams::default(), &run()).expect("a kernel");
    let (b, r, k_y) = (factor.rows(), factor.report().rank, cross(&space, &y, &x));
    let features = factor.map().transform(&y, &run()).expect("maps");
    // BᵀB·F = Bᵀk, checked as an equation.
    for q in 0..4 {
        for c in 0..r {
            let left: f64 =
                (0..10).map(|i| b[i * r + c] * (0..r).map(|d| b[i * r + d] * features[q * r + d]).sum::<f64>()).sum();
            let right: f64 = (0..10).map(|i| b[i * r + c] * k_y[q * 10 + i]).sum();
            assert!((left - right).abs() <= tol::GOLDEN * right.abs().max(1.0));
        }
    }
}

#[test]
fn a_precomputed_matrix_maps_like_its_kernel() {
    let (x, y) = (points::vectors(14, 2, 105).into(), points::vectors(5, 2, 106).into());
    let space_x = space("rbf(length_scale=1)", &x);
    let (k, c) = (gram(&space_x, &x), cross(&space_x, &y, &x));
    let (own, new) = (precomputed(&k, 14, 14), precomputed(&c, 5, 14));
    let params = PivotedParams { tolerance: Some(1e-4), max_rank: None };
    let from_points = Factor::fit(&space_x, &x, &params, &run()).expect("a kernel");
    let from_matrix = Factor::fit(&space("precomputed", &own), &own, &params, &run()).expect("a kernel");
    assert_eq!(from_points.pivots(), from_matrix.pivots());
    let [a, b] =
        [from_points.map().transform(&y, &run()), from_matrix.map().transform(&new, &run())].map(|f| f.expect("maps"));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= tol::GOLDEN));
}

#[test]
fn threads_and_order_do_not_matter() {
    let x: mercer::data::Inputs = points::vectors(1500, 3, 107).into();
    let space = space("rbf(length_scale=1)", &x);
    let k = gram(&space, &x);
    let params = PivotedParams { max_rank: Some(150), tolerance: None };
    let [one, three] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).expect("a few");
        let matrix = space.gram(&x, &run).expect("binds");
        let streamed = pivoted_cholesky(&KernelColumns(&matrix), &params, &run).expect("a kernel");
        let stored = pivoted_cholesky_dense(&mut k.clone(), 1500, &params, &run).expect("a kernel");
        (streamed.rows(), stored.rows())
    });
    assert!(one == three, "the factor depends on the number of threads");
}

#[test]
fn hostile_matrices() {
    let dense = |k: &[f64], n: usize| pivoted_cholesky_dense(&mut k.to_vec(), n, &PivotedParams::default(), &run());
    assert!(matches!(dense(&[1.0; 3], 2), Err(Error::Shape { .. })));
    assert!(matches!(dense(&[f64::NAN], 1), Err(Error::NonFinite { .. })));
    for k in [
        vec![0.0, 1.0, 1.0, 0.0],
        vec![1.0, 2.0, 2.0, 1.0],
        vec![1.0, 0.0, 0.0, -1.0],
        vec![1.0, f64::NAN, f64::NAN, 1.0],
    ] {
        assert!(matches!(dense(&k, 2), Err(Error::NotPositiveDefinite { .. })), "{k:?}");
    }
    assert_eq!(dense(&[1.0; 100], 10).expect("all ones").rank(), 1);
    let huge = dense(&[1e300, 1e299, 1e299, 1e300], 2).expect("huge");
    assert!(huge.rank() == 2 && (huge.column(0)[0] - 1e150).abs() <= 1e136);
    for tolerance in [f64::NAN, -1.0, 1.0] {
        let params = PivotedParams { tolerance: Some(tolerance), max_rank: None };
        assert!(matches!(pivoted_cholesky_dense(&mut [1.0], 1, &params, &run()), Err(Error::InvalidParameter { .. })));
    }
    let zero = PivotedParams { max_rank: Some(0), tolerance: None };
    assert_eq!(
        pivoted_cholesky_dense(&mut [2.0], 1, &zero, &run()).expect("nothing asked for").stop(),
        PivotedStop::MaxRank
    );
}

#[test]
fn limits_are_obeyed() {
    let x: mercer::data::Inputs = points::vectors(2000, 5, 108).into();
    let matrix = space("rbf(length_scale=0.1)", &x).gram(&x, &run()).expect("binds");
    let small = Run::new().with_memory_limit(3 << 20);
    let error = pivoted_cholesky(&KernelColumns(&matrix), &PivotedParams::default(), &small)
        .map(|_| ())
        .expect_err("full rank");
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    let late = Run::new().with_deadline(std::time::Duration::ZERO);
    let stopped =
        pivoted_cholesky(&KernelColumns(&matrix), &PivotedParams::default(), &late).expect("a factor of rank 0");
    assert_eq!((stopped.rank(), stopped.stop()), (0, PivotedStop::Deadline));
}
