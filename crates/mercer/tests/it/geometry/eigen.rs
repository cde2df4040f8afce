//! Eigenvalues and eigenvectors.

use mercer::linalg::{eigen, eigenvalues};
use mercer::testkit::tol;
use mercer::{Error, Run};

use super::{run, symmetric};

/// The matrix with 2 on the diagonal and −1 beside it has λ_k = 2 − 2cos(kπ/(n+1)).
#[test]
fn the_second_difference_has_its_known_spectrum() {
    for n in [1, 2, 7, 90, 300] {
        let mut k = vec![0.0; n * n];
        for i in 0..n {
            k[i * n + i] = 2.0;
            if i > 0 {
                k[i * n + i - 1] = -1.0;
                k[(i - 1) * n + i] = -1.0;
            }
        }
        let found = eigen(&k, n, &run()).expect("decomposes");
        let only = eigenvalues(&k, n, &run()).expect("decomposes");
        for (l, alone) in only.iter().enumerate() {
            let angle = (l + 1) as f64 * std::f64::consts::PI / (n + 1) as f64;
            let expected = 2.0 - 2.0 * angle.cos();
            assert!((found.values()[l] - expected).abs() <= tol::round(n) * 4.0, "{n}: {l}");
            assert!((alone - expected).abs() <= tol::round(n) * 4.0, "{n}: {l} alone");
        }
    }
}

/// K·u = λ·u and UᵀU = I, by naive sums, at every scale.
#[test]
fn vectors_satisfy_their_equation() {
    for (n, scale) in [(5, 1.0), (130, 1.0), (40, 1e150), (40, 1e-150), (40, 1e300)] {
        let k: Vec<f64> = symmetric(n, 61).iter().map(|v| v * scale).collect();
        let found = eigen(&k, n, &run()).expect("decomposes");
        let largest = found.values().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        assert!(found.values().windows(2).all(|w| w[0] <= w[1]), "in order");
        for l in 0..n {
            let u = found.vector(l);
            for i in 0..n {
                let ku: f64 = (0..n).map(|j| k[i * n + j] / largest * u[j]).sum();
                assert!((ku - found.values()[l] / largest * u[i]).abs() <= tol::round(n), "{n} at {scale:e}: {l}");
            }
            for m in 0..=l {
                let dot: f64 = u.iter().zip(found.vector(m)).map(|(a, b)| a * b).sum();
                assert!((dot - f64::from(u8::from(l == m))).abs() <= tol::round(n), "{n} at {scale:e}: {l}, {m}");
            }
        }
    }
}

#[test]
fn threads_do_not_matter() {
    for n in [60, 301] {
        let k = symmetric(n, 62);
        let [one, two, three] = [1, 2, 3].map(|threads| {
            let run = Run::new().with_threads(threads).expect("a few threads");
            (eigen(&k, n, &run).expect("decomposes"), eigenvalues(&k, n, &run).expect("decomposes"))
        });
        for other in [&two, &three] {
            assert_eq!(one.0.values(), other.0.values(), "{n}");
            assert_eq!(one.0.vectors(), other.0.vectors(), "{n}");
            assert_eq!(one.1, other.1, "{n}");
        }
    }
}

#[test]
fn bad_matrices_are_errors() {
    assert!(matches!(eigen(&[1.0, 2.0], 2, &run()), Err(Error::Shape { .. })));
    assert!(matches!(eigen(&[f64::NAN], 1, &run()), Err(Error::NonFinite { .. })));
    assert!(matches!(eigenvalues(&[1.0, 0.0, f64::INFINITY, 1.0], 2, &run()), Err(Error::NonFinite { .. })));
    assert_eq!(eigen(&[], 0, &run()).expect("nothing").values(), [0.0; 0]);
    assert_eq!(eigenvalues(&[0.0; 9], 3, &run()).expect("zero"), [0.0; 3]);
    let small = Run::new().with_memory_limit(1 << 16);
    assert!(matches!(eigen(&symmetric(100, 63), 100, &small), Err(Error::Memory { .. })));
    let late = Run::new().with_deadline(std::time::Duration::ZERO);
    assert!(matches!(eigenvalues(&symmetric(10, 63), 10, &late), Err(Error::Cancelled { .. })));
}
