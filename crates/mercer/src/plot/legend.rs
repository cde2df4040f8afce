//! The names of the series, in rows above a panel: there they hide nothing.

use super::figure::{Mark, Panel};
use super::font::{shortened, width};
use super::looks::Look;
use super::scene::{Anchor, Brush, Shape, Stroke};
use super::style::{LEADING, SMALL};
use super::theme::Inks;

/// Width of the sample of a mark.
const SAMPLE: f64 = 24.0;
/// Between a sample and its name.
const NEAR: f64 = 6.0;
/// Between two entries.
const APART: f64 = 18.0;

/// An entry with its place in its row.
struct Entry<'a> {
    name: String,
    mark: &'a Mark,
    look: Look,
    x: f64,
    row: usize,
}

/// The rows of a legend.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    /// Entries that have no room.
    more: usize,
}

/// Rows that a legend may have: more would leave no room for what they name.
const ROWS: usize = 6;

impl<'a> Legend<'a> {
    /// Entries of the named series, in rows of at most `room`; the last says how many have none.
    pub(super) fn new(panel: &'a Panel, looks: &[Look], room: f64, height: f64) -> Self {
        let rows = ((height / (SMALL * LEADING)) as usize).clamp(1, ROWS);
        let mut legend = Legend { entries: Vec::new(), more: 0 };
        let (mut x, mut row) = (0.0, 0);
        for (series, look) in panel.series.iter().zip(looks) {
            let Some(name) = series.name.as_deref().filter(|name| !name.is_empty()) else { continue };
            // The last row keeps room for the number of those that are left out.
            let end = |row: usize| if row + 1 == rows { room - APART - width("and 10000 more", SMALL) } else { room };
            let fitted = |row: usize| shortened(name, SMALL, end(row) - SAMPLE - NEAR);
            let wide = |name: &str| SAMPLE + NEAR + width(name, SMALL);
            if x > 0.0 && x + wide(&fitted(row)) > end(row) {
                (x, row) = (0.0, row + 1);
            }
            if row >= rows {
                legend.more += 1;
                continue;
            }
            let name = fitted(row);
            let next = x + wide(&name) + APART;
            legend.entries.push(Entry { name, mark: &series.mark, look: *look, x, row });
            x = next;
        }
        legend
    }

    /// Height of all rows.
    pub(super) fn height(&self) -> f64 {
        self.entries.last().map_or(0.0, |e| (e.row + 1) as f64 * SMALL * LEADING)
    }

    /// The shapes, from a corner on the left and top.
    pub(super) fn shapes(&self, left: f64, top: f64, inks: &Inks) -> Vec<Shape> {
        let colour = inks.soft;
        let words = |at: [f64; 2], text: String| Shape::Text {
            at,
            anchor: Anchor::Start,
            size: SMALL,
            colour,
            upright: false,
            text,
        };
        let base = |row: usize| top + (row as f64 + 0.78) * SMALL * LEADING;
        let draw = |entry: &Entry| {
            let (x, y) = (left + entry.x, base(entry.row));
            let text = words([x + SAMPLE + NEAR, y], entry.name.clone());
            [sample(entry.mark, &seen(entry.look, inks), [x, y - 0.36 * SMALL]), text]
        };
        let mut shapes: Vec<Shape> = self.entries.iter().flat_map(draw).collect();
        if let (true, Some(last)) = (self.more > 0, self.entries.last()) {
            let x = left + last.x + SAMPLE + NEAR + width(&last.name, SMALL) + APART;
            shapes.push(words([x, base(last.row)], format!("and {} more", self.more)));
        }
        shapes
    }
}

/// The look on the paper of a series that may be meant for the colours of a field, black or white.
fn seen(look: Look, inks: &Inks) -> Look {
    const LEAST: f64 = 1.5;
    if look.colour.contrast(inks.paper) >= LEAST {
        return look;
    }
    Look { colour: inks.ink, stroke: Stroke { colour: inks.ink, ..look.stroke }, ..look }
}

/// A small piece of what the series draws, from the middle of its left side.
fn sample(mark: &Mark, look: &Look, [x, y]: [f64; 2]) -> Shape {
    let (middle, colour) = ([x + SAMPLE / 2.0, y], look.colour);
    match mark {
        Mark::Points(_) => Shape::Dots {
            centres: vec![middle],
            radius: 4.0,
            form: look.form,
            brush: Brush { colour, opacity: 0.8 },
            edge: None,
        },
        Mark::Rings(_) | Mark::Sized(_) => {
            Shape::Rings { rings: vec![[middle[0], y, 4.5]], stroke: Stroke { width: 1.6, ..look.stroke } }
        }
        Mark::Band(_) | Mark::Cells { .. } | Mark::Field(_) => {
            Shape::Cell { place: [x, y - 5.0, SAMPLE, 10.0], brush: Brush { colour, opacity: 0.2 } }
        }
        _ => Shape::Lines { lines: vec![vec![[x, y], [x + SAMPLE, y]]], stroke: look.stroke },
    }
}
