//! A tridiagonal matrix by divide and conquer (Cuppen 1981; Gu and Eisenstat 1995).
//!
//! Without one entry beside the diagonal the matrix is two smaller ones, and with it their eigenvalues are changed by a
//! matrix of rank one: see [`secular`](super::secular). Where an eigenvalue does not feel the change, or two of
//! them are equal to rounding, nothing needs to be solved nor multiplied (Dongarra and Sorensen 1987).

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::error::Result;
use crate::run::Reservation;

use super::secular::{Root, Secular};
use super::steps::Steps;
use super::values::no_convergence;
use super::{Tridiagonal, square};

/// Rows up to which a matrix is not divided.
const LEAF: usize = 64;
/// Columns and rows of a tile of a product.
const TILE: usize = 128;
/// Columns that a thread copies at least.
const CHUNK: usize = 16;

/// How many merges there are.
pub(super) fn merges(n: usize) -> u64 {
    if n <= LEAF { 0 } else { 1 + merges(n / 2) + merges(n - n / 2) }
}

/// The eigenvalues in increasing order and the eigenvectors one after the other.
pub(super) fn eigen(matrix: Tridiagonal, steps: &Steps) -> Result<(Vec<f64>, Vec<f64>, Reservation)> {
    let Tridiagonal { mut diagonal, beside } = matrix;
    let n = diagonal.len();
    let (mut vectors, _vectors) = square(n, &format!("dividing a {n}×{n} matrix"), steps)?;
    let (mut first, reserved) = square(n, &format!("the {n}×{n} eigenvectors"), steps)?;
    let (mut second, _second) = square(n, &format!("dividing a {n}×{n} matrix"), steps)?;
    let view = |values| MatMut::from_column_major_slice_mut(values, n, n);
    let room = Room { first: view(&mut first), second: view(&mut second) };
    let order = divide(&mut diagonal, &beside, view(&mut vectors), room, steps)?;
    let sorted = order.iter().map(|i| diagonal[*i]).collect();
    first
        .par_chunks_mut(n)
        .zip(&order)
        .with_min_len(CHUNK)
        .for_each(|(out, i)| out.copy_from_slice(&vectors[i * n..(i + 1) * n]));
    Ok((sorted, first, reserved))
}

/// Room for the columns that are multiplied and for what they are multiplied by.
struct Room<'a> {
    first: MatMut<'a, f64>,
    second: MatMut<'a, f64>,
}

impl<'a> Room<'a> {
    fn split(&mut self, at: usize) -> (Room<'_>, Room<'_>) {
        let (first, _, _, other_first) = self.first.as_mut().split_at_mut(at, at);
        let (second, _, _, other_second) = self.second.as_mut().split_at_mut(at, at);
        (Room { first, second }, Room { first: other_first, second: other_second })
    }
}

/// Decomposes; eigenvalues and vectors come in any order, the answer is the increasing one.
fn divide(
    d: &mut [f64],
    beside: &[f64],
    mut q: MatMut<'_, f64>,
    mut room: Room<'_>,
    steps: &Steps,
) -> Result<Vec<usize>> {
    let n = d.len();
    if n <= LEAF {
        return leaf(d, beside, q);
    }
    let half = n / 2;
    let coupling = beside[half - 1];
    d[half - 1] -= coupling.abs();
    d[half] -= coupling.abs();
    let orders = {
        let (upper, _, _, lower) = q.as_mut().split_at_mut(half, half);
        let (d_upper, d_lower) = d.split_at_mut(half);
        let (room_upper, room_lower) = room.split(half);
        let (orders, lower_orders) = rayon::join(
            || divide(d_upper, &beside[..half - 1], upper, room_upper, steps),
            || divide(d_lower, &beside[half..], lower, room_lower, steps),
        );
        (orders?, lower_orders?)
    };
    let order = merge(d, q, coupling, orders, room, steps)?;
    steps.step()?;
    Ok(order)
}

/// A small matrix, by faer's QR method.
fn leaf(d: &mut [f64], beside: &[f64], q: MatMut<'_, f64>) -> Result<Vec<usize>> {
    let n = d.len();
    let mut memory =
        MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default()));
    let (given, mut padded) = (d.to_vec(), beside.to_vec());
    padded.push(0.0);
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(&given),
        DiagRef::from_slice(&padded),
        DiagMut::from_slice_mut(d),
        Some(q),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| no_convergence())?;
    Ok((0..n).collect())
}

/// Where a column of the two halves is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rows {
    Upper,
    Both,
    Lower,
}

/// What is left of a change of rank one after all that needs no work.
struct Deflated {
    /// Columns that the change mixes, by increasing eigenvalue.
    mixed: Vec<usize>,
    /// Columns that are eigenvectors already.
    done: Vec<usize>,
    rows: Vec<Rows>,
}

/// Decomposes D + ρ·z·zᵀ for the two halves in `q` and turns its columns to the result.
fn merge(
    d: &mut [f64],
    mut q: MatMut<'_, f64>,
    coupling: f64,
    (upper, lower): (Vec<usize>, Vec<usize>),
    room: Room<'_>,
    steps: &Steps,
) -> Result<Vec<usize>> {
    let (n, half) = (d.len(), upper.len());
    // The change is |e|·u·uᵀ, where u has 1 in the last row of one half and the sign of e in the first row of the other.
    let mut z: Vec<f64> = (0..n)
        .map(|j| if j < half { q[(half - 1, j)] } else { q[(half, j)] * 1f64.copysign(coupling) })
        .map(|z| z * std::f64::consts::FRAC_1_SQRT_2)
        .collect();
    let rho = 2.0 * coupling.abs();
    let order = in_order(d, &upper, &lower.iter().map(|j| half + j).collect::<Vec<_>>());
    let parts = deflate(d, &mut z, rho, &order, half, q.as_mut());
    let k = parts.mixed.len();
    let poles: Vec<f64> = parts.mixed.iter().map(|j| d[*j]).collect();
    let norm = parts.mixed.iter().map(|j| z[*j] * z[*j]).sum::<f64>().sqrt();
    let weights: Vec<f64> = parts.mixed.iter().map(|j| z[*j] / norm).collect();
    let equation = Secular { poles: &poles, z: &weights, rho: rho * norm * norm };
    let roots = equation.roots(steps)?;
    rotate(&parts, &equation, &roots, half, q, room, steps)?;
    // Now the k mixed columns stand first, the others behind them.
    let done: Vec<f64> = parts.done.iter().map(|j| d[*j]).collect();
    roots.iter().map(|r: &Root| r.value()).chain(done).zip(d.iter_mut()).for_each(|(value, d)| *d = value);
    let mut behind: Vec<usize> = (k..n).collect();
    behind.sort_by(|i, j| d[*i].total_cmp(&d[*j]));
    Ok(in_order(d, &(0..k).collect::<Vec<_>>(), &behind))
}

/// Two increasing orders as one.
fn in_order(d: &[f64], first: &[usize], second: &[usize]) -> Vec<usize> {
    let (mut first, mut second) = (first.iter().copied().peekable(), second.iter().copied().peekable());
    let mut order = Vec::with_capacity(d.len());
    while let (Some(i), Some(j)) = (first.peek(), second.peek()) {
        order.extend(if d[*i] <= d[*j] { first.next() } else { second.next() });
    }
    order.extend(first.chain(second));
    order
}

/// Finds the eigenvalues that do not change, and turns pairs of equal ones so that one of them does not.
fn deflate(d: &mut [f64], z: &mut [f64], rho: f64, order: &[usize], half: usize, mut q: MatMut<'_, f64>) -> Deflated {
    let largest = d.iter().chain(z.iter()).fold(0.0f64, |a, v| a.max(v.abs()));
    let nothing = 8.0 * 0.5 * f64::EPSILON * largest;
    let mut rows: Vec<Rows> = (0..d.len()).map(|j| if j < half { Rows::Upper } else { Rows::Lower }).collect();
    let (mut mixed, mut done): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for &j in order {
        if rho * z[j].abs() <= nothing {
            done.push(j);
            continue;
        }
        if let Some(&i) = mixed.last() {
            let norm = z[i].hypot(z[j]);
            let (c, s) = (z[j] / norm, -z[i] / norm);
            if ((d[j] - d[i]) * c * s).abs() <= nothing {
                (z[i], z[j]) = (0.0, norm);
                if rows[i] != rows[j] {
                    (rows[i], rows[j]) = (Rows::Both, Rows::Both);
                }
                turn(q.as_mut(), i, j, c, s);
                (d[i], d[j]) = (d[i] * c * c + d[j] * s * s, d[i] * s * s + d[j] * c * c);
                mixed.pop();
                done.push(i);
            }
        }
        mixed.push(j);
    }
    Deflated { mixed, done, rows }
}

/// (qᵢ, qⱼ) ← (c·qᵢ + s·qⱼ, c·qⱼ − s·qᵢ).
fn turn(mut q: MatMut<'_, f64>, i: usize, j: usize, c: f64, s: f64) {
    let (first, second) = q.as_mut().two_cols_mut(i, j);
    first.iter_mut().zip(second.iter_mut()).for_each(|(a, b)| {
        (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
    });
}

/// Multiplies the mixed columns by the eigenvectors of the change; they come first then, the others behind them.
fn rotate(
    parts: &Deflated,
    equation: &Secular,
    roots: &[Root],
    half: usize,
    mut q: MatMut<'_, f64>,
    room: Room<'_>,
    steps: &Steps,
) -> Result<()> {
    let (n, k) = (q.nrows(), roots.len());
    let Room { mut first, second } = room;
    // Rows of zeros are not multiplied: columns are put in the order of where they have none.
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by_key(|i| parts.rows[parts.mixed[*i]]);
    let count = |rows: Rows| order.iter().filter(|i| parts.rows[parts.mixed[**i]] == rows).count();
    let (only_upper, only_lower) = (count(Rows::Upper), count(Rows::Lower));
    let from: Vec<usize> = order.iter().map(|i| parts.mixed[*i]).chain(parts.done.iter().copied()).collect();
    copy_columns(q.as_ref(), &from, first.as_mut());
    let mut factors = second.submatrix_mut(0, 0, k, k);
    equation.vectors(roots, &order, columns(factors.as_mut()), steps)?;
    let (upper, lower) = first.as_ref().split_at_row(half);
    let (mixed, done) = q.as_mut().split_at_col_mut(k);
    let factors = factors.as_ref();
    let upper = (upper.subcols(0, k - only_lower), factors.subrows(0, k - only_lower));
    let lower = (lower.subcols(only_upper, k - only_upper), factors.subrows(only_upper, k - only_upper));
    tiles(mixed, half).into_par_iter().with_max_len(1).try_for_each(|(row, column, tile)| {
        steps.check()?;
        let ((a, b), row) = if row < half { (upper, row) } else { (lower, row - half) };
        let (a, b) = (a.subrows(row, tile.nrows()), b.subcols(column, tile.ncols()));
        matmul(tile, Accum::Replace, a, b, 1.0, Par::Seq);
        Ok(())
    })?;
    copy_columns(first.as_ref().subcols(k, n - k), &(0..n - k).collect::<Vec<_>>(), done);
    Ok(())
}

/// The columns of a matrix as slices.
fn columns(matrix: MatMut<'_, f64>) -> Vec<&mut [f64]> {
    let contiguous = matrix.col_iter_mut().map(|column| column.try_as_col_major_mut().expect("columns are contiguous"));
    contiguous.map(|column| column.as_slice_mut()).collect()
}

/// Copies these columns, in this order.
fn copy_columns(from: MatRef<'_, f64>, which: &[usize], to: MatMut<'_, f64>) {
    columns(to).into_par_iter().zip(which).with_min_len(CHUNK).for_each(|(to, j)| {
        let from = from.col(*j).try_as_col_major().expect("columns are contiguous");
        to.copy_from_slice(from.as_slice());
    });
}

/// Tiles of a matrix with their first row and column; none has rows of both halves.
fn tiles(matrix: MatMut<'_, f64>, half: usize) -> Vec<(usize, usize, MatMut<'_, f64>)> {
    let (mut tiles, mut column, mut rest) = (Vec::new(), 0, matrix);
    while rest.ncols() > 0 {
        let width = TILE.min(rest.ncols());
        let (panel, next) = rest.split_at_col_mut(width);
        let (mut row, mut below) = (0, panel);
        while below.nrows() > 0 {
            let end = if row < half { half } else { row + below.nrows() };
            let (tile, next) = below.split_at_row_mut(TILE.min(end - row));
            let height = tile.nrows();
            tiles.push((row, column, tile));
            (row, below) = (row + height, next);
        }
        (column, rest) = (column + width, next);
    }
    tiles
}
