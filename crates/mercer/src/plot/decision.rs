//! Where a model of two classes decides, and what decides it.

use crate::error::{Error, Result, counted};
use crate::model::Model;
use crate::run::Run;

use super::colour_map::ColourMap;
use super::contour::contours;
use super::field::Field;
use super::figure::{Axis, Ink, Mark, Panel, Series};
use super::projection::labelled;
use super::sets::BORDER;
use super::window::{Window, names, plane};

/// f at every place of a window, of a model of two classes of points of the plane: the border f = 0, the margins f = ±1, the
/// rows with their classes, and the support vectors of a machine with rings whose areas are as their coefficients.
pub fn decision_map(
    model: &Model,
    points: &[[f64; 2]],
    labels: &[String],
    window: &Window,
    run: &Run,
) -> Result<Panel> {
    if model.outputs() != 1 {
        return Err(Error::Unsupported {
            what: format!("a map of {}", counted(model.outputs(), "function", "functions")),
            alternative: "draw a model of two classes, or of one number".into(),
        });
    }
    let values = model.functions(&window.points(model.points())?, run)?;
    let field = cut(window.field(values).labelled("f(x)").in_colours(ColourMap::Diverging));
    let (border, margins) = (contours(&field, 0.0), [contours(&field, -1.0), contours(&field, 1.0)].concat());
    let [x, y] = names(model.points());
    let panel = Panel::new(model.kernel().to_string(), Axis::linear(x), Axis::linear(y))
        .with(Series::new(Mark::Field(field)))
        .with(Series::new(Mark::Curves(border)).named("f = 0").coloured(BORDER))
        .with(Series::new(Mark::Curves(margins)).named("f = ±1").coloured(BORDER));
    let panel = labelled(panel, points, labels)?;
    Ok(match support(model)? {
        rings if rings.is_empty() => panel,
        rings => panel.with(Series::new(Mark::Sized(rings)).named("support vectors, by |α|").coloured(Ink::Own(RING))),
    })
}

/// The colours end at ±3, so that the margins are seen; beyond, values are far from the border anyway.
fn cut(field: Field) -> Field {
    const MOST: f64 = 3.0;
    match field.ends().1 > MOST {
        true => Field { range: Some((-MOST, MOST)), ..field.labelled("f(x), beyond ±3 as ±3") },
        false => field,
    }
}

/// Rings are seen on every colour of the map.
const RING: super::style::Colour = super::style::Colour(34, 34, 34);

/// The support vectors of a machine with |α|; nothing of other models, whose rows all have coefficients.
fn support(model: &Model) -> Result<Vec<[f64; 3]>> {
    if model.support().is_none() {
        return Ok(Vec::new());
    }
    let points = plane(model.points())?.into_iter().zip(model.coefficients());
    Ok(points.map(|([x, y], alpha)| [x, y, alpha.abs()]).collect())
}
