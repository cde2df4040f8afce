//! The sums of a few rows with a few panels, in the registers of one kind of processor.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256d, __m512d};

use super::simd::{Arithmetic, Portable, Vector};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};

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

/// What is made of the sums of a block before they are stored, while they are in registers.
pub(crate) trait Finish {
    /// The sums of row `r` with the points of some vectors, of which the first stands at `place`.
    fn row<V: Vector, const W: usize>(&mut self, r: usize, place: usize, sums: &mut [V; W]);
}

/// Sums that are wanted as they are.
pub(crate) struct AsTheyAre;

impl Finish for AsTheyAre {
    #[inline(always)]
    fn row<V: Vector, const W: usize>(&mut self, _r: usize, _place: usize, _sums: &mut [V; W]) {}
}

/// Below this share of ‖x‖² + ‖y‖² a squared distance is computed again from the differences. The
/// expanded square is wrong by a few ulp of that sum, so what is kept has at least twelve digits.
const NEAR: f64 = 1e-3;

/// Whether a squared distance has lost digits. Also true where all three are 0, so that a point at the centre is not left to chance.
#[inline(always)]
pub(crate) fn is_near(s: f64, squares: f64) -> bool {
    s <= NEAR * squares
}

/// Squared distances of one row that [have lost digits](is_near), again: `exact` of their columns.
#[cold]
pub(crate) fn mend(xx: f64, yy: &[f64], row: &mut [f64], exact: impl Fn(usize) -> f64) {
    for (c, (s, yy)) in row.iter_mut().zip(yy).enumerate() {
        if is_near(*s, xx + yy) {
            *s = exact(c);
        }
    }
}

/// Sums become ‖x‖² + ‖y‖² − 2⟨x, y⟩.
pub(crate) struct Expand<'a> {
    /// ‖x‖² of the rows, ‖y‖² of the points.
    pub(crate) xx: &'a [f64],
    pub(crate) yy: &'a [f64],
    /// Bit r says whether some distance [is near](is_near) in row r.
    pub(crate) near: u8,
}

impl Finish for Expand<'_> {
    #[inline(always)]
    fn row<V: Vector, const W: usize>(&mut self, r: usize, place: usize, sums: &mut [V; W]) {
        let (xx, yy) = (V::splat(self.xx[r]), &self.yy[place..place + W * V::LEN]);
        let mut bounds = [V::splat(0.0); W];
        for (w, (sum, bound)) in sums.iter_mut().zip(&mut bounds).enumerate() {
            // SAFETY: `yy` was cut to W vectors.
            let squares = xx.plus(unsafe { V::load(yy.as_ptr().add(w * V::LEN)) });
            *sum = V::splat(-2.0).times_plus(*sum, squares);
            *bound = V::splat(NEAR).times(squares);
        }
        self.near |= u8::from(V::any_at_most(sums, &bounds)) << r;
    }
}

const _: () = assert!(GROUP <= 8, "a bit for every row");

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
    fn block<T: Term, F: Finish>(rows: RowSlice<'_>, panels: &[f64], together: usize, out: Sums<'_, F>);
}

/// Where the sums of a block go, and as what.
pub(crate) struct Sums<'a, F> {
    pub(crate) values: &'a mut [f64],
    pub(crate) stride: usize,
    pub(crate) finish: &'a mut F,
    /// Which of the points that `finish` knows is the first.
    pub(crate) place: usize,
}

impl<F> Sums<'_, F> {
    #[inline(always)]
    fn row(&mut self, r: usize, len: usize) -> &mut [f64] {
        &mut self.values[r * self.stride..r * self.stride + len]
    }
}

impl Blocks for Portable {
    const PANELS: usize = 1;

    #[inline(always)]
    fn block<T: Term, F: Finish>(rows: RowSlice<'_>, panels: &[f64], _together: usize, mut out: Sums<'_, F>) {
        for (r, row) in rows.values.chunks_exact(rows.depth).enumerate() {
            let mut lanes = [0.0; LANES];
            for (x, y) in row.iter().zip(panels.chunks_exact(LANES)) {
                lanes.iter_mut().zip(y).for_each(|(sum, y)| *sum = T::add(*sum, *x, *y));
            }
            out.finish.row(r, out.place, &mut lanes);
            out.row(r, LANES).copy_from_slice(&lanes);
        }
    }
}

/// 6 × 2 sums, the coordinates of a panel and of a row fill the sixteen registers.
#[cfg(target_arch = "x86_64")]
impl Blocks for Avx2 {
    const PANELS: usize = 1;

    #[inline(always)]
    fn block<T: Term, F: Finish>(rows: RowSlice<'_>, panels: &[f64], _together: usize, out: Sums<'_, F>) {
        #[target_feature(enable = "avx2,fma,popcnt")]
        fn sums<T: Term, F: Finish>(rows: RowSlice<'_>, panels: &[f64], out: Sums<'_, F>) {
            by_rows::<__m256d, T, F, 2>(rows, panels, out);
        }
        // SAFETY: this type is named only where the processor has these instructions.
        unsafe { sums::<T, F>(rows, panels, out) }
    }
}

/// 6 × 4 sums, the coordinates of four panels and of a row take 29 of the 32 registers. A row's coordinate is loaded
/// once for four products, so that two loads a cycle keep two multiply-add units busy.
#[cfg(target_arch = "x86_64")]
impl Blocks for Avx512 {
    const PANELS: usize = 4;

    #[inline(always)]
    fn block<T: Term, F: Finish>(rows: RowSlice<'_>, panels: &[f64], together: usize, out: Sums<'_, F>) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,popcnt")]
        fn sums<T: Term, F: Finish>(rows: RowSlice<'_>, panels: &[f64], together: usize, out: Sums<'_, F>) {
            match together {
                4 => by_rows::<__m512d, T, F, 4>(rows, panels, out),
                3 => by_rows::<__m512d, T, F, 3>(rows, panels, out),
                2 => by_rows::<__m512d, T, F, 2>(rows, panels, out),
                _ => by_rows::<__m512d, T, F, 1>(rows, panels, out),
            }
        }
        // SAFETY: this type is named only where the processor has these instructions.
        unsafe { sums::<T, F>(rows, panels, together, out) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn by_rows<V: Vector, T: Term, F: Finish, const W: usize>(rows: RowSlice<'_>, panels: &[f64], out: Sums<'_, F>) {
    const { assert!(GROUP == 6, "there is a case for every number of rows") };
    match rows.values.len() / rows.depth {
        6 => sums::<V, T, F, 6, W>(rows, panels, out),
        5 => sums::<V, T, F, 5, W>(rows, panels, out),
        4 => sums::<V, T, F, 4, W>(rows, panels, out),
        3 => sums::<V, T, F, 3, W>(rows, panels, out),
        2 => sums::<V, T, F, 2, W>(rows, panels, out),
        _ => sums::<V, T, F, 1, W>(rows, panels, out),
    }
}

/// The statistics of R rows with W vectors of points, which stand in neighbouring panels.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sums<V: Vector, T: Term, F: Finish, const R: usize, const W: usize>(
    rows: RowSlice<'_>,
    panels: &[f64],
    mut out: Sums<'_, F>,
) {
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
    for (r, sums) in sums.iter_mut().enumerate() {
        out.finish.row(r, out.place, sums);
        let place = out.row(r, W * V::LEN);
        for (w, sum) in sums.iter().enumerate() {
            // SAFETY: the row of the target has W vectors.
            unsafe { sum.store(place.as_mut_ptr().add(w * V::LEN)) };
        }
    }
}
