//! LIBSVM's sparse text: a label, then `index:value` pairs with indices from 1, ascending.
//!
//! `#` begins a comment, blank lines are skipped, `qid:` pairs (the groups of ranking data) are
//! passed over. The target is called `y`. Several labels a line are refused.

use crate::error::{Error, Result};

use super::super::{Categories, Column, ColumnType, Csr, Inputs};
use super::options::ReadOptions;
use super::source::Source;
use super::watch::{BLOCK, Watch};

/// The largest index that is believed. Real data reach tens of millions; a wrong file with an index
/// of billions would make every array that has one number a column absurd.
const LARGEST_INDEX: u64 = 100_000_000;

/// The target's name.
const TARGET: &str = "y";

/// Sparse rows under way.
struct Rows {
    labels: Vec<f64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    ncols: usize,
}

/// Reads a whole file.
pub(super) fn read(
    source: Source<'_>,
    options: &ReadOptions,
    watch: &Watch<'_>,
) -> Result<(Inputs, Option<(String, Column)>)> {
    let path = source.path.clone();
    let bytes = source.bytes(watch)?;
    let mut rows = Rows {
        labels: Vec::new(),
        starts: vec![0],
        columns: Vec::new(),
        values: Vec::new(),
        ncols: options.width.unwrap_or(0),
    };
    let (mut unseen, mut held) = (0, 0);
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        unseen += line.len() + 1;
        if unseen >= BLOCK {
            watch.step()?;
            watch.hold(rows.bytes() - held)?;
            (unseen, held) = (0, rows.bytes());
        }
        rows.push(line).map_err(|fault| Error::Data {
            path: path.clone(),
            line: Some(i as u64 + 1),
            column: None,
            problem: fault.what,
            hint: fault.hint.map(str::to_owned),
        })?;
    }
    let target = target(rows.labels, options.types.get(TARGET));
    let inputs = Csr::new(rows.starts, rows.columns, rows.values, rows.ncols)?;
    Ok((inputs.into(), Some((TARGET.to_owned(), target))))
}

/// Labels as numbers, or as levels `-1`, `1` where the caller wants a category.
fn target(labels: Vec<f64>, wanted: Option<&ColumnType>) -> Column {
    match wanted {
        Some(ColumnType::Category) => Categories::from_values(labels.iter().map(|y| Some(y.to_string()))).into(),
        _ => labels.into(),
    }
}

/// What is wrong with a line.
pub(crate) struct Fault {
    pub(crate) what: String,
    pub(crate) hint: Option<&'static str>,
}

impl Fault {
    pub(crate) fn new(what: String, hint: &'static str) -> Self {
        Fault { what, hint: Some(hint) }
    }
}

impl Rows {
    /// Memory that the rows take so far.
    fn bytes(&self) -> usize {
        size_of_val(&self.columns[..])
            + size_of_val(&self.values[..])
            + size_of_val(&self.starts[..])
            + size_of_val(&self.labels[..])
    }

    /// Adds a line; blank lines and comments add nothing.
    fn push(&mut self, line: &[u8]) -> Result<(), Fault> {
        let text = std::str::from_utf8(line)
            .map_err(|_| Fault::new("the text is not UTF-8".into(), "this may not be a LIBSVM file"))?;
        let content = text.split('#').next().unwrap_or_default();
        let mut tokens = content.split_ascii_whitespace();
        let Some(first) = tokens.next() else { return Ok(()) };
        self.labels.push(label(first)?);
        let mut last = 0;
        for token in tokens.filter(|t| !t.starts_with("qid:")) {
            let (index, value) = pair(token, last)?;
            last = index;
            self.columns.push((index - 1) as u32);
            self.values.push(value);
        }
        self.ncols = self.ncols.max(last as usize);
        self.starts.push(self.columns.len());
        Ok(())
    }
}

fn label(token: &str) -> Result<f64, Fault> {
    if let Ok(label) = token.parse() {
        return Ok(label);
    }
    let token = shorten(token);
    Err(if token.contains(':') {
        Fault::new(
            format!("the line begins with `{token}`, without a label"),
            "put a label before it, 0 if there is none",
        )
    } else if token.contains(',') {
        Fault::new(format!("several labels `{token}`"), "give one label a line: fit one model for each")
    } else {
        Fault::new(format!("expected a number as label, got `{token}`"), "write classes as numbers, such as -1 and 1")
    })
}

/// Index and value of `index:value`, the index above `last`.
pub(crate) fn pair(token: &str, last: u64) -> Result<(u64, f64), Fault> {
    let shape = || {
        let what = format!("expected `index:value`, got `{}`", shorten(token));
        Fault::new(what, "write `3:0.5` for value 0.5 in column 3, without blanks")
    };
    let (index, value) = token.split_once(':').ok_or_else(shape)?;
    let index: u64 = index.parse().map_err(|_| shape())?;
    let value: f64 = value.parse().map_err(|_| shape())?;
    let shown = shorten(token);
    if index == 0 {
        let hint = "add 1 to every index; a kernel matrix in LIBSVM form (`0:`) is read as .npy or CSV";
        return Err(Fault::new(format!("index 0 in `{shown}`: indices count from 1"), hint));
    }
    if index <= last {
        return Err(Fault::new(
            format!("index {index} in `{shown}` after index {last}"),
            "indices must ascend within a line, each once",
        ));
    }
    if index > LARGEST_INDEX {
        let what = format!("index {index} in `{shown}` is above the limit of {LARGEST_INDEX}");
        return Err(Fault::new(what, "number the columns without gaps"));
    }
    Ok((index, value))
}

/// At most 40 characters of a token.
pub(crate) fn shorten(token: &str) -> String {
    token.chars().take(40).collect()
}
