//! Points laid out for the inner loops, and those loops.
//!
//! Row points stay row-major; column points are packed in panels of [`LANES`] points, coordinate
//! by coordinate, so that one vector holds the same coordinate of several points. A statistic of
//! a few rows with a panel then runs at the speed of the multiply-add units, and nothing is
//! packed per tile.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256d, _mm256_add_pd, _mm256_andnot_pd, _mm256_broadcast_sd, _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_set1_pd,
    _mm256_setzero_pd, _mm256_storeu_pd, _mm256_sub_pd,
};
use std::ops::Range;

/// Points in a panel: two vectors of four.
pub(crate) const LANES: usize = 8;
/// Rows that are worked on together: 6 × 2 sums, the coordinates of a panel and of a row fill the
/// sixteen vector registers.
pub(crate) const GROUP: usize = 6;

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

    /// [`add`](Self::add) for four points at a time.
    #[cfg(target_arch = "x86_64")]
    unsafe fn add_four(sum: __m256d, x: __m256d, y: __m256d) -> __m256d;
}

/// Σ xⱼyⱼ.
pub(crate) struct Product;

impl Term for Product {
    #[inline(always)]
    fn add(sum: f64, x: f64, y: f64) -> f64 {
        x.mul_add(y, sum)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn add_four(sum: __m256d, x: __m256d, y: __m256d) -> __m256d {
        _mm256_fmadd_pd(x, y, sum)
    }
}

/// Σ |xⱼ − yⱼ|.
pub(crate) struct Difference;

impl Term for Difference {
    #[inline(always)]
    fn add(sum: f64, x: f64, y: f64) -> f64 {
        sum + (x - y).abs()
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn add_four(sum: __m256d, x: __m256d, y: __m256d) -> __m256d {
        let without_sign = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(x, y));
        _mm256_add_pd(sum, without_sign)
    }
}

/// Rows of points: row-major, d coordinates each.
#[derive(Clone, Copy)]
pub(crate) struct RowSlice<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) depth: usize,
}

/// out[r][c] = Σ terms of row r and point cols.start + c, added in the order of coordinates.
///
/// `out` is row-major with as many columns as `cols` has points.
pub(crate) fn statistic<T: Term>(rows: RowSlice<'_>, panels: &Panels, cols: Range<usize>, out: &mut [f64]) {
    if cols.is_empty() || rows.depth == 0 {
        out.fill(0.0);
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has just been found to have these instructions.
        unsafe { with_avx2::<T>(rows, panels, cols, out) };
        return;
    }
    portable::<T>(rows, panels, cols, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<T: Term>(rows: RowSlice<'_>, panels: &Panels, cols: Range<usize>, out: &mut [f64]) {
    let depth = rows.depth;
    each_panel(rows, panels, cols, out, |group, panel, sums| match group.len() / depth {
        // SAFETY: this function runs only where the processor has these instructions.
        6 => unsafe { sums_avx2::<T, 6>(group, panel, depth, sums) },
        5 => unsafe { sums_avx2::<T, 5>(group, panel, depth, sums) },
        4 => unsafe { sums_avx2::<T, 4>(group, panel, depth, sums) },
        3 => unsafe { sums_avx2::<T, 3>(group, panel, depth, sums) },
        2 => unsafe { sums_avx2::<T, 2>(group, panel, depth, sums) },
        _ => unsafe { sums_avx2::<T, 1>(group, panel, depth, sums) },
    });
}

fn portable<T: Term>(rows: RowSlice<'_>, panels: &Panels, cols: Range<usize>, out: &mut [f64]) {
    each_panel(rows, panels, cols, out, |group, panel, mut sums| {
        for (r, row) in group.chunks_exact(rows.depth).enumerate() {
            let mut lanes = [0.0; LANES];
            for (x, y) in row.iter().zip(panel.chunks_exact(LANES)) {
                lanes.iter_mut().zip(y).for_each(|(sum, y)| *sum = T::add(*sum, *x, *y));
            }
            sums.row(r).copy_from_slice(&lanes);
        }
    });
}

/// Where the sums of a few rows with one panel go.
struct Sums<'a> {
    values: &'a mut [f64],
    stride: usize,
}

impl Sums<'_> {
    #[inline(always)]
    fn row(&mut self, r: usize) -> &mut [f64] {
        &mut self.values[r * self.stride..r * self.stride + LANES]
    }
}

/// Calls `sums` for each group of rows and each panel that `cols` touches. A panel that reaches
/// over an end of `cols` is computed aside, and the part inside is copied.
#[inline(always)]
fn each_panel(
    rows: RowSlice<'_>,
    panels: &Panels,
    cols: Range<usize>,
    out: &mut [f64],
    sums: impl Fn(&[f64], &[f64], Sums<'_>),
) {
    let width = cols.len();
    for (group, strip) in rows.values.chunks(GROUP * rows.depth).zip(out.chunks_mut(GROUP * width)) {
        for p in cols.start / LANES..cols.end.div_ceil(LANES) {
            let first = p * LANES;
            if first >= cols.start && first + LANES <= cols.end {
                sums(group, panels.panel(p), Sums { values: &mut strip[first - cols.start..], stride: width });
                continue;
            }
            let mut aside = [0.0; GROUP * LANES];
            sums(group, panels.panel(p), Sums { values: &mut aside, stride: LANES });
            let inside = first.max(cols.start)..(first + LANES).min(cols.end);
            for (row, aside) in strip.chunks_mut(width).zip(aside.chunks(LANES)) {
                let place = inside.start - cols.start..inside.end - cols.start;
                row[place].copy_from_slice(&aside[inside.start - first..inside.end - first]);
            }
        }
    }
}

/// The statistics of R rows with the points of one panel.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn sums_avx2<T: Term, const R: usize>(rows: &[f64], panel: &[f64], depth: usize, mut out: Sums<'_>) {
    assert!(rows.len() >= R * depth && panel.len() >= LANES * depth, "the loop stays inside rows and panel");
    let mut sums = [[_mm256_setzero_pd(); 2]; R];
    for k in 0..depth {
        // SAFETY: k < depth, and the lengths were checked above.
        unsafe {
            let y = panel.as_ptr().add(k * LANES);
            let (low, high) = (_mm256_loadu_pd(y), _mm256_loadu_pd(y.add(4)));
            for (r, sum) in sums.iter_mut().enumerate() {
                let x = _mm256_broadcast_sd(&*rows.as_ptr().add(r * depth + k));
                sum[0] = T::add_four(sum[0], x, low);
                sum[1] = T::add_four(sum[1], x, high);
            }
        }
    }
    for (r, sum) in sums.iter().enumerate() {
        let place = out.row(r);
        // SAFETY: a row of the target has eight slots.
        unsafe {
            _mm256_storeu_pd(place.as_mut_ptr(), sum[0]);
            _mm256_storeu_pd(place.as_mut_ptr().add(4), sum[1]);
        }
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

super::simd::dispatch! {
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
                let mut plain = dots.clone();
                portable::<Product>(rows, &panels, cols.clone(), &mut plain);
                assert_eq!(plain, dots);
                portable::<Difference>(rows, &panels, cols.clone(), &mut plain);
                assert_eq!(plain, distances);
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
