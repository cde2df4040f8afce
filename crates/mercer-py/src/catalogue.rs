//! The kernels that formulas know by name, and the losses.

use mercer::kernel::{Kind, SettingKind, SettingSpec};
use mercer::loss::LossSpec;
use pyo3::prelude::*;

/// A kernel of the catalogue.
#[derive(IntoPyObject)]
struct Entry {
    name: &'static str,
    aliases: Vec<&'static str>,
    summary: &'static str,
    definition: &'static str,
    domain: &'static str,
    parameters: Vec<Parameter>,
}

/// A parameter of a kernel.
#[derive(IntoPyObject)]
struct Parameter {
    name: &'static str,
    summary: &'static str,
    values: String,
    default: String,
    /// Other names, each with its meaning in terms of this parameter.
    aliases: Vec<(&'static str, &'static str)>,
}

/// All kernels of the catalogue, in its order.
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let entries: Vec<Entry> = Kind::ALL.iter().map(|kind| entry(*kind)).collect();
    entries.into_pyobject(py)
}

/// The parameter of each loss that has one, by the loss's name, with its default.
#[pyfunction]
pub(crate) fn loss_parameters() -> Vec<(&'static str, &'static str, f64)> {
    LossSpec::ALL.iter().filter_map(|spec| spec.parameter.map(|p| (spec.name, p.name, p.default))).collect()
}

fn entry(kind: Kind) -> Entry {
    let spec = kind.spec();
    Entry {
        name: spec.name,
        aliases: spec.aliases.to_vec(),
        summary: spec.summary,
        definition: spec.definition,
        domain: spec.domain.needs(),
        parameters: spec.settings.iter().map(parameter).collect(),
    }
}

fn parameter(spec: &SettingSpec) -> Parameter {
    let (values, default) = values(&spec.kind);
    let aliases = spec.aliases.iter().map(|a| (a.name, a.meaning)).collect();
    Parameter { name: spec.name, summary: spec.summary, values, default, aliases }
}

/// What values a parameter takes and its default, in words.
fn values(kind: &SettingKind) -> (String, String) {
    match kind {
        SettingKind::Positive { default, per_column } => {
            let list = if *per_column { ", or a list with one for each column" } else { "" };
            (format!("a number > 0{list}"), default.param().to_string())
        }
        SettingKind::NonNegative { default } => ("a number ≥ 0".into(), default.to_string()),
        SettingKind::Real { default } => ("a number".into(), default.to_string()),
        SettingKind::Between { default, low, high } => (format!("between {low} and {high}"), default.to_string()),
        SettingKind::Coefficients { default } => {
            ("a list of numbers ≥ 0, lowest power first".into(), format!("{default:?}"))
        }
        SettingKind::Integer { default, min, max } => {
            (format!("a whole number from {min} to {max}"), default.to_string())
        }
        SettingKind::Choice { options } => (format!("one of {}", options.join(", ")), options[0].to_owned()),
        SettingKind::Words { example, .. } => (format!("words, such as {example}, or data"), "data".to_owned()),
    }
}
