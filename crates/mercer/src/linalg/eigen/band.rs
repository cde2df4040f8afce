//! First stage: from a full matrix to a band, B = Q₁ᵀ·A·Q₁, by products of matrices.
//!
//! Each panel of columns is brought to the band by a QR decomposition of what lies below it, and the rest follows as
//! A ← A − V·Wᵀ − W·Vᵀ (Bischof, Lang and Sun 2000, A framework for symmetric band reduction, section 3). Every product
//! is cut into tiles that one thread computes from end to end, so that threads change no digit. The next panel is decomposed
//! while the rest still follows.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::{Accum, MatMut, MatRef, Par};

use crate::error::Result;
use crate::linalg::tiles::{Tile, lower_tiles, row_tiles};

use super::reflectors::{copy_reflectors, times_t};
use super::steps::Steps;
use super::tiles::swap;
use super::{ALTERNATIVE, Team, filled};

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
    let size = 8 * n as u128 * BAND as u128;
    let (mut room, _reserved) = filled(size, 0.0, "panels of the eigen-decomposition", ALTERNATIVE, steps.run)?;
    let (present, rest) = room.split_at_mut(3 * n * BAND);
    let (following, swapped) = rest.split_at_mut(3 * n * BAND);
    let (mut present, mut following) = (Panel::new(present, n), Panel::new(following, n));
    let mut a = MatMut::from_column_major_slice_mut(a, n, n);
    Team::gather(|team| {
        panels(n).try_for_each(|start| {
            let first = start + BAND;
            let (left, mut corner) = a.as_mut().split_at_row_mut(first).1.split_at_col_mut(first);
            if start == 0 {
                present.factor(left.subcols_mut(start, BAND));
            }
            present.other_factor(corner.as_ref(), first, team);
            present.take_off(corner.as_mut(), first, &mut following, swapped, team);
            std::mem::swap(&mut present, &mut following);
            steps.step()
        })
    })
}

/// The reflectors of one panel, Q = I − Y·Vᵀ, and W of A ← A − V·Wᵀ − W·Vᵀ. The columns of V stand before those of W.
struct Panel<'a> {
    m: usize,
    count: usize,
    pair: &'a mut [f64],
    y: &'a mut [f64],
    memory: MemBuffer,
}

/// What can be done at the same time once the next columns are up to date.
enum Piece<'a, 'b> {
    /// Make the reflectors of the next panel.
    Factor(MatMut<'a, f64>, &'a mut Panel<'b>),
    /// Bring a tile of the rest up to date.
    Tile(Tile<'a>),
}

impl<'b> Panel<'b> {
    fn new(room: &'b mut [f64], n: usize) -> Self {
        let memory = MemBuffer::new(qr_in_place_scratch::<f64>(n, BAND, BAND, Par::Seq, Default::default()));
        let (pair, y) = room.split_at_mut(2 * n * BAND);
        Panel { m: 0, count: 0, pair, y, memory }
    }

    /// QR of what lies below the band, in place.
    fn factor(&mut self, mut below: MatMut<'_, f64>) {
        (self.m, self.count) = (below.nrows(), BAND.min(below.nrows()));
        let (m, count) = (self.m, self.count);
        let mut factors = [0.0; BAND * BAND];
        let mut factors = MatMut::from_column_major_slice_mut(&mut factors[..BAND * count], BAND, count);
        let stack = MemStack::new(&mut self.memory);
        qr_in_place(below.as_mut(), factors.as_mut(), Par::Seq, stack, Default::default());
        // faer has 1/τ there, which is infinite for the identity.
        let used: Vec<bool> = (0..count).map(|j| factors[(j, j)].is_finite()).collect();
        let mut v = MatMut::from_column_major_slice_mut(&mut self.pair[..m * count], m, count);
        copy_reflectors(below.as_ref(), &used, v.as_mut());
        let y = MatMut::from_column_major_slice_mut(&mut self.y[..m * count], m, count);
        times_t(v.as_ref(), y, &mut [0.0; BAND * BAND]);
    }

    /// W = X − ½·V·(Yᵀ·X) for X = A·Y and the lower tiles of A, of which row 0 is row `first` of the whole.
    fn other_factor(&mut self, a: MatRef<'_, f64>, first: usize, team: &Team) {
        let (m, count) = (self.m, self.count);
        let (v, w) = self.pair[..2 * m * count].split_at_mut(m * count);
        let v = MatRef::from_column_major_slice(v, m, count);
        let mut w = MatMut::from_column_major_slice_mut(w, m, count);
        let y = MatRef::from_column_major_slice(&self.y[..m * count], m, count);
        let products = row_tiles(w.as_mut(), first).into_iter().map(|(row, x)| (row, x, [0.0; BAND * BAND]));
        let mut products: Vec<_> = products.collect();
        team.each(&mut products, |_, (row, x, inner)| {
            multiply_symmetric(a, *row, y, x.as_mut());
            let inner = MatMut::from_column_major_slice_mut(&mut inner[..count * count], count, count);
            matmul(inner, Accum::Replace, y.subrows(*row, x.nrows()).transpose(), x.as_ref(), 1.0, Par::Seq);
        });
        let mut sum = [0.0; BAND * BAND];
        for (_, _, inner) in &products {
            sum.iter_mut().zip(inner).for_each(|(sum, part)| *sum += part);
        }
        let inner = MatRef::from_column_major_slice(&sum[..count * count], count, count);
        team.each(&mut products, |_, (row, x, _)| {
            let v = v.subrows(*row, x.nrows());
            matmul(x.as_mut(), Accum::Add, v, inner, -0.5, Par::Seq);
        });
    }

    /// A ← A − V·Wᵀ − W·Vᵀ. The columns of the next panel come first: one thread decomposes them while the others go on.
    fn take_off(&self, a: MatMut<'_, f64>, first: usize, following: &mut Panel<'_>, swapped: &mut [f64], team: &Team) {
        let (m, width) = (self.m, 2 * self.count);
        let pair = MatRef::from_column_major_slice(&self.pair[..m * width], m, width);
        let swapped = swap(pair, swapped);
        let (mut next, rest) = a.split_at_col_mut(BAND.min(m));
        let own = swapped.subrows(0, next.ncols());
        team.each(&mut row_tiles(next.as_mut(), first), |_, (row, tile)| {
            let left = pair.subrows(*row, tile.nrows());
            matmul(tile.as_mut(), Accum::Add, left, own.transpose(), -1.0, Par::Seq);
        });
        if m <= BAND {
            return;
        }
        let below = next.split_at_row_mut(BAND).1;
        let rest = rest.split_at_row_mut(BAND).1;
        let mut pieces = vec![];
        if m > BAND + 1 {
            pieces.push(Piece::Factor(below, following));
        }
        pieces.extend(lower_tiles(rest, first + BAND).into_iter().map(Piece::Tile));
        team.each(&mut pieces, |_, piece| match piece {
            Piece::Factor(below, panel) => panel.factor(below.as_mut()),
            Piece::Tile(tile) => tile.subtract(pair.subrows(BAND, m - BAND), swapped.subrows(BAND, m - BAND)),
        });
    }
}

/// The rows of X = A·Y from `row` on that `x` has, for the lower tiles of A.
fn multiply_symmetric(a: MatRef<'_, f64>, row: usize, y: MatRef<'_, f64>, mut x: MatMut<'_, f64>) {
    let (m, rows, end) = (a.nrows(), x.nrows(), row + x.nrows());
    matmul(x.as_mut(), Accum::Replace, a.submatrix(row, 0, rows, end), y.subrows(0, end), 1.0, Par::Seq);
    let below = a.submatrix(end, row, m - end, rows);
    matmul(x, Accum::Add, below.transpose(), y.subrows(end, m - end), 1.0, Par::Seq);
}
