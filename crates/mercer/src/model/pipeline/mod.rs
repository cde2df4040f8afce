//! What users save: everything between a data file and a prediction.
//!
//! [`Prepare`] holds the choices. Fitted to data, it gives points and targets for an estimator and a
//! [`Preparation`]; with the model that the estimator returns, this becomes a [`Pipeline`].
//!
//! `schema` says which columns there must be, `select` finds them in new data, `prepare` fills and
//! standardises, `task` and `scaling` speak of the target, `predict` puts it all together, `explain`,
//! `effects` and `sensitivity` say what made a prediction, `dependence` how predictions go with a column, `verify` holds a saved model to its claims,
//! `file` and `points` write it down, `exchange` for other programs.

mod dependence;
mod effects;
mod exchange;
mod explain;
mod file;
mod mixed;
mod points;
mod predict;
mod prepare;
mod repaired;
mod same;
mod scaling;
mod schema;
mod select;
mod sensitivity;
mod task;
mod verify;

use serde_json::{Map, Value};

use crate::certificate::Stop;
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::note::Note;

pub use dependence::PartialDependence;
pub use effects::AddedEffect;
pub use exchange::Exported;
pub use explain::{ExplainParams, ExplainedRow, Explanation, KeptPoint, NearPoint, Parts, PointPart};
pub(crate) use mixed::mixed;
pub use predict::{Prediction, PredictionInterval};
pub use prepare::{Preparation, Prepare, Prepared};
pub use scaling::TargetScaling;
pub use schema::{ColumnSchema, Schema};
pub use sensitivity::{ColumnEffect, Effect};
pub use task::Task;
pub use verify::Verification;

/// A model with all that turns a data file into its points, and its outputs into answers.
///
/// ```
/// use mercer::{KernelExpr, Run, data, kernel::Registry};
/// use mercer::model::{pipeline::{Pipeline, Prepare}, regress::KernelRidge};
/// let penguins = data::load("penguins")?.with_target("species")?;
/// let prepared = Prepare { missing: data::MissingPolicy::Impute, ..Prepare::default() }.fit(&penguins, None)?;
/// let ridge = KernelRidge { kernel: KernelExpr::parse("rbf + delta(island)")?, ..KernelRidge::default() };
/// let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new())?.model;
/// let pipeline = prepared.pipeline(model)?;
/// let prediction = pipeline.predict(&penguins.inputs, &Run::new())?;
/// assert_eq!(prediction.labels.as_ref().and_then(|l| l.get(0)), Some("Adelie"));
/// let again = Pipeline::from_bytes(&pipeline.to_bytes()?, &Registry::new())?;
/// assert_eq!(again.predict(&penguins.inputs, &Run::new())?, prediction);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pipeline {
    parts: PipelineParts,
}

/// The parts of a pipeline.
#[derive(Clone, Debug)]
pub struct PipelineParts {
    /// From data to points.
    pub preparation: Preparation,
    /// What is predicted.
    pub task: Task,
    /// The scale of the targets, where they were brought to mean 0 and standard deviation 1.
    pub target_scaling: Option<TargetScaling>,
    /// The function.
    pub model: Model,
    /// What the caller wants to keep: choices, estimates of the error. Any JSON.
    pub settings: Map<String, Value>,
    /// What the user should know, as sentences.
    pub notes: Vec<Note>,
}

impl Pipeline {
    /// Puts a pipeline together, checking that its parts fit.
    pub fn from_parts(parts: PipelineParts) -> Result<Self> {
        let outputs = parts.model.answers();
        parts.task.validate()?;
        parts.preparation.validate()?;
        if parts.task.outputs() != outputs {
            return Err(Error::shape("the outputs of a pipeline", parts.task.outputs(), outputs));
        }
        parts.task.check_link(parts.model.link())?;
        if let Some(scaling) = &parts.target_scaling {
            scaling.validate(parts.task.scaled())?;
        }
        check_points(&parts.preparation.schema, parts.model.points())?;
        Ok(Pipeline { parts })
    }

    /// Its parts.
    pub fn parts(&self) -> &PipelineParts {
        &self.parts
    }

    /// Its parts, to change some of them.
    pub fn into_parts(self) -> PipelineParts {
        self.parts
    }

    /// The columns it needs.
    pub fn schema(&self) -> &Schema {
        &self.parts.preparation.schema
    }

    /// From data to points.
    pub fn preparation(&self) -> &Preparation {
        &self.parts.preparation
    }

    /// What is predicted.
    pub fn task(&self) -> &Task {
        &self.parts.task
    }

    /// The scale of the targets, where they were standardised.
    pub fn target_scaling(&self) -> Option<&TargetScaling> {
        self.parts.target_scaling.as_ref()
    }

    /// The function.
    pub fn model(&self) -> &Model {
        &self.parts.model
    }

    /// What the caller kept.
    pub fn settings(&self) -> &Map<String, Value> {
        &self.parts.settings
    }

    /// What the user should know.
    pub fn notes(&self) -> &[Note] {
        &self.parts.notes
    }

    /// Whether nothing stopped the work early: a deadline or an interrupt leaves the best model by that time.
    pub fn is_complete(&self) -> bool {
        let said = self.settings().get(COMPLETE).and_then(Value::as_bool);
        said != Some(false) && !matches!(self.model().certificate().stop, Stop::Deadline | Stop::Interrupted)
    }
}

/// The name, among what a model file keeps of its making, of whether it came to its end.
pub const COMPLETE: &str = "complete";

/// Fails unless points of this schema can be compared with those of the model.
fn check_points(schema: &Schema, points: &Inputs) -> Result<()> {
    let fits = match (schema, points) {
        (Schema::Dense { names, .. }, Inputs::Dense(x)) => names.len() == x.ncols(),
        (Schema::Sparse { width }, Inputs::Sparse(x)) => *width == x.ncols(),
        (Schema::Precomputed { points }, Inputs::Precomputed(x)) => *points == x.nrows(),
        (Schema::Table { .. }, Inputs::Table(_)) => true,
        _ => false,
    };
    match fits {
        true => Ok(()),
        false => Err(Error::shape(
            "the points of a pipeline",
            schema.describe(),
            format!("{} of another kind or width", points.describe()),
        )),
    }
}
