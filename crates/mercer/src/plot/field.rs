//! Values on a grid: of a function of two numbers, or of a matrix.

use std::ops::Range;

use crate::error::{Error, Result};

use super::colour_map::ColourMap;
use super::figure::Scale;
use super::range::ends;

/// Values on a grid of places, drawn as an image with a bar that says what the colours mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The places of the first and the last column.
    pub x: (f64, f64),
    /// The places of the first and the last row.
    pub y: (f64, f64),
    /// Number of columns.
    pub columns: usize,
    /// The values row by row, the first row at `y.0`.
    pub values: Vec<f64>,
    /// What the values are; stands beside the bar.
    pub label: String,
    /// How values become colours.
    pub colours: ColourMap,
    /// The values of the first and the last colour; without them, the least and the largest value, and of a
    /// [diverging](ColourMap::Diverging) map ± the largest size.
    pub range: Option<(f64, f64)>,
    /// Values at which lines of equal value are drawn over the image, and marked in the bar.
    pub levels: Vec<f64>,
    /// Whether colours go over into each other between the places, as values of a function do and entries of a matrix
    /// do not.
    pub smooth: bool,
}

impl Field {
    /// Values of a function, row by row, between these places.
    pub fn new(x: (f64, f64), y: (f64, f64), columns: usize, values: Vec<f64>) -> Self {
        Field {
            x,
            y,
            columns,
            values,
            label: String::new(),
            colours: ColourMap::Sequential,
            range: None,
            levels: Vec::new(),
            smooth: true,
        }
    }

    /// The entries of a matrix, row-major: entry (i, j) is centred at x = j, y = i.
    pub fn matrix(columns: usize, values: Vec<f64>) -> Self {
        let rows = values.len() / columns.max(1);
        let last = |n: usize| (0.0, n.saturating_sub(1) as f64);
        Field { smooth: false, ..Field::new(last(columns), last(rows), columns, values) }
    }

    /// With words beside the bar.
    pub fn labelled(self, label: impl Into<String>) -> Self {
        Field { label: label.into(), ..self }
    }

    /// In other colours.
    pub fn in_colours(self, colours: ColourMap) -> Self {
        Field { colours, ..self }
    }

    /// With lines of equal value.
    pub fn with_levels(self, levels: Vec<f64>) -> Self {
        Field { levels, ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    pub(super) fn validate(&self) -> Result<()> {
        let whole = self.columns > 0 && !self.values.is_empty() && self.values.len().is_multiple_of(self.columns);
        if !whole {
            let got = format!("{} values in rows of {}", self.values.len(), self.columns);
            return Err(Error::shape("the values of a field", "full rows", got));
        }
        for (name, (first, last)) in [("x", self.x), ("y", self.y)] {
            let count = if name == "x" { self.columns } else { self.rows() };
            let ordered = first < last || (first == last && count == 1);
            if !(ordered && first.is_finite() && last.is_finite() && (last - first).is_finite()) {
                return Err(Error::invalid("a field", name, format!("{first} to {last}"), "finite and rising"));
            }
        }
        match self.range {
            Some((low, high)) if !(low < high && low.is_finite() && high.is_finite()) => {
                Err(Error::invalid("a field", "range", format!("{low} to {high}"), "finite and rising"))
            }
            _ => Ok(()),
        }
    }

    /// The values of the first and the last colour.
    pub(super) fn ends(&self) -> (f64, f64) {
        if let Some(range) = self.range {
            return range;
        }
        let finite = || self.values.iter().copied().filter(|v| v.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = match self.colours {
            ColourMap::Diverging => (-(-low).max(high), (-low).max(high)),
            ColourMap::Sequential => (low, high),
        };
        // Equal values, or none, are in the middle of an axis around them.
        if low < high { (low, high) } else { ends(finite(), &Scale::Linear) }
    }

    /// The share of the way from the first colour to the last.
    pub(super) fn share(value: f64, (low, high): (f64, f64)) -> f64 {
        // Halves, because the difference of two finite numbers need not be finite.
        ((value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0)
    }

    /// Half the distance from one column, or row, to the next.
    fn half((first, last): (f64, f64), count: usize) -> f64 {
        if count > 1 { (last - first) / (count - 1) as f64 / 2.0 } else { 0.5 }
    }

    /// The corners of the image: half a cell beyond the outermost places.
    pub(super) fn corners(&self) -> [[f64; 2]; 2] {
        let (a, b) = (Self::half(self.x, self.columns), Self::half(self.y, self.rows()));
        [[self.x.0 - a, self.y.0 - b], [self.x.1 + a, self.y.1 + b]]
    }

    /// What the axes must show: the places of a function, the whole cells of a matrix.
    pub(super) fn shown(&self) -> [[f64; 2]; 2] {
        if self.smooth { [[self.x.0, self.y.0], [self.x.1, self.y.1]] } else { self.corners() }
    }

    /// The part that is seen between these values of the axes, with a cell more on each side; nothing if none is.
    pub(super) fn seen(&self, x: (f64, f64), y: (f64, f64)) -> Option<Field> {
        let (columns, rows) = (Self::between(self.x, self.columns, x)?, Self::between(self.y, self.rows(), y)?);
        let at = |(first, last): (f64, f64), count: usize, i: usize| match count {
            1 => first,
            _ => first + (last - first) * (i as f64 / (count - 1) as f64),
        };
        let ends = |side: (f64, f64), count: usize, kept: &Range<usize>| {
            (at(side, count, kept.start), at(side, count, kept.end - 1))
        };
        let row = |i: usize| &self.values[i * self.columns + columns.start..i * self.columns + columns.end];
        Some(Field {
            x: ends(self.x, self.columns, &columns),
            y: ends(self.y, self.rows(), &rows),
            columns: columns.len(),
            values: rows.clone().flat_map(|i| row(i).iter().copied()).collect(),
            range: Some(self.ends()),
            ..self.clone_without_values()
        })
    }

    fn clone_without_values(&self) -> Field {
        let Field { label, colours, levels, smooth, .. } = self;
        let empty = Field::new(self.x, self.y, self.columns, Vec::new());
        Field { label: label.clone(), colours: *colours, levels: levels.clone(), smooth: *smooth, ..empty }
    }

    /// The columns, or rows, whose cells are between two values, and their neighbours.
    fn between(side: (f64, f64), count: usize, seen: (f64, f64)) -> Option<Range<usize>> {
        let step = 2.0 * Self::half(side, count);
        let first = ((seen.0 - side.0) / step - 1.5).floor().clamp(0.0, count as f64) as usize;
        let last = ((seen.1 - side.0) / step + 2.5).ceil().clamp(0.0, count as f64) as usize;
        (first < last).then_some(first..last)
    }

    /// The same with at most so many columns and rows: each value the mean of those that it stands for.
    pub(super) fn reduced(&self, columns: usize, rows: usize) -> (usize, Vec<f64>) {
        if self.columns <= columns && self.rows() <= rows {
            return (self.columns, self.values.clone());
        }
        let (wide, high) = (self.columns.min(columns.max(1)), self.rows().min(rows.max(1)));
        let (mut sums, mut counts) = (vec![0.0; wide * high], vec![0.0; wide * high]);
        let all = self.rows();
        for (i, row) in self.values.chunks(self.columns).enumerate() {
            for (j, value) in row.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let at = i * high / all * wide + j * wide / self.columns;
                sums[at] += value;
                counts[at] += 1.0;
            }
        }
        sums.iter_mut().zip(&counts).for_each(|(sum, count)| *sum /= count);
        (wide, sums)
    }
}
