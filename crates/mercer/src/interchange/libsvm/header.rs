//! The lines of a model file, and those before its support vectors.

use std::path::Path;
use std::str::FromStr;

use crate::data::libsvm::{Fault, shorten};
use crate::error::{Error, Result, nearest};

/// The words a line of the header may begin with.
const WORDS: [&str; 13] = [
    "svm_type",
    "kernel_type",
    "degree",
    "gamma",
    "coef0",
    "nr_class",
    "total_sv",
    "rho",
    "label",
    "probA",
    "probB",
    "prob_density_marks",
    "nr_sv",
];

const NO_MODEL: &str = "a model file of LIBSVM begins with `svm_type`";

/// The lines of a file, one after the other.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// The line that was read last, counted from 1.
    number: u64,
    path: &'a Path,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Lines { rest: bytes, number: 0, path }
    }

    /// The next line; fails where it is no text or the file ends within it.
    pub(super) fn next(&mut self) -> Result<Option<&'a str>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        // A number that is cut off is another number: nothing but the line's end tells.
        let Some(end) = self.rest.iter().position(|b| *b == b'\n') else {
            let hint = "copy the file again; LIBSVM ends every line with a line break";
            return Err(self.here(Fault::new("the file ends within a line".into(), hint)));
        };
        let (line, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        let text = std::str::from_utf8(line);
        text.map(Some).map_err(|_| self.here(Fault::new("the text is not UTF-8".into(), NO_MODEL)))
    }

    /// A problem in the line that was read last.
    pub(super) fn here(&self, problem: Fault) -> Error {
        at(self.path, Some(self.number), problem)
    }
}

fn at(path: &Path, line: Option<u64>, problem: Fault) -> Error {
    let Fault { what, hint } = problem;
    Error::Data { path: path.into(), line, column: None, problem: what, hint: hint.map(str::to_owned) }
}

/// What stands after a word.
struct Field<'a> {
    word: &'static str,
    line: u64,
    values: &'a str,
}

/// The lines before the support vectors.
pub(super) struct Header<'a> {
    fields: Vec<Field<'a>>,
    path: &'a Path,
}

impl<'a> Header<'a> {
    /// Reads as far as the line `SV`.
    pub(super) fn read(lines: &mut Lines<'a>) -> Result<Self> {
        let mut header = Header { fields: Vec::new(), path: lines.path };
        while let Some(line) = lines.next()? {
            let line = line.trim_ascii();
            let (word, values) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
            if word == "SV" {
                return Ok(header);
            }
            let number = lines.number;
            let word = header.new_word(word).map_err(|problem| lines.here(problem))?;
            header.fields.push(Field { word, line: number, values });
        }
        let what = "the file ends before the line `SV`".into();
        Err(at(lines.path, Some(lines.number.max(1)), Fault::new(what, "the file is cut off, or no model of LIBSVM")))
    }

    fn new_word(&self, word: &str) -> Result<&'static str, Fault> {
        let Some(known) = WORDS.iter().find(|w| **w == word) else {
            let near = nearest(word, WORDS).map(|w| format!("; the nearest word is `{w}`")).unwrap_or_default();
            return Err(Fault::new(format!("`{}` is no word of a model file{near}", shorten(word)), NO_MODEL));
        };
        match self.field(known) {
            None => Ok(known),
            Some(first) => {
                let what = format!("a second `{known}`, after that of line {}", first.line);
                Err(Fault::new(what, "keep one of them"))
            }
        }
    }

    fn field(&self, word: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.word == word)
    }

    fn required(&self, word: &str) -> Result<&Field<'a>> {
        self.field(word).ok_or_else(|| {
            let what = format!("the line `{word}` is missing before `SV`");
            at(self.path, None, Fault::new(what, "this kind of model has it; write the model again"))
        })
    }

    /// A problem in the line of `word`.
    pub(super) fn problem(&self, word: &str, what: String, hint: &'static str) -> Error {
        at(self.path, self.field(word).map(|field| field.line), Fault::new(what, hint))
    }

    /// Fails if there is a line that this kind of machine does not have.
    pub(super) fn absent(&self, words: &[&str]) -> Result<()> {
        match words.iter().find(|word| self.field(word).is_some()) {
            None => Ok(()),
            Some(word) => {
                let what = format!("`{word}` has no meaning for this `svm_type`");
                Err(self.problem(word, what, "remove the line, or write the model again"))
            }
        }
    }

    /// The one word after `word`, by its meaning.
    pub(super) fn choice<T: Copy>(&self, word: &str, choices: &[(&str, T)]) -> Result<T> {
        let got = self.required(word)?.values.trim_ascii();
        choices.iter().find(|(name, _)| *name == got).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let what = format!("`{}` is no {word}; they are {}", shorten(got), crate::error::quote_list(&names));
            self.problem(word, what, NO_MODEL)
        })
    }

    /// The one value after `word`.
    pub(super) fn value<T: FromStr>(&self, word: &str) -> Result<T> {
        self.required(word)?;
        self.list(word, 1).map(|mut list| list.remove(0))
    }

    /// The value after `word`, which must be finite.
    pub(super) fn number(&self, word: &str) -> Result<f64> {
        self.required(word)?;
        self.numbers(word, 1).map(|list| list[0])
    }

    /// The `expected` values after `word`, counted before any is kept: the count comes from another line.
    pub(super) fn list<T: FromStr>(&self, word: &str, expected: usize) -> Result<Vec<T>> {
        let values = self.required(word)?.values;
        let count = values.split_ascii_whitespace().count();
        if count != expected {
            let what = format!("`{word}` has {count} values, expected {expected}");
            return Err(self.problem(
                word,
                what,
                "the lines of the header contradict each other; write the model again",
            ));
        }
        let read = |token: &str| {
            token.parse().map_err(|_| {
                let what = format!("`{}` after `{word}` is no number that it can have", shorten(token));
                self.problem(word, what, "write the model again")
            })
        };
        values.split_ascii_whitespace().map(read).collect()
    }

    /// The `expected` numbers after `word`, all finite.
    pub(super) fn numbers(&self, word: &str, expected: usize) -> Result<Vec<f64>> {
        let list = self.list(word, expected)?;
        match list.iter().find(|v: &&f64| !v.is_finite()) {
            None => Ok(list),
            Some(v) => Err(self.problem(word, format!("`{word}` holds {v}"), "a model has finite numbers only")),
        }
    }

    /// The numbers after `word` if the line is there.
    pub(super) fn optional(&self, word: &str, expected: usize) -> Result<Option<Vec<f64>>> {
        self.field(word).map(|_| self.numbers(word, expected)).transpose()
    }
}
