//! Delimited text.
//!
//! The text is held once, as bytes. A first pass reads every column as numbers and gives a column
//! up at its first word; a second pass, if any column was given up, collects the words of those,
//! and `judge` says whether they are numbers all the same. So a table of numbers costs its file and
//! its values, and nothing is ever guessed back from a number. Lines without any character are
//! skipped; cells are quoted with `"`. Lines that begin with `#` are comments before the first
//! other line, and later where they have not the cells of a row.

use std::cell::Cell;

use csv::{ByteRecord, ReaderBuilder};

use crate::error::{Error, Result};
use crate::note::Note;

use super::super::text::TextBuilder;
use super::super::{BadCell, ColumnType, Table, default_name};
use super::comments;
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
pub(super) fn read(source: Source<'_>, options: &ReadOptions, watch: &Watch<'_>) -> Result<(Table, Vec<Note>)> {
    let path = source.path.clone();
    let bytes = source.bytes(watch)?;
    let place = Place { path: &path };
    let whole = place.text(&bytes)?;
    let head = comments::split(whole);
    if head.body.trim().is_empty() {
        return Err(place.format_error("the file has no content"));
    }
    let above = head.last.as_ref().map(|(_, line)| line.as_ref());
    let dialect = sniff::dialect(head.body, above, &extension(&path), options);
    // Looked for in every number, so the usual case of none must cost nothing.
    let numeric_markers = options.missing.iter().filter(|m| infer::number(m).is_some()).map(String::as_str).collect();
    let comments = head.comments - usize::from(dialect.named_above);
    let (text, before) = (head.body, head.before);
    let above = head.last.filter(|_| dialect.named_above);
    let above = above.as_ref().map(|(line, text)| (*line, text.as_ref()));
    let later = Cell::new(0);
    File { text, before, above, comments, later, dialect, options, numeric_markers, place, watch }.table()
}

/// A file under way.
pub(super) struct File<'a> {
    text: &'a str,
    /// Lines of the file before the text.
    before: u64,
    /// The comment that names the columns, with its line, if one does.
    above: Option<(u64, &'a str)>,
    /// Comments before the text.
    comments: usize,
    /// Later ones, as many as the last pass met.
    later: Cell<usize>,
    pub(super) dialect: Dialect,
    pub(super) options: &'a ReadOptions,
    /// Numbers that mean "missing", such as -99.
    numeric_markers: Vec<&'a str>,
    pub(super) place: Place<'a>,
    watch: &'a Watch<'a>,
}

/// What the first pass makes of a column.
pub(super) enum State {
    /// Not asked for.
    Skipped,
    /// Numbers so far, and whether one of them has a leading 0.
    Numbers(Vec<f64>, Option<String>),
    /// Has words, for the second pass.
    Words,
}

/// The names of the columns, and whether the first of them was given none.
struct Header {
    names: Vec<String>,
    nameless: bool,
}

impl File<'_> {
    fn table(&self) -> Result<(Table, Vec<Note>)> {
        let Header { names, nameless } = self.header()?;
        self.options.check_names(&names)?;
        let mut states: Vec<State> = names.iter().map(|name| self.first_state(name)).collect();
        let mut unheld = 0;
        self.each_row(names.len(), |_, row| {
            for (j, state) in states.iter_mut().enumerate() {
                self.number(state, &row[j]);
            }
            unheld += size_of::<f64>() * states.len();
            if unheld >= BLOCK {
                self.watch.hold(std::mem::take(&mut unheld))?;
            }
            Ok(())
        })?;
        let mut notes = Vec::new();
        let lines = self.comments + self.later.get();
        if lines > 0 {
            notes.push(Note::CommentLines { lines });
        }
        let columns = self.columns(names, states, &mut notes)?;
        Ok((Table::new(self.without_row_names(columns, nameless, &mut notes))?, notes))
    }

    /// The lines of some rows, which are in order.
    pub(super) fn lines(&self, width: usize, rows: &[usize]) -> Result<Vec<u64>> {
        let (mut row, mut lines) = (0, Vec::with_capacity(rows.len()));
        self.each_row(width, |line, _| {
            if rows.get(lines.len()) == Some(&row) {
                lines.push(line);
            }
            row += 1;
            Ok(())
        })?;
        Ok(lines)
    }

    /// The error of a cell that is no value of its column's type. Its line is looked for again.
    pub(super) fn bad_cell(&self, width: usize, column: &str, bad: &BadCell) -> Error {
        let lines = self.lines(width, &[bad.row]);
        let found = lines.as_ref().ok().and_then(|lines| lines.first().copied());
        lines.err().unwrap_or_else(|| Error::Data {
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
            _ => State::Numbers(Vec::new(), None),
        }
    }

    /// Adds a cell to a column of numbers; a word turns the column over to the second pass.
    fn number(&self, state: &mut State, cell: &[u8]) {
        let State::Numbers(values, zeros) = state else { return };
        let cell = as_text(cell).trim();
        // Where a comma begins decimals, a point stands between thousands.
        let plain = infer::number(cell).filter(|_| self.options.decimal != Some(b',') || !cell.contains('.'));
        let value = match plain {
            Some(_) if self.numeric_markers.contains(&cell) => f64::NAN,
            Some(value) => value,
            None if self.options.is_missing(cell) => f64::NAN,
            None => {
                *state = State::Words;
                return;
            }
        };
        if zeros.is_none() && matches!(cell.as_bytes(), [b'0', b'0'..=b'9', ..]) {
            *zeros = Some(cell.to_owned());
        }
        values.push(value);
    }

    /// The second pass: the words of the columns that have any.
    pub(super) fn words(&self, states: &[State]) -> Result<Vec<TextBuilder>> {
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
    fn header(&self) -> Result<Header> {
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
        let (line, cells) = match self.above {
            Some((line, above)) => (line, sniff::cells(above, self.dialect.delimiter)),
            None if self.dialect.header => (self.line(&first), first.iter().map(|c| as_text(c).to_owned()).collect()),
            None => return Ok(Header { names: (0..first.len()).map(default_name).collect(), nameless: false }),
        };
        // R leaves out the name of the names of rows.
        let cells: Vec<String> =
            std::iter::repeat_n(String::new(), usize::from(self.dialect.shifted)).chain(cells).collect();
        let nameless = cells.first().is_some_and(|cell| cell.trim().is_empty());
        let name = |(j, cell): (usize, &String)| match cell.trim() {
            "" => default_name(j),
            name => name.to_owned(),
        };
        let names: Vec<String> = cells.iter().enumerate().map(name).collect();
        match super::super::table::check_distinct(&names) {
            Ok(()) => Ok(Header { names, nameless }),
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
    pub(super) fn each_row(&self, width: usize, mut visit: impl FnMut(u64, &ByteRecord) -> Result<()>) -> Result<()> {
        let mut reader = self.reader();
        let mut row = ByteRecord::new();
        let mut skip = self.dialect.header && self.above.is_none();
        let (mut last, mut looked, mut comments) = (0, 0, 0);
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
                if row.get(0).is_some_and(|cell| cell.starts_with(b"#")) {
                    comments += 1;
                    continue;
                }
                return Err(self.ragged(line, row.len(), width));
            }
            visit(line, &row)?;
        }
        self.later.set(comments);
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
        self.before + row.position().map_or(1, |p| p.line() + self.blank_lines(p.byte() as usize))
    }

    fn line_at(&self, byte: usize) -> u64 {
        let before = &self.text.as_bytes()[..byte];
        self.before + 1 + before.iter().filter(|b| **b == b'\n').count() as u64 + self.blank_lines(byte)
    }

    /// Line ends at this place: the reader says where it began to look, before any blank lines.
    fn blank_lines(&self, byte: usize) -> u64 {
        let ends = self.text.as_bytes()[byte..].iter().take_while(|b| matches!(b, b'\n' | b'\r'));
        ends.filter(|b| **b == b'\n').count() as u64
    }
}

/// A cell of a text that was checked to be UTF-8; quoting never cuts a character.
pub(super) fn as_text(cell: &[u8]) -> &str {
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
