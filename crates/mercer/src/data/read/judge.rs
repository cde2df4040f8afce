//! Whether a column of words is a column of numbers: spelt in another way, or spoilt by a few cells.
//!
//! The rule, for a column of n cells that are not missing:
//!
//! * it is **clear** when all cells have one unit, and every meaning of the marks that reads all of them gives the same numbers;
//! * it has **two readings** when such meanings differ: `1,234` alone may be 1234 or 1.234;
//! * it is **spoilt** when at least 3 cells, and at least half of them, are numbers of one spelling and others are not. It is so
//!   *badly* — no guess is made — if all cells are numbers of some spelling, if the others are at most a tenth (or one), or if they
//!   are at most three different words in what would be text;
//! * else it holds words.

use std::collections::BTreeSet;

use super::super::Texts;
use super::spelling::{MARKS, Marks, Spelt, Unit};

/// Numbers that a spoilt column has at least.
const LEAST_NUMBERS: usize = 3;
/// Different words that are kept of a spoilt column.
const WORDS: usize = 3;
/// Spoilt cells that are kept.
const CELLS: usize = 5;

/// What a column of words is.
#[derive(Debug)]
pub(super) enum Judged {
    /// Words.
    Words,
    /// Numbers in one clear spelling.
    Clear(Spelling),
    /// Numbers whose marks may be decimal points or decimal commas.
    TwoReadings { point: Spelling, comma: Spelling },
    /// Numbers, but for some cells.
    Spoilt(Spoilt),
}

/// The numbers of a column, and how they are spelt.
#[derive(Debug)]
pub(super) struct Spelling {
    pub(super) unit: Unit,
    pub(super) marks: Marks,
    /// NaN where they are missing.
    pub(super) values: Vec<f64>,
    /// The row that shows the spelling best: one with a mark or a unit.
    pub(super) example: usize,
}

/// The cells that are not like the others.
#[derive(Debug)]
pub(super) struct Spoilt {
    /// The first of their rows.
    pub(super) rows: Vec<usize>,
    /// How many there are.
    pub(super) count: usize,
    /// Cells that are not missing.
    pub(super) of: usize,
    /// Their different words, one more than [`WORDS`] at most.
    pub(super) words: BTreeSet<String>,
    /// Whether all cells are numbers of some spelling.
    pub(super) spellings: bool,
    /// The unit of most cells.
    pub(super) unit: Unit,
}

impl Spoilt {
    /// Whether words would be a wrong guess; `text` says that the column would be text.
    pub(super) fn is_bad(&self, text: bool) -> bool {
        self.spellings || self.count <= (self.of / 10).max(1) || (text && self.words.len() <= WORDS)
    }
}

/// Judges a column, whose decimals begin with `decimal` where that is known.
pub(super) fn judge(texts: &Texts, decimal: Option<char>) -> Judged {
    let cells = || texts.iter_optional().enumerate().filter_map(|(i, cell)| Some((i, cell?)));
    let marks: Vec<Marks> = MARKS.into_iter().filter(|m| decimal.is_none_or(|d| d == m.decimal)).collect();
    let (mut present, mut spelt) = (0, 0);
    // How many cells each meaning reads, by unit: there are few units.
    let mut read: Vec<(Unit, Vec<usize>)> = Vec::new();
    for (_, cell) in cells() {
        present += 1;
        let Some(cell) = Spelt::new(cell).filter(Spelt::is_number) else { continue };
        spelt += 1;
        let at = read.iter().position(|(unit, _)| *unit == cell.unit).unwrap_or_else(|| {
            read.push((cell.unit, vec![0; marks.len()]));
            read.len() - 1
        });
        marks.iter().zip(&mut read[at].1).for_each(|(m, count)| *count += usize::from(cell.value(*m).is_some()));
    }
    let best = read.iter().filter_map(|(unit, counts)| Some((*unit, counts, *counts.iter().max()?)));
    let Some((unit, counts, most)) = best.max_by_key(|(.., most)| *most) else { return Judged::Words };
    let winners: Vec<Marks> = marks.iter().zip(counts).filter(|(_, n)| **n == most).map(|(m, _)| *m).collect();
    if most == present {
        return clear(texts, unit, &winners);
    }
    if most < LEAST_NUMBERS || 2 * most < present {
        return Judged::Words;
    }
    let like = |cell: &str| Spelt::new(cell).is_some_and(|c| c.unit == unit && c.value(winners[0]).is_some());
    let (mut rows, mut words) = (Vec::new(), BTreeSet::new());
    for (i, cell) in cells().filter(|(_, cell)| !like(cell)) {
        if rows.len() < CELLS {
            rows.push(i);
        }
        if words.len() <= WORDS {
            words.insert(cell.trim().to_owned());
        }
    }
    Judged::Spoilt(Spoilt { rows, count: present - most, of: present, words, spellings: spelt == present, unit })
}

/// A column that every one of these meanings reads.
fn clear(texts: &Texts, unit: Unit, marks: &[Marks]) -> Judged {
    let read = |marks: Marks| {
        let value = |cell: Option<&str>| cell.and_then(|c| Spelt::new(c)?.value(marks)).unwrap_or(f64::NAN);
        let values: Vec<f64> = texts.iter_optional().map(value).collect();
        let marked = |cell: Option<&str>| cell.is_some_and(|c| c.trim().parse::<f64>().is_err());
        let example = texts.iter_optional().position(marked).unwrap_or(0);
        Spelling { unit, marks, values, example }
    };
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()));
    // The meanings with a decimal point stand first.
    let point = read(marks[0]);
    match marks[1..].iter().map(|m| read(*m)).find(|other| !same(&other.values, &point.values)) {
        None => Judged::Clear(point),
        Some(comma) => Judged::TwoReadings { point, comma },
    }
}

impl Spelling {
    /// In words, after "is": `in percent, with decimal commas`.
    pub(super) fn words(&self, example: &str) -> String {
        let unit = match self.unit {
            Unit::None => String::new(),
            Unit::Percent => "percent".to_owned(),
            Unit::Currency(sign) => format!("amounts in {sign}"),
        };
        let marks =
            match (self.marks.decimal, example.contains([',', '\'', '’', ' ', '\u{a0}', '\u{202f}', '\u{2009}'])) {
                (',', _) if example.contains(',') => "decimal commas",
                (',', _) => "thousands marked",
                (_, true) => "thousands marked",
                (_, false) => "",
            };
        match (unit.as_str(), marks) {
            ("", "") => "numbers".to_owned(),
            ("", marks) => format!("numbers with {marks}"),
            (unit, "") => unit.to_owned(),
            (unit, marks) => format!("{unit} with {marks}"),
        }
    }
}
