//! Kernels of how many categories two points have in common, bound.

use std::ops::Range;

use crate::data::Names;
use crate::error::Result;
use crate::kernel::Kernel;

use super::bind::Binder;
use super::columns::Place;
use super::node::{Node, Side};
use super::pairs::Pairs;

/// Points as codes, column after column, so that a row is compared with many at once.
struct Agreements {
    x: Vec<Vec<u32>>,
    /// `None` when the columns are the rows.
    y: Option<Vec<Vec<u32>>>,
    /// The kernel value of each number of columns in which two points agree.
    values: Vec<f64>,
}

/// Binds a kernel whose value depends on the number of agreements alone.
pub(super) fn agreements(binder: &Binder<'_>, place: Place<'_>, kernel: &impl Kernel<[u32]>) -> Result<Node> {
    let columns = place.names(binder.x)?;
    let mut levels = Binder::numberings(columns.len());
    let x = by_column(&columns, place.codes(binder.x, &columns, &mut levels)?);
    let y = match binder.y {
        None => None,
        Some(y) => {
            place.names(y)?;
            Some(by_column(&columns, place.codes(y, &columns, &mut levels)?))
        }
    };
    Ok(Node::Pairs(Box::new(Agreements { x, y, values: values(kernel, columns.len()) })))
}

/// k of two points that agree in 0, 1, …, d columns.
fn values(kernel: &impl Kernel<[u32]>, d: usize) -> Vec<f64> {
    let other = |agree: usize| (0..d).map(|j| u32::from(j >= agree)).collect::<Vec<u32>>();
    (0..=d).map(|agree| kernel.eval(&vec![0; d], &other(agree))).collect()
}

fn by_column(columns: &Names, codes: Vec<u32>) -> Vec<Vec<u32>> {
    let depth = columns.len();
    (0..depth).map(|j| codes.iter().skip(j).step_by(depth).copied().collect()).collect()
}

impl Pairs for Agreements {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let mut counts = vec![0; cols.len()];
        let sides: Vec<(&[u32], &[u32])> =
            self.x.iter().zip(self.y.as_ref().unwrap_or(&self.x)).map(|(x, y)| (&x[..], &y[cols.clone()])).collect();
        for (i, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            common(&sides, i, &mut counts);
            out.iter_mut().zip(&counts).for_each(|(k, agree)| *k = self.values[*agree as usize]);
        }
    }

    fn diag(&self, _: Side, out: &mut [f64]) {
        out.fill(self.values.last().copied().unwrap_or(0.0));
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) -> Result<()> {
        Ok(())
    }
}

super::simd::dispatch! {
    /// In how many columns the i-th point of one side agrees with each of the other.
    pub(crate) fn common(sides: &[(&[u32], &[u32])], i: usize, counts: &mut [u32]) {
        counts.fill(0);
        for (x, y) in sides {
            let own = x[i];
            counts.iter_mut().zip(*y).for_each(|(count, code)| *count += u32::from(own == *code));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::values;
    use crate::kernel::{Delta, Hamming};

    #[test]
    fn values_are_those_of_the_kernels() {
        assert_eq!(values(&Hamming, 4), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(values(&Delta, 3), [0.0, 0.0, 0.0, 1.0]);
    }
}
