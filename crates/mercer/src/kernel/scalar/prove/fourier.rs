//! Polynomials in cosines and sines of differences, by their Fourier coefficients.

use std::collections::BTreeMap;

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::{Context, positive_step};

/// Higher powers are not multiplied out.
const MAX_POWER: i128 = 12;
/// Nor are sums of more waves.
const MAX_WAVES: usize = 60;

/// Σ a_u cos u + b_u sin u; the phases u are 0 or begin with a positive coefficient.
#[derive(Clone, Debug)]
struct Waves(BTreeMap<Normal, (Rational, Rational)>);

impl Context<'_> {
    /// Σ a_u cos u with all a_u ≥ 0 and differences u = f(x) − f(y).
    pub(super) fn fourier(&mut self, a: &Normal) -> Option<Proof> {
        let of_waves =
            |atom: &Atom| matches!(atom, Atom::Cos(_) | Atom::Sin(_) | Atom::Abs(_)) && atom.variables().both();
        if !a.terms().any(|(m, _)| m.factors().any(|(atom, _)| of_waves(atom))) {
            return None;
        }
        let mut sum = Waves(BTreeMap::new());
        for (m, c) in a.terms() {
            sum = match self.magnitude_of_sine(m) {
                // |sin u| = 2/π − 4/π·Σ cos(2nu)/(4n² − 1): less of it leaves weights ≥ 0 but for the first.
                true if c < Rational::ZERO => sum.with(&Normal::zero(), c.times(two_over_pi()?)?, Rational::ZERO)?,
                true => return None,
                false => sum.plus(&self.waves(m)?, c)?,
            };
        }
        let mut shown = Vec::new();
        for (phase, (cosine, sine)) in &sum.0 {
            if *sine != Rational::ZERO || *cosine < Rational::ZERO {
                return None;
            }
            let wave = if phase.is_zero() { String::new() } else { format!("·cos({phase})") };
            shown.push(format!("{cosine}{wave}"));
        }
        let reason = format!("`{a}` = {}, a sum of cos(s − t) with weights ≥ 0", shown.join(" + "));
        Some(positive_step(a, ProofRule::AdditionTheorem).because(reason))
    }

    /// Whether it is |sin(f(x) − f(y))|.
    fn magnitude_of_sine(&mut self, m: &Monomial) -> bool {
        match m.single() {
            Some((Atom::Abs(u), q)) => q == Rational::ONE && self.is_sine_of_difference(u),
            _ => false,
        }
    }

    /// A product of whole powers of cosines and sines of differences.
    fn waves(&mut self, m: &Monomial) -> Option<Waves> {
        let mut product = Waves::cosine(&Normal::zero());
        for (atom, q) in m.factors() {
            if !q.is_whole() || q < Rational::ZERO || q.numerator() > MAX_POWER {
                return None;
            }
            let wave = match atom {
                Atom::Cos(u) => self.difference(u).map(|_| Waves::cosine(u))?,
                Atom::Sin(u) => self.difference(u).map(|_| Waves::sine(u))?,
                _ => return None,
            };
            for _ in 0..q.numerator() {
                self.spend()?;
                product = product.times(&wave)?;
            }
        }
        Some(product)
    }
}

/// A fraction a little above 2/π = 0.63661977….
fn two_over_pi() -> Option<Rational> {
    Rational::new(63_661_978, 100_000_000)
}

impl Waves {
    fn cosine(u: &Normal) -> Self {
        Waves(BTreeMap::new()).with(u, Rational::ONE, Rational::ZERO).unwrap_or(Waves(BTreeMap::new()))
    }

    fn sine(u: &Normal) -> Self {
        Waves(BTreeMap::new()).with(u, Rational::ZERO, Rational::ONE).unwrap_or(Waves(BTreeMap::new()))
    }

    /// Adds a·cos u + b·sin u.
    fn with(mut self, u: &Normal, a: Rational, b: Rational) -> Option<Self> {
        let turned = u.terms().next().is_some_and(|(_, c)| c < Rational::ZERO);
        let (phase, b) = if turned { (u.negated(), b.negated()) } else { (u.clone(), b) };
        let b = if phase.is_zero() { Rational::ZERO } else { b };
        let old = self.0.get(&phase).copied().unwrap_or((Rational::ZERO, Rational::ZERO));
        self.0.insert(phase, (old.0.plus(a)?, old.1.plus(b)?));
        (self.0.len() <= MAX_WAVES).then_some(self)
    }

    fn plus(mut self, other: &Waves, weight: Rational) -> Option<Self> {
        for (u, (a, b)) in &other.0 {
            self = self.with(u, a.times(weight)?, b.times(weight)?)?;
        }
        Some(self)
    }

    /// By cos u·cos v = (cos(u − v) + cos(u + v))/2 and its like.
    fn times(&self, other: &Waves) -> Option<Waves> {
        let half = Rational::new(1, 2)?;
        let mut out = Waves(BTreeMap::new());
        for (u, (a, b)) in &self.0 {
            for (v, (c, d)) in &other.0 {
                let (sum, difference) = (u.plus(v)?, u.minus(v)?);
                let (ac, bd) = (a.times(*c)?.times(half)?, b.times(*d)?.times(half)?);
                let (ad, bc) = (a.times(*d)?.times(half)?, b.times(*c)?.times(half)?);
                out = out.with(&difference, ac.plus(bd)?, bc.minus(ad)?)?;
                out = out.with(&sum, ac.minus(bd)?, bc.plus(ad)?)?;
            }
        }
        Some(out)
    }
}
