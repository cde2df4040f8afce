//! First stage: from a full matrix to a band, B = Q₁ᵀ·A·Q₁, by products of matrices.
//!
//! Each panel of columns is brought to the band by a QR decomposition of what lies below it, and the rest follows as
//! A ← A − V·Wᵀ − W·Vᵀ (Bischof, Lang and Sun 2000, A framework for symmetric band reduction, section 3). Every product
//! is cut into tiles that one thread computes from end to end, so that threads change no digit.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::{Accum, MatMut, MatRef, Par};

use crate::error::Result;

use super::reflectors::{copy_reflectors, times_t};
use super::steps::Steps;
use super::team::Team;
use super::tiles::{row_tiles, subtract};
use super::{ALTERNATIVE, filled};

/// Diagonals below the main one that are left. More make the first stage faster and the second slower.
pub(super) const BAND: usize = 32;

/// How many steps there are.
pub(super) fn steps(n: usize) -> u64 {
    panels(n).count() as u64
}

/// Where panels begin.
fn panels(n: usize) -> impl Iterator<Item = usize> {
    (0..n.saturating_sub(BAND + 1)).step_by(BAND)
}

/// Reduces the lower triangle of A, column-major, whose tiles on the diagonal hold both of their halves; what lies below
/// the band then is no longer of use.
pub(super) fn reduce(a: &mut [f64], n: usize, steps: &Steps) -> Result<()> {
    let size = 5 * n as u128 * BAND as u128;
    let (mut room, _reserved) = filled(size, 0.0, "panels of the eigen-decomposition", ALTERNATIVE, steps.run)?;
    let mut memory = qr_memory(n);
    Team::gather(|team| {
        panels(n).try_for_each(|start| {
            panel(MatMut::from_column_major_slice_mut(a, n, n), start, &mut room, &mut memory, team);
            steps.step()
        })
    })
}

/// Brings one panel to the band and the rest up to date.
fn panel(mut a: MatMut<'_, f64>, start: usize, room: &mut [f64], memory: &mut MemBuffer, team: &Team) {
    let first = start + BAND;
    let m = a.nrows() - first;
    let count = BAND.min(m);
    let (pair, rest) = room.split_at_mut(2 * m * count);
    let (swapped, y) = rest.split_at_mut(2 * m * count);
    let (v, w) = pair.split_at_mut(m * count);
    let mut v = MatMut::from_column_major_slice_mut(v, m, count);
    let mut w = MatMut::from_column_major_slice_mut(w, m, count);
    let mut y = MatMut::from_column_major_slice_mut(&mut y[..m * count], m, count);
    factor(a.as_mut().submatrix_mut(first, start, m, BAND), v.as_mut(), memory);
    let mut small = [0.0; BAND * BAND];
    times_t(v.as_ref(), y.as_mut(), &mut small);
    let corner = a.as_mut().submatrix_mut(first, first, m, m);
    // W = X − ½·V·(Yᵀ·X) for X = A·Y.
    multiply_symmetric(corner.as_ref(), first, y.as_ref(), w.as_mut(), team);
    let mut inner = MatMut::from_column_major_slice_mut(&mut small[..count * count], count, count);
    matmul(inner.as_mut(), Accum::Replace, y.as_ref().transpose(), w.as_ref(), 1.0, Par::Seq);
    matmul(w.as_mut(), Accum::Add, v.as_ref(), inner.as_ref(), -0.5, Par::Seq);
    subtract(corner, first, MatRef::from_column_major_slice(pair, m, 2 * count), swapped, team);
}

fn qr_memory(n: usize) -> MemBuffer {
    MemBuffer::new(qr_in_place_scratch::<f64>(n, BAND, BAND, Par::Seq, Default::default()))
}

/// QR of a panel in place; V is also written to `v`.
fn factor(mut panel: MatMut<'_, f64>, v: MatMut<'_, f64>, memory: &mut MemBuffer) {
    let count = v.ncols();
    let mut factors = [0.0; BAND * BAND];
    let mut factors = MatMut::from_column_major_slice_mut(&mut factors[..BAND * count], BAND, count);
    qr_in_place(panel.as_mut(), factors.as_mut(), Par::Seq, MemStack::new(memory), Default::default());
    // faer has 1/τ there, which is infinite for the identity.
    let used: Vec<bool> = (0..count).map(|j| factors[(j, j)].is_finite()).collect();
    copy_reflectors(panel.as_ref(), &used, v);
}

/// X = A·Y for the lower tiles of A, of which row 0 is row `first` of the whole.
fn multiply_symmetric(a: MatRef<'_, f64>, first: usize, y: MatRef<'_, f64>, x: MatMut<'_, f64>, team: &Team) {
    let m = a.nrows();
    team.each(&mut row_tiles(x, first), |_, (row, x)| {
        let (row, rows, end) = (*row, x.nrows(), *row + x.nrows());
        matmul(x.as_mut(), Accum::Replace, a.submatrix(row, 0, rows, end), y.subrows(0, end), 1.0, Par::Seq);
        let below = a.submatrix(end, row, m - end, rows);
        matmul(x.as_mut(), Accum::Add, below.transpose(), y.subrows(end, m - end), 1.0, Par::Seq);
    });
}
