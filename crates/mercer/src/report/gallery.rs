//! What a gallery holds.

use serde::Serialize;

use super::HasSchema;

/// A picture of the gallery.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The name of its files, without extension.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The formula of what is drawn.
    pub formula: String,
    /// What to see in it.
    pub caption: String,
    /// The command, or the lines of Python, that draw it.
    pub made_by: String,
}

/// The pictures and files of a gallery.
#[derive(Clone, Debug, Serialize)]
pub struct GalleryReport {
    /// The folder.
    pub folder: String,
    /// The pictures, in the order of the page.
    pub pictures: Vec<Shown>,
    /// All files that were written.
    pub files: Vec<String>,
}

impl HasSchema for GalleryReport {
    const SCHEMA: &'static str = "mercer.gallery/1";
}
