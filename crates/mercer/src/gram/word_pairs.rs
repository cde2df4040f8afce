//! Kernels of the windows of sequences, bound.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{PointSet, Texts};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::kernel::sequence::{ByDistance, Words};
use crate::run::Run;

use super::bind::Binder;
use super::columns::Place;
use super::node::{Node, Side};
use super::pairs::Pairs;
use super::prepared_list::List;
use super::smoothed_words::SmoothedWords;
use super::structured::both;
use super::word_table::{Transform, WordTable};

/// Sequences of one or several columns, which add up, as their windows.
pub(crate) struct WordPairs {
    kernel: ByDistance,
    x: Vec<List<Words>>,
    /// `None` when the columns are the rows.
    y: Option<Vec<List<Words>>>,
    /// For each column, smoothed counts of words, where that is faster than counting pairs.
    smoothed: Vec<Option<SmoothedWords>>,
}

/// Words of a table for each window of the columns, at most, for products to go through it. Smoothing then costs as much as comparing
/// some sixteen sequences of 200 letters with the columns: fewer of them lose a moment, and many gain all there is to gain.
const WORDS_A_WINDOW: u128 = 32;
/// Pairs of windows, some seconds of counting, from which on a table is smoothed for a pair of sequences.
const MANY_PAIRS: u128 = 1 << 33;
/// Words of such a table: 128 MiB.
const MOST_WORDS: u128 = 1 << 24;

/// Binds a kernel of windows; one whose settings do not fit together is refused at its place in the formula.
pub(super) fn words(binder: &Binder<'_>, place: Place<'_>, kernel: Result<ByDistance>) -> Result<Node> {
    let kernel = kernel.map_err(|error| place.error(None, error.to_string(), error.hint()))?;
    let columns = place.names(binder.x)?;
    let (x, y) = both::<Texts>(binder, place, &columns)?;
    let side = |columns: Vec<Texts>| {
        let refuse = |row: usize, expected, got| Error::shape(format!("the sequence in row {row}"), expected, got);
        columns.iter().map(|texts| List::prepared(&kernel, texts, refuse, binder.run)).collect::<Result<Vec<_>>>()
    };
    let (x, y) = (side(x)?, y.map(side).transpose()?);
    let smoothed = x.iter().zip(y.as_ref().unwrap_or(&x));
    let smoothed = smoothed.map(|(x, y)| SmoothedWords::new(&kernel, &x.points, &y.points, binder.run));
    let smoothed = smoothed.collect::<Result<_>>()?;
    Ok(Node::Pairs(Box::new(WordPairs { kernel, x, y, smoothed })))
}

impl WordPairs {
    fn side(&self, side: Side) -> &[List<Words>] {
        match (side, &self.y) {
            (Side::Cols, Some(y)) => y,
            _ => &self.x,
        }
    }
}

impl WordPairs {
    /// Adds the values of all pairs: by counting distances, but of two very long sequences by smoothing the windows of one.
    fn add_values(&self, x: &[Words], y: &[Words], out: &mut [f64]) {
        let longest = |list: &[Words]| list.iter().map(|w| w.counted().len() as u128).max().unwrap_or(0);
        if self.kernel.scheme().words() > MOST_WORDS || longest(x) * longest(y) < MANY_PAIRS {
            return add_block(&self.kernel, x, y, out);
        }
        for (x, out) in x.iter().zip(out.chunks_mut(y.len().max(1))) {
            for (y, k) in y.iter().zip(out) {
                // The pair decides, not the block, and which of the two is smoothed does not depend on their order.
                match (x.counted().len() as u128) * (y.counted().len() as u128) < MANY_PAIRS {
                    true => *k += self.kernel.eval(x, y),
                    false if x.counted() < y.counted() => *k += self.smoothed_value(x, y),
                    false => *k += self.smoothed_value(y, x),
                }
            }
        }
    }

    /// ⟨cₓ, H·c_y⟩.
    fn smoothed_value(&self, x: &Words, y: &Words) -> f64 {
        let (windows, scheme) = (self.kernel.windows(), self.kernel.scheme());
        let mut table = vec![0.0; scheme.words() as usize];
        y.counted().iter().for_each(|(word, count)| table[windows.index(*word)] += *count as f64);
        let smoothed = Transform::new(scheme).smooth(&mut table, &scheme.eigenvalues(self.kernel.h()), || Ok(()));
        debug_assert!(smoothed.is_ok(), "nobody stops it");
        x.strands().map(|(word, count)| table[windows.index(word)] * count as f64).sum()
    }
}

impl Pairs for WordPairs {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
        for ((x, y), smoothed) in self.x.iter().zip(self.side(Side::Cols)).zip(&self.smoothed) {
            match smoothed {
                Some(tables) => tables.add(rows.clone(), cols.clone(), out),
                None => self.add_values(&x.points[rows.clone()], &y.points[cols.clone()], out),
            }
        }
    }

    fn is_costly(&self) -> bool {
        self.smoothed.iter().any(Option::is_none)
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        out.fill(0.0);
        for words in self.side(side) {
            for (i, k) in out.iter_mut().enumerate() {
                let x = std::slice::from_ref(words.point(i));
                self.add_values(x, x, std::slice::from_mut(k));
            }
        }
    }

    fn pull_back(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) -> Result<()> {
        Ok(())
    }

    /// The columns alone decide, so that an answer does not depend on what else is asked for with it.
    fn has_product(&self) -> bool {
        let windows = |words: &List<Words>| words.points.iter().map(|w| w.counted().len() as u128).sum::<u128>();
        let fewest = self.side(Side::Cols).iter().map(windows).min().unwrap_or(0);
        WordTable::fits(self.kernel.windows()) && WORDS_A_WINDOW * fewest >= self.kernel.scheme().words()
    }

    fn add_product(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let mut table = WordTable::new(self.kernel.windows(), run)?;
        for (x, y) in self.x.iter().zip(self.side(Side::Cols)) {
            for column in 0..k {
                table.clear();
                for (words, v) in y.points.iter().zip(v.chunks(k)) {
                    table.add(words, v[column]);
                }
                table.smooth(self.kernel.h(), run)?;
                let rows = out.par_chunks_mut(k).zip(&x.points);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Inputs, Table};
    use crate::gram::{apply, dense};
    use crate::kernel::KernelExpr;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    fn inputs(sequences: &[String]) -> Inputs {
        let column = Column::from(Texts::from_values(sequences.iter().map(Some)));
        Table::new(vec![("sequence".into(), column)]).expect("one column").into()
    }

    fn random(n: usize, len: usize, seed: u64) -> Vec<String> {
        let mut chance = Chance::new(seed);
        (0..n).map(|_| (0..len).map(|_| char::from(b"ACGTN"[chance.below(41) / 10])).collect()).collect()
    }

    /// Products that smooth a table are those of the matrix, of new points and of normalised sums, too.
    #[test]
    fn products_need_no_pairs() {
        let run = Run::new();
        let (x, y) = (inputs(&random(7, 30, 1)), inputs(&random(40, 60, 2)));
        for formula in [
            "gkm(l=5, k=3, reverse_complement=yes)",
            "normalize(gkm(l=5, k=3, filter=truncated, max_mismatches=2))",
            "2*normalize(mismatch(k=4)) + 0.5*gkm(l=5, k=2, filter=full, reverse_complement=yes)",
        ] {
            let bound = KernelExpr::parse(formula).expect("reads").bind_cross(&x, &y, &run).expect("binds");
            let v: Vec<f64> = (0..80).map(|i| f64::from(i % 7) - 3.0).collect();
            let mut out = vec![0.0; 14];
            assert!(crate::gram::KernelMatrix::product(&bound, &v, 2, &mut out, &run).expect("runs"), "{formula}");
            let values = dense::<f64>(&bound, &run).expect("runs").into_values();
            let mut again = vec![0.0; 14];
            apply(&bound, &v, 2, &mut again, &run).expect("runs");
            assert_eq!(out, again);
            for (at, got) in out.iter().enumerate() {
                let terms = (0..40).map(|j| values[at / 2 * 40 + j] * v[2 * j + at % 2]);
                let (sum, size) = terms.fold((0.0, 0.0f64), |(s, a), t| (s + t, a + t.abs()));
                assert!((got - sum).abs() <= tol::round(40) * size, "{formula} at {at}: {got} for {sum}");
            }
        }
    }

    /// The table is taken from a thirty-second of its words on: of 4⁵ words from 32 windows on, whatever the rows are.
    #[test]
    fn a_table_is_taken_for_windows_enough() {
        let (run, kernel) = (Run::new(), KernelExpr::parse("gkm(l=5, k=3)").expect("reads"));
        let of = |windows: usize| inputs(&vec!["ACGTT".to_owned(); windows]);
        for rows in [&of(1), &of(80)] {
            for (windows, takes) in [(1, false), (31, false), (32, true), (80, true)] {
                let bound = kernel.bind_cross(rows, &of(windows), &run).expect("binds");
                let mut out = vec![0.0; rows.len()];
                let v = vec![1.0; windows];
                let taken = crate::gram::KernelMatrix::product(&bound, &v, 1, &mut out, &run).expect("runs");
                assert_eq!(taken, takes, "{windows} windows");
            }
        }
    }

    /// Two ways to a value of two long sequences.
    #[test]
    fn long_sequences_are_smoothed() {
        let kernel = crate::kernel::GappedKmer { l: 6, k: 3, ..Default::default() }.by_distance().expect("fits");
        let words: Vec<Words> = random(2, 3000, 3).iter().map(|s| Words::new(kernel.windows(), s)).collect();
        let value = kernel.eval(&words[0], &words[1]);
        let pairs = WordPairs { kernel, x: Vec::new(), y: None, smoothed: Vec::new() };
        assert_eq!(pairs.smoothed_value(&words[0], &words[1]), value);
        assert_eq!(pairs.smoothed_value(&words[1], &words[0]), value);
    }

    #[test]
    fn settings_that_do_not_fit_are_shown_in_the_formula() {
        let x = inputs(&random(2, 9, 4));
        for (formula, says) in [
            ("mismatch(k=3, m=4)", "at most k = 3"),
            ("gkm(l=4, k=5)", "from 1 to l = 4"),
            ("gkm(l=13, alphabet=protein)", "from 1 to 12"),
            ("mismatch(alphabet=bytes, reverse_complement=yes)", "reverse_complement"),
        ] {
            let error = KernelExpr::parse(formula).expect("reads").bind(&x, &Run::new()).expect_err("does not fit");
            assert!(error.to_string().contains(says), "{formula}: {error}");
        }
    }
}
