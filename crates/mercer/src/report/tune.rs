//! A search over settings.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::certificate::Certificate;
use crate::note::Note;
use crate::select::{Axis, Judged, Searched};

use super::HasSchema;

/// What was tried, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct TuneReport {
    /// The name of the data set.
    pub data: String,
    /// The learner.
    pub learner: String,
    /// What was varied.
    pub grid: Vec<Axis>,
    /// How rows were split, in words.
    pub split: String,
    /// What candidates were judged by.
    pub loss: String,
    /// The best settings.
    pub best: BTreeMap<String, Value>,
    /// Their loss on rows left out; of the best of many it is too low for new rows.
    pub best_loss: f64,
    /// The kernel of the model.
    pub kernel: String,
    /// All candidates, in the order they were judged.
    pub candidates: Vec<Judged>,
    /// Candidates whose loss was found in the journal.
    pub from_journal: usize,
    /// Whether the search ended before its time.
    pub stopped: bool,
    /// That of the model of the best settings, fitted to all rows.
    pub certificate: Certificate,
    /// The file of the model.
    pub model: String,
    /// The file of the picture.
    pub plot: Option<String>,
    /// Seconds in all.
    pub seconds: f64,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for TuneReport {
    const SCHEMA: &'static str = "mercer.tune/1";
}

impl TuneReport {
    /// Of a search; names, files and times are the caller's.
    pub fn new(found: &Searched, grid: Vec<Axis>, split: String) -> Self {
        TuneReport {
            data: String::new(),
            learner: found.learner.spec().name.into(),
            grid,
            split,
            loss: found.loss.clone(),
            best: found.best.settings.clone(),
            best_loss: found.best.loss,
            kernel: found.fitted.model.kernel().to_string(),
            candidates: found.judged.clone(),
            from_journal: 0,
            stopped: found.stopped,
            certificate: found.fitted.model.certificate().clone(),
            model: String::new(),
            plot: None,
            seconds: 0.0,
            notes: found.fitted.report.notes.clone(),
        }
    }
}
