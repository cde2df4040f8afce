//! Kernels of the windows of sequences, bound.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{PointSet, Texts};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::kernel::sequence::{ByDistance, Words};
use crate::run::Run;

use super::bind::Binder;
use super::columns::Place;
use super::node::{Node, Side};
use super::pairs::{List, Pairs};
use super::structured::both;
use super::word_table::WordTable;

/// Sequences of one or several columns, which add up, as their windows.
pub(crate) struct WordPairs {
    kernel: ByDistance,
    x: Vec<List<Words>>,
    /// `None` when the columns are the rows.
    y: Option<Vec<List<Words>>>,
}

/// Binds a kernel of windows; one whose settings do not fit together is refused at its place in the formula.
pub(super) fn words(binder: &Binder<'_>, place: Place<'_>, kernel: Result<ByDistance>) -> Result<Node> {
    let kernel = kernel.map_err(|error| place.error(None, error.to_string(), error.hint()))?;
    let columns = place.names(binder.x)?;
    let (x, y) = both::<Texts>(binder, place, &columns)?;
    let side = |columns: Vec<Texts>| {
        columns.iter().map(|texts| List::prepared(&kernel, texts, binder.run)).collect::<Result<Vec<_>>>()
    };
    let (x, y) = (side(x)?, y.map(side).transpose()?);
    Ok(Node::Pairs(Box::new(WordPairs { kernel, x, y })))
}

impl WordPairs {
    fn side(&self, side: Side) -> &[List<Words>] {
        match (side, &self.y) {
            (Side::Cols, Some(y)) => y,
            _ => &self.x,
        }
    }
}

impl Pairs for WordPairs {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
        for (x, y) in self.x.iter().zip(self.side(Side::Cols)) {
            add_block(&self.kernel, &x.0[rows.clone()], &y.0[cols.clone()], out);
        }
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        out.fill(0.0);
        for words in self.side(side) {
            for (i, k) in out.iter_mut().enumerate() {
                let x = std::slice::from_ref(words.point(i));
                add_block(&self.kernel, x, x, std::slice::from_mut(k));
            }
        }
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) -> Result<()> {
        Ok(())
    }

    /// Smoothing a table costs as much as comparing a few sequences with a quarter as many windows as it has words.
    fn has_product(&self) -> bool {
        let windows = |words: &List<Words>| words.0.iter().map(|w| w.counted().len() as u128).sum::<u128>();
        let fewest = self.side(Side::Cols).iter().map(windows).min().unwrap_or(0);
        WordTable::fits(self.kernel.windows()) && 4 * fewest >= self.kernel.scheme().words()
    }

    fn add_product(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let mut table = WordTable::new(self.kernel.windows(), run)?;
        for (x, y) in self.x.iter().zip(self.side(Side::Cols)) {
            for column in 0..k {
                table.clear();
                for (words, v) in y.0.iter().zip(v.chunks(k)) {
                    table.add(words, v[column]);
                }
                table.smooth(self.kernel.h(), run)?;
                let rows = out.par_chunks_mut(k).zip(&x.0);
                run.install(|| rows.for_each(|(out, words)| out[column] += table.sum(words)));
            }
        }
        Ok(())
    }
}

super::simd::dispatch! {
    /// Adds the kernel values of all pairs; counting is vector code.
    pub(crate) fn add_block(kernel: &ByDistance, x: &[Words], y: &[Words], out: &mut [f64]) {
        for (x, out) in x.iter().zip(out.chunks_mut(y.len().max(1))) {
            for (y, k) in y.iter().zip(out) {
                *k += kernel.eval(x, y);
            }
        }
    }
}
