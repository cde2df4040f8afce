//! Dates that a caller holds, such as a column of a data frame, as the readers make columns of those in files.

use super::super::Column;
use super::dates::{Moment, dated, offset};
use super::options::{DateParts, ReadOptions};

/// Places in time.
#[derive(Clone, Copy, Debug)]
pub struct HeldDates<'a> {
    /// Microseconds since 1970-01-01 in UTC; `None` is missing.
    pub microseconds: &'a [Option<i64>],
    /// Whether they are days, which have no hour.
    pub days: bool,
    /// The zone of their clock. Offsets such as `+01:00` are known; UTC stands for zones with a name.
    pub zone: Option<&'a str>,
}

impl HeldDates<'_> {
    /// The columns of dates of this name among columns of other names: seconds since 1970-01-01, and the parts that are asked for.
    ///
    /// ```
    /// use mercer::data::{DateParts, HeldDates};
    /// let day = 86_400_000_000;
    /// let dates = HeldDates { microseconds: &[Some(0), Some(day), None], days: true, zone: None };
    /// let columns = dates.columns("when", &["when".into()], DateParts::All);
    /// let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    /// assert_eq!(names[..3], ["when", "when_hour_sin", "when_hour_cos"]);
    /// assert_eq!(names.len(), 7);
    /// ```
    pub fn columns(&self, name: &str, names: &[String], date_parts: DateParts) -> Vec<(String, Column)> {
        let ahead = self.zone.and_then(offset).unwrap_or(0.0);
        let moment = |at: i64| match self.days {
            true => Moment::date(at.div_euclid(DAY)),
            false => Moment::time(at, SECOND, ahead),
        };
        let moments: Vec<Option<Moment>> = self.microseconds.iter().map(|at| at.map(moment)).collect();
        let options = ReadOptions { date_parts, ..ReadOptions::default() };
        let cell = |row: usize| moments[row].map_or_else(String::new, |m| m.to_string());
        dated((name, names), &moments, cell, &options, &mut Vec::new())
    }
}

/// Microseconds of a second, and of a day.
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

#[cfg(test)]
mod tests {
    use super::super::super::read_from;
    use super::*;
    use crate::run::Run;

    /// What the reader of CSV files makes of the same moments.
    fn from_words(cells: &[&str]) -> Vec<(String, Column)> {
        let options = ReadOptions { header: Some(true), date_parts: DateParts::All, ..ReadOptions::default() };
        let text = format!("when,other\n{}\n", cells.iter().map(|c| format!("{c},1")).collect::<Vec<_>>().join("\n"));
        let data = read_from(text.as_bytes(), "words", &options, &Run::new()).unwrap();
        let crate::data::Inputs::Table(table) = data.inputs else { panic!("a table") };
        table.iter().filter(|(name, _)| *name != "other").map(|(name, c)| (name.to_owned(), c.clone())).collect()
    }

    fn same(a: &[(String, Column)], b: &[(String, Column)]) {
        assert_eq!(a.len(), b.len());
        for ((name, x), (other, y)) in a.iter().zip(b) {
            assert_eq!(name, other);
            let (Column::Number(x), Column::Number(y)) = (x, y) else { panic!("numbers") };
            assert!(
                x.iter().zip(y.iter()).all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())),
                "{name}"
            );
        }
    }

    #[test]
    fn they_are_what_is_read_from_words() {
        let names = ["when".to_owned(), "other".to_owned()];
        let days = [Some(19_782 * DAY), Some(-DAY), None];
        let held = HeldDates { microseconds: &days, days: true, zone: None };
        same(&held.columns("when", &names, DateParts::All), &from_words(&["2024-02-29", "1969-12-31", ""]));
        let times = [Some(1_709_206_215_500_000), Some(-60 * SECOND - 3_600 * SECOND)];
        let held = HeldDates { microseconds: &times, days: false, zone: Some("+01:00") };
        let words = ["2024-02-29 12:30:15.5+01:00", "1969-12-31 23:59:00+01:00"];
        same(&held.columns("when", &names, DateParts::All), &from_words(&words));
    }

    #[test]
    fn a_name_that_is_taken_stays_the_callers() {
        let names = ["when".to_owned(), "when_hour_sin".to_owned()];
        let held = HeldDates { microseconds: &[Some(0)], days: false, zone: None };
        let found = held.columns("when", &names, DateParts::All);
        assert!(found.iter().all(|(name, _)| name != "when_hour_sin"));
        assert_eq!(held.columns("when", &names, DateParts::None).len(), 1);
    }
}
