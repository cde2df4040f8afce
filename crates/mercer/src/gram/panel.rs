//! Points laid out for the inner loops, and those loops.
//!
//! Row points stay row-major; column points are packed in panels of [`LANES`] points, coordinate
//! by coordinate, so that one vector holds the same coordinate of several points. A statistic of
//! a few rows with a panel then runs at the speed of the multiply-add units, and nothing is
//! packed per tile.

use std::ops::Range;

use super::simd::dispatch;

/// Points in a panel: three vectors of four.
pub(crate) const LANES: usize = 12;
/// Rows that are worked on together: 4 × 3 accumulators fill the vector registers.
const GROUP: usize = 4;

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

    /// Panel number `p`.
    pub(crate) fn panel(&self, p: usize) -> &[f64] {
        &self.values[p * LANES * self.depth..(p + 1) * LANES * self.depth]
    }
}

/// How a coordinate of two points enters their statistic.
pub(crate) trait Term {
    fn add(sum: f64, x: f64, y: f64) -> f64;
}

/// Σ xⱼyⱼ.
pub(crate) struct Product;

impl Term for Product {
    #[inline(always)]
    fn add(sum: f64, x: f64, y: f64) -> f64 {
        x.mul_add(y, sum)
    }
}

/// Σ |xⱼ − yⱼ|.
pub(crate) struct Difference;

impl Term for Difference {
    #[inline(always)]
    fn add(sum: f64, x: f64, y: f64) -> f64 {
        sum + (x - y).abs()
    }
}

/// Rows of points: row-major, d coordinates each.
#[derive(Clone, Copy)]
pub(crate) struct RowSlice<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) depth: usize,
}

dispatch! {
    /// out[r][c] = Σ terms of row r and point cols.start + c, added in the order of coordinates.
    ///
    /// `out` is row-major with as many columns as `cols` has points.
    pub(crate) fn statistic<T: Term>(rows: RowSlice<'_>, panels: &Panels, cols: Range<usize>, out: &mut [f64]) {
        let width = cols.len();
        if width == 0 || rows.depth == 0 {
            out.fill(0.0);
            return;
        }
        for (group, strip) in rows.values.chunks(GROUP * rows.depth).zip(out.chunks_mut(GROUP * width)) {
            for p in cols.start / LANES..cols.end.div_ceil(LANES) {
                let panel = panels.panel(p);
                match group.len() / rows.depth {
                    4 => place(sums::<T, 4>(group, panel, rows.depth), p, &cols, strip),
                    3 => place(sums::<T, 3>(group, panel, rows.depth), p, &cols, strip),
                    2 => place(sums::<T, 2>(group, panel, rows.depth), p, &cols, strip),
                    _ => place(sums::<T, 1>(group, panel, rows.depth), p, &cols, strip),
                }
            }
        }
    }
}

/// The statistics of R rows with the points of one panel.
#[inline(always)]
fn sums<T: Term, const R: usize>(rows: &[f64], panel: &[f64], depth: usize) -> [[f64; LANES]; R] {
    let mut sums = [[0.0; LANES]; R];
    let rows: [&[f64]; R] = std::array::from_fn(|r| &rows[r * depth..(r + 1) * depth]);
    for (k, y) in panel.chunks_exact(LANES).enumerate().take(depth) {
        for r in 0..R {
            // SAFETY: each row has `depth` coordinates and k < depth.
            let x = unsafe { *rows[r].get_unchecked(k) };
            for lane in 0..LANES {
                sums[r][lane] = T::add(sums[r][lane], x, y[lane]);
            }
        }
    }
    sums
}

/// Puts the sums of panel `p` where they belong; a panel may reach over either end of `cols`.
#[inline(always)]
fn place<const R: usize>(sums: [[f64; LANES]; R], p: usize, cols: &Range<usize>, strip: &mut [f64]) {
    let width = cols.len();
    let first = p * LANES;
    if first >= cols.start && first + LANES <= cols.end {
        let offset = first - cols.start;
        for r in 0..R {
            strip[r * width + offset..r * width + offset + LANES].copy_from_slice(&sums[r]);
        }
        return;
    }
    for lane in 0..LANES {
        if cols.contains(&(first + lane)) {
            for r in 0..R {
                strip[r * width + first + lane - cols.start] = sums[r][lane];
            }
        }
    }
}

/// Σ terms of two points, in the same order and so with the same bits as in [`statistic`].
pub(crate) fn pair<T: Term>(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (a, b)| T::add(sum, *a, *b))
}

#[cfg(test)]
mod tests {
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
