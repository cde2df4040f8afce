//! Numbers as people spell them: `12%`, `$1,234.50`, `3,5`, `1 234`.
//!
//! A cell has a sign, a unit, and digits with marks. What the marks mean is a [`Marks`]: which one begins the decimals and which
//! one stands between thousands. One cell may be read in several ways (`1,234`); the cells of a column together seldom can.

use std::borrow::Cow;

/// What stands beside the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nothing.
    None,
    /// `%`: the number is a hundredth of the digits.
    Percent,
    /// The sign of a currency, before or after the digits.
    Currency(char),
}

/// What the marks between digits mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    /// Begins the decimals.
    pub(super) decimal: char,
    /// Stands between thousands, where anything does.
    group: char,
}

/// Every meaning that is known. Blanks of any width count as ` `, apostrophes of any form as `'`.
pub(super) const MARKS: [Marks; 6] = [
    Marks { decimal: '.', group: ',' },
    Marks { decimal: '.', group: ' ' },
    Marks { decimal: '.', group: '\'' },
    Marks { decimal: ',', group: '.' },
    Marks { decimal: ',', group: ' ' },
    Marks { decimal: ',', group: '\'' },
];

/// A cell taken apart.
#[derive(Debug)]
pub(super) struct Spelt<'a> {
    pub(super) unit: Unit,
    negative: bool,
    digits: Cow<'a, str>,
}

impl<'a> Spelt<'a> {
    /// Takes a cell apart; nothing if it has no digits or anything but digits and marks beside sign and unit.
    pub(super) fn new(cell: &'a str) -> Option<Self> {
        let (mut rest, mut unit, mut negative) = (cell.trim(), Unit::None, None);
        loop {
            let first = rest.chars().next()?;
            match (sign(first), is_currency(first)) {
                (Some(minus), _) if negative.is_none() => negative = Some(minus),
                (None, true) if unit == Unit::None => unit = Unit::Currency(first),
                (None, false) => break,
                _ => return None,
            }
            rest = rest[first.len_utf8()..].trim_start();
        }
        let last = rest.chars().next_back()?;
        let behind = if last == '%' { Unit::Percent } else { Unit::Currency(last) };
        if last == '%' || is_currency(last) {
            if unit != Unit::None {
                return None;
            }
            (unit, rest) = (behind, rest[..rest.len() - last.len_utf8()].trim_end());
        }
        let known = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '\'' | 'e' | 'E' | '+' | '-');
        let digits = plain_marks(rest);
        let whole = digits.chars().all(known) && digits.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c));
        whole.then(|| Spelt { unit, negative: negative.unwrap_or(false), digits })
    }

    /// The number, if the marks may mean this.
    pub(super) fn value(&self, marks: Marks) -> Option<f64> {
        let (mantissa, exponent) = match self.digits.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (self.digits.as_ref(), 0),
        };
        let (whole, decimals) = mantissa.split_once(marks.decimal).unwrap_or((mantissa, ""));
        let whole = ungrouped(whole, marks.group)?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if !digits(&whole) || !digits(decimals) || whole.len() + decimals.len() == 0 {
            return None;
        }
        // Through the exponent, so that `12%` is the number nearest to 0.12.
        let exponent = exponent.checked_sub(if self.unit == Unit::Percent { 2 } else { 0 })?;
        let value: f64 = format!("{whole}.{decimals}e{exponent}").parse().ok()?;
        Some(if self.negative { -value } else { value })
    }

    /// Whether it can be read at all.
    pub(super) fn is_number(&self) -> bool {
        MARKS.iter().any(|marks| self.value(*marks).is_some())
    }
}

/// Digits without the marks between thousands: groups of three, the first shorter and without a leading 0.
fn ungrouped(whole: &str, group: char) -> Option<Cow<'_, str>> {
    let Some((first, rest)) = whole.split_once(group) else { return Some(whole.into()) };
    let fits =
        (1..=3).contains(&first.len()) && !first.starts_with('0') && rest.split(group).all(|part| part.len() == 3);
    fits.then(|| whole.split(group).collect::<String>().into())
}

/// Whether a sign is a minus.
fn sign(c: char) -> Option<bool> {
    match c {
        '-' | '\u{2212}' => Some(true),
        '+' => Some(false),
        _ => None,
    }
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '£' | '¥' | '¤' | '\u{20a0}'..='\u{20cf}')
}

/// Blanks and apostrophes of every kind as one each.
fn plain_marks(digits: &str) -> Cow<'_, str> {
    let plain = |c: char| match c {
        '\u{a0}' | '\u{2009}' | '\u{202f}' => ' ',
        '\u{2019}' => '\'',
        other => other,
    };
    match digits.is_ascii() {
        true => digits.into(),
        false => digits.chars().map(plain).collect::<String>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(cell: &str) -> Vec<f64> {
        let Some(spelt) = Spelt::new(cell) else { return Vec::new() };
        let mut values: Vec<f64> = MARKS.iter().filter_map(|m| spelt.value(*m)).collect();
        values.dedup();
        values
    }

    #[test]
    fn a_cell_has_the_readings_that_its_marks_allow() {
        assert_eq!(readings("12%"), [0.12]);
        assert_eq!(readings("-$1,234.50"), [-1234.5]);
        assert_eq!(readings("$ -3"), [-3.0]);
        assert_eq!(readings("1 234 567,5 €"), [1_234_567.5]);
        assert_eq!(readings("1\u{202f}234"), [1234.0]);
        assert_eq!(readings("1’234.5"), [1234.5]);
        assert_eq!(readings("\u{2212}4"), [-4.0]);
        assert_eq!(readings("3,5"), [3.5]);
        assert_eq!(readings("0,123"), [0.123]);
        assert_eq!(readings("1,234"), [1234.0, 1.234]);
        assert_eq!(readings("1.234,5"), [1234.5]);
        assert_eq!(readings("1,5e3"), [1500.0]);
        assert_eq!(readings(",5"), [0.5]);
    }

    #[test]
    fn what_is_no_number_has_none() {
        for cell in [
            "",
            "%",
            "$",
            "-",
            ".",
            "oops",
            "12 apples",
            "1,23,4",
            "1..2",
            "5%%",
            "$5%",
            "$5€",
            "--5",
            "1e",
            "e5",
            "12:30",
            "(5)",
            "1 2",
        ] {
            assert!(readings(cell).is_empty(), "{cell}: {:?}", readings(cell));
        }
    }
}
