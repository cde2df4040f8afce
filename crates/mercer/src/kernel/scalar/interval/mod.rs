//! Intervals that are sure to hold the true value.
//!
//! Ends are rounded outwards, and only where the operation was not exact, so that a sign that
//! rests on exact numbers is not lost. An end may be marked open: the value is then not attained.

mod elementary;
mod rounding;

#[cfg(test)]
mod tests;

use crate::kernel::property::Rational;

use rounding::{add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up};

/// All numbers from `low` to `high`, without an end that is marked open or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) low_open: bool,
    pub(crate) high_open: bool,
}

/// One end of a product or quotient: rounded down, rounded up, and whether it is not attained.
type Corner = (f64, f64, bool);

impl Interval {
    /// Every real number.
    pub(crate) const ALL: Interval =
        Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, low_open: true, high_open: true };

    /// A closed interval.
    pub(crate) fn new(low: f64, high: f64) -> Self {
        Interval { low, high, low_open: false, high_open: false }
    }

    /// An interval without its ends.
    pub(crate) fn open(low: f64, high: f64) -> Self {
        Interval { low, high, low_open: true, high_open: true }
    }

    /// A single floating-point number.
    pub(crate) fn point(value: f64) -> Self {
        Self::new(value, value)
    }

    /// A rational number.
    pub(crate) fn rational(value: Rational) -> Self {
        whole(value.numerator()).over(whole(value.denominator())).unwrap_or(Self::ALL)
    }

    /// Whether every number inside is > 0.
    pub(crate) fn is_positive(self) -> bool {
        self.low > 0.0 || (self.low == 0.0 && self.low_open)
    }

    /// Whether every number inside is ≥ 0.
    pub(crate) fn is_non_negative(self) -> bool {
        self.low >= 0.0
    }

    /// Whether 0 is not inside.
    pub(crate) fn excludes_zero(self) -> bool {
        self.is_positive() || self.negated().is_positive()
    }

    /// −a.
    pub(crate) fn negated(self) -> Self {
        Interval { low: -self.high, high: -self.low, low_open: self.high_open, high_open: self.low_open }
    }

    /// a + b.
    pub(crate) fn plus(self, other: Self) -> Self {
        Interval {
            low: add_down(self.low, other.low),
            high: add_up(self.high, other.high),
            low_open: self.low_open || other.low_open,
            high_open: self.high_open || other.high_open,
        }
    }

    /// a − b.
    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    fn ends(self) -> [(f64, bool); 2] {
        [(self.low, self.low_open), (self.high, self.high_open)]
    }

    /// The interval between the extreme ones of some corners.
    fn around(corners: &[Corner]) -> Self {
        let mut out = Interval::new(f64::INFINITY, f64::NEG_INFINITY);
        for (down, up, open) in corners {
            if *down < out.low || (*down == out.low && !open) {
                (out.low, out.low_open) = (*down, *open);
            }
            if *up > out.high || (*up == out.high && !open) {
                (out.high, out.high_open) = (*up, *open);
            }
        }
        out
    }

    /// a·b.
    pub(crate) fn times(self, other: Self) -> Self {
        let corner = |(a, a_open): (f64, bool), (b, b_open): (f64, bool)| match (a == 0.0, b == 0.0) {
            // An attained 0 makes the product 0 whatever the other factor does.
            (true, true) => (0.0, 0.0, a_open && b_open),
            (true, false) => (0.0, 0.0, a_open),
            (false, true) => (0.0, 0.0, b_open),
            (false, false) => (mul_down(a, b), mul_up(a, b), a_open || b_open),
        };
        let [a, b] = self.ends();
        let [c, d] = other.ends();
        Self::around(&[corner(a, c), corner(a, d), corner(b, c), corner(b, d)])
    }

    /// 1/a, if 0 is not inside.
    pub(crate) fn inverse(self) -> Option<Self> {
        if !self.excludes_zero() {
            return None;
        }
        let side = if self.is_positive() { f64::INFINITY } else { f64::NEG_INFINITY };
        let corner = |(a, open): (f64, bool)| match a {
            0.0 => (side, side, true),
            a if a.is_infinite() => (0.0, 0.0, true),
            a => (div_down(1.0, a), div_up(1.0, a), open),
        };
        Some(Self::around(&self.ends().map(corner)))
    }

    /// a/b, if 0 is not inside b.
    pub(crate) fn over(self, other: Self) -> Option<Self> {
        if self.low == self.high && other.low == other.high && other.low != 0.0 && self.low.is_finite() {
            return Some(Self::new(div_down(self.low, other.low), div_up(self.low, other.low)));
        }
        Some(self.times(other.inverse()?))
    }

    /// |a|.
    pub(crate) fn magnitude(self) -> Self {
        match self {
            a if a.is_non_negative() => a,
            a if a.high <= 0.0 => a.negated(),
            a => {
                let top = Self::around(&[(a.high, a.high, a.high_open), (-a.low, -a.low, a.low_open)]);
                Interval { low: 0.0, low_open: false, ..top }
            }
        }
    }

    /// The smaller one of a number in a and a number in b.
    pub(crate) fn smaller(self, other: Self) -> Self {
        let low = if self.low < other.low || (self.low == other.low && !self.low_open) { self } else { other };
        let high = if self.high < other.high || (self.high == other.high && self.high_open) { self } else { other };
        Interval { low: low.low, low_open: low.low_open, high: high.high, high_open: high.high_open }
    }

    /// The greater one of a number in a and a number in b.
    pub(crate) fn greater(self, other: Self) -> Self {
        self.negated().smaller(other.negated()).negated()
    }

    /// What both hold; `self` where they do not meet, which cannot be when both are true.
    pub(crate) fn meet(self, other: Self) -> Self {
        let low = if self.low > other.low || (self.low == other.low && self.low_open) { self } else { other };
        let high = if self.high < other.high || (self.high == other.high && self.high_open) { self } else { other };
        let meet = Interval { low: low.low, low_open: low.low_open, high: high.high, high_open: high.high_open };
        if meet.low <= meet.high { meet } else { self }
    }

    /// √a, for a ≥ 0.
    pub(crate) fn root(self) -> Option<Self> {
        self.is_non_negative().then(|| Interval { low: sqrt_down(self.low), high: sqrt_up(self.high), ..self })
    }

    /// aⁿ; 0 must not be inside when n < 0.
    pub(crate) fn whole_power(self, n: i64) -> Option<Self> {
        if n < 0 {
            return self.whole_power(n.checked_neg()?)?.inverse();
        }
        if n == 0 {
            return Some(Self::point(1.0));
        }
        let base = if n % 2 == 0 { self.magnitude() } else { self };
        let corner = |(a, open): (f64, bool)| (monomial_down(a, n), -monomial_down_of_negative(a, n), open);
        Some(Self::around(&base.ends().map(corner)))
    }

    /// a^r for a rational r: of numbers ≥ 0 when r > 0 and of numbers > 0 otherwise, or whole r.
    pub(crate) fn power(self, r: Rational) -> Option<Self> {
        if r.is_whole() {
            return self.whole_power(i64::try_from(r.numerator()).ok()?);
        }
        if r < Rational::ZERO {
            return self.power(r.negated())?.inverse();
        }
        if r == Rational::new(1, 2)? {
            return self.root();
        }
        if !self.is_non_negative() {
            return None;
        }
        let corner = |(a, open): (f64, bool)| {
            let value = root_of(a, r);
            (value.low, value.high, open)
        };
        Some(Self::around(&self.ends().map(corner)))
    }
}

/// a^r for one number a ≥ 0 and r > 0.
fn root_of(a: f64, r: Rational) -> Interval {
    if a == 0.0 || a == 1.0 || a.is_infinite() {
        return Interval::point(a);
    }
    Interval::point(a).log().map_or(Interval::ALL, |log| Interval::rational(r).times(log).exp())
}

/// aⁿ rounded down, by repeated products.
fn monomial_down(a: f64, n: i64) -> f64 {
    if a < 0.0 && n % 2 == 0 {
        return monomial_down(-a, n);
    }
    if a < 0.0 { -monomial(-a, n, mul_up) } else { monomial(a, n, mul_down) }
}

/// −(aⁿ) rounded down.
fn monomial_down_of_negative(a: f64, n: i64) -> f64 {
    if a < 0.0 && n % 2 != 0 { monomial(-a, n, mul_down) } else { -monomial(a.abs(), n, mul_up) }
}

/// aⁿ for a ≥ 0 by squaring, with products rounded one way.
fn monomial(mut a: f64, mut n: i64, times: fn(f64, f64) -> f64) -> f64 {
    let mut out = 1.0;
    while n > 0 {
        if n % 2 == 1 {
            out = times(out, a);
        }
        a = times(a, a);
        n /= 2;
    }
    out
}

/// A whole number, which may have more digits than a float holds.
fn whole(n: i128) -> Interval {
    let value = n as f64;
    if value.abs() <= 9_007_199_254_740_992.0 {
        return Interval::point(value);
    }
    Interval::new(value.next_down(), value.next_up())
}
