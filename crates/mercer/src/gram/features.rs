//! Sparse explicit features of structured points, numbered.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use crate::data::{Csr, PointSet};
use crate::error::Result;
use crate::kernel::Features;
use crate::run::Run;

/// Points between two looks at the run.
const STEP: usize = 512;

/// The features seen so far, by column; a feature of one column is not that of another.
#[derive(Default)]
pub(crate) struct Vocabulary {
    columns: Vec<HashMap<Vec<u8>, u32>>,
    len: u32,
    /// Whether a value was not a whole number, so that sums depend on their order.
    rounded: bool,
}

/// The features of a point, by number.
type Row = Vec<(u32, f64)>;

/// The features of a few points, numbered among themselves.
#[derive(Default)]
struct Block {
    numbers: HashMap<Vec<u8>, u32>,
    /// For each number, the last point that had it, counted from 1, and where it stands in that row.
    seen: Vec<(u32, u32)>,
    rows: Vec<Row>,
    rounded: bool,
}

impl Block {
    /// Numbers the features of a point; values of one feature add up in the order in which they come.
    fn push<X: ?Sized, F: Features<X>>(&mut self, x: &X, features: &F) {
        let (numbers, seen, rounded) = (&mut self.numbers, &mut self.seen, &mut self.rounded);
        let (mut row, point) = (Row::new(), self.rows.len() as u32 + 1);
        features.each_feature(x, |name, value| {
            *rounded |= value.fract() != 0.0;
            let number = numbers.get(name).copied().unwrap_or_else(|| {
                seen.push((0, 0));
                numbers.insert(name.to_owned(), seen.len() as u32 - 1);
                seen.len() as u32 - 1
            });
            let (last, place) = &mut seen[number as usize];
            if *last == point {
                row[*place as usize].1 += value;
            } else {
                (*last, *place) = (point, row.len() as u32);
                row.push((number, value));
            }
        });
        self.rows.push(row);
    }

    /// The names, in the order of their numbers.
    fn into_names(self) -> (Vec<Vec<u8>>, Vec<Row>) {
        let mut names = vec![Vec::new(); self.numbers.len()];
        for (name, number) in self.numbers {
            names[number as usize] = name;
        }
        (names, self.rows)
    }
}

impl Vocabulary {
    /// Numbers the features of all points; several columns add up.
    pub(crate) fn rows<P, F>(&mut self, columns: &[P], features: &F, run: &Run) -> Result<Vec<Row>>
    where
        P: PointSet,
        F: Features<P::Point>,
    {
        let len = columns.first().map_or(0, P::len);
        let mut rows = vec![Vec::new(); len];
        let task = run.task("preparing", Some((columns.len() * len.div_ceil(STEP)) as u64));
        self.columns.resize_with(columns.len(), HashMap::new);
        for (at, points) in columns.iter().enumerate() {
            let block = |start: usize| {
                task.step_or_cancel()?;
                let mut block = Block::default();
                (start..(start + STEP).min(len)).for_each(|i| block.push(points.point(i), features));
                Ok(block)
            };
            let starts: Vec<usize> = (0..len).step_by(STEP).collect();
            let blocks = run.install(|| starts.into_par_iter().map(block).collect::<Result<Vec<_>>>())?;
            for (block, rows) in blocks.into_iter().zip(rows.chunks_mut(STEP)) {
                self.join(at, block, rows);
            }
        }
        run.install(|| rows.par_iter_mut().for_each(|row| row.sort_unstable_by_key(|(number, _)| *number)));
        Ok(rows)
    }

    /// Adds the features of a block to rows. Blocks come in order, so that features have the numbers of their first points.
    fn join(&mut self, column: usize, block: Block, rows: &mut [Row]) {
        self.rounded |= block.rounded;
        let (names, own) = block.into_names();
        let numbers: Vec<u32> = names.into_iter().map(|name| self.number(column, name)).collect();
        for (row, own) in rows.iter_mut().zip(own) {
            row.extend(own.into_iter().map(|(number, value)| (numbers[number as usize], value)));
        }
    }

    fn number(&mut self, column: usize, name: Vec<u8>) -> u32 {
        *self.columns[column].entry(name).or_insert_with(|| {
            self.len += 1;
            self.len - 1
        })
    }

    /// The rows of one side. Features that are not counts are numbered again by their names: a pair has the
    /// same sum then, whatever other points there are.
    pub(crate) fn csr(&self, rows: Vec<Row>) -> Result<Csr> {
        let places = self.rounded.then(|| self.places());
        let mut starts = vec![0];
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for mut row in rows {
            if let Some(places) = &places {
                row.iter_mut().for_each(|(number, _)| *number = places[*number as usize]);
                row.sort_unstable_by_key(|(number, _)| *number);
            }
            columns.extend(row.iter().map(|(number, _)| *number));
            values.extend(row.iter().map(|(_, value)| *value));
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, self.len as usize)
    }

    /// For each number, its place in the order of columns and names.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len as usize];
        let ordered = self.columns.iter().flat_map(|names| names.iter().collect::<BTreeMap<_, _>>().into_values());
        for (place, number) in ordered.enumerate() {
            places[*number as usize] = place as u32;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Texts;

    /// Letters with weights that are no whole numbers.
    struct Letters;

    impl Features<str> for Letters {
        fn each_feature(&self, x: &str, mut visit: impl FnMut(&[u8], f64)) {
            x.bytes().for_each(|b| visit(&[b], 1.0 / f64::from(b)));
        }
    }

    #[test]
    fn the_features_of_a_point_do_not_depend_on_the_others() {
        let row = |texts: &[&str]| {
            let mut vocabulary = Vocabulary::default();
            let rows = vocabulary.rows(&[Texts::from_values(texts.iter().map(Some))], &Letters, &Run::new());
            let csr = vocabulary.csr(rows.expect("not stopped")).expect("in order");
            csr.row(csr.nrows() - 1).1.to_vec()
        };
        assert_eq!(row(&["zebra"]), row(&["bazaar", "error", "", "zebra"]));
    }
}
