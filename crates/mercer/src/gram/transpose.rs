//! Transposing a tile.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _mm256_loadu_pd, _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd,
};

/// Side of the squares that are transposed in registers.
const SQUARE: usize = 4;

/// out = tileᵀ, for a row-major tile of nrows×ncols.
pub(crate) fn transpose(tile: &[f64], nrows: usize, ncols: usize, out: &mut [f64]) {
    assert!(tile.len() == nrows * ncols && out.len() == tile.len(), "a tile and its transpose have one size");
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been found to have these instructions.
        unsafe { with_avx2(tile, nrows, ncols, out) };
        return;
    }
    scalar(tile, ncols, 0..nrows, 0..ncols, out);
}

fn scalar(tile: &[f64], ncols: usize, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>, out: &mut [f64]) {
    let nrows = tile.len() / ncols.max(1);
    for r in rows {
        for c in cols.clone() {
            out[c * nrows + r] = tile[r * ncols + c];
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(tile: &[f64], nrows: usize, ncols: usize, out: &mut [f64]) {
    let (whole_rows, whole_cols) = (nrows / SQUARE * SQUARE, ncols / SQUARE * SQUARE);
    for r in (0..whole_rows).step_by(SQUARE) {
        for c in (0..whole_cols).step_by(SQUARE) {
            // SAFETY: the square lies inside the tile, and its transpose inside `out`.
            unsafe { square(tile.as_ptr().add(r * ncols + c), ncols, out.as_mut_ptr().add(c * nrows + r), nrows) };
        }
    }
    scalar(tile, ncols, whole_rows..nrows, 0..ncols, out);
    scalar(tile, ncols, 0..whole_rows, whole_cols..ncols, out);
}

/// Transposes 4×4 numbers from rows `stride` apart to rows `out_stride` apart.
///
/// # Safety
/// All sixteen places must be readable, and writable in the target.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn square(from: *const f64, stride: usize, to: *mut f64, out_stride: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        let (a, b) = (_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(stride)));
        let (c, d) = (_mm256_loadu_pd(from.add(2 * stride)), _mm256_loadu_pd(from.add(3 * stride)));
        let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        _mm256_storeu_pd(to, _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
        _mm256_storeu_pd(to.add(out_stride), _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
        _mm256_storeu_pd(to.add(2 * out_stride), _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
        _mm256_storeu_pd(to.add(3 * out_stride), _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_finds_its_place() {
        for (nrows, ncols) in [(1, 1), (4, 4), (7, 3), (240, 240), (13, 30)] {
            let tile: Vec<f64> = (0..nrows * ncols).map(|i| i as f64).collect();
            let mut out = vec![f64::NAN; tile.len()];
            transpose(&tile, nrows, ncols, &mut out);
            assert!((0..tile.len()).all(|i| out[i % ncols * nrows + i / ncols] == tile[i]));
            let mut plain = vec![f64::NAN; tile.len()];
            scalar(&tile, ncols, 0..nrows, 0..ncols, &mut plain);
            assert_eq!(plain, out);
        }
    }
}
