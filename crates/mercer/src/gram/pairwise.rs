//! A user's kernel, as a Rust type, on any set of points.

use std::ops::Range;

use crate::data::PointSet;
use crate::kernel::Kernel;

use super::matrix::{KernelMatrix, TileMut};

/// The kernel matrix of any [`Kernel`] on any [`PointSet`].
///
/// ```
/// use mercer::data::Rows;
/// use mercer::gram::{KernelMatrix, Pairwise, dense};
/// use mercer::kernel::vector::Min;
/// let x = Rows::new(vec![1.0, 2.0, 3.0], 3, 1)?;
/// let matrix = Pairwise::gram(&Min, &x);
/// let gram = dense::<f64>(&matrix, &mercer::Run::new())?;
/// assert_eq!(gram.row(1), [1.0, 2.0, 2.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Pairwise<'a, K: ?Sized, P> {
    kernel: &'a K,
    x: &'a P,
    y: Option<&'a P>,
}

impl<'a, K: ?Sized, P> Pairwise<'a, K, P> {
    /// The Gram matrix of one set.
    pub fn gram(kernel: &'a K, x: &'a P) -> Self {
        Pairwise { kernel, x, y: None }
    }

    /// The cross matrix of two sets.
    pub fn cross(kernel: &'a K, x: &'a P, y: &'a P) -> Self {
        Pairwise { kernel, x, y: Some(y) }
    }

    fn columns(&self) -> &'a P {
        self.y.unwrap_or(self.x)
    }
}

impl<K, P> KernelMatrix for Pairwise<'_, K, P>
where
    P: PointSet,
    K: Kernel<P::Point> + ?Sized,
{
    fn nrows(&self) -> usize {
        self.x.len()
    }

    fn ncols(&self) -> usize {
        self.columns().len()
    }

    fn is_symmetric(&self) -> bool {
        self.y.is_none()
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
        for (r, i) in rows.enumerate() {
            for (k, j) in out.row_mut(r).iter_mut().zip(cols.clone()) {
                *k = self.kernel.eval(self.x.point(i), self.columns().point(j));
            }
        }
    }

    fn diag(&self, out: &mut [f64]) {
        for (i, k) in out.iter_mut().enumerate() {
            *k = self.kernel.diag(self.x.point(i));
        }
    }
}
