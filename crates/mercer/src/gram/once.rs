//! Values of a symmetric kernel matrix that take long: each is computed once, and kept in double precision.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

use super::bind::Bound;
use super::row_key::{Key, Mixed};

/// A row over one block of columns.
pub(crate) type Part = Arc<Vec<f64>>;

/// Parts of rows as they came to be asked for. What is known of K[j, i] is not computed for K[i, j].
#[derive(Default)]
pub(crate) struct Once(Mutex<Known>);

#[derive(Default)]
struct Known {
    parts: HashMap<Key, Part, BuildHasherDefault<Mixed>>,
    /// How many rows of the second block are known over the first.
    counts: HashMap<Key, usize, BuildHasherDefault<Mixed>>,
    /// Pairs of points whose value is known.
    pairs: u64,
}

/// What is to be computed: some rows over a block of columns.
struct Asked<'a> {
    blocks: &'a [Range<usize>],
    block: usize,
    rows: Vec<usize>,
    /// For each block that a row stands in: what the points of the columns know of it.
    of_columns: BTreeMap<usize, Vec<Option<Part>>>,
}

impl Once {
    /// K[rows, block] of a matrix whose columns are cut into these blocks.
    pub(crate) fn parts(
        &self,
        matrix: &Bound,
        (blocks, block): (&[Range<usize>], usize),
        rows: &[usize],
        run: &Run,
    ) -> Result<Vec<Part>> {
        let asked = self.missing((blocks, block), rows);
        let computed = asked.compute(matrix, run)?;
        let mut known = self.lock();
        for (row, part) in asked.rows.iter().zip(&computed) {
            known.put((block, *row), asked.own(*row), &blocks[block], part);
        }
        // Nothing is ever dropped.
        Ok(rows.iter().filter_map(|i| known.get(block, *i)).collect())
    }

    /// Pairs of points whose value was asked for, each counted once.
    pub(crate) fn evaluations(&self) -> u64 {
        self.lock().pairs
    }

    /// The rows that are not known over a block, with what its columns know of them.
    fn missing<'a>(&self, (blocks, block): (&'a [Range<usize>], usize), rows: &[usize]) -> Asked<'a> {
        let known = self.lock();
        let mut missing: Vec<usize> = rows.iter().copied().filter(|i| known.get(block, *i).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        let mut asked = Asked { blocks, block, rows: missing, of_columns: BTreeMap::new() };
        for own in asked.rows.iter().map(|i| asked.own(*i)).collect::<BTreeSet<_>>() {
            asked.of_columns.insert(own, blocks[block].clone().map(|j| known.get(own, j)).collect());
        }
        asked
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn get(&self, block: usize, row: usize) -> Option<Part> {
        self.parts.get(&(block as u32, row as u32)).map(Arc::clone)
    }

    /// Keeps what a row, which stands in the block `own`, has over another; of what two threads have computed, the first.
    fn put(&mut self, (block, row): (usize, usize), own: usize, cols: &Range<usize>, part: &Part) {
        let key = (block as u32, row as u32);
        if self.parts.contains_key(&key) {
            return;
        }
        self.parts.insert(key, Arc::clone(part));
        // Those columns whose points know this row's block had told its value.
        let told = self.counts.get(&(own as u32, block as u32)).copied().unwrap_or(0);
        self.pairs += (cols.len() - told) as u64;
        *self.counts.entry((block as u32, own as u32)).or_default() += 1;
    }
}

impl Asked<'_> {
    /// The block that a row stands in.
    fn own(&self, row: usize) -> usize {
        self.blocks.partition_point(|block| block.end <= row)
    }

    fn compute(&self, matrix: &Bound, run: &Run) -> Result<Vec<Part>> {
        let cols = &self.blocks[self.block];
        let place: HashMap<usize, usize> = self.rows.iter().enumerate().map(|(at, i)| (*i, at)).collect();
        let task = run.task("kernel values", Some(self.rows.len() as u64));
        let one = |i: &usize| {
            let part = task.watched(|| self.row(matrix, *i, &place))?;
            task.step_or_cancel()?;
            Ok(part)
        };
        let mut parts: Vec<Vec<f64>> = run.install(|| self.rows.par_iter().map(one).collect::<Result<_>>())?;
        // Of two rows of this block, the first has computed their value.
        for i in self.rows.iter().filter(|i| cols.contains(i)) {
            for j in self.rows.iter().filter(|j| cols.contains(j) && *j < i) {
                parts[place[i]][j - cols.start] = parts[place[j]][i - cols.start];
            }
        }
        Ok(parts.into_iter().map(Arc::new).collect())
    }

    /// A row: what columns have told, what it computes, and 0 where another of these rows does.
    fn row(&self, matrix: &Bound, i: usize, place: &HashMap<usize, usize>) -> Vec<f64> {
        let (cols, own) = (&self.blocks[self.block], self.own(i));
        let (told, at) = (&self.of_columns[&own], i - self.blocks[own].start);
        let mut part: Vec<f64> = told.iter().map(|told| told.as_ref().map_or(0.0, |column| column[at])).collect();
        let left_to_other = |j: usize| own == self.block && j < i && place.contains_key(&j);
        let wanted: Vec<usize> =
            cols.clone().filter(|j| told[j - cols.start].is_none() && !left_to_other(*j)).collect();
        let mut values = vec![0.0; wanted.len()];
        matrix.some_of_row(i, &wanted, &mut values);
        wanted.iter().zip(values).for_each(|(j, k)| part[j - cols.start] = k);
        part
    }
}
