//! Signs: by ranges, and by the diagonal of functions of known type.

use crate::kernel::property::Rational;
use crate::kernel::scalar::interval::Interval;
use crate::kernel::scalar::normal::Normal;

use super::Context;

impl Context<'_> {
    pub(in crate::kernel::scalar) fn is_positive(&mut self, a: &Normal) -> bool {
        self.range(a).is_positive() || self.range_by_diagonal(a).is_positive()
    }

    pub(in crate::kernel::scalar) fn is_non_negative(&mut self, a: &Normal) -> bool {
        self.range(a).is_non_negative() || self.range_by_diagonal(a).is_non_negative() || self.is_ordered_product(a)
    }

    pub(in crate::kernel::scalar) fn is_nonzero(&mut self, a: &Normal) -> bool {
        self.range(a).excludes_zero() || self.is_positive(a) || self.is_positive(&a.negated())
    }

    /// ψ(x, y) ≥ (ψ(x, x) + ψ(y, y))/2 for ψ of negative type, by the numbers 1 and −1.
    fn range_by_diagonal(&mut self, a: &Normal) -> Interval {
        let range = self.range(a);
        if !a.variables().both() || self.negative(a).is_none() {
            return range;
        }
        let Some(diagonal) = self.diagonal(a) else { return range };
        let bound = Interval { high: f64::INFINITY, high_open: true, ..self.range(&diagonal) };
        let better = range.meet(bound);
        self.ranges.insert(a.clone(), better);
        // Powers keep the expression without its numerical factor, so its range is noted, too.
        if let Some((content, common, rest)) = self.primitive(a, false)
            && common.is_one()
            && let Some(scaled) = better.over(Interval::rational(content))
        {
            self.ranges.insert(rest, scaled);
        }
        better
    }

    /// a(x, x).
    pub(super) fn diagonal(&mut self, a: &Normal) -> Option<Normal> {
        self.substitute(a, &Normal::x(), &Normal::x())
    }

    /// Whether |k| < 1, by its range or, since |k(x, y)|² ≤ k(x, x)·k(y, y), by its diagonal.
    pub(super) fn is_contraction(&mut self, k: &Normal) -> bool {
        let below = |r: Interval| r.high < 1.0 || (r.high == 1.0 && r.high_open);
        let range = self.range(k);
        if below(range) && below(range.negated()) {
            return true;
        }
        self.positive(k).is_some() && self.diagonal(k).is_some_and(|d| below(self.range(&d)))
    }

    /// f where the expression is f(x) − f(y).
    pub(super) fn difference(&mut self, a: &Normal) -> Option<Normal> {
        let apart = a.terms().all(|(m, _)| !m.variables().both());
        if !apart || self.swapped(a)? != a.negated() {
            return None;
        }
        Some(a.part(|m, _| m.variables().x))
    }

    /// f where the expression is f(x) + f(y).
    pub(super) fn additive(&mut self, a: &Normal) -> Option<Normal> {
        let apart = a.terms().all(|(m, _)| !m.variables().both());
        if !apart || self.swapped(a)? != *a {
            return None;
        }
        let half = a.part(|m, _| m.variables().none()).scaled(Rational::new(1, 2)?)?;
        a.part(|m, _| m.variables().x).plus(&half)
    }
}
