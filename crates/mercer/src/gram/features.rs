//! Sparse explicit features of structured points, numbered.

use std::collections::{BTreeMap, HashMap};

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

impl Vocabulary {
    /// Numbers the features of all points; several columns add up.
    pub(crate) fn rows<P, F>(&mut self, columns: &[P], features: &F, run: &Run) -> Result<Vec<Row>>
    where
        P: PointSet,
        F: Features<P::Point>,
    {
        let mut rows = vec![Vec::new(); columns.first().map_or(0, P::len)];
        let task = run.task("preparing", Some((columns.len() * rows.len().div_ceil(STEP)) as u64));
        self.columns.resize_with(columns.len(), HashMap::new);
        for (at, points) in columns.iter().enumerate() {
            for (i, row) in rows.iter_mut().enumerate() {
                if i % STEP == 0 {
                    task.step_or_cancel()?;
                }
                self.add(at, points.point(i), features, row);
            }
        }
        Ok(rows)
    }

    /// Adds the features of a point to a row, in the order of their numbers.
    fn add<X: ?Sized, F: Features<X>>(&mut self, column: usize, x: &X, features: &F, row: &mut Row) {
        let (names, len, rounded) = (&mut self.columns[column], &mut self.len, &mut self.rounded);
        features.each_feature(x, |name, value| {
            let number = names.get(name).copied().unwrap_or_else(|| {
                names.insert(name.to_owned(), *len);
                *len += 1;
                *len - 1
            });
            *rounded |= value.fract() != 0.0;
            row.push((number, value));
        });
        // Whole numbers add up to the same in any order.
        match self.rounded {
            true => row.sort_by_key(|(number, _)| *number),
            false => row.sort_unstable_by_key(|(number, _)| *number),
        }
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
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
