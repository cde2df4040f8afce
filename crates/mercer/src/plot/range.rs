//! From the values of the series to the ends of an axis.

use super::figure::Scale;

/// Room beside the outermost values, as a share of the range.
const ROOM: f64 = 0.04;
/// A linear axis is at least this wide, relative to its values: numbers along a narrower one would
/// have more digits than a reader compares.
const NARROWEST: f64 = 1e-6;
/// Half the width of a log axis whose values are all equal: half a decade.
const HALF_DECADE: f64 = 0.5;

/// Whether a value has a place on a scale.
pub(super) fn has_place(value: f64, scale: &Scale) -> bool {
    value.is_finite() && (*scale != Scale::Log || value > 0.0)
}

/// The ends of an axis that shows all values that have a place on it.
pub(super) fn ends(values: impl Iterator<Item = f64>, scale: &Scale) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.filter(|v| has_place(*v, scale)).fold(start, |(low, high), v| (v.min(low), v.max(high)));
    match scale {
        Scale::Names(names) => (-0.5, names.len().max(1) as f64 - 0.5),
        Scale::Log if low > high => (1.0, 10.0),
        Scale::Linear if low > high => (0.0, 1.0),
        Scale::Log => log_ends(low, high),
        Scale::Linear => linear_ends(low, high),
    }
}

fn linear_ends(low: f64, high: f64) -> (f64, f64) {
    // Halves, because the difference of two finite numbers need not be finite.
    let (centre, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
    let size = low.abs().max(high.abs());
    let half = match half > size * NARROWEST {
        true => half * (1.0 + 2.0 * ROOM),
        false if size == 0.0 => 1.0,
        false if half == 0.0 => size * 0.1,
        false => size * NARROWEST * 2.0,
    };
    // The smallest numbers have no tenth.
    let half = half.max(f64::MIN_POSITIVE);
    ((centre - half).max(f64::MIN), (centre + half).min(f64::MAX))
}

fn log_ends(low: f64, high: f64) -> (f64, f64) {
    let (a, b) = (low.log10(), high.log10());
    let room = if b - a > NARROWEST { (b - a) * ROOM } else { HALF_DECADE };
    // Below the smallest normal number the steps between numbers are larger than the room.
    (10f64.powf(a - room).max(f64::MIN_POSITIVE).min(low), 10f64.powf(b + room).clamp(high, f64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_are_inside() {
        let cases: [&[f64]; 9] = [
            &[1.0, 2.0, 3.0],
            &[5.0],
            &[0.0, 0.0],
            &[-1e150, 1e150],
            &[f64::MIN, f64::MAX],
            &[1e-150, 2e-150],
            &[5e-324],
            &[1e9, 1e9 + 1e-3],
            &[f64::MAX],
        ];
        for values in cases {
            for scale in [Scale::Linear, Scale::Log] {
                let (low, high) = ends(values.iter().copied(), &scale);
                assert!(low < high && low.is_finite() && high.is_finite(), "{values:?}: {low} {high}");
                let placed = values.iter().filter(|v| has_place(**v, &scale));
                assert!(placed.clone().all(|v| low <= *v && *v <= high), "{values:?} {scale:?}: {low} {high}");
                assert!(scale == Scale::Linear || low > 0.0);
            }
        }
    }

    #[test]
    fn values_without_a_place_have_no_say() {
        let values = [f64::NAN, 1.0, f64::INFINITY, 100.0, -3.0, 0.0];
        let (low, high) = ends(values.into_iter(), &Scale::Log);
        assert!(low > 0.8 && low < 1.0 && high > 100.0 && high < 130.0, "{low} {high}");
        assert_eq!(ends([f64::NAN].into_iter(), &Scale::Linear), (0.0, 1.0));
        assert_eq!(ends([].into_iter(), &Scale::Names(vec!["a".into(), "b".into()])), (-0.5, 1.5));
    }
}
