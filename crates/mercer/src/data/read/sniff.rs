//! Delimiter and header of a CSV file, found out from its first records.
//!
//! The delimiter is the first of `,` `;` tab `|` (tab first for `.tsv`) with which all sampled
//! records have the same number of fields, the larger number winning; if none does, the one with
//! which most records agree.
//!
//! The first record is a header if none of its cells is a number or a missing marker other than the
//! empty one, not all are empty, and either some column goes on with numbers (four in five, however
//! they are spelt) or no cell appears again below in its own column. A name that stands twice is
//! for the reader to refuse: a header is never a row. A header may have one cell less than all
//! rows, as R writes it; a comment above the first record is the header if it has as many cells
//! and there is no better one.

use std::collections::{HashMap, HashSet};

use csv::{ReaderBuilder, StringRecord};

use super::infer::number;
use super::options::ReadOptions;
use super::spelling::Spelt;

/// Records that are looked at, and bytes they may come from. Two records are looked at however long they are: a header that
/// is cut would pass for data, and without a row below it there is nothing to compare it with.
const SAMPLE_RECORDS: usize = 100;
const SAMPLE_BYTES: usize = 1 << 18;
const LEAST_RECORDS: usize = 2;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How the cells of a CSV file are separated and named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) header: bool,
    /// Whether the header has one cell less than all rows: the first column has no name.
    pub(super) shifted: bool,
    /// Whether the header is the comment above the first record.
    pub(super) named_above: bool,
}

/// Finds out what the options leave open; `above` is the comment that stands above the first record.
pub(super) fn dialect(text: &str, above: Option<&str>, extension: &str, options: &ReadOptions) -> Dialect {
    let delimiter = options.delimiter.unwrap_or_else(|| delimiter(text, extension));
    let records = sample(text, delimiter);
    let found = header(&records, options);
    let named_above = options.header != Some(false)
        && found != Header::Certain
        && above.is_some_and(|above| names_all(&cells(above, delimiter), &records, options));
    let header = named_above || options.header.unwrap_or(found != Header::No);
    Dialect { delimiter, header, shifted: header && !named_above && is_shifted(&records), named_above }
}

/// The cells of one line.
pub(super) fn cells(line: &str, delimiter: u8) -> Vec<String> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(line.as_bytes());
    let first = reader.records().next().and_then(Result::ok);
    first.map_or_else(Vec::new, |record| record.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// Whether a comment names every column, of which there are several.
fn names_all(cells: &[String], records: &[StringRecord], options: &ReadOptions) -> bool {
    let width = records.first().map_or(0, StringRecord::len);
    width > 1 && cells.len() == width && cells.iter().all(|cell| !cell.is_empty() && is_name(cell, options))
}

/// Whether all records but the first have one cell more than that, and begin with names of rows: different words, or 1, 2, 3, ….
/// A delimiter at the end of every row, or a decimal comma, makes one cell more, too.
fn is_shifted(records: &[StringRecord]) -> bool {
    let Some((first, rest)) = records.split_first() else { return false };
    if first.len() < 2 || rest.is_empty() || rest.iter().any(|r| r.len() != first.len() + 1) {
        return false;
    }
    let names: Vec<&str> = rest.iter().map(|r| r[0].trim()).collect();
    let distinct = names.iter().collect::<HashSet<_>>().len() == names.len();
    let words = || names.iter().all(|name| !name.is_empty() && number(name).is_none());
    let counted = || names.iter().enumerate().all(|(i, name)| name.parse() == Ok(i + 1));
    let filled = rest.iter().any(|r| !r[first.len()].trim().is_empty());
    distinct && filled && (words() || counted())
}

/// The first whole records under this delimiter.
fn sample(text: &str, delimiter: u8) -> Vec<StringRecord> {
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let (mut records, mut read) = (Vec::new(), 0);
    for record in reader.records().take(SAMPLE_RECORDS).filter_map(Result::ok) {
        read += record.as_slice().len() + record.len();
        if read > SAMPLE_BYTES && records.len() >= LEAST_RECORDS {
            break;
        }
        records.push(record);
    }
    records
}

fn delimiter(text: &str, extension: &str) -> u8 {
    let mut candidates = DELIMITERS;
    if matches!(extension, "tsv" | "tab") {
        candidates.swap(0, 2);
    }
    let score = |delimiter: u8| {
        let records = sample(text, delimiter);
        let mut counts: HashMap<usize, usize> = HashMap::new();
        records.iter().for_each(|r| *counts.entry(r.len()).or_default() += 1);
        let best = counts.into_iter().filter(|(fields, _)| *fields > 1).max_by_key(|&(fields, n)| (n, fields));
        // All agree: rank by the number of fields; some agree: by their share, below any full agreement.
        best.map_or((false, 0), |(fields, n)| match n == records.len() {
            true => (true, fields),
            false => (false, n),
        })
    };
    // `max_by_key` keeps the last of equals, so the order of preference is reversed.
    candidates.into_iter().rev().max_by_key(|&d| score(d)).unwrap_or(b',')
}

/// Whether the first record names the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    /// It is a row.
    No,
    /// Nothing speaks against it.
    Likely,
    /// Numbers stand below it.
    Certain,
}

fn header(records: &[StringRecord], options: &ReadOptions) -> Header {
    let Some((first, rest)) = records.split_first() else { return Header::No };
    let cells: Vec<&str> = first.iter().map(str::trim).collect();
    if !cells.iter().all(|cell| is_name(cell, options)) || cells.iter().all(|c| c.is_empty()) {
        return Header::No;
    }
    let shift = usize::from(is_shifted(records));
    let numeric = |j: usize| column_is_numeric(rest, j + shift, options);
    let recurs = |j: usize| rest.iter().any(|r| r.get(j + shift).is_some_and(|c| c.trim() == cells[j]));
    match ((0..cells.len()).any(numeric), (0..cells.len()).any(recurs)) {
        (true, _) => Header::Certain,
        (false, false) => Header::Likely,
        (false, true) => Header::No,
    }
}

fn is_name(cell: &str, options: &ReadOptions) -> bool {
    cell.is_empty() || (number(cell).is_none() && !options.is_missing(cell))
}

/// Whether four in five cells of a column are numbers. One word among them may be the header again, where files were joined.
fn column_is_numeric(rest: &[StringRecord], j: usize, options: &ReadOptions) -> bool {
    let present = || rest.iter().filter_map(|r| r.get(j)).filter(|c| !options.is_missing(c.trim()));
    let is_number = |cell: &&str| number(cell).is_some() || Spelt::new(cell).is_some_and(|spelt| spelt.is_number());
    let numbers = present().filter(is_number).count();
    numbers > 0 && 5 * numbers >= 4 * present().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (char, bool) {
        let d = dialect(text, None, "csv", &ReadOptions::default());
        (d.delimiter as char, d.header)
    }

    #[test]
    fn delimiters_are_found() {
        assert_eq!(found("a,b\n1,2\n").0, ',');
        assert_eq!(found("a;b\n1,5;2,5\n").0, ';');
        assert_eq!(found("a\tb c, d\n1\t2\n").0, '\t');
        assert_eq!(found("a|b\n\"x,y\"|2\n").0, '|');
        assert_eq!(found("a\n1\n").0, ',');
        assert_eq!(found("a,b,c\n1,2,3\n4,5\n").0, ',');
    }

    #[test]
    fn names_may_stand_above_or_be_one_short() {
        let above = |text: &str, above: &str| dialect(text, Some(above), "csv", &ReadOptions::default());
        assert!(above("1,2\n3,4\n", "x,y").named_above);
        assert!(!above("1,2\n3,4\n", "made by hand").named_above);
        assert!(!above("1,2\n3,4\n", "1,2").named_above);
        let both = above("a,b\n1,2\n", "x,y");
        assert!(both.header && !both.named_above, "the header stands nearer");
        let short = dialect("a,b\nr1,1,2\nr2,3,4\n", None, "csv", &ReadOptions::default());
        assert!(short.header && short.shifted);
        for text in ["a,b\n1,2,\n3,4,\n", "a\n3,5\n4,5\n", "a,b\n7,1,2\n9,3,4\n", "a,b\nr,1,2\nr,3,4\n"] {
            assert!(!dialect(text, None, "csv", &ReadOptions::default()).shifted, "{text}");
        }
        assert!(dialect("a,b\n1,5,2\n2,3,4\n", None, "csv", &ReadOptions::default()).shifted);
    }

    #[test]
    fn headers_are_found() {
        assert!(found("a,b\n1,2\n").1);
        assert!(!found("1,2\n3,4\n").1);
        assert!(found("label,text\nham,hello\nspam,win\n").1);
        assert!(!found("ham,hello\nspam,win\nham,again\n").1);
        assert!(found(",a\n0,1\n1,2\n").1);
        assert!(!found("x,NA\ny,1\n").1);
        assert!(found("a,a\n1,2\n").1, "a name twice is no row");
        assert!(found("a,b\n1,$2\n3,$4\n").1);
        assert!(found("a,b\n1,2\n3,4\n5,6\n7,8\na,b\n9,10\n").1, "joined files");
    }
}
