//! From the two passes over a CSV file to its columns: numbers, numbers in words, and words.

use crate::error::{Error, Result};
use crate::note::{Note, SpoiledCell};

use super::super::text::TextBuilder;
use super::super::{Column, ColumnType, Texts, default_name, describe_column};
use super::csv::{File, State, as_text};
use super::dates::{Dates, Moment, dated, dates};
use super::infer;
use super::judge::{Judged, Spelling, judge};
use super::place::shorten;
use super::spelling::{MARKS, Spelt};

/// A column that has words.
struct Words<'a> {
    name: &'a str,
    texts: Texts,
    judged: Judged,
    /// Columns of the file.
    width: usize,
    /// What begins decimals elsewhere in the file.
    decimal: Option<char>,
}

/// What points mean in a column of plain numbers.
enum Dotted {
    /// There are none.
    No,
    /// They begin decimals: some cell cannot be read in another way.
    Decimals,
    /// They may as well stand between thousands, as in this cell.
    Thousands { line: u64, cell: String, point: f64, comma: f64 },
}

impl File<'_> {
    /// The columns of both passes.
    pub(super) fn columns(
        &self,
        names: Vec<String>,
        states: Vec<State>,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<(String, Column)>> {
        let texts: Vec<Texts> = self.words(&states)?.into_iter().map(TextBuilder::finish).collect();
        let judged: Vec<Judged> =
            names.iter().zip(&states).zip(&texts).map(|((n, s), t)| self.judged(n, s, t)).collect();
        let decimal = self.decimal(&names, &states, &judged)?;
        let width = names.len();
        let mut columns = Vec::with_capacity(width);
        for (((name, state), texts), judged) in names.iter().cloned().zip(states).zip(texts).zip(judged) {
            if let Some(moments) = self.moments((&name, width), &texts, &judged, notes)? {
                let cell = |row: usize| shorten(texts.get(row).trim());
                columns.extend(dated((&name, &names), &moments, cell, self.options, notes));
                continue;
            }
            let column = match state {
                State::Skipped => continue,
                State::Numbers(values, zeros) => {
                    let wanted = self.options.types.contains_key(&name);
                    let cell = zeros.filter(|_| !wanted);
                    notes.extend(cell.map(|cell| Note::LeadingZeros { column: name.clone(), cell }));
                    values.into()
                }
                State::Words => self.word_column(Words { name: &name, texts, judged, width, decimal }, notes)?,
            };
            columns.push((name, column));
        }
        Ok(columns)
    }

    /// The dates of a column of words, if it holds them.
    fn moments(
        &self,
        (name, width): (&str, usize),
        texts: &Texts,
        judged: &Judged,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Vec<Option<Moment>>>> {
        let wanted = self.options.types.get(name);
        if !matches!((judged, wanted), (Judged::Words, None | Some(ColumnType::Number))) {
            return Ok(None);
        }
        // Most columns of words are told by their first cells.
        let digit = |cell: &str| cell.trim().starts_with(|c: char| c.is_ascii_digit());
        if !texts.iter_optional().flatten().take(2).any(digit) {
            return Ok(None);
        }
        match dates(texts) {
            Dates::Clear(moments) => return Ok(Some(moments)),
            Dates::TwoOrders => notes.push(Note::DatesUnclear { column: name.to_owned() }),
            Dates::Spoilt(spoilt) if !self.options.keep_spoiled => {
                let cells = self.cells(width, texts, &spoilt.rows)?;
                return Err(self.place.no_dates(name, &cells, &spoilt));
            }
            Dates::Spoilt(_) | Dates::No => {}
        }
        Ok(None)
    }

    /// What the words of a column are, where nobody said what they are.
    fn judged(&self, name: &str, state: &State, texts: &Texts) -> Judged {
        match (state, self.options.types.get(name)) {
            (State::Words, None | Some(ColumnType::Number)) => judge(texts, self.options.decimal.map(char::from)),
            _ => Judged::Words,
        }
    }

    /// What begins decimals in this file, where its columns tell: a comma where a column can be read in no other way; a point
    /// where commas are delimiters, or a column of plain numbers has decimals.
    fn decimal(&self, names: &[String], states: &[State], judged: &[Judged]) -> Result<Option<char>> {
        if self.options.decimal.is_some() {
            return Ok(None);
        }
        let comma = judged.iter().any(|j| matches!(j, Judged::Clear(s) if s.marks.decimal == ','));
        let unclear = judged.iter().any(|j| matches!(j, Judged::TwoReadings { .. }));
        if !comma && !unclear {
            return Ok(None);
        }
        let dotted = self.dotted(names.len(), states)?;
        let point = self.dialect.delimiter == b',' || dotted.iter().any(|d| matches!(d, Dotted::Decimals));
        if !comma {
            return Ok(point.then_some('.'));
        }
        // Beside decimal commas, `1.234` is more likely 1234 than what was read.
        for (name, dotted) in names.iter().zip(&dotted) {
            if let (Dotted::Thousands { line, cell, point, comma }, false) =
                (dotted, self.options.types.contains_key(name))
            {
                return Err(self.place.two_readings(*line, name, cell, *point, *comma));
            }
        }
        Ok(Some(','))
    }

    /// What points mean in the columns of plain numbers.
    fn dotted(&self, width: usize, states: &[State]) -> Result<Vec<Dotted>> {
        let mut found: Vec<Dotted> = states.iter().map(|_| Dotted::No).collect();
        self.each_row(width, |line, row| {
            for (j, found) in found.iter_mut().enumerate().filter(|(j, _)| matches!(states[*j], State::Numbers(..))) {
                let cell = as_text(&row[j]);
                if !cell.contains('.') || matches!(found, Dotted::Decimals) {
                    continue;
                }
                let read = |decimal: char| {
                    let marks = MARKS.into_iter().filter(|m| m.decimal == decimal);
                    marks.filter_map(|m| Spelt::new(cell)?.value(m)).next()
                };
                match (read('.'), read(',')) {
                    (Some(point), Some(comma)) if matches!(found, Dotted::No) => {
                        *found = Dotted::Thousands { line, cell: cell.trim().to_owned(), point, comma };
                    }
                    (Some(_), None) => *found = Dotted::Decimals,
                    _ => {}
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// A column that has words, as numbers where they are.
    fn word_column(&self, words: Words<'_>, notes: &mut Vec<Note>) -> Result<Column> {
        let Words { name, texts, judged, width, decimal } = words;
        let wanted = self.options.types.get(name).copied();
        let text = || matches!(infer::words(texts.clone(), None), Ok(Column::Structured(_)));
        match judged {
            Judged::Clear(spelling) => return Ok(self.spelt(name, &texts, spelling, notes)),
            Judged::TwoReadings { point, .. } if decimal == Some('.') => {
                return Ok(self.spelt(name, &texts, point, notes));
            }
            Judged::TwoReadings { comma, .. } if decimal == Some(',') => {
                return Ok(self.spelt(name, &texts, comma, notes));
            }
            Judged::TwoReadings { point, comma } if !self.options.keep_spoiled => {
                let (line, cell) = (self.lines(width, &[point.example])?[0], texts.get(point.example).trim());
                let (a, b) = (point.values[point.example], comma.values[point.example]);
                return Err(self.place.two_readings(line, name, cell, a, b));
            }
            Judged::Spoilt(spoilt) => {
                let cells = self.cells(width, &texts, &spoilt.rows)?;
                let bad = !self.options.keep_spoiled && spoilt.is_bad(text());
                if bad || wanted == Some(ColumnType::Number) {
                    return Err(self.place.spoiled(name, &cells, &spoilt));
                }
                let column = self.inferred(width, name, texts, wanted)?;
                notes.push(Note::SpoiledNumbers {
                    column: name.to_owned(),
                    column_type: column.column_type().to_string(),
                    spoiled: spoilt.count,
                    of: spoilt.of,
                    cells,
                });
                return Ok(column);
            }
            _ => {}
        }
        if wanted == Some(ColumnType::Number) {
            return Err(self.no_number(width, name, &texts)?);
        }
        self.inferred(width, name, texts, wanted)
    }

    fn inferred(&self, width: usize, name: &str, texts: Texts, wanted: Option<ColumnType>) -> Result<Column> {
        infer::words(texts, wanted).map_err(|bad| self.bad_cell(width, name, &bad))
    }

    /// Numbers in a clear spelling.
    fn spelt(&self, name: &str, texts: &Texts, spelling: Spelling, notes: &mut Vec<Note>) -> Column {
        let cell = texts.get(spelling.example).trim();
        notes.push(Note::NumbersSpelt {
            column: name.to_owned(),
            spelling: spelling.words(cell),
            cell: shorten(cell),
            value: spelling.values[spelling.example],
        });
        spelling.values.into()
    }

    /// The cells that spoil a column, with their lines.
    fn cells(&self, width: usize, texts: &Texts, rows: &[usize]) -> Result<Vec<SpoiledCell>> {
        let lines = self.lines(width, rows)?;
        let cell = |(line, row): (u64, &usize)| SpoiledCell { line, cell: shorten(texts.get(*row).trim()) };
        Ok(lines.into_iter().zip(rows).map(cell).collect())
    }

    /// The error of a column that was said to hold numbers: its first word.
    fn no_number(&self, width: usize, name: &str, texts: &Texts) -> Result<Error> {
        let word = |cell: Option<&str>| cell.is_some_and(|cell| infer::number(cell).is_none());
        let row = texts.iter_optional().position(word).unwrap_or(0);
        Ok(self.place.not_a_number(self.lines(width, &[row])?[0], name.to_owned(), texts.get(row)))
    }

    /// The columns without a first one that has no name and tells all rows apart, as R and pandas write names of rows.
    pub(super) fn without_row_names(
        &self,
        mut columns: Vec<(String, Column)>,
        nameless: bool,
        notes: &mut Vec<Note>,
    ) -> Vec<(String, Column)> {
        let Some((name, column)) = columns.first().filter(|_| nameless && columns.len() > 1) else { return columns };
        // Dates tell more than which row it is.
        let dated = notes.iter().any(|note| matches!(note, Note::DatesRead { column, .. } if column == name));
        if dated {
            return columns;
        }
        let summary = describe_column(name, column);
        if name != &default_name(0) || self.options.names(name) || summary.distinct < column.len() {
            return columns;
        }
        notes.push(Note::RowNames { column: name.clone() });
        columns.remove(0);
        columns
    }
}
