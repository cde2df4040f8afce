//! Functions of normal forms, taken apart where an identity allows it.

use std::collections::BTreeMap;

use crate::kernel::property::Rational;
use crate::kernel::scalar::prove::Context;

use super::{Atom, Monomial, Normal, Variables};

/// Numbers are factored by primes up to here under a logarithm.
const LARGEST_PRIME: i128 = 1000;

impl Context<'_> {
    /// eᵃ; a term r·log u becomes the factor u^r.
    pub(in crate::kernel::scalar) fn exp(&mut self, a: &Normal) -> Option<Normal> {
        let logarithm = |m: &Monomial| match m.single() {
            Some((Atom::Log(u), q)) if q == Rational::ONE => Some(u.clone()),
            _ => None,
        };
        let rest = a.part(|m, _| logarithm(m).is_none());
        let mut out = Normal::term(self.exp_parts(&rest), Rational::ONE);
        let powers: Vec<(Normal, Rational)> = a.terms().filter_map(|(m, c)| Some((logarithm(m)?, c))).collect();
        for (u, r) in powers {
            let power = self.power(&u, r)?;
            out = self.multiply(&out, &power)?;
        }
        Some(out)
    }

    /// eᵃ as a product of one exponential for each set of variables.
    pub(super) fn exp_parts(&mut self, a: &Normal) -> Monomial {
        let mut parts: BTreeMap<Variables, Normal> = BTreeMap::new();
        for (m, c) in a.terms() {
            let part = parts.entry(m.variables()).or_insert_with(Normal::zero);
            // Terms of one sum are distinct, so adding them one by one cannot grow or overflow.
            *part = part.plus(&Normal::term(m.clone(), c)).unwrap_or_else(Normal::zero);
        }
        Monomial(parts.into_values().map(|u| (Atom::Exp(u), Rational::ONE)).collect())
    }

    /// log a, for a > 0.
    pub(in crate::kernel::scalar) fn log(&mut self, a: &Normal) -> Option<Normal> {
        self.spend()?;
        if let Some((monomial, c)) = a.single() {
            let (monomial, c) = (monomial.clone(), c);
            let positive = monomial.factors().all(|(f, _)| self.range(&Normal::atom(f.clone())).is_positive());
            if !(positive && c > Rational::ZERO) {
                return Some(Normal::atom(Atom::Log(a.clone())));
            }
            return self.log_of_term(&monomial, c);
        }
        if a.is_zero() {
            return None;
        }
        let (content, common, rest) = self.primitive(a, true)?;
        self.log_of_term(&common, content)?.plus(&Normal::atom(Atom::Log(rest)))
    }

    fn log_of_term(&mut self, monomial: &Monomial, c: Rational) -> Option<Normal> {
        let mut sum = log_of_whole(c.numerator())?.minus(&log_of_whole(c.denominator())?)?;
        for (atom, q) in monomial.factors() {
            let log = match atom {
                Atom::Exp(u) => u.clone(),
                Atom::Group(u) => Normal::atom(Atom::Log(u.clone())),
                other => Normal::atom(Atom::Log(Normal::atom(other.clone()))),
            };
            sum = sum.plus(&log.scaled(q)?)?;
        }
        Some(sum)
    }

    /// |a|.
    pub(in crate::kernel::scalar) fn abs(&mut self, a: &Normal) -> Option<Normal> {
        let range = self.range(a);
        if range.is_non_negative() {
            return Some(a.clone());
        }
        if range.high <= 0.0 {
            return Some(a.negated());
        }
        if let Some((monomial, c)) = a.single() {
            let mut out = Normal::number(c.magnitude());
            for (atom, q) in monomial.clone().factors() {
                let part = self.abs_of_factor(atom, q);
                out = self.multiply(&out, &part)?;
            }
            return Some(out);
        }
        let first = a.terms().next()?.1;
        let inner = a.scaled(Rational::ONE.over(first)?)?;
        Normal::atom(Atom::Abs(inner)).scaled(first.magnitude())
    }

    fn abs_of_factor(&mut self, atom: &Atom, q: Rational) -> Normal {
        let base = Normal::atom(atom.clone());
        let even = q.is_whole() && q.numerator() % 2 == 0;
        let kept = even || self.range(&base).is_non_negative() || matches!(atom, Atom::Abs(_));
        let atom = if kept { atom.clone() } else { Atom::Abs(base) };
        Normal::term(Monomial::of(atom, q), Rational::ONE)
    }

    /// An even function, with the sign of its argument chosen.
    pub(in crate::kernel::scalar) fn even(&mut self, atom: fn(Normal) -> Atom, a: &Normal) -> Normal {
        match a.terms().next() {
            None => Normal::one(),
            Some((_, c)) if c < Rational::ZERO => Normal::atom(atom(a.negated())),
            Some(_) => Normal::atom(atom(a.clone())),
        }
    }

    /// An odd function, with the sign of its argument taken out.
    pub(in crate::kernel::scalar) fn odd(&mut self, atom: fn(Normal) -> Atom, a: &Normal) -> Normal {
        match a.terms().next() {
            None => Normal::zero(),
            Some((_, c)) if c < Rational::ZERO => Normal::atom(atom(a.negated())).negated(),
            Some(_) => Normal::atom(atom(a.clone())),
        }
    }

    /// min(a, b); by |a − b| in the distance view.
    pub(in crate::kernel::scalar) fn min(&mut self, a: &Normal, b: &Normal) -> Option<Normal> {
        let difference = a.minus(b)?;
        let range = self.range(&difference);
        if range.high <= 0.0 {
            return Some(a.clone());
        }
        if range.low >= 0.0 {
            return Some(b.clone());
        }
        if self.by_distance {
            let distance = self.abs(&difference)?;
            return a.plus(b)?.minus(&distance)?.scaled(Rational::new(1, 2)?);
        }
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        Some(Normal::atom(Atom::Min(low.clone(), high.clone())))
    }

    /// max(a, b) = a + b − min(a, b).
    pub(in crate::kernel::scalar) fn max(&mut self, a: &Normal, b: &Normal) -> Option<Normal> {
        if let Some(inside) = self.max_of_minimum(a, b).or_else(|| self.max_of_minimum(b, a)) {
            return Some(inside);
        }
        let min = self.min(a, b)?;
        let max = a.plus(b)?.minus(&min)?;
        // The sum of the three ranges is wider than what is known of the maximum.
        let range = self.range(a).greater(self.range(b)).meet(self.range(&max));
        self.ranges.insert(max.clone(), range);
        Some(max)
    }

    /// max(min(f, g), c) = min(max(f, c), max(g, c)) for a constant c.
    fn max_of_minimum(&mut self, a: &Normal, c: &Normal) -> Option<Normal> {
        let (m, one) = a.single().filter(|_| c.variables().none() && !self.by_distance)?;
        let (Atom::Min(f, g), q) = m.single()? else { return None };
        if one != Rational::ONE || q != Rational::ONE {
            return None;
        }
        let (f, g) = (self.max(f, c)?, self.max(g, c)?);
        self.min(&f, &g)
    }

    /// max(a, b) = a·b/min(a, b) for positive a and b.
    pub(in crate::kernel::scalar) fn max_as_quotient(&mut self, a: &Normal, b: &Normal) -> Option<Normal> {
        let positive = self.range(a).is_positive() && self.range(b).is_positive();
        if !positive || self.by_distance {
            return self.max(a, b);
        }
        let min = self.min(a, b)?;
        self.over_divisor(a, b, &min)
    }

    /// gcd(a, b).
    pub(in crate::kernel::scalar) fn gcd(&mut self, a: &Normal, b: &Normal) -> Option<Normal> {
        if a == b {
            return Some(a.clone());
        }
        if a.as_number() == Some(Rational::ONE) || b.as_number() == Some(Rational::ONE) {
            return Some(Normal::one());
        }
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        Some(Normal::atom(Atom::Gcd(low.clone(), high.clone())))
    }

    /// lcm(a, b) = a·b/gcd(a, b).
    pub(in crate::kernel::scalar) fn lcm(&mut self, a: &Normal, b: &Normal) -> Option<Normal> {
        let gcd = self.gcd(a, b)?;
        self.over_divisor(a, b, &gcd)
    }

    /// a·b/d.
    fn over_divisor(&mut self, a: &Normal, b: &Normal, d: &Normal) -> Option<Normal> {
        let inverse = self.power(d, Rational::whole(-1))?;
        let product = self.multiply(a, b)?;
        self.multiply(&product, &inverse)
    }
}

/// log n for n ≥ 1, by the prime factors of n.
fn log_of_whole(mut n: i128) -> Option<Normal> {
    let mut sum = Normal::zero();
    let mut prime = 2;
    while n > 1 {
        if prime > LARGEST_PRIME || prime * prime > n {
            prime = n;
        }
        while n % prime == 0 {
            n /= prime;
            let number = Normal::number(Rational::new(prime, 1)?);
            sum = sum.plus(&Normal::atom(Atom::Log(number)))?;
        }
        prime += 1;
    }
    Some(sum)
}
