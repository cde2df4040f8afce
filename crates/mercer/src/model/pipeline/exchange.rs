//! Pipelines as machines of other programs, and back.
//!
//! Other programs have points and labels, and neither columns that are filled and scaled nor words for classes. What can go into the
//! numbers of the machine does so exactly; the rest is refused, since a file would predict something else.

use serde_json::Map;

use crate::data::{Inputs, MissingPolicy, default_name};
use crate::error::{Error, Result, quote_list};
use crate::interchange::SupportMachine;
use crate::model::{Imported, Model};
use crate::note::Note;
use crate::run::Run;

use super::{Pipeline, PipelineParts, Preparation, Schema, TargetScaling, Task};

/// The target of a machine, as readers of LIBSVM's data call it.
const TARGET: &str = "y";

/// A pipeline as a machine.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The machine; its answers are in the units of the target.
    pub machine: SupportMachine,
    /// The classes, in the order of its labels; none without classes.
    pub classes: Vec<String>,
    /// Whether the labels are the classes, which are whole numbers, and not their places.
    pub labels_are_classes: bool,
    /// The columns of a point, in order; none of a precomputed kernel.
    pub columns: Vec<String>,
}

impl Exported {
    /// The classes for programs that have words for them; nothing where the labels say as much.
    pub fn names(&self) -> Option<&[String]> {
        (!self.classes.is_empty() && !self.labels_are_classes).then_some(self.classes.as_slice())
    }

    /// What a program without words should be told.
    pub fn numbering(&self) -> Option<Note> {
        let pair = |(label, class): (&i64, &String)| format!("{label} is `{class}`");
        let pairs: Vec<String> = self.machine.labels.iter().zip(self.names()?).map(pair).collect();
        Some(format!("classes are numbered: {}", pairs.join(", ")).into())
    }
}

impl Pipeline {
    /// The pipeline as a machine of other programs; see [`Model::to_support_machine`]. The scale of the target goes into the
    /// coefficients. Columns that are filled, standardised, or no numbers are refused.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data, model::{classify::Svc, pipeline::Prepare}};
    /// let iris = data::load("iris")?;
    /// let prepared = Prepare { standardize: false, ..Prepare::default() }.fit(&iris, None)?;
    /// let svc = Svc { kernel: KernelExpr::parse("rbf")?, ..Svc::default() };
    /// let model = svc.fit(&prepared.inputs, &prepared.target, None, &Run::new())?.model;
    /// let exported = prepared.pipeline(model)?.to_support_machine()?;
    /// assert_eq!((exported.machine.labels.as_slice(), exported.classes[2].as_str()), (&[0, 1, 2][..], "virginica"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn to_support_machine(&self) -> Result<Exported> {
        self.check_preparation()?;
        let classes = self.task().classes().unwrap_or_default().to_vec();
        let own = whole_numbers(&classes);
        let labels = own.clone().unwrap_or_else(|| (0..classes.len() as i64).collect());
        let machine = self.model().to_support_machine(&labels)?;
        let machine = self.target_scaling().map_or(machine.clone(), |scaling| unscaled(machine, scaling));
        machine.validate()?;
        let width = machine.columns().unwrap_or(0);
        let columns = match self.schema() {
            Schema::Sparse { .. } => (0..width).map(default_name).collect(),
            schema => schema.names().into_iter().map(str::to_owned).collect(),
        };
        Ok(Exported { machine, classes, labels_are_classes: own.is_some(), columns })
    }

    /// A pipeline that decides as the machine does, for sparse rows of this many columns, or kernel values with this many training
    /// points; see [`Model::from_support_machine`].
    pub fn from_support_machine(machine: &SupportMachine, columns: Option<usize>, run: &Run) -> Result<Pipeline> {
        let Imported { model, labels, mut notes } = Model::from_support_machine(machine, columns, run)?;
        notes.push(
            "what the machine was trained with is not in it; the settings of the model are the usual ones".into(),
        );
        let schema = match model.points() {
            Inputs::Precomputed(points) => Schema::Precomputed { points: points.nrows() },
            points => Schema::of(points),
        };
        let preparation = Preparation { schema, missing: MissingPolicy::Error, imputer: None, standardizer: None };
        let task = task(machine, &labels);
        let settings = Map::new();
        Pipeline::from_parts(PipelineParts { preparation, task, target_scaling: None, model, settings, notes })
    }

    /// Fails unless points are the rows of the data as they are.
    fn check_preparation(&self) -> Result<()> {
        let preparation = self.preparation();
        let (what, alternative) = match (&preparation.standardizer, &preparation.imputer) {
            (Some(_), _) => ("standardised columns", "fit without standardising: `--no-standardize`"),
            (None, Some(_)) => ("columns whose missing values are filled", "fit to rows without gaps"),
            (None, None) => return self.check_columns(),
        };
        Err(Error::Unsupported {
            what: format!("{what} in a machine of other programs, which takes rows as they are,"),
            alternative: alternative.into(),
        })
    }

    fn check_columns(&self) -> Result<()> {
        let Inputs::Table(table) = self.model().points() else { return Ok(()) };
        let others = table.iter().filter(|(_, column)| column.numbers().is_none());
        let others: Vec<String> = others.map(|(name, _)| name.to_owned()).collect();
        match others.is_empty() {
            true => Ok(()),
            false => Err(Error::Unsupported {
                what: format!("columns that are no numbers ({}) in a machine of other programs", quote_list(&others)),
                alternative: "fit with columns of numbers alone".into(),
            }),
        }
    }
}

/// The classes as labels, if they are whole numbers that LIBSVM can hold, written as such.
fn whole_numbers(classes: &[String]) -> Option<Vec<i64>> {
    let whole = |class: &String| {
        let number = class.parse::<i32>().ok().filter(|n| *n != i32::MIN && n.to_string() == *class);
        number.map(i64::from)
    };
    classes.iter().map(whole).collect()
}

/// The machine whose answers are in the units of the target: f·s + m.
fn unscaled(mut machine: SupportMachine, scaling: &TargetScaling) -> SupportMachine {
    let (mean, scale) = (scaling.mean[0], scaling.scale[0]);
    machine.coefficients.iter_mut().flatten().for_each(|c| *c *= scale);
    machine.offsets.iter_mut().for_each(|rho| *rho = *rho * scale - mean);
    machine
}

fn task(machine: &SupportMachine, labels: &[i64]) -> Task {
    let target = TARGET.to_owned();
    match machine.kind {
        kind if kind.is_classifier() => {
            Task::Classification { target, classes: labels.iter().map(ToString::to_string).collect() }
        }
        kind if kind.is_regressor() => Task::Regression { targets: vec![target] },
        _ => Task::Points { outputs: vec!["f0".into()] },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_whole_numbers_or_places() {
        let words = |list: &[&str]| whole_numbers(&list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["-1", "1"]), Some(vec![-1, 1]));
        for other in ["+1", "01", "1.5", "x", "3000000000", "-2147483648"] {
            assert_eq!(words(&["0", other]), None, "{other}");
        }
    }
}
