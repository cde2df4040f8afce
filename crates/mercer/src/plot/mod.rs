//! Pictures of results, as SVG and PNG files.
//!
//! A [`Figure`] says what is to be seen: a grid of [`Panel`]s, each with two [`Axis`] and some
//! [`Series`]. It knows no pixels. Laying it out gives a [`Scene`] of lines, dots, cells and texts in
//! units of the paper, and a [`Backend`] turns a scene into the bytes of a file. Everything that decides
//! what a picture looks like (ranges, ticks, places, colours) happens before the backend, so the two
//! formats show the same, and another backend needs one method.
//!
//! ```
//! use mercer::plot::{Axis, Figure, Mark, Panel, Series};
//! let path = vec![[0.1, 4.0], [1.0, 2.0], [10.0, 3.0]];
//! let panel = Panel::new("Error by alpha", Axis::log("alpha"), Axis::linear("error"))
//!     .with(Series::new(Mark::Line(path)).named("leave-one-out"))
//!     .with(Series::new(Mark::Vertical(1.0)));
//! let svg = Figure::of(panel).svg()?;
//! assert!(svg.starts_with("<svg") && svg.contains("leave-one-out"));
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! Pictures are drawn from results, never from data, and the same result gives the same bytes.

mod confusion;
mod decimal;
mod figure;
mod fit;
mod font;
mod frame;
mod layout;
mod legend;
mod marks;
mod png;
mod range;
mod raster;
mod ruler;
mod scene;
mod study;
mod style;
mod svg;
mod ticks;
mod write;

pub use confusion::confusion_matrix;
pub use figure::{Axis, Figure, Mark, Panel, Scale, Series};
pub use fit::{alpha_path, fit_sheet, predicted_against_true};
pub use png::Png;
pub use scene::{Anchor, Brush, Scene, Shape, Stroke};
pub use study::gd_sgd_sheet;
pub use style::Colour;
pub use svg::Svg;
pub use write::{Backend, Format, is_own};
