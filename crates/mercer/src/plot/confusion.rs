//! Which classes are taken for which.

use crate::select::{Estimate, Scores};

use super::decimal::short;
use super::figure::{Axis, Mark, Panel, Series};
use super::fit::judged;

/// How often rows of each class were taken for each class, on rows that chose nothing; a cell is the
/// darker the larger its share of the rows of its true class. Nothing for a regression.
pub fn confusion_matrix(estimate: &Estimate) -> Option<Panel> {
    let Scores::Classification { accuracy, log_loss } = estimate.model else { return None };
    let confusion = estimate.confusion.as_ref()?;
    let classes = &confusion.classes;
    let rows = confusion.counts.chunks(classes.len().max(1));
    let share = |row: &[usize]| {
        let total = row.iter().sum::<usize>().max(1) as f64;
        // The root, because the few that are wrong are what the reader looks for.
        row.iter().map(|count| (*count as f64 / total).sqrt()).collect::<Vec<_>>()
    };
    // Zeros would hide the numbers that say something.
    let text = |count: &usize| if *count == 0 { String::new() } else { count.to_string() };
    let cells = Mark::Cells {
        columns: classes.len(),
        shade: rows.flat_map(share).collect(),
        texts: confusion.counts.iter().map(text).collect(),
    };
    let loss = log_loss.map_or_else(String::new, |loss| format!(", log-loss {}", short(loss)));
    let said = format!("{} % right{loss}; {}", short(100.0 * accuracy), judged(estimate));
    let x = Axis::names("predicted", classes.clone());
    let y = Axis::names("true", classes.clone()).reversed();
    Some(Panel::new("True and predicted classes", x, y).subtitled(said).with(Series::new(cells)).square())
}
