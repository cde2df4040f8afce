//! What a kernel's file says of its kernel: names, domain, parameters and formula, as data.
//!
//! Parser, printer, parameter walk, catalogue and help are all made from these records, so a new
//! kernel is one file and one line in the list.

use crate::data::{ColumnType, StructuredType, TEXT};

use super::param::{Param, Rule, Transform};
use super::property::Property;

/// A kernel, described.
#[derive(Debug)]
pub struct KernelSpec {
    /// Its name in a formula.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    /// The definition, in plain text.
    pub definition: &'static str,
    /// The columns it reads.
    pub domain: Domain,
    /// Whether it is positive definite, and why.
    pub property: Property,
    /// Its parameters, in the order of θ.
    pub settings: &'static [SettingSpec],
}

/// What a kernel reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Domain {
    /// Numeric columns.
    Number,
    /// Numeric columns whose values are not negative.
    NonNegative,
    /// Category columns.
    Category,
    /// Columns of a structured type, such as text.
    Structured(&'static StructuredType),
    /// A precomputed matrix.
    Precomputed,
}

impl Domain {
    /// Text columns.
    pub const TEXT: Domain = Domain::Structured(&TEXT);

    /// The type of column that fits, where columns are read at all.
    pub fn column_type(self) -> Option<ColumnType> {
        match self {
            Domain::Number | Domain::NonNegative => Some(ColumnType::Number),
            Domain::Category => Some(ColumnType::Category),
            Domain::Structured(kind) => Some(ColumnType::Structured(kind)),
            Domain::Precomputed => None,
        }
    }

    /// What it needs, in words.
    pub fn needs(self) -> &'static str {
        match self {
            Domain::Number => "numeric columns",
            Domain::NonNegative => "numeric columns without negative values",
            Domain::Category => "category columns",
            Domain::Structured(kind) => kind.columns,
            Domain::Precomputed => "a precomputed matrix",
        }
    }
}

/// A parameter, described.
#[derive(Debug)]
pub struct SettingSpec {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What values it takes.
    pub kind: SettingKind,
    /// Other names, each with its own meaning.
    pub aliases: &'static [Alias],
}

/// Another name for a parameter, with the map to the normal form.
#[derive(Debug)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// From the alias's value to the parameter's; both are positive.
    pub to_normal: fn(f64) -> f64,
    /// The map in words, such as "1/(2·length_scale²)".
    pub meaning: &'static str,
}

/// What values a parameter takes.
#[derive(Debug)]
pub enum SettingKind {
    /// A positive number, or one for each column where `per_column`.
    Positive {
        /// The value when none is given.
        default: Default,
        /// Whether a list with one number for each column is accepted.
        per_column: bool,
    },
    /// A number ≥ 0.
    NonNegative {
        /// The value when none is given.
        default: f64,
    },
    /// Any number.
    Real {
        /// The value when none is given.
        default: f64,
    },
    /// A number strictly between two others.
    Between {
        /// The value when none is given.
        default: f64,
        /// Below every value.
        low: f64,
        /// Above every value.
        high: f64,
    },
    /// A list of numbers ≥ 0.
    Coefficients {
        /// The value when none is given.
        default: &'static [f64],
    },
    /// A whole number; not part of θ.
    Integer {
        /// The value when none is given.
        default: u32,
        /// The smallest value.
        min: u32,
        /// The largest value.
        max: u32,
    },
    /// One of several words; not part of θ.
    Choice {
        /// The words, the first being the default.
        options: &'static [&'static str],
    },
    /// Words in an order, given or found in the data; not part of θ.
    Words {
        /// What stands between words that are given as one text.
        separator: char,
        /// What is wrong with such words, if anything.
        fault: fn(&[String]) -> Option<String>,
        /// Such words, as an example.
        example: &'static str,
    },
}

/// The word for words that are to be found in the data.
pub(crate) const FROM_DATA: &str = "data";

/// The value of a positive parameter when none is given.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// A number.
    Number(f64),
    /// A rule that finds it in the data.
    Rule(Rule),
}

impl Default {
    /// The parameter that stands when none is given.
    pub fn param(self) -> Param {
        match self {
            Default::Number(v) => Param::new(v, Transform::Log),
            Default::Rule(rule) => Param::by_rule(rule),
        }
    }
}

/// The length scale ℓ of a kernel of r/ℓ or r²/ℓ², with the aliases that read as ℓ itself.
///
/// `gamma` differs from kernel to kernel and is passed in.
macro_rules! length_scale {
    ($gamma:expr, $meaning:literal) => {
        $crate::kernel::spec::SettingSpec {
            name: "length_scale",
            summary: "distance over which the kernel decays, one or one per column",
            kind: $crate::kernel::spec::SettingKind::Positive {
                default: $crate::kernel::spec::Default::Rule($crate::kernel::param::Rule::Median),
                per_column: true,
            },
            aliases: &[
                $crate::kernel::spec::Alias { name: "gamma", to_normal: $gamma, meaning: $meaning },
                $crate::kernel::spec::Alias { name: "sigma", to_normal: |v| v, meaning: "length_scale" },
                $crate::kernel::spec::Alias { name: "bandwidth", to_normal: |v| v, meaning: "length_scale" },
            ],
        }
    };
}
pub(crate) use length_scale;
