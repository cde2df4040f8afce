//! The names of the series, in rows above a panel: there they hide nothing.

use super::figure::{Mark, Panel};
use super::font::{shortened, width};
use super::marks::stroke;
use super::scene::{Anchor, Brush, Shape, Stroke};
use super::style::{Colour, LEADING, SMALL, SOFT_INK};

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
    colour: Colour,
    x: f64,
    row: usize,
}

/// The rows of a legend.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Legend<'a> {
    /// Entries of the named series, in rows of at most `room`.
    pub(super) fn new(panel: &'a Panel, colours: &[Colour], room: f64) -> Self {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let (mut x, mut row) = (0.0, 0);
        for (series, colour) in panel.series.iter().zip(colours) {
            let Some(name) = &series.name else { continue };
            let name = shortened(name, SMALL, room - SAMPLE - NEAR);
            let wide = SAMPLE + NEAR + width(&name, SMALL);
            if x > 0.0 && x + wide > room {
                (x, row) = (0.0, row + 1);
            }
            entries.push(Entry { name, mark: &series.mark, colour: *colour, x, row });
            x += wide + APART;
        }
        Legend { entries }
    }

    /// Height of all rows.
    pub(super) fn height(&self) -> f64 {
        self.entries.last().map_or(0.0, |e| (e.row + 1) as f64 * SMALL * LEADING)
    }

    /// The shapes, from a corner on the left and top.
    pub(super) fn shapes(&self, left: f64, top: f64) -> Vec<Shape> {
        let draw = |entry: &Entry| {
            let (x, y) = (left + entry.x, top + (entry.row as f64 + 0.78) * SMALL * LEADING);
            let at = [x + SAMPLE + NEAR, y];
            let name = entry.name.clone();
            let text =
                Shape::Text { at, anchor: Anchor::Start, size: SMALL, colour: SOFT_INK, upright: false, text: name };
            [sample(entry.mark, entry.colour, [x, y - 0.36 * SMALL]), text]
        };
        self.entries.iter().flat_map(draw).collect()
    }
}

/// A small piece of what the series draws, from the middle of its left side.
fn sample(mark: &Mark, colour: Colour, [x, y]: [f64; 2]) -> Shape {
    let middle = vec![[x + SAMPLE / 2.0, y]];
    match mark {
        Mark::Points(_) => Shape::Dots { centres: middle, radius: 4.0, brush: Brush { colour, opacity: 0.8 } },
        Mark::Rings(_) => {
            Shape::Rings { centres: middle, radius: 4.5, stroke: Stroke { width: 1.6, ..stroke(mark, colour) } }
        }
        Mark::Band(_) | Mark::Cells { .. } => {
            Shape::Cell { place: [x, y - 5.0, SAMPLE, 10.0], brush: Brush { colour, opacity: 0.2 } }
        }
        _ => Shape::Lines { lines: vec![vec![[x, y], [x + SAMPLE, y]]], stroke: stroke(mark, colour) },
    }
}
