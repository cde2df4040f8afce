//! Sums of decaying exponentials and of Gaussians in x − y, by their Fourier transforms.

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::interval::Interval;
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::polynomial::{Polynomial, binomial};
use super::{Context, positive_step};

/// Powers of |x − y| up to this one are examined.
const MAX_POWER: usize = 6;
/// Sums of more different exponentials are not examined.
const MAX_TERMS: usize = 4;

/// N(ω²)/D(ω²) with D > 0.
struct Fraction {
    above: Polynomial,
    below: Polynomial,
}

/// |s|ⁿ·e^(−a|s|)·w(bs), where w is 1, cos or s ↦ sin|s|.
#[derive(Default)]
struct Damped {
    n: usize,
    a: Option<Rational>,
    cosine: Option<Rational>,
    sine: Option<Rational>,
}

impl Context<'_> {
    /// Σ cᵢ·|s|ⁿ·e^(−a|s|)·w(bs) with s = x − y and rational rates: a quotient of polynomials in ω².
    pub(super) fn damped_waves(&mut self, a: &Normal) -> Option<Proof> {
        let difference = Normal::x().minus(&Normal::y())?;
        if self.substitute(a, &difference, &Normal::zero())? != *a {
            return None;
        }
        let profile = self.substitute(a, &Normal::x(), &Normal::zero())?;
        let mut fractions: Vec<Fraction> = Vec::new();
        for (m, c) in profile.terms() {
            self.spend()?;
            if m.is_one() {
                // The transform of a constant is a mass at 0.
                if c < Rational::ZERO {
                    return None;
                }
                continue;
            }
            let part = damped(m)?.transform()?;
            let above = part.above.scaled(c)?;
            match fractions.iter_mut().find(|f| f.below == part.below) {
                Some(same) => same.above = same.above.plus(&above)?,
                None => fractions.push(Fraction { above, below: part.below }),
            }
        }
        if fractions.len() > MAX_TERMS {
            return None;
        }
        let total = numerator(&fractions)?;
        if !total.is_non_negative_from_zero() {
            return None;
        }
        let shown: Vec<String> = total.coefficients().iter().map(ToString::to_string).collect();
        let reason = format!(
            "with s = x − y the transform is P(ω²)/Q(ω²) with Q > 0, where P has the coefficients {}, lowest first, \
             and is ≥ 0",
            shown.join(", ")
        );
        Some(positive_step(a, ProofRule::Bochner).because(reason))
    }

    /// Σ cᵢ·e^(−aᵢs²): the transforms e^(−ω²/(4a))/√a, without the root, rise with a, so that it is
    /// enough that the sums of cᵢ/√aᵢ over the largest aᵢ are all ≥ 0.
    pub(super) fn gaussians(&mut self, a: &Normal) -> Option<Proof> {
        let mut parts: Vec<(Rational, Rational)> = Vec::new();
        for (m, c) in a.terms() {
            let mut exponent = Normal::zero();
            for (atom, q) in m.factors() {
                match atom {
                    Atom::Exp(u) if q == Rational::ONE => exponent = exponent.plus(u)?,
                    _ => return None,
                }
            }
            parts.push((self.curvature(&exponent)?, c));
        }
        parts.sort();
        parts.reverse();
        let mut sum = Interval::point(0.0);
        for (rate, c) in &parts {
            let root = Interval::rational(*rate).root()?;
            sum = sum.plus(Interval::rational(*c).over(root)?);
            if !sum.is_non_negative() {
                return None;
            }
        }
        let reason = "the transforms e^(−ω²/(4a)) rise with a, and the sums of c/√a over the largest a are all ≥ 0";
        Some(positive_step(a, ProofRule::Bochner).because(reason))
    }
}

/// Σ Nᵢ/Dᵢ over the product of all Dᵢ.
fn numerator(fractions: &[Fraction]) -> Option<Polynomial> {
    let mut total = Polynomial::new(Vec::new());
    for (i, fraction) in fractions.iter().enumerate() {
        let others = fractions.iter().enumerate().filter(|(j, _)| *j != i);
        let product = others.map(|(_, f)| &f.below).try_fold(fraction.above.clone(), |p, d| p.times(d))?;
        total = total.plus(&product)?;
    }
    Some(total)
}

/// The parts of a product of powers of |x|, an exponential and a wave.
fn damped(m: &Monomial) -> Option<Damped> {
    let mut out = Damped::default();
    for (atom, q) in m.factors() {
        let whole = q.is_whole() && q > Rational::ZERO;
        match atom {
            // A product of two waves or two exponentials is none of the terms that are known.
            Atom::Exp(_) if out.a.is_some() => return None,
            Atom::Cos(_) | Atom::Sin(_) if out.cosine.is_some() || out.sine.is_some() => return None,
            Atom::X if whole && q.numerator() % 2 == 0 => out.n += usize::try_from(q.numerator()).ok()?,
            Atom::Abs(u) if whole && *u == Normal::x() => out.n += usize::try_from(q.numerator()).ok()?,
            Atom::Exp(u) if q == Rational::ONE => out.a = Some(multiple(u, true)?.negated()),
            Atom::Cos(u) if q == Rational::ONE => {
                out.cosine = Some(multiple(u, false).or_else(|| multiple(u, true))?.magnitude());
            }
            Atom::Sin(u) if q == Rational::ONE => out.sine = Some(multiple(u, true)?),
            _ => return None,
        }
    }
    (out.n <= MAX_POWER).then_some(out)
}

/// c of c·x, or of c·|x|.
fn multiple(u: &Normal, magnitude: bool) -> Option<Rational> {
    let (m, c) = u.single()?;
    let expected = if magnitude { Atom::Abs(Normal::x()) } else { Atom::X };
    (*m == Monomial::of(expected, Rational::ONE)).then_some(c)
}

impl Damped {
    fn transform(&self) -> Option<Fraction> {
        let a = self.a.filter(|a| *a > Rational::ZERO)?;
        match (self.n, self.cosine, self.sine) {
            (n, None, None) => power_transform(n, a),
            (0, b, None) | (0, None, b) => wave_transform(a, b?, self.sine.is_some()),
            _ => None,
        }
    }
}

/// |s|ⁿ·e^(−a|s|) ↦ n!·Re (a − iω)ⁿ⁺¹/(a² + ω²)ⁿ⁺¹, up to a factor 2.
fn power_transform(n: usize, a: Rational) -> Option<Fraction> {
    let mut coefficients = Vec::new();
    let factorial = (1..=n).try_fold(Rational::ONE, |f, i| f.times(Rational::whole(i as i64)))?;
    for j in 0..=n.div_ceil(2) {
        let sign = Rational::whole(if j % 2 == 0 { 1 } else { -1 });
        let power = if 2 * j <= n + 1 { a.power((n + 1 - 2 * j) as i64)? } else { Rational::ZERO };
        coefficients.push(binomial(n + 1, 2 * j)?.times(power)?.times(sign)?.times(factorial)?);
    }
    let single = Polynomial::new(vec![a.times(a)?, Rational::ONE]);
    let below = (0..n).try_fold(single.clone(), |p, _| p.times(&single))?;
    Some(Fraction { above: Polynomial::new(coefficients), below })
}

/// e^(−a|s|)·cos bs ↦ a(a² + b² + ω²)/D and e^(−a|s|)·sin b|s| ↦ b(a² + b² − ω²)/D with
/// D = (a² + b² + ω²)² − 4b²ω², up to a factor 2.
fn wave_transform(a: Rational, b: Rational, sine: bool) -> Option<Fraction> {
    let size = a.times(a)?.plus(b.times(b)?)?;
    let sum = Polynomial::new(vec![size, Rational::ONE]);
    let above = match sine {
        false => sum.scaled(a)?,
        true => Polynomial::new(vec![size, Rational::whole(-1)]).scaled(b)?,
    };
    let cross = Polynomial::new(vec![Rational::ZERO, b.times(b)?.times(Rational::whole(4))?]);
    Some(Fraction { above, below: sum.times(&sum)?.minus(&cross)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    fn value(f: &Fraction, v: f64) -> f64 {
        let at = |p: &Polynomial| p.coefficients().iter().rev().fold(0.0, |sum, c| sum * v + c.to_f64());
        2.0 * at(&f.above) / at(&f.below)
    }

    /// 2∫ φ(s)·cos(ωs) ds over s > 0 by Simpson's rule.
    fn integral(density: impl Fn(f64) -> f64, omega: f64) -> f64 {
        let (h, n) = (1e-3, 60_000);
        let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
        let at = |i: usize| density(i as f64 * h) * (omega * i as f64 * h).cos();
        2.0 * (0..=n).map(|i| weight(i) * at(i)).sum::<f64>() * h / 3.0
    }

    #[test]
    fn transforms_are_the_integrals() {
        let whole = Rational::whole;
        for omega in [0.0f64, 0.4, 1.7] {
            for n in 0..5 {
                let found = value(&power_transform(n, whole(2)).expect("small"), omega * omega);
                let expected = integral(|s| s.powi(n as i32) * (-2.0 * s).exp(), omega);
                assert!((found - expected).abs() <= tol::GOLDEN, "{n} {omega}: {found} {expected}");
            }
            for sine in [false, true] {
                let found = value(&wave_transform(whole(1), whole(3), sine).expect("small"), omega * omega);
                let wave = |s: f64| if sine { (3.0 * s).sin() } else { (3.0 * s).cos() };
                let expected = integral(|s| (-s).exp() * wave(s), omega);
                assert!((found - expected).abs() <= tol::GOLDEN, "{sine} {omega}: {found} {expected}");
            }
        }
    }
}
