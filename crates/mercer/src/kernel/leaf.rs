//! A kernel of the catalogue, with its columns and parameters.

use std::sync::Arc;

use crate::error::{Error, Result};

use super::param::{Param, Transform};
use super::property::{Property, Standing};
use super::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use super::{Kind, number};

/// The kernel values given by the data itself.
pub(crate) const PRECOMPUTED: KernelSpec = KernelSpec {
    name: "precomputed",
    aliases: &[],
    summary: "a matrix of kernel values made elsewhere",
    definition: "K[x, y] as given",
    domain: Domain::Precomputed,
    property: Property::unproved(Standing::Unknown, "a matrix says nothing of points it does not hold; audit it"),
    settings: &[],
};

/// Which columns a kernel reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// Every column of the kernel's type.
    All,
    /// The columns of these names.
    Named(Vec<String>),
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number, part of θ.
    One(Param),
    /// A list of numbers, part of θ.
    Many(Vec<Param>),
    /// A whole number, not part of θ.
    Integer(u32),
    /// A word, not part of θ.
    Choice(&'static str),
    /// Words in an order, not part of θ; nothing while they are to be found in the data.
    Words(Option<Arc<[String]>>),
}

/// A kernel of the catalogue with its columns and parameters, in the order of its
/// [`KernelSpec::settings`].
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    kind: Kind,
    columns: Columns,
    settings: Vec<Setting>,
}

impl Leaf {
    /// The kernel on every column of its type, with its default parameters.
    pub fn new(kind: Kind) -> Self {
        let settings = kind.spec().settings.iter().map(default_setting).collect();
        Leaf { kind, columns: Columns::All, settings }
    }

    /// Which kernel it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the kernel's file says of it.
    pub fn spec(&self) -> &'static KernelSpec {
        self.kind.spec()
    }

    /// The columns it reads.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Reads these columns instead.
    pub fn on(mut self, columns: Columns) -> Self {
        self.columns = columns;
        self
    }

    /// The parameters, in order.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    pub(crate) fn settings_mut(&mut self) -> &mut [Setting] {
        &mut self.settings
    }

    /// The parameter of this name.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.spec().settings.iter().position(|s| s.name == name).map(|i| &self.settings[i])
    }

    /// The parameter of this name as a whole number; 0 where it is not one.
    pub(crate) fn integer(&self, name: &str) -> u32 {
        match self.setting(name) {
            Some(Setting::Integer(v)) => *v,
            _ => 0,
        }
    }

    /// The words of the parameter of this name, unless they are still to be found.
    pub(crate) fn words(&self, name: &str) -> Option<&Arc<[String]>> {
        match self.setting(name) {
            Some(Setting::Words(words)) => words.as_ref(),
            _ => None,
        }
    }

    /// The parameter of this name as a number, if it is one and not a rule.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        match self.setting(name) {
            Some(Setting::One(p)) => p.number(),
            _ => None,
        }
    }

    /// Sets the parameter of this name or alias, refusing values outside its domain.
    pub fn set(&mut self, name: &str, value: Setting) -> Result<()> {
        let spec = self.spec();
        let found = spec.settings.iter().enumerate().find_map(|(i, s)| {
            if s.name == name {
                return Some((i, s, None));
            }
            s.aliases.iter().find(|a| a.name == name).map(|a| (i, s, Some(a)))
        });
        let Some((index, setting, alias)) = found else {
            return Err(unknown_setting(spec, name));
        };
        let value = checked(spec.name, setting, name, value)?;
        self.settings[index] = match alias {
            None => value,
            Some(alias) => map_setting(value, alias.to_normal, spec.name, name)?,
        };
        Ok(())
    }
}

fn default_setting(spec: &SettingSpec) -> Setting {
    match &spec.kind {
        SettingKind::Positive { default, .. } => Setting::One(default.param()),
        SettingKind::NonNegative { default } | SettingKind::Real { default } => {
            Setting::One(Param::new(*default, Transform::Identity))
        }
        SettingKind::Between { default, low, high } => {
            Setting::One(Param::new(*default, Transform::Logit { low: *low, high: *high }))
        }
        SettingKind::Coefficients { default } => {
            Setting::Many(default.iter().map(|c| Param::new(*c, Transform::Identity)).collect())
        }
        SettingKind::Integer { default, .. } => Setting::Integer(*default),
        SettingKind::Choice { options } => Setting::Choice(options[0]),
        SettingKind::Words { .. } => Setting::Words(None),
    }
}

/// The error of a parameter that the kernel does not have.
fn unknown_setting(spec: &KernelSpec, name: &str) -> Error {
    let names: Vec<&str> =
        spec.settings.iter().flat_map(|s| [s.name].into_iter().chain(s.aliases.iter().map(|a| a.name))).collect();
    let must = match crate::error::nearest(name, names.iter().copied()) {
        Some(near) => format!("one it has; the nearest is `{near}`"),
        None if names.is_empty() => "absent: it has none".into(),
        None => format!("one of {}", crate::error::quote_list(&names)),
    };
    Error::invalid(format!("kernel `{}`", spec.name), "a parameter", format!("`{name}`"), must)
}

/// The value, if the parameter takes it; transforms are set to the parameter's own.
fn checked(kernel: &str, spec: &SettingSpec, name: &str, value: Setting) -> Result<Setting> {
    let refuse = |got: String, must: &str| Err(Error::invalid(format!("kernel `{kernel}`"), name, got, must));
    match (&spec.kind, value) {
        (SettingKind::Positive { .. }, Setting::One(p)) => Ok(Setting::One(positive(kernel, name, p)?)),
        (SettingKind::Positive { per_column: true, .. }, Setting::Many(list)) if !list.is_empty() => {
            Ok(Setting::Many(list.into_iter().map(|p| positive(kernel, name, p)).collect::<Result<_>>()?))
        }
        (SettingKind::Positive { per_column: true, .. }, Setting::Many(_)) => {
            refuse("an empty list".into(), "a number for each column")
        }
        (SettingKind::NonNegative { .. }, Setting::One(p)) => Ok(Setting::One(non_negative(kernel, name, p)?)),
        (SettingKind::Real { .. }, Setting::One(p)) => Ok(Setting::One(real(kernel, name, p)?)),
        (SettingKind::Between { low, high, .. }, Setting::One(p)) => {
            Ok(Setting::One(between(kernel, name, p, (*low, *high))?))
        }
        (SettingKind::Coefficients { .. }, Setting::Many(list)) if !list.is_empty() => {
            Ok(Setting::Many(list.into_iter().map(|p| non_negative(kernel, name, p)).collect::<Result<_>>()?))
        }
        (SettingKind::Integer { min, max, .. }, Setting::One(p)) => match p.number() {
            Some(v) if v.fract() == 0.0 && v >= f64::from(*min) && v <= f64::from(*max) => {
                Ok(Setting::Integer(v as u32))
            }
            _ => refuse(p.to_string(), &format!("a whole number from {min} to {max}")),
        },
        (SettingKind::Integer { min, max, .. }, Setting::Integer(v)) => match (*min..=*max).contains(&v) {
            true => Ok(Setting::Integer(v)),
            false => refuse(v.to_string(), &format!("a whole number from {min} to {max}")),
        },
        (SettingKind::Choice { options }, Setting::Choice(word)) => match options.iter().find(|o| **o == word) {
            Some(option) => Ok(Setting::Choice(option)),
            None => refuse(format!("`{word}`"), &format!("one of {}", crate::error::quote_list(options))),
        },
        (SettingKind::Words { .. }, Setting::Words(None)) => Ok(Setting::Words(None)),
        (SettingKind::Words { fault, example, .. }, Setting::Words(Some(words))) => match fault(&words) {
            None => Ok(Setting::Words(Some(words))),
            Some(fault) => refuse(fault, &format!("like `{name}={example}`")),
        },
        (kind, value) => refuse(describe(&value), expected(kind)),
    }
}

fn describe(value: &Setting) -> String {
    match value {
        Setting::One(p) => p.to_string(),
        Setting::Many(list) => format!("a list of {}", list.len()),
        Setting::Integer(v) => v.to_string(),
        Setting::Choice(word) => format!("`{word}`"),
        Setting::Words(None) => format!("`{}`", super::spec::FROM_DATA),
        Setting::Words(Some(words)) => format!("a list of {}", words.len()),
    }
}

fn expected(kind: &SettingKind) -> &'static str {
    match kind {
        SettingKind::Positive { per_column: true, .. } => "a number > 0, or a list with one for each column",
        SettingKind::Positive { .. } => "a number > 0",
        SettingKind::NonNegative { .. } => "a number ≥ 0",
        SettingKind::Real { .. } | SettingKind::Between { .. } => "a number",
        SettingKind::Coefficients { .. } => "a list of numbers ≥ 0, lowest power first",
        SettingKind::Integer { .. } => "a whole number",
        SettingKind::Choice { .. } => "a word",
        SettingKind::Words { .. } => "words in quotes, or `data`",
    }
}

fn positive(kernel: &str, name: &str, mut p: Param) -> Result<Param> {
    if p.number().is_some_and(|v| !(v > 0.0 && v.is_finite())) {
        return Err(Error::invalid(format!("kernel `{kernel}`"), name, &p, "a finite number > 0"));
    }
    p.transform = Transform::Log;
    check_bounds(kernel, name, &p, |low| low > 0.0)?;
    Ok(p)
}

fn non_negative(kernel: &str, name: &str, mut p: Param) -> Result<Param> {
    if p.number().is_none_or(|v| !(v >= 0.0 && v.is_finite())) {
        return Err(Error::invalid(format!("kernel `{kernel}`"), name, &p, "a finite number ≥ 0"));
    }
    p.transform = Transform::Identity;
    check_bounds(kernel, name, &p, |low| low >= 0.0)?;
    Ok(p)
}

fn real(kernel: &str, name: &str, mut p: Param) -> Result<Param> {
    if p.number().is_none_or(|v| !v.is_finite()) {
        return Err(Error::invalid(format!("kernel `{kernel}`"), name, &p, "a finite number"));
    }
    p.transform = Transform::Identity;
    check_bounds(kernel, name, &p, f64::is_finite)?;
    Ok(p)
}

fn between(kernel: &str, name: &str, mut p: Param, (low, high): (f64, f64)) -> Result<Param> {
    if p.number().is_none_or(|v| !(v > low && v < high)) {
        return Err(Error::invalid(format!("kernel `{kernel}`"), name, &p, format!("between {low} and {high}")));
    }
    p.transform = Transform::Logit { low, high };
    check_bounds(kernel, name, &p, |l| l > low && l < high)?;
    Ok(p)
}

/// Bounds must be in order, inside the domain, and hold the value.
pub(crate) fn check_bounds(owner: &str, name: &str, p: &Param, in_domain: impl Fn(f64) -> bool) -> Result<()> {
    let Some((low, high)) = p.bounds else { return Ok(()) };
    let inside = p.number().is_none_or(|v| low <= v && v <= high);
    if in_domain(low) && low < high && high.is_finite() && inside {
        return Ok(());
    }
    let shown = format!("[{}, {}]", number::print(low), number::print(high));
    let name = format!("bounds of {name}");
    Err(Error::invalid(format!("kernel `{owner}`"), name, shown, "in order, inside the domain, and around the value"))
}

/// The setting with its numbers (and bounds) carried from an alias to the normal form.
fn map_setting(value: Setting, to_normal: fn(f64) -> f64, kernel: &str, name: &str) -> Result<Setting> {
    let map = |mut p: Param| -> Result<Param> {
        if let Some(v) = p.number() {
            let normal = to_normal(v);
            if !(normal > 0.0 && normal.is_finite()) {
                return Err(Error::invalid(
                    format!("kernel `{kernel}`"),
                    name,
                    v,
                    "of a size that its normal form can hold",
                ));
            }
            p.value = super::Value::Number(normal);
        } else {
            let must = "a number; a rule is given to the parameter's own name";
            return Err(Error::invalid(format!("kernel `{kernel}`"), name, &p, must));
        }
        // The map may be decreasing, so its ends are put in order again.
        p.bounds = p.bounds.map(|(low, high)| (to_normal(low), to_normal(high))).map(|(a, b)| (a.min(b), a.max(b)));
        Ok(p)
    };
    Ok(match value {
        Setting::One(p) => Setting::One(map(p)?),
        Setting::Many(list) => Setting::Many(list.into_iter().map(map).collect::<Result<_>>()?),
        other => other,
    })
}
