//! A sequence, and where it changes.

use super::figure::{Axis, Ink, Mark, Panel, Series};

/// Lines of a sequence, a dashed line at each change and the mean of each segment. A line is a name and its values; `times` says
/// where the points stand, `changes` which of them begin new segments, in order.
///
/// ```
/// use mercer::plot::{Axis, Figure, segments};
/// let lines = [("flow".to_owned(), vec![1.0, 1.2, 5.0, 5.1])];
/// let panel = segments(("Flow", Axis::linear("row")), &[0.0, 1.0, 2.0, 3.0], &lines, &[2]);
/// assert_eq!(panel.series.len(), 3); // the line, its means and one change
/// assert!(Figure::of(panel).svg()?.contains("Flow"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn segments((title, x): (&str, Axis), times: &[f64], lines: &[(String, Vec<f64>)], changes: &[usize]) -> Panel {
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
        let means = Mark::Curves(means(times, values, changes));
        panel = panel.with(Series::new(means).named("means of segments").coloured(Ink::Palette(1)));
    }
    // One entry of the legend stands for all changes.
    changes.iter().filter_map(|c| times.get(*c)).enumerate().fold(panel, |panel, (place, t)| {
        let line = Series::new(Mark::Vertical(*t));
        panel.with(if place == 0 { line.named("changes") } else { line })
    })
}

/// A level line for each segment.
fn means(times: &[f64], values: &[f64], changes: &[usize]) -> Vec<Vec<[f64; 2]>> {
    let ends = changes.iter().copied().chain([values.len()]);
    let level = |start: usize, end: usize| {
        let mean = values[start..end].iter().sum::<f64>() / (end - start) as f64;
        let last = times[end.min(times.len() - 1)];
        vec![[times[start], mean], [last, mean]]
    };
    ends.scan(0, |start, end| Some((std::mem::replace(start, end), end)))
        .filter(|(start, end)| start < end && *end <= times.len())
        .map(|(start, end)| level(start, end))
        .collect()
}
