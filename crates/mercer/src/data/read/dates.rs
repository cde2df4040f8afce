//! Dates and times as numbers: seconds since 1970, and parts that come round.
//!
//! Read are `2024-01-05`, `2024/1/5` and `5.1.2024`, alone or with a time behind a blank or `T` (`09:30`, `09:30:15.5`, then `Z` or
//! `+01:00`). `5/1/2024` is read where the column tells whether days or months stand first: one of them is above 12 somewhere. Without
//! an offset a time counts as UTC. Hour, weekday and day of the year are those that are written, offset or not.

use std::fmt;

use crate::note::Note;

use super::super::{Column, Table, Texts};
use super::options::{DateParts, ReadOptions};

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// A place in time, as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Days since 1970-01-01.
    day: i64,
    /// Seconds since midnight, where a time is given.
    time: Option<f64>,
    /// Seconds that the clock is ahead of UTC.
    offset: f64,
    /// Days since the first of January, and days of that year.
    of_year: (i64, i64),
}

/// What stands first in `5/1/2024`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    DayFirst,
    MonthFirst,
}

/// What the cells of a column are.
#[derive(Debug)]
pub(super) enum Dates {
    /// Something else.
    No,
    /// Dates; nothing where they are missing.
    Clear(Vec<Option<Moment>>),
    /// Dates whose days may be months.
    TwoOrders,
    /// Dates, but for a few cells.
    Spoilt(NoDates),
}

/// Cells among dates that are none.
#[derive(Debug)]
pub(super) struct NoDates {
    /// The first of their rows.
    pub(super) rows: Vec<usize>,
    /// How many there are.
    pub(super) count: usize,
    /// Cells that are not missing.
    pub(super) of: usize,
}

/// Dates that a spoilt column has at least.
const LEAST_DATES: usize = 3;
/// Spoilt cells that are kept.
const CELLS: usize = 5;

/// Reads a column, in which every cell that is not missing must be a date. It is spoilt where at most a tenth of them, or one, is none.
pub(super) fn dates(cells: &Texts) -> Dates {
    if cells.iter_optional().all(|cell| cell.is_none()) {
        return Dates::No;
    }
    let read = |order: Order| -> Option<Vec<Option<Moment>>> {
        let moment = |cell: Option<&str>| cell.map_or(Some(None), |cell| moment(cell, order).map(Some));
        cells.iter_optional().map(moment).collect()
    };
    match (read(Order::DayFirst), read(Order::MonthFirst)) {
        (None, None) => nearly(cells),
        (Some(a), Some(b)) if a == b => Dates::Clear(a),
        (Some(_), Some(_)) => Dates::TwoOrders,
        (Some(only), None) | (None, Some(only)) => Dates::Clear(only),
    }
}

/// A column that neither order reads.
fn nearly(cells: &Texts) -> Dates {
    let present = || cells.iter_optional().enumerate().filter_map(|(row, cell)| Some((row, cell?)));
    let others = |order: Order| -> Vec<usize> {
        present().filter(|(_, cell)| moment(cell, order).is_none()).map(|(row, _)| row).collect()
    };
    let mut rows =
        [Order::DayFirst, Order::MonthFirst].map(others).into_iter().min_by_key(Vec::len).unwrap_or_default();
    let (count, of) = (rows.len(), present().count());
    if of - count < LEAST_DATES || count > (of / 10).max(1) {
        return Dates::No;
    }
    rows.truncate(CELLS);
    Dates::Spoilt(NoDates { rows, count, of })
}

fn moment(cell: &str, order: Order) -> Option<Moment> {
    let cell = cell.trim();
    let (date, time) = match cell.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(clock(time.trim())?)),
        None => (cell, None),
    };
    let (year, month, day) = civil(date, order)?;
    let start = days(year, 1, 1);
    let at = days(year, month, day);
    let (seconds, offset) = time.map_or((None, 0.0), |(seconds, offset)| (Some(seconds), offset));
    Some(Moment { day: at, time: seconds, offset, of_year: (at - start, days(year + 1, 1, 1) - start) })
}

/// Year, month and day.
fn civil(date: &str, order: Order) -> Option<(i64, i64, i64)> {
    let mark = ['-', '/', '.'].into_iter().find(|mark| date.contains(*mark))?;
    let parts: Vec<&str> = date.split(mark).collect();
    let [a, b, c] = parts[..] else { return None };
    let (year, month, day) = match (a.len(), c.len(), mark, order) {
        (4, 1..=2, ..) => (a, b, c),
        (1..=2, 4, '.', _) | (1..=2, 4, _, Order::DayFirst) => (c, b, a),
        (1..=2, 4, _, Order::MonthFirst) => (c, a, b),
        _ => return None,
    };
    let (year, month, day) = (whole(year)?, whole(month).filter(|_| month.len() <= 2)?, whole(day)?);
    ((1..=12).contains(&month) && (1..=length(year, month)).contains(&day)).then_some((year, month, day))
}

/// Seconds since midnight, and of the offset.
fn clock(text: &str) -> Option<(f64, f64)> {
    let (text, offset) = match text.strip_suffix(['Z', 'z']) {
        Some(text) => (text, 0.0),
        None => match text.rfind(['+', '-']) {
            Some(at) => (&text[..at], offset(&text[at..])?),
            None => (text, 0.0),
        },
    };
    let parts: Vec<&str> = text.trim().split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [h, m] => (h, m, "0"),
        [h, m, s] => (h, m, s),
        _ => return None,
    };
    let plain =
        seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.') && seconds.starts_with(|c: char| c.is_ascii_digit());
    let (hours, minutes, seconds) = (whole(hours)?, whole(minutes)?, seconds.parse::<f64>().ok().filter(|_| plain)?);
    let fits = hours < 24 && minutes < 60 && seconds < 60.0;
    fits.then_some((hours as f64 * 3600.0 + minutes as f64 * 60.0 + seconds, offset))
}

/// `+01:00`, `-0530`, `+02`: seconds.
pub(super) fn offset(text: &str) -> Option<f64> {
    let (sign, digits) = text.split_at_checked(1).filter(|(sign, _)| ["+", "-"].contains(sign))?;
    let digits = digits.replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (whole(&digits)?, 0),
        4 => (whole(&digits[..2])?, whole(&digits[2..])?),
        _ => return None,
    };
    let seconds = (hours * 3600 + minutes * 60) as f64;
    (hours < 15 && minutes < 60).then_some(if sign == "-" { -seconds } else { seconds })
}

/// Digits alone.
fn whole(text: &str) -> Option<i64> {
    (!text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

fn length(year: i64, month: i64) -> i64 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March: leap days are then the last of a year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The year that a day since 1970-01-01 lies in, and its first day.
fn year_of(day: i64) -> (i64, i64) {
    // The mean year is right to within one.
    let mut year = 1970 + (day as f64 / 365.2425).floor() as i64;
    while days(year, 1, 1) > day {
        year -= 1;
    }
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    (year, days(year, 1, 1))
}

impl fmt::Display for Moment {
    /// As a cell that is read as the same moment, the offset aside.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, _) = year_of(self.day);
        let (mut month, mut day) = (1, self.of_year.0 + 1);
        while day > length(year, month) {
            day -= length(year, month);
            month += 1;
        }
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        let Some(time) = self.time else { return Ok(()) };
        let (hours, minutes) = ((time / 3600.0).floor(), (time / 60.0).floor() % 60.0);
        write!(f, " {hours:02}:{minutes:02}:{:02}", time % 60.0)
    }
}

impl Moment {
    /// A day since 1970-01-01.
    pub(super) fn date(day: i64) -> Self {
        let (year, first) = year_of(day);
        Moment { day, time: None, offset: 0.0, of_year: (day - first, days(year + 1, 1, 1) - first) }
    }

    /// So many ticks since 1970-01-01 in UTC, `unit` of them a second, on a clock that is `offset` seconds ahead.
    pub(super) fn time(ticks: i64, unit: i64, offset: f64) -> Self {
        let (seconds, rest) = (ticks.div_euclid(unit), ticks.rem_euclid(unit));
        let local = seconds.saturating_add(offset as i64);
        let time = local.rem_euclid(DAY as i64) as f64 + rest as f64 / unit as f64;
        Moment { time: Some(time), offset, ..Moment::date(local.div_euclid(DAY as i64)) }
    }

    /// Seconds since 1970-01-01 in UTC.
    pub(super) fn epoch(self) -> f64 {
        self.day as f64 * DAY + self.time.unwrap_or(0.0) - self.offset
    }
}

/// A part that comes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The time of day.
    Hour,
    /// The day of the week.
    Weekday,
    /// The day of the year.
    Yearday,
}

impl Part {
    pub(super) const ALL: [Part; 3] = [Part::Hour, Part::Weekday, Part::Yearday];

    /// Its word, behind the name of a column.
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Hour => "hour",
            Part::Weekday => "weekday",
            Part::Yearday => "yearday",
        }
    }

    /// Its angle, in turns.
    fn turns(self, moment: Moment) -> f64 {
        let of_day = moment.time.unwrap_or(0.0) / DAY;
        match self {
            Part::Hour => of_day,
            // The first of January 1970 was a Thursday; a week begins on Monday.
            Part::Weekday => (moment.day + 3).rem_euclid(7) as f64 / 7.0,
            Part::Yearday => moment.of_year.0 as f64 / moment.of_year.1 as f64,
        }
    }

    /// Whether it can tell more than the moment itself: it comes round twice within the column.
    pub(super) fn helps(self, moments: &[Option<Moment>]) -> bool {
        let present = || moments.iter().flatten();
        let (first, last) = (present().map(|m| m.day).min().unwrap_or(0), present().map(|m| m.day).max().unwrap_or(0));
        match self {
            Part::Hour => last - first >= 2 && present().any(|m| m.time.is_some_and(|t| t != 0.0)),
            Part::Weekday => last - first >= 14,
            Part::Yearday => last - first >= 730,
        }
    }

    /// Its sine and cosine, NaN where they are missing.
    pub(super) fn waves(self, moments: &[Option<Moment>]) -> [(&'static str, Vec<f64>); 2] {
        let wave = |f: fn(f64) -> f64| {
            let value = |m: &Option<Moment>| m.map_or(f64::NAN, |m| f(std::f64::consts::TAU * self.turns(m)));
            moments.iter().map(value).collect()
        };
        [("sin", wave(f64::sin)), ("cos", wave(f64::cos))]
    }
}

/// A column of dates as numbers, with its parts among columns of these names; those of a target would tell it. `cell` says how a row
/// is written.
pub(super) fn dated(
    (name, names): (&str, &[String]),
    moments: &[Option<Moment>],
    cell: impl Fn(usize) -> String,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Vec<(String, Column)> {
    let epoch = |m: &Option<Moment>| m.map_or(f64::NAN, Moment::epoch);
    let mut columns: Vec<(String, Column)> = vec![(name.to_owned(), moments.iter().map(epoch).collect())];
    let wanted = |part: &Part| match options.date_parts {
        DateParts::None => false,
        DateParts::Helpful => part.helps(moments),
        DateParts::All => true,
    };
    let is_target = options.target.as_deref() == Some(name);
    let parts: Vec<Part> = Part::ALL.into_iter().filter(|part| !is_target && wanted(part)).collect();
    for part in &parts {
        let waves = part.waves(moments).map(|(wave, values)| (format!("{name}_{}_{wave}", part.name()), values.into()));
        columns.extend(waves.into_iter().filter(|(own, _)| !names.contains(own) && !options.exclude.contains(own)));
    }
    if let Some(row) = moments.iter().position(Option::is_some) {
        notes.push(Note::DatesRead {
            column: name.to_owned(),
            cell: cell(row),
            value: epoch(&moments[row]),
            parts: parts.iter().map(|part| part.name().to_owned()).collect(),
        });
    }
    columns
}

/// The column that a name such as `when_hour_sin` is a part of.
pub(super) fn whole_of(name: &str) -> Option<&str> {
    let rest = name.strip_suffix("_sin").or_else(|| name.strip_suffix("_cos"))?;
    Part::ALL.into_iter().find_map(|part| rest.strip_suffix(part.name())?.strip_suffix('_'))
}

/// The columns of a table that are parts of the dates of another: `when_hour_sin` of `when`.
///
/// ```
/// use mercer::data::{Column, Table, date_parts};
/// let names = ["when", "when_hour_sin", "when_hour_cos", "when_else"];
/// let columns = names.map(|name| (name.to_owned(), Column::Number([1.0].into())));
/// assert_eq!(date_parts(&Table::new(columns.to_vec())?, "when"), ["when_hour_sin", "when_hour_cos"]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn date_parts(table: &Table, name: &str) -> Vec<String> {
    table.names().iter().filter(|own| whole_of(own) == Some(name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(cells: &[Option<&str>]) -> Dates {
        dates(&Texts::from_values(cells.iter().copied()))
    }

    fn epoch(cell: &str) -> Option<f64> {
        match found(&[Some(cell)]) {
            Dates::Clear(found) => found[0].map(Moment::epoch),
            _ => None,
        }
    }

    /// Every day of 800 years, counted one by one.
    #[test]
    fn days_are_those_of_a_calendar_that_is_walked() {
        let mut at = days(1600, 1, 1);
        assert_eq!(days(1970, 1, 1), 0);
        for year in 1600..2400 {
            for month in 1..=12 {
                for day in 1..=length(year, month) {
                    assert_eq!(days(year, month, day), at, "{year}-{month}-{day}");
                    at += 1;
                }
            }
        }
    }

    #[test]
    fn moments_are_those_of_other_programs() {
        // `date -u -d … +%s`
        for (cell, seconds) in [
            ("1970-01-01", 0.0),
            ("2024-02-29", 1_709_164_800.0),
            ("2024/2/29", 1_709_164_800.0),
            ("29.02.2024", 1_709_164_800.0),
            ("2024-02-29T12:30:15Z", 1_709_209_815.0),
            ("2024-02-29 12:30:15.5+01:00", 1_709_206_215.5),
            ("1969-12-31 23:59", -60.0),
            ("31/12/1999", 946_598_400.0),
            ("12/31/1999", 946_598_400.0),
        ] {
            assert_eq!(epoch(cell), Some(seconds), "{cell}");
        }
        for cell in [
            "2023-02-29",
            "2024-13-01",
            "24-01-05",
            "2024-01",
            "12:30",
            "2024-01-05 25:00",
            "1.2.3",
            "2024-01-05x",
            "5",
            "",
        ] {
            assert_eq!(epoch(cell), None, "{cell}");
        }
        assert!(matches!(found(&[Some("5/1/2024"), Some("6/1/2024")]), Dates::TwoOrders));
        assert!(matches!(found(&[Some("5/1/2024"), Some("13/1/2024")]), Dates::Clear(_)));
        assert!(matches!(found(&[Some("5/13/2024"), Some("13/1/2024")]), Dates::No));
        assert!(matches!(found(&[None, None]), Dates::No));
        let mut cells = vec![Some("2024-01-05"); 4];
        cells.extend([Some("n.d."), None]);
        assert!(matches!(found(&cells), Dates::Spoilt(NoDates { rows, count: 1, of: 5 }) if rows == [4]));
        cells.push(Some("soon"));
        assert!(matches!(found(&cells), Dates::No), "two of six are too many");
    }

    #[test]
    fn parts_come_round() {
        let Dates::Clear(moments) = found(&[Some("2024-01-01 06:00"), Some("2024-01-08 06:00")]) else {
            panic!("dates")
        };
        let [(_, sin), (_, cos)] = Part::Weekday.waves(&moments);
        assert_eq!((sin[0], cos[0]), (0.0, 1.0), "a Monday");
        assert_eq!(sin[0], sin[1]);
        let [(_, sin), _] = Part::Hour.waves(&moments);
        assert_eq!(sin[0], 1.0, "a quarter of a day");
        assert!(Part::Hour.helps(&moments) && !Part::Weekday.helps(&moments) && !Part::Yearday.helps(&moments));
        assert_eq!((whole_of("when_hour_sin"), whole_of("sin"), whole_of("when_sin")), (Some("when"), None, None));
    }
}
