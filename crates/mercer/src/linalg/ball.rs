//! Numbers with twice the digits and a bound of their error.
//!
//! A certificate subtracts numbers that agree in all digits but the last, so its sums are computed with twice as many,
//! and every operation adds what it may have lost to a radius. Sums and products are error-free transformations.
//! Reference: Ogita, Rump & Oishi (2005), *Accurate sum and dot product*, SIAM Journal on Scientific Computing 26.

use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub};

/// What an operation on pairs may lose, over its operands: above 8u² with u = 2⁻⁵³, where a sum loses at most 6u²
/// and a product 8u².
const LOST: f64 = f64::from_bits((1023 - 102) << 52);
/// Above the rounding of the radius itself, ten operations of it.
const OUTWARD: f64 = 1.0 + 16.0 * f64::EPSILON;
/// Above what all underflows of an operation lose: 2⁻¹⁰⁶⁹.
const UNDERFLOW: f64 = f64::from_bits(1 << 5);

/// a + b = sum + error, exactly (Knuth 1969).
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// a·b = product + error, exactly but for underflow.
#[inline(always)]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// A real number within `radius` of `high + low`, where `low` is below half a unit of the last place of `high`.
///
/// ```
/// use mercer::linalg::Ball;
/// let third = Ball::from(1.0).over(Ball::from(3.0));
/// let rest = Ball::from(1.0) - third * Ball::from(3.0);
/// assert!(rest.below() <= 0.0 && rest.above() >= 0.0 && rest.above() < 1e-30);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Ball {
    high: f64,
    low: f64,
    radius: f64,
}

impl From<f64> for Ball {
    fn from(value: f64) -> Self {
        Ball { high: value, low: 0.0, radius: 0.0 }
    }
}

/// A radius of these operations, rounded up.
fn outward(radius: f64) -> f64 {
    radius * OUTWARD + UNDERFLOW
}

impl Ball {
    /// The number `high + low`, within `radius`.
    pub fn new(high: f64, low: f64, radius: f64) -> Self {
        let (high, low) = two_sum(high, low);
        Ball { high, low, radius }
    }

    /// Any number from `low` to `high`.
    pub fn between(low: f64, high: f64) -> Self {
        if low == high {
            return Ball::from(low);
        }
        let middle = 0.5 * low + 0.5 * high;
        Ball { high: middle, low: 0.0, radius: outward((high - middle).max(middle - low)) }
    }

    /// The centre, rounded.
    pub fn value(self) -> f64 {
        self.high
    }

    /// The centre as an unevaluated sum.
    pub fn pair(self) -> (f64, f64) {
        (self.high, self.low)
    }

    /// How far the number may be from the centre.
    pub fn radius(self) -> f64 {
        self.radius
    }

    /// A number that is not below it; ∞ where nothing is known.
    pub fn above(self) -> f64 {
        if self.radius == 0.0 && self.low == 0.0 && !self.high.is_nan() {
            return self.high;
        }
        let rest = (self.low + self.radius).next_up();
        let (sum, error) = two_sum(self.high, rest);
        match (sum.is_nan(), error > 0.0 || error.is_nan()) {
            (true, _) => f64::INFINITY,
            (false, true) => sum.next_up(),
            (false, false) => sum,
        }
    }

    /// A number that is not above it; −∞ where nothing is known.
    pub fn below(self) -> f64 {
        -(-self).above()
    }

    /// Not below its size.
    pub fn magnitude(self) -> f64 {
        self.above().max((-self).above())
    }

    /// With a larger radius.
    pub fn widened(self, by: f64) -> Self {
        Ball { radius: outward(self.radius + by), ..self }
    }

    /// |x|.
    pub fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    /// max(x, 0).
    pub fn positive_part(self) -> Self {
        match (self.below() >= 0.0, self.above() <= 0.0) {
            (true, _) => self,
            (_, true) => Ball::from(0.0),
            _ => Ball::between(0.0, self.above()),
        }
    }

    /// x/d; nothing is known where d may be 0.
    pub fn over(self, d: Ball) -> Self {
        let first = self.high / d.high;
        let second = (self - d * Ball::from(first)).high / d.high;
        let quotient = Ball::new(first, second, 0.0);
        // What is left of x − q·d, over the least |d|, bounds how far q is off.
        let left = (self - d * quotient).magnitude();
        let least = d.abs().below();
        let radius = if least > 0.0 { outward(left / least) } else { f64::INFINITY };
        Ball { radius, ..quotient }
    }

    /// Not below √x of an x ≥ 0.
    pub fn root_above(self) -> f64 {
        root_above(self.above())
    }

    /// Not above √x.
    pub fn root_below(self) -> f64 {
        let root = self.below().max(0.0).sqrt();
        if root > 0.0 { root.next_down() } else { 0.0 }
    }
}

/// Not below √x of a number x ≥ 0, and 0 of a number below 0.
pub fn root_above(x: f64) -> f64 {
    let root = x.max(0.0).sqrt();
    if root > 0.0 { root.next_up() } else { root }
}

impl Neg for Ball {
    type Output = Ball;

    fn neg(self) -> Ball {
        Ball { high: -self.high, low: -self.low, radius: self.radius }
    }
}

impl Add for Ball {
    type Output = Ball;

    fn add(self, other: Ball) -> Ball {
        let (sum, error) = two_sum(self.high, other.high);
        let (high, low) = two_sum(sum, error + (self.low + other.low));
        let lost = if error == 0.0 && self.low == 0.0 && other.low == 0.0 {
            0.0
        } else {
            LOST * (self.high.abs() + other.high.abs())
        };
        let radius = self.radius + other.radius + lost;
        Ball { high, low, radius: if radius == 0.0 { 0.0 } else { outward(radius) } }
    }
}

impl Sub for Ball {
    type Output = Ball;

    fn sub(self, other: Ball) -> Ball {
        self + -other
    }
}

impl Mul for Ball {
    type Output = Ball;

    fn mul(self, other: Ball) -> Ball {
        let (product, error) = two_product(self.high, other.high);
        if product == 0.0 && (self.high == 0.0 || other.high == 0.0) && self.radius == 0.0 && other.radius == 0.0 {
            return Ball::from(0.0);
        }
        let (high, low) = two_sum(product, error + (self.high * other.low + self.low * other.high));
        let (a, b) = (self.high.abs(), other.high.abs());
        let radius = self.radius * b + other.radius * a + self.radius * other.radius + LOST * product.abs();
        Ball { high, low, radius: outward(radius) }
    }
}

impl Mul<f64> for Ball {
    type Output = Ball;

    fn mul(self, other: f64) -> Ball {
        self * Ball::from(other)
    }
}

impl Sum for Ball {
    fn sum<I: Iterator<Item = Ball>>(items: I) -> Ball {
        items.fold(Ball::from(0.0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;

    /// An integer times 2⁻⁶⁰, exactly.
    fn exact(parts: &[f64]) -> i128 {
        parts.iter().map(|v| (v * 2f64.powi(30)) as i128 * (1 << 30)).sum()
    }

    #[test]
    fn sums_and_products_of_short_numbers_are_inside() {
        let mut chance = Chance::new(3);
        for _ in 0..2000 {
            // Multiples of 2⁻³⁰ below 2⁶: their products are multiples of 2⁻⁶⁰ and fit into integers.
            let mut number = || ((chance.unit() - 0.5) * 2f64.powi(36)).round() * 2f64.powi(-30);
            let (a, b, c) = (number(), number(), number());
            let ball = Ball::from(a) * Ball::from(b) + Ball::from(c);
            let product = (a * 2f64.powi(30)) as i128 * ((b * 2f64.powi(30)) as i128);
            let truth = product + exact(&[c]);
            let at = |v: f64| (v * 2f64.powi(60)) as i128;
            let (high, low) = ball.pair();
            let off = (truth - at(high) - at(low)).unsigned_abs() as f64 * 2f64.powi(-60);
            assert!(off <= ball.radius() && ball.radius() <= 1e-27, "{a} {b} {c}: {off:e} {:e}", ball.radius());
            assert!(ball.below() <= ball.value() && ball.value() <= ball.above());
        }
    }

    #[test]
    fn quotients_times_divisors_give_back_the_dividend() {
        let mut chance = Chance::new(5);
        for _ in 0..500 {
            let (a, b) = (chance.normal(), chance.normal());
            let off = Ball::from(a).over(Ball::from(b)) * b - Ball::from(a);
            assert!(off.below() <= 0.0 && off.above() >= 0.0 && off.magnitude() <= 1e-28 * a.abs());
        }
        assert_eq!(Ball::from(1.0).over(Ball::from(0.0)).above(), f64::INFINITY);
        assert_eq!(Ball::from(1.0).over(Ball::between(-1.0, 1.0)).below(), f64::NEG_INFINITY);
    }

    #[test]
    fn ends_lie_outside_and_near() {
        let ball = Ball::new(1.0, 1e-20, 1e-25);
        assert_eq!((ball.above(), ball.below()), (1f64.next_up(), 1.0));
        assert_eq!((Ball::from(0.3).above(), Ball::from(0.3).below()), (0.3, 0.3));
        let between = Ball::between(0.1, 0.3);
        assert!(between.below() <= 0.1 && between.above() >= 0.3);
        assert_eq!(Ball::between(-2.0, 1.0).positive_part().below(), 0.0_f64.min(Ball::between(0.0, 1.0).below()));
        assert_eq!(Ball::from(f64::INFINITY).above(), f64::INFINITY);
        assert_eq!((Ball::from(f64::MAX) * 2.0).above(), f64::INFINITY);
        assert!(Ball::from(2.0).root_below() < 2f64.sqrt().next_up() && Ball::from(2.0).root_above() >= 2f64.sqrt());
    }

    #[test]
    fn tiny_products_do_not_lose_their_rest() {
        let ball = Ball::from(3e-170) * Ball::from(7e-170);
        assert!(ball.above() > 0.0 && ball.below() < 0.0);
    }
}
