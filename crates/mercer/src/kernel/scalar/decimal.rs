//! Numbers as they are written: a decimal is the rational number that its digits name.

use std::fmt;

use crate::kernel::number;
use crate::kernel::property::Rational;

use super::interval::Interval;

/// d·10ᵉ ≥ 0, where d is a whole number of any length that does not end in 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// The digits of d without leading zeros; empty for 0.
    digits: String,
    /// e, which is 0 for 0.
    exponent: i64,
}

impl Decimal {
    /// Reads digits with at most one point and an exponent, such as `1.50e-3`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits = all.trim_start_matches('0').trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Decimal { digits, exponent: 0 });
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let shift = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
        Some(Decimal { digits, exponent: exponent.parse::<i64>().ok()?.checked_add(shift)? })
    }

    /// A whole number.
    pub(super) fn whole(n: u128) -> Self {
        let all = n.to_string();
        let digits = all.trim_end_matches('0').to_owned();
        let zeros = all.len() - digits.len();
        Decimal { exponent: if digits.is_empty() { 0 } else { zeros as i64 }, digits }
    }

    /// The nearest floating-point number.
    pub(super) fn to_f64(&self) -> f64 {
        if self.digits.is_empty() { 0.0 } else { self.scientific().parse().unwrap_or(f64::INFINITY) }
    }

    /// Bounds of the number.
    pub(super) fn interval(&self) -> Interval {
        let near = self.to_f64();
        Interval::new(near.next_down().max(0.0), near.next_up())
    }

    /// d, if it fits.
    pub(super) fn mantissa(&self) -> Option<Rational> {
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        Rational::new(digits.parse().ok()?, 1)
    }

    /// e.
    pub(super) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The number as a fraction, if that fits.
    pub(super) fn rational(&self) -> Option<Rational> {
        self.mantissa()?.times(Rational::whole(10).power(self.exponent)?)
    }

    fn scientific(&self) -> String {
        format!("{}e{}", self.digits, self.exponent)
    }
}

impl fmt::Display for Decimal {
    /// As formulas print numbers, where that says it all, else every digit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = number::print(self.to_f64());
        if Self::parse(&short).as_ref() == Some(self) {
            return f.write_str(&short);
        }
        let places = usize::try_from(self.exponent.unsigned_abs()).unwrap_or(usize::MAX);
        match self.digits.split_at_checked(self.digits.len().wrapping_sub(places)) {
            Some(("", fraction)) if self.exponent < 0 => write!(f, "0.{fraction}"),
            Some((whole, fraction)) if self.exponent < 0 => write!(f, "{whole}.{fraction}"),
            _ if self.exponent == 0 => f.write_str(&self.digits),
            _ => f.write_str(&self.scientific()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn read(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn a_decimal_is_what_is_written() {
        assert_eq!(read("0.10"), read("1e-1"));
        assert_eq!(read("1500"), read("1.5e3"));
        assert_eq!((read("1200"), read("0")), (Decimal::whole(1200), Decimal::whole(0)));
        assert_eq!(read("0e99"), read(".0"));
        assert_ne!(read("1.0000000000000000001"), read("1"));
        assert_eq!(read("0.1").rational().map(|r| r.to_string()).as_deref(), Some("1/10"));
        assert_eq!(read("9007199254740993").rational().map(|r| r.to_string()).as_deref(), Some("9007199254740993"));
        assert_eq!(read("1e300").rational(), None);
        assert!(["", ".", "e5", "1e", "-1", "1e99999999999999999999"].iter().all(|t| Decimal::parse(t).is_none()));
    }

    #[test]
    fn printing_keeps_every_digit() {
        for (text, printed) in [
            ("0.5", "0.5"),
            ("2.00000000000000001", "2.00000000000000001"),
            ("0.00012345678901234567890123", "12345678901234567890123e-26"),
            ("9007199254740993", "9007199254740993"),
            ("1e-7", "1e-7"),
            ("1e-400", "1e-400"),
            ("123456789012345678901234567890e10", "12345678901234567890123456789e11"),
        ] {
            let number = read(text);
            assert_eq!(read(&number.to_string()), number, "{text}");
            assert_eq!(number.to_string(), printed);
        }
    }

    #[test]
    fn bounds_hold_the_number() {
        for text in ["0.1", "1e-400", "9007199254740993", "0"] {
            let (number, bounds) = (read(text), read(text).interval());
            assert!(bounds.low <= number.to_f64() && number.to_f64() <= bounds.high && bounds.low >= 0.0);
        }
    }
}
