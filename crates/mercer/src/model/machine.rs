//! A fitted function with how its values are read: the result of most learners.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::loss::logistic;
use crate::run::Run;

use super::{Expansion, Fitted, Model};

/// What a value f(x) means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Link {
    /// The number itself, or a decision value without a probability.
    #[default]
    Identity,
    /// P(second class) = 1/(1 + exp(−f)).
    Logistic,
    /// P(class c) = exp(f_c)/Σ exp(f_j).
    Softmax,
    /// Quantiles: the values of a row stand in increasing order.
    Sorted,
}

impl Link {
    /// Whether values mean probabilities.
    pub fn has_probabilities(self) -> bool {
        matches!(self, Link::Logistic | Link::Softmax)
    }

    /// The probabilities of the classes, row-major, of values with so many outputs; nothing for
    /// values that are none. Two classes have one output and two probabilities.
    ///
    /// ```
    /// use mercer::model::Link;
    /// let two = Link::Logistic.probabilities(&[0.0, 1000.0], 1);
    /// assert_eq!(two, Some(vec![0.5, 0.5, 0.0, 1.0]));
    /// let three = Link::Softmax.probabilities(&[900.0, 900.0, 900.0 + 2f64.ln()], 3).expect("classes");
    /// assert!((three[0] - 0.25).abs() < 1e-12 && (three[2] - 0.5).abs() < 1e-12);
    /// ```
    pub fn probabilities(self, values: &[f64], outputs: usize) -> Option<Vec<f64>> {
        match self {
            Link::Identity | Link::Sorted => None,
            Link::Logistic => Some(values.iter().flat_map(|f| [logistic(-f), logistic(*f)]).collect()),
            Link::Softmax => Some(values.chunks(outputs.max(1)).flat_map(softmax).collect()),
        }
    }
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().fold(f64::NEG_INFINITY, |m, f| m.max(*f));
    let powers: Vec<f64> = row.iter().map(|f| (f - largest).exp()).collect();
    let total: f64 = powers.iter().sum();
    powers.iter().map(|p| p / total).collect()
}

/// Functions of a kernel's space that some learner found.
#[derive(Clone, Debug)]
pub struct KernelMachine {
    /// The learner's name, such as `kernel_logistic_regression`.
    pub learner: String,
    /// The functions.
    pub expansion: Expansion,
    /// What their values mean.
    pub link: Link,
    /// How far they are from the solution.
    pub certificate: Certificate,
    /// What the learner was told and chose: alpha, the loss and its parameters, …
    pub settings: Map<String, Value>,
}

impl KernelMachine {
    /// f(x) for every point x, row-major: rows×outputs; sorted within the row if the link says so, and shifted if the
    /// settings say so.
    pub fn decision(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let mut values = self.expansion.evaluate(x, run)?;
        let c = self.expansion.outputs();
        let sort = |values: &mut [f64]| values.chunks_mut(c).for_each(|row| row.sort_by(f64::total_cmp));
        if self.link == Link::Sorted {
            sort(&mut values);
        }
        if let Some(Shifts(shifts)) = Shifts::of(&self.settings, c)? {
            values.chunks_mut(c).for_each(|row| row.iter_mut().zip(&shifts).for_each(|(v, s)| *v += s));
            if self.link == Link::Sorted {
                sort(&mut values);
            }
        }
        Ok(values)
    }

    /// The probabilities of the classes at every point, row-major: rows×classes.
    pub fn probabilities(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let values = self.decision(x, run)?;
        self.link.probabilities(&values, self.expansion.outputs()).ok_or_else(|| Error::Unsupported {
            what: format!("probabilities from `{}`", self.learner),
            alternative: "use the logistic loss, whose values are probabilities by its own model".into(),
        })
    }
}

/// What calibration adds to the values of each output, as the settings of a machine hold it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shifts(pub(crate) Vec<f64>);

impl Shifts {
    /// Where it stands in the settings.
    pub(crate) const NAME: &'static str = "shifts";

    /// Those of settings, one an output; nothing without calibration.
    pub(crate) fn of(settings: &Map<String, Value>, outputs: usize) -> Result<Option<Self>> {
        let Some(given) = settings.get(Self::NAME) else { return Ok(None) };
        let list: Option<Vec<f64>> = given.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        match list.filter(|list| list.len() == outputs) {
            Some(list) => Ok(Some(Shifts(list))),
            None => Err(Error::invalid("a model", Self::NAME, given, format!("{outputs} numbers, one an output"))),
        }
    }
}

/// How a machine was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineReport {
    /// Number of rows of positive weight.
    pub rows: usize,
    /// Rows left out because their weight is 0.
    pub rows_of_weight_zero: usize,
    /// What the user should know, as sentences.
    pub notes: Vec<String>,
    /// The objective, or what else was watched, after each iteration.
    pub history: Vec<f64>,
}

impl Model for KernelMachine {
    type Report = MachineReport;
}

/// A machine with its report.
pub type FittedMachine = Fitted<KernelMachine>;
