//! Empirical eigenvalues, eigenfunctions, decay and effective dimension.

use mercer::Error;
use mercer::data::Inputs;
use mercer::rkhs::{DecayKind, Eigenfunctions, Spectrum};
use mercer::testkit::points::Chance;
use mercer::testkit::{points, tol};

use super::{cases, column, cross, gram, run, size, space};

fn spectrum(formula: &str, x: &Inputs) -> Spectrum {
    let matrix = space(formula, x).gram(x, &run()).unwrap_or_else(|e| panic!("{e}"));
    Spectrum::of(&matrix, &run()).unwrap_or_else(|e| panic!("{e}"))
}

/// Mercer's expansion: the eigenfunctions are orthonormal on the points and give the kernel back.
#[test]
fn eigenfunctions_expand_the_kernel() {
    for (formula, x, y) in cases() {
        let space = space(formula, &x);
        let (k, n) = (gram(&space, &x), x.len());
        let psi = Eigenfunctions::fit(&space, &x, n, &run()).expect("a kernel");
        let (p, at) = (psi.len(), psi.at_points());
        let trace: f64 = (0..n).map(|i| k[i * n + i]).sum::<f64>() / n as f64;
        assert!((psi.spectrum().trace() - trace).abs() <= tol::round(n) * trace, "{formula}");
        for l in [0, p / 2, p - 1] {
            for m in [0, l] {
                let inner = (0..n).map(|i| at[i * p + l] * at[i * p + m]).sum::<f64>() / n as f64;
                assert!((inner - f64::from(u8::from(l == m))).abs() <= tol::round(n), "{formula}: ψ_{l}, ψ_{m}");
            }
        }
        for i in 0..n {
            let expected = &k[i * n..(i + 1) * n];
            for j in 0..n {
                let sum: f64 = (0..p).map(|l| psi.values()[l] * at[i * p + l] * at[j * p + l]).sum();
                assert!((sum - expected[j]).abs() <= tol::round(n) * trace * n as f64, "{formula}: ({i}, {j})");
            }
        }
        extension(formula, &psi, &cross(&space, &y, &x), &y);
    }
}

/// λ̂ψ̂(x) = (1/n)Σ k(x, xᵢ)ψ̂(xᵢ): the eigenfunction's own equation, at new points.
fn extension(formula: &str, psi: &Eigenfunctions, c: &[f64], y: &Inputs) {
    let (p, at) = (psi.len(), psi.at_points());
    let n = at.len() / p;
    let values = psi.evaluate(y, &run()).expect("evaluates");
    for j in 0..y.len() {
        for l in 0..p {
            let terms: Vec<f64> = (0..n).map(|i| c[j * n + i] * at[i * p + l] / n as f64).collect();
            let gap = (psi.values()[l] * values[j * p + l] - terms.iter().sum::<f64>()).abs();
            assert!(gap <= tol::round(n) * size(terms), "{formula}: ψ_{l}(y_{j})");
        }
    }
}

/// At the points themselves the extension is √n·u.
#[test]
fn the_extension_agrees_at_the_points() {
    let x: Inputs = points::vectors(40, 2, 141).into();
    let psi = Eigenfunctions::fit(&space("rbf", &x), &x, 6, &run()).expect("a kernel");
    let values = psi.evaluate(&x, &run()).expect("evaluates");
    assert_eq!((psi.len(), values.len()), (6, 240));
    let gap = values.iter().zip(psi.at_points()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(gap <= tol::GOLDEN, "{gap:e}");
}

/// Σθ²/λ̂ = aᵀKa for f = Σaᵢk(xᵢ, ·).
#[test]
fn the_norm_through_the_spectrum() {
    for (formula, x, _) in cases() {
        let space = space(formula, &x);
        let n = x.len();
        let mut chance = Chance::new(142);
        let a: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
        let f = space.function(&x, &a).expect("f");
        let psi = Eigenfunctions::fit(&space, &x, n, &run()).expect("a kernel");
        let through = psi.norm_squared(&f.evaluate(&x, &run()).expect("values")).expect("one value a point");
        let direct = f.norm_squared(&run()).expect("norm");
        // An eigenvalue near rounding is divided by: what is lost there is a share of n·tolerance·‖a‖².
        let lost = psi.spectrum().tolerance() * n as f64 * a.iter().map(|a| a * a).sum::<f64>();
        assert!((through - direct).abs() <= tol::ANGLE * direct + lost, "{formula}: {through} and {direct}");
        if let Ok(few) = Eigenfunctions::fit(&space, &x, 2, &run()) {
            let projected = few.norm_squared(&f.evaluate(&x, &run()).expect("values")).expect("one value a point");
            assert!(projected <= direct * (1.0 + tol::ANGLE), "{formula}: a projection is not longer");
        }
    }
}

/// Σ λ̂/(λ̂ + λ) against tr K(K + nλI)⁻¹ by Gauss elimination.
#[test]
fn effective_dimension_is_a_trace() {
    let x: Inputs = points::vectors(15, 2, 143).into();
    let k = gram(&space("rbf(length_scale=1)", &x), &x);
    let spectrum = spectrum("rbf(length_scale=1)", &x);
    let mut before = f64::INFINITY;
    for lambda in [1e-3, 1e-1, 1.0, 1e3] {
        let got = spectrum.effective_dimension(lambda).expect("positive");
        assert!((got - trace_of_hat(&k, 15, 15.0 * lambda)).abs() <= tol::GOLDEN, "λ = {lambda}: {got}");
        assert!(got < before, "it falls as λ grows");
        before = got;
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(spectrum.effective_dimension(bad), Err(Error::InvalidParameter { .. })));
    }
}

/// tr K(K + cI)⁻¹ = n − c·tr (K + cI)⁻¹, the inverse by Gauss–Jordan.
fn trace_of_hat(k: &[f64], n: usize, c: f64) -> f64 {
    let width = 2 * n;
    let mut a = vec![0.0; n * width];
    for i in 0..n {
        a[i * width..i * width + n].copy_from_slice(&k[i * n..(i + 1) * n]);
        a[i * width + i] += c;
        a[i * width + n + i] = 1.0;
    }
    for p in 0..n {
        let pivot = a[p * width + p];
        (0..width).for_each(|j| a[p * width + j] /= pivot);
        for i in (0..n).filter(|i| *i != p) {
            let factor = a[i * width + p];
            (0..width).for_each(|j| a[i * width + j] -= factor * a[p * width + j]);
        }
    }
    n as f64 - c * (0..n).map(|i| a[i * width + n + i]).sum::<f64>()
}

/// The kernel min(x, y) of Brownian motion on [0, 1] has λ_ℓ = 1/((ℓ − ½)²π²); on the grid i/n the
/// matrix has eigenvalues 1/(4n²·sin²((2ℓ−1)π/(2(2n+1))))·n, known in closed form.
#[test]
fn brownian_motion_decays_like_a_square() {
    let n = 200;
    let grid: Vec<f64> = (1..=n).map(|i| i as f64 / n as f64).collect();
    let found = spectrum("min", &column(&grid));
    for l in 1..=n {
        let sine = ((2 * l - 1) as f64 * std::f64::consts::PI / (2.0 * (2 * n + 1) as f64)).sin();
        let exact = 1.0 / (4.0 * (n * n) as f64 * sine * sine);
        assert!((found.values()[l - 1] - exact).abs() <= tol::round(n) * found.values()[0], "λ̂_{l}");
    }
    let limit = |l: f64| 1.0 / ((l - 0.5) * std::f64::consts::PI).powi(2);
    assert!((found.values()[0] / limit(1.0) - 1.0).abs() < 0.02 && (found.values()[4] / limit(5.0) - 1.0).abs() < 0.02);
    let decay = found.decay();
    assert_eq!((decay.kind, decay.last), (DecayKind::Polynomial, n));
    let rate = decay.polynomial.expect("a fit").rate;
    assert!((1.5..2.2).contains(&rate), "near 2: {rate}");
}

#[test]
fn an_analytic_kernel_decays_exponentially() {
    let x: Vec<f64> = (0..60).map(|i| i as f64 / 59.0).collect();
    let decay = spectrum("rbf(length_scale=0.2)", &column(&x)).decay();
    assert_eq!(decay.kind, DecayKind::Exponential);
    assert!(decay.last < 60, "those below rounding are left out");
}

#[test]
fn hostile_spectra() {
    let identity = spectrum("rbf(length_scale=1e-3)", &column(&[0.0, 1.0, 2.0, 3.0]));
    assert_eq!((identity.values(), identity.decay().kind), ([0.25; 4].as_slice(), DecayKind::Flat));
    let ones = spectrum("rbf(length_scale=1)", &column(&[5.0; 4]));
    assert_eq!((ones.rank(), ones.decay().kind), (1, DecayKind::TooFew));
    let zero = spectrum("linear", &column(&[0.0; 3]));
    assert_eq!((zero.rank(), zero.effective_dimension(1.0).expect("positive")), (0, 0.0));
    assert_eq!(spectrum("linear", &column(&[3.0])).values(), [9.0]);
    let nothing = Spectrum::of_values(&[], 0, &run()).expect("no points");
    assert_eq!((nothing.rank(), nothing.decay().kind), (0, DecayKind::TooFew));
    assert!(matches!(Spectrum::of_values(&[f64::NAN], 1, &run()), Err(Error::NonFinite { .. })));
    let huge = Spectrum::of_values(&[2e150, 1e150, 1e150, 2e150], 2, &run()).expect("decomposes");
    assert!((huge.values()[0] / 1.5e150 - 1.0).abs() <= tol::round(2));
    let x = column(&[0.0; 3]);
    let psi = Eigenfunctions::fit(&space("linear", &x), &x, 3, &run()).expect("the zero kernel");
    assert!(psi.is_empty() && psi.evaluate(&x, &run()).expect("nothing").is_empty());
    assert!(matches!(Eigenfunctions::fit(&space("linear", &x), &x, 0, &run()), Err(Error::InvalidParameter { .. })));
    let cross = space("linear", &x).cross(&x, &x, &run()).expect("binds");
    assert!(matches!(Spectrum::of(&cross, &run()), Err(Error::Shape { .. })));
}
