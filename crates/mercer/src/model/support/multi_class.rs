//! What becomes of several classes.

use serde::{Deserialize, Serialize};

use crate::model::{Link, SettingSpec, SettingValues};

/// The setting, as every machine for classes has it.
pub(crate) const MULTI_CLASS: SettingSpec = SettingSpec {
    name: "multi_class",
    summary: "what becomes of several classes: a machine for each pair of them, or for each against the rest",
    values: SettingValues::Word(&["one_vs_one", "one_vs_rest"]),
};
/// Whether there are probabilities.
pub(crate) const PROBABILITY: SettingSpec = SettingSpec {
    name: "probability",
    summary: "whether to find probabilities, from functions that are fitted without a fifth of the rows",
    values: SettingValues::Flag,
};

/// What becomes of several classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiClass {
    /// A machine for each pair of classes, which vote.
    #[default]
    OneVsOne,
    /// A machine for each class against the rest; the largest value wins.
    OneVsRest,
}

impl MultiClass {
    /// The number of functions of so many answers: 1 of two classes, else the number of classes.
    pub(crate) fn functions(self, answers: usize) -> usize {
        match self {
            MultiClass::OneVsOne if answers > 2 => answers * (answers - 1) / 2,
            _ => answers,
        }
    }

    /// What the values of so many functions mean.
    pub(crate) fn link(self, functions: usize) -> Link {
        match self {
            MultiClass::OneVsOne if functions > 1 => Link::Pairs,
            _ => Link::Identity,
        }
    }
}
