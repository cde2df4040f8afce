//! A row of the recursion with vectors of 256 bits: the same steps, to the same bits, as [`Row::walk`].
//!
//! Written by hand, since compilers vectorise four lanes of more than a few levels only in part.

use std::arch::x86_64::{
    __m256d, _mm256_add_pd, _mm256_and_pd, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_fmadd_pd, _mm256_loadu_pd,
    _mm256_loadu_si256, _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd,
};
use std::ops::Range;

use super::super::lanes::LANES;
use super::{AVX2, Cell, Number, Row, Values};

/// Walks with at most [`AVX2`] levels.
#[target_feature(enable = "avx2,fma")]
pub(super) fn walk<const V: usize>(row: &Row<'_, V>, levels: Range<usize>, cells: &mut [Cell<Values<V>>]) -> Values<V> {
    match levels.len() {
        1 => walk_with::<V, 1>(row, levels.start, cells),
        2 => walk_with::<V, 2>(row, levels.start, cells),
        3 => walk_with::<V, 3>(row, levels.start, cells),
        4 => walk_with::<V, 4>(row, levels.start, cells),
        5 => walk_with::<V, 5>(row, levels.start, cells),
        6 => walk_with::<V, 6>(row, levels.start, cells),
        7 => walk_with::<V, 7>(row, levels.start, cells),
        _ => walk_with::<V, AVX2>(row, levels.start, cells),
    }
}

/// A function of its own for each number of levels: merged into one, their sums would share memory instead of registers.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn walk_with<const V: usize, const LEVELS: usize>(
    row: &Row<'_, V>,
    bottom: usize,
    cells: &mut [Cell<Values<V>>],
) -> Values<V> {
    let (mut along, mut sum) = ([[_mm256_setzero_pd(); V]; LEVELS], [_mm256_setzero_pd(); V]);
    let decay = _mm256_set1_pd(row.decay);
    for (b, at) in row.second.iter().zip((0..).step_by(row.width)) {
        let (earlier, here) = cells[at..at + 2 * row.width].split_at_mut(row.width);
        let (below, earlier) = earlier.split_at_mut(bottom);
        let (earlier, here) = (&mut earlier[..LEVELS], &here[bottom..bottom + LEVELS]);
        let below = below.last().map_or(&Values::ONE, |below| &below.0);
        for v in 0..V {
            let mask = same(&row.letter[v], &b[v]);
            sum[v] = _mm256_add_pd(sum[v], _mm256_and_pd(mask, load(&earlier[LEVELS - 1].0[v])));
            for level in (0..LEVELS).rev() {
                let under = if level > 0 { &earlier[level - 1].0 } else { below };
                along[level][v] = _mm256_fmadd_pd(decay, along[level][v], _mm256_and_pd(mask, load(&under[v])));
                store(_mm256_fmadd_pd(decay, load(&here[level].0[v]), along[level][v]), &mut earlier[level].0[v]);
            }
        }
    }
    let mut total = Values::ZERO;
    for v in 0..V {
        store(sum[v], &mut total[v]);
    }
    total
}

/// All bits where two letters are the same, none elsewhere.
#[inline]
#[target_feature(enable = "avx2")]
fn same(a: &[u64; LANES], b: &[u64; LANES]) -> __m256d {
    // SAFETY: letters of all lanes have the 32 bytes that are read.
    let [a, b] = [a, b].map(|letters| unsafe { _mm256_loadu_si256(letters.as_ptr().cast()) });
    _mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(values: &[f64; LANES]) -> __m256d {
    // SAFETY: numbers of all lanes have the 32 bytes that are read.
    unsafe { _mm256_loadu_pd(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(vector: __m256d, values: &mut [f64; LANES]) {
    // SAFETY: numbers of all lanes have the 32 bytes that are written.
    unsafe { _mm256_storeu_pd(values.as_mut_ptr(), vector) };
}
