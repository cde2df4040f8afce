//! Numbers with few decimal digits, which ticks are made of.

/// digits·10^exponent, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) digits: i64,
    pub(super) exponent: i32,
}

impl Decimal {
    pub(super) fn new(digits: i64, exponent: i32) -> Self {
        Decimal { digits, exponent }
    }

    /// The nearest `f64`. Reading text rounds correctly, which powers of ten in floating point do not.
    pub(super) fn value(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::NAN)
    }

    /// The exponent of its first digit: ⌊log₁₀|value|⌋; nothing for 0.
    pub(super) fn magnitude(self) -> Option<i32> {
        self.digits.unsigned_abs().checked_ilog10().map(|d| d as i32 + self.exponent)
    }

    /// Without a power of ten: `0.025`.
    fn plain(self) -> String {
        let decimals = self.exponent.min(0).unsigned_abs() as usize;
        // Zero has no digits that a power of ten could move.
        let zeros = if self.digits == 0 { 0 } else { self.exponent.max(0) as usize };
        let digits = self.digits.unsigned_abs().to_string() + &"0".repeat(zeros);
        let padded = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, part) = padded.split_at(padded.len() - decimals);
        let point = if part.is_empty() { "" } else { "." };
        format!("{}{whole}{point}{part}", sign(self.digits))
    }

    /// As a multiple of 10^power, which must not be below its exponent: `2.5×10⁷`.
    fn scientific(self, power: i32) -> String {
        match (self.digits, self.exponent == power) {
            (0, _) => "0".into(),
            (1 | -1, true) => format!("{}10{}", sign(self.digits), superscript(power)),
            _ => format!("{}×10{}", Decimal::new(self.digits, self.exponent - power).plain(), superscript(power)),
        }
    }
}

/// A number with four digits at most: `0.01234`, `1.5×10⁹`.
pub(super) fn short(value: f64) -> String {
    let rounded = format!("{value:.3e}");
    let parts = rounded.split_once('e').and_then(|(m, e)| Some((m.replace('.', "").parse().ok()?, e.parse().ok()?)));
    let Some((mut digits, exponent)) = parts else { return value.to_string() };
    let mut exponent: i32 = exponent;
    exponent -= 3;
    while digits != 0 && digits % 10 == 0 {
        (digits, exponent) = (digits / 10, exponent + 1);
    }
    even_labels(&[Decimal::new(digits, if digits == 0 { 0 } else { exponent })]).concat()
}

/// The minus of mathematics, which is as wide as a plus.
fn sign(digits: i64) -> &'static str {
    if digits < 0 { "−" } else { "" }
}

fn superscript(power: i32) -> String {
    const HIGH: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let high = |c: char| c.to_digit(10).map_or('⁻', |d| HIGH[d as usize]);
    power.to_string().chars().map(high).collect()
}

/// The labels of ticks with one exponent, all written the same way.
pub(super) fn even_labels(ticks: &[Decimal]) -> Vec<String> {
    let most = ticks.iter().filter_map(|t| t.magnitude()).max().unwrap_or(0);
    let least = ticks.iter().map(|t| t.exponent).min().unwrap_or(0);
    // Six digits before the point, or behind it, are read without counting them.
    match most < 6 && least > -7 {
        true => ticks.iter().map(|t| t.plain()).collect(),
        false => ticks.iter().map(|t| t.scientific(most)).collect(),
    }
}

/// The labels of ticks of a log axis: each with its own power of ten unless all are near 1.
pub(super) fn log_labels(ticks: &[Decimal]) -> Vec<String> {
    let near = ticks.iter().filter_map(|t| t.magnitude()).all(|m| (-3..=4).contains(&m));
    match near {
        true => ticks.iter().map(|t| t.plain()).collect(),
        false => ticks.iter().map(|t| t.scientific(t.exponent)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_nearest() {
        assert_eq!(Decimal::new(3, -1).value(), 0.3);
        assert_eq!(Decimal::new(-25, 150).value(), -25e150);
        assert_eq!(Decimal::new(1, -320).value(), 1e-320);
        assert_eq!(Decimal::new(-120, -1).magnitude(), Some(1));
    }

    #[test]
    fn short_numbers_keep_four_digits() {
        let shown = [0.0, 1.0, 0.012_345_6, -289.75, 123_456.0, 1.5e9, 2.5e-9].map(short);
        assert_eq!(shown, ["0", "1", "0.01235", "−289.8", "123500", "1.5×10⁹", "2.5×10⁻⁹"]);
        assert_eq!(short(f64::NAN), "NaN");
    }

    #[test]
    fn labels_read_like_numbers() {
        let all = |list: &[(i64, i32)]| list.iter().map(|(d, e)| Decimal::new(*d, *e)).collect::<Vec<_>>();
        assert_eq!(even_labels(&all(&[(-5, -2), (0, -2), (5, -2), (10, -2)])), ["−0.05", "0.00", "0.05", "0.10"]);
        assert_eq!(even_labels(&all(&[(-2, 1), (0, 1), (2, 1)])), ["−20", "0", "20"]);
        assert_eq!(even_labels(&all(&[(3, 3), (35, 2), (4, 3)])), ["3000", "3500", "4000"]);
        assert_eq!(even_labels(&all(&[(0, 6), (5, 6), (10, 6)])), ["0", "0.5×10⁷", "1.0×10⁷"]);
        assert_eq!(even_labels(&all(&[(-1, 150), (0, 150), (1, 150)])), ["−10¹⁵⁰", "0", "10¹⁵⁰"]);
        assert_eq!(log_labels(&all(&[(1, -2), (1, 0), (1, 2)])), ["0.01", "1", "100"]);
        assert_eq!(log_labels(&all(&[(1, -8), (2, -8), (1, 0)])), ["10⁻⁸", "2×10⁻⁸", "10⁰"]);
    }
}
