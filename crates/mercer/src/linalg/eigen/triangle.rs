//! The product of a symmetric matrix with a vector, from its lower triangle, which is read once.

use std::ops::Range;

use crate::linalg::simd;

/// Parts of the product at most; a function of the size alone, so that sums do not depend on threads.
pub(super) const PARTS: usize = 8;
/// Rows from which on there are some parts, and from which on there are all.
const SOME: usize = 256;
const MANY: usize = 1024;

/// Parts for so many rows: each has sums of its own, which cost something.
pub(super) fn parts(m: usize) -> usize {
    match m {
        ..SOME => 1,
        SOME..MANY => PARTS / 2,
        _ => PARTS,
    }
}

/// The first column of a part such that all parts have equally many entries of the triangle.
pub(super) fn begin(part: usize, m: usize) -> usize {
    let share = part as f64 / parts(m) as f64;
    if part == parts(m) { m } else { ((1.0 - (1.0 - share).sqrt()) * m as f64) as usize }
}

/// What a part contributes to A·x, in the rows from its first column on; columns are `stride` apart.
pub(super) fn multiply(a: &[f64], stride: usize, part: usize, x: &[f64], sums: &mut [f64]) {
    let columns = begin(part, x.len())..begin(part + 1, x.len());
    sums[columns.start..].fill(0.0);
    multiply_columns(a, stride, columns, x, sums);
}

#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (sums, ends) = products::<16>(a, b);
    sums.iter().sum::<f64>() + ends
}

/// The products of two vectors in so many sums, and those of what is left at the end.
#[inline(always)]
pub(super) fn products<const SUMS: usize>(a: &[f64], b: &[f64]) -> ([f64; SUMS], f64) {
    let mut sums = [0.0f64; SUMS];
    let (a, b) = (a.chunks_exact(SUMS), b.chunks_exact(SUMS));
    let ends: f64 = a.remainder().iter().zip(b.remainder()).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
    for (a, b) in a.zip(b) {
        for l in 0..SUMS {
            sums[l] = a[l].mul_add(b[l], sums[l]);
        }
    }
    (sums, ends)
}

/// out ← out + w·a.
#[inline(always)]
pub(super) fn add(out: &mut [f64], w: f64, a: &[f64]) {
    out.iter_mut().zip(a).for_each(|(out, a)| *out = w.mul_add(*a, *out));
}

simd::dispatch! {
    /// Adds what some columns of the triangle, and the same rows above it, contribute to A·x.
    pub(crate) fn multiply_columns(a: &[f64], stride: usize, columns: Range<usize>, x: &[f64], out: &mut [f64]) {
        const FOUR: usize = 4;
        let (m, mut j) = (x.len(), columns.start);
        while j + FOUR <= columns.end {
            let own: [&[f64]; FOUR] = std::array::from_fn(|c| &a[(j + c) * stride..(j + c) * stride + m]);
            for c in 0..FOUR {
                out[j + c] = own[c][j + c].mul_add(x[j + c], out[j + c]);
                for r in c + 1..FOUR {
                    out[j + r] = own[c][j + r].mul_add(x[j + c], out[j + r]);
                    out[j + c] = own[c][j + r].mul_add(x[j + r], out[j + c]);
                }
            }
            let first = j + FOUR;
            let weights: [f64; FOUR] = std::array::from_fn(|c| x[j + c]);
            let sums = four_columns(own.map(|own| &own[first..]), weights, &x[first..], &mut out[first..]);
            sums.iter().enumerate().for_each(|(c, sum)| out[j + c] += sum);
            j += FOUR;
        }
        for j in j..columns.end {
            let own = &a[j * stride + j..j * stride + m];
            let sum = dot(&own[1..], &x[j + 1..]);
            out[j] += own[0].mul_add(x[j], sum);
            add(&mut out[j + 1..], x[j], &own[1..]);
        }
    }
}

/// out ← out + Σ wc·ac, and the sums ⟨ac, x⟩, of four columns that are read once.
#[inline(always)]
fn four_columns(a: [&[f64]; 4], w: [f64; 4], x: &[f64], out: &mut [f64]) -> [f64; 4] {
    const LANES: usize = 4;
    let whole = x.len() / LANES * LANES;
    let mut sums = [[0.0f64; LANES]; 4];
    let [a0, a1, a2, a3] = a.map(|a| a[..whole].chunks_exact(LANES));
    let rows = x[..whole].chunks_exact(LANES).zip(out[..whole].chunks_exact_mut(LANES));
    for (((((x, out), a0), a1), a2), a3) in rows.zip(a0).zip(a1).zip(a2).zip(a3) {
        for l in 0..LANES {
            let mut sum = a0[l].mul_add(w[0], out[l]);
            sum = a1[l].mul_add(w[1], sum);
            sum = a2[l].mul_add(w[2], sum);
            out[l] = a3[l].mul_add(w[3], sum);
            sums[0][l] = a0[l].mul_add(x[l], sums[0][l]);
            sums[1][l] = a1[l].mul_add(x[l], sums[1][l]);
            sums[2][l] = a2[l].mul_add(x[l], sums[2][l]);
            sums[3][l] = a3[l].mul_add(x[l], sums[3][l]);
        }
    }
    let mut totals = sums.map(|sums| sums.iter().sum::<f64>());
    for r in whole..x.len() {
        for c in 0..4 {
            out[r] = a[c][r].mul_add(w[c], out[r]);
            totals[c] = a[c][r].mul_add(x[r], totals[c]);
        }
    }
    totals
}
