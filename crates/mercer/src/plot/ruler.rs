//! From values to places on the paper, and back.

use super::figure::Scale;
use super::range::has_place;

/// An axis with its place: `values.0` lies at `places.0` and `values.1` at `places.1`.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    pub(super) log: bool,
    pub(super) values: (f64, f64),
    pub(super) places: (f64, f64),
}

/// Places beyond the ends are cut at this many lengths of the axis. They are not seen, and files have
/// no room for numbers of three hundred digits.
const BEYOND: f64 = 4.0;

impl Ruler {
    pub(super) fn new(scale: &Scale, values: (f64, f64), places: (f64, f64)) -> Self {
        Ruler { log: *scale == Scale::Log, values, places }
    }

    fn scale(&self) -> Scale {
        if self.log { Scale::Log } else { Scale::Linear }
    }

    /// The place of a value; nothing where it has none.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if !has_place(value, &self.scale()) {
            return None;
        }
        let (low, high) = self.values;
        // Halves, because the difference of two finite numbers need not be finite.
        let share = match self.log {
            true => (value.ln() - low.ln()) / (high.ln() - low.ln()),
            false => (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0),
        };
        // Ends that agree, or whose halves or logarithms do, leave 0/0 at that value.
        (!share.is_nan()).then(|| self.places.0 + share.clamp(-BEYOND, 1.0 + BEYOND) * (self.places.1 - self.places.0))
    }

    /// The length of the axis.
    pub(super) fn length(&self) -> f64 {
        (self.places.1 - self.places.0).abs()
    }

    /// Whether a value lies between the ends.
    pub(super) fn shows(&self, value: f64) -> bool {
        self.values.0 <= value && value <= self.values.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::range::ends;
    use crate::testkit::tol;

    /// The value at a place, written down again from what the scales mean.
    fn value(ruler: &Ruler, place: f64) -> f64 {
        let share = (place - ruler.places.0) / (ruler.places.1 - ruler.places.0);
        let (low, high) = ruler.values;
        match ruler.log {
            true => (low.ln() * (1.0 - share) + high.ln() * share).exp(),
            false => low * (1.0 - share) + high * share,
        }
    }

    #[test]
    fn places_grow_with_values_and_lead_back() {
        for (scale, low, high) in [
            (Scale::Linear, -3.0, 8.0),
            (Scale::Linear, -1e150, 1e150),
            (Scale::Linear, f64::MIN, f64::MAX),
            (Scale::Linear, 1e-150, 3e-150),
            (Scale::Log, 1e-8, 1e4),
            (Scale::Log, 1e-150, 1e150),
        ] {
            let values = ends([low, high].into_iter(), &scale);
            for places in [(50.0, 750.0), (550.0, 20.0)] {
                let ruler = Ruler::new(&scale, values, places);
                assert_eq!(ruler.place(values.0), Some(places.0));
                assert!((ruler.place(values.1).expect("an end") - places.1).abs() <= tol::round(4) * 750.0);
                let along = |i: i32| places.0 + (places.1 - places.0) * f64::from(i) / 200.0;
                let some: Vec<f64> = (0..=200).map(|i| value(&ruler, along(i))).collect();
                let size = some.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                for pair in some.windows(2) {
                    let (a, b) = (ruler.place(pair[0]).expect("a place"), ruler.place(pair[1]).expect("a place"));
                    assert_eq!(b > a, places.1 > places.0, "{scale:?} {pair:?}");
                    // ln keeps the digits of a ratio up to its size, here at most 345.
                    let (error, scale) = if ruler.log {
                        ((value(&ruler, a) / pair[0]).ln(), 345.0)
                    } else {
                        (value(&ruler, a) / size - pair[0] / size, 1.0)
                    };
                    assert!(error.abs() <= tol::round(4) * scale, "{} {}", value(&ruler, a), pair[0]);
                }
            }
        }
    }

    #[test]
    fn what_has_no_place_gets_none() {
        let linear = Ruler::new(&Scale::Linear, (0.0, 1.0), (0.0, 100.0));
        assert_eq!((linear.place(f64::NAN), linear.place(f64::NEG_INFINITY)), (None, None));
        assert_eq!(linear.place(1e300), Some(500.0));
        let log = Ruler::new(&Scale::Log, (1.0, 100.0), (0.0, 100.0));
        assert_eq!((log.place(0.0), log.place(-1.0)), (None, None));
        assert_eq!(log.place(10.0).map(f64::round), Some(50.0));
    }

    #[test]
    fn an_axis_from_and_to_one_value_has_no_place_for_it() {
        let next = f64::from_bits(1e9f64.to_bits() + 1);
        for (scale, low, high) in
            [(Scale::Linear, 3.0, 3.0), (Scale::Linear, 0.0, 5e-324), (Scale::Log, 2.0, 2.0), (Scale::Log, 1e9, next)]
        {
            let ruler = Ruler::new(&scale, (low, high), (0.0, 100.0));
            assert_eq!((ruler.place(low), ruler.place(high)), (None, None), "{scale:?} {low} {high}");
        }
    }
}
