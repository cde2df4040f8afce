//! Losses by name, as files and the faces give them.

use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{Loss, LossSpec, Squared};
use crate::error::{Error, Result, nearest};

/// A loss of Mercer's own, with its parameter. In JSON, `{"name": "huber", "delta": 1.35}`.
///
/// ```
/// use mercer::loss::{NamedLoss, Pinball};
/// let loss = NamedLoss::parse("huber", Some(1.35))?.build()?;
/// assert_eq!(loss.value(0.0, 2.0), 1.35 * (2.0 - 1.35 / 2.0));
/// assert!(NamedLoss::parse("hubber", None).is_err());
/// assert!(NamedLoss::of(&Pinball::SPEC).with(1.0).build().is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NamedLoss {
    spec: &'static LossSpec,
    /// 0 where there is none.
    parameter: f64,
}

impl NamedLoss {
    /// The loss of a specification, with the default of its parameter.
    pub fn of(spec: &'static LossSpec) -> Self {
        NamedLoss { spec, parameter: spec.parameter.map_or(0.0, |p| p.default) }
    }

    /// The loss with this parameter, which [`build`](Self::build) checks.
    pub fn with(self, parameter: f64) -> Self {
        NamedLoss { parameter, ..self }
    }

    /// The loss of a name; `parameter` is δ, ε or τ, by default that of the catalogue.
    pub fn parse(name: &str, parameter: Option<f64>) -> Result<Self> {
        let unknown = || {
            let names: Vec<&str> = LossSpec::names().collect();
            Error::invalid("the learner", "loss", format!("`{name}`"), format!("one of {}", names.join(", ")))
        };
        let usual = Self::of(LossSpec::find(name).ok_or_else(unknown)?);
        match (usual.spec.parameter, parameter) {
            (None, Some(value)) => {
                Err(Error::invalid(format!("the loss `{name}`"), "parameter", value, "left out: it has none"))
            }
            (_, given) => Ok(given.map_or(usual, |value| usual.with(value))),
        }
    }

    /// Its name, as [`parse`](Self::parse) reads it.
    pub fn name(self) -> &'static str {
        self.spec.name
    }

    /// What the catalogue says of it.
    pub fn spec(self) -> &'static LossSpec {
        self.spec
    }

    /// Whether it is the loss of this specification, whatever its parameter.
    pub fn is(self, spec: &LossSpec) -> bool {
        self.spec.name == spec.name
    }

    /// The loss itself, its parameter checked.
    pub fn build(self) -> Result<Arc<dyn Loss>> {
        (self.spec.build)(self.parameter)
    }
}

/// Least squares.
impl Default for NamedLoss {
    fn default() -> Self {
        NamedLoss::of(&Squared::SPEC)
    }
}

impl PartialEq for NamedLoss {
    fn eq(&self, other: &Self) -> bool {
        self.is(other.spec) && self.parameter == other.parameter
    }
}

impl Serialize for NamedLoss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.spec.name)?;
        if let Some(parameter) = self.spec.parameter {
            map.serialize_entry(parameter.name, &self.parameter)?;
        }
        map.end()
    }
}

fn unknown(name: &str) -> String {
    let near = nearest(name, LossSpec::names()).map(|near| format!("; the nearest is `{near}`"));
    format!("unknown loss `{name}`{}", near.unwrap_or_default())
}

impl<'de> Deserialize<'de> for NamedLoss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = match Value::deserialize(deserializer)? {
            Value::String(name) => Map::from_iter([("name".to_owned(), Value::String(name))]),
            Value::Object(fields) => fields,
            _ => return Err(D::Error::custom("a loss is its name, or `name` with its parameter")),
        };
        let name = fields.get("name").and_then(Value::as_str).ok_or_else(|| D::Error::missing_field("name"))?;
        let spec = LossSpec::find(name).ok_or_else(|| D::Error::custom(unknown(name)))?;
        let known = |field: &String| field == "name" || spec.parameter.is_some_and(|p| p.name == field.as_str());
        if let Some(other) = fields.keys().find(|field| !known(field)) {
            return Err(D::Error::custom(format!("the loss `{name}` has no `{other}`")));
        }
        let usual = NamedLoss::of(spec);
        let Some((parameter, given)) = spec.parameter.and_then(|p| Some((p, fields.get(p.name)?))) else {
            return Ok(usual);
        };
        let number = given.as_f64().ok_or_else(|| D::Error::custom(format!("`{}` is a number", parameter.name)))?;
        Ok(usual.with(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Against, Huber};

    #[test]
    fn every_name_builds_its_loss_and_survives_json() {
        for spec in LossSpec::ALL {
            let named = NamedLoss::parse(spec.name, None).expect("a known name");
            let loss = named.build().expect("a good default");
            assert_eq!((loss.name(), named.name(), loss.against()), (spec.name, spec.name, spec.against));
            assert_eq!(loss.parameters().first().copied(), spec.parameter.map(|p| (p.name, p.default)));
            let json = serde_json::to_string(&named).expect("a string");
            assert_eq!(serde_json::from_str::<NamedLoss>(&json).expect("reads back"), named);
        }
        assert!(NamedLoss::parse("hinge", Some(1.0)).is_err());
    }

    #[test]
    fn json_holds_the_name_and_the_parameter() {
        let text = |name: &str| serde_json::to_string(&NamedLoss::parse(name, None).expect("known")).expect("a string");
        assert_eq!(text("huber"), r#"{"name":"huber","delta":1.35}"#);
        assert_eq!(text("logistic"), r#"{"name":"logistic"}"#);
        assert_eq!(
            serde_json::from_str::<NamedLoss>(r#"{"name":"huber"}"#).expect("the usual"),
            NamedLoss::of(&Huber::SPEC)
        );
        assert_eq!(serde_json::from_str::<NamedLoss>(r#""huber""#).expect("a name"), NamedLoss::of(&Huber::SPEC));
        let numbers =
            [r#"{"name":"huber","delta":"1"}"#, r#"{"name":"huber","dleta":1.0}"#, r#"{"name":"hinge","delta":1.0}"#];
        for bad in [r#"{"name":"hubber"}"#, r#"{"delta":1.0}"#, "3"].into_iter().chain(numbers) {
            assert!(serde_json::from_str::<NamedLoss>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_bad_parameter_is_refused_with_its_bounds() {
        let told = |name: &str, value: f64| {
            let loss = NamedLoss::parse(name, Some(value)).and_then(NamedLoss::build);
            loss.expect_err("out of bounds").to_string()
        };
        assert!(told("huber", 0.0).contains("a finite number > 0"));
        assert!(told("epsilon_insensitive", -0.5).contains("a finite number ≥ 0"));
        assert!(told("pinball", 1.0).contains("between 0 and 1, both excluded"));
    }

    /// What the catalogue says of curvature holds on a grid, and what has a bound is convex.
    #[test]
    fn largest_curvatures_are_attained_and_never_passed() {
        for spec in LossSpec::ALL {
            let Some(most) = spec.largest_curvature else { continue };
            let loss = NamedLoss::of(spec).build().expect("a good default");
            let targets = if spec.against == Against::Signs { [-1.0, 1.0] } else { [0.0, 0.7] };
            let bends = targets.iter().flat_map(|y| (-400..=400).map(|i| loss.curvature(*y, f64::from(i) * 0.01)));
            assert_eq!(bends.fold(0.0, f64::max), most, "{}", spec.name);
            assert!(loss.convex().is_some(), "{}", spec.name);
        }
    }
}
