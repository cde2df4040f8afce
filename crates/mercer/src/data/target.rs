//! What is to be learnt: nothing, numbers, classes, or the same rows seen another way.

use crate::error::{Error, Result};

use super::{Inputs, Labels, Targets};

/// What the rows of a sample say, beside their points.
///
/// ```
/// use mercer::data::{Labels, Target, TargetKind};
/// let target = Target::from(&Labels::new(vec![0, 1, 1], 2)?);
/// assert_eq!((target.kind(), target.rows()), (TargetKind::Classes, Some(3)));
/// assert_eq!(target.numbers()?.values(), [-1.0, 1.0, 1.0]); // the codes of two classes
/// assert!(Target::None.numbers().is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Target {
    /// Nothing: points alone.
    None,
    /// Numbers, one or several a row.
    Numbers(Targets),
    /// A class a row.
    Classes(Labels),
    /// A second input: the same rows seen another way, as correlation analysis has them.
    Second(Inputs),
}

/// The kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetKind {
    /// Nothing.
    None,
    /// Numbers.
    Numbers,
    /// Classes.
    Classes,
    /// A second input.
    Second,
}

impl TargetKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            TargetKind::None => "no target",
            TargetKind::Numbers => "numbers",
            TargetKind::Classes => "classes",
            TargetKind::Second => "a second input",
        }
    }
}

impl Target {
    /// Its kind.
    pub fn kind(&self) -> TargetKind {
        match self {
            Target::None => TargetKind::None,
            Target::Numbers(_) => TargetKind::Numbers,
            Target::Classes(_) => TargetKind::Classes,
            Target::Second(_) => TargetKind::Second,
        }
    }

    /// Number of rows; nothing without a target.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Target::None => None,
            Target::Numbers(y) => Some(y.nrows()),
            Target::Classes(labels) => Some(labels.codes().len()),
            Target::Second(z) => Some(z.len()),
        }
    }

    /// The numbers; of classes, their codes: −1 and 1 in one output for two, an output a class for several.
    pub fn numbers(&self) -> Result<Targets> {
        match self {
            Target::Numbers(y) => Ok(y.clone()),
            Target::Classes(labels) => labels.signs(),
            Target::None | Target::Second(_) => Err(absent()),
        }
    }

    /// The classes; of numbers that are codes of classes, those.
    pub fn labels(&self) -> Result<Labels> {
        match self {
            Target::Classes(labels) => Ok(labels.clone()),
            Target::Numbers(y) => Labels::from_targets(y),
            Target::None | Target::Second(_) => Err(absent()),
        }
    }

    /// The second input.
    pub fn second(&self) -> Result<&Inputs> {
        match self {
            Target::Second(z) => Ok(z),
            _ => Err(Error::shape("the target", TargetKind::Second.words(), self.kind().words())),
        }
    }

    /// These rows of it.
    pub fn take(&self, rows: &[usize]) -> Result<Target> {
        Ok(match self {
            Target::None => Target::None,
            Target::Numbers(y) => {
                let values: Vec<f64> = rows.iter().flat_map(|i| y.row(*i).iter().copied()).collect();
                Target::Numbers(Targets::new(values, y.outputs())?)
            }
            Target::Classes(labels) => {
                let codes = rows.iter().map(|i| labels.codes()[*i]).collect();
                Target::Classes(Labels::new(codes, labels.count())?)
            }
            Target::Second(z) => Target::Second(z.take(rows)),
        })
    }
}

fn absent() -> Error {
    Error::Unsupported { what: "learning without a target".into(), alternative: "give the target of every row".into() }
}

impl From<Targets> for Target {
    fn from(y: Targets) -> Self {
        Target::Numbers(y)
    }
}

impl From<&Targets> for Target {
    fn from(y: &Targets) -> Self {
        Target::Numbers(y.clone())
    }
}

impl From<Labels> for Target {
    fn from(labels: Labels) -> Self {
        Target::Classes(labels)
    }
}

impl From<&Labels> for Target {
    fn from(labels: &Labels) -> Self {
        Target::Classes(labels.clone())
    }
}

impl From<Inputs> for Target {
    fn from(z: Inputs) -> Self {
        Target::Second(z)
    }
}

impl From<&Target> for Target {
    fn from(target: &Target) -> Self {
        target.clone()
    }
}
