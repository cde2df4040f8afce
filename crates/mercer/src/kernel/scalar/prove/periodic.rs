//! Polynomials in |x − y| on [0, 1] that are periodic kernels, by Bernoulli's polynomials.

use crate::kernel::property::{Proof, ProofRule, Rational, Standing};
use crate::kernel::scalar::ast::Expr;

use super::effort::Effort;
use super::piecewise::Piecewise;
use super::polynomial::{Polynomial, binomial};

/// Polynomials of higher degree are not examined.
const MAX_DEGREE: usize = 10;

/// A proof on [0, 1] that φ(|x − y|) = Σ cₖ(−1)ᵏ⁺¹B₂ₖ(|x − y|) with all cₖ ≥ 0.
pub(super) fn prove(expr: &Expr, effort: &Effort) -> Option<Proof> {
    let profile = Piecewise::profile(expr, effort)?;
    let [polynomial] = profile.pieces.as_slice() else { return None };
    if polynomial.degree() > MAX_DEGREE {
        return None;
    }
    let weights = bernoulli_weights(polynomial)?;
    for (j, c) in weights.iter().enumerate() {
        // B₀ = 1; among the others only those of even order are even functions of period 1.
        let sign = Rational::whole(if j == 0 || j % 4 == 2 { 1 } else { -1 });
        if (j % 2 == 1 && *c != Rational::ZERO) || c.times(sign)? < Rational::ZERO {
            return None;
        }
    }
    let shown: Vec<String> = weights.iter().map(ToString::to_string).collect();
    let reason = format!("φ = Σ wⱼBⱼ with w = ({})", shown.join(", "));
    Some(Proof::new(expr, Standing::PositiveDefinite, ProofRule::Bernoulli).because(reason))
}

/// w with p = Σ wⱼBⱼ, the highest first found.
fn bernoulli_weights(p: &Polynomial) -> Option<Vec<Rational>> {
    let basis = bernoulli(p.degree())?;
    let mut left = p.clone();
    let mut weights = vec![Rational::ZERO; p.degree() + 1];
    for j in (0..=p.degree()).rev() {
        let c = left.coefficients().get(j).copied().unwrap_or(Rational::ZERO);
        weights[j] = c;
        left = left.minus(&basis[j].scaled(c)?)?;
    }
    Some(weights)
}

/// B₀, …, Bₙ, from Σₖ (m + 1 over k)·Bₖ(t) = (m + 1)·tᵐ over k ≤ m.
fn bernoulli(n: usize) -> Option<Vec<Polynomial>> {
    let mut out: Vec<Polynomial> = Vec::new();
    for m in 0..=n {
        let mut power = vec![Rational::ZERO; m + 1];
        power[m] = Rational::whole(m as i64 + 1);
        let mut rest = Polynomial::new(power);
        for (k, b) in out.iter().enumerate() {
            rest = rest.minus(&b.scaled(binomial(m + 1, k)?)?)?;
        }
        out.push(rest.scaled(Rational::new(1, m as i128 + 1)?)?);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    /// B₂ₖ(t) = (−1)ᵏ⁺¹·2·(2k)!·Σ cos(2πnt)/(2πn)²ᵏ over n ≥ 1.
    #[test]
    fn the_polynomials_are_their_fourier_series() {
        let basis = bernoulli(6).expect("small");
        for k in [2usize, 3] {
            for t in [0.0f64, 0.1, 0.37, 0.8, 1.0] {
                let wave =
                    |n: f64| (std::f64::consts::TAU * n * t).cos() / (std::f64::consts::TAU * n).powi(2 * k as i32);
                let sum: f64 = (1..20_000).rev().map(|n| wave(f64::from(n))).sum();
                let factorial: f64 = (1..=2 * k).map(|i| i as f64).product();
                let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
                let expected = sign * 2.0 * factorial * sum;
                let found = basis[2 * k].coefficients().iter().rev().fold(0.0, |sum, c| sum * t + c.to_f64());
                assert!((found - expected).abs() <= tol::GOLDEN, "{k} {t}: {found} {expected}");
            }
        }
    }
}
