//! Distances to sets, and discrimination by the nearer set.

use crate::data::Inputs;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::plot::{Figure, Panel, Window, discrimination_map, distance_curve, distance_map};
use crate::rkhs::{Barycentre, Discrimination, Space};
use crate::run::Run;

use super::{Exhibit, rows};

/// The kernels of all three: xy, and Gaussian with σ = 1 and 0.2.
const KERNELS: [&str; 3] = ["linear", "rbf(length_scale=1)", "rbf(length_scale=0.2)"];

fn panels(draw: impl Fn(&Space) -> Result<Panel>, x: &Inputs, run: &Run) -> Result<Vec<Panel>> {
    KERNELS.iter().map(|formula| draw(&Space::new(&KernelExpr::parse(formula)?, x, run)?)).collect()
}

pub(super) fn distance_on_the_line(run: &Run) -> Result<Exhibit> {
    let set = rows(&[2.0, 3.0], 1)?;
    let draw = |space: &Space| distance_curve(&Barycentre::fit(space, &set, None, run)?, (0.0, 5.0), run);
    Ok(Exhibit {
        name: "distance-line",
        title: "Distance to a set on the line",
        formula: "d(x, S) = ‖k(x, ·) − μ‖ = √(k(x, x) − (2/n)·Σ k(x, xᵢ) + (1/n²)·Σ k(xᵢ, xⱼ)), S = {2, 3}",
        caption:
            "With the linear kernel d(x, S) = |x − 2.5|. The narrower the Gaussian, the more the distance knows of the \
                  points themselves: with σ = 0.2 there is a valley at each of them."
                .into(),
        made_by: "mercer.plot.distance(\"rbf(length_scale=0.2)\", [[2.0], [3.0]], window=(0, 5))".into(),
        figure: Figure::grid(panels(draw, &set, run)?, 3).sized(1260.0, 420.0).titled("S = {2, 3}"),
    })
}

pub(super) fn distance_in_the_plane(run: &Run) -> Result<Exhibit> {
    let set = rows(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], 2)?;
    let window = Window::new((0.0, 3.0), (0.0, 3.0));
    let draw = |space: &Space| distance_map(&Barycentre::fit(space, &set, None, run)?, &window, run);
    Ok(Exhibit {
        name: "distance-plane",
        title: "Distance to a set in the plane",
        formula: "d(x, S) = ‖k(x, ·) − μ‖, S = {(1, 1), (1, 2), (2, 2)}",
        caption:
            "The barycentre μ is one point of the feature space, and yet it may hold much of what the set looks like."
                .into(),
        made_by: "mercer.plot.distance(\"rbf(length_scale=0.2)\", [[1, 1], [1, 2], [2, 2]], window=((0, 3), (0, 3)))"
            .into(),
        figure: Figure::grid(panels(draw, &set, run)?, 3).sized(1380.0, 460.0).titled("S = {(1, 1), (1, 2), (2, 2)}"),
    })
}

pub(super) fn discrimination(run: &Run) -> Result<Exhibit> {
    let (first, second) = (rows(&[1.0, 1.0, 1.0, 2.0], 2)?, rows(&[1.0, 3.0, 2.0, 2.0], 2)?);
    let window = Window::new((0.0, 3.0), (0.0, 4.0));
    let draw = |space: &Space| {
        let [a, b] = [&first, &second].map(|set| Barycentre::fit(space, set, None, run));
        discrimination_map(&Discrimination::new(a?, b?)?, &window, run)
    };
    Ok(Exhibit {
        name: "discrimination",
        title: "The nearer of two sets",
        formula: "d(x, S₁)² − d(x, S₂)², S₁ = {(1, 1), (1, 2)}, S₂ = {(1, 3), (2, 2)}",
        caption: "Below 0, in blue, S₁ is nearer. With the linear kernel the border is a straight line; with a narrow \
                  Gaussian it goes around the points."
            .into(),
        made_by: "mercer.plot.discrimination(\"rbf(length_scale=1)\", [[1, 1], [1, 2]], [[1, 3], [2, 2]], \
                  window=((0, 3), (0, 4)))"
            .into(),
        figure: Figure::grid(panels(draw, &first, run)?, 3)
            .sized(1380.0, 560.0)
            .titled("S₁ = {(1, 1), (1, 2)}, S₂ = {(1, 3), (2, 2)}"),
    })
}
