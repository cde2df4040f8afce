//! Where the points of a counterexample lie.

use std::fmt;

use serde::Serialize;

/// The curve through the points of a counterexample of a formula, by the number t that the
/// counterexample gives for each point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Each numeric column and its value, such as `t`, `0` or `2*t`; `*` is every numeric column.
    /// A factor `median` is the number that the rule finds in the data.
    pub columns: Vec<(String, String)>,
    /// Whether points with different t differ in every category; else they agree in all.
    pub categories: bool,
    /// How rules were read: as 1, where the sign of aᵀKa is the same for every number.
    pub rules: Option<String>,
}

impl fmt::Display for Place {
    /// "points with `a` = t and `b` = 0".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.columns.as_slice() {
            columns if columns.iter().all(|(_, value)| value == "t") => {
                f.write_str("points whose numeric columns all hold one number")?;
            }
            columns if columns.iter().all(|(_, value)| value == "0") => {
                f.write_str("points whose numeric columns all hold 0")?;
            }
            [(name, value)] if name == "*" => write!(f, "points whose numeric columns all hold {value}")?,
            columns => {
                let words: Vec<String> = columns.iter().map(|(name, value)| format!("`{name}` = {value}")).collect();
                write!(f, "points with {}", words.join(", "))?;
            }
        }
        if self.categories {
            f.write_str(", each with categories of its own")?;
        }
        match &self.rules {
            None => Ok(()),
            Some(rules) => write!(f, " ({rules})"),
        }
    }
}
