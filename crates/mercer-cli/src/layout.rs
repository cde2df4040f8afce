//! Text tables and numbers, for people.

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

/// A number with at most `digits` significant digits, without zeros at its end.
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "–".into() } else { format!("{value}") };
    }
    if value == 0.0 {
        return "0".into();
    }
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..9).contains(&exponent) {
        let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        return format!("{}e{exponent}", trim_zeros(mantissa));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// A number with its standard error, `13.62 ± 0.47`: two digits of the error, and as many places of the number. Without an error, four
/// digits.
pub fn within(value: f64, error: Option<f64>) -> String {
    rounded_to(value, error, 2).unwrap_or_else(|| number(value, 4))
}

/// A share with its standard error, `98.5 ± 0.7 %`.
pub fn within_percent(share: f64, error: Option<f64>) -> String {
    let shown = rounded_to(100.0 * share, error.map(|e| 100.0 * e), 1);
    shown.map_or_else(|| percent(share), |shown| format!("{shown} %"))
}

/// Nothing where there is no error, none above 0, or where one of both is too large or small to be written without a power of ten.
fn rounded_to(value: f64, error: Option<f64>, digits: usize) -> Option<String> {
    // Less is rounding of rows that are all the same.
    let error = error.filter(|e| *e > 1e-9 * value.abs() && e.is_finite() && value.is_finite())?;
    let rounded = format!("{error:.*e}", digits.saturating_sub(1));
    let exponent: i32 = rounded.split_once('e')?.1.parse().ok()?;
    if !(-6..9).contains(&exponent) || value.abs() >= 1e9 {
        return Some(format!("{} ± {}", number(value, 4), number(error, digits)));
    }
    let places = (digits as i32 - 1 - exponent).max(0) as usize;
    let shown = format!("{value:.places$}");
    let zero = shown.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
    Some(format!("{} ± {error:.places$}", if zero { shown.trim_start_matches('-') } else { &shown }))
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
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

/// A share between 0 and 1 as a percentage.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".into(),
        p if p < 0.1 => "< 0.1 %".into(),
        p if p > 99.9 && p < 100.0 => "> 99.9 %".into(),
        p => format!("{} %", number(p, 3)),
    }
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
    fn numbers_are_short() {
        let shown =
            [0.0, 1.0, 17.151_169, -0.000_123_456, 1e-9, 123_456_789.0, 4.0e12, 9.9999, 0.1].map(|v| number(v, 4));
        let wanted = ["0", "1", "17.15", "-0.0001235", "1e-9", "123456789", "4e12", "10", "0.1"];
        assert_eq!(shown.each_ref().map(String::as_str), wanted);
        assert_eq!((number(f64::NAN, 3), number(f64::INFINITY, 3)), ("–".into(), "inf".into()));
    }

    #[test]
    fn errors_decide_how_many_digits_are_shown() {
        let shown =
            [(13.6213, 0.4712), (0.01234, 0.0009), (4012.3, 134.0), (2e12, 3e11), (1e-9, 2e-10), (-0.001, 0.16)];
        let shown = shown.map(|(value, error)| within(value, Some(error)));
        let wanted = ["13.62 ± 0.47", "0.01234 ± 0.00090", "4012 ± 134", "2e12 ± 3e11", "1e-9 ± 2e-10", "0.00 ± 0.16"];
        assert_eq!(shown.each_ref().map(String::as_str), wanted);
        assert_eq!((within(1.5, None), within(1.5, Some(0.0)), within(1.5, Some(f64::NAN))).0, "1.5");
        let shares = [within_percent(0.985, Some(0.0067)), within_percent(1.0, Some(0.0)), within_percent(0.5, None)];
        assert_eq!(shares.each_ref().map(String::as_str), ["98.5 ± 0.7 %", "100 %", "50 %"]);
    }

    #[test]
    fn columns_line_up() {
        let mut grid = Grid::new(&["name", "n"], &[1]);
        grid.row(["é".to_owned(), "12".to_owned()]);
        assert_eq!(grid.lines("  "), ["  name   n", "  é     12"]);
    }

    #[test]
    fn shares_do_not_lie_at_the_ends() {
        assert_eq!([0.0, 1e-5, 0.5, 0.999_99, 1.0].map(percent), ["0 %", "< 0.1 %", "50 %", "> 99.9 %", "100 %"]);
        assert_eq!(short("a\nlong text", 6), "a lon…");
    }
}
