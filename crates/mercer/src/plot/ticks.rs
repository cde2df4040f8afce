//! Round values along an axis, as many as there is room for.

use std::collections::HashSet;

use super::decimal::{Decimal, even_labels, log_labels};
use super::figure::Scale;
use super::font::{ending, shortened, width};
use super::ruler::Ruler;
use super::style::{LEADING, SMALL};

/// Between two neighbouring labels.
const BETWEEN: f64 = 10.0;
/// Decades up to which the values between them get small ticks.
const DECADES_WITH_MINOR: i32 = 10;

/// Decades from one tick to the next; the last is enough for all numbers there are.
const EVERY: [i32; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500];

/// The marks along an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ticks {
    /// Values and what is written beside them.
    pub(super) major: Vec<(f64, String)>,
    /// Values between them.
    pub(super) minor: Vec<f64>,
    /// Whether labels read from below upwards, because side by side they have no room.
    pub(super) upright: bool,
}

/// Which way labels stand beside each other.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    /// Side by side; if they have no room there, upright with so much room for the widest.
    Along(f64),
    /// One above the other, with so much room for the widest.
    Stacked(f64),
}

/// The most marks that fit without touching labels.
pub(super) fn ticks(ruler: &Ruler, scale: &Scale, direction: Direction) -> Ticks {
    if let Scale::Names(names) = scale {
        return named(ruler, names, direction);
    }
    let spacing = if matches!(direction, Direction::Along(_)) { 56.0 } else { 42.0 };
    let most = ((ruler.length() / spacing) as usize).clamp(2, 12);
    let tried = (2..=most).rev().map(|most| numbers(ruler, most));
    let mut fits = tried.filter(|found| found.major.len() > 1 && !overlap(ruler, &found.major, direction));
    fits.next().unwrap_or_else(|| {
        let mut few = numbers(ruler, 2);
        few.major.truncate(1);
        few
    })
}

fn numbers(ruler: &Ruler, most: usize) -> Ticks {
    match ruler.log {
        true => log_ticks(ruler, most),
        false => {
            let found = even(ruler, most);
            Ticks { major: labelled(&found, even_labels(&found)), minor: Vec::new(), upright: false }
        }
    }
}

fn labelled(ticks: &[Decimal], labels: Vec<String>) -> Vec<(f64, String)> {
    ticks.iter().map(|t| t.value()).zip(labels).collect()
}

/// Multiples of 1, 2 or 5 times a power of ten, about `most` of them and not many more.
fn even(ruler: &Ruler, most: usize) -> Vec<Decimal> {
    let (low, high) = ruler.values;
    let raw = (high / 2.0 - low / 2.0) / (most as f64 / 2.0);
    let power = raw.log10().floor() as i32;
    let steps = [(1, power), (2, power), (5, power), (1, power + 1)].map(|(d, e)| Decimal::new(d, e));
    let Some(step) = steps.into_iter().find(|s| s.value() >= raw) else { return Vec::new() };
    let (first, last) = ((low / step.value()).ceil(), (high / step.value()).floor());
    // Beyond 2⁵³ neighbouring multiples are one number. Only a range given by hand comes there.
    if !(first.abs() < 1e15 && last.abs() < 1e15) {
        return Vec::new();
    }
    let all = (first as i64..=last as i64).map(|i| Decimal::new(i * step.digits, step.exponent));
    all.filter(|t| ruler.shows(t.value())).collect()
}

/// Powers of ten, all or every so many; of less than two decades also 2 and 5 times those, and of a
/// small part of one even values.
fn log_ticks(ruler: &Ruler, most: usize) -> Ticks {
    let (low, high) = ruler.values;
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let shown = |digits: &[i64], every: i32| -> Vec<Decimal> {
        let powers = (first..=last).filter(|p| p.rem_euclid(every) == 0);
        let all = powers.flat_map(|p| digits.iter().map(move |d| Decimal::new(*d, p)));
        all.filter(|t| ruler.shows(t.value())).collect()
    };
    let decades = shown(&[1], 1).len();
    let major = match decades {
        0..=2 if shown(&[1, 2, 5], 1).len() > 2 => shown(&[1, 2, 5], 1),
        0..=1 => {
            let found = even(ruler, most);
            return Ticks { major: labelled(&found, even_labels(&found)), minor: Vec::new(), upright: false };
        }
        _ => EVERY.iter().map(|every| shown(&[1], *every)).find(|found| found.len() <= most).unwrap_or_default(),
    };
    let minor = match last - first <= DECADES_WITH_MINOR {
        true => shown(&[2, 3, 4, 5, 6, 7, 8, 9], 1).iter().map(|t| t.value()).collect(),
        false => Vec::new(),
    };
    Ticks { major: labelled(&major, log_labels(&major)), minor, upright: false }
}

/// A label for each name, or for every so many, cut to their room.
fn named(ruler: &Ruler, names: &[String], direction: Direction) -> Ticks {
    let one = ruler.length() / names.len().max(1) as f64;
    let side_by_side = names.iter().all(|n| width(n, SMALL) + BETWEEN / 2.0 <= one);
    let (least, room, upright) = match direction {
        Direction::Along(_) if side_by_side => (one, one, false),
        Direction::Along(room) => (SMALL * LEADING, room, true),
        Direction::Stacked(room) => (SMALL * LEADING, room, false),
    };
    let every = (least / one).ceil().max(1.0) as usize;
    let shown = || names.iter().enumerate().step_by(every);
    let mut seen = HashSet::new();
    // Names that begin alike are told apart by their ends.
    let told = shown().all(|(_, name)| seen.insert(shortened(name, SMALL, room)));
    let cut = |name: &str| if told { shortened(name, SMALL, room) } else { ending(name, SMALL, room) };
    Ticks { major: shown().map(|(i, name)| (i as f64, cut(name))).collect(), minor: Vec::new(), upright }
}

fn overlap(ruler: &Ruler, ticks: &[(f64, String)], direction: Direction) -> bool {
    let extent = |label: &str| match direction {
        Direction::Along(_) => width(label, SMALL) + BETWEEN,
        Direction::Stacked(_) => SMALL * LEADING,
    };
    ticks.windows(2).any(|pair| {
        let (a, b) = (ruler.place(pair[0].0), ruler.place(pair[1].0));
        let distance = a.zip(b).map_or(0.0, |(a, b)| (b - a).abs());
        distance < (extent(&pair[0].1) + extent(&pair[1].1)) / 2.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::range::ends;

    fn marks(scale: Scale, values: (f64, f64), length: f64) -> Ticks {
        ticks(&Ruler::new(&scale, values, (0.0, length)), &scale, Direction::Along(80.0))
    }

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.major.iter().map(|t| t.1.as_str()).collect()
    }

    #[test]
    fn even_ticks_are_round() {
        let found = marks(Scale::Linear, (2630.0, 6370.0), 500.0);
        assert_eq!(labels(&found), ["3000", "3500", "4000", "4500", "5000", "5500", "6000"]);
        assert_eq!(labels(&marks(Scale::Linear, (-0.021, 0.043), 300.0)), ["−0.02", "0.00", "0.02", "0.04"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        let found = marks(Scale::Log, (5e-5, 5e3), 600.0);
        let values: Vec<f64> = found.major.iter().map(|t| t.0).collect();
        assert_eq!(values, [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(found.major[0].1, "10⁻⁴");
        assert!(found.minor.contains(&2e-3) && !found.minor.contains(&1e-3));
        let wide = marks(Scale::Log, (1e-150, 1e150), 600.0);
        assert_eq!(labels(&wide), ["10⁻¹⁵⁰", "10⁻¹⁰⁰", "10⁻⁵⁰", "10⁰", "10⁵⁰", "10¹⁰⁰", "10¹⁵⁰"]);
        assert_eq!(labels(&marks(Scale::Log, (0.8, 60.0), 500.0)), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(labels(&marks(Scale::Log, (0.302, 0.389), 400.0)), ["0.32", "0.34", "0.36", "0.38"]);
    }

    #[test]
    fn labels_never_touch_and_ticks_are_inside() {
        let sizes = [1e-300, 1e-150, 1e-9, 1e-3, 0.1, 1.0, 12.3, 4e4, 9.99e5, 1e6, 1e150, 1e300];
        for scale in [Scale::Linear, Scale::Log] {
            for (i, a) in sizes.iter().enumerate() {
                for b in &sizes[i..] {
                    let values = ends([*a, *b].into_iter(), &scale);
                    for length in [120.0, 300.0, 700.0, 2000.0] {
                        let ruler = Ruler::new(&scale, values, (0.0, length));
                        let found = ticks(&ruler, &scale, Direction::Along(80.0));
                        assert!(!found.major.is_empty(), "{scale:?} {a} {b} {length}");
                        assert!(length < 300.0 || found.major.len() > 1, "{scale:?} {a} {b} {length}");
                        assert!(!overlap(&ruler, &found.major, Direction::Along(80.0)));
                        assert!(found.major.iter().all(|t| ruler.shows(t.0)));
                        let mut distinct = labels(&found);
                        distinct.dedup();
                        assert_eq!(distinct.len(), found.major.len(), "{distinct:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_range_without_numbers_between_has_no_ticks() {
        let ruler = Ruler::new(&Scale::Linear, (1e16, 1e16 + 2.0), (0.0, 500.0));
        assert!(ticks(&ruler, &Scale::Linear, Direction::Along(80.0)).major.is_empty());
    }

    #[test]
    fn names_that_begin_alike_keep_their_ends() {
        let names: Vec<String> = (0..5).map(|i| format!("a name that is rather long, number {i}")).collect();
        let found = marks(Scale::Names(names), (-0.5, 4.5), 200.0);
        assert!(
            found
                .major
                .iter()
                .enumerate()
                .all(|(i, (_, label))| label.starts_with('…') && label.ends_with(&i.to_string()))
        );
        assert!(found.major.iter().all(|(_, label)| width(label, SMALL) <= 80.0));
    }

    #[test]
    fn many_names_are_thinned() {
        let names: Vec<String> = (0..200).map(|i| format!("class {i}")).collect();
        let scale = Scale::Names(names);
        let found = marks(scale.clone(), (-0.5, 199.5), 400.0);
        assert!(found.upright && found.major.len() > 10 && found.major.len() < 30, "{}", found.major.len());
        assert!(found.major.iter().all(|(_, label)| width(label, SMALL) <= 80.0));
        let few = marks(Scale::Names(vec!["cat".into(), "dog".into()]), (-0.5, 1.5), 400.0);
        assert!(!few.upright && labels(&few) == ["cat", "dog"]);
        let down = ticks(&Ruler::new(&scale, (-0.5, 199.5), (0.0, 400.0)), &scale, Direction::Stacked(80.0));
        assert!(down.major.len() > 10 && down.major.len() < 30);
    }
}
