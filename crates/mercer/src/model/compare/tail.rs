//! Tails of distributions, exact where they are small.

use std::f64::consts::PI;

/// P(G ≥ x) for G of the gamma distribution with this shape and scale: Q(shape, x/scale).
///
/// A relative error below 1e-12 for shapes from 0.01 to 1e6, also where the tail is 1e-300. Not a number where shape or scale is
/// not positive.
///
/// ```
/// use mercer::model::compare::tail::gamma;
/// // Shape 1 is the exponential distribution.
/// assert!((gamma(300.0, 1.0, 2.0) / (-150f64).exp() - 1.0).abs() < 1e-12);
/// ```
pub fn gamma(x: f64, shape: f64, scale: f64) -> f64 {
    if !(shape > 0.0 && scale > 0.0) || x.is_nan() || !shape.is_finite() {
        return f64::NAN;
    }
    upper_incomplete(shape, x / scale)
}

/// P(Z ≥ z) for Z of the standard normal distribution: ½·erfc(z/√2) = ½·Q(½, z²/2) for z ≥ 0.
///
/// ```
/// use mercer::model::compare::tail::normal;
/// assert!((normal(1.6448536269514722) / 0.05 - 1.0).abs() < 1e-12);
/// assert!((normal(10.0) / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-12);
/// ```
pub fn normal(z: f64) -> f64 {
    if z.is_nan() {
        return f64::NAN;
    }
    let half = 0.5 * upper_incomplete(0.5, 0.5 * z * z);
    if z >= 0.0 { half } else { 1.0 - half }
}

/// Q(a, x) = Γ(a, x)/Γ(a).
fn upper_incomplete(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    // The fraction converges for every x > 0, the faster the larger x is; the series gives 1 − Q, which is not small there.
    if x >= a + 1.0 || (a < 1.0 && x >= 0.1) {
        leading(a, x) * fraction(a, x)
    } else {
        1.0 - leading(a, x) * series(a, x)
    }
}

/// xᵃe⁻ˣ/Γ(a) = √(a/2π)·exp(−a·φ(x/a) − δ(a)), where φ(t) = t − 1 − ln t and δ is the error of Stirling's formula: no large numbers
/// meet (Loader 2000, *Fast and accurate computation of binomial probabilities*).
fn leading(a: f64, x: f64) -> f64 {
    (a / (2.0 * PI)).sqrt() * (-a * above_log((x - a) / a, x / a) - stirling_error(a)).exp()
}

/// φ = u − ln(1 + u) for t = 1 + u.
fn above_log(u: f64, t: f64) -> f64 {
    if u.abs() > 0.3 {
        return u - t.ln();
    }
    // ln(1 + u) = 2(s + s³/3 + s⁵/5 + …), s = u/(2 + u), and u − 2s = u·s.
    let s = u / (2.0 + u);
    let (s2, mut power, mut sum) = (s * s, s, 0.0);
    for k in 1..30 {
        power *= s2;
        sum += power / f64::from(2 * k + 1);
    }
    u * s - 2.0 * sum
}

/// δ(a) = ln Γ(a) − (a − ½) ln a + a − ½ ln 2π.
fn stirling_error(a: f64) -> f64 {
    // B₂ₖ/(2k(2k−1)): from 16 on the first term left out is below 1e-17.
    const TERMS: [f64; 6] = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let (mut a, mut sum) = (a, 0.0);
    // δ(a) − δ(a + 1) = (a + ½) ln(1 + 1/a) − 1.
    while a < 16.0 {
        sum += (a + 0.5) * (1.0 / a).ln_1p() - 1.0;
        a += 1.0;
    }
    let inverse = 1.0 / (a * a);
    sum + TERMS.iter().rev().fold(0.0, |tail: f64, term| tail.mul_add(inverse, *term)) / a
}

/// Terms after which a sum or a fraction is taken as it stands; about √a of them are needed.
const TERMS: usize = 1_000_000;

/// Γ(a, x)·eˣ·x⁻ᵃ as a continued fraction, by Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / if b == 0.0 { TINY } else { b };
    let mut value = d;
    for i in 1..TERMS {
        let i = i as f64;
        let an = -i * (i - a);
        b += 2.0;
        let denominator = an.mul_add(d, b);
        d = 1.0 / if denominator == 0.0 { TINY } else { denominator };
        c = b + an / c;
        if c == 0.0 {
            c = TINY;
        }
        let step = d * c;
        value *= step;
        if (step - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}

/// γ(a, x)·eˣ·x⁻ᵃ = Σₖ xᵏ/(a(a+1)…(a+k)).
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for k in 1..TERMS {
        term *= x / (a + k as f64);
        sum += term;
        if term <= sum * 0.25 * f64::EPSILON {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    /// Numbers of mpmath 1.3 with 60 digits: `gammainc(a, x, inf, regularized=True)`.
    #[test]
    fn tails_of_the_gamma_distribution_are_exact() {
        let known = [
            (0.01, 1e-05, 1.036_632_017_328_028e-1),
            (0.01, 0.09, 1.907_655_949_837_163_2e-2),
            (0.01, 0.11, 1.729_149_069_656_017_4e-2),
            (0.01, 0.3, 9.072_396_421_765_093e-3),
            (0.5, 0.1, 6.547_208_460_185_77e-1),
            (0.5, 0.9, 1.797_124_948_789_998_5e-1),
            (0.5, 700.0, 2.101_014_516_264_217_6e-306),
            (1.0, 0.001, 9.990_004_998_333_75e-1),
            (1.5, 2.4, 1.870_417_489_049_076_6e-1),
            (2.5, 3.6, 2.061_859_197_095_558_8e-1),
            (7.25, 30.0, 1.728_035_430_630_171_3e-7),
            (15.9, 3.0, 9.999_998_527_199_512e-1),
            (16.0, 17.5, 3.275_423_914_107_558_6e-1),
            (100.0, 100.0, 4.867_012_017_208_513_5e-1),
            (100.0, 60.0, 9.999_985_184_723_673e-1),
            (100.0, 450.0, 2.360_899_075_506_456_3e-89),
            (1000.0, 1000.0, 4.957_947_558_197_845e-1),
            (1000.0, 2500.0, 2.645_982_074_544_255_6e-256),
            (12345.678, 12600.0, 1.141_217_533_333_237_6e-2),
            (1e6, 1e6, 4.998_670_192_391_274e-1),
            (1e6, 1.01e6, 1.060_699_747_758_69e-23),
            (1e6, 9.99e5, 8.413_447_864_256_963e-1),
            (3.3, 600.0, 2.432_385_894_774_107e-255),
            (0.7, 690.5, 1.427_018_362_402_039_5e-301),
        ];
        for (shape, x, q) in known {
            let found = gamma(2.0 * x, shape, 2.0);
            assert!((found / q - 1.0).abs() <= tol::TAIL, "Q({shape}, {x}): {found:e} for {q:e}");
        }
    }

    /// mpmath 1.3 with 60 digits: `erfc(z/sqrt(2))/2`.
    #[test]
    fn tails_of_the_normal_distribution_are_exact() {
        let known = [
            (-8.0, 9.999_999_999_999_993e-1),
            (-1.0, 8.413_447_460_685_429e-1),
            (-0.1, 5.398_278_372_770_29e-1),
            (0.0, 5e-1),
            (0.001, 4.996_010_577_860_889_3e-1),
            (0.5, 3.085_375_387_259_869e-1),
            (1.0, 1.586_552_539_314_570_5e-1),
            (3.0, 1.349_898_031_630_094_6e-3),
            (6.0, 9.865_876_450_376_98e-10),
            (15.0, 3.670_966_199_312_751e-51),
            (37.0, 5.725_571_222_524_577e-300),
        ];
        for (z, q) in known {
            assert!((normal(z) / q - 1.0).abs() <= tol::TAIL, "{z}: {:e} for {q:e}", normal(z));
        }
    }

    #[test]
    fn what_has_no_tail_is_no_number() {
        assert!(gamma(1.0, 0.0, 1.0).is_nan() && gamma(1.0, 1.0, -1.0).is_nan() && normal(f64::NAN).is_nan());
        assert!(gamma(f64::NAN, 1.0, 1.0).is_nan() && gamma(1.0, f64::INFINITY, 1.0).is_nan());
        assert_eq!((gamma(-1.0, 2.0, 1.0), gamma(f64::INFINITY, 2.0, 1.0)), (1.0, 0.0));
        assert_eq!((normal(f64::INFINITY), normal(f64::NEG_INFINITY)), (0.0, 1.0));
    }
}
