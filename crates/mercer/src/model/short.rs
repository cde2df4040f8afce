//! Short forms of settings: what a person types for what a file holds.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// Reads a setting in its own form, or a number for `{"value": number}`, a list for `{"values": list}`, a word for
/// `{word: {}}`; what fits neither is reported as its own form has it.
pub(crate) fn short<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let given = Value::deserialize(deserializer)?;
    let long = match &given {
        Value::Number(number) => json!({"value": number}),
        Value::Array(list) => json!({"values": list}),
        Value::String(word) => json!({word: {}}),
        _ => Value::Null,
    };
    T::deserialize(given).or_else(|own| T::deserialize(long).map_err(|_| D::Error::custom(own)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::model::catalogue::by_name;
    use crate::model::regress::Alpha;

    #[test]
    fn short_forms_are_the_long_ones() {
        for (learner, name, short, long) in [
            ("ridge", "alpha", json!(3.0), json!({"value": 3.0})),
            ("ridge", "alpha", json!("gcv"), json!({"gcv": Alpha::grid()})),
            ("ridge", "solver", json!("nystrom"), json!({"nystrom": {"landmarks": null}})),
            ("ridge", "solver", json!("eigen"), json!("eigen")),
            ("logistic", "class_weight", json!([1.0, 2.0]), json!({"values": [1.0, 2.0]})),
            ("logistic", "class_weight", json!("balanced"), json!("balanced")),
            ("regressor", "loss", json!("huber"), json!({"name": "huber", "delta": 1.35})),
            ("classifier", "loss", json!({"name": "huber"}), json!({"name": "huber", "delta": 1.35})),
            ("sgd", "loss", json!("logistic"), json!({"name": "logistic"})),
        ] {
            let learner = by_name(learner).expect("a learner");
            let set =
                |value: serde_json::Value| learner.with_settings([(name.to_owned(), value)].into_iter().collect());
            let read = set(short).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(read.settings()[name], long);
        }
    }

    #[test]
    fn what_fits_no_form_is_said_by_its_own() {
        let ridge = by_name("ridge").expect("a learner");
        let message = |value: serde_json::Value| {
            ridge.with_settings([("solver".to_owned(), value)].into_iter().collect()).expect_err("refused").to_string()
        };
        assert!(message(json!("newton")).contains("expected one of `auto`"), "{}", message(json!("newton")));
        assert!(message(json!({"cg": {"steps": 3}})).contains("`solver` of the model `ridge`"));
    }
}
