//! Whole matrices, computed tile by tile on all threads.

use std::mem::MaybeUninit;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::Buffer;
use crate::run::{Reservation, Run, Task};

use super::matrix::{KernelMatrix, TileMut};
use super::store;
use super::tiling::{self, TILE};
use super::transpose::transpose;

/// What a matrix can be stored as. Values are computed in `f64`; `f32` is a choice of storage.
pub trait Element: Copy + Send + Sync + 'static {
    /// Writes the nearest values of this type. `past_caches` says that the matrix is too large for
    /// the caches.
    fn store(values: &[f64], place: &mut [MaybeUninit<Self>], past_caches: bool);
}

impl Element for f64 {
    fn store(values: &[f64], place: &mut [MaybeUninit<Self>], past_caches: bool) {
        if past_caches { store::copy_past_caches(values, place) } else { store::copy(values, place) }
    }
}

impl Element for f32 {
    fn store(values: &[f64], place: &mut [MaybeUninit<Self>], _: bool) {
        for (slot, v) in place.iter_mut().zip(values) {
            slot.write(*v as f32);
        }
    }
}

/// A kernel matrix in memory, row-major.
#[derive(Debug)]
pub struct DenseGram<T = f64> {
    values: Vec<T>,
    nrows: usize,
    ncols: usize,
    symmetric: bool,
    _reservation: Reservation,
}

impl<T> DenseGram<T> {
    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.ncols
    }

    /// All values, row-major.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, row-major, to be worked on in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.ncols..(i + 1) * self.ncols]
    }

    /// The values themselves; the memory is no longer counted.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}

impl<T: Element + Into<f64>> KernelMatrix for DenseGram<T> {
    fn nrows(&self) -> usize {
        self.nrows
    }

    fn ncols(&self) -> usize {
        self.ncols
    }

    fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
        for (at, i) in rows.enumerate() {
            let row = &self.row(i)[cols.clone()];
            out.row_mut(at).iter_mut().zip(row).for_each(|(o, v)| *o = (*v).into());
        }
    }

    fn diag(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, d)| *d = self.row(i)[i].into());
    }
}

/// Computes the whole matrix under the run's memory limit.
pub fn dense<T: Element>(matrix: &dyn KernelMatrix, run: &Run) -> Result<DenseGram<T>> {
    let (nrows, ncols) = (matrix.nrows(), matrix.ncols());
    let purpose = format!("the {nrows}×{ncols} kernel matrix");
    let alternative = "stream its products instead of storing it, use fewer rows, or raise the memory limit";
    let mut buffer = Buffer::<T>::reserve(nrows as u128 * ncols as u128, &purpose, alternative, run)?;
    fill(matrix, buffer.as_mut_slice(), run)?;
    // SAFETY: `fill` has answered Ok, so it has written every element.
    let (values, reservation) = unsafe { buffer.assume_written() };
    Ok(DenseGram { values, nrows, ncols, symmetric: matrix.is_symmetric(), _reservation: reservation })
}

/// Computes the whole matrix into `out`: nrows×ncols, row-major.
pub fn dense_into<T: Element>(matrix: &dyn KernelMatrix, out: &mut [T], run: &Run) -> Result<()> {
    // SAFETY: a `T` is a valid `MaybeUninit<T>`, and only valid values are written through it.
    let out = unsafe { &mut *(std::ptr::from_mut(out) as *mut [MaybeUninit<T>]) };
    dense_into_uninit(matrix, out, run)
}

/// Computes the whole matrix into memory that need not have been written before; all of it is
/// written if the answer is `Ok`.
pub fn dense_into_uninit<T: Element>(matrix: &dyn KernelMatrix, out: &mut [MaybeUninit<T>], run: &Run) -> Result<()> {
    if matrix.nrows().checked_mul(matrix.ncols()) != Some(out.len()) {
        return Err(Error::shape("`out`", format!("{}×{} values", matrix.nrows(), matrix.ncols()), out.len()));
    }
    fill(matrix, out, run)
}

/// Writes every element of `out`, or fails.
fn fill<T: Element>(matrix: &dyn KernelMatrix, out: &mut [MaybeUninit<T>], run: &Run) -> Result<()> {
    let tiles = tiles(matrix);
    let task = run.task("gram", Some(tiles.len() as u64));
    let past_caches = size_of_val(out) >= store::PAST_CACHES;
    let target = Target { start: out.as_mut_ptr(), ncols: matrix.ncols(), past_caches };
    run.install(|| {
        tiles
            .into_par_iter()
            .try_for_each_init(Vec::new, |scratch, tile| fill_tile(matrix, &target, &task, scratch, tile))
    })
}

/// The tiles to compute: all of them, or those on and below the diagonal.
fn tiles(matrix: &dyn KernelMatrix) -> Vec<(Range<usize>, Range<usize>)> {
    let symmetric = matrix.is_symmetric();
    let pairs = tiling::tiles(matrix.nrows())
        .flat_map(|rows| tiling::tiles(matrix.ncols()).map(move |cols| (rows.clone(), cols)));
    pairs.filter(|(rows, cols)| !symmetric || cols.start <= rows.start).collect()
}

fn fill_tile<T: Element>(
    matrix: &dyn KernelMatrix,
    target: &Target<T>,
    task: &Task<'_>,
    scratch: &mut Vec<f64>,
    (rows, cols): (Range<usize>, Range<usize>),
) -> Result<()> {
    let size = rows.len() * cols.len();
    scratch.resize(2 * TILE * TILE, 0.0);
    let (tile, mirrored) = scratch.split_at_mut(TILE * TILE);
    let (tile, mirrored) = (&mut tile[..size], &mut mirrored[..size]);
    matrix.block(rows.clone(), cols.clone(), TileMut::contiguous(tile, rows.len(), cols.len()));
    // SAFETY: tiles do not overlap, and neither do the mirror images of those off the diagonal.
    unsafe { target.write(&rows, &cols, tile) };
    if matrix.is_symmetric() && rows.start != cols.start {
        transpose(tile, rows.len(), cols.len(), mirrored);
        // SAFETY: as above.
        unsafe { target.write(&cols, &rows, mirrored) };
    }
    store::fence();
    task.step_or_cancel()
}

/// The matrix that several threads write disjoint parts of.
struct Target<T> {
    start: *mut MaybeUninit<T>,
    ncols: usize,
    past_caches: bool,
}

// SAFETY: the pointer is only written through, and callers write disjoint parts.
unsafe impl<T: Send> Sync for Target<T> {}

impl<T: Element> Target<T> {
    /// Copies a tile to its place.
    ///
    /// # Safety
    /// The tile must lie inside the matrix, and no other thread may touch it.
    unsafe fn write(&self, rows: &Range<usize>, cols: &Range<usize>, tile: &[f64]) {
        for (i, values) in rows.clone().zip(tile.chunks(cols.len())) {
            // SAFETY: promised by the caller.
            let row =
                unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.ncols + cols.start), cols.len()) };
            T::store(values, row, self.past_caches);
        }
    }
}
