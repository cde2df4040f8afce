//! Text tables and numbers, for people.

pub use mercer::report::{number, percent, within, within_percent};

use crate::visible::visible_word;

/// A table whose columns are as wide as their widest cell.
#[derive(Debug, Default)]
pub struct Grid {
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

impl Grid {
    /// A table with these headings; the columns of `right` are set flush right.
    pub fn new(headings: &[&str], right: &[usize]) -> Self {
        Grid { rows: vec![headings.iter().map(|h| (*h).to_owned()).collect()], right: right.to_vec() }
    }

    /// A table without headings.
    pub fn plain() -> Self {
        Grid::default()
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| visible_word(&cell).into_owned()).collect());
    }

    /// The lines, each beginning with `indent`, without blanks at their ends.
    pub fn lines(&self, indent: &str) -> Vec<String> {
        let widths = self.widths();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().enumerate().map(|(j, cell)| self.cell(j, cell, widths[j])).collect();
            format!("{indent}{}", cells.join("  ").trim_end())
        };
        self.rows.iter().map(line).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |j: usize| self.rows.iter().filter_map(|r| r.get(j)).map(|c| width(c)).max().unwrap_or(0);
        (0..columns).map(width).collect()
    }

    fn cell(&self, j: usize, text: &str, column: usize) -> String {
        let blanks = " ".repeat(column.saturating_sub(width(text)));
        if self.right.contains(&j) { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
    }
}

/// Characters without combining marks; enough for the scripts that file headings are usually in.
fn width(text: &str) -> usize {
    text.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count()
}

/// Words of a list that a formula shows.
const SHOWN_WORDS: usize = 12;

/// A formula whose long lists of words are cut after their first, to be read and not to be parsed.
pub fn shortened(formula: &str) -> String {
    let mut text = String::new();
    let mut rest = formula;
    while let Some(start) = rest.find("[\"") {
        let words = quoted_words(&rest[start + 1..]);
        let end = start + 1 + words.last().copied().unwrap_or(0);
        match words.get(SHOWN_WORDS) {
            None => text.push_str(&rest[..end]),
            Some(_) => {
                let kept = start + 1 + words[SHOWN_WORDS / 4 - 1];
                text.push_str(&format!("{}, … {} in all", &rest[..kept], words.len()));
            }
        }
        rest = &rest[end..];
    }
    text + rest
}

/// Where each of the quoted words that a text begins with ends; a quote inside a word is written twice.
fn quoted_words(list: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    while list[at..].starts_with('"') {
        at += 1;
        while let Some(next) = list[at..].find('"') {
            at += next + 1;
            if !list[at..].starts_with('"') {
                break;
            }
            at += 1;
        }
        ends.push(at);
        at += if list[at..].starts_with(", ") { 2 } else { return ends };
    }
    ends
}

/// A formula with its long numbers rounded to four digits and long lists of words cut, to be read and not to be parsed.
pub fn readable(formula: &str) -> String {
    let mut text = String::new();
    let formula = shortened(formula);
    let mut rest = formula.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let named = rest[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let part = |c: char| c.is_ascii_digit() || c == '.' || (named && c.is_alphanumeric());
        let mut end = start + rest[start..].find(|c| !part(c)).unwrap_or(rest.len() - start);
        // An exponent, such as e-7.
        let tail = rest[end..].strip_prefix('e').map(|t| t.strip_prefix('-').unwrap_or(t));
        if let Some(tail) = tail.filter(|t| !named && t.starts_with(|c: char| c.is_ascii_digit())) {
            end = rest.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        }
        text.push_str(&rest[..start]);
        match rest[start..end].parse::<f64>() {
            Ok(value) if !named && end - start > 6 => text.push_str(&number(value, 4)),
            _ => text.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    text + rest
}

/// The first eight of some names, and how many more there are.
pub fn some<S: AsRef<str>>(names: &[S]) -> String {
    const MOST: usize = 8;
    let shown: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// `12 ms`, `3.4 s`.
pub fn seconds(time: f64) -> String {
    match time {
        t if t < 1e-3 => "under 1 ms".into(),
        t if t < 1.0 => format!("{:.0} ms", t * 1e3),
        t if t < 120.0 => format!("{t:.1} s"),
        t => format!("{:.1} min", t / 60.0),
    }
}

/// `text`, cut to `most` characters; line breaks and other control characters become blanks.
pub fn short(text: &str, most: usize) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match clean.chars().count() > most {
        true => format!("{}…", clean.chars().take(most.saturating_sub(1)).collect::<String>()),
        false => clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_shortened_for_people() {
        let long = "(rbf(x12, length_scale=[0.24742804067298885, 2]) + 2.966228581363646e-6)*matern32(length_scale=162943.6446)";
        let short = "(rbf(x12, length_scale=[0.2474, 2]) + 2.966e-6)*matern32(length_scale=162944)";
        assert_eq!(readable(long), short);
    }

    #[test]
    fn long_lists_of_words_are_cut() {
        let list = |n: usize| (0..n).map(|i| format!("\"{i} \"\"x\"\"\"")).collect::<Vec<_>>().join(", ");
        let formula = |n: usize| format!("tfidf(note, counts=[{}]) + ordinal(levels=[\"a\", \"b\"])", list(n));
        assert_eq!(shortened(&formula(12)), formula(12));
        let cut = "tfidf(note, counts=[\"0 \"\"x\"\"\", \"1 \"\"x\"\"\", \"2 \"\"x\"\"\", … 13 in all]) + ordinal(levels=[\"a\", \"b\"])";
        assert_eq!(shortened(&formula(13)), cut);
        for odd in ["[\"", "[\"a", "[\"a\", ", "x[\"a\"\"", "linear"] {
            assert_eq!(shortened(odd), odd);
        }
    }

    #[test]
    fn columns_line_up() {
        let mut grid = Grid::new(&["name", "n"], &[1]);
        grid.row(["é".to_owned(), "12".to_owned()]);
        assert_eq!(grid.lines("  "), ["  name   n", "  é     12"]);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(short("a\nlong text", 6), "a lon…");
    }
}
