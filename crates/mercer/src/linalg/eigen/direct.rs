//! One stage: from a full matrix to three diagonals at once, T = Qᵀ·A·Q.
//!
//! Half of the work is products of the matrix with one vector, which wait for memory. But there is only one Q to go back
//! through, so where vectors are wanted this is the faster way (Dongarra, Hammarling and Sorensen 1989, Block reduction of
//! matrices to condensed forms, section 2: reflectors are gathered to A ← A − V·Wᵀ − W·Vᵀ for a panel of them).

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::simd;

use super::steps::Steps;
use super::tiles::subtract;
use super::{ALTERNATIVE, Tridiagonal, filled};

/// Columns of a panel.
const PANEL: usize = 32;
/// Parts of the product of the matrix with a vector, of equal size; a constant, so that sums do not depend on threads.
const PARTS: usize = 8;
/// Rows below which threads cost more than they bring.
const FEW: usize = 256;
/// Below this part of the largest entry, squares are no longer exact and the entries are nothing beside rounding.
const NOTHING: f64 = 1e-280;

/// How many steps there are.
pub(super) fn steps(n: usize) -> u64 {
    panels(n).count() as u64
}

/// Where panels begin.
fn panels(n: usize) -> impl Iterator<Item = usize> {
    (0..n.saturating_sub(2)).step_by(PANEL)
}

/// What [`reduce`] finds.
pub(super) struct Reduced {
    /// Which reflectors are not the identity.
    pub(super) used: Vec<bool>,
    pub(super) tridiagonal: Tridiagonal,
}

/// Reduces the lower triangle of A, column-major, with entries near 1.
///
/// Column j keeps below the diagonal the reflector of the rows from j + 1 on, but for its first entry, which is 1.
pub(super) fn reduce(a: &mut [f64], n: usize, steps: &Steps) -> Result<Reduced> {
    let (mut used, mut diagonal, mut beside) = (vec![false; n], vec![0.0; n], vec![0.0; n]);
    let size = (n * (4 * PANEL + PARTS)) as u128;
    let (mut room, _reserved) = filled(size, 0.0, "panels of the eigen-decomposition", ALTERNATIVE, steps.run)?;
    for start in panels(n) {
        let (m, width) = (n - start - 1, PANEL.min(n - 2 - start));
        let (pair, rest) = room.split_at_mut(2 * m * width);
        pair.fill(0.0);
        let (swapped, parts) = rest.split_at_mut(2 * m * width);
        let (v, w) = pair.split_at_mut(m * width);
        let mut panel = Panel { a, n, start, m, v, w, parts };
        for i in 0..width {
            steps.check()?;
            let column = start + i;
            (diagonal[column], beside[column], used[column]) = panel.column(i);
        }
        let end = start + width;
        if used[start..end].contains(&true) {
            let rest = MatMut::from_column_major_slice_mut(a, n, n).submatrix_mut(end, end, n - end, n - end);
            subtract(rest, end, MatRef::from_column_major_slice(pair, m, 2 * width), swapped);
        }
        steps.step()?;
    }
    let last = n.saturating_sub(2);
    (last..n).for_each(|j| diagonal[j] = a[j * n + j]);
    beside[last] = a[last * n + last + 1];
    beside.truncate(n - 1);
    Ok(Reduced { used, tridiagonal: Tridiagonal { diagonal, beside } })
}

/// Some columns under reduction. Rows of V and W are counted from the one below the first of them.
struct Panel<'a> {
    a: &'a mut [f64],
    n: usize,
    start: usize,
    m: usize,
    v: &'a mut [f64],
    w: &'a mut [f64],
    parts: &'a mut [f64],
}

impl Panel<'_> {
    /// Reduces column i: its entry on the diagonal, the one below it, and whether there is a reflector.
    fn column(&mut self, i: usize) -> (f64, f64, bool) {
        let (n, m, at) = (self.n, self.m, self.start + i);
        let own = &mut self.a[at * n + at..(at + 1) * n];
        if i > 0 {
            catch_up(own, self.v, self.w, m, i);
        }
        let below = &mut own[1..];
        let (beta, tau) = reflector(below);
        let used = tau != 0.0;
        if used {
            // Where V and W have their rows from the one below the diagonal on.
            let (v_before, v_own) = self.v.split_at_mut(i * m);
            let (w_before, w_own) = self.w.split_at_mut(i * m);
            let (v_own, w_own) = (&mut v_own[i..m], &mut w_own[i..m]);
            v_own.copy_from_slice(below);
            v_own[0] = 1.0;
            let corner = &self.a[(at + 1) * n + at + 1..];
            multiply_symmetric(corner, n, v_own, w_own, self.parts);
            finish(v_before, w_before, m, i, v_own, tau, w_own);
        }
        (self.a[at * n + at], beta, used)
    }
}

/// x ← (I − τ·v·vᵀ)·x in place of which v is left, its first entry understood to be 1; the first entry of the result, which has no
/// other, and τ.
fn reflector(x: &mut [f64]) -> (f64, f64) {
    let (first, rest) = x.split_at_mut(1);
    let alpha = first[0];
    let mut tail = 0.0;
    dot_into(rest, rest, &mut tail);
    let whole = alpha.mul_add(alpha, tail);
    if tail == 0.0 || whole < NOTHING {
        rest.fill(0.0);
        return (alpha, 0.0);
    }
    let beta = -whole.sqrt().copysign(alpha);
    let scale = 1.0 / (alpha - beta);
    rest.iter_mut().for_each(|x| *x *= scale);
    first[0] = beta;
    (beta, (beta - alpha) / beta)
}

simd::dispatch! {
    pub(crate) fn dot_into(a: &[f64], b: &[f64], out: &mut f64) {
        *out = dot(a, b);
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const SUMS: usize = 16;
    let mut sums = [0.0f64; SUMS];
    let (a, b) = (a.chunks_exact(SUMS), b.chunks_exact(SUMS));
    let ends: f64 = a.remainder().iter().zip(b.remainder()).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
    for (a, b) in a.zip(b) {
        for l in 0..SUMS {
            sums[l] = a[l].mul_add(b[l], sums[l]);
        }
    }
    sums.iter().sum::<f64>() + ends
}

/// out ← out + w·a.
#[inline(always)]
fn add(out: &mut [f64], w: f64, a: &[f64]) {
    out.iter_mut().zip(a).for_each(|(out, a)| *out = w.mul_add(*a, *out));
}

simd::dispatch! {
    /// What the first i reflectors of a panel take off its column i, from its diagonal on.
    pub(crate) fn catch_up(own: &mut [f64], v: &[f64], w: &[f64], m: usize, i: usize) {
        for (v, w) in v.chunks_exact(m).zip(w.chunks_exact(m)).take(i) {
            let (v, w) = (&v[i - 1..], &w[i - 1..]);
            for ((own, v_row), w_row) in own.iter_mut().zip(v).zip(w) {
                *own = (-w[0]).mul_add(*v_row, (-v[0]).mul_add(*w_row, *own));
            }
        }
    }
}

simd::dispatch! {
    /// w ← τ·(w − V·Wᵀv − W·Vᵀv) − ½τ²(…)·v, of w = A·v with the A from before the panel.
    pub(crate) fn finish(before_v: &[f64], before_w: &[f64], m: usize, i: usize, v: &[f64], tau: f64, w: &mut [f64]) {
        for (old_v, old_w) in before_v.chunks_exact(m).zip(before_w.chunks_exact(m)) {
            let (old_v, old_w) = (&old_v[i..], &old_w[i..]);
            let (along_v, along_w) = (dot(old_v, v), dot(old_w, v));
            for ((w, old_v), old_w) in w.iter_mut().zip(old_v).zip(old_w) {
                *w = (-along_w).mul_add(*old_v, (-along_v).mul_add(*old_w, *w));
            }
        }
        w.iter_mut().for_each(|w| *w *= tau);
        let along = -0.5 * tau * dot(w, v);
        add(w, along, v);
    }
}

/// out = A·x for the lower triangle of A, whose columns are `stride` apart.
fn multiply_symmetric(a: &[f64], stride: usize, x: &[f64], out: &mut [f64], parts: &mut [f64]) {
    let m = x.len();
    // Columns of the triangle such that the parts have equally many entries.
    let begin = |part: usize| match part {
        PARTS => m,
        _ => ((1.0 - (1.0 - part as f64 / PARTS as f64).sqrt()) * m as f64) as usize,
    };
    let one = |(part, sums): (usize, &mut [f64])| {
        let columns = begin(part)..begin(part + 1);
        sums[columns.start..].fill(0.0);
        multiply_columns(a, stride, columns, x, sums);
    };
    let sums = &mut parts[..PARTS * m];
    match m < FEW {
        true => sums.chunks_mut(m).enumerate().for_each(one),
        false => sums.par_chunks_mut(m).with_max_len(1).enumerate().for_each(one),
    }
    out.copy_from_slice(&sums[..m]);
    for (part, sums) in sums.chunks(m).enumerate().skip(1) {
        let first = begin(part);
        out[first..].iter_mut().zip(&sums[first..]).for_each(|(out, sum)| *out += sum);
    }
}

simd::dispatch! {
    /// Adds what some columns of the triangle, and the same rows above it, contribute to A·x.
    pub(crate) fn multiply_columns(a: &[f64], stride: usize, columns: std::ops::Range<usize>, x: &[f64], out: &mut [f64]) {
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
