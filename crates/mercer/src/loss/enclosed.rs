//! Losses of values that are known within balls.

use crate::linalg::Ball;

/// Above the relative error of the functions of one number here, each good to a few units of the last place: exp and log
/// of the system's library are good to one or two.
const UNITS: f64 = 16.0 * f64::EPSILON;

/// From a number that was computed to below and above the true one.
pub(super) fn rounded(value: f64) -> (f64, f64) {
    let off = UNITS * value.abs() + f64::MIN_POSITIVE;
    (value - off, value + off)
}

/// Between the least and the largest of numbers that were computed.
pub(super) fn hull(values: impl IntoIterator<Item = f64>) -> Ball {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        if value.is_nan() {
            return Ball::new(value, 0.0, f64::INFINITY);
        }
        let ends = rounded(value);
        (low, high) = (low.min(ends.0), high.max(ends.1));
    }
    Ball::between(low, high)
}

/// Values of a function at the ends and in the middle.
pub(super) fn at_ends(z: &[Ball], values: impl Fn(&[f64], &mut [f64])) -> Vec<Ball> {
    let at = |of: fn(Ball) -> f64| {
        let (places, mut out) = (z.iter().map(|z| of(*z)).collect::<Vec<f64>>(), vec![0.0; z.len()]);
        values(&places, &mut out);
        out
    };
    let (low, middle, high) = (at(Ball::below), at(Ball::value), at(Ball::above));
    (0..z.len()).map(|i| hull([low[i], middle[i], high[i]])).collect()
}

/// A convex conjugate at the ends, which are moved inside its domain.
pub(super) fn conjugate_at_ends(u: Ball, (low, high): (f64, f64), conjugate: impl Fn(f64) -> f64) -> Ball {
    hull([u.below(), u.value(), u.above()].map(|u| conjugate(u.max(low).min(high))))
}

/// −1/e, the least value of a·ln a.
const LEAST_ENTROPY: f64 = -0.367_879_441_171_442_33;

/// a·ln a for a number 0 ≤ a ≤ 1, which is convex.
pub(super) fn entropy_within(a: Ball) -> Ball {
    let ends = [a.below(), a.above()].map(|a| a.clamp(0.0, 1.0));
    let value = |a: f64| if a <= 0.0 { 0.0 } else { a * a.ln() };
    let turns = ends[0] <= 0.36788 && ends[1] >= 0.36787;
    hull([value(ends[0]), value(ends[1])].into_iter().chain(turns.then_some(LEAST_ENTROPY)))
}
