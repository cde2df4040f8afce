//! Unary expansion: counts as zeros and ones, for which the minimum is an inner product.

use crate::data::{Column, Csr, Inputs, default_name};
use crate::error::{Error, Result};
use crate::run::Run;

/// Columns of counts as an explicit feature map, φ(x) = ([xⱼ ≥ t]) for every column j and t = 1, …, tⱼ.
///
/// Of whole numbers a, b ≥ 0, min(a, b) = Σ_t [a ≥ t]·[b ≥ t], so that ⟨φ(x), φ(y)⟩ = Σⱼ min(xⱼ, yⱼ): the kernel `min`, which is
/// `histogram_intersection`, and `minmax` is `tanimoto` of the features. A linear machine on them is a machine of that kernel, without a
/// Gram matrix. The largest counts tⱼ are those of a first set. Counts above them are cut there, so that the inner product is the kernel
/// wherever one of the two points is of that set, or below them.
///
/// **Cost** of a point, the sum of its counts.
///
/// **Reference** Barla, Odone & Verri (2003), "Histogram intersection kernel for image classification", ICIP.
///
/// ```
/// use mercer::{Run, data::Rows, rkhs::UnaryMap};
/// let x = Rows::new(vec![1.0, 3.0, 2.0, 0.0], 2, 2)?.into();
/// let map = UnaryMap::new(&x, &Run::new())?;
/// assert_eq!(map.largest(), [2, 3]);
/// // Of x₀: 1 ≥ 1 in the first column, 3 ≥ 1, 2, 3 in the second.
/// assert_eq!(map.features(&x, &Run::new())?.row(0).0, [0, 2, 3, 4]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnaryMap {
    largest: Vec<u32>,
    /// The first feature of each column, and after the last one how many there are.
    starts: Vec<u32>,
}

const FEWER: &str = "use fewer rows or columns, or group the counts";

impl UnaryMap {
    /// The map whose largest counts are those of `x`.
    pub fn new(x: &Inputs, run: &Run) -> Result<Self> {
        let width = x.columns().names().len();
        let _held = run.reserve(8 * width as u128, "the largest counts", FEWER)?;
        let mut largest = vec![0; width];
        each_count(x, |_, j, count| largest[j] = largest[j].max(count))?;
        UnaryMap::of(largest)
    }

    /// The map with these largest counts, one a column.
    pub fn of(largest: Vec<u32>) -> Result<Self> {
        let mut starts = vec![0u32];
        for (j, count) in largest.iter().enumerate() {
            let Some(next) = starts[j].checked_add(*count) else {
                let all: u64 = largest.iter().map(|t| u64::from(*t)).sum();
                return Err(Error::invalid("unary features", "number", all, format!("at most {}; {FEWER}", u32::MAX)));
            };
            starts.push(next);
        }
        Ok(UnaryMap { largest, starts })
    }

    /// The largest count of each column.
    pub fn largest(&self) -> &[u32] {
        &self.largest
    }

    /// How many features there are: the sum of the largest counts.
    pub fn len(&self) -> usize {
        self.starts[self.largest.len()] as usize
    }

    /// Whether there are none: every count was 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// φ(x) of every point, one a row: ones, and zeros that are not stored.
    pub fn features(&self, x: &Inputs, run: &Run) -> Result<Csr> {
        let width = x.columns().names().len();
        if width != self.largest.len() {
            return Err(Error::shape("counts", format!("{} columns", self.largest.len()), width));
        }
        let mut sums = vec![0usize; x.len()];
        each_count(x, |i, j, count| sums[i] += count.min(self.largest[j]) as usize)?;
        let all: u128 = sums.iter().map(|n| *n as u128).sum();
        let _held = run.reserve(12 * all, "unary features", FEWER)?;
        let (mut columns, mut starts) = (Vec::with_capacity(all as usize), vec![0]);
        sums.iter().for_each(|n| starts.push(starts[starts.len() - 1] + n));
        each_count(x, |_, j, count| {
            let first = self.starts[j];
            columns.extend(first..first + count.min(self.largest[j]));
        })?;
        let ones = vec![1.0; columns.len()];
        Csr::new(starts, columns, ones, self.len())
    }
}

/// Calls `visit` with row, column and value of every count that is not 0, row by row and from the first column to the last.
fn each_count(x: &Inputs, mut visit: impl FnMut(usize, usize, u32)) -> Result<()> {
    match x {
        Inputs::Dense(rows) => (0..rows.nrows()).try_for_each(|i| {
            let mut row = rows.row(i).iter().enumerate();
            row.try_for_each(|(j, v)| counted(*v, i, || rows.name(j)).map(|count| visit(i, j, count)))
        }),
        Inputs::Sparse(rows) => (0..rows.nrows()).try_for_each(|i| {
            let (columns, values) = rows.row(i);
            let mut row = columns.iter().map(|j| *j as usize).zip(values);
            row.try_for_each(|(j, v)| counted(*v, i, || default_name(j)).map(|count| visit(i, j, count)))
        }),
        Inputs::Table(table) => {
            let numbers = |(name, column): (&str, &Column)| {
                column.as_numbers().map(|c| c.to_vec()).ok_or_else(|| {
                    let got = format!("a {} column", column.column_type());
                    Error::column(name, EXPECTED, got, "leave the column out, or read it as numbers")
                })
            };
            let columns = table.iter().map(numbers).collect::<Result<Vec<_>>>()?;
            (0..table.nrows()).try_for_each(|i| {
                let mut row = columns.iter().enumerate();
                row.try_for_each(|(j, c)| counted(c[i], i, || table.names()[j].clone()).map(|count| visit(i, j, count)))
            })
        }
        Inputs::Precomputed(_) => Err(Error::Domain {
            kernel: "unary features".into(),
            expected: EXPECTED.into(),
            got: x.describe().into(),
            column: None,
            candidates: Vec::new(),
        }),
    }
}

const EXPECTED: &str = "whole numbers ≥ 0";

/// The count that a number is.
fn counted(value: f64, row: usize, name: impl Fn() -> String) -> Result<u32> {
    if value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX) {
        return Ok(value as u32);
    }
    Err(Error::Domain {
        kernel: "unary features".into(),
        expected: EXPECTED.into(),
        got: format!("{value} in row {row}"),
        column: Some(name()),
        candidates: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::data::{Rows, Table};
    use crate::gram::dense;
    use crate::kernel::KernelExpr;

    fn counts(n: usize, columns: usize, most: usize, seed: u64) -> Rows {
        let mut chance = Chance::new(seed);
        let values: Vec<f64> = (0..n * columns).map(|_| chance.below(most + 1) as f64).collect();
        Rows::new(values, n, columns).expect("rows")
    }

    fn gram(formula: &str, x: &Inputs, y: &Inputs) -> Vec<f64> {
        let run = Run::new();
        let k = KernelExpr::parse(formula).expect("a formula");
        let bound = k.bind_cross(x, y, &run).expect("numbers");
        dense::<f64>(&bound, &run).expect("a matrix").into_values()
    }

    #[test]
    fn inner_products_of_the_features_are_the_kernels() {
        let (x, new) = (counts(30, 4, 6, 1), counts(20, 4, 9, 2));
        let (x, new, run): (Inputs, Inputs, Run) = (x.into(), new.into(), Run::new());
        let map = UnaryMap::new(&x, &run).expect("counts");
        let [of_x, of_new] = [&x, &new].map(|x| Inputs::from(map.features(x, &run).expect("counts")));
        for (kernel, of_features) in [("min", "linear"), ("minmax", "tanimoto")] {
            assert_eq!(gram(kernel, &x, &x), gram(of_features, &of_x, &of_x), "{kernel}");
        }
        // Counts beyond the largest ones lack nothing beside a point of the first set.
        assert_eq!(gram("histogram_intersection", &new, &x), gram("linear", &of_new, &of_x));
    }

    #[test]
    fn every_kind_of_rows_has_the_same_features() {
        let (rows, run) = (counts(12, 3, 3, 5), Run::new());
        let column = |j: usize| (format!("c{j}"), (0..12).map(|i| rows.row(i)[j]).collect());
        let table: Inputs = Table::new((0..3).map(column).collect()).expect("columns").into();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..12 {
            let entries = rows.row(i).iter().enumerate().filter(|(_, v)| **v > 0.0);
            entries.for_each(|(j, v)| {
                columns.push(j as u32);
                values.push(*v);
            });
            starts.push(columns.len());
        }
        let sparse: Inputs = Csr::new(starts, columns, values, 3).expect("rows").into();
        let dense: Inputs = rows.into();
        let map = UnaryMap::new(&dense, &run).expect("counts");
        let expected = map.features(&dense, &run).expect("features");
        for x in [table, sparse] {
            assert_eq!(UnaryMap::new(&x, &run).expect("counts"), map);
            let found = map.features(&x, &run).expect("features");
            assert!((0..12).all(|i| found.row(i) == expected.row(i)));
        }
    }

    #[test]
    fn what_is_no_count_is_refused_with_its_place() {
        for bad in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e10] {
            let x: Inputs = Rows::new(vec![1.0, 2.0, 0.0, bad], 2, 2).expect("rows").into();
            let error = UnaryMap::new(&x, &Run::new()).expect_err("no count");
            assert!(matches!(&error, Error::Domain { column: Some(c), .. } if c == "x1"), "{error}");
        }
        assert!(UnaryMap::of(vec![u32::MAX, 1]).is_err());
        let map = UnaryMap::of(vec![1, 1]).expect("two");
        assert!(map.features(&counts(2, 3, 1, 1).into(), &Run::new()).is_err());
        let none = UnaryMap::of(vec![0]).expect("nothing but zeros");
        assert!(none.is_empty());
    }
}
