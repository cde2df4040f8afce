//! Rows in an order that follows from what they hold, not from where they stand.

use std::cmp::Ordering;

use super::{Column, Csr, Inputs};

impl Inputs {
    /// Sorts rows by their values, the first column first: numbers by size, categories and structured values by their words. Rows of
    /// a precomputed matrix stand for points that are not known, and stay where they are.
    pub(crate) fn sort_rows(&self, rows: &mut [usize]) {
        rows.sort_by(|i, j| self.compare_rows(*i, *j));
    }

    fn compare_rows(&self, i: usize, j: usize) -> Ordering {
        match self {
            Inputs::Dense(x) => x.row(i).iter().zip(x.row(j)).map(|(a, b)| by_size(*a, *b)).find(|o| o.is_ne()),
            Inputs::Sparse(x) => Some(compare_entries(x, i, j)),
            Inputs::Table(x) => x.iter().map(|(_, column)| compare_cells(column, i, j)).find(|o| o.is_ne()),
            Inputs::Precomputed(_) => None,
        }
        .unwrap_or(Ordering::Equal)
    }
}

/// Numbers by size; 0 and −0 are equal.
fn by_size(a: f64, b: f64) -> Ordering {
    (a + 0.0).total_cmp(&(b + 0.0))
}

/// Sparse rows by their first entries that differ, of which none is 0.
fn compare_entries(x: &Csr, i: usize, j: usize) -> Ordering {
    let entries = |at: usize| {
        let (columns, values) = x.row(at);
        columns.iter().zip(values).filter(|(_, v)| **v != 0.0)
    };
    let (mut a, mut b) = (entries(i), entries(j));
    loop {
        match (a.next(), b.next()) {
            (Some((p, v)), Some((q, w))) => match p.cmp(q).then(by_size(*v, *w)) {
                Ordering::Equal => {}
                other => return other,
            },
            (one, other) => return one.is_some().cmp(&other.is_some()),
        }
    }
}

fn compare_cells(column: &Column, i: usize, j: usize) -> Ordering {
    match column {
        Column::Number(v) => by_size(v[i], v[j]),
        Column::Category(c) => c.get(i).cmp(&c.get(j)),
        Column::Structured(v) => {
            let word = |at: usize| (!v.is_missing(at)).then(|| v.cell(at));
            word(i).cmp(&word(j))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Categories, Rows, Table, Texts};
    use super::*;

    fn sorted(x: &Inputs) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..x.len()).collect();
        x.sort_rows(&mut rows);
        rows
    }

    #[test]
    fn every_kind_of_row() {
        let dense: Inputs = Rows::new(vec![2.0, 0.0, -1.0, 5.0, 2.0, -0.5, -0.0, 1.0], 4, 2).expect("4 rows").into();
        assert_eq!(sorted(&dense), [1, 3, 2, 0]);
        let sparse = Csr::new(vec![0, 1, 3, 4, 5], vec![1, 0, 1, 1, 0], vec![5.0, 0.0, 5.0, 4.0, 1.0], 2);
        assert_eq!(sorted(&sparse.expect("4 rows").into()), [3, 2, 0, 1], "equal rows keep their order");
        let table = Table::new(vec![
            ("c".into(), Column::Category(Categories::from_values([Some("b"), Some("a"), Some("b"), None]))),
            ("t".into(), Column::from(Texts::from_values([Some("z"), None, Some("y"), Some("")]))),
        ]);
        assert_eq!(sorted(&table.expect("4 rows").into()), [3, 1, 2, 0]);
    }
}
