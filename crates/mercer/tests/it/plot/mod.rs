//! Pictures: what is in the files, and that bad values leave them whole.

mod attack;
mod decode;
mod degenerate;
mod fields;
mod figures;
mod files;
mod gallery;
mod judge;
mod panels;
mod predictions;

use mercer::plot::{Axis, Figure, Mark, Panel, Series};

/// A panel with one series.
pub fn panel(x: Axis, y: Axis, mark: Mark) -> Panel {
    Panel::new("a panel", x, y).with(Series::new(mark).named("a series"))
}

/// A figure with every kind of mark.
pub fn everything() -> Figure {
    let wave =
        |phase: f64| (1..40).map(|i| [0.1 * f64::from(i), (0.3 * f64::from(i) + phase).sin()]).collect::<Vec<_>>();
    let band = wave(0.0).iter().map(|[x, y]| [*x, y - 0.3, y + 0.2]).collect();
    let left = Panel::new("Lines <&> \"bands\"", Axis::log("x"), Axis::linear("sin x"))
        .subtitled("a subtitle")
        .with(Series::new(Mark::Band(band)).named("band"))
        .with(Series::new(Mark::Line(wave(0.0))).named("line"))
        .with(Series::new(Mark::Step(wave(1.0))).named("step"))
        .with(Series::new(Mark::Points(wave(2.0))).named("points"))
        .with(Series::new(Mark::Rings(vec![[1.0, 0.0]])).named("ring"))
        .with(Series::new(Mark::Vertical(2.0)).named("here"))
        .with(Series::new(Mark::Horizontal(0.5)));
    let names: Vec<String> = ["one", "two", "three"].map(String::from).into();
    let shade: Vec<f64> = (0..9).map(|i| f64::from(i) / 8.0).collect();
    let texts = (0..9).map(|i| i.to_string()).collect();
    let cells = Mark::Cells { columns: 3, shade, texts };
    let right = panel(Axis::names("predicted", names.clone()), Axis::names("true", names).reversed(), cells).square();
    Figure::grid(vec![left, right], 2).titled("Everything")
}
