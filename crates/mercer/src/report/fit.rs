//! What came of a fit.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::data::Dataset;
use crate::model::pipeline::{Pipeline, Task};
use crate::note::Note;
use crate::select::{Candidate, ColumnScale, Estimate, Finished, HowFitted, KernelChoice, length_scales};

use super::HasSchema;

/// A whole job: the data, the kernel, the model, its error and its certificate.
#[derive(Clone, Debug, Serialize)]
pub struct FitReport {
    /// The name of the data set.
    pub data: String,
    /// Number of columns.
    pub columns: usize,
    /// The column that is predicted; empty without one.
    pub target: String,
    /// `regression`, `quantiles`, `classification` or, without a target, `points`.
    pub task: &'static str,
    /// The classes, of a classification.
    pub classes: Option<Vec<String>>,
    /// The learner's name.
    pub learner: &'static str,
    /// The formula, tuned.
    pub kernel: String,
    /// What is proved of it, in words.
    pub standing: String,
    /// The settings of the learner, as they were chosen.
    pub settings: Map<String, Value>,
    /// The column of weights.
    pub weights: Option<Value>,
    /// alpha, where the learner has one.
    pub alpha: Option<f64>,
    /// alpha/n; not with weights, where n would be their sum.
    pub lambda: Option<f64>,
    /// How the model was fitted; its notes are those of the whole job.
    #[serde(flatten)]
    pub how: HowFitted,
    /// The kernels that were tried, the chosen one first.
    pub candidates: Vec<Candidate>,
    /// What the kernel was chosen by.
    pub kernel_choice: KernelChoice,
    /// Rows that tuning looked at.
    pub tuned_on: usize,
    /// Parameters that tuning left at a bound.
    pub at_bounds: Vec<String>,
    /// The error on rows that chose nothing.
    pub estimate: Option<Estimate>,
    /// The columns that have a length scale of their own, the shortest first.
    pub length_scales: Vec<ColumnScale>,
    /// How far the answer is from the solution.
    pub certificate: Certificate,
    /// Whether nothing stopped the work early.
    pub complete: bool,
    /// How long it took.
    pub seconds: f64,
    /// The largest memory of the process, where the system says so.
    pub peak_memory: Option<u64>,
    /// The file of the model.
    pub model: String,
    /// The file of the picture.
    pub plot: Option<String>,
    /// The file of the report as a page.
    pub page: Option<String>,
    /// What may be wrong.
    pub warnings: Vec<String>,
}

impl HasSchema for FitReport {
    const SCHEMA: &'static str = "mercer.fit/1";
}

impl FitReport {
    /// What a finished job says of these data; time, memory, files and what else was said are left to the face. `pipeline` is the
    /// one that is saved: it may know more than the job.
    pub fn new(data: &Dataset, done: &Finished, pipeline: &Pipeline) -> Self {
        let (kernel, weights) = (pipeline.model().kernel(), pipeline.settings().get("weights").cloned());
        let alpha = done.report.alpha();
        let notes: Vec<Note> = [pipeline.notes(), &done.report.fit.notes].concat();
        let mut how = done.report.clone();
        how.fit.notes = notes;
        FitReport {
            data: data.name.clone(),
            columns: data.table().map_or(0, |t| t.ncols()),
            target: data.target.as_ref().map_or_else(String::new, |(name, _)| name.clone()),
            task: task_name(pipeline.task()),
            classes: pipeline.task().classes().map(<[String]>::to_vec),
            learner: done.learner,
            kernel: kernel.to_string(),
            standing: kernel.standing().words(),
            settings: pipeline.model().learner().settings(),
            alpha,
            lambda: alpha.filter(|_| weights.is_none()).map(|alpha| alpha / how.fit.rows.max(1) as f64),
            weights,
            how,
            candidates: done.candidates.clone(),
            kernel_choice: done.decided,
            tuned_on: done.tuned_on,
            at_bounds: done.at_bounds.clone(),
            estimate: done.estimate.clone(),
            length_scales: length_scales(kernel, pipeline.model().points()),
            certificate: pipeline.model().certificate().clone(),
            complete: done.stopped.is_none(),
            seconds: 0.0,
            peak_memory: None,
            model: String::new(),
            plot: None,
            page: None,
            warnings: Vec::new(),
        }
    }

    /// The same with more notes after its own.
    pub fn with_notes(mut self, notes: Vec<Note>) -> Self {
        self.how.fit.notes.extend(notes);
        self
    }
}

/// The word for a task.
pub(super) fn task_name(task: &Task) -> &'static str {
    match task {
        Task::Classification { .. } => "classification",
        Task::Quantiles { .. } => "quantiles",
        Task::Points { .. } => "points",
        Task::Views { .. } => "views",
        _ => "regression",
    }
}
