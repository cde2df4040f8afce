//! Numbers as people read them, in every face.

/// A number with at most `digits` significant digits, without zeros at its end.
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "–".into() } else { format!("{value}") };
    }
    if value == 0.0 {
        return "0".into();
    }
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..9).contains(&exponent) {
        let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        return format!("{}e{exponent}", trim_zeros(mantissa));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// A number with its standard error, `13.62 ± 0.47`: two digits of the error, and as many places of the number. Without an error, four
/// digits.
pub fn within(value: f64, error: Option<f64>) -> String {
    rounded_to(value, error, 2).unwrap_or_else(|| number(value, 4))
}

/// A share with its standard error, `98.5 ± 0.7 %`.
pub fn within_percent(share: f64, error: Option<f64>) -> String {
    let shown = rounded_to(100.0 * share, error.map(|e| 100.0 * e), 1);
    shown.map_or_else(|| percent(share), |shown| format!("{shown} %"))
}

/// Nothing where there is no error, none above 0, or where one of both is too large or small to be written without a power of ten.
fn rounded_to(value: f64, error: Option<f64>, digits: usize) -> Option<String> {
    // Less is rounding of rows that are all the same.
    let error = error.filter(|e| *e > 1e-9 * value.abs() && e.is_finite() && value.is_finite())?;
    let rounded = format!("{error:.*e}", digits.saturating_sub(1));
    let exponent: i32 = rounded.split_once('e')?.1.parse().ok()?;
    if !(-6..9).contains(&exponent) || value.abs() >= 1e9 {
        return Some(format!("{} ± {}", number(value, 4), number(error, digits)));
    }
    let places = (digits as i32 - 1 - exponent).max(0) as usize;
    let shown = format!("{value:.places$}");
    let zero = shown.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
    Some(format!("{} ± {error:.places$}", if zero { shown.trim_start_matches('-') } else { &shown }))
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A share between 0 and 1 as a percentage.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".into(),
        p if p < 0.1 => "< 0.1 %".into(),
        p if p > 99.9 && p < 100.0 => "> 99.9 %".into(),
        p => format!("{} %", number(p, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown =
            [0.0, 1.0, 17.151_169, -0.000_123_456, 1e-9, 123_456_789.0, 4.0e12, 9.9999, 0.1].map(|v| number(v, 4));
        let wanted = ["0", "1", "17.15", "-0.0001235", "1e-9", "123456789", "4e12", "10", "0.1"];
        assert_eq!(shown.each_ref().map(String::as_str), wanted);
        assert_eq!((number(f64::NAN, 3), number(f64::INFINITY, 3)), ("–".into(), "inf".into()));
    }

    #[test]
    fn errors_decide_how_many_digits_are_shown() {
        let shown =
            [(13.6213, 0.4712), (0.01234, 0.0009), (4012.3, 134.0), (2e12, 3e11), (1e-9, 2e-10), (-0.001, 0.16)];
        let shown = shown.map(|(value, error)| within(value, Some(error)));
        let wanted = ["13.62 ± 0.47", "0.01234 ± 0.00090", "4012 ± 134", "2e12 ± 3e11", "1e-9 ± 2e-10", "0.00 ± 0.16"];
        assert_eq!(shown.each_ref().map(String::as_str), wanted);
        assert_eq!((within(1.5, None), within(1.5, Some(0.0)), within(1.5, Some(f64::NAN))).0, "1.5");
        let shares = [within_percent(0.985, Some(0.0067)), within_percent(1.0, Some(0.0)), within_percent(0.5, None)];
        assert_eq!(shares.each_ref().map(String::as_str), ["98.5 ± 0.7 %", "100 %", "50 %"]);
    }

    #[test]
    fn shares_do_not_lie_at_the_ends() {
        assert_eq!([0.0, 1e-5, 0.5, 0.999_99, 1.0].map(percent), ["0 %", "< 0.1 %", "50 %", "> 99.9 %", "100 %"]);
    }
}
