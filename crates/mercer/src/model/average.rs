//! The logistic function averaged over a Gaussian.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use crate::kernel::elementary::exp;
use crate::loss::logistic;

/// log(1/(1 + e⁻ᶠ)), without overflow or loss of digits.
pub(crate) fn log_logistic(f: f64) -> f64 {
    if f < 0.0 { f - f.exp().ln_1p() } else { -(-f).exp().ln_1p() }
}

/// ∫ N(f; mean, variance)/(1 + e⁻ᶠ) df, to 1e-12.
///
/// The trapezoidal rule, which converges geometrically for analytic functions (Trefethen & Weideman,
/// SIAM Review 56, 2014): its error is exp(−2πd/h) with d the distance of the nearest singularity, here
/// the poles ±iπ of the logistic function. For a standard deviation s ≤ 1 the nodes lie along the
/// Gaussian. For larger ones they lie along the logistic density λ, by
/// ∫ N(f; μ, s²)·P(U ≤ f) df = P(U − s·Z ≤ μ) = ∫ λ(u)·Φ((μ − u)/s) du.
///
/// ```
/// use mercer::model::gp::averaged_logistic;
/// assert_eq!(averaged_logistic(0.0, 7.0), 0.5);
/// assert!((averaged_logistic(2.0, 0.0) - 1.0 / (1.0 + (-2.0f64).exp())).abs() < 1e-15);
/// // By symmetry p(μ) + p(−μ) = 1.
/// assert!((averaged_logistic(1.3, 4.0) + averaged_logistic(-1.3, 4.0) - 1.0).abs() < 1e-14);
/// ```
pub fn averaged_logistic(mean: f64, variance: f64) -> f64 {
    let s = variance.max(0.0).sqrt();
    // Both halves are computed alike, so that the probabilities of the two classes sum to 1.
    if mean == 0.0 {
        return 0.5;
    }
    let above = match s {
        0.0 => logistic(mean.abs()),
        s if s <= 1.0 => along_gaussian(mean.abs(), s),
        s => along_logistic(mean.abs(), s),
    };
    let above = above.clamp(0.5, 1.0);
    if mean > 0.0 { above } else { 1.0 - above }
}

/// Σ h·φ(t)·σ(μ + st), h = ½, up to where φ is 1e-17.
fn along_gaussian(mean: f64, s: f64) -> f64 {
    const STEP: f64 = 0.5;
    let term = |k: i32| {
        let t = STEP * f64::from(k);
        exp(-0.5 * t * t) * logistic(mean + s * t)
    };
    STEP / TAU.sqrt() * (-18..=18).map(term).sum::<f64>()
}

/// Σ h·λ(u)·Φ((μ − u)/s), h = ½, up to where λ is 1e-17.
fn along_logistic(mean: f64, s: f64) -> f64 {
    const STEP: f64 = 0.5;
    let term = |k: i32| {
        let u = STEP * f64::from(k);
        logistic(u) * logistic(-u) * normal_below((mean - u) / s)
    };
    STEP * (-80..=80).map(term).sum::<f64>()
}

/// Φ(z) to 1e-15, by the series erf(x) = (2/√π)·e^(−x²)·Σ 2ᵏx²ᵏ⁺¹/(1·3⋯(2k + 1)), whose terms do not cancel.
fn normal_below(z: f64) -> f64 {
    let x = z.abs() * FRAC_1_SQRT_2;
    if x > 6.0 {
        return if z > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term > 1e-17 * sum {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    let half = exp(-x * x) * sum / PI.sqrt();
    if z > 0.0 { 0.5 + half } else { 0.5 - half }
}

/// z with Φ(z) = p, for p ≥ ½. Newton's method from 0 climbs to it, since Φ is concave there; beyond 8.3 the
/// numbers below 1 end.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let mut z = 0.0;
    for _ in 0..200 {
        let step = (p - normal_below(z)) * TAU.sqrt() * exp(0.5 * z * z);
        z = (z + step).clamp(0.0, 8.3);
        if step <= 1e-15 * z {
            break;
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits from the NIST handbook (1.3.6.7.1) and Wichura's AS 241.
    #[test]
    fn quantiles_of_the_normal_law() {
        for (p, z) in [(0.5, 0.0), (0.9, 1.2815515655446004), (0.975, 1.959963984540054), (0.9995, 3.290526731491926)] {
            assert!((normal_quantile(p) - z).abs() < 1e-13, "{p}: {}", normal_quantile(p));
        }
        assert!(normal_quantile(1.0) <= 8.3 && normal_quantile(1.0 - 1e-15) > 7.9);
    }

    /// Simpson's rule on a fine grid: another rule, another variable.
    fn simpson(mean: f64, s: f64) -> f64 {
        let n = 200_000;
        let (low, high) = (mean - 12.0 * s, mean + 12.0 * s);
        let h = (high - low) / f64::from(n);
        let term = |k: i32| {
            let f = low + h * f64::from(k);
            let weight = if k == 0 || k == n { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
            let t = (f - mean) / s;
            weight * (-0.5 * t * t).exp() / (s * TAU.sqrt()) / (1.0 + (-f).exp())
        };
        (0..=n).map(term).sum::<f64>() * h / 3.0
    }

    #[test]
    fn agrees_with_a_fine_rule() {
        for mean in [-30.0, -3.0, -0.1, 0.2, 1.0, 7.0, 40.0] {
            for s in [1e-3, 0.3, 0.99, 1.0, 1.01, 2.0, 9.0, 60.0, 500.0] {
                let (fast, slow) = (averaged_logistic(mean, s * s), simpson(mean, s));
                assert!((fast - slow).abs() < 1e-11, "{mean}, {s}: {fast}, {slow}");
            }
        }
    }

    #[test]
    fn extremes_are_probabilities() {
        for (mean, variance) in [(1e300, 1.0), (-1e300, 1e300), (3.0, 1e308), (1e-300, 0.0), (5.0, -1e-20)] {
            let p = averaged_logistic(mean, variance);
            assert!((0.0..=1.0).contains(&p), "{mean}, {variance}: {p}");
        }
        assert_eq!(log_logistic(-1e300), -1e300);
        assert!((log_logistic(0.0) + 2f64.ln()).abs() < 1e-15 && log_logistic(800.0) == 0.0);
    }
}
