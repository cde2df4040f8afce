//! A loss of Mercer's, which files know by name, or of the user's.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::error::Result;
use crate::loss::{Loss, NamedLoss};

/// A loss of either kind.
///
/// ```
/// use mercer::{loss::{Huber, NamedLoss}, model::AnyLoss};
/// let huber = AnyLoss::from(NamedLoss::of(&Huber::SPEC).with(2.0));
/// assert_eq!(serde_json::to_string(&huber).expect("text"), r#"{"name":"huber","delta":2.0}"#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyLoss {
    /// A loss of the catalogue, with its parameter.
    Named(NamedLoss),
    /// A loss of the user's own, which no file can hold.
    Own(Arc<dyn Loss>),
}

impl AnyLoss {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            AnyLoss::Named(named) => named.name(),
            AnyLoss::Own(loss) => loss.name(),
        }
    }

    /// The loss itself, its parameter checked.
    pub fn build(&self) -> Result<Arc<dyn Loss>> {
        match self {
            AnyLoss::Named(named) => named.build(),
            AnyLoss::Own(loss) => Ok(Arc::clone(loss)),
        }
    }
}

impl From<NamedLoss> for AnyLoss {
    fn from(named: NamedLoss) -> Self {
        AnyLoss::Named(named)
    }
}

impl From<Arc<dyn Loss>> for AnyLoss {
    fn from(loss: Arc<dyn Loss>) -> Self {
        AnyLoss::Own(loss)
    }
}

/// What stands in a file for a loss of the user's own.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    own: String,
}

/// A loss that was read by its name alone: the values of a model do not need it, and nothing else can be computed.
#[derive(Debug)]
struct Unknown(String);

impl Loss for Unknown {
    fn name(&self) -> &str {
        &self.0
    }

    fn value(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }

    fn derivative(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }
}

impl Serialize for AnyLoss {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            AnyLoss::Named(named) => named.serialize(serializer),
            AnyLoss::Own(loss) => Written { own: loss.name().to_owned() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for AnyLoss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match Written::deserialize(&value) {
            Ok(Written { own }) => Ok(AnyLoss::Own(Arc::new(Unknown(own)))),
            Err(_) => NamedLoss::deserialize(value).map(AnyLoss::Named).map_err(D::Error::custom),
        }
    }
}
