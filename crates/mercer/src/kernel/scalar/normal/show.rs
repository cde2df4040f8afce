//! Normal forms as expressions, to be printed in proofs.

use std::fmt;

use crate::kernel::property::Rational;
use crate::kernel::scalar::ast::{Expr, Function};
use crate::kernel::scalar::decimal::Decimal;

use super::{Atom, Monomial, Normal};

impl fmt::Display for Normal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expression())
    }
}

impl Normal {
    /// The normal form as an expression.
    pub(in crate::kernel::scalar) fn expression(&self) -> Expr {
        // A positive term first reads better than a sign.
        let (mut terms, minus): (Vec<_>, Vec<_>) = self.terms().partition(|(_, c)| *c > Rational::ZERO);
        terms.extend(minus);
        let mut out: Vec<(Expr, bool)> = Vec::new();
        for (monomial, c) in terms {
            let negative = c < Rational::ZERO;
            let term = term(monomial, c.magnitude());
            let leads = out.is_empty();
            let shown = if negative && leads { Expr::Negate(Box::new(term)) } else { term };
            out.push((shown, negative && !leads));
        }
        match out.len() {
            0 => number(0),
            1 => out.remove(0).0,
            _ => Expr::Sum(out),
        }
    }
}

/// c·Π aᵢ^qᵢ as a quotient.
fn term(monomial: &Monomial, c: Rational) -> Expr {
    let mut above = Vec::new();
    let mut below = Vec::new();
    if c.numerator() != 1 {
        above.push(number(c.numerator()));
    }
    if c.denominator() != 1 {
        below.push(number(c.denominator()));
    }
    for (atom, q) in monomial.factors() {
        let side = if q > Rational::ZERO { &mut above } else { &mut below };
        side.push(power(atom, q.magnitude()));
    }
    let mut factors: Vec<(Expr, bool)> = above.into_iter().map(|e| (e, false)).collect();
    if factors.is_empty() {
        factors.push((number(1), false));
    }
    match below.len() {
        0 => {}
        1 => factors.extend(below.into_iter().map(|e| (e, true))),
        _ => factors.push((Expr::Product(below.into_iter().map(|e| (e, false)).collect()), true)),
    }
    if factors.len() == 1 { factors.remove(0).0 } else { Expr::Product(factors) }
}

fn power(atom: &Atom, q: Rational) -> Expr {
    let base = expression(atom);
    if q == Rational::ONE {
        return base;
    }
    if q.numerator() == 1 && q.denominator() == 2 {
        return Expr::Call(Function::Sqrt, vec![base]);
    }
    Expr::Power(Box::new(base), Box::new(rational(q)))
}

fn rational(q: Rational) -> Expr {
    if q.denominator() == 1 {
        return number(q.numerator());
    }
    Expr::Product(vec![(number(q.numerator()), false), (number(q.denominator()), true)])
}

fn number(n: i128) -> Expr {
    Expr::Number(Decimal::whole(n.unsigned_abs()))
}

fn expression(atom: &Atom) -> Expr {
    let call = |function, u: &Normal| Expr::Call(function, vec![u.expression()]);
    let pair = |function, u: &Normal, v: &Normal| Expr::Call(function, vec![u.expression(), v.expression()]);
    match atom {
        Atom::X => Expr::X,
        Atom::Y => Expr::Y,
        Atom::Pi => Expr::Pi,
        Atom::Group(u) => u.expression(),
        Atom::Exp(u) => call(Function::Exp, u),
        Atom::Log(u) => call(Function::Log, u),
        Atom::Abs(u) => call(Function::Abs, u),
        Atom::Cos(u) => call(Function::Cos, u),
        Atom::Sin(u) => call(Function::Sin, u),
        Atom::Cosh(u) => call(Function::Cosh, u),
        Atom::Sinh(u) => call(Function::Sinh, u),
        Atom::Tanh(u) => call(Function::Tanh, u),
        Atom::Min(u, v) => pair(Function::Min, u, v),
        Atom::Gcd(u, v) => pair(Function::Gcd, u, v),
    }
}
