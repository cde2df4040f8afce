//! Sets of words.

use super::{CellValue, StructuredType, Values};

/// Sets, as cells such as `red|green`, `red; green` or `["red", "green"]`.
pub static TYPE: StructuredType = StructuredType {
    name: "set",
    columns: "set columns",
    unit: "elements",
    blank: Some("[]"),
    read: Values::<Set>::read,
    load: Values::<Set>::load,
};

/// A set of words, each with how often it is there: the set of a list counts what repeats.
///
/// A cell is a list in brackets or braces, as JSON or Python write it, or words between `|`, else `;`, else `,`. White space around
/// words is left out, and so are words of nothing; a word alone is a set of one, and `[]` is the empty set.
///
/// ```
/// use mercer::data::{CellValue, Set};
/// let set = Set::parse("red | green | red")?;
/// assert_eq!((set.len(), set.count("red"), set.count("blue")), (3, 2, 0));
/// assert_eq!(set, Set::parse("['green', 'red', 'red']")?);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Elements in order, each once.
    elements: Vec<(String, u32)>,
}

impl<S: Into<String>> FromIterator<S> for Set {
    fn from_iter<I: IntoIterator<Item = S>>(words: I) -> Self {
        let mut elements: Vec<(String, u32)> = words.into_iter().map(|word| (word.into(), 1)).collect();
        elements.sort_unstable();
        elements.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Set { elements }
    }
}

impl Set {
    /// The elements in order, with how often each is there.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.elements.iter().map(|(element, count)| (element.as_str(), *count))
    }

    /// How often an element is there.
    pub fn count(&self, element: &str) -> u32 {
        let place = self.elements.binary_search_by(|(own, _)| own.as_str().cmp(element));
        place.map_or(0, |at| self.elements[at].1)
    }

    /// How many elements there are, each as often as it is there.
    pub fn len(&self) -> usize {
        self.elements.iter().map(|(_, count)| *count as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    fn words(&self) -> Vec<&str> {
        self.iter().flat_map(|(element, count)| std::iter::repeat_n(element, count as usize)).collect()
    }
}

impl CellValue for Set {
    fn structured_type() -> &'static StructuredType {
        &TYPE
    }

    fn parse(cell: &str) -> Result<Self, String> {
        match enclosed(cell) {
            Some(inner) => match serde_json::from_str::<Vec<serde_json::Value>>(cell) {
                Ok(list) => list.into_iter().map(word).collect(),
                Err(_) => quoted(inner).map(Set::from_iter),
            }
            .map_err(|problem| format!("{EXPECTED} ({problem})")),
            None => {
                let separator = ['|', ';', ','].into_iter().find(|c| cell.contains(*c));
                let words = cell.split(|c| Some(c) == separator).map(str::trim);
                Ok(words.filter(|word| !word.is_empty()).collect())
            }
        }
    }

    fn cell(&self) -> String {
        serde_json::Value::from(self.words()).to_string()
    }

    fn size(&self) -> usize {
        self.len()
    }
}

const EXPECTED: &str = "a set such as `red|green` or `[\"red\", \"green\"]`";

/// What stands between brackets, braces or parentheses, where a cell is written as a list.
fn enclosed(cell: &str) -> Option<&str> {
    [('[', ']'), ('{', '}'), ('(', ')')]
        .into_iter()
        .find_map(|(open, close)| cell.strip_prefix(open)?.strip_suffix(close))
}

/// An element of a list in JSON.
fn word(value: serde_json::Value) -> Result<String, String> {
    match value {
        serde_json::Value::String(word) => Ok(word),
        serde_json::Value::Number(number) => Ok(number.to_string()),
        serde_json::Value::Bool(truth) => Ok(truth.to_string()),
        other => Err(format!("`{other}` is no word")),
    }
}

/// The words of a list as Python writes it: between commas, in quotes or without.
fn quoted(list: &str) -> Result<Vec<String>, String> {
    let (mut words, mut rest) = (Vec::new(), list.trim_start());
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' | '"' => literal(&rest[1..], first)?,
            _ => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        let after = after.trim_start();
        if !word.is_empty() || matches!(first, '\'' | '"') {
            words.push(word);
        }
        rest = match after.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if after.is_empty() => after,
            None => return Err("a comma is missing".into()),
        };
    }
    Ok(words)
}

/// A word up to its closing quote, and what follows; a backslash keeps the next character from ending it.
fn literal(text: &str, quote: char) -> Result<(String, &str), String> {
    let (mut word, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => {
                word.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            _ if c == quote => return Ok((word, &text[at + c.len_utf8()..])),
            _ => word.push(c),
        }
    }
    Err("a quote is not closed".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;

    fn set(cell: &str) -> Set {
        Set::parse(cell).unwrap_or_else(|e| panic!("{cell}: {e}"))
    }

    #[test]
    fn cells_are_read_as_people_write_them() {
        let expected = Set::from_iter(["a", "b c"]);
        for cell in
            ["a|b c", " b c ;a", "a,b c", "[\"a\", \"b c\"]", "{'b c', 'a'}", "(a, b c)", "|a||b c|", "['a', 'b c',]"]
        {
            assert_eq!(set(cell), expected, "{cell}");
        }
        assert_eq!(set("[1, 2.5, true]"), Set::from_iter(["1", "2.5", "true"]));
        assert_eq!(set("['it\\'s', \"a,b\"]"), Set::from_iter(["it's", "a,b"]));
        assert!(["[]", "{}", "()", "", "|", "[ ]"].iter().all(|cell| set(cell).is_empty()));
        assert_eq!(set("word"), Set::from_iter(["word"]));
    }

    #[test]
    fn bad_cells_say_what_was_expected() {
        for (cell, problem) in [("[[1], 2]", "no word"), ("['a", "comma"), ("['a]", "quote"), ("['a' 'b']", "comma")] {
            let said = Set::parse(cell).map(|_| ());
            // `['a` has no closing bracket and is one word.
            match cell.ends_with(']') {
                true => assert!(
                    said.as_ref().is_err_and(|e| e.contains(problem) && e.starts_with("a set such as")),
                    "{cell}: {said:?}"
                ),
                false => assert!(said.is_ok()),
            }
        }
    }

    #[test]
    fn a_cell_is_read_as_the_set_that_wrote_it() {
        let mut chance = Chance::new(7);
        let letters: Vec<char> = "ab'\"\\,|;[]{} \u{e4}\n\t\u{1f600}".chars().collect();
        for _ in 0..2_000 {
            let mut pick = |most: f64| (chance.unit() * most) as usize;
            let words: Vec<String> =
                (0..pick(5.0)).map(|_| (0..pick(6.0)).map(|_| letters[pick(letters.len() as f64)]).collect()).collect();
            let written = Set::from_iter(words);
            assert_eq!(set(&written.cell()), written, "{}", written.cell());
        }
    }
}
