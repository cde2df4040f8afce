//! Kernel matrices, read in blocks.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::run::Run;

/// A row-major window into a matrix.
#[derive(Debug)]
pub struct TileMut<'a> {
    values: &'a mut [f64],
    stride: usize,
    nrows: usize,
    ncols: usize,
}

impl<'a> TileMut<'a> {
    /// Windows `values` so that row i begins at i·stride. Rows must not overlap and must lie inside.
    ///
    /// # Panics
    /// If they do not; that is a mistake of the caller, not of the data.
    pub fn new(values: &'a mut [f64], stride: usize, nrows: usize, ncols: usize) -> Self {
        let last = nrows.saturating_sub(1).checked_mul(stride);
        let needed = last.and_then(|start| start.checked_add(if nrows == 0 { 0 } else { ncols }));
        let fits = needed.is_some_and(|needed| values.len() >= needed);
        assert!(stride >= ncols && fits, "a tile lies inside its buffer");
        TileMut { values, stride, nrows, ncols }
    }

    /// A window on all of a contiguous nrows×ncols buffer.
    pub fn contiguous(values: &'a mut [f64], nrows: usize, ncols: usize) -> Self {
        Self::new(values, ncols, nrows, ncols)
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.ncols
    }

    /// The values of these rows, if the tile is contiguous and `width` columns wide.
    pub(super) fn contiguous_rows(&mut self, rows: Range<usize>, width: usize) -> Option<&mut [f64]> {
        let whole = self.stride == width && self.ncols == width;
        whole.then(|| &mut self.values[rows.start * width..rows.end * width])
    }

    /// Row `i`.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..i * self.stride + self.ncols]
    }
}

/// A matrix of kernel values that knows its data, not its kernel.
///
/// Any block can be had at any time; a value does not depend on the block it was computed in.
pub trait KernelMatrix: Sync {
    /// Number of rows.
    fn nrows(&self) -> usize;

    /// Number of columns.
    fn ncols(&self) -> usize;

    /// Whether rows and columns are the same points, so that the matrix is symmetric and only one
    /// half of it needs to be computed.
    fn is_symmetric(&self) -> bool;

    /// Writes K[rows, cols]; `out` has the shape of the block.
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: TileMut<'_>);

    /// Writes k(x, x) for the points x of the rows.
    fn diag(&self, out: &mut [f64]);

    /// Writes K·V by a way that reads no values of pairs, if there is one and it pays: V is ncols×k and `out` nrows×k, both
    /// row-major. Otherwise says `false` and leaves `out` as it is. Which way is taken must not depend on the rows, so that
    /// a row of the product does not either.
    fn product(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<bool> {
        let _ = (v, k, out, run);
        Ok(false)
    }
}

/// Writes a block of a matrix that is another one mapped row by row: `row(i, values, out)` is given the values of row i.
pub(crate) fn map_block(
    matrix: &dyn KernelMatrix,
    rows: Range<usize>,
    cols: Range<usize>,
    mut out: TileMut<'_>,
    row: impl Fn(usize, &[f64], &mut [f64]),
) {
    let (height, width) = (rows.len(), cols.len());
    let mut tile = vec![0.0; height * width];
    matrix.block(rows.clone(), cols, TileMut::contiguous(&mut tile, height, width));
    for (r, values) in tile.chunks(width.max(1)).enumerate().take(height) {
        row(rows.start + r, values, out.row_mut(r));
    }
}

/// What a matrix says of itself, asked once. Anybody may implement [`KernelMatrix`], and a matrix whose
/// answers change from call to call must not make us read or write outside of our memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) nrows: usize,
    pub(crate) ncols: usize,
    pub(crate) symmetric: bool,
}

impl Shape {
    /// Asks the matrix; a symmetric one must be square.
    pub(crate) fn of(matrix: &dyn KernelMatrix) -> Result<Self> {
        let shape = Shape { nrows: matrix.nrows(), ncols: matrix.ncols(), symmetric: matrix.is_symmetric() };
        match shape.symmetric && shape.nrows != shape.ncols {
            false => Ok(shape),
            true => {
                let got = format!("{}×{}", shape.nrows, shape.ncols);
                Err(Error::shape("a matrix that says it is symmetric", "as many columns as rows", got))
            }
        }
    }
}

/// A kernel matrix whose parameters can be tuned by gradient.
pub trait KernelGradient: KernelMatrix {
    /// Number of free parameters, θ.
    fn n_params(&self) -> usize;

    /// Adds Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θₖ over a block to `out[k]`; W is row-major with the shape of the block.
    ///
    /// Pulling the weights back this way needs no matrix per parameter. Fails when a kernel in
    /// the formula has free parameters and no gradient.
    fn pull_back(&self, rows: Range<usize>, cols: Range<usize>, w: &[f64], out: &mut [f64]) -> Result<()>;
}
