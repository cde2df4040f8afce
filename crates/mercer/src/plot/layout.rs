//! From a figure to a scene: places for panels, titles, legends and axes.

use crate::error::{Error, Result, counted};
use crate::note::Note;

use super::figure::{Axis, Figure, Mark, Panel, Scale};
use super::font::{shortened, wrapped};
use super::frame::{Frame, Ranges};
use super::legend::Legend;
use super::looks::looks;
use super::marks::{Plotter, extent};
use super::range::ends;
use super::scene::{Anchor, Scene, Shape};
use super::style::{Colour, HEADING, LEADING, MARGIN, SMALL, TITLE};
use super::theme::Theme;

/// Smallest width and height of a panel: below it, labels leave no room for anything.
const SMALLEST: f64 = 160.0;
/// Largest width and height of a figure; a PNG of it takes half a GB while it is drawn.
const LARGEST: f64 = 4000.0;

impl Figure {
    /// Lays everything out. The notes of the scene say what has no place in it.
    pub fn scene(&self) -> Result<Scene> {
        self.validate()?;
        let mut scene = Scene {
            width: self.width,
            height: self.height,
            paper: self.theme.inks().paper,
            title: if self.title.is_empty() { self.panels[0].title.clone() } else { self.title.clone() },
            shapes: Vec::new(),
            notes: self.notes.clone(),
        };
        let above = if self.title.is_empty() { 0.0 } else { MARGIN + TITLE };
        if above > 0.0 {
            let at = [MARGIN, MARGIN + 0.8 * TITLE];
            scene.shapes.push(line(at, TITLE, self.theme.inks().ink, &self.title, self.width - 2.0 * MARGIN));
        }
        let (wide, high) = self.panel_size();
        for (at, panel) in self.panels.iter().enumerate() {
            let (row, column) = ((at / self.columns) as f64, (at % self.columns) as f64);
            add_panel(panel, [column * wide, above + row * high, wide, high], self.theme, &mut scene);
        }
        Ok(scene)
    }

    fn rows(&self) -> usize {
        self.panels.len().div_ceil(self.columns.max(1))
    }

    fn panel_size(&self) -> (f64, f64) {
        let above = if self.title.is_empty() { 0.0 } else { MARGIN + TITLE };
        (self.width / self.columns as f64, (self.height - above) / self.rows() as f64)
    }

    fn validate(&self) -> Result<()> {
        if self.panels.is_empty() || self.columns == 0 {
            let got = format!("{} in rows of {}", self.panels.len(), self.columns);
            return Err(Error::shape("the panels of a figure", "at least one", got));
        }
        let (wide, high) = self.panel_size();
        // Not a number is not in order either.
        if !(wide >= SMALLEST && high >= SMALLEST && self.width <= LARGEST && self.height <= LARGEST) {
            let must = format!("at least {SMALLEST} a panel and at most {LARGEST} in all");
            return Err(Error::invalid("a figure", "size", format!("{}×{}", self.width, self.height), must));
        }
        self.panels.iter().try_for_each(validate)
    }
}

fn validate(panel: &Panel) -> Result<()> {
    for series in &panel.series {
        if let Mark::Field(field) = &series.mark {
            field.validate()?;
            if panel.x.scale == Scale::Log || panel.y.scale == Scale::Log {
                return Err(Error::Unsupported {
                    what: "a field between log axes".into(),
                    alternative: "give it linear axes, of the logarithms if need be".into(),
                });
            }
        }
        if let Mark::Cells { columns, shade, texts } = &series.mark {
            let whole = *columns > 0 && shade.len() % columns == 0;
            if !whole || !(texts.is_empty() || texts.len() == shade.len()) {
                let got = format!("{} shades and {} texts in rows of {columns}", shade.len(), texts.len());
                return Err(Error::shape("the cells of a panel", "full rows", got));
            }
        }
    }
    [&panel.x, &panel.y].into_iter().try_for_each(|axis| match axis.range {
        Some((low, high)) if !(low < high && low.is_finite() && high.is_finite() && fits(axis, low)) => {
            let must = if axis.scale == Scale::Log { "finite, rising and above 0" } else { "finite and rising" };
            Err(Error::invalid(format!("the axis `{}`", axis.label), "range", format!("{low} to {high}"), must))
        }
        _ => Ok(()),
    })
}

fn fits(axis: &Axis, low: f64) -> bool {
    axis.scale != Scale::Log || low > 0.0
}

/// The ends of both axes: as given, or what the series need.
fn ranges(panel: &Panel) -> Ranges {
    let (xs, ys) = extent(panel);
    let filled = panel.series.iter().any(|s| matches!(s.mark, Mark::Field(_)));
    let of = |axis: &Axis, values: &[f64]| match (axis.range, filled) {
        (Some(range), _) => range,
        // An image has no room around it.
        (None, true) => tight(values).unwrap_or_else(|| ends(values.iter().copied(), &axis.scale)),
        (None, false) => ends(values.iter().copied(), &axis.scale),
    };
    let (x, y) = (of(&panel.x, &xs), of(&panel.y, &ys));
    let free = panel.x.range.is_none() && panel.y.range.is_none();
    match panel.square && free && panel.x.scale == panel.y.scale {
        true => [(x.0.min(y.0), x.1.max(y.1)); 2],
        false => [x, y],
    }
}

/// The least and the largest value, if they differ.
fn tight(values: &[f64]) -> Option<(f64, f64)> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low < high && (high - low).is_finite()).then_some((low, high))
}

/// Lines that title and subtitle may have in a panel of this height: low ones keep their room for what is drawn.
fn lines_in(high: f64) -> (usize, usize) {
    (if high >= 320.0 { 2 } else { 1 }, ((high / 170.0) as usize).clamp(1, 3))
}

fn add_panel(panel: &Panel, [left, top, wide, high]: [f64; 4], theme: Theme, scene: &mut Scene) {
    let inks = theme.inks();
    let (x, room) = (left + MARGIN, wide - 2.0 * MARGIN);
    let mut y = top + MARGIN;
    let (title_lines, subtitle_lines) = lines_in(high);
    let title = wrapped(&panel.title, HEADING, room, title_lines).into_iter().map(|text| (text, HEADING, inks.ink));
    let subtitle = wrapped(&panel.subtitle, SMALL, room, subtitle_lines).into_iter().map(|t| (t, SMALL, inks.soft));
    for (text, size, colour) in title.chain(subtitle) {
        scene.shapes.push(line([x, y + 0.85 * size], size, colour, &text, room));
        y += size * LEADING;
    }
    let looks = looks(&panel.series, inks);
    let legend = Legend::new(panel, &looks, room, 0.2 * high);
    if legend.height() > 0.0 {
        scene.shapes.extend(legend.shapes(x, y + 4.0, inks));
        y += legend.height() + 4.0;
    }
    y += 0.75 * MARGIN;
    let place = [x, y, room, (top + high - 0.75 * MARGIN - y).max(1.0)];
    let frame = Frame::new(panel, ranges(panel), place, inks);
    scene.shapes.extend(frame.grid());
    let over_field = panel.series.iter().any(|s| matches!(s.mark, Mark::Field(_)));
    let plotter = Plotter { x: &frame.x, y: &frame.y, theme, over_field };
    let mut shapes = Vec::new();
    for (series, look) in panel.series.iter().zip(&looks) {
        let (drawn, lost) = plotter.draw(&series.mark, look);
        shapes.extend(drawn);
        scene.notes.extend((lost > 0).then(|| not_drawn(lost, series.name.as_deref().unwrap_or(&panel.title))));
    }
    // A dot at the very edge is seen whole.
    let [l, t, w, h] = frame.place;
    scene.shapes.push(Shape::Inside { place: [l - 4.0, t - 4.0, w + 8.0, h + 8.0], shapes });
    scene.shapes.extend(frame.axes());
}

fn not_drawn(lost: usize, name: &str) -> Note {
    let which = counted(lost, "value", "values");
    Note::NotDrawn { why: format!("{which} of `{name}` cannot be drawn: not finite, or not above 0 on a log axis") }
}

/// A line of text from its left end.
fn line(at: [f64; 2], size: f64, colour: Colour, text: &str, room: f64) -> Shape {
    Shape::Text { at, anchor: Anchor::Start, size, colour, upright: false, text: shortened(text, size, room) }
}
