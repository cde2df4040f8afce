//! Points of the plane with labels: each label a colour and a form.

use crate::error::{Error, Result, counted};

use super::figure::{Axis, Ink, Mark, Panel, Series};
use super::scene::Form;

/// Labels that get colours of their own; the rest share grey.
const MOST: usize = 49;

/// Points of the plane, such as projections on two components, by their labels; without labels all look the same.
///
/// ```
/// use mercer::plot::{Axis, Figure, projection};
/// let labels = ["a", "b", "a"].map(String::from);
/// let axes = [Axis::linear("component 1"), Axis::linear("component 2")];
/// let panel = projection("Three points", axes, &[[0.0, 1.0], [2.0, 3.0], [1.0, 1.0]], &labels)?;
/// assert_eq!(panel.series.len(), 2); // a colour and a form for each label
/// assert!(Figure::of(panel).svg()?.contains(">b<"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn projection(title: impl Into<String>, axes: [Axis; 2], points: &[[f64; 2]], labels: &[String]) -> Result<Panel> {
    let [x, y] = axes;
    labelled(Panel::new(title, x, y), points, labels)
}

/// The panel with one series for each label, in the order in which they appear.
pub(super) fn labelled(panel: Panel, points: &[[f64; 2]], labels: &[String]) -> Result<Panel> {
    if labels.is_empty() {
        return Ok(panel.with(Series::new(Mark::Points(points.to_vec())).coloured(Ink::Palette(0))));
    }
    if labels.len() != points.len() {
        return Err(Error::shape("labels", format!("{}, one a point", points.len()), labels.len()));
    }
    let mut found: Vec<(&String, Vec<[f64; 2]>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (label, point) in labels.iter().zip(points) {
        let at = *places.entry(label).or_insert_with(|| {
            found.push((label, Vec::new()));
            found.len() - 1
        });
        found[at].1.push(*point);
    }
    found.sort_by(|a, b| a.0.cmp(b.0));
    let rest = found.split_off(found.len().min(MOST));
    let panel = found.into_iter().enumerate().fold(panel, |panel, (at, (label, own))| {
        let look = Series::new(Mark::Points(own)).named(label.as_str()).coloured(Ink::Palette(at));
        // Seven colours, seven forms, and another form each time the colours begin again.
        panel.with(look.formed(Form::ALL[(at + at / Form::ALL.len()) % Form::ALL.len()]))
    });
    let many = rest.len();
    let others: Vec<[f64; 2]> = rest.into_iter().flat_map(|(_, own)| own).collect();
    Ok(match many {
        0 => panel,
        many => panel.with(Series::new(Mark::Points(others)).named(counted(many, "other label", "other labels"))),
    })
}
