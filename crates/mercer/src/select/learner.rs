//! Which kind of model is fitted.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};

/// A kind of model, or the wish to have it chosen.
///
/// ```
/// use mercer::select::Learner;
/// assert_eq!("ridge".parse::<Learner>()?, Learner::Ridge);
/// assert!("rigde".parse::<Learner>().unwrap_err().to_string().contains("the nearest is `ridge`"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Learner {
    /// By the target: so far it is always ridge.
    #[default]
    Auto,
    /// Kernel ridge regression, on numbers or on the codes of classes.
    Ridge,
}

impl Learner {
    /// All of them.
    pub const ALL: [Learner; 2] = [Learner::Auto, Learner::Ridge];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Learner::Auto => "auto",
            Learner::Ridge => "ridge",
        }
    }

    /// The kind that is taken where it is to be chosen.
    pub fn chosen(self) -> Self {
        match self {
            Learner::Auto | Learner::Ridge => Learner::Ridge,
        }
    }
}

impl FromStr for Learner {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|l| l.name() == word).ok_or_else(|| {
            let names = Self::ALL.map(Learner::name);
            let near = nearest(word, names).map(|near| format!("; the nearest is `{near}`")).unwrap_or_default();
            let must = format!("one of {}{near}", names.join(", "));
            Error::invalid("the fit", "model", format!("`{word}`"), must)
        })
    }
}
