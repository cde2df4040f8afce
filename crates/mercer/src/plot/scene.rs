//! A picture as shapes in units of the paper: what a backend draws.

use crate::note::Note;

use super::style::Colour;

/// Where a text stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How areas are filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// The colour.
    pub colour: Colour,
    /// 0 is invisible, 1 hides what is below.
    pub opacity: f64,
}

/// How lines are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// The colour.
    pub colour: Colour,
    /// Width in units.
    pub width: f64,
    /// 0 is invisible, 1 hides what is below.
    pub opacity: f64,
    /// Lengths of dashes and of the gaps after them; nothing of a whole line.
    pub dashes: &'static [f64],
}

/// The form of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Form {
    #[default]
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    TriangleDown,
    Plus,
}

impl Form {
    /// All of them, in the order in which labels get them.
    pub const ALL: [Form; 7] =
        [Form::Circle, Form::Square, Form::Triangle, Form::Diamond, Form::Cross, Form::TriangleDown, Form::Plus];

    /// The corners around 0, for an area like that of a circle of this radius; nothing of a circle.
    pub(super) fn corners(self, radius: f64) -> Vec<[f64; 2]> {
        let turned = |[x, y]: [f64; 2]| [(x - y) / 2f64.sqrt(), (x + y) / 2f64.sqrt()];
        let square = [[-0.89, -0.89], [0.89, -0.89], [0.89, 0.89], [-0.89, 0.89]];
        let triangle = [[0.0, -1.35], [1.17, 0.68], [-1.17, 0.68]];
        let (arm, half) = (1.3, 0.38);
        let plus = [[-half, -arm], [half, -arm], [half, -half], [arm, -half], [arm, half], [half, half]];
        let plus: Vec<[f64; 2]> = plus.into_iter().chain(plus.map(|[x, y]| [-x, -y])).collect();
        let unit: Vec<[f64; 2]> = match self {
            Form::Circle => Vec::new(),
            Form::Square => square.into(),
            Form::Diamond => square.map(turned).into(),
            Form::Triangle => triangle.into(),
            Form::TriangleDown => triangle.map(|[x, y]| [x, -y]).into(),
            Form::Plus => plus,
            Form::Cross => plus.into_iter().map(turned).collect(),
        };
        unit.into_iter().map(|[x, y]| [radius * x, radius * y]).collect()
    }
}

/// One thing to draw. Coordinates are in units, x to the right and y downwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Lines through points.
    Lines {
        /// Each an open line.
        lines: Vec<Vec<[f64; 2]>>,
        /// How.
        stroke: Stroke,
    },
    /// An area with corners.
    Area {
        /// The corners, in order.
        corners: Vec<[f64; 2]>,
        /// Filled with.
        brush: Brush,
    },
    /// Filled points.
    Dots {
        /// Their centres.
        centres: Vec<[f64; 2]>,
        /// Their radius.
        radius: f64,
        /// Their form.
        form: Form,
        /// Filled with.
        brush: Brush,
        /// A line around each.
        edge: Option<Stroke>,
    },
    /// Circles that are not filled.
    Rings {
        /// Centre and radius of each.
        rings: Vec<[f64; 3]>,
        /// How.
        stroke: Stroke,
    },
    /// A filled rectangle.
    Cell {
        /// Left, top, width, height.
        place: [f64; 4],
        /// Filled with.
        brush: Brush,
    },
    /// An image of colours, stretched over a rectangle.
    Image {
        /// Left, top, width, height.
        place: [f64; 4],
        /// Number of columns.
        columns: usize,
        /// The colours row by row, the first row on top.
        pixels: Vec<Colour>,
        /// Whether colours go over into each other, or stay squares.
        smooth: bool,
    },
    /// A line of text.
    Text {
        /// Its place on the base line.
        at: [f64; 2],
        /// Where it stands relative to its place.
        anchor: Anchor,
        /// Height of its letters.
        size: f64,
        /// Its colour.
        colour: Colour,
        /// Whether it reads from below upwards.
        upright: bool,
        /// The words.
        text: String,
    },
    /// Shapes of which only the part inside a rectangle is seen.
    Inside {
        /// Left, top, width, height.
        place: [f64; 4],
        /// The shapes.
        shapes: Vec<Shape>,
    },
}

/// A picture, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width of the paper.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The colour of the paper.
    pub paper: Colour,
    /// What it is, for readers who cannot see it.
    pub title: String,
    /// What is on it, the first below the others.
    pub shapes: Vec<Shape>,
    /// What could not be drawn, and why.
    pub notes: Vec<Note>,
}
