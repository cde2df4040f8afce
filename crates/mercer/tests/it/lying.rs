//! Matrices of users that do not say the truth about themselves.
//!
//! `KernelMatrix` is a safe trait: whatever an implementation answers, nothing outside of our memory may
//! be read or written, and nothing that was never written may be read. These tests run in `./test`, and
//! under valgrind in the step that CONTRIBUTING.md describes, which sees what assertions cannot.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::data::{PointSet, Rows};
use mercer::gram::{
    Centering, KernelColumns, KernelGradient, KernelMatrix, Pairwise, Streamed, TileMut, apply, column, dense,
    dense_into, pull_back, pull_back_symmetric,
};
use mercer::kernel::Kernel;
use mercer::linalg::{ColumnSource, LinearOperator};
use mercer::{Error, Result, Run};

/// A matrix whose answers come from lists, one after the other; the last one is repeated.
struct Liar {
    nrows: Answers<usize>,
    ncols: Answers<usize>,
    symmetric: Answers<bool>,
    block: fn(Range<usize>, Range<usize>, TileMut<'_>),
}

struct Answers<T>(Vec<T>, AtomicUsize);

impl<T: Copy> Answers<T> {
    fn new(list: &[T]) -> Self {
        Answers(list.to_vec(), AtomicUsize::new(0))
    }

    fn next(&self) -> T {
        let at = self.1.fetch_add(1, Ordering::Relaxed);
        self.0[at.min(self.0.len() - 1)]
    }
}

impl Liar {
    fn new(nrows: &[usize], ncols: &[usize], symmetric: &[bool]) -> Self {
        let (nrows, ncols, symmetric) = (Answers::new(nrows), Answers::new(ncols), Answers::new(symmetric));
        Liar { nrows, ncols, symmetric, block: whole }
    }
}

impl KernelMatrix for Liar {
    fn nrows(&self) -> usize {
        self.nrows.next()
    }

    fn ncols(&self) -> usize {
        self.ncols.next()
    }

    fn is_symmetric(&self) -> bool {
        self.symmetric.next()
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: TileMut<'_>) {
        (self.block)(rows, cols, out);
    }

    fn diag(&self, out: &mut [f64]) {
        out.fill(1.0);
    }
}

impl KernelGradient for Liar {
    fn n_params(&self) -> usize {
        self.ncols.next() % 7
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, w: &[f64], out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(w).for_each(|(o, w)| *o += w);
        Ok(())
    }
}

fn value(i: usize, j: usize) -> f64 {
    (i.min(j) * 1000 + i.max(j)) as f64
}

fn whole(rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
    for (r, i) in rows.enumerate() {
        out.row_mut(r).iter_mut().zip(cols.clone()).for_each(|(k, j)| *k = value(i, j));
    }
}

fn refused<T>(answer: Result<T>) {
    match answer {
        Err(Error::Shape { .. }) => {}
        Err(other) => panic!("a mistake of shape, not {other}"),
        Ok(_) => panic!("a symmetric matrix that is not square was taken"),
    }
}

#[test]
fn a_symmetric_matrix_must_be_square() {
    let run = Run::new();
    for (nrows, ncols) in [(10, 2000), (2000, 10), (1, 241), (0, 3)] {
        let liar = || Liar::new(&[nrows], &[ncols], &[true]);
        let size = nrows * ncols;
        refused(dense::<f64>(&liar(), &run));
        refused(dense::<f32>(&liar(), &run));
        refused(dense_into(&liar(), &mut vec![0.0; size], &run));
        refused(apply(&liar(), &vec![1.0; ncols], 1, &mut vec![0.0; nrows], &run));
        refused(Streamed(&liar()).apply(&vec![1.0; ncols], 1, &mut vec![0.0; nrows], &run));
        refused(column(&liar(), 0, &mut vec![0.0; nrows]));
        refused(KernelColumns(&liar()).column(0, &mut vec![0.0; nrows], &run));
        refused(pull_back(&liar(), &vec![1.0; size], &run));
        refused(pull_back_symmetric(&liar(), &vec![1.0; size], &run));
        refused(Centering::fit_streamed(&liar(), None, &run));
    }
}

/// Sizes that grow, shrink or jump after they were first asked for.
const CHANGING: [&[usize]; 6] =
    [&[300, 3000], &[3000, 300], &[300, 0], &[300, usize::MAX], &[300, 299, 301, 1, 10_000], &[1, 100_000]];

#[test]
fn the_shape_of_a_stored_matrix_is_the_one_that_was_said_first() {
    let run = Run::new();
    for nrows in CHANGING {
        for ncols in CHANGING {
            let gram = dense::<f64>(&Liar::new(nrows, ncols, &[false]), &run).expect("the first answers make sense");
            assert_eq!((gram.nrows(), gram.ncols(), gram.values().len()), (nrows[0], ncols[0], nrows[0] * ncols[0]));
            assert!((0..nrows[0]).all(|i| (0..ncols[0]).all(|j| gram.row(i)[j] == value(i, j))));
        }
    }
}

#[test]
fn a_matrix_that_changes_its_mind_about_symmetry_is_filled_whole() {
    let run = Run::new();
    for symmetric in [[true, false], [false, true]] {
        for n in [239, 240, 241, 700] {
            let liar = Liar::new(&[n, 2 * n], &[n, n / 2], &symmetric);
            let gram = dense::<f64>(&liar, &run).expect("square");
            assert_eq!(gram.is_symmetric(), symmetric[0]);
            assert!((0..n * n).all(|at| gram.values()[at] == value(at / n, at % n)), "{n} {symmetric:?}");
            let mut product = vec![0.0; n];
            apply(&Liar::new(&[n, 2 * n], &[n, n / 2], &symmetric), &vec![1.0; n], 1, &mut product, &run).expect("n");
            assert!(product.iter().enumerate().all(|(i, sum)| *sum == (0..n).map(|j| value(i, j)).sum::<f64>()));
        }
    }
}

#[test]
fn gradients_of_a_number_of_parameters_that_changes_have_the_first_number() {
    let liar = Liar::new(&[50], &[50, 4, 6, 0, 3], &[false]);
    let sums = pull_back(&liar, &vec![1.0; 2500], &Run::new()).expect("50×50");
    assert_eq!(sums.len(), 4);
}

#[test]
fn what_a_matrix_does_not_write_is_never_memory_of_others() {
    let run = Run::new();
    let nothing: fn(Range<usize>, Range<usize>, TileMut<'_>) = |_, _, _| {};
    let first_row = |rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>| {
        out.row_mut(0).iter_mut().for_each(|k| *k = (rows.len() * cols.len()) as f64);
    };
    for block in [nothing, first_row] {
        let gram = dense::<f64>(&Liar { block, ..Liar::new(&[500], &[700], &[false]) }, &run).expect("fits");
        let known = |v: &f64| v.is_nan() || (v.fract() == 0.0 && (0.0..=57_600.0).contains(v));
        assert!(gram.values().iter().all(known), "zeros, or what the matrix wrote itself");
    }
}

#[test]
fn a_panic_in_a_block_leaves_nothing_behind() {
    let run = Run::new().with_memory_limit(100 << 20);
    let left = run.memory_left();
    let fails: fn(Range<usize>, Range<usize>, TileMut<'_>) = |rows, cols, out| {
        assert!(rows.start < 480, "a mistake in a user's kernel");
        whole(rows, cols, out);
    };
    for symmetric in [true, false] {
        let liar = || Liar { block: fails, ..Liar::new(&[1000], &[1000], &[symmetric]) };
        let stored = catch_unwind(AssertUnwindSafe(|| dense::<f64>(&liar(), &run).map(|_| ())));
        let streamed =
            catch_unwind(AssertUnwindSafe(|| apply(&liar(), &vec![1.0; 1000], 1, &mut vec![0.0; 1000], &run)));
        assert!(stored.is_err() && streamed.is_err(), "the panic is the user's to see");
        assert_eq!(run.memory_left(), left, "the memory of a matrix that never came to be is given back");
    }
    let outside: fn(Range<usize>, Range<usize>, TileMut<'_>) = |rows, _, mut out| out.row_mut(rows.len())[0] = 1.0;
    let liar = Liar { block: outside, ..Liar::new(&[10], &[10], &[false]) };
    assert!(catch_unwind(AssertUnwindSafe(|| dense::<f64>(&liar, &run).map(|_| ()))).is_err());
}

/// Points whose number grows while they are read.
struct Growing(Rows, AtomicUsize);

impl PointSet for Growing {
    type Point = [f64];

    fn len(&self) -> usize {
        100 + 50 * self.1.fetch_add(1, Ordering::Relaxed)
    }

    fn point(&self, i: usize) -> &[f64] {
        self.0.row(i % self.0.nrows())
    }
}

struct First;

impl Kernel<[f64]> for First {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x[0].min(y[0])
    }
}

#[test]
fn points_that_grow_make_a_matrix_of_one_shape_or_none() {
    let rows = Rows::new((0..100).map(f64::from).collect::<Vec<_>>(), 100, 1).expect("100×1");
    let growing = || Growing(rows.clone(), AtomicUsize::new(0));
    // The number of columns is asked for after that of rows, so that the matrix is not square.
    refused(dense::<f64>(&Pairwise::gram(&First, &growing()), &Run::new()));
    let (x, y) = (growing(), growing());
    let cross = dense::<f64>(&Pairwise::cross(&First, &x, &y), &Run::new()).expect("of two sets");
    assert_eq!((cross.nrows(), cross.ncols(), cross.values().len()), (100, 100, 10_000));
}

#[test]
fn bytes_are_the_numbers_at_any_address() {
    let run = Run::new();
    let matrix = || Liar::new(&[300], &[300], &[true]);
    let gram = dense::<f64>(&matrix(), &run).expect("fits");
    let bytes = dense::<[u8; 8]>(&matrix(), &run).expect("fits");
    assert!(gram.values().iter().zip(bytes.values()).all(|(v, b)| v.to_ne_bytes() == *b));
    let single = dense::<f32>(&matrix(), &run).expect("fits");
    let bytes = dense::<[u8; 4]>(&matrix(), &run).expect("fits");
    assert!(single.values().iter().zip(bytes.values()).all(|(v, b)| v.to_ne_bytes() == *b));
}
