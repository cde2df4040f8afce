//! Products with a kernel matrix that is never stored.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::{LinearOperator, filled};
use crate::run::Run;

use super::matrix::{KernelMatrix, Shape, TileMut};
use super::tiling::{TILE, tiles};

/// Sums that are kept apart and added in order at the end. Their number depends on nothing but
/// the sizes, so the result does not depend on the number of threads.
const GROUPS: usize = 64;
/// Bytes that those sums may take.
const SUMS_BYTES: u128 = 64 << 20;

/// A kernel matrix as an operator: its products are computed tile by tile and nothing is kept.
#[derive(Clone, Copy)]
pub struct Streamed<'a>(pub &'a dyn KernelMatrix);

impl LinearOperator for Streamed<'_> {
    fn nrows(&self) -> usize {
        self.0.nrows()
    }

    fn ncols(&self) -> usize {
        self.0.ncols()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        apply(self.0, v, k, out, run)
    }
}

/// out = K·V for V: ncols×k and out: nrows×k, both row-major, in O(n) memory.
///
/// Of a symmetric matrix only one half is computed; each tile serves both of its places. A matrix with a
/// [`product`](KernelMatrix::product) of its own is not computed at all.
pub fn apply(matrix: &dyn KernelMatrix, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
    apply_by(matrix, v, k, out, [multiply, multiply_transposed], run)
}

/// The same for blocks of vectors that belong together, with products of matrices inside tiles: several times as fast for eight
/// columns or more. The last digit of a column depends on how many there are.
pub(crate) fn apply_block(matrix: &dyn KernelMatrix, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
    apply_by(matrix, v, k, out, [multiply_matrices, multiply_matrices_transposed], run)
}

/// out += tile·v, or tileᵀ·v, for v of k columns.
type Multiply = fn(&[f64], &[f64], usize, &mut [f64]);

fn apply_by(
    matrix: &dyn KernelMatrix,
    v: &[f64],
    k: usize,
    out: &mut [f64],
    by: [Multiply; 2],
    run: &Run,
) -> Result<()> {
    let shape = Shape::of(matrix)?;
    for (what, rows, len) in [("`V`", shape.ncols, v.len()), ("`out`", shape.nrows, out.len())] {
        if rows.checked_mul(k) != Some(len) {
            return Err(Error::shape(what, format!("{rows}×{k} values"), len));
        }
    }
    out.fill(0.0);
    if k == 0 || out.is_empty() || v.is_empty() {
        return Ok(());
    }
    if matrix.product(v, k, out, run)? {
        return Ok(());
    }
    let product = Product { matrix, shape, v, k, by };
    let groups = (SUMS_BYTES / (8 * out.len() as u128)).min(GROUPS as u128) as usize;
    if shape.symmetric && groups >= 8 {
        run.install(|| product.symmetric(out, groups, run))
    } else {
        run.install(|| product.rectangular(out, run))
    }
}

/// K·V under way.
struct Product<'a> {
    matrix: &'a dyn KernelMatrix,
    shape: Shape,
    v: &'a [f64],
    k: usize,
    by: [Multiply; 2],
}

impl Product<'_> {
    /// Every block of rows meets all columns, from left to right.
    fn rectangular(&self, out: &mut [f64], run: &Run) -> Result<()> {
        let task = run.task("product", Some(self.shape.nrows.div_ceil(TILE) as u64));
        out.par_chunks_mut(TILE * self.k).enumerate().try_for_each_init(Vec::new, |scratch, (block, sums)| {
            let rows = block * TILE..block * TILE + sums.len() / self.k;
            task.watched(|| {
                for cols in tiles(self.shape.ncols) {
                    self.by[0](self.tile(scratch, &rows, &cols), &self.v[self.part(cols.clone())], self.k, sums);
                }
            })?;
            task.step_or_cancel()
        })
    }

    /// Blocks of rows are dealt out to groups; a group works through its blocks in order and keeps
    /// sums of its own, which are added up in order at the end.
    fn symmetric(&self, out: &mut [f64], groups: usize, run: &Run) -> Result<()> {
        let blocks = self.shape.nrows.div_ceil(TILE);
        let groups = groups.min(blocks);
        let task = run.task("product", Some(blocks as u64));
        let size = out.len() as u128 * groups as u128;
        let alternative = "multiply fewer vectors at a time";
        let (mut sums, _reserved) = filled(size, 0.0, "the partial sums of a product", alternative, run)?;
        sums.par_chunks_mut(out.len()).enumerate().try_for_each_init(Vec::new, |scratch, (group, sums)| {
            (group..blocks).step_by(groups).try_for_each(|block| {
                task.watched(|| self.symmetric_block(block, sums, scratch))?;
                task.step_or_cancel()
            })
        })?;
        for part in sums.chunks(out.len()) {
            out.iter_mut().zip(part).for_each(|(sum, s)| *sum += s);
        }
        Ok(())
    }

    /// A block of rows with the columns up to the diagonal; tiles off the diagonal count twice.
    fn symmetric_block(&self, block: usize, sums: &mut [f64], scratch: &mut Vec<f64>) {
        let rows = block * TILE..((block + 1) * TILE).min(self.shape.nrows);
        for cols in tiles(rows.end) {
            let tile = self.tile(scratch, &rows, &cols);
            self.by[0](tile, &self.v[self.part(cols.clone())], self.k, &mut sums[self.part(rows.clone())]);
            if cols.start != rows.start {
                self.by[1](tile, &self.v[self.part(rows.clone())], self.k, &mut sums[self.part(cols)]);
            }
        }
    }

    /// Where these rows stand in V or in the result.
    fn part(&self, rows: Range<usize>) -> Range<usize> {
        rows.start * self.k..rows.end * self.k
    }

    fn tile<'s>(&self, scratch: &'s mut Vec<f64>, rows: &Range<usize>, cols: &Range<usize>) -> &'s [f64] {
        scratch.resize(rows.len() * cols.len(), 0.0);
        self.matrix.block(rows.clone(), cols.clone(), TileMut::contiguous(scratch, rows.len(), cols.len()));
        scratch
    }
}

/// out += tile·v, column by column of v.
///
/// Few columns are the rule, too few for vectors across them; so v is turned, and every entry is an
/// inner product along the tile's row, the same whatever the number of columns.
pub(crate) fn multiply(tile: &[f64], v: &[f64], k: usize, out: &mut [f64]) {
    if k == 1 {
        return rows_times(tile, v, 1, out);
    }
    rows_times(tile, &turned(v, k), k, out);
}

/// out += tileᵀ·v, column by column of v.
pub(crate) fn multiply_transposed(tile: &[f64], v: &[f64], k: usize, out: &mut [f64]) {
    if k == 1 {
        return add_rows(tile, v, 1, out);
    }
    let width = out.len() / k;
    let mut columns = vec![0.0; out.len()];
    add_rows(tile, v, k, &mut columns);
    for (o, column) in columns.chunks(width).enumerate() {
        out.iter_mut().skip(o).step_by(k).zip(column).for_each(|(sum, c)| *sum += c);
    }
}

/// out += tile·v by a product of matrices.
fn multiply_matrices(tile: &[f64], v: &[f64], k: usize, out: &mut [f64]) {
    let (rows, columns) = (out.len() / k, v.len() / k);
    let tile = MatRef::from_row_major_slice(tile, rows, columns);
    let v = MatRef::from_row_major_slice(v, columns, k);
    matmul(MatMut::from_row_major_slice_mut(out, rows, k), Accum::Add, tile, v, 1.0, Par::Seq);
}

/// out += tileᵀ·v by a product of matrices.
fn multiply_matrices_transposed(tile: &[f64], v: &[f64], k: usize, out: &mut [f64]) {
    let (rows, columns) = (v.len() / k, out.len() / k);
    let tile = MatRef::from_row_major_slice(tile, rows, columns).transpose();
    let v = MatRef::from_row_major_slice(v, rows, k);
    matmul(MatMut::from_row_major_slice_mut(out, columns, k), Accum::Add, tile, v, 1.0, Par::Seq);
}

/// The columns of v: n×k, one after the other.
fn turned(v: &[f64], k: usize) -> Vec<f64> {
    (0..k).flat_map(|o| v.iter().skip(o).step_by(k).copied()).collect()
}

super::simd::dispatch! {
    /// out[i, o] += ⟨row i, vector o⟩ for k vectors that stand one after the other.
    pub(crate) fn rows_times(tile: &[f64], vectors: &[f64], k: usize, out: &mut [f64]) {
        let width = vectors.len() / k;
        for (row, out) in tile.chunks(width).zip(out.chunks_mut(k)) {
            for (sum, v) in out.iter_mut().zip(vectors.chunks(width)) {
                *sum += dot(row, v);
            }
        }
    }
}

super::simd::dispatch! {
    /// vector o += Σᵢ v[i, o]·row i for k vectors that stand one after the other.
    pub(crate) fn add_rows(tile: &[f64], v: &[f64], k: usize, vectors: &mut [f64]) {
        let width = vectors.len() / k;
        for (row, v) in tile.chunks(width).zip(v.chunks(k)) {
            for (sums, v) in vectors.chunks_mut(width).zip(v) {
                sums.iter_mut().zip(row).for_each(|(sum, a)| *sum = a.mul_add(*v, *sum));
            }
        }
    }
}

/// ⟨a, b⟩ in sixteen sums, which vectors can hold.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const SUMS: usize = 16;
    let mut sums = [0.0; SUMS];
    let (chunks_a, chunks_b) = (a.chunks_exact(SUMS), b.chunks_exact(SUMS));
    let rest: f64 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in chunks_a.zip(chunks_b) {
        for i in 0..SUMS {
            sums[i] = a[i].mul_add(b[i], sums[i]);
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// K[:, j], without anything else.
pub fn column(matrix: &dyn KernelMatrix, j: usize, out: &mut [f64]) -> Result<()> {
    let Shape { nrows, ncols, symmetric } = Shape::of(matrix)?;
    if j >= ncols {
        return Err(Error::shape("a column", format!("an index below {ncols}"), j));
    }
    if out.len() != nrows {
        return Err(Error::shape("`out`", nrows, out.len()));
    }
    let len = out.len();
    if symmetric {
        // A row is contiguous, and runs along the packed points.
        matrix.block(j..j + 1, 0..len, TileMut::contiguous(out, 1, len));
    } else {
        matrix.block(0..len, j..j + 1, TileMut::contiguous(out, len, 1));
    }
    Ok(())
}
