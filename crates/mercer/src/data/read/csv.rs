//! Delimited text.
//!
//! The text is held once, as bytes. A first pass reads every column as numbers and gives a column
//! up at its first word; a second pass, if any column was given up, collects the words of those.
//! So a table of numbers costs its file and its values, and nothing is ever guessed back from a
//! number. Lines without any character are skipped; cells are quoted with `"`.

use csv::{ByteRecord, ReaderBuilder};

use crate::error::{Error, Result};

use super::super::text::TextBuilder;
use super::super::{BadCell, ColumnType, Table, default_name};
use super::format::extension;
use super::infer;
use super::options::ReadOptions;
use super::place::Place;
use super::sniff::{self, Dialect};
use super::source::Source;
use super::watch::{BLOCK, Watch};

/// Columns that a table may have. A column costs a hundred bytes before it has a value, and a packed file
/// of some kilobytes can hold a line of a hundred million commas.
const MOST_COLUMNS: usize = 1_000_000;

/// Reads a whole CSV file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions, watch: &Watch<'_>) -> Result<Table> {
    let path = source.path.clone();
    let bytes = source.bytes(watch)?;
    let place = Place { path: &path };
    let text = place.text(&bytes)?;
    let dialect = sniff::dialect(text, &extension(&path), options);
    // Looked for in every number, so the usual case of none must cost nothing.
    let numeric_markers = options.missing.iter().filter(|m| infer::number(m).is_some()).map(String::as_str).collect();
    File { text, dialect, options, numeric_markers, place, watch }.table()
}

/// A file under way.
struct File<'a> {
    text: &'a str,
    dialect: Dialect,
    options: &'a ReadOptions,
    /// Numbers that mean "missing", such as -99.
    numeric_markers: Vec<&'a str>,
    place: Place<'a>,
    watch: &'a Watch<'a>,
}

/// What the first pass makes of a column.
enum State {
    /// Not asked for.
    Skipped,
    /// Numbers so far.
    Numbers(Vec<f64>),
    /// Has words, for the second pass.
    Words,
}

impl File<'_> {
    fn table(&self) -> Result<Table> {
        let names = self.names()?;
        self.options.check_names(&names)?;
        let mut states: Vec<State> = names.iter().map(|name| self.first_state(name)).collect();
        let mut unheld = 0;
        self.each_row(names.len(), |line, row| {
            for (j, state) in states.iter_mut().enumerate() {
                self.number(state, &row[j], || (line, names[j].clone()))?;
            }
            unheld += size_of::<f64>() * states.len();
            if unheld >= BLOCK {
                self.watch.hold(std::mem::take(&mut unheld))?;
            }
            Ok(())
        })?;
        let words = self.words(&states)?;
        let width = names.len();
        let columns = names.into_iter().zip(states).zip(words);
        let kept = columns.filter_map(|((name, state), texts)| match state {
            State::Skipped => None,
            State::Numbers(values) => Some(Ok((name, values.into()))),
            State::Words => {
                let wanted = self.options.types.get(&name).copied();
                let column = infer::words(texts.finish(), wanted).map_err(|bad| self.bad_cell(width, &name, &bad));
                Some(column.map(|column| (name, column)))
            }
        });
        Table::new(kept.collect::<Result<_>>()?)
    }

    /// The error of a cell that is no value of its column's type. Its line is looked for again.
    fn bad_cell(&self, width: usize, column: &str, bad: &BadCell) -> Error {
        let (mut row, mut found) = (0, None);
        let looked = self.each_row(width, |line, _| {
            found = found.or((row == bad.row).then_some(line));
            row += 1;
            Ok(())
        });
        looked.err().unwrap_or_else(|| Error::Data {
            path: self.place.path.into(),
            line: found,
            column: Some(column.to_owned()),
            problem: bad.problem(),
            hint: Some(BadCell::HINT.into()),
        })
    }

    fn first_state(&self, name: &str) -> State {
        match self.options.types.get(name) {
            _ if !self.options.keeps(name) => State::Skipped,
            Some(ColumnType::Category | ColumnType::Structured(_)) => State::Words,
            _ => State::Numbers(Vec::new()),
        }
    }

    /// Adds a cell to a column of numbers; a word turns the column over to the second pass, unless
    /// the caller said that it holds numbers.
    fn number(&self, state: &mut State, cell: &[u8], at: impl FnOnce() -> (u64, String)) -> Result<()> {
        let State::Numbers(values) = state else { return Ok(()) };
        let cell = as_text(cell);
        let value = match infer::number(cell) {
            Some(_) if self.numeric_markers.contains(&cell.trim()) => f64::NAN,
            Some(value) => value,
            None if self.options.is_missing(cell.trim()) => f64::NAN,
            None => {
                let (line, name) = at();
                if self.options.types.contains_key(&name) {
                    return Err(self.place.not_a_number(line, name, cell));
                }
                *state = State::Words;
                return Ok(());
            }
        };
        values.push(value);
        Ok(())
    }

    /// The second pass: the words of the columns that have any.
    fn words(&self, states: &[State]) -> Result<Vec<TextBuilder>> {
        let mut builders: Vec<TextBuilder> = states.iter().map(|_| TextBuilder::default()).collect();
        let wanted: Vec<usize> = (0..states.len()).filter(|&j| matches!(states[j], State::Words)).collect();
        if wanted.is_empty() {
            return Ok(builders);
        }
        // The words of a file are no longer than the file.
        self.watch.hold(self.text.len())?;
        self.each_row(states.len(), |_, row| {
            for &j in &wanted {
                let cell = as_text(&row[j]);
                builders[j].push((!self.options.is_missing(cell.trim())).then_some(cell));
            }
            Ok(())
        })?;
        Ok(builders)
    }

    /// Column names: the first record's, or `x0`, `x1`, …; a nameless column gets such a name too.
    fn names(&self) -> Result<Vec<String>> {
        let mut first = ByteRecord::new();
        if !self.reader().read_byte_record(&mut first).map_err(|e| self.place.csv_error(&e))? {
            return Err(self.place.format_error("the file has no content"));
        }
        if first.len() > MOST_COLUMNS {
            return Err(self.place.format_error(&format!(
                "{} columns are more than the {MOST_COLUMNS} of a table; save so many as .npy or LIBSVM text",
                first.len()
            )));
        }
        if !self.dialect.header {
            return Ok((0..first.len()).map(default_name).collect());
        }
        let line = self.line(&first);
        let mut names: Vec<String> = Vec::with_capacity(first.len());
        for (j, cell) in first.iter().enumerate() {
            let name =
                Some(as_text(cell).trim()).filter(|n| !n.is_empty()).map_or_else(|| default_name(j), str::to_owned);
            names.push(name);
        }
        match super::super::table::check_distinct(&names) {
            Ok(()) => Ok(names),
            Err(_) => Err(self.place.repeated_name(line, &names)),
        }
    }

    fn reader(&self) -> csv::Reader<&[u8]> {
        ReaderBuilder::new()
            .delimiter(self.dialect.delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(self.text.as_bytes())
    }

    /// Calls `visit` with the line and the cells of every row, each of `width` cells.
    fn each_row(&self, width: usize, mut visit: impl FnMut(u64, &ByteRecord) -> Result<()>) -> Result<()> {
        let mut reader = self.reader();
        let mut row = ByteRecord::new();
        let mut skip = self.dialect.header;
        let (mut last, mut looked) = (0, 0);
        while reader.read_byte_record(&mut row).map_err(|e| self.place.csv_error(&e))? {
            last = row.position().map_or(0, |p| p.byte() as usize);
            if last >= looked {
                self.watch.step()?;
                looked = last + BLOCK;
            }
            if std::mem::take(&mut skip) {
                continue;
            }
            let line = self.line(&row);
            if row.len() != width {
                return Err(self.ragged(line, row.len(), width));
            }
            visit(line, &row)?;
        }
        match open_quote(&self.text.as_bytes()[last..], self.dialect.delimiter) {
            true => {
                Err(self.place.at(self.line_at(last), "a quote is opened and never closed: the file may be truncated"))
            }
            false => Ok(()),
        }
    }

    fn ragged(&self, line: u64, got: usize, width: usize) -> Error {
        let delimiter = match self.dialect.delimiter {
            b'\t' => "tab".to_owned(),
            other => format!("`{}`", other as char),
        };
        self.place.hinted(
            line,
            format!("expected {width} cells, got {got}"),
            format!("cells are separated by {delimiter} here; quote cells that contain it, or give another delimiter"),
        )
    }

    fn line(&self, row: &ByteRecord) -> u64 {
        row.position().map_or(1, |p| p.line() + self.blank_lines(p.byte() as usize))
    }

    fn line_at(&self, byte: usize) -> u64 {
        let before = &self.text.as_bytes()[..byte];
        1 + before.iter().filter(|b| **b == b'\n').count() as u64 + self.blank_lines(byte)
    }

    /// Line ends at this place: the reader says where it began to look, before any blank lines.
    fn blank_lines(&self, byte: usize) -> u64 {
        let ends = self.text.as_bytes()[byte..].iter().take_while(|b| matches!(b, b'\n' | b'\r'));
        ends.filter(|b| **b == b'\n').count() as u64
    }
}

/// A cell of a text that was checked to be UTF-8; quoting never cuts a character.
fn as_text(cell: &[u8]) -> &str {
    std::str::from_utf8(cell).unwrap_or_default()
}

/// Whether a record ends inside a quoted cell. The CSV reader takes that as the end of the cell,
/// so a truncated file would pass.
fn open_quote(record: &[u8], delimiter: u8) -> bool {
    let (mut inside, mut at_start) = (false, true);
    for &byte in record {
        match byte {
            b'"' if inside || at_start => inside = !inside,
            // An escaped quote closes and opens again: `""` leaves `inside` as it was.
            b'"' => inside = true,
            _ => {}
        }
        at_start = !inside && (byte == delimiter || matches!(byte, b'\n' | b'\r'));
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_quotes_are_told_from_stray_ones() {
        assert!(open_quote(b"1,\"abc", b','));
        assert!(open_quote(b"1,\"abc\"\"", b','));
        assert!(!open_quote(b"1,\"abc\"\n", b','));
        assert!(!open_quote(b"1,\"a\"\"c\"\n", b','));
    }
}
