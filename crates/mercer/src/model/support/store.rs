//! Kernel rows that all programs of a machine share: pairs of classes, folds, outputs.

use std::sync::Arc;

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::{RowCache, dense};
use crate::model::sample::subset;
use crate::model::{Model, Sample};
use crate::rkhs::Space;
use crate::run::Run;
use crate::solver::dual::{KernelRows, Row};

use super::layout::Layout;

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
    layout: Layout,
    diagonal: Vec<f64>,
    space: Space,
    /// The points of the sample.
    x: Inputs,
}

impl Store {
    /// Groups the rows that count by these numbers, all below `count`.
    pub(crate) fn new(sample: &Sample, group: &[usize], count: usize, run: &Run) -> Result<Self> {
        let layout = Layout::of(sample, group, count);
        let places = &layout.places;
        let make = || {
            let points = layout.points(sample);
            let points = if places.are_in_order() { points.clone() } else { subset(points, &places.order) };
            RowCache::new(sample.space.gram(&points, run)?, places.blocks.clone(), run)
        };
        let cache = match &sample.rows {
            Some(shared) => shared.get_or_make(layout.of_whole, sample.space.kernel(), places, make)?,
            None => Arc::new(make()?),
        };
        let diagonal = cache.diagonal();
        let (space, x) = (sample.space.clone(), sample.x.clone());
        Ok(Store { before: cache.evaluations(), cache, layout, diagonal, space, x })
    }

    /// The rows of some groups, one after the other.
    pub(crate) fn view(&self, groups: &[usize]) -> View<'_> {
        let blocks = self.layout.blocks_of(groups);
        let places: Vec<usize> = blocks.iter().flat_map(|b| self.layout.places.blocks[*b].clone()).collect();
        let diagonal = places.iter().map(|p| self.diagonal[*p]).collect();
        View { store: self, blocks, places, diagonal }
    }

    /// Kernel values that were computed here.
    pub(crate) fn evaluations(&self) -> u64 {
        self.cache.evaluations() - self.before
    }

    /// Whether each kernel value is computed once, and kept in double precision.
    pub(crate) fn keeps_values(&self) -> bool {
        self.cache.keeps_values()
    }
}

impl Store {
    /// The values of a model's functions at all rows of the sample, which all count, row-major: rows×functions.
    pub(crate) fn values(&self, model: &Model, run: &Run) -> Result<Vec<f64>> {
        let view = self.view(&(0..self.layout.groups()).collect::<Vec<_>>());
        let of_view: Vec<usize> = view.rows_of_sample().collect();
        let mut at = vec![0; of_view.len()];
        of_view.iter().enumerate().for_each(|(place, row)| at[*row] = place);
        let support: Vec<usize> = model.support().map_or(&[][..], |s| &s.rows).iter().map(|row| at[*row]).collect();
        let (functions, intercept) = (model.outputs(), model.expansion().intercept());
        let mut values: Vec<f64> = of_view.iter().flat_map(|_| intercept.iter().copied()).collect();
        let mut out = vec![0.0; of_view.len()];
        for o in 0..functions {
            let own = support.iter().zip(model.coefficients().chunks(functions));
            let (rows, v): (Vec<usize>, Vec<f64>) = own.map(|(i, v)| (*i, v[o])).filter(|(_, v)| *v != 0.0).unzip();
            view.product(&rows, &v, &mut out, run)?;
            of_view.iter().zip(&out).for_each(|(row, f)| values[row * functions + o] += f);
        }
        Ok(values)
    }
}

/// The kernel matrix of some groups.
pub(crate) struct View<'a> {
    store: &'a Store,
    /// The blocks of columns that its groups are.
    blocks: Vec<usize>,
    places: Vec<usize>,
    diagonal: Vec<f64>,
}

impl View<'_> {
    /// The points of some of its rows.
    fn points(&self, rows: &[usize]) -> Inputs {
        let own: Vec<usize> = rows.iter().map(|i| self.store.layout.row[self.places[*i]]).collect();
        subset(&self.store.x, &own)
    }

    /// The row of the sample that each of its rows is.
    pub(crate) fn rows_of_sample(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.iter().map(|place| self.store.layout.row[*place])
    }

    fn width(&self, block: usize) -> usize {
        self.store.layout.places.blocks[block].len()
    }

    /// out = K[group, rows]·v in double precision, for the rows of any group.
    pub(crate) fn product_with(&self, group: usize, rows: &[usize], v: &[f64], run: &Run) -> Result<Vec<f64>> {
        let other = self.store.view(&[group]);
        let mut out = vec![0.0; other.places.len()];
        self.add_up(&other.blocks, rows, v, &mut out, run)?;
        Ok(out)
    }

    /// out = K[blocks, rows]·v in double precision.
    fn add_up(&self, blocks: &[usize], rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let places: Vec<usize> = rows.iter().map(|i| self.places[*i]).collect();
        let mut rest = out;
        for block in blocks {
            let (here, after) = rest.split_at_mut(self.width(*block));
            self.store.cache.product(*block, &places, v, here, run)?;
            rest = after;
        }
        Ok(())
    }
}

impl KernelRows for View<'_> {
    fn parts(&self) -> Vec<usize> {
        self.blocks.iter().map(|b| self.width(*b)).collect()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], run: &Run) -> Result<Vec<Row>> {
        let places: Vec<usize> = rows.iter().map(|i| self.places[*i]).collect();
        let mut all: Vec<Row> = rows.iter().map(|_| Vec::with_capacity(self.blocks.len())).collect();
        for block in &self.blocks {
            let parts = self.store.cache.rows(*block, &places, run)?;
            all.iter_mut().zip(parts).for_each(|(row, part)| row.push(part));
        }
        Ok(all)
    }

    fn product(&self, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        self.add_up(&self.blocks, rows, v, out, run)
    }

    fn cheap(&self, rows: &[usize], cols: &[usize], run: &Run) -> Result<Option<Vec<f32>>> {
        let few_columns = matches!(&self.store.x, Inputs::Dense(x) if x.ncols() <= FEW_COLUMNS);
        if !few_columns || self.store.keeps_values() {
            return Ok(None);
        }
        let block = self.store.space.cross(&self.points(rows), &self.points(cols), run)?;
        Ok(Some(dense::<f32>(&block, run)?.into_values()))
    }

    fn between(&self, rows: &[usize], run: &Run) -> Result<Vec<f64>> {
        let places: Vec<usize> = rows.iter().map(|i| self.places[*i]).collect();
        if let Some(values) = self.store.cache.between(&places, run)? {
            return Ok(values);
        }
        Ok(dense::<f64>(&self.store.space.gram(&self.points(rows), run)?, run)?.into_values())
    }

    fn room(&self) -> usize {
        let bytes = 4 * self.diagonal.len().max(1) as u64;
        usize::try_from(self.store.cache.room() / bytes).unwrap_or(usize::MAX)
    }
}
