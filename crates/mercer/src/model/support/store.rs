//! Kernel rows that all programs of a machine share: pairs of classes, folds, outputs.

use std::ops::Range;
use std::sync::Arc;

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::{RowCache, dense};
use crate::model::Sample;
use crate::model::sample::subset;
use crate::rkhs::Space;
use crate::run::Run;
use crate::solver::dual::{KernelRows, Row};

/// Columns of dense points up to which a kernel value takes less time than a cache miss.
const FEW_COLUMNS: usize = 32;

/// The rows of a sample, brought into groups, with their kernel rows as far as there is room for them.
///
/// A kernel row is kept in parts, one a group, so that a program over some groups asks for those parts only, and what one program
/// has computed the others find.
pub(crate) struct Store {
    cache: Arc<RowCache>,
    /// Kernel values that others had computed before.
    before: u64,
    /// The row of the sample that stands in each place.
    order: Vec<usize>,
    /// Where each group begins, and where the last one ends.
    starts: Vec<usize>,
    diagonal: Vec<f64>,
    space: Space,
    /// The points of the sample.
    x: Inputs,
}

impl Store {
    /// Groups the rows that count by these numbers, all below `count`.
    pub(crate) fn new(sample: &Sample, group: &[usize], count: usize, run: &Run) -> Result<Self> {
        let mut order: Vec<usize> = (0..sample.n).collect();
        order.sort_by_key(|i| group[*i]);
        let starts: Vec<usize> = (0..=count).map(|g| order.partition_point(|i| group[*i] < g)).collect();
        let blocks: Vec<Range<usize>> = starts.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let make = || {
            let together = order.iter().enumerate().all(|(place, row)| place == *row);
            let points = if together { sample.x.clone() } else { subset(&sample.x, &order) };
            RowCache::new(sample.space.gram(&points, run)?, blocks.clone(), run)
        };
        let cache = match &sample.rows {
            Some(shared) => shared.get_or_make((&order, &blocks), make)?,
            None => Arc::new(make()?),
        };
        let diagonal = cache.diagonal();
        let (space, x) = (sample.space.clone(), sample.x.clone());
        Ok(Store { before: cache.evaluations(), cache, order, starts, diagonal, space, x })
    }

    /// The rows of some groups, one after the other.
    pub(crate) fn view(&self, groups: &[usize]) -> View<'_> {
        let places: Vec<usize> = groups.iter().flat_map(|g| self.starts[*g]..self.starts[g + 1]).collect();
        let diagonal = places.iter().map(|p| self.diagonal[*p]).collect();
        View { store: self, groups: groups.to_vec(), places, diagonal }
    }

    /// Kernel values that were computed here.
    pub(crate) fn evaluations(&self) -> u64 {
        self.cache.evaluations() - self.before
    }
}

/// The kernel matrix of some groups.
pub(crate) struct View<'a> {
    store: &'a Store,
    groups: Vec<usize>,
    places: Vec<usize>,
    diagonal: Vec<f64>,
}

impl View<'_> {
    /// The points of some of its rows.
    fn points(&self, rows: &[usize]) -> Inputs {
        let own: Vec<usize> = rows.iter().map(|i| self.store.order[self.places[*i]]).collect();
        subset(&self.store.x, &own)
    }

    /// The row of the sample that each of its rows is.
    pub(crate) fn rows_of_sample(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.iter().map(|place| self.store.order[*place])
    }

    fn width(&self, group: usize) -> usize {
        self.store.starts[group + 1] - self.store.starts[group]
    }

    /// out = K[group, rows]·v in double precision, for the rows of any group.
    pub(crate) fn product_with(&self, group: usize, rows: &[usize], v: &[f64], run: &Run) -> Result<Vec<f64>> {
        let places: Vec<usize> = rows.iter().map(|i| self.places[*i]).collect();
        let mut out = vec![0.0; self.width(group)];
        self.store.cache.product(group, &places, v, &mut out, run)?;
        Ok(out)
    }
}

impl KernelRows for View<'_> {
    fn parts(&self) -> Vec<usize> {
        self.groups.iter().map(|g| self.width(*g)).collect()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], run: &Run) -> Result<Vec<Row>> {
        let places: Vec<usize> = rows.iter().map(|i| self.places[*i]).collect();
        let mut all: Vec<Row> = rows.iter().map(|_| Vec::with_capacity(self.groups.len())).collect();
        for group in &self.groups {
            let parts = self.store.cache.rows(*group, &places, run)?;
            all.iter_mut().zip(parts).for_each(|(row, part)| row.push(part));
        }
        Ok(all)
    }

    fn product(&self, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let places: Vec<usize> = rows.iter().map(|i| self.places[*i]).collect();
        let mut rest = out;
        for group in &self.groups {
            let (here, after) = rest.split_at_mut(self.width(*group));
            self.store.cache.product(*group, &places, v, here, run)?;
            rest = after;
        }
        Ok(())
    }

    fn cheap(&self, rows: &[usize], cols: &[usize], run: &Run) -> Result<Option<Vec<f32>>> {
        let few_columns = matches!(&self.store.x, Inputs::Dense(x) if x.ncols() <= FEW_COLUMNS);
        if !few_columns {
            return Ok(None);
        }
        let block = self.store.space.cross(&self.points(rows), &self.points(cols), run)?;
        Ok(Some(dense::<f32>(&block, run)?.into_values()))
    }

    fn between(&self, rows: &[usize], run: &Run) -> Result<Vec<f64>> {
        Ok(dense::<f64>(&self.store.space.gram(&self.points(rows), run)?, run)?.into_values())
    }

    fn room(&self) -> usize {
        let bytes = 4 * self.diagonal.len().max(1) as u64;
        usize::try_from(self.store.cache.room() / bytes).unwrap_or(usize::MAX)
    }
}
