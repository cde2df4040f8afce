//! Pictures of matrices.

use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::run::Run;

use super::colour_map::ColourMap;
use super::field::Field;
use super::figure::{Axis, Mark, Panel, Series};

/// Largest number of rows and columns that are kept: two pixels a unit of the largest panel that is usual.
const SIDE: usize = 1000;
/// Rows that are numbered one by one: between them there is nothing.
const FEW: usize = 20;
/// Numbers that are computed at a time.
const BAND: usize = 1 << 20;

/// A matrix as it can be seen: up to 1000×1000 cells, each the mean of the entries that it stands for.
#[derive(Clone, Debug)]
pub struct Heat {
    shape: [usize; 2],
    /// The place of each row and column in the picture, where they are put in another order.
    places: Option<Vec<usize>>,
    /// Where groups end, of an order by groups.
    bounds: Vec<usize>,
    side: [usize; 2],
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Heat {
    /// Of a matrix with so many rows and columns, none of which it has seen yet.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        if rows == 0 || columns == 0 {
            return Err(Error::shape("a matrix to draw", "at least one row and column", format!("{rows}×{columns}")));
        }
        let side = [rows.min(SIDE), columns.min(SIDE)];
        let empty = vec![0.0; side[0] * side[1]];
        Ok(Heat { shape: [rows, columns], places: None, bounds: Vec::new(), side, counts: empty.clone(), sums: empty })
    }

    /// With row and column `order[0]` first, then `order[1]`, ….
    pub fn in_order(self, order: &[usize]) -> Result<Self> {
        let n = self.shape[0];
        let mut places = vec![usize::MAX; n];
        order.iter().enumerate().for_each(|(at, i)| {
            if let Some(place) = places.get_mut(*i) {
                *place = at;
            }
        });
        if self.shape[1] != n || order.len() != n || places.contains(&usize::MAX) {
            let expected = format!("each row of a square matrix once, 0 to {}", n.saturating_sub(1));
            return Err(Error::shape("an order of rows", expected, format!("{} numbers", order.len())));
        }
        Ok(Heat { places: Some(places), ..self })
    }

    /// With rows of the same group side by side, the groups in their order, and lines between them.
    pub fn by_group(self, groups: &[usize]) -> Result<Self> {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|i| groups[*i]);
        let ends = order.windows(2).enumerate().filter(|(_, pair)| groups[pair[0]] != groups[pair[1]]);
        let bounds = ends.map(|(at, _)| at + 1).collect();
        Ok(Heat { bounds, ..self.in_order(&order)? })
    }

    /// Takes whole rows, from the one of this number on.
    pub fn add(&mut self, first: usize, values: &[f64]) {
        let [rows, columns] = self.shape;
        let place = |i: usize| self.places.as_ref().map_or(i, |places| places[i]);
        for (i, row) in values.chunks(columns).enumerate().filter(|(i, _)| first + i < rows) {
            let down = place(first + i) * self.side[0] / rows * self.side[1];
            for (j, value) in row.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let at = down + place(j) * self.side[1] / columns;
                self.sums[at] += value;
                self.counts[at] += 1.0;
            }
        }
    }

    /// The picture. Values of both signs have the diverging colours.
    pub fn panel(&self, title: impl Into<String>) -> Panel {
        let means: Vec<f64> = self.sums.iter().zip(&self.counts).map(|(sum, count)| sum / count).collect();
        let signs = means.iter().any(|v| *v < 0.0) && means.iter().any(|v| *v > 0.0);
        let colours = if signs { ColourMap::Diverging } else { ColourMap::Sequential };
        let [rows, columns] = self.shape;
        let last = |n: usize, side: usize| {
            let half = n as f64 / side as f64 / 2.0;
            if side > 1 { (half - 0.5, n as f64 - half - 0.5) } else { (0.0, 0.0) }
        };
        let field = Field {
            smooth: false,
            ..Field::new(last(columns, self.side[1]), last(rows, self.side[0]), self.side[1], means)
        };
        let axis = |what: &str, n: usize| match n <= FEW {
            true => Axis::names(what, (0..n).map(|i| i.to_string()).collect()),
            false => Axis::linear(what).ranging(-0.5, n as f64 - 0.5),
        };
        let panel = Panel::new(title, axis("column", columns), axis("row", rows).reversed())
            .with(Series::new(Mark::Field(field.labelled("k").in_colours(colours))));
        let panel = if rows == columns { panel.square() } else { panel };
        let panel = match self.side == self.shape {
            true => panel,
            false => panel.subtitled(format!("each cell is the mean of about {} entries", self.entries())),
        };
        self.with_bounds(panel)
    }

    fn entries(&self) -> usize {
        let of = |at: usize| self.shape[at].div_ceil(self.side[at]);
        of(0) * of(1)
    }

    fn with_bounds(&self, panel: Panel) -> Panel {
        let end = self.shape[0] as f64 - 0.5;
        let line = |at: &usize| {
            let v = *at as f64 - 0.5;
            [vec![[v, -0.5], [v, end]], vec![[-0.5, v], [end, v]]]
        };
        match self.bounds.is_empty() {
            true => panel,
            false => {
                let lines = self.bounds.iter().flat_map(line).collect();
                let white = super::style::Colour(255, 255, 255);
                panel.with(Series::new(Mark::Curves(lines)).coloured(white))
            }
        }
    }
}

/// The picture of a kernel matrix, computed in bands and never stored. With groups, one a row, rows and columns of the same
/// group stand side by side.
pub fn gram_heat(matrix: &dyn KernelMatrix, groups: Option<&[usize]>, title: &str, run: &Run) -> Result<Panel> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    let heat = Heat::new(rows, columns)?;
    let mut heat = groups.map_or(Ok(heat.clone()), |groups| heat.by_group(groups))?;
    let step = (BAND / columns).clamp(1, rows);
    let _reserved = run.reserve(8 * (step * columns) as u128, "a band of the kernel matrix", "")?;
    let mut band = vec![0.0; step * columns];
    let task = run.task("gram", Some(rows.div_ceil(step) as u64));
    for first in (0..rows).step_by(step) {
        let last = (first + step).min(rows);
        let part = &mut band[..(last - first) * columns];
        matrix.block(first..last, 0..columns, TileMut::contiguous(part, last - first, columns));
        heat.add(first, part);
        task.step_or_cancel()?;
    }
    Ok(heat.panel(title))
}
