//! The judgement "positive definite".

use std::collections::BTreeMap;

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::interval::Interval;
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::{Context, MAX_DEPTH, positive_step};

/// Which way a function goes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    Flat,
    Up,
    Down,
}

impl Context<'_> {
    /// A proof that the expression is positive definite on the domain.
    pub(super) fn positive(&mut self, a: &Normal) -> Option<Proof> {
        if let Some(known) = self.positive.get(a) {
            return known.clone();
        }
        self.spend()?;
        // Until it is answered, whoever asks again learns nothing: a proof never rests on itself.
        self.positive.insert(a.clone(), None);
        self.depth += 1;
        let proof = if self.depth <= MAX_DEPTH { self.positive_by_rules(a) } else { None };
        self.depth -= 1;
        self.positive.insert(a.clone(), proof.clone());
        proof
    }

    fn positive_by_rules(&mut self, a: &Normal) -> Option<Proof> {
        if a.is_zero() {
            return Some(positive_step(a, ProofRule::FeatureMap).because("φ(x) = 0"));
        }
        if self.swapped(a)? != *a {
            return None;
        }
        self.sum(a)
            .or_else(|| self.series(a))
            .or_else(|| self.of_minimum(a))
            .or_else(|| self.stationary(a))
            .or_else(|| self.fourier(a))
            .or_else(|| self.ordered(a))
            .or_else(|| self.signs(a))
            .or_else(|| self.odd_part(a))
            .or_else(|| self.even_part(a))
            .or_else(|| self.by_base_point(a))
    }

    /// Terms grouped by the factor m(x, y) that is not separable: Σ cᵢⱼ fᵢ(x)·fⱼ(y)·m(x, y).
    fn sum(&mut self, a: &Normal) -> Option<Proof> {
        let mut groups: BTreeMap<Monomial, (Normal, Normal)> = BTreeMap::new();
        for (m, c) in a.terms() {
            let (mixed, rest) = (m.part(|v| v.both()), m.part(|v| !v.both()));
            let (whole, left) = groups.entry(mixed).or_insert_with(|| (Normal::zero(), Normal::zero()));
            *whole = whole.plus(&Normal::term(m.clone(), c))?;
            *left = left.plus(&Normal::term(rest, c))?;
        }
        let mut proofs = Vec::new();
        for (mixed, (whole, left)) in &groups {
            proofs.push(self.group(mixed, whole, left)?);
        }
        if proofs.len() == 1 {
            return proofs.pop();
        }
        Some(positive_step(a, ProofRule::Sum).using(proofs))
    }

    /// whole = left·mixed.
    fn group(&mut self, mixed: &Monomial, whole: &Normal, left: &Normal) -> Option<Proof> {
        if mixed.is_one() {
            return self.separable(left);
        }
        if self.negative_factor(left) {
            return None;
        }
        let kernel = self.product(mixed)?;
        if left.as_number() == Some(Rational::ONE) {
            return Some(kernel);
        }
        if left.variables().none() {
            return Some(positive_step(whole, ProofRule::Scale).because(format!("c = `{left}`")).using(vec![kernel]));
        }
        let separable = self.separable(left)?;
        if separable.rule == ProofRule::FeatureMap {
            let reason = separable.reason.replacen("φ(x)", "f(x)", 1);
            return Some(positive_step(whole, ProofRule::Conjugation).because(reason).using(vec![kernel]));
        }
        Some(positive_step(whole, ProofRule::Product).using(vec![separable, kernel]))
    }

    /// Whether a constant factor is not known to be ≥ 0.
    fn negative_factor(&mut self, left: &Normal) -> bool {
        left.variables().none() && !self.range(left).is_non_negative()
    }

    /// A product of powers of atoms of both variables.
    fn product(&mut self, mixed: &Monomial) -> Option<Proof> {
        let mut proofs = Vec::new();
        for (atom, q) in mixed.factors() {
            proofs.push(self.atom_power_positive(atom, q)?);
        }
        if proofs.len() == 1 {
            return proofs.pop();
        }
        let whole = Normal::term(mixed.clone(), Rational::ONE);
        Some(positive_step(&whole, ProofRule::Product).using(proofs))
    }

    /// h(min(f(x), f(y))) = min(h(f(x)), h(f(y))) for an increasing h ≥ 0.
    fn of_minimum(&mut self, a: &Normal) -> Option<Proof> {
        let mut found = None;
        if !a.variables().both() || !only_of_one_minimum(a, &mut found) {
            return None;
        }
        let Some(Atom::Min(f, g)) = found else { return None };
        self.of_one_point(&f, &g)?;
        if self.direction(a, is_minimum)? != Direction::Up {
            return None;
        }
        let h = self.diagonal(a)?;
        if !self.range(&h).is_non_negative() {
            return None;
        }
        let reason = format!("`{a}` = min(h(x), h(y)) with h(x) = `{h}` ≥ 0, since it increases with the minimum");
        Some(positive_step(a, ProofRule::Indicators).because(reason))
    }

    /// Which way the expression goes as a function of the only part of it that varies.
    pub(super) fn direction(&mut self, a: &Normal, varies: fn(&Atom) -> bool) -> Option<Direction> {
        self.spend()?;
        let mut out = Direction::Flat;
        for (m, c) in a.terms() {
            let term = turned(self.direction_of_monomial(m, varies)?, c < Rational::ZERO);
            out = agreed(out, term)?;
        }
        Some(out)
    }

    fn direction_of_monomial(&mut self, m: &Monomial, varies: fn(&Atom) -> bool) -> Option<Direction> {
        let mut out = Direction::Flat;
        for (atom, q) in m.factors() {
            let base = Normal::atom(atom.clone());
            let plain = m.single().is_some() && q == Rational::ONE;
            if !plain && !self.range(&base).is_non_negative() {
                return None;
            }
            out = agreed(out, turned(self.direction_of_atom(atom, varies)?, q < Rational::ZERO))?;
        }
        Some(out)
    }

    fn direction_of_atom(&mut self, atom: &Atom, varies: fn(&Atom) -> bool) -> Option<Direction> {
        if atom.variables().none() {
            return Some(Direction::Flat);
        }
        match atom {
            atom if varies(atom) => Some(Direction::Up),
            Atom::Group(u) | Atom::Exp(u) | Atom::Log(u) | Atom::Sinh(u) | Atom::Tanh(u) => self.direction(u, varies),
            Atom::Cosh(u) | Atom::Abs(u) if self.range(u).is_non_negative() => self.direction(u, varies),
            _ => None,
        }
    }

    /// c − Σ rᵢ|fᵢ(x) − fᵢ(y)| with c ≥ Σ rᵢLᵢ/2, where fᵢ takes values in an interval of length Lᵢ.
    fn signs(&mut self, a: &Normal) -> Option<Proof> {
        let mut needed = Interval::point(0.0);
        for (m, c) in a.terms().filter(|(m, _)| !m.is_one()) {
            let (Atom::Abs(u), q) = m.single()? else { return None };
            if q != Rational::ONE || c > Rational::ZERO {
                return None;
            }
            let f = self.difference(u)?;
            let range = self.range(&f);
            let length = Interval::point(range.high).minus(Interval::point(range.low));
            needed = needed.plus(length.times(Interval::rational(c.negated())).times(Interval::point(0.5)));
        }
        let constant = Interval::rational(a.constant());
        if !constant.minus(needed).is_non_negative() {
            return None;
        }
        Some(positive_step(a, ProofRule::Signs).because("the values lie in intervals that are short enough"))
    }

    /// A conditionally positive definite k with k(x, z) = c ≥ 0 for all x is positive definite.
    fn by_base_point(&mut self, a: &Normal) -> Option<Proof> {
        for z in self.points.clone() {
            let Some(at_z) = self.substitute(a, &Normal::x(), &Normal::number(z)) else { continue };
            let Some(c) = at_z.as_number().filter(|c| *c >= Rational::ZERO) else { continue };
            let negative = self.negative(&a.negated())?;
            let reason = format!("z = {z}, where `{a}` is {c} for every x");
            return Some(positive_step(a, ProofRule::BasePoint).because(reason).using(vec![negative]));
        }
        None
    }
}

fn is_minimum(atom: &Atom) -> bool {
    matches!(atom, Atom::Min(..))
}

fn turned(direction: Direction, turn: bool) -> Direction {
    match (direction, turn) {
        (Direction::Up, true) => Direction::Down,
        (Direction::Down, true) => Direction::Up,
        (same, _) => same,
    }
}

fn agreed(a: Direction, b: Direction) -> Option<Direction> {
    match (a, b) {
        (Direction::Flat, other) | (other, Direction::Flat) => Some(other),
        (a, b) => (a == b).then_some(a),
    }
}

/// Whether x and y stand only inside one and the same minimum, which is noted.
fn only_of_one_minimum(a: &Normal, found: &mut Option<Atom>) -> bool {
    a.terms().all(|(m, _)| {
        m.factors().all(|(atom, _)| match atom {
            atom if atom.variables().none() => true,
            Atom::Min(..) => match found {
                Some(known) => known == atom,
                None => {
                    *found = Some(atom.clone());
                    true
                }
            },
            Atom::Group(u) | Atom::Exp(u) | Atom::Log(u) | Atom::Abs(u) => only_of_one_minimum(u, found),
            Atom::Cosh(u) | Atom::Sinh(u) | Atom::Tanh(u) => only_of_one_minimum(u, found),
            _ => false,
        })
    })
}
