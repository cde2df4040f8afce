//! Whole matrices, computed tile by tile on all threads.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::Buffer;
use crate::run::{Reservation, Run, Work};

use super::matrix::{KernelMatrix, Shape, TileMut};
use super::store;
use super::tiling::{self, TILE};
use super::transpose::transpose;

/// What a matrix can be stored as. Values are computed in `f64`; `f32` is a choice of storage, and the
/// bytes of either are for memory that is not aligned.
///
/// Sealed: that every place of a matrix has been written rests on `store`.
pub trait Element: Copy + Send + Sync + sealed::Sealed + 'static {
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

impl Element for [u8; 8] {
    fn store(values: &[f64], place: &mut [MaybeUninit<Self>], _: bool) {
        for (slot, v) in place.iter_mut().zip(values) {
            slot.write(v.to_ne_bytes());
        }
    }
}

impl Element for [u8; 4] {
    fn store(values: &[f64], place: &mut [MaybeUninit<Self>], _: bool) {
        for (slot, v) in place.iter_mut().zip(values) {
            slot.write((*v as f32).to_ne_bytes());
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
    impl Sealed for [u8; 8] {}
    impl Sealed for [u8; 4] {}
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
    let shape @ Shape { nrows, ncols, symmetric } = Shape::of(matrix)?;
    let purpose = format!("the {nrows}×{ncols} kernel matrix");
    let alternative = "stream its products instead of storing it, use fewer rows, or raise the memory limit";
    let mut buffer = Buffer::<T>::reserve(nrows as u128 * ncols as u128, &purpose, alternative, run)?;
    fill(matrix, shape, buffer.as_mut_slice(), run)?;
    // SAFETY: `fill` has answered Ok, so it has written every element.
    let (values, reservation) = unsafe { buffer.assume_written() };
    Ok(DenseGram { values, nrows, ncols, symmetric, _reservation: reservation })
}

/// Computes the whole matrix into `out`: nrows×ncols, row-major.
pub fn dense_into<T: Element>(matrix: &dyn KernelMatrix, out: &mut [T], run: &Run) -> Result<()> {
    // SAFETY: a `T` is a valid `MaybeUninit<T>`, and only valid values are written through it: `fill`
    // writes with `Element::store`, which is sealed.
    let out = unsafe { &mut *(std::ptr::from_mut(out) as *mut [MaybeUninit<T>]) };
    dense_into_uninit(matrix, out, run)
}

/// Computes the whole matrix into memory that need not have been written before; all of it is
/// written if the answer is `Ok`.
pub fn dense_into_uninit<T: Element>(matrix: &dyn KernelMatrix, out: &mut [MaybeUninit<T>], run: &Run) -> Result<()> {
    let shape = Shape::of(matrix)?;
    if shape.nrows.checked_mul(shape.ncols) != Some(out.len()) {
        return Err(Error::shape("`out`", format!("{}×{} values", shape.nrows, shape.ncols), out.len()));
    }
    fill(matrix, shape, out, run)
}

/// Writes every element of `out`, which has the given shape, or fails. The matrix is not asked for its
/// shape again: it may be a user's, whose answers may change.
fn fill<T: Element>(matrix: &dyn KernelMatrix, shape: Shape, out: &mut [MaybeUninit<T>], run: &Run) -> Result<()> {
    let target = Target::new(out, shape);
    let tiles = tiles(shape);
    let task = run.task("gram", Some(tiles.len() as u64));
    run.install(|| {
        tiles
            .into_par_iter()
            .try_for_each_init(Vec::new, |scratch, tile| fill_tile(matrix, &target, &task, scratch, tile))
    })
}

/// The tiles to compute: all of them, or those on and below the diagonal.
fn tiles(shape: Shape) -> Vec<(Range<usize>, Range<usize>)> {
    let pairs =
        tiling::tiles(shape.nrows).flat_map(|rows| tiling::tiles(shape.ncols).map(move |cols| (rows.clone(), cols)));
    pairs.filter(|(rows, cols)| !shape.symmetric || cols.start <= rows.start).collect()
}

fn fill_tile<T: Element>(
    matrix: &dyn KernelMatrix,
    target: &Target<'_, T>,
    task: &Work<'_>,
    scratch: &mut Vec<f64>,
    (rows, cols): (Range<usize>, Range<usize>),
) -> Result<()> {
    let size = rows.len() * cols.len();
    scratch.resize(2 * TILE * TILE, 0.0);
    let (tile, mirrored) = scratch.split_at_mut(TILE * TILE);
    let (tile, mirrored) = (&mut tile[..size], &mut mirrored[..size]);
    // What a matrix leaves unwritten is what stood in the tile before. Filling it costs as much as cheap
    // kernels do, so only debug builds show the mistake.
    if cfg!(debug_assertions) {
        tile.fill(f64::NAN);
    }
    task.watched(|| matrix.block(rows.clone(), cols.clone(), TileMut::contiguous(tile, rows.len(), cols.len())))?;
    // SAFETY: `tiles` are disjoint, and so are the mirror images of those off the diagonal, which lie
    // above it where no tile is: the matrix is square, as `Shape::of` has made sure.
    unsafe { target.write(&rows, &cols, tile) };
    if target.shape.symmetric && rows.start != cols.start {
        transpose(tile, rows.len(), cols.len(), mirrored);
        // SAFETY: as above.
        unsafe { target.write(&cols, &rows, mirrored) };
    }
    store::fence();
    task.step_or_cancel()
}

/// The matrix that several threads write disjoint parts of.
struct Target<'a, T> {
    start: *mut MaybeUninit<T>,
    shape: Shape,
    past_caches: bool,
    memory: PhantomData<&'a mut [MaybeUninit<T>]>,
}

// SAFETY: the memory is borrowed exclusively for 'a, the pointer is only written through, and callers
// write disjoint parts.
unsafe impl<T: Send> Sync for Target<'_, T> {}

impl<'a, T: Element> Target<'a, T> {
    fn new(out: &'a mut [MaybeUninit<T>], shape: Shape) -> Self {
        assert_eq!(shape.nrows.checked_mul(shape.ncols), Some(out.len()), "the memory has the shape of the matrix");
        let past_caches = size_of_val(out) >= store::PAST_CACHES;
        Target { start: out.as_mut_ptr(), shape, past_caches, memory: PhantomData }
    }

    /// Copies a tile to its place.
    ///
    /// # Safety
    /// No other thread may touch these rows of these columns meanwhile.
    unsafe fn write(&self, rows: &Range<usize>, cols: &Range<usize>, tile: &[f64]) {
        let Shape { nrows, ncols, .. } = self.shape;
        assert!(rows.end <= nrows && cols.end <= ncols, "a tile lies inside the matrix");
        for (i, values) in rows.clone().zip(tile.chunks_exact(cols.len())) {
            // SAFETY: i < nrows and cols.end ≤ ncols, so the row of the tile lies inside the nrows·ncols
            // elements that `new` was given; that nobody else touches it is promised by the caller.
            let row = unsafe { std::slice::from_raw_parts_mut(self.start.add(i * ncols + cols.start), cols.len()) };
            T::store(values, row, self.past_caches);
        }
    }
}
