//! Rows that are there for the first time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Column, Inputs, Structured};

impl Inputs {
    /// The first of every group of equal rows, in order. 0 and −0 are equal, and so are two NaNs; rows
    /// of a precomputed matrix stand for points that are not known, and are all kept.
    ///
    /// ```
    /// use mercer::data::{Inputs, Rows};
    /// let x: Inputs = Rows::new(vec![1.0, 0.0, 2.0, 0.0, 1.0, -0.0], 3, 2)?.into();
    /// assert_eq!(x.distinct(), [0, 1]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn distinct(&self) -> Vec<usize> {
        self.first_equal().into_iter().enumerate().filter(|(i, first)| i == first).map(|(i, _)| i).collect()
    }

    /// For every row, the first row that is equal to it.
    pub(crate) fn first_equal(&self) -> Vec<usize> {
        if let Inputs::Precomputed(_) = self {
            return (0..self.len()).collect();
        }
        let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut first = Vec::with_capacity(self.len());
        for i in 0..self.len() {
            let mut hasher = DefaultHasher::new();
            self.visit_row(i, &mut |part| part.hash(&mut hasher));
            let alike = seen.entry(hasher.finish()).or_default();
            let known = alike.iter().copied().find(|j| self.parts(*j) == self.parts(i));
            first.push(known.unwrap_or_else(|| {
                alike.push(i);
                i
            }));
        }
        first
    }

    fn parts(&self, i: usize) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        self.visit_row(i, &mut |part| parts.push(part));
        parts
    }

    /// Everything that makes up a row, in order.
    fn visit_row<'a>(&'a self, i: usize, visit: &mut dyn FnMut(Part<'a>)) {
        match self {
            Inputs::Dense(x) => x.row(i).iter().for_each(|v| visit(Part::number(*v))),
            Inputs::Sparse(x) => {
                let (columns, values) = x.row(i);
                for (j, v) in columns.iter().zip(values).filter(|(_, v)| **v != 0.0) {
                    visit(Part::Code(*j));
                    visit(Part::number(*v));
                }
            }
            Inputs::Table(x) => x.iter().for_each(|(_, column)| {
                visit(match column {
                    Column::Number(v) => Part::number(v[i]),
                    Column::Category(c) => Part::Code(c.codes()[i]),
                    Column::Structured(v) => Part::Structured(v.as_ref(), i),
                });
            }),
            Inputs::Precomputed(_) => {}
        }
    }
}

/// A value, comparable.
enum Part<'a> {
    Bits(u64),
    Code(u32),
    Structured(&'a dyn Structured, usize),
}

impl PartialEq for Part<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Part::Bits(a), Part::Bits(b)) => a == b,
            (Part::Code(a), Part::Code(b)) => a == b,
            (Part::Structured(a, i), Part::Structured(b, j)) => a.same(*i, *b, *j),
            _ => false,
        }
    }
}

impl Hash for Part<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Part::Bits(bits) => bits.hash(state),
            Part::Code(code) => code.hash(state),
            Part::Structured(values, i) => values.hash(*i, state),
        }
    }
}

impl Part<'_> {
    fn number(v: f64) -> Self {
        // Adding 0 turns −0 into 0; every NaN counts as one.
        Part::Bits(if v.is_nan() { f64::NAN.to_bits() } else { (v + 0.0).to_bits() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Categories, Csr, Precomputed, Table, Texts};
    use super::*;

    #[test]
    fn every_kind_of_row() {
        let sparse = Csr::new(vec![0, 1, 3, 4], vec![1, 0, 1, 1], vec![5.0, 0.0, 5.0, 6.0], 2).expect("3 rows");
        assert_eq!(Inputs::from(sparse).distinct(), [0, 2], "a stored zero is no value");
        let words = [Some("a"), Some("b"), Some("a"), None, None];
        let table = Table::new(vec![
            ("c".into(), Column::Category(Categories::from_values(words))),
            ("t".into(), Column::from(Texts::from_values([Some(""), None, Some(""), None, Some("")]))),
        ]);
        assert_eq!(Inputs::from(table.expect("5 rows")).distinct(), [0, 1, 3, 4]);
        let matrix = Precomputed::new(vec![1.0; 4], 2, 2).expect("2×2");
        assert_eq!(Inputs::from(matrix).distinct(), [0, 1]);
    }
}
