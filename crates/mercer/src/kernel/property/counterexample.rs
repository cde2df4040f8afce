//! Points that show that a function is not a positive definite kernel.

use std::fmt;

use serde::Serialize;

use super::Rational;
use super::proof::list;

/// A number that is known exactly, or known to lie between two others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The number itself.
    Exact(Rational),
    /// Rigorous bounds, both attained perhaps.
    Between {
        /// Not more than the number.
        low: f64,
        /// Not less than the number.
        high: f64,
    },
}

impl Quantity {
    /// A floating-point number near it.
    pub fn to_f64(self) -> f64 {
        match self {
            Quantity::Exact(r) => r.to_f64(),
            Quantity::Between { low, high } => low + (high - low) / 2.0,
        }
    }

    /// A floating-point number near it; NaN where the bounds leave its digits open, as those of sin(2³⁹) do.
    pub fn known(self) -> f64 {
        let middle = self.to_f64();
        match self {
            Quantity::Between { low, high } if high - low > 1e-6 * middle.abs().max(f64::MIN_POSITIVE) => f64::NAN,
            _ => middle,
        }
    }

    /// Whether the number is certainly negative.
    pub fn is_negative(self) -> bool {
        match self {
            Quantity::Exact(r) => r < Rational::ZERO,
            Quantity::Between { high, .. } => high < 0.0,
        }
    }

    /// Whether the two numbers certainly differ.
    pub fn differs_from(self, other: Quantity) -> bool {
        match (self, other) {
            (Quantity::Exact(a), Quantity::Exact(b)) => a != b,
            (a, b) => a.bounds().1 < b.bounds().0 || b.bounds().1 < a.bounds().0,
        }
    }

    /// Floating-point bounds of the number.
    fn bounds(self) -> (f64, f64) {
        match self {
            Quantity::Exact(r) => (r.to_f64().next_down(), r.to_f64().next_up()),
            Quantity::Between { low, high } => (low, high),
        }
    }
}

impl fmt::Display for Quantity {
    /// The number, or as many of its digits as both bounds share (three to six), or else the bounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Exact(r) => write!(f, "{r}"),
            Quantity::Between { low, high } => {
                let shared =
                    (2..6).rev().map(|d| (format!("{low:.d$e}"), format!("{high:.d$e}"))).find(|(a, b)| a == b);
                match shared.and_then(|(a, _)| a.parse::<f64>().ok()) {
                    Some(value) => write!(f, "{}", crate::kernel::number::print(value)),
                    None => write!(f, "[{low:e}, {high:e}]"),
                }
            }
        }
    }
}

/// What is wrong at the points of a [`Counterexample`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// aᵀKa < 0.
    Negative {
        /// aᵀKa.
        value: Quantity,
    },
    /// k(x, y) ≠ k(y, x) at the two points.
    Asymmetric {
        /// k(x, y).
        forward: Quantity,
        /// k(y, x).
        backward: Quantity,
    },
    /// k has no value at the pair of the first and the last point.
    Undefined {
        /// Why not.
        problem: String,
    },
}

/// Points xᵢ and a vector a with aᵀKa < 0, verified in exact or interval arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counterexample {
    /// The points xᵢ.
    pub points: Vec<Rational>,
    /// The numbers aᵢ; empty where the fault is another.
    pub vector: Vec<Rational>,
    /// Kᵢⱼ = k(xᵢ, xⱼ), row by row; empty where the function has no value.
    pub matrix: Vec<Vec<Quantity>>,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.points.len() == 1 { "point" } else { "points" };
        write!(f, "{noun} {}; ", list(&self.points))?;
        let (first, last) = (self.points.first(), self.points.last());
        let pair = first.zip(last).map(|(x, y)| (x.to_string(), y.to_string())).unwrap_or_default();
        match &self.fault {
            Fault::Negative { value } => {
                let how = if matches!(value, Quantity::Exact(_)) { "exact" } else { "by interval arithmetic" };
                let a: Vec<String> = self.vector.iter().map(ToString::to_string).collect();
                write!(f, "a = ({}); aᵀKa = {value} < 0, {how}", a.join(", "))
            }
            Fault::Asymmetric { forward, backward } => {
                write!(f, "k({}, {}) = {forward} but k({1}, {0}) = {backward}", pair.0, pair.1)
            }
            Fault::Undefined { problem } => write!(f, "k({}, {}) has no value: {problem}", pair.0, pair.1),
        }
    }
}
