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
    /// Whether it is dashed.
    pub dashed: bool,
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
    /// Filled circles.
    Dots {
        /// Their centres.
        centres: Vec<[f64; 2]>,
        /// Their radius.
        radius: f64,
        /// Filled with.
        brush: Brush,
    },
    /// Circles that are not filled.
    Rings {
        /// Their centres.
        centres: Vec<[f64; 2]>,
        /// Their radius.
        radius: f64,
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
    /// What it is, for readers who cannot see it.
    pub title: String,
    /// What is on it, the first below the others.
    pub shapes: Vec<Shape>,
    /// What could not be drawn, and why.
    pub notes: Vec<Note>,
}
