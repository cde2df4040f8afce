//! Functions of x − y whose Fourier transform is known to be non-negative.

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::interval::Interval;
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::polynomial::{Polynomial, binomial};
use super::{Context, positive_step};

/// Powers of |x − y| up to this one are examined.
const MAX_POWER: usize = 7;

impl Context<'_> {
    /// By Bochner's theorem: a polynomial in |x − y| times an exponential, or a triangle.
    pub(super) fn stationary(&mut self, a: &Normal) -> Option<Proof> {
        if self.domain != Interval::ALL || !a.variables().both() {
            return None;
        }
        self.triangle(a)
            .or_else(|| self.damped_polynomial(a))
            .or_else(|| self.damped_waves(a))
            .or_else(|| self.damped_by_gaussian(a))
            .or_else(|| self.gaussians(a))
    }

    /// c·max(0, 1 − r|x − y|), which in the normal form is c·(t − min(0, t)).
    fn triangle(&mut self, a: &Normal) -> Option<Proof> {
        let (atom, c) = a.terms().find_map(|(m, c)| match m.single() {
            Some((Atom::Min(zero, t), q)) if zero.is_zero() && q == Rational::ONE => Some((t.clone(), c.negated())),
            _ => None,
        })?;
        let min = self.min(&Normal::zero(), &atom)?;
        let triangle = atom.minus(&min)?.scaled(c)?;
        let slope = Normal::number(atom.constant()).minus(&atom)?;
        let (distance, rate) = slope.single()?;
        let difference = Normal::x().minus(&Normal::y())?;
        let descends = *distance == Monomial::of(Atom::Abs(difference), Rational::ONE) && rate > Rational::ZERO;
        if triangle != *a || c < Rational::ZERO || atom.constant() <= Rational::ZERO || !descends {
            return None;
        }
        let reason = "max(0, 1 − |s|) is the Fourier transform of a density proportional to (sin(ω/2)/ω)²";
        Some(positive_step(a, ProofRule::Bochner).because(reason))
    }

    /// Σ cₙ|s|ⁿ·exp(−|s|) with s = r·(x − y): the transform of |s|ⁿ·exp(−|s|) is
    /// 2·n!·Re (1 − iω)ⁿ⁺¹/(1 + ω²)ⁿ⁺¹, so the sum has one over a common denominator, too.
    fn damped_polynomial(&mut self, a: &Normal) -> Option<Proof> {
        let difference = Normal::x().minus(&Normal::y())?;
        if self.substitute(a, &difference, &Normal::zero())? != *a {
            return None;
        }
        let profile = self.substitute(a, &Normal::x(), &Normal::zero())?;
        let mut rate: Option<Normal> = None;
        let mut coefficients = vec![Rational::ZERO; MAX_POWER + 1];
        for (m, c) in profile.terms() {
            let (n, own_rate) = damped_power(m)?;
            if *rate.get_or_insert_with(|| own_rate.clone()) != own_rate {
                return None;
            }
            let size = self.power(&own_rate, Rational::whole(-(n as i64)))?;
            let coefficient = self.multiply(&Normal::term(m.part(|v| v.none()), c), &size)?.as_number()?;
            let slot = coefficients.get_mut(n)?;
            *slot = slot.plus(coefficient)?;
        }
        let rate = rate?;
        let spectrum = spectrum(&coefficients)?;
        if !self.range(&rate).is_positive() || !Polynomial::new(spectrum.clone()).is_non_negative_from_zero() {
            return None;
        }
        let shown: Vec<String> = spectrum.iter().map(ToString::to_string).collect();
        let reason = format!(
            "with s = `{rate}`·(x − y) the transform is P(ω²)/(1 + ω²)^{} up to a positive factor, where P has the \
             coefficients {}, lowest first, and is ≥ 0",
            spectrum.len(),
            shown.join(", ")
        );
        Some(positive_step(a, ProofRule::Bochner).because(reason))
    }
}

/// n and r of |x|ⁿ·exp(−r|x|), up to a constant factor.
fn damped_power(m: &Monomial) -> Option<(usize, Normal)> {
    let mut n = 0;
    let mut rate = None;
    for (atom, q) in m.part(|v| !v.none()).factors() {
        let whole = q.is_whole() && q > Rational::ZERO;
        match atom {
            Atom::X if whole && q.numerator() % 2 == 0 => n += q.numerator(),
            Atom::Abs(u) if whole && *u == Normal::x() => n += q.numerator(),
            Atom::Exp(u) => {
                let (inner, c) = u.single()?;
                let plain = inner.part(|v| !v.none()) == Monomial::of(Atom::Abs(Normal::x()), Rational::ONE);
                rate = plain.then(|| Normal::term(inner.part(|v| v.none()), c.negated()));
            }
            _ => return None,
        }
    }
    Some((usize::try_from(n).ok()?, rate?))
}

/// P with Σ cₙ n! Re (1 − iω)ⁿ⁺¹/(1 + ω²)ⁿ⁺¹ = P(ω²)/(1 + ω²)ᴺ⁺¹, lowest coefficient first.
fn spectrum(coefficients: &[Rational]) -> Option<Vec<Rational>> {
    let last = coefficients.iter().rposition(|c| *c != Rational::ZERO)?;
    let mut out = vec![Rational::ZERO; last + 1];
    let mut factorial = Rational::ONE;
    for (n, c) in coefficients[..=last].iter().enumerate() {
        factorial = if n == 0 { factorial } else { factorial.times(Rational::whole(n as i64))? };
        let scale = c.times(factorial)?;
        // Re (1 − iω)ᵐ = Σ (−1)ʲ C(m, 2j) ω²ʲ, and (1 + ω²)ᵏ = Σ C(k, i) ω²ⁱ.
        for j in 0..=n.div_ceil(2) {
            let real = binomial(n + 1, 2 * j)?;
            let real = if j % 2 == 0 { real } else { real.negated() };
            for i in 0..=last - n {
                let product = scale.times(real)?.times(binomial(last - n, i)?)?;
                if product != Rational::ZERO {
                    let slot = out.get_mut(i + j)?;
                    *slot = slot.plus(product)?;
                }
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::spectrum;
    use crate::kernel::property::Rational;
    use crate::testkit::tol;

    /// The transform ∫ Σ cₙ|s|ⁿ e^(−|s|) cos(ωs) ds by Simpson's rule, against P(ω²)/(1 + ω²)ᴺ⁺¹.
    #[test]
    fn the_spectrum_is_the_fourier_transform() {
        for coefficients in [vec![1], vec![1, 1], vec![3, 3, 1], vec![0, 1], vec![2, 0, 0, 1], vec![1, -1, 2]] {
            let exact: Vec<Rational> = coefficients.iter().map(|c| Rational::whole(*c)).collect();
            let polynomial = spectrum(&exact).expect("small");
            for omega in [0.0f64, 0.3, 1.0, 2.5] {
                let w = omega * omega;
                let top: f64 = polynomial.iter().rev().fold(0.0, |sum, p| sum * w + p.to_f64());
                let expected = top / (1.0 + w).powi(polynomial.len() as i32);
                let density = |s: f64| {
                    let p: f64 = coefficients.iter().rev().fold(0.0, |sum, c| sum * s + *c as f64);
                    p * (-s).exp() * (omega * s).cos()
                };
                let (h, n) = (1e-3, 60_000);
                let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
                let integral: f64 = (0..=n).map(|i| weight(i) * density(i as f64 * h)).sum::<f64>() * h / 3.0;
                assert!(
                    (integral - expected).abs() <= tol::GOLDEN,
                    "{coefficients:?} at {omega}: {integral} {expected}"
                );
            }
        }
    }
}
