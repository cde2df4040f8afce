//! C: what a unit of slack costs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::certificate::Real;

/// A cost above 0, infinite for a hard margin. As JSON it is a number or the word `inf`.
///
/// ```
/// use mercer::model::Cost;
/// assert_eq!(serde_json::to_string(&Cost(2.5)).expect("JSON"), "2.5");
/// assert_eq!(serde_json::to_string(&Cost::HARD).expect("JSON"), "\"inf\"");
/// assert_eq!(serde_json::from_str::<Cost>("\"inf\"").expect("a cost"), Cost::HARD);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost(pub f64);

impl Cost {
    /// No slack at any price.
    pub const HARD: Cost = Cost(f64::INFINITY);
}

impl Default for Cost {
    fn default() -> Self {
        Cost(1.0)
    }
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Real::from(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Real::deserialize(deserializer)?.value().map(Cost).map_err(serde::de::Error::custom)
    }
}
