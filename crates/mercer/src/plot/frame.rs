//! Where the axes of a panel lie, and everything around them.

use super::bar::Bar;
use super::figure::{Axis, Panel, Scale};
use super::font::{shortened, width};
use super::ruler::Ruler;
use super::scene::{Anchor, Shape, Stroke};
use super::style::{Colour, GAP, LABEL, LEADING, MARGIN, SMALL, TICK};
use super::theme::Inks;
use super::ticks::{Direction, Ticks, ticks};

/// Rounding of a tick at the end of an axis.
const EDGE: f64 = 1e-6;
/// The ends of the two axes.
pub(super) type Ranges = [(f64, f64); 2];

/// The axes of a panel with their places.
pub(super) struct Frame<'a> {
    panel: &'a Panel,
    /// Left, top, width, height of what is between the axes.
    pub(super) place: [f64; 4],
    pub(super) x: Ruler,
    pub(super) y: Ruler,
    x_ticks: Ticks,
    y_ticks: Ticks,
    bar: Option<Bar<'a>>,
    inks: &'static Inks,
}

impl<'a> Frame<'a> {
    /// Fits the axes and their labels into a place of the paper.
    pub(super) fn new(panel: &'a Panel, ranges: Ranges, place: [f64; 4], inks: &'static Inks) -> Self {
        let level = Self::fitted(panel, ranges, place, SMALL * LEADING, inks);
        match level.x_ticks.upright {
            false => level,
            true => {
                let room = widest(&level.x_ticks);
                Self::fitted(panel, ranges, place, room, inks)
            }
        }
    }

    /// With labels below the horizontal axis that are so high.
    fn fitted(panel: &'a Panel, ranges: Ranges, place: [f64; 4], labels: f64, inks: &'static Inks) -> Self {
        let [left, top, wide, high] = place;
        let below = TICK + GAP + labels + if panel.x.label.is_empty() { 0.0 } else { LABEL * LEADING };
        let height = (high - below).max(1.0);
        let direction = Direction::Stacked(0.25 * wide);
        let draft = Ruler::new(&panel.y.scale, ranges[1], ends(&panel.y, top + height, top));
        let labels = widest(&ticks(&draft, &panel.y.scale, direction)) + TICK + GAP;
        let before = labels + if panel.y.label.is_empty() { 0.0 } else { LABEL * LEADING + GAP };
        // Where a bar would take the room of what it explains, or stand beside the paper, it is left out.
        let bar = Bar::of(panel).filter(|bar| bar.room(height) <= (0.45 * wide).min(wide - before));
        // A number at the right end sticks out by half its width.
        let beside = bar.as_ref().map_or(24.0, |bar| bar.room(height).max(24.0));
        let room = [(wide - before - beside).max(1.0), height];
        let side = sides(panel, ranges, room);
        // What is left over stays on the right and below, so that panels begin where their titles do.
        let left = left + before;
        let x = Ruler::new(&panel.x.scale, ranges[0], ends(&panel.x, left, left + side[0]));
        let y = Ruler::new(&panel.y.scale, ranges[1], ends(&panel.y, top + side[1], top));
        let x_ticks = ticks(&x, &panel.x.scale, Direction::Along(0.25 * high));
        // Numbers along x need more room, so what fits there fits along y.
        let same = panel.square && ranges[0] == ranges[1] && panel.x.scale == panel.y.scale;
        let numbers = !matches!(panel.x.scale, Scale::Names(_));
        let y_ticks = if same && numbers { x_ticks.clone() } else { ticks(&y, &panel.y.scale, direction) };
        Frame { panel, place: [left, top, side[0], side[1]], x, y, x_ticks, y_ticks, bar, inks }
    }

    /// The place of a tick on the horizontal axis; nothing outside of the frame, where a range that was asked for may leave it.
    fn along(&self, value: f64) -> Option<f64> {
        let [left, _, wide, _] = self.place;
        self.x.place(value).filter(|x| (left - EDGE..=left + wide + EDGE).contains(x))
    }

    /// The same on the vertical axis.
    fn up(&self, value: f64) -> Option<f64> {
        let [_, top, _, high] = self.place;
        self.y.place(value).filter(|y| (top - EDGE..=top + high + EDGE).contains(y))
    }

    /// Lines across, which lie below the series.
    pub(super) fn grid(&self) -> Vec<Shape> {
        let [left, top, wide, high] = self.place;
        let up = self.x_ticks.major.iter().filter_map(|t| self.along(t.0)).map(|x| vec![[x, top], [x, top + high]]);
        let across = self.y_ticks.major.iter().filter_map(|t| self.up(t.0)).map(|y| vec![[left, y], [left + wide, y]]);
        vec![lines(up.chain(across).collect(), self.inks.grid, 1.0)]
    }

    /// Axes, ticks, numbers and labels.
    pub(super) fn axes(&self) -> Vec<Shape> {
        let [left, top, wide, high] = self.place;
        let bottom = top + high;
        let mut marks = vec![vec![[left, top], [left, bottom], [left + wide, bottom]]];
        let mut texts = Vec::new();
        for (value, label) in &self.x_ticks.major {
            let Some(x) = self.along(*value) else { continue };
            marks.push(vec![[x, bottom], [x, bottom + TICK]]);
            texts.push(match self.x_ticks.upright {
                true => upright(self.words([x + 0.36 * SMALL, bottom + TICK + GAP], Anchor::End, SMALL, label)),
                false => self.words([x, bottom + TICK + GAP + 0.8 * SMALL], Anchor::Middle, SMALL, label),
            });
        }
        for (value, label) in &self.y_ticks.major {
            let Some(y) = self.up(*value) else { continue };
            marks.push(vec![[left - TICK, y], [left, y]]);
            texts.push(self.words([left - TICK - GAP, y + 0.36 * SMALL], Anchor::End, SMALL, label));
        }
        let small = 0.5 * TICK;
        let x_minor = self.x_ticks.minor.iter().filter_map(|v| self.along(*v));
        marks.extend(x_minor.map(|x| vec![[x, bottom], [x, bottom + small]]));
        let y_minor = self.y_ticks.minor.iter().filter_map(|v| self.up(*v));
        marks.extend(y_minor.map(|y| vec![[left - small, y], [left, y]]));
        let mut shapes = vec![lines(marks, self.inks.frame, 1.0)];
        shapes.extend(texts);
        shapes.extend(self.labels());
        shapes.extend(self.bar.iter().flat_map(|bar| bar.shapes(self.place, self.inks)));
        shapes
    }

    fn labels(&self) -> Vec<Shape> {
        let [left, top, wide, high] = self.place;
        let labels = if self.x_ticks.upright { widest(&self.x_ticks) } else { SMALL * LEADING };
        let below = top + high + TICK + GAP + labels + 0.95 * LABEL;
        let before = left - widest(&self.y_ticks) - TICK - GAP - GAP - 0.35 * LABEL;
        let x_label = shortened(&self.panel.x.label, LABEL, wide + MARGIN);
        let y_label = shortened(&self.panel.y.label, LABEL, high + MARGIN);
        let x = self.words([left + wide / 2.0, below], Anchor::Middle, LABEL, &x_label);
        let y = upright(self.words([before, top + high / 2.0], Anchor::Middle, LABEL, &y_label));
        [(x_label, x), (y_label, y)].into_iter().filter(|(label, _)| !label.is_empty()).map(|(_, text)| text).collect()
    }

    fn words(&self, at: [f64; 2], anchor: Anchor, size: f64, text: &str) -> Shape {
        Shape::Text { at, anchor, size, colour: self.inks.soft, upright: false, text: text.to_owned() }
    }
}

/// The lengths of the axes in a room: all of it, or as much as leaves them equal, or their units.
fn sides(panel: &Panel, [x, y]: Ranges, room: [f64; 2]) -> [f64; 2] {
    // Wider or higher than this, units cannot be equal and the panel be read.
    const SLIMMEST: f64 = 0.2;
    let share = (y.1 - y.0) / (x.1 - x.0);
    let linear = panel.x.scale == Scale::Linear && panel.y.scale == Scale::Linear;
    match (panel.square, panel.equal && linear && share.is_finite()) {
        (true, _) => [room[0].min(room[1]); 2],
        (false, true) if (SLIMMEST..=1.0 / SLIMMEST).contains(&share) => {
            let wide = room[0].min(room[1] / share);
            [wide, wide * share]
        }
        _ => room,
    }
}

/// The places of the ends of an axis, turned round if the axis is.
fn ends(axis: &Axis, low: f64, high: f64) -> (f64, f64) {
    if axis.reversed { (high, low) } else { (low, high) }
}

fn widest(ticks: &Ticks) -> f64 {
    ticks.major.iter().map(|t| width(&t.1, SMALL)).fold(0.0, f64::max)
}

fn lines(lines: Vec<Vec<[f64; 2]>>, colour: Colour, width: f64) -> Shape {
    Shape::Lines { lines, stroke: Stroke { colour, width, opacity: 1.0, dashes: &[] } }
}

/// The text, reading from below upwards.
fn upright(text: Shape) -> Shape {
    match text {
        Shape::Text { at, anchor, size, colour, text, .. } => {
            Shape::Text { at, anchor, size, colour, upright: true, text }
        }
        other => other,
    }
}
