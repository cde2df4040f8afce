//! Arrow arrays become columns; the Parquet and Arrow IPC readers share this.
//!
//! Integers, floats and decimals become numbers, booleans the categories `false` and `true`,
//! dictionaries of strings categories with the dictionary's order, other strings category or text
//! by the rule of `infer`, lists of words sets, lists of numbers or of points bags. Dates and times become numbers as those of
//! CSV files do. Nulls are missing. Everything else is refused by name.

use std::collections::HashMap;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use crate::error::{Error, Result};
use crate::note::Note;

use super::super::text::TextBuilder;
use super::super::{BAG, BadCell, Categories, ColumnType, SET, Table};
use super::arrow_moments::{is_moment, moments};
use super::arrow_values;
use super::dates::{Moment, dated};
use super::infer;
use super::options::ReadOptions;
use super::source::too_large;
use super::watch::Watch;

/// Bytes of a number.
pub(super) const NUMBER: u64 = 8;

/// The columns of a file under way.
pub(super) struct Columns<'a> {
    path: &'a Path,
    options: &'a ReadOptions,
    watch: &'a Watch<'a>,
    columns: Vec<(usize, String, Builder)>,
    rows: u64,
    limit: u64,
}

/// A column under way.
enum Builder {
    Number(Vec<f64>),
    Boolean(Vec<u32>),
    Dictionary(Levels),
    Moments(Vec<Option<Moment>>),
    Words(TextBuilder),
    /// Lists as cells, and the type that they are read as unless another is asked for.
    Lists(TextBuilder, ColumnType),
}

/// Codes into levels that grow as dictionaries are met.
#[derive(Default)]
struct Levels {
    codes: Vec<u32>,
    levels: Vec<String>,
    known: HashMap<String, u32>,
    /// Whether the file says that the order of its dictionary means something.
    in_order: bool,
}

impl<'a> Columns<'a> {
    /// Checks the schema against the options and the types Mercer knows.
    pub(super) fn new(path: &'a Path, schema: &Schema, options: &'a ReadOptions, watch: &'a Watch<'a>) -> Result<Self> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        super::super::table::check_distinct(&names)?;
        options.check_names(&names)?;
        let kept = schema.fields().iter().enumerate().filter(|(_, f)| options.keeps(f.name()));
        let columns = kept.map(|(j, f)| Ok((j, f.name().clone(), builder(path, f, options)?)));
        let (columns, limit) = (columns.collect::<Result<_>>()?, options.unpacked_limit(watch.run()));
        Ok(Columns { path, options, watch, columns, rows: 0, limit })
    }

    /// The positions of the columns that are kept.
    pub(super) fn positions(&self) -> Vec<usize> {
        self.columns.iter().map(|(j, ..)| *j).collect()
    }

    /// How many columns are kept.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Adds the rows of a batch that has the kept columns only, in order.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let path = self.path;
        // Repeated values and nulls are packed to almost nothing.
        self.rows += batch.num_rows() as u64;
        if self.rows.saturating_mul(NUMBER).saturating_mul(self.columns.len() as u64) > self.limit {
            return Err(too_large(path, self.limit));
        }
        self.watch.step()?;
        self.watch.hold(batch.num_rows() * NUMBER as usize * self.columns.len())?;
        // The values of one column at a time stand beside the array that they are read from.
        let _beside = self.watch.lend(batch.num_rows() as u64 * NUMBER)?;
        for ((_, name, builder), array) in self.columns.iter_mut().zip(batch.columns()) {
            let bad = |problem: String| Error::Data {
                path: path.into(),
                line: None,
                column: Some(name.clone()),
                problem,
                hint: Some("write the file again, or leave the column out".into()),
            };
            self.watch.hold(builder.beyond_numbers(array).map_err(bad)?)?;
            builder.push(array).map_err(bad)?;
        }
        Ok(())
    }

    /// The table of all rows, and what there is to say of it.
    pub(super) fn table(self) -> Result<(Table, Vec<Note>)> {
        let Columns { path, options, columns, .. } = self;
        let names: Vec<String> = columns.iter().map(|(_, name, _)| name.clone()).collect();
        let (mut finished, mut notes) = (Vec::with_capacity(names.len()), Vec::new());
        for (_, name, builder) in columns {
            let wanted = options.types.get(&name).copied();
            let column = match builder {
                Builder::Moments(moments) => {
                    let cell = |row: usize| moments[row].map_or_else(String::new, |m| m.to_string());
                    finished.extend(dated((&name, &names), &moments, cell, options, &mut notes));
                    continue;
                }
                Builder::Number(values) => values.into(),
                Builder::Boolean(codes) => {
                    Categories::from_codes(codes, ["false", "true"].map(String::from).to_vec()).into()
                }
                Builder::Dictionary(levels) => levels.finish().into(),
                Builder::Words(words) => {
                    infer::words(words.finish(), wanted).map_err(|bad| spoilt(path, &name, bad))?
                }
                Builder::Lists(cells, usual) => {
                    infer::words(cells.finish(), wanted.or(Some(usual))).map_err(|bad| spoilt(path, &name, bad))?
                }
            };
            finished.push((name, column));
        }
        Ok((Table::new(finished)?, notes))
    }
}

/// The builder for a field, or why there is none.
fn builder(path: &Path, field: &Field, options: &ReadOptions) -> Result<Builder> {
    let wanted = options.types.get(field.name());
    let refuse = |problem: String, hint: &str| {
        Err(Error::Data {
            path: path.into(),
            line: None,
            column: Some(field.name().clone()),
            problem,
            hint: Some(hint.into()),
        })
    };
    let data_type = field.data_type();
    let words = |b| match wanted {
        Some(ColumnType::Number) => refuse(
            format!("expected numbers, got values of type {data_type}"),
            "convert the column before saving it, or read it as category or text",
        ),
        _ => Ok(b),
    };
    match data_type {
        // Numbers that are asked for as categories are spelled out as words.
        t if is_number(t) => Ok(match wanted {
            Some(ColumnType::Number) | None => Builder::Number(Vec::new()),
            Some(_) => Builder::Words(TextBuilder::default()),
        }),
        DataType::Null => Ok(Builder::Number(Vec::new())),
        DataType::Boolean if wanted == Some(&ColumnType::Number) => Ok(Builder::Number(Vec::new())),
        DataType::Boolean => Ok(Builder::Boolean(Vec::new())),
        DataType::Dictionary(_, value) if is_string(value) && !matches!(wanted, Some(ColumnType::Structured(_))) => {
            let in_order = field.dict_is_ordered() == Some(true);
            words(Builder::Dictionary(Levels { in_order, ..Levels::default() }))
        }
        DataType::Dictionary(_, value) if is_string(value) => words(Builder::Words(TextBuilder::default())),
        DataType::Dictionary(_, value) if is_number(value) => Ok(Builder::Number(Vec::new())),
        t if is_string(t) => words(Builder::Words(TextBuilder::default())),
        DataType::List(f) | DataType::LargeList(f) | DataType::FixedSizeList(f, _) if holds(f.data_type()) => {
            words(Builder::Lists(TextBuilder::default(), list_type(f.data_type())))
        }
        t if is_moment(t) && matches!(wanted, None | Some(ColumnType::Number)) => Ok(Builder::Moments(Vec::new())),
        t if is_moment(t) => refuse(
            format!("values of type {t} are dates or times, which are read as numbers"),
            "leave out the type of the column, or save it as text",
        ),
        t if t.is_temporal() => refuse(
            format!("values of type {t} are times of no day, which no kernel is defined on"),
            "save a number instead, such as seconds, or leave the column out",
        ),
        t => refuse(
            format!("values of type {t} are not supported"),
            "leave the column out, or save it as numbers or text",
        ),
    }
}

/// Whether lists of this type are read: of words, numbers, or lists of these.
fn holds(t: &DataType) -> bool {
    match t {
        DataType::List(f) | DataType::LargeList(f) | DataType::FixedSizeList(f, _) => is_number(f.data_type()),
        t => is_number(t) || is_string(t) || *t == DataType::Boolean,
    }
}

/// Lists of words are sets; of numbers or points, bags.
fn list_type(t: &DataType) -> ColumnType {
    match is_string(t) || *t == DataType::Boolean {
        true => ColumnType::Structured(&SET),
        false => ColumnType::Structured(&BAG),
    }
}

fn is_number(t: &DataType) -> bool {
    t.is_integer() || t.is_floating() || t.is_decimal()
}

fn is_string(t: &DataType) -> bool {
    matches!(t, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

impl Builder {
    fn push(&mut self, array: &ArrayRef) -> Result<(), String> {
        match self {
            Builder::Number(values) => values.extend(arrow_values::numbers(array)?),
            Builder::Boolean(codes) => {
                let flags = array.as_boolean_opt().ok_or("the values are not booleans")?;
                codes.extend(flags.iter().map(|v| v.map_or(Categories::MISSING, u32::from)));
            }
            Builder::Dictionary(levels) => levels.push(array)?,
            Builder::Moments(all) => all.extend(moments(array)?),
            Builder::Words(words) => arrow_values::words(array, &mut |v| words.push(v))?,
            Builder::Lists(cells, _) => arrow_values::lists(array, &mut |v| cells.push(v))?,
        }
        Ok(())
    }

    /// Bytes that the values of an array take here beside the eight of a number each.
    fn beyond_numbers(&self, array: &ArrayRef) -> Result<usize, String> {
        Ok(match self {
            // A dictionary spells a long word in a few bytes as often as it likes.
            Builder::Words(_) => arrow_values::text_bytes(array)?,
            Builder::Lists(..) => 8 * array.get_array_memory_size(),
            Builder::Moments(_) => array.len() * size_of::<Option<Moment>>(),
            Builder::Number(_) | Builder::Boolean(_) | Builder::Dictionary(_) => 0,
        })
    }
}

/// The error of a cell that is not what its column is.
fn spoilt(path: &Path, name: &str, bad: BadCell) -> Error {
    Error::Data {
        path: path.into(),
        line: None,
        column: Some(name.to_owned()),
        problem: format!("row {}: {}", bad.row, bad.problem()),
        hint: Some(BadCell::HINT.into()),
    }
}

impl Levels {
    fn push(&mut self, array: &ArrayRef) -> Result<(), String> {
        let dictionary = array.as_any_dictionary_opt().ok_or("the values are not a dictionary")?;
        let before = self.levels.len();
        let mut codes = Vec::with_capacity(dictionary.values().len());
        arrow_values::words(dictionary.values(), &mut |v| codes.push(v.map_or(Categories::MISSING, |v| self.code(v))))?;
        let code = |key: Option<usize>| key.and_then(|k| codes.get(k).copied()).unwrap_or(Categories::MISSING);
        self.codes.extend(arrow_values::keys(array)?.into_iter().map(code));
        // Nothing says where levels that a later dictionary adds stand among the others.
        self.in_order &= before == 0 || self.levels.len() == before;
        Ok(())
    }

    fn finish(self) -> Categories {
        let categories = Categories::from_codes(self.codes, self.levels);
        if self.in_order { categories.in_order() } else { categories }
    }

    fn code(&mut self, level: &str) -> u32 {
        if let Some(code) = self.known.get(level) {
            return *code;
        }
        let code = self.levels.len() as u32;
        self.levels.push(level.to_owned());
        self.known.insert(level.to_owned(), code);
        code
    }
}
