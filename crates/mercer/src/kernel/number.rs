//! Numbers as they stand in formulas.

/// The shortest text that reads back as the same number, plain or with an exponent.
pub(crate) fn print(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-5..1e15).contains(&magnitude) { format!("{value:e}") } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::print;

    #[test]
    fn printed_numbers_read_back_exactly() {
        for value in [0.0, 1.0, 0.1, 1e-7, 1e300, 5e-324, f64::MAX, 123_456.789, 1.0 / 3.0] {
            assert_eq!(print(value).parse::<f64>(), Ok(value));
        }
        assert_eq!(print(1e-7), "1e-7");
        assert_eq!(print(2.0), "2");
    }
}
