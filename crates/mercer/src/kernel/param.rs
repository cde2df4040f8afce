//! Hyperparameters: value, bounds, transform and a free or fixed mark.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::number;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// The number, or the rule that finds it in the data.
    pub value: Value,
    /// Where tuning may move it; `None` is the default box around the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
    /// The scale on which tuning moves it.
    pub transform: Transform,
    /// Whether tuning may move it at all; fixed is written `!` in a formula.
    pub free: bool,
}

/// A number, or a rule that finds one in the data before binding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A number.
    Number(f64),
    /// A rule.
    Rule(Rule),
}

/// A way to find a parameter in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// The median distance between two different points.
    Median,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 1] = [Rule::Median];

    /// The word for it in a formula.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Median => "median",
        }
    }
}

/// The scale on which a parameter is moved: θ = transform(value).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// θ = p.
    Identity,
    /// θ = ln p, for positive parameters.
    Log,
    /// θ = ln((p − low)/(high − p)), for parameters between two ends.
    Logit {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
}

impl Transform {
    /// θ for the value p.
    pub fn forward(self, p: f64) -> f64 {
        match self {
            Transform::Identity => p,
            Transform::Log => p.ln(),
            Transform::Logit { low, high } => ((p - low) / (high - p)).ln(),
        }
    }

    /// The value p for θ.
    pub fn backward(self, theta: f64) -> f64 {
        match self {
            Transform::Identity => theta,
            Transform::Log => theta.exp(),
            Transform::Logit { low, high } => low + (high - low) / (1.0 + (-theta).exp()),
        }
    }

    /// dp/dθ at the value p.
    pub fn slope(self, p: f64) -> f64 {
        match self {
            Transform::Identity => 1.0,
            Transform::Log => p,
            Transform::Logit { low, high } => (p - low) * (high - p) / (high - low),
        }
    }
}

/// How far from a value the default box reaches, as a factor, for parameters on the log scale.
const DEFAULT_REACH: f64 = 1e5;

impl Param {
    /// A free parameter.
    pub fn new(value: f64, transform: Transform) -> Self {
        Param { value: Value::Number(value), bounds: None, transform, free: true }
    }

    /// A free parameter that a rule will find.
    pub fn by_rule(rule: Rule) -> Self {
        Param { value: Value::Rule(rule), bounds: None, transform: Transform::Log, free: true }
    }

    /// The same parameter with tuning kept off it.
    pub fn fixed(mut self) -> Self {
        self.free = false;
        self
    }

    /// The number, unless it is still a rule.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(v) => Some(v),
            Value::Rule(_) => None,
        }
    }

    /// The box in which tuning may move the value, or what stands for it while the value is a
    /// rule: as given; else a factor of 1e5 around the value on the log scale; else from 0 to 1e5
    /// times the larger of the value and 1.
    pub fn bounds(&self) -> (f64, f64) {
        let value = self.number().unwrap_or(1.0);
        match (self.bounds, self.transform) {
            (Some(bounds), _) => bounds,
            (None, Transform::Log) => (value / DEFAULT_REACH, value * DEFAULT_REACH),
            (None, Transform::Identity) => (0.0, DEFAULT_REACH * value.max(1.0)),
            (None, Transform::Logit { low, high }) => (low, high),
        }
    }
}

impl fmt::Display for Param {
    /// As in a formula: `2`, `2!`, `median`, `2 in [0.1, 10]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Number(v) => f.write_str(&number::print(v))?,
            Value::Rule(rule) => f.write_str(rule.name())?,
        }
        if !self.free {
            f.write_str("!")?;
        }
        match self.bounds {
            None => Ok(()),
            Some((low, high)) => write!(f, " in [{}, {}]", number::print(low), number::print(high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_inverse_and_their_slope_is_a_derivative() {
        for transform in [Transform::Identity, Transform::Log, Transform::Logit { low: 0.5, high: 3.0 }] {
            let p = 1.75;
            let theta = transform.forward(p);
            assert!((transform.backward(theta) - p).abs() < 1e-14);
            let h = 1e-6;
            let difference = (transform.backward(theta + h) - transform.backward(theta - h)) / (2.0 * h);
            assert!((difference - transform.slope(p)).abs() < 1e-8);
        }
    }
}
