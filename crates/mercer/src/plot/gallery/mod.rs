//! Every picture that Mercer draws, from data that come with it, on one page.

mod classes;
mod matrices;
mod page;
mod regression;
mod samples;
mod sequence;
mod sets;
mod write;

use crate::data::{Column, Inputs, Rows, load};
use crate::error::{Error, Result};
use crate::run::Run;

use super::figure::Figure;

pub use page::gallery_page;
pub use write::write_gallery;

/// A picture of the gallery.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exhibit {
    /// The name of its files, without extension.
    pub name: &'static str,
    /// What it shows, as a title.
    pub title: &'static str,
    /// The formula of what is drawn.
    pub formula: &'static str,
    /// What to see in it.
    pub caption: String,
    /// The command, or the lines of Python, that draw it.
    pub made_by: String,
    /// The picture.
    pub figure: Figure,
}

type Draw = fn(&Run) -> Result<Exhibit>;

/// All exhibits, in the order of the page.
const ALL: [Draw; 16] = [
    sets::distance_on_the_line,
    sets::distance_in_the_plane,
    sets::discrimination,
    regression::ridge_by_lambda,
    regression::choice_of_lambda,
    regression::process,
    regression::judged_numbers,
    classes::machines,
    classes::judged_classes,
    matrices::heat_maps,
    matrices::spectra,
    matrices::projections,
    regression::descent,
    samples::two_samples,
    samples::dependence,
    sequence::change_points,
];

/// Draws the whole gallery.
///
/// ```no_run
/// use mercer::{Run, plot::{gallery, write_gallery}};
/// let run = Run::new();
/// write_gallery(&gallery(&run)?, "pictures".as_ref(), &run)?;
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gallery(run: &Run) -> Result<Vec<Exhibit>> {
    let task = run.task("gallery", Some(ALL.len() as u64));
    let mut drawn = Vec::with_capacity(ALL.len());
    for draw in ALL {
        drawn.push(draw(run)?);
        task.step_or_cancel()?;
    }
    Ok(drawn)
}

/// Some number columns of a shipped data set, as rows with their names.
fn columns(data: &str, names: &[&str]) -> Result<Rows> {
    let table = load(data)?.without_target()?.table()?;
    let mut found = Vec::new();
    for name in names {
        match table.column(name) {
            Some(Column::Number(values)) => found.push(values.to_vec()),
            _ => return Err(table.unknown_column(name)),
        }
    }
    let values: Vec<f64> = (0..table.nrows()).flat_map(|i| found.iter().map(move |column| column[i])).collect();
    Rows::new(values, table.nrows(), names.len())?.with_names(names.iter().map(|n| (*n).to_owned()).collect())
}

/// The target of a shipped data set, as words.
fn words(data: &str) -> Result<Vec<String>> {
    let data = load(data)?;
    let Some((name, column)) = &data.target else { return Err(Error::shape("a data set", "a target", "none")) };
    let words = crate::model::pipeline::Task::words(name, column)?;
    Ok((0..words.len()).map(|i| words.get(i).unwrap_or_default().to_owned()).collect())
}

fn rows(values: &[f64], columns: usize) -> Result<Inputs> {
    Ok(Rows::new(values.to_vec(), values.len() / columns, columns)?.into())
}
