//! From an expression to its normal form, if it is defined on the whole domain.

use crate::kernel::property::Rational;
use crate::kernel::scalar::ast::{Expr, Function};
use crate::kernel::scalar::decimal::Decimal;
use crate::kernel::scalar::prove::Context;

use super::{Atom, Normal};

impl Context<'_> {
    /// The normal form; `None` where the expression cannot be shown to have a value at every pair
    /// of points of the domain, or grows too large.
    pub(in crate::kernel::scalar) fn build(&mut self, expr: &Expr) -> Option<Normal> {
        self.spend()?;
        match expr {
            Expr::Number(v) => self.decimal(v),
            Expr::Pi => Some(Normal::atom(Atom::Pi)),
            Expr::Euler => self.exp(&Normal::one()),
            Expr::X => Some(Normal::x()),
            Expr::Y => Some(Normal::y()),
            Expr::Negate(a) => self.build(a).map(|a| a.negated()),
            Expr::Sum(terms) => {
                let mut sum = Normal::zero();
                for (term, minus) in terms {
                    let term = self.build(term)?;
                    sum = if *minus { sum.minus(&term)? } else { sum.plus(&term)? };
                }
                Some(sum)
            }
            Expr::Product(factors) => self.build_product(factors),
            Expr::Power(base, exponent) => self.build_power(base, exponent),
            Expr::Call(function, arguments) => self.build_call(*function, arguments),
        }
    }

    /// A decimal; a power of ten that does not fit stays a power.
    fn decimal(&mut self, v: &Decimal) -> Option<Normal> {
        let mantissa = Normal::number(v.mantissa()?);
        let ten = self.power(&Normal::number(Rational::whole(10)), Rational::whole(v.exponent()))?;
        self.multiply(&mantissa, &ten)
    }

    fn build_product(&mut self, factors: &[(Expr, bool)]) -> Option<Normal> {
        let number = |e: &Expr| matches!(e, Expr::Number(_) | Expr::Pi | Expr::Euler);
        let alone = factors.iter().filter(|(e, over)| *over || !number(e)).count() == 1;
        let mut product = Normal::one();
        for (factor, over) in factors {
            let part = match (over, alone) {
                (true, _) => self.build_inverse(factor)?,
                (false, true) => self.build(factor)?,
                (false, false) => self.build_factor(factor)?,
            };
            product = self.multiply(&product, &part)?;
        }
        Some(product)
    }

    /// A part of a product or power, where max is better written as a quotient.
    fn build_factor(&mut self, expr: &Expr) -> Option<Normal> {
        match expr {
            Expr::Call(Function::Max, arguments) => {
                let (a, b) = (self.build(&arguments[0])?, self.build(&arguments[1])?);
                self.max_as_quotient(&a, &b)
            }
            other => self.build(other),
        }
    }

    /// 1/a; powers and products are inverted before they are multiplied out.
    fn build_inverse(&mut self, expr: &Expr) -> Option<Normal> {
        self.spend()?;
        match expr {
            Expr::Product(factors) => {
                let mut product = Normal::one();
                for (factor, over) in factors {
                    // What divides in a denominator must not be 0, either.
                    let part = self.build_inverse(factor)?;
                    let part = if *over { self.power(&part, Rational::whole(-1))? } else { part };
                    product = self.multiply(&product, &part)?;
                }
                Some(product)
            }
            Expr::Power(base, exponent) => self.build_inverse_power(base, exponent),
            other => {
                let part = self.build_factor(other)?;
                self.inverse(&part)
            }
        }
    }

    /// 1/aʳ = a⁻ʳ, if aʳ has a value and is not 0.
    fn build_inverse_power(&mut self, base: &Expr, exponent: &Expr) -> Option<Normal> {
        let base = self.build_factor(base)?;
        let exponent = self.build(exponent)?;
        match exponent.as_number() {
            Some(r) => {
                let defined = if r.is_whole() { self.is_nonzero(&base) } else { self.is_positive(&base) };
                if defined { self.power(&base, r.negated()) } else { None }
            }
            None => self.exponential_power(&base, &exponent.negated()),
        }
    }

    /// Powers that the parts of the base allow: (ab)ʳ = aʳbʳ for a, b ≥ 0, (−c)ᵃ⁺ᵇ for whole a and b,
    /// and 0 to a positive power.
    fn build_power_of_parts(&mut self, base: &Expr, exponent: &Normal) -> Option<Normal> {
        if let (Expr::Product(factors), Some(r)) = (base, exponent.as_number()) {
            return if r.is_whole() { None } else { self.build_power_of_product(factors, r) };
        }
        let base = self.build_factor(base)?;
        if base.is_zero() && self.is_positive(exponent) {
            return Some(Normal::zero());
        }
        let c = base.as_number().filter(|c| *c < Rational::ZERO)?;
        if exponent.variables().none() || !(self.whole && is_whole(exponent)) {
            return None;
        }
        let mut out = self.exponential_power(&Normal::number(c.negated()), exponent)?;
        for (m, n) in exponent.terms() {
            // (−1)ⁿ = cos(πn) for a whole n.
            let turns = self.multiply(&Normal::atom(Atom::Pi), &Normal::term(m.clone(), n))?;
            let sign = self.even(Atom::Cos, &turns);
            out = self.multiply(&out, &sign)?;
        }
        Some(out)
    }

    fn build_power_of_product(&mut self, factors: &[(Expr, bool)], r: Rational) -> Option<Normal> {
        let mut product = Normal::one();
        for (factor, over) in factors {
            let part = self.build_factor(factor)?;
            let strict = *over || r < Rational::ZERO;
            if !(if strict { self.is_positive(&part) } else { self.is_non_negative(&part) }) {
                return None;
            }
            let power = self.power(&part, if *over { r.negated() } else { r })?;
            product = self.multiply(&product, &power)?;
        }
        Some(product)
    }

    /// aᵇ = exp(b·log a) for a > 0.
    fn exponential_power(&mut self, base: &Normal, exponent: &Normal) -> Option<Normal> {
        if !self.is_positive(base) {
            return None;
        }
        let log = self.log(base)?;
        let product = self.multiply(exponent, &log)?;
        self.exp(&product)
    }

    /// 1/a, if a ≠ 0 on the whole domain.
    fn inverse(&mut self, a: &Normal) -> Option<Normal> {
        if !self.is_nonzero(a) {
            return None;
        }
        self.power(a, Rational::whole(-1))
    }

    fn build_power(&mut self, base: &Expr, exponent: &Expr) -> Option<Normal> {
        let exponent = self.build(exponent)?;
        if let Some(power) = self.build_power_of_parts(base, &exponent) {
            return Some(power);
        }
        let base = self.build_factor(base)?;
        if let Some(r) = exponent.as_number() {
            let defined = match (r.is_whole(), r >= Rational::ZERO) {
                (true, true) => true,
                (true, false) => self.is_nonzero(&base),
                (false, true) => self.is_non_negative(&base),
                (false, false) => self.is_positive(&base),
            };
            return if defined { self.power(&base, r) } else { None };
        }
        self.exponential_power(&base, &exponent)
    }

    fn build_call(&mut self, function: Function, arguments: &[Expr]) -> Option<Normal> {
        if function == Function::Sqrt
            && let Some(root) = self.build_power_of_parts(&arguments[0], &Normal::number(Rational::new(1, 2)?))
        {
            return Some(root);
        }
        let a = match function {
            Function::Log | Function::Sqrt => self.build_factor(&arguments[0])?,
            _ => self.build(&arguments[0])?,
        };
        match function {
            Function::Exp => self.exp(&a),
            Function::Log if self.is_positive(&a) => self.log(&a),
            Function::Sqrt if self.is_non_negative(&a) => self.power(&a, Rational::new(1, 2)?),
            Function::Log | Function::Sqrt => None,
            Function::Abs => self.abs(&a),
            Function::Cos => Some(self.even(Atom::Cos, &a)),
            Function::Sin => Some(self.odd(Atom::Sin, &a)),
            Function::Cosh => Some(self.even(Atom::Cosh, &a)),
            Function::Sinh => Some(self.odd(Atom::Sinh, &a)),
            Function::Tanh => Some(self.odd(Atom::Tanh, &a)),
            Function::Min | Function::Max | Function::Gcd | Function::Lcm => {
                let b = self.build(&arguments[1])?;
                self.build_pair(function, &a, &b)
            }
        }
    }

    fn build_pair(&mut self, function: Function, a: &Normal, b: &Normal) -> Option<Normal> {
        match function {
            Function::Min => self.min(a, b),
            Function::Max => self.max(a, b),
            _ if !(self.is_natural(a) && self.is_natural(b)) => None,
            Function::Gcd => self.gcd(a, b),
            _ => self.lcm(a, b),
        }
    }

    /// Whether every value is one of 1, 2, ….
    pub(in crate::kernel::scalar) fn is_natural(&mut self, a: &Normal) -> bool {
        self.whole && is_whole(a) && self.range(a).low >= 1.0
    }
}

/// Whether every value is whole when x and y are: sums of products of whole atoms.
fn is_whole(a: &Normal) -> bool {
    a.terms().all(|(m, c)| {
        let atoms = m.factors().all(|(atom, q)| q.is_whole() && q > Rational::ZERO && is_whole_atom(atom));
        c.is_whole() && atoms
    })
}

fn is_whole_atom(atom: &Atom) -> bool {
    match atom {
        Atom::X | Atom::Y | Atom::Gcd(..) => true,
        Atom::Min(a, b) => is_whole(a) && is_whole(b),
        Atom::Abs(a) | Atom::Group(a) => is_whole(a),
        _ => false,
    }
}
