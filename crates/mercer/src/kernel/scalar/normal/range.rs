//! The values that a normal form can take on the domain.

use crate::kernel::scalar::interval::Interval;
use crate::kernel::scalar::prove::Context;

use super::{Atom, Monomial, Normal};

impl Context<'_> {
    /// An interval around all values on the domain.
    pub(in crate::kernel::scalar) fn range(&mut self, a: &Normal) -> Interval {
        if let Some(range) = self.ranges.get(a) {
            return *range;
        }
        let range = self.range_by_terms(a);
        self.ranges.insert(a.clone(), range);
        range
    }

    /// The range as the sum of the ranges of the terms, without what is known of the whole.
    pub(in crate::kernel::scalar) fn range_by_terms(&mut self, a: &Normal) -> Interval {
        let mut sum = Interval::point(0.0);
        for (monomial, c) in a.terms() {
            sum = sum.plus(self.range_of_monomial(monomial).times(Interval::rational(c)));
        }
        sum
    }

    fn range_of_monomial(&mut self, monomial: &Monomial) -> Interval {
        let mut product = Interval::point(1.0);
        for (atom, q) in monomial.factors() {
            let base = self.range_of_atom(atom);
            // A power that is defined although its base has 0 inside can be anything.
            product = product.times(base.power(q).unwrap_or(Interval::ALL));
        }
        product
    }

    fn range_of_atom(&mut self, atom: &Atom) -> Interval {
        match atom {
            Atom::X | Atom::Y => self.domain,
            Atom::Pi => Interval::pi(),
            Atom::Group(u) => self.range(u),
            Atom::Exp(u) => self.range(u).exp(),
            Atom::Log(u) => self.range(u).log().unwrap_or(Interval::ALL),
            Atom::Abs(u) => self.range(u).magnitude(),
            Atom::Cos(u) => self.range(u).cos(),
            Atom::Sin(u) => self.range(u).sin(),
            Atom::Cosh(u) => self.range(u).cosh(),
            Atom::Sinh(u) => self.range(u).sinh(),
            Atom::Tanh(u) => self.range(u).tanh(),
            Atom::Min(u, v) => self.range(u).smaller(self.range(v)),
            Atom::Gcd(u, v) => {
                let least = self.range(u).smaller(self.range(v));
                Interval { low: 1.0, low_open: false, ..least }
            }
        }
    }
}
