//! Functions of the smaller and the larger of two points.
//!
//! Where x ≤ y, a minimum or distance of f(x) and f(y) with a monotone f is a function of one point
//! or a difference of two, and what is left has no absolute value in it.

use std::collections::BTreeMap;

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::polynomial::Polynomial;
use super::positive::Direction;
use super::{Context, positive_step};

/// Polynomials of x and y by their exponents.
type Powers = BTreeMap<(usize, usize), Rational>;
/// Higher powers are not followed.
const MAX_POWER: i128 = 12;

impl Context<'_> {
    /// By what the expression is where x ≤ y.
    pub(super) fn ordered(&mut self, a: &Normal) -> Option<Proof> {
        let lower = self.where_x_is_smaller(a)?;
        let apart = lower.terms().all(|(m, _)| m.part(|v| v.both()).is_one());
        if !apart || lower == *a {
            return None;
        }
        self.smaller_times_larger(a, &lower).or_else(|| self.double_integral(a, &lower))
    }

    /// The expression for x ≤ y.
    fn where_x_is_smaller(&mut self, a: &Normal) -> Option<Normal> {
        self.spend()?;
        if !a.variables().both() {
            return Some(a.clone());
        }
        let mut sum = Normal::zero();
        for (m, c) in a.terms() {
            let mut product = Normal::number(c);
            for (atom, q) in m.factors() {
                let part = self.atom_where_x_is_smaller(atom)?;
                let part = self.power(&part, q)?;
                product = self.multiply(&product, &part)?;
            }
            sum = sum.plus(&product)?;
        }
        Some(sum)
    }

    fn atom_where_x_is_smaller(&mut self, atom: &Atom) -> Option<Normal> {
        if !atom.variables().both() {
            return Some(Normal::atom(atom.clone()));
        }
        match atom {
            Atom::Min(f, g) => {
                let f = self.of_one_point(f, g)?;
                match self.direction(&f, is_x)? {
                    Direction::Down => self.swapped(&f),
                    _ => Some(f),
                }
            }
            Atom::Abs(u) => {
                let f = self.difference(u)?;
                let down = self.direction(&f, is_x)? == Direction::Down;
                let rise = self.swapped(&f)?.minus(&f)?;
                Some(if down { rise.negated() } else { rise })
            }
            Atom::Group(u) => self.where_x_is_smaller(u),
            Atom::Exp(u) => {
                let u = self.where_x_is_smaller(u)?;
                self.exp(&u)
            }
            _ => None,
        }
    }

    /// u(x)·v(y) where x ≤ y.
    fn smaller_times_larger(&mut self, a: &Normal, lower: &Normal) -> Option<Proof> {
        let (u, v) = self.two_factors(lower)?;
        let v = self.swapped(&v)?;
        let signs = |context: &mut Self, u: &Normal, v: &Normal| {
            context.range(u).is_non_negative() && context.range(v).is_non_negative()
        };
        let (u, v) = if signs(self, &u, &v) { (u, v) } else { (u.negated(), v.negated()) };
        if !signs(self, &u, &v) {
            return None;
        }
        let rises = self.direction(&u, is_x)? != Direction::Down;
        if rises && self.direction(&v, is_x)? != Direction::Up {
            let reason = format!("u(x) = `{u}` and v(x) = `{v}`");
            return Some(positive_step(a, ProofRule::Ordered).because(reason));
        }
        if !self.range(&v).is_positive() {
            return None;
        }
        let inverse = self.power(&v, Rational::whole(-1))?;
        let ratio = self.multiply(&u, &inverse)?;
        if !self.rises(&ratio) {
            return None;
        }
        let other = self.swapped(&ratio)?;
        let least = Normal::atom(Atom::Min(ratio.clone(), other));
        let least = positive_step(&least, ProofRule::Indicators).because(format!("h(x) = `{ratio}` ≥ 0 increases"));
        let reason = format!("f(x) = `{v}`, times h of the smaller point");
        Some(positive_step(a, ProofRule::Conjugation).because(reason).using(vec![least]))
    }

    /// Whether a function of x > 0 rises, or its inverse falls.
    fn rises(&mut self, h: &Normal) -> bool {
        if self.direction(h, is_x).is_some_and(|d| d != Direction::Down) {
            return true;
        }
        let inverse = self.inverse_root(h);
        self.range(h).is_positive()
            && inverse.and_then(|h| self.direction(&h, is_x)).is_some_and(|d| d != Direction::Up)
    }

    /// A negative power of a product that leaves the first factor to the power −1 or 1.
    fn inverse_root(&mut self, h: &Normal) -> Option<Normal> {
        let q = h.single()?.0.factors().next()?.1.magnitude();
        self.power(h, Rational::whole(-1).over(q)?)
    }

    /// Whether the expression is ≥ 0, as a product of functions of the smaller and the larger point.
    pub(super) fn is_ordered_product(&mut self, a: &Normal) -> bool {
        // What is known where x ≤ y is known everywhere only of symmetric functions.
        if !a.variables().both() || self.swapped(a).as_ref() != Some(a) {
            return false;
        }
        let factors = self.where_x_is_smaller(a).and_then(|lower| self.two_factors(&lower));
        factors.is_some_and(|(u, v)| self.range(&u).is_non_negative() && self.range(&v).is_non_negative())
    }

    /// u and v with lower = u(x)·v(y).
    fn two_factors(&mut self, lower: &Normal) -> Option<(Normal, Normal)> {
        let left = |m: &Monomial| m.part(|v| !v.y);
        let right = |m: &Monomial| m.part(|v| v.y);
        let (first, c) = lower.terms().next()?;
        let (p, q) = (left(first), right(first));
        let mut u = Normal::zero();
        let mut v = Normal::zero();
        for (m, d) in lower.terms() {
            if right(m) == q {
                u = u.plus(&Normal::term(left(m), d))?;
            }
            if left(m) == p {
                v = v.plus(&Normal::term(right(m), d.over(c)?))?;
            }
        }
        (self.multiply(&u, &v)? == *lower).then_some((u, v))
    }

    /// A polynomial for 0 ≤ x ≤ y, by its mixed derivatives.
    fn double_integral(&mut self, a: &Normal, lower: &Normal) -> Option<Proof> {
        if self.domain.low != 0.0 {
            return None;
        }
        let powers = powers(lower)?;
        if !self.is_double_integral(&powers)? {
            return None;
        }
        let reason = format!("it is `{lower}` for x ≤ y, and its mixed derivatives end at 0 in the same way");
        Some(positive_step(a, ProofRule::DoubleIntegral).because(reason))
    }

    /// g(0, y) = c ≥ 0, the jump of the slope on the diagonal is ≥ 0, and the mixed derivative is
    /// 0 or again such a function.
    fn is_double_integral(&mut self, g: &Powers) -> Option<bool> {
        self.spend()?;
        let at_zero = g.iter().filter(|((i, _), _)| *i == 0);
        let constant = at_zero.clone().all(|((_, j), c)| *j == 0 && *c >= Rational::ZERO);
        let jump = jump(g)?;
        let top = Rational::from_decimal(self.domain.high).filter(|_| self.domain.high.is_finite());
        let rises = match top {
            Some(top) => jump.is_non_negative_on(Rational::ZERO, top),
            None => jump.is_non_negative_from_zero(),
        };
        if !constant || !rises {
            return Some(false);
        }
        let mixed = mixed_derivative(g)?;
        if mixed.is_empty() { Some(true) } else { self.is_double_integral(&mixed) }
    }
}

fn is_x(atom: &Atom) -> bool {
    *atom == Atom::X
}

fn powers(a: &Normal) -> Option<Powers> {
    let mut out = Powers::new();
    for (m, c) in a.terms() {
        let mut exponents = (0, 0);
        for (atom, q) in m.factors() {
            let n =
                (q.is_whole() && q > Rational::ZERO && q.numerator() <= MAX_POWER).then(|| q.numerator() as usize)?;
            match atom {
                Atom::X => exponents.0 = n,
                Atom::Y => exponents.1 = n,
                _ => return None,
            }
        }
        out.insert(exponents, c);
    }
    Some(out)
}

/// ∂g/∂x − ∂g/∂y at (t, t).
fn jump(g: &Powers) -> Option<Polynomial> {
    let mut out = Polynomial::new(Vec::new());
    for ((i, j), c) in g {
        let slope = Rational::whole(*i as i64 - *j as i64).times(*c)?;
        if i + j > 0 {
            let mut coefficients = vec![Rational::ZERO; i + j];
            coefficients[i + j - 1] = slope;
            out = out.plus(&Polynomial::new(coefficients))?;
        }
    }
    Some(out)
}

fn mixed_derivative(g: &Powers) -> Option<Powers> {
    let inner = g.iter().filter(|((i, j), _)| *i > 0 && *j > 0);
    inner.map(|((i, j), c)| Some(((i - 1, j - 1), c.times(Rational::whole((i * j) as i64))?))).collect()
}
