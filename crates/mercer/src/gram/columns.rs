//! Reading a kernel's columns from the data.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::data::{
    Categories, Column, ColumnList, ColumnType, Csr, Inputs, Names, Rows, Structured, TEXT, Texts, default_name,
};
use crate::error::{Error, FormulaError, Result, nearest};
use crate::kernel::{Columns, Domain, KernelExpr, Kind, quoted};
use crate::run::Run;

use super::lower::FEWER_COLUMNS;
use super::points::Coordinates;
use super::reads::kinds;

/// Names that a misspelt one is compared with.
const MOST_COMPARED: usize = 10_000;

/// A leaf of a formula, as far as reading its columns and pointing at it goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) expr: &'a KernelExpr,
    /// Number of the leaf, depth first.
    pub(crate) leaf: usize,
    pub(crate) kernel: &'a str,
    pub(crate) columns: &'a Columns,
    pub(crate) domain: Domain,
}

impl Place<'_> {
    /// An error under the leaf, or under one of its columns.
    pub(crate) fn error(&self, column: Option<&str>, problem: String, help: Option<String>) -> Error {
        let (source, span) = self.expr.locate(self.leaf, column);
        Error::Formula(Box::new(FormulaError { source, span, problem, help }))
    }

    /// Whether the formula names the columns, so that an error can point at one.
    pub(crate) fn names_columns(&self) -> bool {
        *self.columns != Columns::All
    }

    /// The names of the columns to read, in order: those named, or all that fit.
    pub(crate) fn names(&self, inputs: &Inputs) -> Result<Names> {
        let available = kinds(self.expr, inputs);
        let fitting = self.domain.column_type().map_or(Names::Numbered(0), |wanted| available.of_type(wanted));
        match self.columns {
            Columns::All if fitting.is_empty() => {
                let problem = format!("kernel `{}` needs {}, and the data has none", self.kernel, self.domain.needs());
                Err(self.error(None, problem, Some(self.describe(&available))))
            }
            Columns::All => Ok(fitting),
            Columns::Named(names) => {
                names.iter().try_for_each(|name| self.check_column(name, inputs, &fitting))?;
                Ok(names.clone().into())
            }
        }
    }

    /// The columns that there are, and how one of them would be read.
    fn describe(&self, available: &ColumnList) -> String {
        let words = match self.domain {
            Domain::Category => available.of_type(ColumnType::TEXT),
            Domain::Structured(_) => available.of_type(ColumnType::Category),
            _ => Names::Numbered(0),
        };
        let named = words.get(0).map(|name| quoted(&name));
        let write = named.map(|name| format!("; to read one of them all the same, write `{}({name})`", self.kernel));
        describe(available) + &write.unwrap_or_default()
    }

    fn check_column(&self, name: &str, inputs: &Inputs, fitting: &Names) -> Result<()> {
        let (column, found) = match inputs {
            Inputs::Table(table) => (table.column(name), table.column(name).map(|c| c.column_type())),
            // Rows without types of their own hold numbers alone.
            _ => (None, inputs.columns().find(name).map(|(_, kind)| kind)),
        };
        let Some(found) = found else { return Err(self.no_column(name, fitting)) };
        let fits = |wanted| column.map_or(found == wanted, |column| column.reads_as(wanted));
        if self.domain.column_type().is_some_and(fits) {
            return Ok(());
        }
        let needs = self.domain.needs();
        let bad = match self.domain {
            Domain::Structured(kind) => column.and_then(|column| column.bad_cell(kind)),
            _ => None,
        };
        let why = bad.map(|bad| format!(" whose row {} is none: {}", bad.row, bad.problem())).unwrap_or_default();
        let problem = format!("kernel `{}` needs {needs}, but `{name}` is a {found} column{why}", self.kernel);
        let of_rows = || format!("`rbf({})` reads numbers; categories and text are columns of a table", quoted(name));
        Err(self.error(Some(name), problem, Some(column.map_or_else(of_rows, |column| instead(name, column)))))
    }

    fn no_column(&self, name: &str, fitting: &Names) -> Error {
        // Among very many columns, the nearest is as good as any.
        let some: Vec<_> = fitting.iter().take(MOST_COMPARED).collect();
        let near = nearest(name, some.iter().map(|n| n.as_ref())).map_or_else(
            || format!("columns that fit: {}", fitting.quoted()),
            |n| format!("the nearest column that fits is `{n}`"),
        );
        self.error(Some(name), format!("the data has no column `{name}`"), Some(near))
    }

    /// The inputs as a kernel of whole matrices sees them: with the columns it names, of any type.
    pub(crate) fn chosen(&self, inputs: &Inputs) -> Result<Inputs> {
        let Columns::Named(names) = self.columns else { return Ok(inputs.clone()) };
        let all = inputs.columns().names();
        let positions = names.iter().map(|name| self.position(&all, name)).collect::<Result<Vec<usize>>>()?;
        match inputs {
            Inputs::Dense(x) => {
                let values: Vec<f64> =
                    (0..x.nrows()).flat_map(|i| positions.iter().map(move |&j| x.row(i)[j])).collect();
                Ok(Rows::new(values, x.nrows(), names.len())?.with_names(names.clone())?.into())
            }
            Inputs::Table(table) => Ok(table.select(names)?.into()),
            _ => Err(self.wrong_data(inputs)),
        }
    }

    /// The numeric columns of these names as points, finite and inside the kernel's domain.
    pub(crate) fn coordinates(&self, inputs: &Inputs, names: &Names, run: &Run) -> Result<Coordinates> {
        let (len, depth) = (inputs.len(), names.len());
        let size = len as u128 * depth as u128;
        let (mut values, reservation) = crate::linalg::filled(size, 0.0, "the points of a kernel", FEWER_COLUMNS, run)?;
        match inputs {
            Inputs::Dense(x) => match self.positions(&x.names(), names)? {
                None => values.copy_from_slice(x.values()),
                Some(chosen) => (0..len).for_each(|i| {
                    let row = x.row(i);
                    values[i * depth..].iter_mut().zip(&chosen).for_each(|(slot, &j)| *slot = row[j]);
                }),
            },
            Inputs::Sparse(x) => {
                let chosen = self.positions(&Names::Numbered(x.ncols()), names)?;
                let places: Option<HashMap<usize, usize>> =
                    chosen.map(|chosen| chosen.into_iter().enumerate().map(|(at, j)| (j, at)).collect());
                let place = |c: usize| places.as_ref().map_or(Some(c), |places| places.get(&c).copied());
                for i in 0..len {
                    let (columns, entries) = x.row(i);
                    for (c, v) in columns.iter().zip(entries) {
                        if let Some(at) = place(*c as usize) {
                            values[i * depth + at] = *v;
                        }
                    }
                }
            }
            Inputs::Table(table) => {
                for (at, name) in names.iter().enumerate() {
                    let Some(column) = table.column(&name).and_then(Column::as_numbers) else {
                        return Err(table.unknown_column(&name));
                    };
                    for (i, v) in column.iter().enumerate() {
                        values[i * depth + at] = *v;
                    }
                }
            }
            _ => return Err(self.wrong_data(inputs)),
        }
        self.check_values(&values, names, inputs)?;
        Ok(Coordinates { values, len, depth, _reservation: Some(reservation) })
    }

    /// Fails on the first column with values that are not finite, or outside the domain.
    fn check_values(&self, values: &[f64], names: &Names, inputs: &Inputs) -> Result<()> {
        let depth = names.len().max(1);
        let all_finite = values.iter().fold(0.0, |sum, v| sum + v * 0.0) == 0.0;
        let negative = self.domain == Domain::NonNegative && values.iter().any(|v| *v < 0.0);
        if all_finite && !negative {
            return Ok(());
        }
        for j in 0..names.len() {
            let column = || values.iter().skip(j).step_by(depth).enumerate();
            let name = || names.get(j).unwrap_or_default();
            check_finite(column().map(|(i, v)| (i, *v)), values.len() / depth, name, inputs)?;
            if let Some((i, v)) = column().find(|(_, v)| **v < 0.0 && negative) {
                return Err(Error::Domain {
                    kernel: self.kernel.into(),
                    expected: self.domain.needs().into(),
                    got: format!("{v} in row {i}"),
                    column: Some(name().into_owned()),
                    candidates: Vec::new(),
                });
            }
        }
        Ok(())
    }

    /// The sparse rows themselves, if the kernel reads all of them and they are finite.
    pub(crate) fn sparse(&self, inputs: &Inputs) -> Result<Option<Csr>> {
        match (inputs, self.columns) {
            (Inputs::Sparse(x), Columns::All) => {
                for i in 0..x.nrows() {
                    if let Some(at) = x.row(i).1.iter().position(|v| !v.is_finite()) {
                        let column = default_name(x.row(i).0[at] as usize);
                        let bad = x.values().iter().filter(|v| !v.is_finite()).count();
                        return Err(Error::NonFinite {
                            place: format!("the sparse rows (first in column `{column}`)"),
                            count: bad,
                            total: x.nnz(),
                            first_row: i,
                            what: "NaN or infinite".into(),
                        });
                    }
                }
                Ok(Some(x.clone()))
            }
            _ => Ok(None),
        }
    }

    /// Codes of the category columns, row-major, with one numbering of levels for both sides.
    pub(crate) fn codes(
        &self,
        inputs: &Inputs,
        names: &Names,
        levels: &mut [HashMap<String, u32>],
    ) -> Result<Vec<u32>> {
        let Inputs::Table(table) = inputs else { return Err(self.wrong_data(inputs)) };
        let depth = names.len();
        let mut codes = vec![0; inputs.len() * depth];
        for (at, (name, seen)) in names.iter().zip(levels).enumerate() {
            let Some(column) = table.column(&name).and_then(Column::as_categories) else {
                return Err(table.unknown_column(&name));
            };
            check_present(table.column(&name), &name)?;
            let numbering = number_levels(&column, seen);
            for (i, code) in column.codes().iter().enumerate() {
                codes[i * depth + at] = numbering[*code as usize];
            }
        }
        Ok(codes)
    }

    /// The structured columns of these names, as the Rust type that holds them.
    pub(crate) fn structured<C: Structured + Clone>(&self, inputs: &Inputs, names: &Names) -> Result<Vec<C>> {
        let Inputs::Table(table) = inputs else { return Err(self.wrong_data(inputs)) };
        let column = |name: Cow<'_, str>| {
            check_present(table.column(&name), &name)?;
            let read = table.column(&name).zip(self.domain.column_type()).and_then(|(c, wanted)| c.read_as(wanted));
            read.as_ref().and_then(Column::values_of).cloned().ok_or_else(|| table.unknown_column(&name))
        };
        names.iter().map(column).collect()
    }

    /// The text of the one column, if the data is a table.
    pub(crate) fn texts(&self, inputs: &Inputs, names: &Names) -> Result<Texts> {
        let Inputs::Table(_) = inputs else { return Err(self.wrong_data(inputs)) };
        match self.structured(inputs, names)?.as_slice() {
            [texts] => Ok(Texts::clone(texts)),
            several => {
                let problem = format!("kernel `{}` reads one text column, got {}", self.kernel, several.len());
                Err(self.error(None, problem, None))
            }
        }
    }

    /// Where the names stand among all names; `None` where they are all of them, in order.
    fn positions(&self, all: &Names, names: &Names) -> Result<Option<Vec<usize>>> {
        match names == all {
            true => Ok(None),
            false => names.iter().map(|name| self.position(all, &name)).collect::<Result<_>>().map(Some),
        }
    }

    fn position(&self, all: &Names, name: &str) -> Result<usize> {
        all.position(name).ok_or_else(|| self.error(Some(name), format!("the data has no column `{name}`"), None))
    }

    /// The error of data of a kind that the kernel cannot read at all.
    pub(crate) fn wrong_data(&self, inputs: &Inputs) -> Error {
        Error::Domain {
            kernel: self.kernel.into(),
            expected: self.domain.needs().into(),
            got: inputs.describe().into(),
            column: None,
            candidates: Vec::new(),
        }
    }
}

/// For each level of the column, its number among the levels seen so far.
fn number_levels(column: &Categories, seen: &mut HashMap<String, u32>) -> Vec<u32> {
    let number = |level: &String| {
        let next = seen.len() as u32;
        *seen.entry(level.clone()).or_insert(next)
    };
    column.levels().iter().map(number).collect()
}

/// Fails if the column has missing values.
fn check_present(column: Option<&Column>, name: &str) -> Result<()> {
    match column.and_then(|c| c.missing().map(|m| (m, c.len()))) {
        None => Ok(()),
        Some(((first_row, count), total)) => {
            Err(Error::NonFinite { place: format!("column `{name}`"), count, total, first_row, what: "missing".into() })
        }
    }
}

/// Fails if a column has values that are missing (in a table), NaN or infinite.
fn check_finite<'a>(
    values: impl Iterator<Item = (usize, f64)>,
    total: usize,
    name: impl Fn() -> Cow<'a, str>,
    inputs: &Inputs,
) -> Result<()> {
    let bad: Vec<(usize, f64)> = values.filter(|(_, v)| !v.is_finite()).collect();
    let Some((first_row, first)) = bad.first().copied() else { return Ok(()) };
    let same_kind = bad.iter().filter(|(_, v)| v.is_nan() == first.is_nan()).count();
    let what = match (first.is_nan(), inputs) {
        (true, Inputs::Table(_)) => "missing",
        (true, _) => "NaN",
        (false, _) => "infinite",
    };
    Err(Error::NonFinite {
        place: format!("column `{}`", name()),
        count: same_kind,
        total,
        first_row,
        what: what.into(),
    })
}

/// What to write for a column that the kernel cannot read.
fn instead(name: &str, column: &Column) -> String {
    let quoted = quoted(name);
    let spelt = |word: &str| word.trim().parse::<f64>().is_ok();
    let (own, numbers) = match column {
        Column::Category(c) => (&TEXT, !c.levels().is_empty() && c.levels().iter().all(|level| spelt(level))),
        Column::Structured(v) => {
            let present = || v.words().into_iter().flat_map(Texts::iter_optional).flatten();
            (v.structured_type(), present().all(spelt) && present().next().is_some())
        }
        Column::Number(_) => return format!("`rbf({quoted})` reads numbers; categories are words or whole numbers"),
    };
    if numbers {
        return format!(
            "its values are numbers written as words: read `{name}` as numbers, or write `delta({quoted})`"
        );
    }
    let as_own = Kind::first_of(own).map(|k| format!(", `{}({quoted})` as {}", k.spec().name, own.name));
    format!("`delta({quoted})` reads it as a category{}", as_own.unwrap_or_default())
}

/// "the data has columns `a` (number), …".
fn describe(columns: &ColumnList) -> String {
    let shown: Vec<String> = columns.iter().take(6).map(|(name, kind)| format!("`{name}` ({kind})")).collect();
    if shown.is_empty() {
        return "the data has no columns at all".into();
    }
    let rest = columns.len().saturating_sub(6);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("the data has the columns {}{more}", shown.join(", "))
}
