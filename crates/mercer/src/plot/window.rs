//! The part of the line or of the plane that a function is drawn on.

use crate::data::{Column, Inputs, Rows};
use crate::error::{Error, Result, counted};

use super::field::Field;

/// Places along each side of a window.
const PLACES: usize = 161;
/// Places along a line.
const FINE: usize = 401;
/// Room around points, as a share of their range.
const ROOM: f64 = 0.12;

/// A rectangle of the plane with a grid of places.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// From left to right.
    pub x: (f64, f64),
    /// From below upwards.
    pub y: (f64, f64),
    /// Places in a row, at least 2.
    pub columns: usize,
    /// Rows of places, at least 2.
    pub rows: usize,
}

impl Window {
    /// A rectangle with 161×161 places.
    pub fn new(x: (f64, f64), y: (f64, f64)) -> Self {
        Window { x, y, columns: PLACES, rows: PLACES }
    }

    /// A rectangle around points, with some room.
    pub fn around(points: &[[f64; 2]]) -> Self {
        let side = |j: usize| around(points.iter().map(|p| p[j]));
        Window::new(side(0), side(1))
    }

    /// The places row by row from below, as points like those of `like`.
    pub fn points(&self, like: &Inputs) -> Result<Inputs> {
        let good = |(low, high): (f64, f64)| low < high && (high - low).is_finite();
        if !(good(self.x) && good(self.y) && self.columns >= 2 && self.rows >= 2) {
            let got = format!("{:?} by {:?} with {}×{} places", self.x, self.y, self.columns, self.rows);
            return Err(Error::shape("a window", "a rectangle with at least 2×2 places", got));
        }
        let (xs, ys) = (places(self.x, self.columns), places(self.y, self.rows));
        let values: Vec<f64> = ys.iter().flat_map(|y| xs.iter().flat_map(move |x| [*x, *y])).collect();
        named(values, self.columns * self.rows, like, 2)
    }

    /// Values at the places, as a field.
    pub fn field(&self, values: Vec<f64>) -> Field {
        Field::new(self.x, self.y, self.columns, values)
    }
}

/// A part of the line around values, with some room.
pub(super) fn around(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.filter(|v| v.is_finite()).fold(start, |(low, high), v| (v.min(low), v.max(high)));
    match high - low {
        wide if wide > 0.0 && wide.is_finite() => (low - ROOM * wide, high + ROOM * wide),
        _ if low.is_finite() => (low - low.abs().max(1.0), low + low.abs().max(1.0)),
        _ => (0.0, 1.0),
    }
}

/// Evenly spread places, the ends among them.
fn places((low, high): (f64, f64), count: usize) -> Vec<f64> {
    let last = (count.max(2) - 1) as f64;
    (0..count).map(|i| low + (high - low) * (i as f64 / last)).collect()
}

/// Places along a part of the line, and the same as points like those of `like`.
pub(super) fn along(range: (f64, f64), like: &Inputs) -> Result<(Vec<f64>, Inputs)> {
    if !(range.0 < range.1 && (range.1 - range.0).is_finite()) {
        let got = format!("{} to {}", range.0, range.1);
        return Err(Error::invalid("a curve", "range", got, "finite and rising"));
    }
    let xs = places(range, FINE);
    let points = named(xs.clone(), FINE, like, 1)?;
    Ok((xs, points))
}

/// Rows of numbers with the column names of other points.
fn named(values: Vec<f64>, rows: usize, like: &Inputs, columns: usize) -> Result<Inputs> {
    numbers(like, columns)?;
    let made = Rows::new(values, rows, columns)?;
    Ok(match like {
        Inputs::Dense(x) if x.has_names() => made.with_names((0..columns).map(|j| x.name(j)).collect())?.into(),
        Inputs::Table(x) => made.with_names(x.names().to_vec())?.into(),
        _ => made.into(),
    })
}

/// The coordinates of points of so many numbers, row by row; an error for others.
pub(super) fn numbers(points: &Inputs, columns: usize) -> Result<Vec<Vec<f64>>> {
    let wrong = |got: String| {
        let expected = if columns == 1 { "one column of numbers" } else { "two columns of numbers" };
        Error::shape("points to draw", expected, got)
    };
    match points {
        Inputs::Dense(x) if x.ncols() == columns => Ok((0..x.nrows()).map(|i| x.row(i).to_vec()).collect()),
        Inputs::Table(x) if x.ncols() == columns => {
            let mut rows = vec![Vec::new(); x.nrows()];
            for (name, column) in x.iter() {
                let Column::Number(values) = column else { return Err(wrong(format!("`{name}`, which has none"))) };
                rows.iter_mut().zip(values.iter()).for_each(|(row, v)| row.push(*v));
            }
            Ok(rows)
        }
        Inputs::Dense(x) => Err(wrong(counted(x.ncols(), "column", "columns"))),
        other => Err(wrong(other.describe().into())),
    }
}

/// Points of the plane.
pub(super) fn plane(points: &Inputs) -> Result<Vec<[f64; 2]>> {
    Ok(numbers(points, 2)?.iter().map(|row| [row[0], row[1]]).collect())
}

/// The names of two columns, for axes.
pub(super) fn names(points: &Inputs) -> [String; 2] {
    let columns = points.columns();
    [0, 1].map(|j| columns.get(j).map_or_else(|| format!("x{j}"), |(name, _)| name.to_string()))
}
