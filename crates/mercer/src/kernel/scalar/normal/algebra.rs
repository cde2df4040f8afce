//! Sums, products, powers and substitution of normal forms.

use std::collections::BTreeMap;

use crate::kernel::property::Rational;
use crate::kernel::scalar::prove::Context;

use super::{Atom, Monomial, Normal};

/// Normal forms with more terms are given up.
const MAX_TERMS: usize = 80;
/// So are those with more parts inside each other.
const MAX_SIZE: usize = 4000;
/// Whole powers of sums up to this one are multiplied out.
const MAX_EXPANDED: i128 = 12;

impl Normal {
    /// a + b, unless it grows too large.
    pub(in crate::kernel::scalar) fn plus(&self, other: &Normal) -> Option<Normal> {
        let mut terms: BTreeMap<Monomial, Rational> = self.0.terms.clone();
        for (monomial, c) in other.terms() {
            let sum = terms.get(monomial).copied().unwrap_or(Rational::ZERO).plus(c)?;
            if sum == Rational::ZERO {
                terms.remove(monomial);
            } else {
                terms.insert(monomial.clone(), sum);
            }
        }
        let sum = Normal::sum(terms);
        (sum.len() <= MAX_TERMS && sum.size() <= MAX_SIZE).then_some(sum)
    }

    /// a − b.
    pub(in crate::kernel::scalar) fn minus(&self, other: &Normal) -> Option<Normal> {
        self.plus(&other.negated())
    }

    /// c·a for a number c.
    pub(in crate::kernel::scalar) fn scaled(&self, c: Rational) -> Option<Normal> {
        if c == Rational::ZERO {
            return Some(Normal::zero());
        }
        let terms: Option<BTreeMap<_, _>> = self.terms().map(|(m, v)| Some((m.clone(), v.times(c)?))).collect();
        terms.map(Normal::sum)
    }
}

impl Context<'_> {
    /// a·b, multiplied out.
    pub(in crate::kernel::scalar) fn multiply(&mut self, a: &Normal, b: &Normal) -> Option<Normal> {
        if a.len() * b.len() > MAX_TERMS * 8 {
            return None;
        }
        let mut sum = Normal::zero();
        for (m, c) in a.terms() {
            for (n, d) in b.terms() {
                let product = self.multiply_monomials(m, n)?.scaled(c.times(d)?)?;
                sum = sum.plus(&product)?;
            }
        }
        Some(sum)
    }

    /// Merges exponents, then takes apart what the new exponents allow.
    fn multiply_monomials(&mut self, a: &Monomial, b: &Monomial) -> Option<Normal> {
        if a.is_one() || b.is_one() {
            let other = if a.is_one() { b } else { a };
            return Some(Normal::term(other.clone(), Rational::ONE));
        }
        self.spend()?;
        let mut merged: BTreeMap<Atom, Rational> = a.0.clone();
        for (atom, q) in b.factors() {
            let sum = merged.get(atom).copied().unwrap_or(Rational::ZERO).plus(q)?;
            if sum == Rational::ZERO {
                merged.remove(atom)
            } else {
                merged.insert(atom.clone(), sum)
            };
        }
        let loose = |atom: &Atom, q: Rational| match atom {
            Atom::Exp(_) => true,
            // A power of a number that does not fit stays as it is.
            Atom::Group(g) => match g.as_number() {
                Some(c) => whole_power(c, q).is_some(),
                None => q == Rational::ONE,
            },
            Atom::Abs(_) => q.is_whole() && q.numerator() % 2 == 0,
            _ => false,
        };
        let kept = merged.iter().filter(|(a, q)| !loose(a, **q)).map(|(a, q)| (a.clone(), *q)).collect();
        let mut out = Normal::term(Monomial(kept), Rational::ONE);
        let mut exponent = Normal::zero();
        for (atom, q) in merged.into_iter().filter(|(a, q)| loose(a, *q)) {
            match atom {
                Atom::Exp(u) => exponent = exponent.plus(&u.scaled(q)?)?,
                Atom::Group(u) | Atom::Abs(u) => {
                    let power = self.power(&u, q)?;
                    out = self.multiply(&out, &power)?;
                }
                _ => {}
            }
        }
        if exponent.is_zero() {
            return Some(out);
        }
        let exponential = self.exp_parts(&exponent);
        self.join_disjoint(&out, exponential)
    }

    /// The product of a sum without exponentials and a monomial of exponentials only.
    fn join_disjoint(&mut self, a: &Normal, b: Monomial) -> Option<Normal> {
        let has_exp = a.terms().any(|(m, _)| m.factors().any(|(f, _)| matches!(f, Atom::Exp(_))));
        if has_exp {
            return self.multiply(a, &Normal::term(b, Rational::ONE));
        }
        let terms = a.terms().map(|(m, c)| {
            let mut factors = m.0.clone();
            factors.extend(b.0.clone());
            (Monomial(factors), c)
        });
        Some(Normal::sum(terms.collect()))
    }

    /// a^r, taken apart as far as the signs of the parts allow.
    pub(in crate::kernel::scalar) fn power(&mut self, a: &Normal, r: Rational) -> Option<Normal> {
        self.spend()?;
        if r == Rational::ZERO {
            return Some(Normal::one());
        }
        if r == Rational::ONE || a.as_number() == Some(Rational::ONE) {
            return Some(a.clone());
        }
        if a.is_zero() {
            return (r > Rational::ZERO).then(Normal::zero);
        }
        if let Some((monomial, c)) = a.single() {
            let (monomial, c) = (monomial.clone(), c);
            return self.power_of_term(a, &monomial, c, r);
        }
        if r.is_whole()
            && r > Rational::ZERO
            && r.numerator() <= MAX_EXPANDED
            && let Some(expanded) = self.expanded(a, r.numerator())
        {
            return Some(expanded);
        }
        self.power_of_sum(a, r)
    }

    fn expanded(&mut self, a: &Normal, n: i128) -> Option<Normal> {
        let mut out = a.clone();
        for _ in 1..n {
            out = self.multiply(&out, a)?;
        }
        Some(out)
    }

    /// (c·Π aᵢ^qᵢ)^r.
    fn power_of_term(&mut self, whole: &Normal, monomial: &Monomial, c: Rational, r: Rational) -> Option<Normal> {
        let mut out = match self.number_power(c, r) {
            Some(power) => power,
            None => return Some(Normal::term(Monomial::of(Atom::Group(whole.clone()), r), Rational::ONE)),
        };
        for (atom, q) in monomial.factors() {
            let Some(part) = self.power_of_factor(atom, q, r) else {
                return Some(Normal::term(Monomial::of(Atom::Group(whole.clone()), r), Rational::ONE));
            };
            out = self.multiply(&out, &part)?;
        }
        Some(out)
    }

    /// c^r, if it is real.
    fn number_power(&mut self, c: Rational, r: Rational) -> Option<Normal> {
        if let Some(power) = whole_power(c, r) {
            return Some(Normal::number(power));
        }
        if c <= Rational::ZERO {
            return None;
        }
        let kept = || Some(Normal::term(Monomial::of(Atom::Group(Normal::number(c)), r), Rational::ONE));
        if r.is_whole() {
            return kept();
        }
        let root = |n: i128| {
            let guess = (n as f64).powf(1.0 / r.denominator() as f64).round() as i128;
            let fits = u32::try_from(r.denominator()).ok().and_then(|d| guess.checked_pow(d)) == Some(n);
            fits.then_some(guess)
        };
        match (root(c.numerator()), root(c.denominator())) {
            (Some(p), Some(q)) => match whole_power(Rational::new(p, q)?, Rational::new(r.numerator(), 1)?) {
                Some(power) => Some(Normal::number(power)),
                None => kept(),
            },
            _ => kept(),
        }
    }

    /// (a^q)^r = a^(qr), where signs allow it.
    fn power_of_factor(&mut self, atom: &Atom, q: Rational, r: Rational) -> Option<Normal> {
        let exponent = q.times(r)?;
        if let Atom::Exp(u) = atom {
            let scaled = u.scaled(exponent)?;
            return Some(Normal::term(self.exp_parts(&scaled), Rational::ONE));
        }
        let base = Normal::atom(atom.clone());
        let even = q.is_whole() && q.numerator() % 2 == 0;
        if r.is_whole() || self.range(&base).is_non_negative() {
            return self.atom_power(atom.clone(), exponent);
        }
        if !even {
            return None;
        }
        let magnitude = self.abs(&base)?;
        self.power(&magnitude, exponent)
    }

    /// An atom to a power; powers of groups and of absolute values may open.
    fn atom_power(&mut self, atom: Atom, exponent: Rational) -> Option<Normal> {
        let opens = match &atom {
            Atom::Group(u) if u.as_number().is_some() => exponent.is_whole(),
            Atom::Group(_) => exponent.is_whole() && exponent > Rational::ZERO,
            Atom::Abs(_) => exponent.is_whole() && exponent.numerator() % 2 == 0,
            _ => false,
        };
        match atom {
            Atom::Group(u) | Atom::Abs(u) if opens => self.power(&u, exponent),
            atom => Some(Normal::term(Monomial::of(atom, exponent), Rational::ONE)),
        }
    }

    /// (c·m·g)^r, where g has no common factor and its first coefficient is ±1.
    fn power_of_sum(&mut self, a: &Normal, r: Rational) -> Option<Normal> {
        let (content, common, rest) = self.primitive_for(a, r)?;
        let group = Normal::term(Monomial::of(Atom::Group(rest), r), Rational::ONE);
        let mut out = self.number_power(content, r)?;
        for (atom, q) in common.factors() {
            let part = self.power_of_factor(atom, q, r)?;
            out = self.multiply(&out, &part)?;
        }
        self.multiply(&out, &group)
    }

    /// The parts whose powers may be taken one by one: with a fractional r > 0 also factors ≥ 0, as
    /// long as what is left is ≥ 0 where they are 0.
    fn primitive_for(&mut self, a: &Normal, r: Rational) -> Option<(Rational, Monomial, Normal)> {
        if !r.is_whole() && r > Rational::ZERO {
            let (content, common, rest) = self.primitive(a, false)?;
            let known = common.factors().all(|(f, _)| self.range(&Normal::atom(f.clone())).is_non_negative());
            if known && self.range(&rest).is_non_negative() {
                return Some((content, common, rest));
            }
        }
        self.primitive(a, !r.is_whole())
    }

    /// A sum as c·m·g: c > 0, m a monomial that divides every term, g the rest. Only factors of
    /// known sign are taken out when `signed`.
    pub(in crate::kernel::scalar) fn primitive(
        &mut self,
        a: &Normal,
        signed: bool,
    ) -> Option<(Rational, Monomial, Normal)> {
        let content = a.terms().next()?.1.magnitude();
        let mut common: Option<BTreeMap<Atom, Rational>> = None;
        for (monomial, _) in a.terms() {
            common = Some(match common {
                None => monomial.0.clone(),
                Some(so_far) => least_powers(&so_far, &monomial.0),
            });
        }
        let mut common = common.unwrap_or_default();
        common.retain(|atom, _| !matches!(atom, Atom::Exp(_) | Atom::Group(_)));
        if signed {
            common.retain(|atom, _| self.range(&Normal::atom(atom.clone())).is_positive());
        }
        let common = Monomial(common);
        let inverse = Monomial(common.factors().map(|(a, q)| (a.clone(), q.negated())).collect());
        let rest = self.multiply(&a.scaled(Rational::ONE.over(content)?)?, &Normal::term(inverse, Rational::ONE))?;
        Some((content, common, rest))
    }

    /// The expression with x and y replaced.
    pub(in crate::kernel::scalar) fn substitute(&mut self, a: &Normal, x: &Normal, y: &Normal) -> Option<Normal> {
        self.spend()?;
        let mut sum = Normal::zero();
        for (monomial, c) in a.terms() {
            let mut product = Normal::number(c);
            for (atom, q) in monomial.factors() {
                let part = self.substitute_atom(atom, x, y)?;
                let part = self.power(&part, q)?;
                product = self.multiply(&product, &part)?;
            }
            sum = sum.plus(&product)?;
        }
        Some(sum)
    }

    fn substitute_atom(&mut self, atom: &Atom, x: &Normal, y: &Normal) -> Option<Normal> {
        let inner = |context: &mut Self, u: &Normal| context.substitute(u, x, y);
        match atom {
            Atom::X => Some(x.clone()),
            Atom::Y => Some(y.clone()),
            Atom::Pi => Some(Normal::atom(Atom::Pi)),
            Atom::Group(u) => inner(self, u),
            Atom::Exp(u) => inner(self, u).and_then(|u| self.exp(&u)),
            Atom::Log(u) => inner(self, u).and_then(|u| self.log(&u)),
            Atom::Abs(u) => inner(self, u).and_then(|u| self.abs(&u)),
            Atom::Cos(u) => inner(self, u).map(|u| self.even(Atom::Cos, &u)),
            Atom::Cosh(u) => inner(self, u).map(|u| self.even(Atom::Cosh, &u)),
            Atom::Sin(u) => inner(self, u).map(|u| self.odd(Atom::Sin, &u)),
            Atom::Sinh(u) => inner(self, u).map(|u| self.odd(Atom::Sinh, &u)),
            Atom::Tanh(u) => inner(self, u).map(|u| self.odd(Atom::Tanh, &u)),
            Atom::Min(u, v) => {
                let (u, v) = (inner(self, u)?, inner(self, v)?);
                self.min(&u, &v)
            }
            Atom::Gcd(u, v) => {
                let (u, v) = (inner(self, u)?, inner(self, v)?);
                self.gcd(&u, &v)
            }
        }
    }

    /// The expression with x and y exchanged.
    pub(in crate::kernel::scalar) fn swapped(&mut self, a: &Normal) -> Option<Normal> {
        self.substitute(a, &Normal::y(), &Normal::x())
    }
}

/// cʳ for a whole r, if it fits.
fn whole_power(c: Rational, r: Rational) -> Option<Rational> {
    if r.is_whole() { c.power(i64::try_from(r.numerator()).ok()?) } else { None }
}

/// The greatest monomial that divides both: the least exponent of each atom.
fn least_powers(a: &BTreeMap<Atom, Rational>, b: &BTreeMap<Atom, Rational>) -> BTreeMap<Atom, Rational> {
    let zero = Rational::ZERO;
    let atoms = a.keys().chain(b.keys().filter(|k| !a.contains_key(k)));
    let exponent = |k: &Atom| a.get(k).copied().unwrap_or(zero).min(b.get(k).copied().unwrap_or(zero));
    atoms.map(|k| (k.clone(), exponent(k))).filter(|(_, q)| *q != zero).collect()
}
