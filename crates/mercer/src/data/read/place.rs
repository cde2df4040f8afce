//! Messages about a place in a text file.

use std::path::Path;

use crate::error::{Error, Result};

use super::infer;

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
        let comma = infer::number(&cell.replace(',', ".")).is_some();
        let hint = match comma {
            true => "write decimals with a point".to_owned(),
            false => {
                "correct the cell, count it as a missing marker, or read the column as category or text".to_owned()
            }
        };
        let problem = format!("expected a number, got `{}`", shorten(cell.trim()));
        Error::Data { path: self.path.into(), line: Some(line), column: Some(column), problem, hint: Some(hint) }
    }

    pub(super) fn repeated_name(&self, line: u64, names: &[String]) -> Error {
        let twice = names.iter().enumerate().find(|(j, n)| names[..*j].contains(n)).map(|(_, n)| n.clone());
        let hint = "give every column its own name, or say that there is no header".to_owned();
        let problem = "two columns have this name".to_owned();
        Error::Data { path: self.path.into(), line: Some(line), column: twice, problem, hint: Some(hint) }
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

/// At most 40 characters of a cell.
fn shorten(cell: &str) -> String {
    match cell.char_indices().nth(40) {
        None => cell.to_owned(),
        Some((end, _)) => format!("{}…", &cell[..end]),
    }
}
