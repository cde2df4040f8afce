//! What the columns are worth.

use crate::error::counted;
use crate::select::Importance;

use super::figure::{Axis, Ink, Mark, Panel, Series};

/// Columns that are drawn.
const MOST: usize = 15;
/// Half the height of the ends of an error.
const CAP: f64 = 0.12;

/// By how much the error grows where a column is shuffled, with ± one standard error, the most important on top; nothing without columns.
pub fn importance_panel(importance: &Importance) -> Option<Panel> {
    let shown = &importance.columns[..importance.columns.len().min(MOST)];
    if shown.is_empty() {
        return None;
    }
    let at = |i: usize| i as f64;
    let stems = shown.iter().enumerate().map(|(i, c)| vec![[0.0, at(i)], [c.increase, at(i)]]).collect();
    let ends = |i: usize, value: f64, error: f64| {
        let (low, high, y) = (value - error, value + error, at(i));
        vec![[low, y - CAP], [low, y + CAP], [low, y], [high, y], [high, y + CAP], [high, y - CAP]]
    };
    let whiskers = shown.iter().enumerate().filter_map(|(i, c)| Some(ends(i, c.increase, c.standard_error?))).collect();
    let points = shown.iter().enumerate().map(|(i, c)| [c.increase, at(i)]).collect();
    let names = shown.iter().map(|c| c.column.clone()).collect();
    let y = Axis::names("", names).ranging(-0.6, at(shown.len()) - 0.4).reversed();
    let times = if importance.shuffles == 1 { "once".into() } else { format!("{} times", importance.shuffles) };
    let hidden = importance.columns.len() - shown.len() + importance.left_out;
    let more = if hidden > 0 { format!("; {} not shown", counted(hidden, "column", "columns")) } else { String::new() };
    let rows = counted(importance.rows, "row", "rows");
    let said = format!("each column shuffled {times} among {rows} that chose nothing; ± one standard error{more}");
    let panel =
        Panel::new("Importance of columns", Axis::linear(format!("increase of {}", importance.measure.words())), y)
            .subtitled(said)
            .with(Series::new(Mark::Vertical(0.0)))
            .with(Series::new(Mark::Curves(stems)).coloured(Ink::Palette(5)))
            .with(Series::new(Mark::Curves(whiskers)).coloured(Ink::Palette(0)))
            .with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0)));
    Some(panel)
}
