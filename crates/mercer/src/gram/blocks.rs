//! The sums of a few rows with a few panels, in the registers of one kind of processor.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256d, __m512d};

use super::simd::{Arithmetic, Portable};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512, Vector};

/// Points in a panel: two vectors of four, or one of eight.
pub(crate) const LANES: usize = 8;
/// Rows that are worked on together. Gradients are added up in this order, so that another number gives other bits.
pub(crate) const GROUP: usize = 6;

/// How a coordinate of two points enters their statistic.
pub(crate) trait Term {
    fn add<A: Arithmetic>(sum: A, x: A, y: A) -> A;
}

/// Σ xⱼyⱼ.
pub(crate) struct Product;

impl Term for Product {
    #[inline(always)]
    fn add<A: Arithmetic>(sum: A, x: A, y: A) -> A {
        x.times_plus(y, sum)
    }
}

/// Σ |xⱼ − yⱼ|.
pub(crate) struct Difference;

impl Term for Difference {
    #[inline(always)]
    fn add<A: Arithmetic>(sum: A, x: A, y: A) -> A {
        sum.plus(x.minus(y).magnitude())
    }
}

/// Rows of points: row-major, d coordinates each.
#[derive(Clone, Copy)]
pub(crate) struct RowSlice<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) depth: usize,
}

/// Inner loops of [`statistic`](super::panel::statistic). Every sum has a lane of its own and adds its terms in the
/// order of coordinates, so that all give the same bits.
pub(crate) trait Blocks {
    /// The most panels of a block.
    const PANELS: usize;

    /// The statistics of up to [`GROUP`] rows with the points of the first `together` of `panels`.
    fn block<T: Term>(rows: RowSlice<'_>, panels: &[f64], together: usize, out: Sums<'_>);
}

/// Where the sums of a block go.
pub(crate) struct Sums<'a> {
    pub(crate) values: &'a mut [f64],
    pub(crate) stride: usize,
}

impl Sums<'_> {
    #[inline(always)]
    fn row(&mut self, r: usize, len: usize) -> &mut [f64] {
        &mut self.values[r * self.stride..r * self.stride + len]
    }
}

impl Blocks for Portable {
    const PANELS: usize = 1;

    #[inline(always)]
    fn block<T: Term>(rows: RowSlice<'_>, panels: &[f64], _together: usize, mut out: Sums<'_>) {
        for (r, row) in rows.values.chunks_exact(rows.depth).enumerate() {
            let mut lanes = [0.0; LANES];
            for (x, y) in row.iter().zip(panels.chunks_exact(LANES)) {
                lanes.iter_mut().zip(y).for_each(|(sum, y)| *sum = T::add(*sum, *x, *y));
            }
            out.row(r, LANES).copy_from_slice(&lanes);
        }
    }
}

/// 6 × 2 sums, the coordinates of a panel and of a row fill the sixteen registers.
#[cfg(target_arch = "x86_64")]
impl Blocks for Avx2 {
    const PANELS: usize = 1;

    #[inline(always)]
    fn block<T: Term>(rows: RowSlice<'_>, panels: &[f64], _together: usize, out: Sums<'_>) {
        #[target_feature(enable = "avx2,fma,popcnt")]
        fn sums<T: Term>(rows: RowSlice<'_>, panels: &[f64], out: Sums<'_>) {
            by_rows::<__m256d, T, 2>(rows, panels, out);
        }
        // SAFETY: this type is named only where the processor has these instructions.
        unsafe { sums::<T>(rows, panels, out) }
    }
}

/// 6 × 4 sums, the coordinates of four panels and of a row take 29 of the 32 registers. A row's coordinate is loaded
/// once for four products, so that two loads a cycle keep two multiply-add units busy.
#[cfg(target_arch = "x86_64")]
impl Blocks for Avx512 {
    const PANELS: usize = 4;

    #[inline(always)]
    fn block<T: Term>(rows: RowSlice<'_>, panels: &[f64], together: usize, out: Sums<'_>) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,popcnt")]
        fn sums<T: Term>(rows: RowSlice<'_>, panels: &[f64], together: usize, out: Sums<'_>) {
            match together {
                4 => by_rows::<__m512d, T, 4>(rows, panels, out),
                3 => by_rows::<__m512d, T, 3>(rows, panels, out),
                2 => by_rows::<__m512d, T, 2>(rows, panels, out),
                _ => by_rows::<__m512d, T, 1>(rows, panels, out),
            }
        }
        // SAFETY: this type is named only where the processor has these instructions.
        unsafe { sums::<T>(rows, panels, together, out) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn by_rows<V: Vector, T: Term, const W: usize>(rows: RowSlice<'_>, panels: &[f64], out: Sums<'_>) {
    const { assert!(GROUP == 6, "there is a case for every number of rows") };
    match rows.values.len() / rows.depth {
        6 => sums::<V, T, 6, W>(rows, panels, out),
        5 => sums::<V, T, 5, W>(rows, panels, out),
        4 => sums::<V, T, 4, W>(rows, panels, out),
        3 => sums::<V, T, 3, W>(rows, panels, out),
        2 => sums::<V, T, 2, W>(rows, panels, out),
        _ => sums::<V, T, 1, W>(rows, panels, out),
    }
}

/// The statistics of R rows with W vectors of points, which stand in neighbouring panels.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sums<V: Vector, T: Term, const R: usize, const W: usize>(rows: RowSlice<'_>, panels: &[f64], mut out: Sums<'_>) {
    let depth = rows.depth;
    assert!(rows.values.len() >= R * depth && panels.len() >= W * V::LEN * depth, "the loop stays inside of both");
    // Vector w of a coordinate: its panel, and its place in the panel.
    let start = |w: usize| w * V::LEN / LANES * LANES * depth + w * V::LEN % LANES;
    let mut sums = [[V::splat(0.0); W]; R];
    for k in 0..depth {
        let mut y = [V::splat(0.0); W];
        for (w, y) in y.iter_mut().enumerate() {
            // SAFETY: k < depth, and the lengths were checked above.
            *y = unsafe { V::load(panels.as_ptr().add(start(w) + k * LANES)) };
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: as above.
            let x = V::splat(unsafe { *rows.values.as_ptr().add(r * depth + k) });
            // By reference: what an iterator drops would be a call in builds of many units.
            for (sum, y) in sums.iter_mut().zip(&y) {
                *sum = T::add(*sum, x, *y);
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        let place = out.row(r, W * V::LEN);
        for (w, sum) in sums.iter().enumerate() {
            // SAFETY: the row of the target has W vectors.
            unsafe { sum.store(place.as_mut_ptr().add(w * V::LEN)) };
        }
    }
}
