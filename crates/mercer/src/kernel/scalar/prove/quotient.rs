//! Inverse powers of A − B, where 1/A is a kernel and B is one.

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::Normal;

use super::{Context, positive_step};

impl Context<'_> {
    /// (A − B)^(−p) = Σ p(p + 1)…(p + n − 1)/n!·Bⁿ/A^(n+p) for 0 ≤ B < A.
    pub(super) fn quotient(&mut self, psi: &Normal, p: Rational, whole: &Normal) -> Option<Proof> {
        if !self.is_positive(psi) {
            return None;
        }
        self.over_squared_sum(psi, p, whole).or_else(|| self.over_product(psi, p, whole))
    }

    /// A = (h(x) + h(y))², of which every negative power is a kernel.
    fn over_squared_sum(&mut self, psi: &Normal, p: Rational, whole: &Normal) -> Option<Proof> {
        let additive = psi.part(|m, _| m.variables().x && !m.variables().y);
        let (m, c) = additive.single()?;
        let square = Normal::term(m.clone(), c);
        if !self.range(&square).is_non_negative() {
            return None;
        }
        let h = self.power(&square, Rational::new(1, 2)?)?;
        let sum = h.plus(&self.swapped(&h)?)?;
        let a = self.power(&sum, Rational::whole(2))?;
        let b = a.minus(psi)?;
        if !(self.range(&sum).is_positive() && self.range(&b).is_non_negative()) {
            return None;
        }
        let power = self.power(&sum, p.times(Rational::whole(-2))?)?;
        let inverse = self.positive(&power)?;
        let kernel = self.positive(&b)?;
        let reason = format!("A = `({sum})^2`, B = `{b}` and p = {p}");
        Some(positive_step(whole, ProofRule::Quotient).because(reason).using(vec![inverse, kernel]))
    }

    /// A = r·u(x)·u(y) with u > 0, and a number B ≥ 0.
    fn over_product(&mut self, psi: &Normal, p: Rational, whole: &Normal) -> Option<Proof> {
        let joint = psi.part(|m, _| m.variables().both());
        let (m, r) = joint.single()?;
        if r <= Rational::ZERO {
            return None;
        }
        let h = Normal::term(m.part(|v| !v.y), Rational::ONE);
        let other = self.swapped(&h)?;
        let slope = psi.part(|m, _| m.variables().x && !m.variables().y);
        let (m, q) = slope.single()?;
        let u = h.plus(&Normal::number(q.over(r)?))?;
        let mirrored = self.swapped(&u)?;
        let a = self.multiply(&u, &mirrored)?.scaled(r)?;
        let b = a.minus(psi)?.as_number().filter(|b| *b >= Rational::ZERO)?;
        if Normal::term(m.clone(), Rational::ONE) != h || h == other || !self.range(&u).is_positive() {
            return None;
        }
        let feature = self.power(&u, p.negated())?;
        let mirrored = self.swapped(&feature)?;
        let shown = self.multiply(&feature, &mirrored)?;
        let inverse = positive_step(&shown, ProofRule::FeatureMap).because(format!("φ(x) = `{feature}`"));
        let reason = format!("A = {r}·u(x)·u(y) with u(x) = `{u}`, B = {b} and p = {p}");
        Some(positive_step(whole, ProofRule::Quotient).because(reason).using(vec![inverse]))
    }
}
