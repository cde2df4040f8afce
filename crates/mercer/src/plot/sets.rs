//! Pictures of sets in feature space: how far every place is from one, and to which of two it is nearer.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::rkhs::{Barycentre, Discrimination, Function};
use crate::run::Run;

use super::colour_map::ColourMap;
use super::contour::contours;
use super::field::Field;
use super::figure::{Axis, Ink, Mark, Panel, Scale, Series};
use super::ruler::Ruler;
use super::scene::Form;
use super::ticks::{Direction, ticks};
use super::window::{Window, along, around, names, numbers, plane};

/// The distance of every x in a part of the line to a set of numbers, d(x, S) = ‖k(x, ·) − μ‖, with the points of S.
pub fn distance_curve(set: &Barycentre, range: (f64, f64), run: &Run) -> Result<Panel> {
    let points = points_of(set.function())?;
    let (xs, places) = along(range, &points)?;
    let curve = xs.into_iter().zip(set.distances(&places, run)?).map(|(x, d)| [x, d]).collect();
    let own = numbers(&points, 1)?.into_iter().zip(set.distances(&points, run)?).map(|(x, d)| [x[0], d]).collect();
    let panel = Panel::new(set.function().space().kernel().to_string(), Axis::linear("x"), Axis::linear("d(x, S)"))
        .with(Series::new(Mark::Line(curve)).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(own)).named("S").coloured(Ink::Palette(1)).formed(Form::Square));
    Ok(panel)
}

/// The distance of every place of a window to a set of points of the plane, with lines of equal distance.
pub fn distance_map(set: &Barycentre, window: &Window, run: &Run) -> Result<Panel> {
    let points = points_of(set.function())?;
    let field = window.field(set.distances(&window.points(&points)?, run)?).labelled("d(x, S)");
    let field = Field { levels: round_levels(&field), ..field };
    let panel = map(set.function(), &points).with(Series::new(Mark::Field(field)));
    Ok(panel.with(Series::new(Mark::Points(plane(&points)?)).named("S").coloured(Ink::Palette(1)).formed(Form::Square)))
}

/// The distance to a set of numbers or of points of the plane, on these sides of a window, or around the set without any.
pub fn distance_panel(set: &Barycentre, sides: &[(f64, f64)], run: &Run) -> Result<Panel> {
    let points = points_of(set.function())?;
    match (sides, numbers(&points, 1)) {
        ([], Ok(own)) => distance_curve(set, around(own.into_iter().flatten()), run),
        ([range], _) => distance_curve(set, *range, run),
        (sides, _) => distance_map(set, &window_of(sides, &points)?, run),
    }
}

/// The same for two sets of points of the plane.
pub fn discrimination_panel(sets: &Discrimination, sides: &[(f64, f64)], run: &Run) -> Result<Panel> {
    let both = [sets.first(), sets.second()].map(|set| points_of(set.function()));
    let [first, second] = both;
    let points = Inputs::concatenate(&[first?, second?])?;
    discrimination_map(sets, &window_of(sides, &points)?, run)
}

fn window_of(sides: &[(f64, f64)], points: &Inputs) -> Result<Window> {
    match sides {
        [] => Ok(Window::around(&plane(points)?)),
        [x, y] => Ok(Window::new(*x, *y)),
        other => Err(Error::shape("the window of a map", "two pairs of numbers", format!("{} pairs", other.len()))),
    }
}

/// d(x, S₁)² − d(x, S₂)² at every place of a window, below 0 where S₁ is nearer, with the line on which it is 0.
pub fn discrimination_map(sets: &Discrimination, window: &Window, run: &Run) -> Result<Panel> {
    let (first, second) = (points_of(sets.first().function())?, points_of(sets.second().function())?);
    let field = window.field(sets.scores(&window.points(&first)?, run)?);
    let field = field.labelled("d(x, S₁)² − d(x, S₂)²").in_colours(ColourMap::Diverging);
    let border = contours(&field, 0.0);
    Ok(map(sets.first().function(), &first)
        .with(Series::new(Mark::Field(field)))
        .with(Series::new(Mark::Curves(border)).named("equally near").coloured(BORDER))
        .with(Series::new(Mark::Points(plane(&first)?)).named("S₁").coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(plane(&second)?)).named("S₂").coloured(Ink::Palette(1)).formed(Form::Square)))
}

/// The colour of a border, on the light middle of a diverging map.
pub(super) const BORDER: Ink = Ink::Own(super::style::Colour(34, 34, 34));

fn map(function: &Function, points: &Inputs) -> Panel {
    let [x, y] = names(points);
    Panel::new(function.space().kernel().to_string(), Axis::linear(x), Axis::linear(y)).equal()
}

fn points_of(function: &Function) -> Result<Inputs> {
    let parts: Vec<Inputs> = function.terms().map(|(points, _)| points.clone()).collect();
    Inputs::concatenate(&parts)
}

/// Round values between the least and the largest of a field.
pub(super) fn round_levels(field: &Field) -> Vec<f64> {
    let ruler = Ruler::new(&Scale::Linear, field.ends(), (400.0, 0.0));
    ticks(&ruler, &Scale::Linear, Direction::Stacked(f64::INFINITY)).major.iter().map(|t| t.0).collect()
}
