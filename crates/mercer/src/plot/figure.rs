//! What is to be seen, without a pixel.

use crate::note::Note;

use super::field::Field;
use super::scene::Form;
use super::style::Colour;
use super::theme::Theme;

/// A sheet of panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Stands above all panels; may be empty.
    pub title: String,
    /// Panels row by row.
    pub panels: Vec<Panel>,
    /// Number of panels in a row.
    pub columns: usize,
    /// Width in units; an SVG has one pixel a unit, a PNG two.
    pub width: f64,
    /// Height in units.
    pub height: f64,
    /// Light or dark paper.
    pub theme: Theme,
    /// What the reader of the report should know of the picture, such as panels that are missing.
    pub notes: Vec<Note>,
}

impl Figure {
    /// One panel of 800×600.
    pub fn of(panel: Panel) -> Self {
        Figure { width: 800.0, height: 600.0, ..Figure::grid(vec![panel], 1) }
    }

    /// Panels in rows of `columns`, each 520×520.
    pub fn grid(panels: Vec<Panel>, columns: usize) -> Self {
        let columns = columns.clamp(1, panels.len().max(1));
        let rows = panels.len().div_ceil(columns).max(1);
        let (width, height) = (520.0 * columns as f64, 520.0 * rows as f64);
        Figure { title: String::new(), panels, columns, width, height, theme: Theme::Light, notes: Vec::new() }
    }

    /// With a title above all panels.
    pub fn titled(self, title: impl Into<String>) -> Self {
        Figure { title: title.into(), ..self }
    }

    /// On paper of another size.
    pub fn sized(self, width: f64, height: f64) -> Self {
        Figure { width, height, ..self }
    }

    /// On light or dark paper.
    pub fn themed(self, theme: Theme) -> Self {
        Figure { theme, ..self }
    }
}

/// Two axes and what stands between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Stands above the panel; may be empty.
    pub title: String,
    /// Smaller, below the title; may be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the first below the others.
    pub series: Vec<Series>,
    /// Whether both axes have one range and one length, so that y = x is the diagonal.
    pub square: bool,
    /// Whether a unit is as long on both axes, as in a map.
    pub equal: bool,
}

impl Panel {
    /// A panel without series.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Panel { title: title.into(), subtitle: String::new(), x, y, series: Vec::new(), square: false, equal: false }
    }

    /// With one more series, above the others.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With a smaller line below the title.
    pub fn subtitled(self, subtitle: impl Into<String>) -> Self {
        Panel { subtitle: subtitle.into(), ..self }
    }

    /// With units that are as long on both axes.
    pub fn equal(self) -> Self {
        Panel { equal: true, ..self }
    }

    /// With one range and one length for both axes.
    pub fn square(self) -> Self {
        Panel { square: true, ..self }
    }
}

/// How values become places.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scale {
    /// Equal differences are equal lengths.
    Linear,
    /// Equal ratios are equal lengths; values ≤ 0 have no place.
    Log,
    /// Named places 0, 1, 2, …
    Names(Vec<String>),
}

/// One axis of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What the values are.
    pub label: String,
    /// How they become places.
    pub scale: Scale,
    /// Lowest and highest value; without them, what the series need and a little more.
    pub range: Option<(f64, f64)>,
    /// Whether values grow to the left, or downwards.
    pub reversed: bool,
}

impl Axis {
    /// Equal differences are equal lengths.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Linear, range: None, reversed: false }
    }

    /// Equal ratios are equal lengths.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { scale: Scale::Log, ..Axis::linear(label) }
    }

    /// One place for each name.
    pub fn names(label: impl Into<String>, names: Vec<String>) -> Self {
        Axis { scale: Scale::Names(names), ..Axis::linear(label) }
    }

    /// From `low` to `high`.
    pub fn ranging(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }

    /// Growing to the left, or downwards.
    pub fn reversed(self) -> Self {
        Axis { reversed: true, ..self }
    }
}

/// Marks of one kind and colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend; without one it is not in the legend.
    pub name: Option<String>,
    /// What is drawn.
    pub mark: Mark,
    /// Its colour; without one, the next of the palette, and grey for reference lines.
    pub colour: Option<Ink>,
    /// The form of its points; without one, circles.
    pub form: Option<Form>,
}

/// A colour of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The same on every paper.
    Own(Colour),
    /// This one of the palette of the theme, counted from 0 and starting again at its end.
    Palette(usize),
    /// That of titles.
    Text,
}

impl From<Colour> for Ink {
    fn from(colour: Colour) -> Self {
        Ink::Own(colour)
    }
}

impl Series {
    /// Without a name, in a colour of the palette.
    pub fn new(mark: Mark) -> Self {
        Series { name: None, mark, colour: None, form: None }
    }

    /// With a line in the legend.
    pub fn named(self, name: impl Into<String>) -> Self {
        Series { name: Some(name.into()), ..self }
    }

    /// In a colour of its own.
    pub fn coloured(self, colour: impl Into<Ink>) -> Self {
        Series { colour: Some(colour.into()), ..self }
    }

    /// With points of another form.
    pub fn formed(self, form: Form) -> Self {
        Series { form: Some(form), ..self }
    }
}

/// What a series draws. A value that is not finite, or not above 0 on a log axis, is left out and
/// counted in the notes of the scene; a line has a gap there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mark {
    /// A dot at each [x, y].
    Points(Vec<[f64; 2]>),
    /// A ring at each [x, y], to point at it.
    Rings(Vec<[f64; 2]>),
    /// A ring at each [x, y, size], whose area is as its size.
    Sized(Vec<[f64; 3]>),
    /// Points joined by a line, in their order.
    Line(Vec<[f64; 2]>),
    /// Several lines of one kind, thinner than a single one.
    Curves(Vec<Vec<[f64; 2]>>),
    /// y holds from its x to the next one.
    Step(Vec<[f64; 2]>),
    /// The area between [x, low, high], in their order.
    Band(Vec<[f64; 3]>),
    /// A dashed line at this x.
    Vertical(f64),
    /// A dashed line at this y.
    Horizontal(f64),
    /// The dashed line y = x.
    Diagonal,
    /// Values on a grid, as colours.
    Field(Field),
    /// A matrix of cells, row-major: cell (i, j) is centred at x = j, y = i.
    Cells {
        /// Number of columns.
        columns: usize,
        /// How far each cell is from the paper, from 0 to 1.
        shade: Vec<f64>,
        /// A text in each cell, or no texts at all.
        texts: Vec<String>,
    },
}
