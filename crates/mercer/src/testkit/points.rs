//! Small sets of points with duplicates and near-duplicates among them.

use crate::data::{Categories, Column, Inputs, Rows, Table, Texts};

/// A generator that gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// A number of the standard normal distribution, nearly: the sum of twelve uniform ones.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// n points of d coordinates; the last two repeat the first, exactly and nearly.
pub fn vectors(n: usize, d: usize, seed: u64) -> Rows {
    let mut chance = Chance::new(seed);
    let mut values: Vec<f64> = (0..n * d).map(|_| chance.normal()).collect();
    if n >= 3 {
        for j in 0..d {
            values[(n - 2) * d + j] = values[j];
            values[(n - 1) * d + j] = values[j] * (1.0 + 1e-9);
        }
    }
    Rows::new(values, n, d).expect("n×d values")
}

/// The absolute values of [`vectors`].
pub fn non_negative_vectors(n: usize, d: usize, seed: u64) -> Rows {
    let x = vectors(n, d, seed);
    Rows::new(x.values().iter().map(|v| v.abs()).collect::<Vec<_>>(), n, d).expect("n×d values")
}

/// Two category columns, `kind` and `place`, and the levels they hold.
pub fn categories(n: usize, seed: u64) -> (Inputs, Vec<[&'static str; 2]>) {
    let mut chance = Chance::new(seed);
    let levels = [["a", "b", "c"], ["north", "south", "a"]];
    let records: Vec<[&str; 2]> = (0..n).map(|_| levels.map(|l| l[chance.below(3)])).collect();
    let column = |j: usize| Column::Category(Categories::from_values(records.iter().map(|r| Some(r[j]))));
    let table = Table::new(vec![("kind".into(), column(0)), ("place".into(), column(1))]).expect("two columns");
    (table.into(), records)
}

/// A text column, `note`, and what it holds: empty, short, repeated and non-ASCII texts among it.
pub fn texts() -> (Inputs, Vec<&'static str>) {
    let notes = vec![
        "banana bandana",
        "",
        "ab",
        "banana",
        "größe und Größe",
        "banana banana banana",
        "日本語の日本語",
        "a  b\tc a b c",
    ];
    let column = Column::from(Texts::from_values(notes.iter().map(|t| Some(*t))));
    (Table::new(vec![("note".into(), column)]).expect("one column").into(), notes)
}
