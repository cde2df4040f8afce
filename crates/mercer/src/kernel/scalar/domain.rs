//! The sets of numbers that expressions are kernels on.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::error::{Error, Result};

use super::interval::Interval;

/// A set of numbers that x and y range over.
///
/// ```
/// use mercer::kernel::ScalarDomain;
/// let positive: ScalarDomain = "R+".parse()?;
/// assert!(positive.contains(0.5) && !positive.contains(0.0));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScalarDomain {
    /// All real numbers, `R`.
    #[default]
    Real,
    /// The positive numbers (0, ∞), `R+`.
    Positive,
    /// The open interval (−1, 1), `unit`.
    Unit,
    /// The closed interval from 0 to 1, `[0,1]`.
    Segment,
    /// The whole numbers 1, 2, …, `N`.
    Natural,
}

impl ScalarDomain {
    /// Every domain.
    pub const ALL: [ScalarDomain; 5] =
        [ScalarDomain::Real, ScalarDomain::Positive, ScalarDomain::Unit, ScalarDomain::Segment, ScalarDomain::Natural];

    /// Its name, as the command line and formulas have it.
    pub fn name(self) -> &'static str {
        match self {
            ScalarDomain::Real => "R",
            ScalarDomain::Positive => "R+",
            ScalarDomain::Unit => "unit",
            ScalarDomain::Segment => "[0,1]",
            ScalarDomain::Natural => "N",
        }
    }

    /// The set in words.
    pub fn describe(self) -> &'static str {
        match self {
            ScalarDomain::Real => "the real numbers",
            ScalarDomain::Positive => "the positive numbers",
            ScalarDomain::Unit => "the numbers between -1 and 1",
            ScalarDomain::Segment => "the numbers from 0 to 1",
            ScalarDomain::Natural => "the whole numbers 1, 2, …",
        }
    }

    /// Whether the number belongs to it.
    pub fn contains(self, value: f64) -> bool {
        match self {
            ScalarDomain::Real => value.is_finite(),
            ScalarDomain::Positive => value > 0.0 && value.is_finite(),
            ScalarDomain::Unit => value > -1.0 && value < 1.0,
            ScalarDomain::Segment => (0.0..=1.0).contains(&value),
            ScalarDomain::Natural => value >= 1.0 && value.is_finite() && value.fract() == 0.0,
        }
    }

    /// The smallest interval around it.
    pub(crate) fn interval(self) -> Interval {
        match self {
            ScalarDomain::Real => Interval::ALL,
            ScalarDomain::Positive => Interval::open(0.0, f64::INFINITY),
            ScalarDomain::Unit => Interval::open(-1.0, 1.0),
            ScalarDomain::Segment => Interval::new(0.0, 1.0),
            ScalarDomain::Natural => Interval { low_open: false, ..Interval::open(1.0, f64::INFINITY) },
        }
    }
}

impl FromStr for ScalarDomain {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let found = Self::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(&plain));
        found.ok_or_else(|| {
            let must =
                "`R` (all numbers), `R+` (positive), `unit` (between -1 and 1), `[0,1]` (from 0 to 1) or `N` (1, 2, …)";
            Error::invalid("an expression", "domain", format!("`{text}`"), must)
        })
    }
}

impl fmt::Display for ScalarDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for ScalarDomain {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
