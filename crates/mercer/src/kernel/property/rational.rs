//! Rational numbers whose every operation is exact or refused.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// p/q in lowest terms with q > 0. Operations that would overflow give `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

/// The greatest common divisor of two numbers ≥ 0.
pub(crate) fn greatest_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Rational {
    /// 0.
    pub const ZERO: Rational = Rational { numerator: 0, denominator: 1 };
    /// 1.
    pub const ONE: Rational = Rational { numerator: 1, denominator: 1 };

    /// p/q, if q ≠ 0 and the lowest terms fit.
    pub fn new(p: i128, q: i128) -> Option<Self> {
        if q == 0 || p == i128::MIN || q == i128::MIN {
            return None;
        }
        let common = greatest_divisor(p.unsigned_abs(), q.unsigned_abs()) as i128;
        let sign = q.signum();
        Some(Rational { numerator: sign * p / common, denominator: sign * q / common })
    }

    /// A whole number.
    pub fn whole(n: i64) -> Self {
        Rational { numerator: i128::from(n), denominator: 1 }
    }

    /// The number that the shortest decimal form of `value` names: 0.1 is 1/10.
    pub fn from_decimal(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let shift = exponent - i32::try_from(fraction.len()).ok()?;
        let scale = 10i128.checked_pow(shift.unsigned_abs())?;
        if shift >= 0 { Self::new(digits.checked_mul(scale)?, 1) } else { Self::new(digits, scale) }
    }

    /// p of p/q in lowest terms.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// q > 0 of p/q in lowest terms.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// A floating-point number within 2 units in the last place.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Whether it is a whole number.
    pub fn is_whole(self) -> bool {
        self.denominator == 1
    }

    /// −self.
    pub fn negated(self) -> Self {
        Rational { numerator: -self.numerator, ..self }
    }

    /// |self|.
    pub fn magnitude(self) -> Self {
        Rational { numerator: self.numerator.abs(), ..self }
    }

    /// self + other.
    pub fn plus(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// self − other.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated())
    }

    /// self·other.
    pub fn times(self, other: Self) -> Option<Self> {
        // Reducing crosswise first keeps the products small.
        let a = Self::new(self.numerator, other.denominator)?;
        let b = Self::new(other.numerator, self.denominator)?;
        Self::new(a.numerator.checked_mul(b.numerator)?, a.denominator.checked_mul(b.denominator)?)
    }

    /// self/other, if other ≠ 0.
    pub fn over(self, other: Self) -> Option<Self> {
        self.times(Self::new(other.denominator, other.numerator)?)
    }

    /// selfⁿ, if self ≠ 0 or n ≥ 0.
    pub fn power(self, n: i64) -> Option<Self> {
        let exponent = u32::try_from(n.unsigned_abs()).ok()?;
        let p = self.numerator.checked_pow(exponent)?;
        let q = self.denominator.checked_pow(exponent)?;
        if n >= 0 { Self::new(p, q) } else { Self::new(q, p) }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    /// By continued fractions, so that no product can overflow: equal whole parts leave two proper
    /// fractions, whose order is the reverse of that of their inverses.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        let mut turned = false;
        loop {
            let whole = |v: Rational| v.numerator.div_euclid(v.denominator);
            let rest = |v: Rational| v.numerator.rem_euclid(v.denominator);
            let order = whole(a).cmp(&whole(b));
            let (r, s) = (rest(a), rest(b));
            if order.is_ne() || r == 0 || s == 0 {
                let order = order.then((r != 0).cmp(&(s != 0)));
                return if turned { order.reverse() } else { order };
            }
            a = Rational { numerator: a.denominator, denominator: r };
            b = Rational { numerator: b.denominator, denominator: s };
            turned = !turned;
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            return write!(f, "{}", self.numerator);
        }
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl Serialize for Rational {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Rational;

    fn r(p: i128, q: i128) -> Rational {
        Rational::new(p, q).expect("fits")
    }

    #[test]
    fn arithmetic_is_that_of_fractions() {
        assert_eq!(r(1, 2).plus(r(1, 3)), Some(r(5, 6)));
        assert_eq!(r(1, 2).minus(r(1, 3)), Some(r(1, 6)));
        assert_eq!(r(-2, 4).times(r(2, 3)), Some(r(-1, 3)));
        assert_eq!(r(1, 2).over(r(-3, 4)), Some(r(-2, 3)));
        assert_eq!(r(1, 2).over(Rational::ZERO), None);
        assert_eq!(r(2, 3).power(-3), Some(r(27, 8)));
        assert_eq!(Rational::ZERO.power(-1), None);
        assert_eq!(r(i128::MAX, 1).plus(Rational::ONE), None);
        assert_eq!(Rational::from_decimal(0.1), Some(r(1, 10)));
        assert_eq!(Rational::from_decimal(-2.5e3), Some(r(-2500, 1)));
        assert_eq!(Rational::from_decimal(1e300), None);
        assert_eq!(r(-3, 6).to_string(), "-1/2");
    }

    #[test]
    fn order_is_that_of_the_quotients_even_when_products_overflow() {
        let mut sorted = [r(1, 2), r(-1, 2), r(1, 3), r(2, 3), r(0, 1), r(-7, 3), r(7, 3), r(5, 2)];
        sorted.sort();
        let values: Vec<f64> = sorted.iter().map(|v| v.to_f64()).collect();
        assert!(values.windows(2).all(|w| w[0] < w[1]), "{values:?}");
        let huge = i128::MAX;
        assert!(r(huge, huge - 1) < r(huge - 1, huge - 2));
        assert!(r(huge - 1, huge) > r(huge - 2, huge - 1));
    }
}
