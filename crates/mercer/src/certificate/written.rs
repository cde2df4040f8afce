//! Certificates as text: the one form for JSON, Python and model files.
//!
//! Measures stand beside the other fields, each under its name. JSON has no infinite numbers and no NaN, and a fit that was
//! stopped may have an infinite residual: those are words.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{Algorithm, Certificate, Measure, Repaired, Stop};

/// A number, or one of the words `NaN`, `inf`, `-inf`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Real {
    Number(f64),
    Word(String),
}

impl From<f64> for Real {
    fn from(x: f64) -> Self {
        if x.is_finite() { Real::Number(x) } else { Real::Word(x.to_string()) }
    }
}

impl Real {
    pub(crate) fn value(&self) -> Result<f64, String> {
        match self {
            Real::Number(x) => Ok(*x),
            Real::Word(word) => match word.as_str() {
                "NaN" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(format!("`{word}` is no number")),
            },
        }
    }
}

/// The fields that are no measures.
#[derive(Deserialize)]
struct Story {
    algorithm: Algorithm,
    reason: String,
    stop: Stop,
    system: Option<String>,
    repaired: Option<Repaired>,
    #[serde(flatten)]
    measures: Map<String, Value>,
}

impl Serialize for Certificate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("algorithm", &self.algorithm)?;
        map.serialize_entry("reason", &self.reason)?;
        map.serialize_entry("stop", &self.stop)?;
        if let Some(system) = &self.system {
            map.serialize_entry("system", system)?;
        }
        for (measure, value) in &self.measures {
            match measure.is_count() && *value >= 0.0 && value.is_finite() {
                true => map.serialize_entry(measure.name(), &(*value as u64))?,
                false => map.serialize_entry(measure.name(), &Real::from(*value))?,
            }
        }
        if let Some(repaired) = &self.repaired {
            map.serialize_entry("repaired", repaired)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Certificate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Story { algorithm, reason, stop, system, repaired, measures } = Story::deserialize(deserializer)?;
        let mut certificate = Certificate { system, repaired, ..Certificate::new(algorithm, reason, stop) };
        for (name, value) in measures {
            let measure = Measure::by_name(&name).ok_or_else(|| D::Error::custom(format!("`{name}` is no measure")))?;
            let real: Real = serde_json::from_value(value).map_err(D::Error::custom)?;
            certificate = certificate.with(measure, real.value().map_err(D::Error::custom)?);
        }
        Ok(certificate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_reads_back_whatever_the_number() {
        let numbers = [0.1, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e-320, 17.0];
        let mut certificate = Certificate::new(Algorithm::Cg, "asked for", Stop::Deadline).of_system("A·x = y", 1e300);
        for (at, measure) in Measure::ALL.iter().enumerate().skip(1) {
            let value = if measure.is_count() { at as f64 } else { numbers[at % numbers.len()] };
            certificate = certificate.with(*measure, value);
        }
        let json = serde_json::to_string(&certificate).expect("text");
        let place = Measure::ALL.iter().position(|m| *m == Measure::Iterations).expect("there");
        assert!(json.contains(&format!("\"iterations\":{place}")) && json.contains("\"-inf\""), "{json}");
        assert_eq!(serde_json::from_str::<Certificate>(&json).expect("reads back"), certificate);
        let nan = certificate.with(Measure::Condition, f64::NAN);
        let again: Certificate = serde_json::from_str(&serde_json::to_string(&nan).expect("text")).expect("reads back");
        assert!(again.get(Measure::Condition).is_some_and(f64::is_nan));
    }

    #[test]
    fn a_measure_that_nobody_knows_is_refused() {
        let json = r#"{"algorithm": "cg", "reason": "", "stop": "direct", "goodness": 1}"#;
        assert!(serde_json::from_str::<Certificate>(json).is_err_and(|e| e.to_string().contains("`goodness`")));
        let json = r#"{"algorithm": "cg", "reason": "", "stop": "direct", "primal": "much"}"#;
        assert!(serde_json::from_str::<Certificate>(json).is_err());
    }
}
