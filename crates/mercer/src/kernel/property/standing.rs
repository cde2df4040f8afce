//! What a kernel's file says of its definiteness.

use serde::Serialize;

use super::ProofRule;
use crate::kernel::Leaf;

/// What is known of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Proved positive definite.
    PositiveDefinite,
    /// Proved conditionally positive definite: aᵀKa ≥ 0 for every a that sums to 0 against all
    /// polynomials of a degree below `order`.
    ConditionallyPositiveDefinite {
        /// 1: against constants.
        order: u32,
    },
    /// Known not to be positive definite.
    Indefinite,
    /// Neither proved nor refuted.
    Unknown,
}

impl Standing {
    /// Conditionally positive definite of order 1: its negative is of negative type.
    pub const CONDITIONAL: Standing = Standing::ConditionallyPositiveDefinite { order: 1 };

    /// Whether it is proved positive definite.
    pub fn is_positive_definite(self) -> bool {
        self == Standing::PositiveDefinite
    }

    /// In words, such as "positive definite".
    pub fn words(self) -> String {
        match self {
            Standing::PositiveDefinite => "positive definite".into(),
            Standing::ConditionallyPositiveDefinite { order } => {
                format!("conditionally positive definite of order {order}")
            }
            Standing::Indefinite => "not positive definite".into(),
            Standing::Unknown => "not known to be positive definite".into(),
        }
    }
}

/// What a kernel's file says of its definiteness, and why.
#[derive(Debug)]
pub struct Property {
    /// What is known.
    pub standing: Standing,
    /// The theorem it follows from, where something is proved.
    pub rule: Option<ProofRule>,
    /// How the theorem applies, or why nothing is proved.
    pub because: &'static str,
    /// Whether every power k^β with β > 0 is positive definite as well.
    pub powers: Powers,
    /// What is known instead, where it depends on the settings.
    pub by_settings: Option<fn(&Leaf) -> Finding>,
}

/// What is known of a kernel with its settings, and why.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is known.
    pub standing: Standing,
    /// The theorem it follows from, where something is proved.
    pub rule: Option<ProofRule>,
    /// How the theorem applies, or why nothing is proved.
    pub because: String,
}

impl Finding {
    /// Follows from this theorem.
    pub fn proved(standing: Standing, rule: ProofRule, because: String) -> Self {
        Finding { standing, rule: Some(rule), because }
    }

    /// Not positive definite, or not known to be.
    pub fn unproved(standing: Standing, because: String) -> Self {
        Finding { standing, rule: None, because }
    }
}

/// Whether every power k^β with β > 0 of a kernel is positive definite.
#[derive(Clone, Copy, Debug)]
pub enum Powers {
    /// Whole ones only, as far as is known.
    Whole,
    /// All: k > 0 and log k is conditionally positive definite, for this reason.
    All(&'static str),
    /// All when the kernel reads one column, for this reason.
    AllOfOneColumn(&'static str),
}

impl Property {
    /// Positive definite by this theorem.
    pub const fn positive(rule: ProofRule, because: &'static str) -> Self {
        Property {
            standing: Standing::PositiveDefinite,
            rule: Some(rule),
            because,
            powers: Powers::Whole,
            by_settings: None,
        }
    }

    /// Conditionally positive definite of this order by this theorem.
    pub const fn conditional(order: u32, rule: ProofRule, because: &'static str) -> Self {
        let standing = Standing::ConditionallyPositiveDefinite { order };
        Property { standing, rule: Some(rule), because, powers: Powers::Whole, by_settings: None }
    }

    /// Not positive definite, or not known to be.
    pub const fn unproved(standing: Standing, because: &'static str) -> Self {
        Property { standing, rule: None, because, powers: Powers::Whole, by_settings: None }
    }

    /// The same, with what is known of its powers.
    pub const fn with_powers(self, powers: Powers) -> Self {
        let Property { standing, rule, because, by_settings, .. } = self;
        Property { standing, rule, because, powers, by_settings }
    }

    /// The same for the default settings; for others, what `judge` says.
    pub const fn by_settings(self, judge: fn(&Leaf) -> Finding) -> Self {
        let Property { standing, rule, because, powers, .. } = self;
        Property { standing, rule, because, powers, by_settings: Some(judge) }
    }

    /// What is known of the kernel of a leaf.
    pub fn of(&self, leaf: &Leaf) -> Finding {
        match self.by_settings {
            Some(judge) => judge(leaf),
            None => Finding { standing: self.standing, rule: self.rule, because: self.because.to_owned() },
        }
    }
}
