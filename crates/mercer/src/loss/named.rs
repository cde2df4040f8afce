//! Losses by name, as files and the faces give them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Absolute, EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Pinball, Squared, SquaredHinge, Tanh};
use crate::error::{Error, Result};

/// A loss of Mercer's own, with its parameter.
///
/// ```
/// use mercer::loss::NamedLoss;
/// let loss = NamedLoss::parse("huber", Some(1.35))?.build()?;
/// assert_eq!(loss.value(0.0, 2.0), 1.35 * (2.0 - 1.35 / 2.0));
/// assert!(NamedLoss::parse("hubber", None).is_err());
/// assert!(NamedLoss::Pinball { quantile: 1.0 }.build().is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NamedLoss {
    /// ½(z − y)².
    Squared,
    /// Quadratic up to δ, linear beyond.
    Huber {
        /// δ > 0.
        delta: f64,
    },
    /// |z − y|.
    Absolute,
    /// max(0, |z − y| − ε).
    EpsilonInsensitive {
        /// ε ≥ 0.
        epsilon: f64,
    },
    /// The loss of a quantile.
    Pinball {
        /// 0 < τ < 1.
        quantile: f64,
    },
    /// ln(1 + exp(−yz)).
    Logistic,
    /// max(0, 1 − yz)².
    SquaredHinge,
    /// max(0, 1 − yz).
    Hinge,
    /// (tanh z − y)².
    Tanh,
}

impl NamedLoss {
    /// The names, with the default of the parameter where there is one.
    pub const NAMES: [(&'static str, Option<f64>); 9] = [
        ("squared", None),
        ("huber", Some(1.35)),
        ("absolute", None),
        ("epsilon_insensitive", Some(0.1)),
        ("pinball", Some(0.5)),
        ("logistic", None),
        ("squared_hinge", None),
        ("hinge", None),
        ("tanh", None),
    ];

    /// The loss of a name; `parameter` is δ, ε or τ, by default 1.35, 0.1 and ½.
    pub fn parse(name: &str, parameter: Option<f64>) -> Result<Self> {
        let unknown = || {
            let names: Vec<&str> = Self::NAMES.iter().map(|(n, _)| *n).collect();
            Error::invalid("the learner", "loss", format!("`{name}`"), format!("one of {}", names.join(", ")))
        };
        let (_, default) = Self::NAMES.iter().find(|(n, _)| *n == name).ok_or_else(unknown)?;
        if let (None, Some(value)) = (default, parameter) {
            return Err(Error::invalid(format!("the loss `{name}`"), "parameter", value, "left out: it has none"));
        }
        let value = parameter.or(*default).unwrap_or(0.0);
        Ok(match name {
            "squared" => NamedLoss::Squared,
            "huber" => NamedLoss::Huber { delta: value },
            "absolute" => NamedLoss::Absolute,
            "epsilon_insensitive" => NamedLoss::EpsilonInsensitive { epsilon: value },
            "pinball" => NamedLoss::Pinball { quantile: value },
            "logistic" => NamedLoss::Logistic,
            "squared_hinge" => NamedLoss::SquaredHinge,
            "hinge" => NamedLoss::Hinge,
            _ => NamedLoss::Tanh,
        })
    }

    /// Its name, as [`parse`](Self::parse) reads it.
    pub fn name(self) -> &'static str {
        match self {
            NamedLoss::Squared => "squared",
            NamedLoss::Huber { .. } => "huber",
            NamedLoss::Absolute => "absolute",
            NamedLoss::EpsilonInsensitive { .. } => "epsilon_insensitive",
            NamedLoss::Pinball { .. } => "pinball",
            NamedLoss::Logistic => "logistic",
            NamedLoss::SquaredHinge => "squared_hinge",
            NamedLoss::Hinge => "hinge",
            NamedLoss::Tanh => "tanh",
        }
    }

    /// The loss itself, its parameter checked.
    pub fn build(self) -> Result<Arc<dyn Loss>> {
        Ok(match self {
            NamedLoss::Squared => Arc::new(Squared),
            NamedLoss::Huber { delta } => Arc::new(Huber::new(delta)?),
            NamedLoss::Absolute => Arc::new(Absolute),
            NamedLoss::EpsilonInsensitive { epsilon } => Arc::new(EpsilonInsensitive::new(epsilon)?),
            NamedLoss::Pinball { quantile } => Arc::new(Pinball::new(quantile)?),
            NamedLoss::Logistic => Arc::new(Logistic),
            NamedLoss::SquaredHinge => Arc::new(SquaredHinge),
            NamedLoss::Hinge => Arc::new(Hinge),
            NamedLoss::Tanh => Arc::new(Tanh),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds_its_loss_and_survives_json() {
        for (name, default) in NamedLoss::NAMES {
            let named = NamedLoss::parse(name, None).expect("a known name");
            let loss = named.build().expect("a good default");
            assert_eq!((loss.name(), named.name()), (name, name));
            assert_eq!(loss.parameters().first().map(|p| p.1), default);
            let json = serde_json::to_string(&named).expect("a string");
            assert_eq!(serde_json::from_str::<NamedLoss>(&json).expect("reads back"), named);
        }
        assert!(NamedLoss::parse("hinge", Some(1.0)).is_err());
    }
}
