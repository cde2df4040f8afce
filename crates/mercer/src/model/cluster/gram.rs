//! The kernel matrix of different points: in memory where there is room for it, a few rows at a time elsewhere.

use std::ops::Range;

use crate::data::{Inputs, Precomputed};
use crate::error::{Error, Result};
use crate::gram::{Bound, DenseGram, KernelMatrix, TileMut, dense};
use crate::rkhs::Space;
use crate::run::Run;
use crate::solver::k_means::{GramRows, SomeRows};

/// K of some points.
pub(super) struct Gram<'a> {
    space: &'a Space,
    x: &'a Inputs,
    bound: Bound,
    stored: Option<DenseGram>,
    diagonal: Vec<f64>,
}

impl<'a> Gram<'a> {
    /// Keeps the matrix if it takes no more than half of the memory that is left.
    pub(super) fn new(space: &'a Space, x: &'a Inputs, run: &Run) -> Result<Self> {
        let bound = space.gram(x, run)?;
        let n = x.len();
        let _reserved = run.reserve(8 * n as u128, "the diagonal of the kernel matrix", "use fewer rows")?;
        let mut diagonal = vec![0.0; n];
        bound.diag(&mut diagonal);
        check_finite(&diagonal)?;
        let fits = 16 * n as u128 * n as u128 <= u128::from(run.memory_left());
        let stored = if fits { Some(dense(&bound, run)?) } else { None };
        Ok(Gram { space, x, bound, stored, diagonal })
    }

    /// The whole matrix, to be read in blocks.
    pub(super) fn matrix(&self) -> &dyn KernelMatrix {
        self.stored.as_ref().map_or(&self.bound, |stored| stored)
    }
}

fn check_finite(diagonal: &[f64]) -> Result<()> {
    let Some(first_row) = diagonal.iter().position(|k| !k.is_finite()) else { return Ok(()) };
    Err(Error::NonFinite {
        place: "the kernel values k(x, x)".into(),
        count: diagonal.iter().filter(|k| !k.is_finite()).count(),
        total: diagonal.len(),
        first_row,
        what: "too large for a number".into(),
    })
}

impl GramRows for Gram<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows<'b>(&'b self, rows: &[usize], run: &Run) -> Result<Box<dyn SomeRows + 'b>> {
        if let Some(gram) = &self.stored {
            return Ok(Box::new(Kept { gram, rows: rows.to_vec() }));
        }
        let Inputs::Precomputed(k) = self.x else {
            return Ok(Box::new(Computed(self.space.cross(&self.x.take(rows), self.x, run)?)));
        };
        let values: Vec<f64> = rows.iter().flat_map(|i| k.row(*i).iter().copied()).collect();
        let (some, all) =
            (Precomputed::new(values, rows.len(), k.ncols())?, Precomputed::new(Vec::new(), k.ncols(), 0)?);
        Ok(Box::new(Computed(self.space.cross(&some.into(), &all.into(), run)?)))
    }
}

/// Rows of a matrix in memory.
struct Kept<'a> {
    gram: &'a DenseGram,
    rows: Vec<usize>,
}

impl SomeRows for Kept<'_> {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        for (place, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            out.copy_from_slice(&self.gram.row(self.rows[place])[cols.clone()]);
        }
    }
}

/// Rows that are computed when they are read.
struct Computed(Bound);

impl SomeRows for Computed {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let (height, width) = (rows.len(), cols.len());
        self.0.block(rows, cols, TileMut::contiguous(out, height, width));
    }
}
