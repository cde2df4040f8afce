//! Kernel values of sequences from smoothed counts of words, where there are few words.
//!
//! k(x, y) = ⟨cₓ, H·c_y⟩ for the counts c of words. Where h has whole values, every point y keeps its own H·c_y, and a pair is a sum
//! over the windows of x. All numbers are whole and small enough to be exact, so that the bits are those of counted pairs.

use std::ops::{AddAssign, Mul, Range};

use rayon::prelude::*;

use crate::error::Result;
use crate::kernel::sequence::{ByDistance, Words};
use crate::run::{Reservation, Run};

use super::lower::FEWER_COLUMNS;
use super::word_table::Transform;

/// Points whose numbers of one word lie side by side: a line of the cache in 32 bits.
const LANES: usize = 16;
/// Words of a table that every point may have: DNA has as many of 7 letters.
const MOST_WORDS: u128 = 1 << 14;
/// Nanoseconds, roughly: counting this many pairs of windows, smoothing a word of a table along one place, and adding so many numbers.
const PAIRS_A_MOMENT: f64 = 3.0;
const SMOOTHING_A_WORD: f64 = 1.5;
const SUMS_A_MOMENT: f64 = 8.0;

/// Points of rows and of columns, ready to be added up.
pub(crate) enum SmoothedWords {
    /// No sum leaves 32 bits.
    Short(Tables<i32>),
    /// None leaves the whole numbers of 64 bits.
    Long(Tables<f64>),
}

/// The numbers of all points.
pub(crate) struct Tables<N> {
    /// Of each point of the rows, the places of its words and how often they occur.
    rows: Vec<Box<[(u32, N)]>>,
    /// Of each `LANES` points of the columns, H·c word by word.
    groups: Vec<Box<[[N; LANES]]>>,
    _reserved: Reservation,
}

/// What sums are made of.
pub(crate) trait WholeNumber: Copy + Default + AddAssign + Mul<Output = Self> + Into<f64> + Send + Sync {
    /// A whole number that fits.
    fn of(value: f64) -> Self;
}

impl WholeNumber for i32 {
    fn of(value: f64) -> Self {
        value.round() as i32
    }
}

impl WholeNumber for f64 {
    fn of(value: f64) -> Self {
        value.round()
    }
}

impl SmoothedWords {
    /// The tables of `x` and `y`, where that is exact, there is memory for it, and counting pairs would take longer.
    pub(crate) fn new(kernel: &ByDistance, x: &[Words], y: &[Words], run: &Run) -> Result<Option<Self>> {
        let largest = kernel.h().iter().fold(0.0f64, |most, h| most.max(h.abs()));
        let whole = kernel.h().iter().all(|h| h.fract() == 0.0);
        let bound = 2.0 * largest * longest(x) * longest(y);
        // Smoothing rounds relative to ‖H‖·‖c‖; what is left of a whole number must be nearer to it than to the next.
        let steps = 8.0 * kernel.windows().length() as f64 * f64::EPSILON;
        let lost = steps * kernel.scheme().words() as f64 * largest * longest(y);
        if !whole || bound >= 2f64.powi(52) || lost >= 0.25 || !is_faster(kernel, x, y) {
            return Ok(None);
        }
        Ok(match bound < 2f64.powi(31) {
            true => Tables::new(kernel, x, y, run)?.map(SmoothedWords::Short),
            false => Tables::new(kernel, x, y, run)?.map(SmoothedWords::Long),
        })
    }

    /// Adds the values of these pairs.
    pub(crate) fn add(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        match self {
            SmoothedWords::Short(tables) => add_sums(tables, (rows, cols), out),
            SmoothedWords::Long(tables) => add_sums(tables, (rows, cols), out),
        }
    }
}

/// The most windows of a sequence.
fn longest(points: &[Words]) -> f64 {
    points.iter().map(|words| words.counted().iter().map(|(_, count)| *count).sum::<u64>()).max().unwrap_or(0) as f64
}

/// Whether smoothing a table for each of `y` and adding up takes less time than counting distances of all pairs.
fn is_faster(kernel: &ByDistance, x: &[Words], y: &[Words]) -> bool {
    let words = kernel.scheme().words();
    let windows = |points: &[Words]| points.iter().map(|w| w.counted().len() as f64).sum::<f64>();
    let tables = y.len() as f64 * words as f64 * 2.0 * kernel.windows().length() as f64;
    let sums = windows(x) * y.len() as f64;
    words <= MOST_WORDS && tables * SMOOTHING_A_WORD + sums / SUMS_A_MOMENT < windows(x) * windows(y) / PAIRS_A_MOMENT
}

impl<N: WholeNumber> Tables<N> {
    fn new(kernel: &ByDistance, x: &[Words], y: &[Words], run: &Run) -> Result<Option<Self>> {
        let (windows, words) = (kernel.windows(), kernel.scheme().words());
        let groups = y.len().div_ceil(LANES);
        let entries: usize = x.iter().map(|words| words.strands().count()).sum();
        let bytes = (groups * LANES * size_of::<N>()) as u128 * words + (entries * size_of::<(u32, N)>()) as u128;
        let reserved = run.reserve(bytes, "smoothed counts of words", FEWER_COLUMNS);
        let Ok(_reserved) = reserved else { return Ok(None) };
        let transform = Transform::new(kernel.scheme());
        let eigenvalues = kernel.scheme().eigenvalues(kernel.h());
        let task = run.task("smoothing", Some(groups as u64));
        let group = |points: &[Words]| -> Result<Box<[[N; LANES]]>> {
            task.step_or_cancel()?;
            let mut smoothed = vec![[N::default(); LANES]; words as usize].into_boxed_slice();
            let mut table = vec![0.0; words as usize];
            for (lane, point) in points.iter().enumerate() {
                table.fill(0.0);
                point.counted().iter().for_each(|(word, count)| table[windows.index(*word)] += *count as f64);
                transform.smooth(&mut table, &eigenvalues, || Ok(()))?;
                smoothed.iter_mut().zip(&table).for_each(|(lanes, t)| lanes[lane] = N::of(*t));
            }
            Ok(smoothed)
        };
        let row = |point: &Words| -> Box<[(u32, N)]> {
            point.strands().map(|(word, count)| (windows.index(word) as u32, N::of(count as f64))).collect()
        };
        run.install(|| {
            let groups = y.par_chunks(LANES).map(group).collect::<Result<_>>()?;
            Ok(Some(Tables { rows: x.par_iter().map(row).collect(), groups, _reserved }))
        })
    }
}

super::simd::dispatch! {
    /// Adds the sums over the windows of the rows, a group of columns at a time.
    pub(crate) fn add_sums<N: WholeNumber>(tables: &Tables<N>, block: (Range<usize>, Range<usize>), out: &mut [f64]) {
        let (rows, cols) = block;
        let width = cols.len();
        let mut done = cols.start;
        while done < cols.end {
            let group = &tables.groups[done / LANES];
            let lanes = done % LANES..LANES.min(done % LANES + cols.end - done);
            for (row, out) in tables.rows[rows.clone()].iter().zip(out.chunks_mut(width)) {
                let mut sums = [N::default(); LANES];
                for (word, count) in row.iter() {
                    let numbers = &group[*word as usize];
                    for (sum, number) in sums.iter_mut().zip(numbers) {
                        *sum += *count * *number;
                    }
                }
                let out = &mut out[done - cols.start..][..lanes.len()];
                out.iter_mut().zip(&sums[lanes.clone()]).for_each(|(out, sum)| *out += (*sum).into());
            }
            done += lanes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::sequence::{Filter, Strands};
    use crate::kernel::{GappedKmer, Kernel};
    use crate::testkit::points::Chance;

    fn drawn(chance: &mut Chance, n: usize, most: usize) -> Vec<String> {
        let letter = |chance: &mut Chance| char::from(b"ACGTN"[chance.below(41) / 10]);
        (0..n)
            .map(|_| {
                let length = chance.below(most);
                (0..length).map(|_| letter(chance)).collect()
            })
            .collect()
    }

    /// Both kinds of numbers give the bits of counted pairs, for any part of the matrix.
    #[test]
    fn sums_are_counted_pairs() {
        let (mut chance, run) = (Chance::new(5), Run::new());
        for (l, strands) in [(3, Strands::One), (5, Strands::Both), (6, Strands::One)] {
            let kernel = GappedKmer { l, k: 2, filter: Filter::Count, strands, ..Default::default() };
            let kernel = kernel.by_distance().expect("fits");
            let words = |texts: Vec<String>| texts.iter().map(|s| Words::new(kernel.windows(), s)).collect::<Vec<_>>();
            let (x, y) = (words(drawn(&mut chance, 7, 90)), words(drawn(&mut chance, 37, 90)));
            let short = SmoothedWords::Short(Tables::new(&kernel, &x, &y, &run).expect("runs").expect("fits"));
            let long = SmoothedWords::Long(Tables::new(&kernel, &x, &y, &run).expect("runs").expect("fits"));
            for cols in [0..37, 5..6, 15..33, 16..32, 36..37] {
                for tables in [&short, &long] {
                    let mut out = vec![0.0; 3 * cols.len()];
                    tables.add(2..5, cols.clone(), &mut out);
                    let pairs = (2..5).flat_map(|i| cols.clone().map(move |j| (i, j)));
                    let counted: Vec<f64> = pairs.map(|(i, j)| kernel.eval(&x[i], &y[j])).collect();
                    assert_eq!(out, counted, "l = {l}, {cols:?}");
                }
            }
        }
    }

    /// Where weights are not whole, words are many, or sums might not be exact, there are no tables.
    #[test]
    fn tables_are_made_where_they_are_exact_and_faster() {
        let (mut chance, run) = (Chance::new(6), Run::new());
        let texts: Vec<String> =
            (0..40).map(|_| (0..200).map(|_| char::from(b"ACGT"[chance.below(4)])).collect()).collect();
        let made = |l: usize, filter: Filter| {
            let kernel = GappedKmer { l, k: 4, filter, ..Default::default() }.by_distance().expect("fits");
            let words: Vec<Words> = texts.iter().map(|s| Words::new(kernel.windows(), s)).collect();
            SmoothedWords::new(&kernel, &words, &words, &run).expect("runs").is_some()
        };
        assert!(made(4, Filter::Count) && made(5, Filter::Count));
        assert!(!made(8, Filter::Count), "too many words");
        assert!(!made(5, Filter::Truncated), "not whole");
    }
}
