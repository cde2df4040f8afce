//! A sequence, and where it changes.

use crate::model::segment::Segments;

use super::figure::{Axis, Ink, Mark, Panel, Series};

/// Lines of a sequence, a dashed line at each change, and the mean of each segment or the straight line that is nearest to it. A line is a
/// name and its values; `times` says where the points stand, `changes` which of them begin new segments, in order, and the kind what
/// segments are.
///
/// ```
/// use mercer::model::segment::Segments;
/// use mercer::plot::{Axis, Figure, segments};
/// let lines = [("flow".to_owned(), vec![1.0, 1.2, 5.0, 5.1])];
/// let panel = segments(("Flow", Axis::linear("row")), &[0.0, 1.0, 2.0, 3.0], &lines, (&[2], Segments::Levels));
/// assert_eq!(panel.series.len(), 3); // the line, its means and one change
/// assert!(Figure::of(panel).svg()?.contains("Flow"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn segments(
    (title, x): (&str, Axis),
    times: &[f64],
    lines: &[(String, Vec<f64>)],
    (changes, kind): (&[usize], Segments),
) -> Panel {
    let y = match lines {
        [(name, _)] => name.as_str(),
        _ => "value",
    };
    let mut panel = Panel::new(title, x, Axis::linear(y));
    for (place, (name, values)) in lines.iter().enumerate() {
        let line: Vec<[f64; 2]> = times.iter().zip(values).map(|(t, v)| [*t, *v]).collect();
        panel = panel.with(Series::new(Mark::Line(line)).named(name.as_str()).coloured(Ink::Palette(place)));
    }
    if let [(_, values)] = lines {
        let (name, marks) = match kind {
            Segments::Levels => ("means of segments", parts(times, values, changes, level)),
            Segments::Lines => ("lines of segments", parts(times, values, changes, line)),
        };
        panel = panel.with(Series::new(Mark::Curves(marks)).named(name).coloured(Ink::Palette(1)));
    }
    // One entry of the legend stands for all changes.
    changes.iter().filter_map(|c| times.get(*c)).enumerate().fold(panel, |panel, (place, t)| {
        let line = Series::new(Mark::Vertical(*t));
        panel.with(if place == 0 { line.named("changes") } else { line })
    })
}

/// Points that are joined.
type Curve = Vec<[f64; 2]>;

/// A part of a curve for each segment, from its times, the time behind it and its values.
fn parts(times: &[f64], values: &[f64], changes: &[usize], part: impl Fn(&[f64], f64, &[f64]) -> Curve) -> Vec<Curve> {
    let ends = changes.iter().copied().chain([values.len()]);
    ends.scan(0, |start, end| Some((std::mem::replace(start, end), end)))
        .filter(|(start, end)| start < end && *end <= times.len())
        .map(|(start, end)| part(&times[start..end], times[end.min(times.len() - 1)], &values[start..end]))
        .collect()
}

/// The mean, up to the next segment.
fn level(times: &[f64], next: f64, values: &[f64]) -> Curve {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    vec![[times[0], mean], [next, mean]]
}

/// The line of least squares in the order of the points, which need not be evenly spaced in time.
fn line(times: &[f64], _next: f64, values: &[f64]) -> Curve {
    let (count, mean) = (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64);
    let place = |i: usize| i as f64 - (count - 1.0) / 2.0;
    let spread: f64 = (0..values.len()).map(|i| place(i).powi(2)).sum();
    let rise: f64 = values.iter().enumerate().map(|(i, v)| place(i) * (v - mean)).sum();
    let slope = if spread > 0.0 { rise / spread } else { 0.0 };
    times.iter().enumerate().map(|(i, t)| [*t, mean + slope * place(i)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_have_their_means_or_their_lines() {
        let (times, values) = ([0.0, 1.0, 2.0, 10.0, 11.0], [1.0, 3.0, 5.0, 7.0, 7.0]);
        assert_eq!(parts(&times, &values, &[3], level), [[[0.0, 3.0], [10.0, 3.0]], [[10.0, 7.0], [11.0, 7.0]]]);
        let lines = parts(&times, &values, &[3], line);
        assert_eq!(lines[0], [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]);
        assert_eq!(lines[1], [[10.0, 7.0], [11.0, 7.0]]);
        assert_eq!(parts(&[4.0], &[2.0], &[], line), [[[4.0, 2.0]]]);
    }
}
