//! What a study found.

use serde::Serialize;

use crate::note::Note;

use super::HasSchema;

/// The numbers of a study, and the file of its picture.
#[derive(Clone, Debug, Serialize)]
pub struct StudyReport<S> {
    /// The study with its name.
    #[serde(flatten)]
    pub study: S,
    /// The file of the picture.
    pub output: Option<String>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl<S: Serialize> HasSchema for StudyReport<S> {
    const SCHEMA: &'static str = "mercer.study/1";
}
