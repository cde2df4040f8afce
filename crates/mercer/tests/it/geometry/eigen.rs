//! Eigenvalues and eigenvectors.

use std::time::Duration;

use mercer::linalg::{eigen, eigenvalues};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{Error, Run};

use super::{run, symmetric};
use crate::stop_at::stopped_at;

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
    for n in [60, 301, 450, 700] {
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
    let late = Run::new().with_deadline(Duration::ZERO);
    assert!(matches!(eigenvalues(&symmetric(10, 63), 10, &late), Err(Error::Cancelled { .. })));
}

/// Spectra on which solvers have failed, by number.
const STRANGE: usize = 12;

fn strange_spectrum(kind: usize, n: usize, chance: &mut Chance) -> Vec<f64> {
    let part = |i: usize| i as f64 / n as f64;
    let value = |i: usize, chance: &mut Chance| match kind {
        0 => chance.normal(),
        1 => 1.0,
        2 => 1.0 + 1e-14 * chance.normal(),
        3 => f64::from(u8::from(i == 0)),
        4 => 10f64.powf(-18.0 * part(i)),
        5 => 10f64.powf(-300.0 * part(i)),
        6 => {
            if i.is_multiple_of(2) {
                1.0
            } else {
                -1.0
            }
        }
        7 => (5.0 * part(i)).round() + 1e-13 * chance.normal(),
        8 => {
            if i == 0 {
                1.0
            } else {
                1e-12
            }
        }
        9 => {
            if i < n / 2 {
                0.0
            } else {
                chance.normal()
            }
        }
        10 => (i as f64 - n as f64 / 2.0).powi(3),
        _ => 1.0 - 10f64.powf(-16.0 * part(i)),
    };
    (0..n).map(|i| value(i, chance)).collect()
}

/// H·diag(λ)·H for a product H of random reflectors.
fn with_spectrum(values: &[f64], rounds: usize, chance: &mut Chance) -> Vec<f64> {
    let n = values.len();
    let mut a = vec![0.0; n * n];
    (0..n).for_each(|i| a[i * n + i] = values[i]);
    for _ in 0..rounds {
        let v: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
        let square: f64 = v.iter().map(|v| v * v).sum();
        let p: Vec<f64> =
            a.chunks(n).map(|row| 2.0 / square * row.iter().zip(&v).map(|(a, v)| a * v).sum::<f64>()).collect();
        let along: f64 = p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() / square;
        let q: Vec<f64> = p.iter().zip(&v).map(|(p, v)| p - along * v).collect();
        (0..n * n).for_each(|at| a[at] -= q[at / n] * v[at % n] + v[at / n] * q[at % n]);
    }
    a
}

/// Matrices with three diagonals, on which the reductions have nothing to do: Wilkinson's, glued ones, Clement's.
fn with_three_diagonals(kind: usize, n: usize) -> Vec<f64> {
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        a[i * n + i] = [(i as f64 - (n / 2) as f64).abs(), (i % 21) as f64 - 10.0, 0.0][kind].abs();
        if i > 0 {
            let glue = if i % 21 == 0 { 1e-8 } else { 1.0 };
            a[i * n + i - 1] = [1.0, glue, ((i * (n - i)) as f64).sqrt()][kind];
            a[(i - 1) * n + i] = a[i * n + i - 1];
        }
    }
    a
}

/// ‖A·U − U·Λ‖ and ‖UᵀU − I‖ entry by entry, and the eigenvalues alone, all to rounding of the norm.
fn satisfies_its_equations(a: &[f64], n: usize, what: &str) {
    let found = eigen(a, n, &run()).expect("decomposes");
    let alone = eigenvalues(a, n, &run()).expect("decomposes");
    let norm = found.values().iter().fold(0.0f64, |norm, v| norm.max(v.abs()));
    assert!(
        found.values().windows(2).all(|w| w[0] <= w[1]) && alone.windows(2).all(|w| w[0] <= w[1]),
        "{what}: in order"
    );
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (l, (value, own)) in found.values().iter().zip(&alone).enumerate() {
        let u = found.vector(l);
        assert!((own - value).abs() <= tol::round(n) * norm, "{what}: value {l} is {own} alone, {value}");
        for (i, row) in a.chunks(n).enumerate() {
            let off = (dot(row, u) - value * u[i]).abs();
            assert!(off <= tol::round(n) * norm, "{what}: vector {l} is off by {off} of {norm}");
        }
        for m in 0..=l {
            let off = (dot(u, found.vector(m)) - f64::from(u8::from(l == m))).abs();
            assert!(off <= tol::round(n), "{what}: vectors {l} and {m} by {off}");
        }
    }
}

fn attack(rounds: usize, seed: u64) {
    let mut chance = Chance::new(seed);
    for round in 0..rounds {
        // Sizes around those where the way changes and where blocks end.
        let n = [193, 224, 257, 401, 415][chance.below(5)] + chance.below(3);
        let kind = chance.below(STRANGE);
        let spectrum = strange_spectrum(kind, n, &mut chance);
        let reflectors = chance.below(4);
        let a = with_spectrum(&spectrum, reflectors, &mut chance);
        satisfies_its_equations(
            &a,
            n,
            &format!("seed {seed}, round {round}: spectrum {kind}, {reflectors} reflectors, {n}"),
        );
    }
}

#[test]
fn strange_spectra() {
    let mut chance = Chance::new(65);
    for kind in 0..STRANGE {
        let n = 193 + 19 * kind;
        let spectrum = strange_spectrum(kind, n, &mut chance);
        satisfies_its_equations(&with_spectrum(&spectrum, 3, &mut chance), n, &format!("spectrum {kind}, {n}"));
    }
    for kind in 0..3 {
        satisfies_its_equations(&with_three_diagonals(kind, 405), 405, &format!("three diagonals, {kind}"));
    }
}

#[test]
#[ignore = "long; CONTRIBUTING says how to run it"]
fn strange_spectra_attacked_for_long() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    attack(number("MERCER_ROUNDS", 200) as usize, number("MERCER_SEED", 1));
}

#[test]
fn the_upper_triangle_is_not_read() {
    for n in [40, 250, 410] {
        let k = symmetric(n, 66);
        let mut odd = k.clone();
        (0..n).for_each(|i| odd[i * n + i + 1..(i + 1) * n].fill(1e200));
        assert_eq!(eigenvalues(&k, n, &run()).expect("decomposes"), eigenvalues(&odd, n, &run()).expect("decomposes"));
        let [one, other] = [&k, &odd].map(|k| eigen(k, n, &run()).expect("decomposes"));
        assert_eq!(one.vectors(), other.vectors(), "{n}");
    }
}

/// All stages count their steps, and each of them stops when it is told to.
#[test]
fn every_stage_stops() {
    let n = 420;
    let k = symmetric(n, 67);
    type Work = fn(&[f64], usize, &Run) -> mercer::Result<()>;
    let both: [Work; 2] = [|k, n, run| eigenvalues(k, n, run).map(drop), |k, n, run| eigen(k, n, run).map(drop)];
    for work in both {
        let (run, counter) = stopped_at(u64::MAX);
        work(&k, n, &run).expect("decomposes");
        let total = counter.seen();
        assert_eq!(total, counter.announced(), "all steps are announced");
        for step in (1..=total).step_by(5) {
            let (run, counter) = stopped_at(step);
            assert!(matches!(work(&k, n, &run), Err(Error::Cancelled { .. })), "step {step} of {total}");
            // Halves of a division that are under way on other threads come to their own next step.
            let late = counter.seen() - step;
            assert!(late <= run.threads() as u64, "{late} steps after step {step} of {total}");
        }
    }
}
