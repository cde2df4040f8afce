//! Polynomials in x − y times a Gaussian.

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::interval::Interval;
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::polynomial::{Polynomial, binomial};
use super::{Context, positive_step};

/// Powers of x − y up to this one are examined.
const MAX_POWER: i128 = 12;

impl Context<'_> {
    /// p(s)·exp(−cs²/2) with s = x − y: the transform of s²ⁿ·exp(−cs²/2) is (−1)ⁿc⁻ⁿHe₂ₙ(ω/√c)
    /// times a Gaussian, with Hermite's polynomials He.
    pub(super) fn damped_by_gaussian(&mut self, a: &Normal) -> Option<Proof> {
        if self.domain != Interval::ALL || !a.variables().both() {
            return None;
        }
        let (polynomial, exponent) = split(a)?;
        let c = self.curvature(&exponent)?;
        let difference = Normal::x().minus(&Normal::y())?;
        if self.substitute(&polynomial, &difference, &Normal::zero())? != polynomial {
            return None;
        }
        let profile = self.substitute(&polynomial, &Normal::x(), &Normal::zero())?;
        let spectrum = spectrum(&profile, c)?;
        if !spectrum.is_non_negative_from_zero() {
            return None;
        }
        let shown: Vec<String> = spectrum.coefficients().iter().map(ToString::to_string).collect();
        let reason = format!(
            "the transform is Q(ω²/({c})) times a Gaussian, where Q has the coefficients {}, lowest first, and is ≥ 0",
            shown.join(", ")
        );
        Some(positive_step(a, ProofRule::Bochner).because(reason))
    }

    /// c of −c(x − y)²/2.
    pub(super) fn curvature(&mut self, exponent: &Normal) -> Option<Rational> {
        let difference = Normal::x().minus(&Normal::y())?;
        let square = self.power(&difference, Rational::whole(2))?;
        let at = Monomial::of(Atom::X, Rational::whole(2));
        let c = exponent.terms().find(|(m, _)| **m == at)?.1.times(Rational::whole(-2))?;
        let expected = square.scaled(c.over(Rational::whole(-2))?)?;
        (c > Rational::ZERO && *exponent == expected).then_some(c)
    }
}

/// A polynomial and the exponent of the exponential that all terms share.
fn split(a: &Normal) -> Option<(Normal, Normal)> {
    let mut shared: Option<Normal> = None;
    let mut polynomial = Normal::zero();
    for (m, c) in a.terms() {
        let mut exponent = Normal::zero();
        let mut rest = Normal::number(c);
        let mut factors = Vec::new();
        for (atom, q) in m.factors() {
            match atom {
                Atom::Exp(u) if q == Rational::ONE => exponent = exponent.plus(u)?,
                Atom::X | Atom::Y if q.is_whole() && q > Rational::ZERO && q.numerator() <= MAX_POWER => {
                    factors.push((atom.clone(), q));
                }
                _ => return None,
            }
        }
        if *shared.get_or_insert_with(|| exponent.clone()) != exponent {
            return None;
        }
        rest = Normal::term(Monomial::from_factors(factors), rest.as_number()?);
        polynomial = polynomial.plus(&rest)?;
    }
    Some((polynomial, shared?))
}

/// Q(v) = Σ pₙ(−1)ⁿc⁻ⁿHe₂ₙ(√v) for Σ pₙx²ⁿ.
fn spectrum(profile: &Normal, c: Rational) -> Option<Polynomial> {
    let mut out = Polynomial::new(Vec::new());
    for (m, p) in profile.terms() {
        let power = match m.single() {
            None => 0,
            Some((Atom::X, q)) if q.numerator() % 2 == 0 => usize::try_from(q.numerator()).ok()?,
            Some(_) => return None,
        };
        let n = power / 2;
        let sign = Rational::whole(if n % 2 == 0 { 1 } else { -1 });
        let weight = p.times(sign)?.over(c.power(n as i64)?)?;
        out = out.plus(&hermite(n)?.scaled(weight)?)?;
    }
    Some(out)
}

/// He₂ₙ(√v) = Σₖ (−1)ᵏ (2n over 2k)·(2k − 1)!!·vⁿ⁻ᵏ.
fn hermite(n: usize) -> Option<Polynomial> {
    let mut coefficients = vec![Rational::ZERO; n + 1];
    let mut double_factorial = Rational::ONE;
    for k in 0..=n {
        if k > 0 {
            double_factorial = double_factorial.times(Rational::whole(2 * k as i64 - 1))?;
        }
        let sign = Rational::whole(if k % 2 == 0 { 1 } else { -1 });
        coefficients[n - k] = binomial(2 * n, 2 * k)?.times(double_factorial)?.times(sign)?;
    }
    Some(Polynomial::new(coefficients))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    /// ∫ s²ⁿe^(−cs²/2)cos(ωs) ds by a sum over a fine grid, against √(2π/c)·e^(−ω²/(2c))·Q(ω²/c).
    #[test]
    fn the_spectrum_is_the_fourier_transform() {
        for n in 0..4u32 {
            for c in [1i64, 2] {
                let profile = Normal::term(
                    Monomial::from_factors(vec![(Atom::X, Rational::whole(2 * i64::from(n)))]),
                    Rational::ONE,
                );
                let profile = if n == 0 { Normal::one() } else { profile };
                let q = spectrum(&profile, Rational::whole(c)).expect("small");
                for omega in [0.0f64, 0.4, 1.3, 3.0] {
                    let c = c as f64;
                    let h = 1e-3;
                    let density = |s: f64| s.powi(2 * n as i32) * (-c * s * s / 2.0).exp() * (omega * s).cos();
                    let integral: f64 = (-20_000..=20_000).map(|i| density(f64::from(i) * h)).sum::<f64>() * h;
                    let v = omega * omega / c;
                    let value: f64 = q.coefficients().iter().rev().fold(0.0, |sum, p| sum * v + p.to_f64());
                    let expected = (std::f64::consts::TAU / c).sqrt() * (-v / 2.0).exp() * value;
                    assert!((integral - expected).abs() <= tol::GOLDEN, "{n} {c} {omega}: {integral} {expected}");
                }
            }
        }
    }
}
