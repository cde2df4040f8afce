//! A sequence and its changes.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::model::segment::{KernelChangePoint, Segments, usual_kernel};
use crate::plot::{Axis, Figure, Ink, Mark, Panel, Series, segments};
use crate::run::Run;

use super::{Exhibit, columns};

/// The costs that are drawn: of 0 to so many changes.
const MOST: usize = 8;

pub(super) fn change_points(run: &Run) -> Result<Exhibit> {
    let years = columns("nile", &["year"])?.values().to_vec();
    let volumes = columns("nile", &["volume"])?;
    let line = [("volume".to_owned(), volumes.values().to_vec())];
    let x: Inputs = volumes.into();
    let Some(kernel) = usual_kernel(&x, run)? else { return Err(Error::shape("a sequence", "numbers", "none")) };
    let points = KernelChangePoint { kernel, min_size: 2, segments: Segments::Levels }.fit(&x, run)?;
    let (found, _) = points.automatic(run)?;
    let cut = segments(("Flow of the Nile", Axis::linear("year")), &years, &line, (&found.changes, Segments::Levels));
    let costs = points.path(MOST, run)?.costs();
    Ok(Exhibit {
        name: "change-points",
        title: "Where a sequence changes",
        formula: "the least Σ C(s, t) for a number of changes, C(s, t) = Σ k(xᵢ, xᵢ) − (1/(t − s))·ΣΣ k(xᵢ, xⱼ)",
        caption: "The flow of the Nile at Aswan. Costs always fall with the number of changes; how many there are is found in the data."
            .into(),
        made_by: "mercer segment nile --time year --plot nile.svg".into(),
        figure: Figure::grid(vec![cut, prices(&costs, found.changes.len())], 2)
            .sized(1260.0, 460.0)
            .titled("100 years of the Nile"),
    })
}

/// Costs by the number of changes, and the number that was found.
fn prices(costs: &[f64], found: usize) -> Panel {
    let line = costs.iter().enumerate().map(|(k, cost)| [k as f64, *cost]).collect();
    Panel::new("Cost by the number of changes", Axis::linear("changes"), Axis::linear("cost"))
        .with(Series::new(Mark::Line(line)).named("cost").coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Vertical(found as f64)).named("found"))
}
