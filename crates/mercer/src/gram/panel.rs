//! Points laid out for the inner loops, and the loops of gradients; those of statistics are in `blocks`.
//!
//! Row points stay row-major; column points are packed in panels of [`LANES`] points, coordinate
//! by coordinate, so that one vector holds the same coordinate of several points. A statistic of
//! a few rows with a panel then runs at the speed of the multiply-add units, and nothing is
//! packed per tile.

use std::ops::Range;

use super::blocks::{AsTheyAre, Blocks, Expand, Finish, GROUP, LANES, Product, RowSlice, Sums, Term, mend};
use super::simd::dispatch;

/// n points of d coordinates in panels.
#[derive(Debug)]
pub(crate) struct Panels {
    values: Vec<f64>,
    depth: usize,
}

impl Panels {
    /// Packs row-major points: n×d.
    pub(crate) fn pack(rows: &[f64], len: usize, depth: usize) -> Self {
        let mut values = vec![0.0; len.div_ceil(LANES) * LANES * depth];
        for i in 0..len {
            let start = i / LANES * LANES * depth + i % LANES;
            for (k, value) in rows[i * depth..(i + 1) * depth].iter().enumerate() {
                values[start + k * LANES] = *value;
            }
        }
        Panels { values, depth }
    }

    /// The panels from number `p` on.
    fn starting_at(&self, p: usize) -> &[f64] {
        &self.values[p * LANES * self.depth..]
    }

    /// Panel number `p`.
    pub(crate) fn panel(&self, p: usize) -> &[f64] {
        &self.starting_at(p)[..LANES * self.depth]
    }
}

dispatch! {
    /// out[r][c] = Σ terms of row r and point cols.start + c, added in the order of coordinates.
    ///
    /// `out` is row-major with as many columns as `cols` has points.
    pub(crate) fn statistic<T: Term>(rows: RowSlice<'_>, panels: &Panels, cols: Range<usize>, out: &mut [f64])
    by B: Blocks {
        if cols.is_empty() || rows.depth == 0 {
            out.fill(0.0);
            return;
        }
        let width = cols.len();
        for (group, strip) in rows.values.chunks(GROUP * rows.depth).zip(out.chunks_mut(GROUP * width)) {
            let group = RowSlice { values: group, depth: rows.depth };
            group_statistic::<T, B, _>(group, panels, cols.clone(), (strip, &mut AsTheyAre));
        }
    }
}

/// ‖x‖² of some rows, ‖y‖² of all points in panels, and the squared distance of row r and point c from their differences.
#[derive(Clone, Copy)]
pub(crate) struct Squares<'a> {
    pub(crate) rows: &'a [f64],
    pub(crate) points: &'a [f64],
    pub(crate) exact: &'a dyn Fn(usize, usize) -> f64,
}

dispatch! {
    /// out[r][c] = ‖x‖² + ‖y‖² − 2⟨x, y⟩ of row r and point cols.start + c, or `exact` where that [has lost digits](is_near).
    ///
    /// Only points that are close to each other for their distance from the centre need it, which is
    /// rare; without it kernels of r itself keep half of their digits near r = 0.
    pub(crate) fn squared_distances(
        rows: RowSlice<'_>,
        panels: &Panels,
        squares: Squares<'_>,
        cols: Range<usize>,
        out: &mut [f64],
    ) by B: Blocks {
        if cols.is_empty() || rows.depth == 0 {
            out.fill(0.0);
            return;
        }
        let groups = rows.values.chunks(GROUP * rows.depth).zip(out.chunks_mut(GROUP * cols.len()));
        for (g, ((group, strip), xx)) in groups.zip(squares.rows.chunks(GROUP)).enumerate() {
            let group = RowSlice { values: group, depth: rows.depth };
            let mut expand = Expand { xx, yy: squares.points, near: 0 };
            group_statistic::<Product, B, _>(group, panels, cols.clone(), (&mut *strip, &mut expand));
            if expand.near != 0 {
                for (r, (xx, row)) in xx.iter().zip(strip.chunks_mut(cols.len())).enumerate() {
                    let exact = |c| (squares.exact)(g * GROUP + r, cols.start + c);
                    mend(*xx, &squares.points[cols.clone()], row, exact);
                }
            }
        }
    }
}

/// The statistic of at most [`GROUP`] rows, finished. A panel that reaches over an end of `cols` is computed
/// aside, and the part inside is copied.
#[inline(always)]
fn group_statistic<T: Term, B: Blocks, F: Finish>(
    rows: RowSlice<'_>,
    panels: &Panels,
    cols: Range<usize>,
    (out, finish): (&mut [f64], &mut F),
) {
    let width = cols.len();
    let inside = cols.start.div_ceil(LANES)..cols.end / LANES;
    let mut p = cols.start / LANES;
    while p < cols.end.div_ceil(LANES) {
        let first = p * LANES;
        if inside.contains(&p) {
            let together = B::PANELS.min(inside.end - p);
            let values = &mut out[first - cols.start..];
            let sums = Sums { values, stride: width, finish: &mut *finish, place: first };
            B::block::<T, F>(rows, panels.starting_at(p), together, sums);
            p += together;
            continue;
        }
        let mut aside = [0.0; GROUP * LANES];
        let sums = Sums { values: &mut aside, stride: LANES, finish: &mut *finish, place: first };
        B::block::<T, F>(rows, panels.starting_at(p), 1, sums);
        let part = first.max(cols.start)..(first + LANES).min(cols.end);
        for (row, aside) in out.chunks_mut(width).zip(aside.chunks(LANES)) {
            let place = part.start - cols.start..part.end - cols.start;
            row[place].copy_from_slice(&aside[part.start - first..part.end - first]);
        }
        p += 1;
    }
}

/// The term of a coordinate in a distance, as a function of the difference.
pub(crate) trait DistanceTerm {
    fn weighted(g: f64, difference: f64, sum: f64) -> f64;
}

/// (xⱼ − yⱼ)².
pub(crate) struct Square;

impl DistanceTerm for Square {
    #[inline(always)]
    fn weighted(g: f64, difference: f64, sum: f64) -> f64 {
        (g * difference).mul_add(difference, sum)
    }
}

/// |xⱼ − yⱼ|.
pub(crate) struct Magnitude;

impl DistanceTerm for Magnitude {
    #[inline(always)]
    fn weighted(g: f64, difference: f64, sum: f64) -> f64 {
        g.mul_add(difference.abs(), sum)
    }
}

dispatch! {
    /// sums[j][l] += Σ g·term of coordinate j over the pairs whose column stands in lane l of its panel.
    ///
    /// From the differences themselves: the expanded square would be one product with a matrix, but of
    /// terms that cancel, and this is a small part of the time of a gradient.
    pub(crate) fn weighted_terms<T: DistanceTerm>(
        rows: RowSlice<'_>,
        panels: &Panels,
        cols: Range<usize>,
        g: &[f64],
        sums: &mut [f64],
    ) {
        let width = cols.len();
        if width == 0 || rows.depth == 0 {
            return;
        }
        for (group, g) in rows.values.chunks(GROUP * rows.depth).zip(g.chunks(GROUP * width)) {
            for p in cols.start / LANES..cols.end.div_ceil(LANES) {
                // Lanes outside of `cols` have weight 0.
                let inside = (p * LANES).max(cols.start)..((p + 1) * LANES).min(cols.end);
                let lanes = inside.start - p * LANES..inside.end - p * LANES;
                let mut weights = [[0.0; LANES]; GROUP];
                for (weights, g) in weights.iter_mut().zip(g.chunks(width)) {
                    weights[lanes.clone()].copy_from_slice(&g[inside.start - cols.start..inside.end - cols.start]);
                }
                let coordinates = panels.panel(p).as_chunks::<LANES>().0;
                for (j, (y, sums)) in coordinates.iter().zip(sums.as_chunks_mut::<LANES>().0).enumerate() {
                    let mut own = *sums;
                    for (x, g) in group.iter().skip(j).step_by(rows.depth).zip(&weights) {
                        for ((sum, g), y) in own.iter_mut().zip(g).zip(y) {
                            *sum = T::weighted(*g, x - y, *sum);
                        }
                    }
                    *sums = own;
                }
            }
        }
    }
}

/// Σ terms of two points, in the same order and so with the same bits as in [`statistic`].
#[inline(always)]
pub(crate) fn pair<T: Term>(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (a, b)| T::add(sum, *a, *b))
}

#[cfg(test)]
mod tests {
    use super::super::blocks::{Difference, Product};
    use super::*;

    fn points(n: usize, d: usize) -> Vec<f64> {
        (0..n * d).map(|i| ((i * 7919) % 1013) as f64 / 97.0 - 5.0).collect()
    }

    #[test]
    fn tiles_have_the_bits_of_pairs() {
        for (n, d) in [(1, 1), (5, 3), (30, 50), (29, 700)] {
            let x = points(n, d);
            let panels = Panels::pack(&x, n, d);
            for cols in [0..n, n / 3..n, 0..n.div_ceil(2)] {
                let rows = RowSlice { values: &x, depth: d };
                let mut dots = vec![0.0; n * cols.len()];
                let mut distances = dots.clone();
                statistic::<Product>(rows, &panels, cols.clone(), &mut dots);
                statistic::<Difference>(rows, &panels, cols.clone(), &mut distances);
                for i in 0..n {
                    for (c, j) in cols.clone().enumerate() {
                        let (a, b) = (&x[i * d..(i + 1) * d], &x[j * d..(j + 1) * d]);
                        assert_eq!(dots[i * cols.len() + c], pair::<Product>(a, b));
                        assert_eq!(distances[i * cols.len() + c], pair::<Difference>(a, b));
                    }
                }
            }
        }
    }
}
