//! Delimiter and header of a CSV file, found out from its first records.
//!
//! The delimiter is the first of `,` `;` tab `|` (tab first for `.tsv`) with which all sampled
//! records have the same number of fields, the larger number winning; if none does, the one with
//! which most records agree.
//!
//! The first record is a header if its cells are distinct, none is a number or a missing marker
//! other than the empty one, not all are empty, and either some column goes on with numbers only
//! or no cell appears again below in its own column.

use std::collections::{HashMap, HashSet};

use csv::{ReaderBuilder, StringRecord};

use super::infer::number;
use super::options::ReadOptions;

/// Records that are looked at, and bytes they may come from.
const SAMPLE_RECORDS: usize = 100;
const SAMPLE_BYTES: usize = 1 << 18;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How the cells of a CSV file are separated and named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) header: bool,
}

/// Finds out what the options leave open.
pub(super) fn dialect(text: &str, extension: &str, options: &ReadOptions) -> Dialect {
    let delimiter = options.delimiter.unwrap_or_else(|| delimiter(text, extension));
    let header = options.header.unwrap_or_else(|| header(&sample(text, delimiter), options));
    Dialect { delimiter, header }
}

/// The first whole records under this delimiter.
fn sample(text: &str, delimiter: u8) -> Vec<StringRecord> {
    let cut = text.len() > SAMPLE_BYTES;
    // A character that is cut in two spoils the last record only, which is dropped.
    let end = text.len().min(SAMPLE_BYTES);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(&text.as_bytes()[..end]);
    let mut records: Vec<StringRecord> = reader.records().take(SAMPLE_RECORDS).filter_map(Result::ok).collect();
    if cut && records.len() < SAMPLE_RECORDS && records.len() > 1 {
        records.pop();
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

fn header(records: &[StringRecord], options: &ReadOptions) -> bool {
    let Some((first, rest)) = records.split_first() else { return false };
    let cells: Vec<&str> = first.iter().map(str::trim).collect();
    let named = |cell: &&&str| !cell.is_empty();
    let is_name = |cell: &&str| cell.is_empty() || (number(cell).is_none() && !options.is_missing(cell));
    let distinct = cells.iter().filter(named).collect::<HashSet<_>>().len() == cells.iter().filter(named).count();
    if !distinct || !cells.iter().all(is_name) || cells.iter().all(|c| c.is_empty()) {
        return false;
    }
    let numeric = |j: usize| column_is_numeric(rest, j, options);
    let recurs = |j: usize| rest.iter().any(|r| r.get(j).is_some_and(|c| c.trim() == cells[j]));
    (0..cells.len()).any(numeric) || !(0..cells.len()).any(recurs)
}

fn column_is_numeric(rest: &[StringRecord], j: usize, options: &ReadOptions) -> bool {
    let mut present = rest.iter().filter_map(|r| r.get(j)).filter(|c| !options.is_missing(c.trim())).peekable();
    present.peek().is_some() && present.all(|c| number(c).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (char, bool) {
        let d = dialect(text, "csv", &ReadOptions::default());
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
    fn headers_are_found() {
        assert!(found("a,b\n1,2\n").1);
        assert!(!found("1,2\n3,4\n").1);
        assert!(found("label,text\nham,hello\nspam,win\n").1);
        assert!(!found("ham,hello\nspam,win\nham,again\n").1);
        assert!(found(",a\n0,1\n1,2\n").1);
        assert!(!found("x,NA\ny,1\n").1);
        assert!(!found("a,a\n1,2\n").1);
    }
}
