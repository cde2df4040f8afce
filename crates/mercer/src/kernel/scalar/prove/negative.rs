//! The judgement "of negative type".

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::atoms::{arguments, opened, remarks};
use super::{Context, MAX_DEPTH, negative_step};

impl Context<'_> {
    /// A proof that the expression is of negative type on the domain.
    pub(super) fn negative(&mut self, a: &Normal) -> Option<Proof> {
        if let Some(known) = self.negative.get(a) {
            return known.clone();
        }
        self.spend()?;
        self.negative.insert(a.clone(), None);
        self.depth += 1;
        let proof = if self.depth <= MAX_DEPTH { self.negative_by_rules(a) } else { None };
        self.depth -= 1;
        self.negative.insert(a.clone(), proof.clone());
        proof
    }

    fn negative_by_rules(&mut self, a: &Normal) -> Option<Proof> {
        if self.swapped(a)? != *a {
            return None;
        }
        let additive = a.part(|m, _| !m.variables().both());
        let joint = a.part(|m, _| m.variables().both());
        let mut proofs = Vec::new();
        if !additive.is_zero() || joint.is_zero() {
            proofs.push(self.additive_step(&additive)?);
        }
        if !joint.is_zero() {
            proofs.extend(self.joint(&joint)?);
        }
        if proofs.len() == 1 {
            return proofs.pop();
        }
        Some(negative_step(a, ProofRule::NegativeTypeSum).using(proofs))
    }

    fn additive_step(&mut self, additive: &Normal) -> Option<Proof> {
        let f = self.additive(additive)?;
        Some(negative_step(additive, ProofRule::AdditiveSeparable).because(format!("f(x) = `{f}`")))
    }

    /// Proofs for parts that add up to the terms of both variables.
    fn joint(&mut self, joint: &Normal) -> Option<Vec<Proof>> {
        if let Some(proof) = self.negated_kernel(joint) {
            return Some(vec![proof]);
        }
        let separable = joint.part(|m, _| m.part(|v| v.both()).is_one());
        let mixed = joint.part(|m, _| !m.part(|v| v.both()).is_one());
        if mixed.is_zero() {
            return None;
        }
        if let Some(proof) = self.negative_times_constant(joint) {
            return Some(vec![proof]);
        }
        if let Some(proofs) = self.entropy(joint) {
            return Some(proofs);
        }
        let mut proofs = Vec::new();
        if !separable.is_zero() {
            proofs.push(self.negated_kernel(&separable)?);
        }
        for (m, c) in mixed.terms() {
            proofs.push(self.negative_term(m, c)?);
        }
        Some(proofs)
    }

    /// c·ψ with a constant c of several terms such as log 10 − 2·log 3.
    fn negative_times_constant(&mut self, joint: &Normal) -> Option<Proof> {
        let (constant, left) = self.common_constant(joint)?;
        let psi = if self.range(&constant).is_non_negative() {
            left
        } else if self.range(&constant).high <= 0.0 {
            left.negated()
        } else {
            return None;
        };
        let proof = self.negative(&psi)?;
        Some(
            negative_step(joint, ProofRule::NegativeTypeSum)
                .because(format!("weight `{constant}`, up to its sign"))
                .using(vec![proof]),
        )
    }

    fn negated_kernel(&mut self, a: &Normal) -> Option<Proof> {
        let kernel = a.negated();
        let proof = self.positive(&kernel)?;
        Some(negative_step(a, ProofRule::NegatedKernel).because(format!("k = `{kernel}`")).using(vec![proof]))
    }

    fn negative_term(&mut self, m: &Monomial, c: Rational) -> Option<Proof> {
        let term = Normal::term(m.clone(), c);
        if let Some(proof) = self.negated_kernel(&term) {
            return Some(proof);
        }
        let constant = Normal::term(m.part(|v| v.none()), c);
        let mixed = m.part(|v| !v.none());
        let (atom, q) = mixed.single()?;
        let sign = self.range(&constant);
        let proof = match (sign.is_non_negative(), sign.high <= 0.0) {
            (true, _) => self.negative_atom(atom, q)?,
            (false, true) => self.negative_of_negated(atom, q)?,
            // A constant whose sign is not known, such as cos(10^9), proves nothing.
            (false, false) => return None,
        };
        let unit = constant.as_number().is_some_and(|c| c.magnitude() == Rational::ONE);
        if unit {
            return Some(proof);
        }
        Some(negative_step(&term, ProofRule::NegativeTypeSum).using(vec![proof]))
    }

    /// a^q of negative type.
    fn negative_atom(&mut self, atom: &Atom, q: Rational) -> Option<Proof> {
        let whole = Normal::term(Monomial::of(atom.clone(), q), Rational::ONE);
        match atom {
            Atom::Abs(u) if q > Rational::ZERO && q < Rational::whole(2) && self.is_sine_of_difference(u) => {
                let reason = format!("|sin(s − t)|^p with p = {q}, as a power of sin²(s − t) = ‖φ(s) − φ(t)‖²");
                Some(negative_step(&whole, ProofRule::Bernstein).because(reason))
            }
            Atom::Abs(u) if q > Rational::ZERO && q <= Rational::whole(2) => {
                let f = self.difference(u)?;
                let reason = remarks([format!("p = {q}"), arguments(&f)]);
                Some(negative_step(&whole, ProofRule::DistancePower).because(reason))
            }
            Atom::Sin(u) if q == Rational::whole(2) => {
                let f = self.difference(u)?;
                let reason = format!("sin²(s − t) = ‖φ(s) − φ(t)‖² with φ(s) = (cos 2s, sin 2s)/2 and s = `{f}`");
                Some(negative_step(&whole, ProofRule::SquaredDistance).because(reason))
            }
            Atom::Log(psi) if q == Rational::ONE => {
                let proof = self.negative(psi)?;
                let reason = format!("ψ = `{psi}` > 0");
                self.is_positive(psi)
                    .then(|| negative_step(&whole, ProofRule::LogNegativeType).because(reason).using(vec![proof]))
            }
            atom if q > Rational::ZERO && q < Rational::ONE => {
                let psi = opened(atom);
                let proof = self.negative(&psi)?;
                let reason = format!("ψ = `{psi}` ≥ 0 and a = {q}");
                self.is_non_negative(&psi)
                    .then(|| negative_step(&whole, ProofRule::Bernstein).because(reason).using(vec![proof]))
            }
            _ => None,
        }
    }

    pub(super) fn is_sine_of_difference(&mut self, u: &Normal) -> bool {
        let sine = u.single().and_then(|(m, c)| (c == Rational::ONE).then(|| m.single())?);
        match sine {
            Some((Atom::Sin(v), q)) if q == Rational::ONE => self.difference(v).is_some(),
            _ => false,
        }
    }

    /// −a^q of negative type.
    fn negative_of_negated(&mut self, atom: &Atom, q: Rational) -> Option<Proof> {
        let whole = Normal::term(Monomial::of(atom.clone(), q), Rational::ONE).negated();
        if q > Rational::ONE && q <= Rational::whole(2) {
            return self.negated_power_of_sum(atom, q, &whole);
        }
        if q != Rational::ONE {
            return None;
        }
        match atom {
            Atom::Min(f, g) => {
                let f = self.of_one_point(f, g)?;
                Some(negative_step(&whole, ProofRule::Maximum).because(arguments(&f)))
            }
            Atom::Log(u) => self.negated_logarithm(u, &whole),
            _ => None,
        }
    }

    /// −(s + t)^q of negative type for 1 < q ≤ 2 and s, t ≥ 0.
    fn negated_power_of_sum(&mut self, atom: &Atom, q: Rational, whole: &Normal) -> Option<Proof> {
        let f = self.additive(&opened(atom))?;
        if !self.range(&f).is_non_negative() {
            return None;
        }
        let reason = remarks([format!("p = {q}"), arguments(&f)]);
        Some(negative_step(whole, ProofRule::PowerOfSum).because(reason))
    }

    /// Splits −c·w·log w with w = s + t off, where c ≥ 0 and s, t ≥ 0.
    fn entropy(&mut self, mixed: &Normal) -> Option<Vec<Proof>> {
        let logs = mixed.terms().flat_map(|(m, _)| m.factors()).filter_map(|(atom, q)| match atom {
            Atom::Log(w) if q == Rational::ONE && w.variables().both() => Some(w.clone()),
            _ => None,
        });
        for w in logs.collect::<Vec<_>>() {
            let Some(f) = self.additive(&w) else { continue };
            let product = self.multiply(&w, &Normal::atom(Atom::Log(w.clone())))?;
            let (first, unit) = product.terms().next()?;
            let Some((_, c)) = mixed.terms().find(|(m, _)| *m == first) else { continue };
            let scale = c.over(unit)?;
            if scale >= Rational::ZERO || !self.range(&f).is_non_negative() {
                continue;
            }
            let part = product.scaled(scale)?;
            let rest = mixed.minus(&part)?;
            let mut proofs = vec![negative_step(&part, ProofRule::PowerOfSum).because(arguments(&f))];
            if !rest.is_zero() {
                proofs.push(self.negative(&rest)?);
            }
            return Some(proofs);
        }
        None
    }

    /// −log u of negative type, for a divisor or a minimum u itself: log(−min) is log max.
    fn negated_logarithm(&mut self, u: &Normal, whole: &Normal) -> Option<Proof> {
        let (m, c) = u.single()?;
        let (atom, q) = m.single()?;
        if c <= Rational::ZERO || q != Rational::ONE {
            return None;
        }
        match atom {
            Atom::Gcd(f, g) => {
                self.of_one_point(f, g)?;
                Some(negative_step(whole, ProofRule::LogDivisors))
            }
            Atom::Min(f, g) => {
                let f = self.of_one_point(f, g)?;
                let reason = format!("−log min(s, t) = max(−log s, −log t) with s = `{f}`");
                Some(negative_step(whole, ProofRule::Maximum).because(reason))
            }
            _ => None,
        }
    }

    /// f, where the two arguments are f(x) and f(y) in some order.
    pub(super) fn of_one_point(&mut self, f: &Normal, g: &Normal) -> Option<Normal> {
        if f.variables().both() || self.swapped(f)? != *g {
            return None;
        }
        Some(if f.variables().x { f.clone() } else { g.clone() })
    }
}
