//! Sparse column points that are not so sparse, filled in.
//!
//! Adding to scattered places waits for each sum; where one coordinate in twenty or more is there, it is faster to run over all points of a
//! panel for every coordinate of the row. What is filled in is 0, and adding 0·x changes no sum, so the bits are those of the sparse form.
//!
//! Counts are whole numbers, and sums of their products are exact in any format that holds them. So they are computed in the shortest
//! one: a vector has four times as many lanes of 16 bits as of 64.

use std::ops::Range;

use crate::data::Csr;

use super::simd::dispatch;
use super::sparse::BLOCK;

/// Places for each entry up to which filling in pays; more in a short format, where a panel is that much faster.
const PLACES_PER_ENTRY: [usize; 3] = [40, 30, 20];
/// Places of a panel that stay in a near cache with what else is needed: rows take turns with a panel.
const MOST_COLUMNS: [usize; 3] = [8192, 4096, 4096];

/// The format in which products of two sets of points are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Whole numbers below 2¹⁵.
    Short,
    /// Whole numbers below 2²⁴, which `f32` holds.
    Single,
    /// Any numbers.
    Double,
}

impl Format {
    /// The shortest format in which every sum of products of a point of `x` with one of `y` is exact, or the longest. Parts of
    /// Σ xⱼyⱼ are at most ‖x‖‖y‖.
    pub(super) fn of(x: (&Csr, &[f64]), y: (&Csr, &[f64])) -> Self {
        let whole = |points: &Csr| (0..points.nrows()).all(|i| points.row(i).1.iter().all(|v| v.fract() == 0.0));
        let largest = |squares: &[f64]| squares.iter().fold(1.0f64, |a, s| a.max(*s)).sqrt();
        // A norm of less than 1 is 0, so that the product is also a bound of each coordinate.
        let bound = largest(x.1) * largest(y.1);
        match () {
            () if !(bound < 16_777_216.0 && whole(x.0) && whole(y.0)) => Format::Double,
            () if bound < 32_767.0 => Format::Short,
            () => Format::Single,
        }
    }
}

/// A block of points in panels, coordinate by coordinate.
#[derive(Debug)]
pub(super) struct Filled {
    values: Values,
    ncols: usize,
}

/// The coordinates of all panels.
#[derive(Debug)]
enum Values {
    Short(Vec<i16>),
    Single(Vec<f32>),
    Double(Vec<f64>),
}

/// A row in the format of the panels.
#[derive(Debug, Default)]
pub(super) struct Row {
    short: Vec<i16>,
    single: Vec<f32>,
}

impl Filled {
    /// Whether it is faster than the sparse form.
    pub(super) fn pays(points: &Csr, block: Range<usize>, format: Format) -> bool {
        let rows = || block.clone().map(|i| points.row(i));
        let entries: usize = rows().map(|(columns, _)| columns.len()).sum();
        // 0·∞ would not be 0.
        let finite = rows().all(|(_, values)| values.iter().all(|v| v.is_finite()));
        let (most, places) = (MOST_COLUMNS[format as usize], PLACES_PER_ENTRY[format as usize]);
        points.ncols() <= most && block.len() * points.ncols() <= places * entries && finite
    }

    pub(super) fn new(points: &Csr, block: Range<usize>, format: Format) -> Self {
        let values = match format {
            Format::Short => Values::Short(packed(points, block, SHORT_LANES, |v| v as i16)),
            Format::Single => Values::Single(packed(points, block, SINGLE_LANES, |v| v as f32)),
            Format::Double => Values::Double(packed(points, block, DOUBLE_LANES, |v| v)),
        };
        Filled { values, ncols: points.ncols() }
    }

    /// sums[p] = ⟨x, y_p⟩ for these points of the block, coordinates in increasing order. `row` is scratch space.
    pub(super) fn dots(&self, entries: (&[u32], &[f64]), points: Range<usize>, row: &mut Row, sums: &mut [f64; BLOCK]) {
        // A point may have coordinates that the columns lack.
        let known = entries.0.partition_point(|c| (*c as usize) < self.ncols);
        let (at, x) = (&entries.0[..known], &entries.1[..known]);
        match &self.values {
            Values::Short(values) => {
                row.short.clear();
                row.short.extend(x.iter().map(|v| *v as i16));
                let (size, row) = (SHORT_LANES * self.ncols, &row.short);
                each_panel(values, (size, SHORT_LANES), points, sums, |panel, out| short_dots(at, row, panel, out));
            }
            Values::Single(values) => {
                row.single.clear();
                row.single.extend(x.iter().map(|v| *v as f32));
                let (size, row) = (SINGLE_LANES * self.ncols, &row.single);
                each_panel(values, (size, SINGLE_LANES), points, sums, |panel, out| single_dots(at, row, panel, out));
            }
            Values::Double(values) => {
                let size = DOUBLE_LANES * self.ncols;
                each_panel(values, (size, DOUBLE_LANES), points, sums, |panel, out| double_dots(at, x, panel, out));
            }
        }
    }
}

/// Points in panels of so many.
fn packed<T: Copy + Default>(points: &Csr, block: Range<usize>, lanes: usize, convert: impl Fn(f64) -> T) -> Vec<T> {
    let ncols = points.ncols();
    let mut values = vec![T::default(); block.len().div_ceil(lanes) * lanes * ncols];
    for (at, i) in block.enumerate() {
        let start = at / lanes * lanes * ncols + at % lanes;
        let (columns, entries) = points.row(i);
        columns.iter().zip(entries).for_each(|(c, v)| values[start + *c as usize * lanes] = convert(*v));
    }
    values
}

/// Calls `dots` for the panels that hold these points.
fn each_panel<T>(
    values: &[T],
    (size, lanes): (usize, usize),
    points: Range<usize>,
    sums: &mut [f64; BLOCK],
    dots: impl Fn(&[T], &mut [f64]),
) {
    if size == 0 {
        return sums.fill(0.0);
    }
    for p in points.start / lanes..points.end.div_ceil(lanes) {
        let out = &mut sums[p * lanes..(p + 1) * lanes];
        match values.get(p * size..(p + 1) * size) {
            Some(panel) => dots(panel, out),
            None => out.fill(0.0),
        }
    }
}

/// The inner loop of a format: so many lanes, five or six vectors of sums, enough to keep the units busy.
macro_rules! panel_dots {
    ($name:ident, $number:ty, $lanes:ident = $count:literal, |$x:ident, $y:ident, $sum:ident| $term:expr) => {
        const $lanes: usize = $count;
        const _: () = assert!(BLOCK.is_multiple_of($lanes));

        dispatch! {
            /// out[l] = Σ xₖ·panel[k][l].
            pub(crate) fn $name(at: &[u32], x: &[$number], panel: &[$number], out: &mut [f64]) {
                let coordinates = panel.as_chunks::<$lanes>().0;
                let mut sums = [<$number>::default(); $lanes];
                for (c, x) in at.iter().zip(x) {
                    let y = &coordinates[*c as usize];
                    for l in 0..$lanes {
                        let ($x, $y, $sum) = (*x, y[l], sums[l]);
                        sums[l] = $term;
                    }
                }
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = f64::from(sum));
            }
        }
    };
}

// The sums of short numbers do not overflow: `Format::of` has looked.
panel_dots!(short_dots, i16, SHORT_LANES = 80, |x, y, sum| sum.wrapping_add(x.wrapping_mul(y)));
panel_dots!(single_dots, f32, SINGLE_LANES = 48, |x, y, sum| x.mul_add(y, sum));
panel_dots!(double_dots, f64, DOUBLE_LANES = 24, |x, y, sum| x.mul_add(y, sum));
