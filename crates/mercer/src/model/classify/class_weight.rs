//! How much the rows of a class count.

use serde::{Deserialize, Serialize};

use crate::data::{Labels, Weights};
use crate::error::{Error, Result};
use crate::model::{SettingSpec, SettingValues};

/// The setting, as every learner of classes has it.
pub(crate) const CLASS_WEIGHT: SettingSpec = SettingSpec {
    name: "class_weight",
    summary: "factors on the weights of the rows, by class",
    values: SettingValues::Other("`equal`, `balanced` or a number ≥ 0 a class"),
};

/// Factors on the weights of the rows, one a class.
///
/// ```
/// use mercer::{data::Labels, model::classify::ClassWeight};
/// let labels = Labels::new(vec![0, 0, 0, 1], 2)?;
/// let weights = ClassWeight::Balanced.rows("a learner", &labels, None)?;
/// assert_eq!(weights.as_deref(), Some(&[4.0 / 6.0, 4.0 / 6.0, 4.0 / 6.0, 4.0 / 2.0][..]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClassWeight {
    /// 1 for every class.
    #[default]
    Equal,
    /// Σw/(classes·Σw of the class): every class counts the same in all.
    Balanced,
    /// A number ≥ 0 a class.
    Values(Vec<f64>),
}

impl ClassWeight {
    /// The weights of the rows, given their own; nothing if all are 1.
    pub fn rows(&self, learner: &str, labels: &Labels, own: Option<&Weights>) -> Result<Option<Weights>> {
        let n = labels.codes().len();
        own.map_or(Ok(()), |own| own.check_len(n))?;
        let of_row = |i: usize| own.map_or(1.0, |w| w[i]);
        let factors = match self {
            ClassWeight::Equal => return Ok(own.cloned()),
            ClassWeight::Values(values) => self.checked(learner, values, labels)?,
            ClassWeight::Balanced => {
                let mut sums = vec![0.0; labels.count()];
                // Over their unit, since their sum may be too large for a number.
                let count = |i: usize| own.map_or(1.0, |w| w.relative_at(i));
                labels.codes().iter().enumerate().for_each(|(i, c)| sums[*c] += count(i));
                let total: f64 = sums.iter().sum();
                let share = |s: &f64| if *s > 0.0 { total / (labels.count() as f64 * s) } else { 1.0 };
                sums.iter().map(share).collect()
            }
        };
        let product = |(i, c): (usize, &usize)| factors[*c] * of_row(i);
        Weights::new(labels.codes().iter().enumerate().map(product).collect::<Vec<_>>()).map(Some)
    }

    fn checked(&self, learner: &str, values: &[f64], labels: &Labels) -> Result<Vec<f64>> {
        if values.len() != labels.count() {
            let must = format!("{} numbers, one a class", labels.count());
            return Err(Error::invalid(learner, "class_weight", format!("{} numbers", values.len()), must));
        }
        match values.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
            Some(bad) => Err(Error::invalid(learner, "class_weight", bad, "finite and not negative")),
            None => Ok(values.to_vec()),
        }
    }
}

/// Fails unless two classes or more are there, each with a row; `labels` are those of rows of positive weight.
pub(super) fn check_classes(learner: &str, labels: &Labels) -> Result<()> {
    let mut counts = vec![0usize; labels.count()];
    labels.codes().iter().for_each(|c| counts[*c] += 1);
    let seen = counts.iter().filter(|c| **c > 0).count();
    if seen < 2 {
        return Err(Error::shape(
            format!("the labels of {learner}"),
            "rows of positive weight from at least two classes",
            if seen == 1 { "one class" } else { "none" },
        ));
    }
    match counts.iter().position(|c| *c == 0) {
        Some(class) => Err(Error::shape(
            format!("the labels of {learner}"),
            "a row of positive weight of every class",
            format!("none of class {class} (classes count from 0)"),
        )),
        None => Ok(()),
    }
}
