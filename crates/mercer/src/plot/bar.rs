//! The bar beside a panel that says what the colours of a field mean.

use super::colour_map::ColourMap;
use super::field::Field;
use super::figure::{Mark, Panel, Scale};
use super::font::{shortened, width};
use super::ruler::Ruler;
use super::scene::{Anchor, Shape, Stroke};
use super::style::{Colour, GAP, LABEL, LEADING, SMALL, TICK};
use super::theme::Inks;
use super::ticks::{Direction, ticks};

/// Between a panel and its bar.
const APART: f64 = 14.0;
/// Width of the colours.
const WIDE: f64 = 14.0;
/// Colours in the bar.
const STEPS: usize = 128;

/// The bar of the first field of a panel.
pub(super) struct Bar<'a> {
    field: &'a Field,
    values: (f64, f64),
}

impl<'a> Bar<'a> {
    /// Nothing for a panel without a field.
    pub(super) fn of(panel: &'a Panel) -> Option<Self> {
        let field = panel.series.iter().find_map(|s| if let Mark::Field(f) = &s.mark { Some(f) } else { None })?;
        Some(Bar { field, values: field.ends() })
    }

    fn ruler(&self, top: f64, high: f64) -> Ruler {
        Ruler::new(&Scale::Linear, self.values, (top + high, top))
    }

    fn labels(&self, top: f64, high: f64) -> Vec<(f64, String)> {
        ticks(&self.ruler(top, high), &Scale::Linear, Direction::Stacked(f64::INFINITY)).major
    }

    fn widest(&self, top: f64, high: f64) -> f64 {
        self.labels(top, high).iter().map(|t| width(&t.1, SMALL)).fold(0.0, f64::max)
    }

    /// Room that it takes on the right of a panel of this height.
    pub(super) fn room(&self, high: f64) -> f64 {
        let label = if self.field.label.is_empty() { 0.0 } else { LABEL * LEADING + GAP };
        APART + WIDE + TICK + GAP + self.widest(0.0, high) + label
    }

    /// Its shapes, right of a panel.
    pub(super) fn shapes(&self, [left, top, wide, high]: [f64; 4], inks: &Inks) -> Vec<Shape> {
        let (x, bottom) = (left + wide + APART, top + high);
        let share = |i: usize| 1.0 - i as f64 / (STEPS - 1) as f64;
        let pixels: Vec<Colour> = (0..STEPS).map(|i| self.field.colours.at(share(i))).collect();
        let mut shapes = vec![Shape::Image { place: [x, top, WIDE, high], columns: 1, pixels, smooth: true }];
        let ruler = self.ruler(top, high);
        shapes.extend(self.field.levels.iter().filter(|v| ruler.shows(**v)).filter_map(|level| {
            let y = ruler.place(*level)?;
            Some(lines(vec![vec![[x, y], [x + WIDE, y]]], line_colour(self.field, *level), 1.2))
        }));
        let right = x + WIDE;
        let mut marks = vec![vec![[x, top], [right, top], [right, bottom], [x, bottom], [x, top]]];
        for (value, label) in self.labels(top, high) {
            let Some(y) = ruler.place(value) else { continue };
            marks.push(vec![[right, y], [right + TICK, y]]);
            shapes.push(words([right + TICK + GAP, y + 0.36 * SMALL], Anchor::Start, SMALL, label, inks));
        }
        shapes.push(lines(marks, inks.frame, 1.0));
        if !self.field.label.is_empty() {
            let beside = right + TICK + GAP + self.widest(top, high) + GAP + 0.85 * LABEL;
            let label = shortened(&self.field.label, LABEL, high);
            let mut text = words([beside, top + high / 2.0], Anchor::Middle, LABEL, label, inks);
            if let Shape::Text { upright, .. } = &mut text {
                *upright = true;
            }
            shapes.push(text);
        }
        shapes
    }
}

/// The colour of a line of equal value, which must be seen on the colour of that value.
pub(super) fn line_colour(field: &Field, level: f64) -> Colour {
    let under = field.colours.at(Field::share(level, field.ends()));
    match field.colours {
        ColourMap::Sequential => under.readable(),
        // Light in the middle and dark at both ends; a line lies between both.
        ColourMap::Diverging => Colour(34, 34, 34),
    }
}

fn lines(lines: Vec<Vec<[f64; 2]>>, colour: Colour, width: f64) -> Shape {
    Shape::Lines { lines, stroke: Stroke { colour, width, opacity: 1.0, dashes: &[] } }
}

fn words(at: [f64; 2], anchor: Anchor, size: f64, text: String, inks: &Inks) -> Shape {
    Shape::Text { at, anchor, size, colour: inks.soft, upright: false, text }
}
