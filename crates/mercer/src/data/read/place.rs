//! Messages about a place in a text file.

use std::path::Path;

use crate::error::{Error, Result};
use crate::note::SpoiledCell;

use super::dates::NoDates;
use super::judge::Spoilt;
use super::spelling::Unit;

/// The file a message speaks of.
pub(super) struct Place<'a> {
    pub(super) path: &'a Path,
}

impl Place<'_> {
    /// The bytes as text, without a byte-order mark.
    pub(super) fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(self.format_error("the text is UTF-16; save it as UTF-8"));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let line = |at: usize| 1 + bytes[..at].iter().filter(|b| **b == b'\n').count() as u64;
        let text = std::str::from_utf8(bytes).map_err(|e| {
            self.hinted(
                line(e.valid_up_to()),
                "the text is not UTF-8".into(),
                "save the file as UTF-8 (it may be Latin-1)".into(),
            )
        })?;
        match text.find('\0') {
            Some(at) => Err(self.at(line(at), "there is a zero byte: this is not a text file")),
            None if text.trim().is_empty() => Err(self.format_error("the file has no content")),
            None => Ok(text),
        }
    }

    pub(super) fn not_a_number(&self, line: u64, column: String, cell: &str) -> Error {
        let hint = "correct the cell, count it as a missing marker, or read the column as category or text".to_owned();
        let problem = format!("expected a number, got `{}`", shorten(cell.trim()));
        Error::Data { path: self.path.into(), line: Some(line), column: Some(column), problem, hint: Some(hint) }
    }

    pub(super) fn repeated_name(&self, line: u64, names: &[String]) -> Error {
        let twice = names.iter().enumerate().find(|(j, n)| names[..*j].contains(n)).map(|(_, n)| n.clone());
        let hint = "give every column its own name, or say that there is no header".to_owned();
        let problem = "two columns have this name".to_owned();
        Error::Data { path: self.path.into(), line: Some(line), column: twice, problem, hint: Some(hint) }
    }

    /// A column of numbers that a few cells spoil; `words` are the different ones, if they are few.
    pub(super) fn spoiled(&self, column: &str, cells: &[SpoiledCell], spoilt: &Spoilt) -> Error {
        let others = match spoilt.unit {
            Unit::None => "numbers",
            Unit::Percent => "in percent",
            Unit::Currency(_) => "amounts",
        };
        let what = match spoilt.spellings {
            true => format!("spelt unlike the others, which are {others}"),
            false => {
                format!("no {}, and the others are {others}", if spoilt.count == 1 { "number" } else { "numbers" })
            }
        };
        let verb = if spoilt.count == 1 { "is" } else { "are" };
        let problem = format!("{} of {} cells {verb} {what}: {}", spoilt.count, spoilt.of, shown(cells, spoilt.count));
        let first = cells.first();
        Error::Data {
            path: self.path.into(),
            line: first.map(|c| c.line),
            column: Some(column.to_owned()),
            problem,
            hint: Some(fix(column, first.map_or("", |c| c.cell.as_str()), spoilt)),
        }
    }

    /// A column of dates that a few cells spoil.
    pub(super) fn no_dates(&self, column: &str, cells: &[SpoiledCell], spoilt: &NoDates) -> Error {
        let what = if spoilt.count == 1 { "is no date" } else { "are no dates" };
        let (count, of, shown) = (spoilt.count, spoilt.of, shown(cells, spoilt.count));
        let cell = cells.first().map_or("", |c| c.cell.as_str());
        let hint = format!(
            "correct it, count it as missing with `--na {cell}`, leave the column out with `--exclude {column}`, or keep words with \
             `--type {column}=text`"
        );
        Error::Data {
            path: self.path.into(),
            line: cells.first().map(|c| c.line),
            column: Some(column.to_owned()),
            problem: format!("{count} of {of} cells {what}, and the others are: {shown}"),
            hint: Some(hint),
        }
    }

    /// A column whose marks may be decimal points or decimal commas.
    pub(super) fn two_readings(&self, line: u64, column: &str, cell: &str, point: f64, comma: f64) -> Error {
        Error::Data {
            path: self.path.into(),
            line: Some(line),
            column: Some(column.to_owned()),
            problem: format!("`{cell}` may be {point} or {comma}, and no cell of the column tells which"),
            hint: Some("say what begins decimals with `--decimal .` or `--decimal ,`".into()),
        }
    }

    pub(super) fn at(&self, line: u64, problem: &str) -> Error {
        Error::Data { path: self.path.into(), line: Some(line), column: None, problem: problem.into(), hint: None }
    }

    pub(super) fn hinted(&self, line: u64, problem: String, hint: String) -> Error {
        Error::Data { path: self.path.into(), line: Some(line), column: None, problem, hint: Some(hint) }
    }

    pub(super) fn csv_error(&self, e: &csv::Error) -> Error {
        self.format_error(&e.to_string())
    }

    pub(super) fn format_error(&self, problem: &str) -> Error {
        Error::Format { path: self.path.into(), problem: problem.into() }
    }
}

/// Cells with their lines, of so many.
fn shown(cells: &[SpoiledCell], count: usize) -> String {
    let list: Vec<String> = cells.iter().map(|c| format!("`{}` (line {})", c.cell, c.line)).collect();
    let more = match count - cells.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    list.join(", ") + &more
}

/// What to do about spoilt cells.
fn fix(column: &str, cell: &str, spoilt: &Spoilt) -> String {
    let out = format!("leave the column out with `--exclude {column}`");
    match spoilt.spellings || spoilt.words.len() > 1 {
        true => format!("correct these cells, {out}, or keep words with `--type {column}=text`"),
        false => format!(
            "correct it, count it as missing with `--na {cell}`, {out}, or keep words with `--type {column}=text`"
        ),
    }
}

/// At most 40 characters of a cell.
pub(super) fn shorten(cell: &str) -> String {
    match cell.char_indices().nth(40) {
        None => cell.to_owned(),
        Some((end, _)) => format!("{}…", &cell[..end]),
    }
}
