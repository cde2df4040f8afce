//! Small sets of points with duplicates and near-duplicates among them.

pub use crate::chance::Chance;
use crate::data::{Categories, Column, Inputs, Rows, Table, Texts};

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

/// n numbers of all sizes; of eight, about one is a zero, infinite, not a number, subnormal or near the largest.
pub fn hard_numbers(n: usize, seed: u64) -> Vec<f64> {
    const ENDS: [f64; 12] = [
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        5e-324,
        -3e-310,
        f64::MIN_POSITIVE,
        f64::MAX,
        -1e300,
        1e-160,
        1.0,
    ];
    let mut chance = Chance::new(seed);
    let mut number = || match chance.below(8) {
        0 => ENDS[chance.below(ENDS.len())],
        1 => chance.normal() * 10f64.powi(chance.below(40) as i32 - 20),
        2 => chance.normal() * 400.0,
        _ => chance.normal(),
    };
    (0..n).map(|_| number()).collect()
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
