//! Kernels of the windows of sequences, bound.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{Csr, PointSet, Texts};
use crate::error::{Error, Result};
use crate::kernel::sequence::{ByDistance, Words};
use crate::kernel::{Kernel, Statistic};
use crate::run::{Reservation, Run};

use super::bind::Binder;
use super::columns::Place;
use super::lower::FEWER_COLUMNS;
use super::node::{Node, Side};
use super::pairs::{List, Pairs};
use super::sparse::SparseStatistic;
use super::structured::both;
use super::word_table::{Transform, WordTable};

/// Sequences of one or several columns, which add up, as their windows.
pub(crate) struct WordPairs {
    kernel: ByDistance,
    x: Vec<List<Words>>,
    /// `None` when the columns are the rows.
    y: Option<Vec<List<Words>>>,
    /// For each column, counts of words and smoothed counts, where words are so few that these are faster.
    counts: Option<Vec<SparseStatistic>>,
    /// Gives the memory of the counts back when they go.
    _reserved: Option<Reservation>,
}

/// Pairs of windows, some seconds of counting, from which on a table is smoothed for a pair of sequences.
const MANY_PAIRS: u128 = 1 << 33;
/// Words of such a table: 128 MiB.
const MOST_WORDS: u128 = 1 << 24;
/// Words of a table that every point may have.
const FEW_WORDS: u128 = 1024;

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
    let mut pairs = WordPairs { kernel, x, y, counts: None, _reserved: None };
    pairs.count(binder.run)?;
    Ok(Node::Pairs(Box::new(pairs)))
}

impl WordPairs {
    fn side(&self, side: Side) -> &[List<Words>] {
        match (side, &self.y) {
            (Side::Cols, Some(y)) => y,
            _ => &self.x,
        }
    }

    /// k(x, y) = ⟨cₓ, H·c_y⟩ for the counts c of words. Where h has whole values and words are few, every point keeps its own
    /// H·c, and a pair is a sum over the windows of x. All numbers are whole and small, so the bits are those of pairs.
    fn count(&mut self, run: &Run) -> Result<()> {
        let words = self.kernel.scheme().words();
        let whole = self.kernel.h().iter().all(|h| h.fract() == 0.0 && h.abs() < 1e6);
        let windows = |side: Side| self.side(side).iter().flat_map(|list| &list.0);
        let longest = windows(Side::Rows).chain(windows(Side::Cols)).map(total).max().unwrap_or(0);
        // Beyond, sums might not be exact.
        if words > FEW_WORDS || !whole || longest > 1 << 20 {
            return Ok(());
        }
        let points = windows(Side::Cols).count() as u128;
        let reserved = run.reserve(16 * words * points, "smoothed counts of words", FEWER_COLUMNS);
        let Ok(reserved) = reserved else { return Ok(()) };
        let statistics = self.x.iter().zip(self.side(Side::Cols)).map(|(x, y)| {
            let (rows, cols) = (self.counts_of(x, run)?, self.smoothed(y, run)?);
            Ok(SparseStatistic::new(Statistic::Dot, rows, Some(cols)))
        });
        self.counts = Some(statistics.collect::<Result<_>>()?);
        self._reserved = Some(reserved);
        Ok(())
    }

    /// How often each word occurs, on both strands where both count.
    fn counts_of(&self, points: &List<Words>, run: &Run) -> Result<Csr> {
        let windows = self.kernel.windows();
        self.csr(points, run, |words, table| {
            words.strands().for_each(|(word, count)| table[windows.index(word)] += count as f64);
            Ok(())
        })
    }

    /// H·c of every point; what rounding has left of whole numbers is taken away.
    fn smoothed(&self, points: &List<Words>, run: &Run) -> Result<Csr> {
        let (windows, transform) = (self.kernel.windows(), Transform::new(self.kernel.scheme()));
        let eigenvalues = self.kernel.scheme().eigenvalues(self.kernel.h());
        self.csr(points, run, |words, table| {
            words.counted().iter().for_each(|(word, count)| table[windows.index(*word)] += *count as f64);
            transform.smooth(table, &eigenvalues, || Ok(()))?;
            table.iter_mut().for_each(|t| *t = t.round());
            Ok(())
        })
    }

    /// What `fill` writes into a table of all words, for each point, without zeros.
    fn csr(
        &self,
        points: &List<Words>,
        run: &Run,
        fill: impl Fn(&Words, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Csr> {
        let len = self.kernel.scheme().words() as usize;
        let row = |words: &Words| -> Result<Vec<(u32, f64)>> {
            let mut table = vec![0.0; len];
            fill(words, &mut table)?;
            Ok(table.iter().enumerate().filter(|(_, t)| **t != 0.0).map(|(u, t)| (u as u32, *t)).collect())
        };
        let rows: Vec<_> = run.install(|| points.0.par_iter().map(row).collect::<Result<_>>())?;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            columns.extend(row.iter().map(|(word, _)| *word));
            values.extend(row.iter().map(|(_, value)| *value));
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, len)
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

/// Windows of a sequence.
fn total(words: &Words) -> u64 {
    words.counted().iter().map(|(_, count)| count).sum()
}

impl Pairs for WordPairs {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        if let Some([only]) = self.counts.as_deref() {
            return only.tile(rows, cols, out);
        }
        out.fill(0.0);
        for statistic in self.counts.iter().flatten() {
            let mut tile = vec![0.0; out.len()];
            statistic.tile(rows.clone(), cols.clone(), &mut tile);
            out.iter_mut().zip(&tile).for_each(|(sum, k)| *sum += k);
        }
        if self.counts.is_some() {
            return;
        }
        for (x, y) in self.x.iter().zip(self.side(Side::Cols)) {
            self.add_values(&x.0[rows.clone()], &y.0[cols.clone()], out);
        }
    }

    fn is_costly(&self) -> bool {
        self.counts.is_none()
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

    /// Two ways to a value of two long sequences.
    #[test]
    fn long_sequences_are_smoothed() {
        let kernel = crate::kernel::GappedKmer { l: 6, k: 3, ..Default::default() }.by_distance().expect("fits");
        let words: Vec<Words> = random(2, 3000, 3).iter().map(|s| Words::new(kernel.windows(), s)).collect();
        let value = kernel.eval(&words[0], &words[1]);
        let pairs = WordPairs { kernel, x: Vec::new(), y: None, counts: None, _reserved: None };
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
