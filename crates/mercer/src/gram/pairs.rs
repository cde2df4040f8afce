//! Kernels that are computed pair by pair.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::data::{PointSet, Texts};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, KernelGrad};
use crate::run::{Reservation, Run, leave_off};

use super::leaf_gradient::add;
use super::node::{Side, Slope};

/// A kernel of pairs, bound to its points.
pub(crate) trait Pairs: Send + Sync {
    /// Writes a block, row-major and contiguous.
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]);

    /// Writes k(x, x) for the points of one side.
    fn diag(&self, side: Side, out: &mut [f64]);

    /// Adds Σ w·∂k/∂θ over a block to `out`.
    fn pull_back(&self, rows: Range<usize>, cols: Range<usize>, w: &[f64], out: &mut [f64]) -> Result<()>;

    /// Whether a value takes so long that it is worth eight bytes to have it but once.
    fn is_costly(&self) -> bool {
        false
    }

    /// Writes k of one row and some columns. Where the columns are the rows, two points have one value, whichever is the row.
    fn some(&self, row: usize, cols: &[usize], out: &mut [f64]) {
        for (k, j) in out.iter_mut().zip(cols) {
            self.block(row..row + 1, *j..j + 1, std::slice::from_mut(k));
        }
    }

    /// Whether [`add_product`](Self::add_product) is there and pays. The rows have no say in it.
    fn has_product(&self) -> bool {
        false
    }

    /// Adds K·V to `out`, both row-major with k columns, without looking at pairs.
    fn add_product(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let _ = (v, k, out, run);
        Ok(())
    }
}

/// The points of both sides; the columns are the rows when there are no others.
pub(crate) struct PointList<T> {
    pub(crate) x: Vec<T>,
    pub(crate) y: Option<Vec<T>>,
    pub(crate) depth: usize,
    /// Gives the memory of the points back when they go.
    pub(crate) reserved: Vec<Reservation>,
}

impl<T> PointList<T> {
    fn side(&self, side: Side) -> &[T] {
        match (side, &self.y) {
            (Side::Cols, Some(y)) => y,
            _ => &self.x,
        }
    }

    fn point(&self, side: Side, i: usize) -> &[T] {
        &self.side(side)[i * self.depth..(i + 1) * self.depth]
    }
}

/// A kernel of Mercer's own with a gradient; `slopes[p]` says where the derivative by its p-th
/// parameter goes.
pub(crate) struct Paired<T, K> {
    pub(crate) kernel: K,
    pub(crate) points: PointList<T>,
    pub(crate) slopes: Vec<Option<Slope>>,
}

impl<T: Send + Sync, K: KernelGrad<[T]>> Pairs for Paired<T, K> {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        evaluate(&self.kernel, &self.points, (rows, cols), out);
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        for (i, k) in out.iter_mut().enumerate() {
            *k = self.kernel.diag(self.points.point(side, i));
        }
    }

    fn pull_back(&self, rows: Range<usize>, cols: Range<usize>, w: &[f64], out: &mut [f64]) -> Result<()> {
        if self.slopes.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut gradient = vec![0.0; self.kernel.n_params()];
        for (i, w) in rows.zip(w.chunks(cols.len())) {
            for (j, w) in cols.clone().zip(w) {
                self.kernel.grad(self.points.point(Side::Rows, i), self.points.point(Side::Cols, j), &mut gradient);
                for (slope, g) in self.slopes.iter().zip(&gradient) {
                    add(out, *slope, w * g);
                }
            }
        }
        Ok(())
    }
}

/// A kernel of structured values with a gradient; several columns add up. `slopes` as in [`Paired`].
pub(crate) struct StructuredPairs<K, P> {
    pub(crate) kernel: K,
    pub(crate) x: Vec<P>,
    pub(crate) y: Option<Vec<P>>,
    pub(crate) slopes: Vec<Option<Slope>>,
    pub(crate) pace: Pace,
}

impl<K, P: PointSet> StructuredPairs<K, P> {
    fn side(&self, side: Side) -> &[P] {
        match (side, &self.y) {
            (Side::Cols, Some(y)) => y,
            _ => &self.x,
        }
    }

    /// Calls `visit` with the points of both sides, a column at a time.
    fn each_column(&self, cols: &Range<usize>, mut visit: impl FnMut(&P, &[&P::Point])) {
        for (x, y) in self.x.iter().zip(self.side(Side::Cols)) {
            let ys: Vec<&P::Point> = cols.clone().map(|j| y.point(j)).collect();
            visit(x, &ys);
        }
    }
}

impl<P: PointSet + Send, K: KernelGrad<P::Point>> Pairs for StructuredPairs<K, P> {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
        let mut values = vec![0.0; cols.len()];
        self.each_column(&cols, |x, ys| {
            for (i, out) in rows.clone().zip(out.chunks_mut(cols.len().max(1))) {
                let whole = self.pace.parts(ys.len(), |part| {
                    evaluate_many::<P, K>(&self.kernel, x.point(i), &ys[part.clone()], &mut values[part]);
                });
                if !whole {
                    return;
                }
                out.iter_mut().zip(&values).for_each(|(k, v)| *k += v);
            }
        });
    }

    fn is_costly(&self) -> bool {
        true
    }

    fn some(&self, row: usize, cols: &[usize], out: &mut [f64]) {
        out.fill(0.0);
        let mut values = vec![0.0; cols.len()];
        for (x, y) in self.x.iter().zip(self.side(Side::Cols)) {
            let ys: Vec<&P::Point> = cols.iter().map(|j| y.point(*j)).collect();
            let whole = self.pace.parts(ys.len(), |part| {
                evaluate_many::<P, K>(&self.kernel, x.point(row), &ys[part.clone()], &mut values[part]);
            });
            if !whole {
                return;
            }
            out.iter_mut().zip(&values).for_each(|(k, v)| *k += v);
        }
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        out.fill(0.0);
        for points in self.side(side) {
            for (i, k) in out.iter_mut().enumerate() {
                *k += self.kernel.diag(points.point(i));
            }
        }
    }

    fn pull_back(&self, rows: Range<usize>, cols: Range<usize>, w: &[f64], out: &mut [f64]) -> Result<()> {
        if self.slopes.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut gradient = vec![0.0; self.kernel.n_params()];
        self.each_column(&cols, |x, ys| {
            for (i, w) in rows.clone().zip(w.chunks(cols.len().max(1))) {
                self.pace.parts(ys.len(), |part| {
                    grad_many::<P, K>(&self.kernel, x.point(i), &ys[part.clone()], &w[part], &mut gradient);
                });
            }
        });
        self.slopes.iter().zip(&gradient).for_each(|(slope, g)| add(out, *slope, *g));
        Ok(())
    }
}

/// How many pairs are computed between two looks at the run: as many as take a moment. Values do not depend on it.
pub(crate) struct Pace(AtomicUsize);

impl Pace {
    /// Fewer would leave lanes of vectors empty.
    const LEAST: usize = 8;
    const MOST: usize = 4096;
    const SHORT: Duration = Duration::from_millis(5);
    const LONG: Duration = Duration::from_millis(50);

    pub(crate) fn new() -> Self {
        Pace(AtomicUsize::new(Self::LEAST))
    }

    /// Calls `work` for the parts of 0..len, until it is to be left off; answers whether all was done.
    fn parts(&self, len: usize, mut work: impl FnMut(Range<usize>)) -> bool {
        let mut start = 0;
        while start < len {
            if leave_off() {
                return false;
            }
            let (at_once, began) = (self.0.load(Ordering::Relaxed), Instant::now());
            let end = (start + at_once).min(len);
            work(start..end);
            start = end;
            match began.elapsed() {
                spent if spent > Self::LONG => self.0.store((at_once / 2).max(Self::LEAST), Ordering::Relaxed),
                spent if spent < Self::SHORT => self.0.store((2 * at_once).min(Self::MOST), Ordering::Relaxed),
                _ => {}
            }
        }
        true
    }
}

super::simd::dispatch! {
    /// Writes k(x, y) for each of `ys`; the loops inside the kernel are vector code.
    pub(crate) fn evaluate_many<P: PointSet, K: KernelGrad<P::Point>>(
        kernel: &K, x: &P::Point, ys: &[&P::Point], out: &mut [f64],
    ) {
        kernel.eval_many(x, ys, out);
    }
}

super::simd::dispatch! {
    /// Adds Σⱼ wⱼ·∂k(x, yⱼ)/∂p to `out`.
    pub(crate) fn grad_many<P: PointSet, K: KernelGrad<P::Point>>(
        kernel: &K, x: &P::Point, ys: &[&P::Point], w: &[f64], out: &mut [f64],
    ) {
        kernel.grad_many(x, ys, w, out);
    }
}

/// A user's kernel of vectors.
pub(crate) struct UserVectors {
    pub(crate) name: String,
    pub(crate) kernel: Box<dyn Kernel<[f64]>>,
    pub(crate) points: PointList<f64>,
    pub(crate) free: bool,
}

impl Pairs for UserVectors {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        for (i, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            let x = self.points.point(Side::Rows, i);
            for (k, j) in out.iter_mut().zip(cols.clone()) {
                *k = self.kernel.eval(x, self.points.point(Side::Cols, j));
            }
        }
    }

    fn is_costly(&self) -> bool {
        true
    }

    fn some(&self, row: usize, cols: &[usize], out: &mut [f64]) {
        for (k, j) in out.iter_mut().zip(cols) {
            let (i, j) = first_and_second(row, *j, self.points.y.is_none());
            *k = self.kernel.eval(self.points.point(Side::Rows, i), self.points.point(Side::Cols, j));
        }
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        for (i, k) in out.iter_mut().enumerate() {
            *k = self.kernel.diag(self.points.point(side, i));
        }
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) -> Result<()> {
        no_gradient(&self.name, self.free)
    }
}

/// Which of two points a user's function is to have first: it need not answer the same bits the other way round.
fn first_and_second(row: usize, col: usize, one_set: bool) -> (usize, usize) {
    if one_set { (row.min(col), row.max(col)) } else { (row, col) }
}

/// A user's kernel of strings.
pub(crate) struct UserTexts {
    pub(crate) name: String,
    pub(crate) kernel: Box<dyn Kernel<str>>,
    pub(crate) x: Texts,
    pub(crate) y: Option<Texts>,
    pub(crate) free: bool,
}

impl UserTexts {
    fn side(&self, side: Side) -> &Texts {
        match (side, &self.y) {
            (Side::Cols, Some(y)) => y,
            _ => &self.x,
        }
    }
}

impl Pairs for UserTexts {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        for (i, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            for (k, j) in out.iter_mut().zip(cols.clone()) {
                *k = self.kernel.eval(self.x.get(i), self.side(Side::Cols).get(j));
            }
        }
    }

    fn is_costly(&self) -> bool {
        true
    }

    fn some(&self, row: usize, cols: &[usize], out: &mut [f64]) {
        for (k, j) in out.iter_mut().zip(cols) {
            let (i, j) = first_and_second(row, *j, self.y.is_none());
            *k = self.kernel.eval(self.x.get(i), self.side(Side::Cols).get(j));
        }
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        for (k, text) in out.iter_mut().zip(self.side(side).iter()) {
            *k = self.kernel.diag(text);
        }
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) -> Result<()> {
        no_gradient(&self.name, self.free)
    }
}

/// Values that were computed elsewhere, or at binding.
pub(crate) struct Materialised {
    pub(crate) name: String,
    pub(crate) values: std::sync::Arc<[f64]>,
    pub(crate) ncols: usize,
    /// k(x, x) of the rows and of the columns.
    pub(crate) diagonals: [Vec<f64>; 2],
    pub(crate) free: bool,
}

impl Pairs for Materialised {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        for (i, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            out.copy_from_slice(&self.values[i * self.ncols + cols.start..i * self.ncols + cols.end]);
        }
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        out.copy_from_slice(&self.diagonals[usize::from(side == Side::Cols)]);
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) -> Result<()> {
        no_gradient(&self.name, self.free)
    }
}

fn no_gradient(name: &str, free: bool) -> Result<()> {
    if !free {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: format!("tuning the parameters of the user kernel `{name}` by gradient"),
        alternative: "fix them with `!`, or search for them without derivatives".into(),
    })
}

/// Rows and columns of a block.
type Block = (Range<usize>, Range<usize>);

super::simd::dispatch! {
    /// Writes a block, pair by pair; the loop inside a pair is vector code.
    pub(crate) fn evaluate<T: Send, K: Kernel<[T]>>(kernel: &K, points: &PointList<T>, block: Block, out: &mut [f64]) {
        let (rows, cols) = block;
        for (i, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            let x = points.point(Side::Rows, i);
            for (k, j) in out.iter_mut().zip(cols.clone()) {
                *k = kernel.eval(x, points.point(Side::Cols, j));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::gram::prepared_list::List;

    /// A kernel that raises the flag of its run when it has been called ten times.
    struct Raising {
        calls: AtomicUsize,
        flag: Arc<AtomicBool>,
    }

    impl Kernel<u8> for Raising {
        fn eval(&self, _: &u8, _: &u8) -> f64 {
            self.flag.fetch_or(self.calls.fetch_add(1, Ordering::Relaxed) >= 10, Ordering::Relaxed);
            1.0
        }
    }

    impl KernelGrad<u8> for Raising {
        fn n_params(&self) -> usize {
            0
        }

        fn grad(&self, _: &u8, _: &u8, _: &mut [f64]) {}
    }

    #[test]
    fn a_block_is_left_off_when_its_run_is_to_stop() {
        let flag = Arc::new(AtomicBool::new(false));
        let kernel = Raising { calls: AtomicUsize::new(0), flag: Arc::clone(&flag) };
        let pairs = StructuredPairs {
            kernel,
            x: vec![List::from(vec![0; 500])],
            y: None,
            slopes: Vec::new(),
            pace: Pace::new(),
        };
        let mut out = vec![f64::NAN; 500 * 500];
        let run = Run::new().with_cancel(flag);
        let stopped = run.task("gram", None).watched(|| pairs.block(0..500, 0..500, &mut out));
        assert!(matches!(stopped, Err(Error::Cancelled { .. })));
        assert!(pairs.kernel.calls.load(Ordering::Relaxed) < 100);
        // Whoever does not watch gets all values.
        pairs.block(0..500, 0..500, &mut out);
        assert!(out.iter().all(|k| *k == 1.0));
    }
}
