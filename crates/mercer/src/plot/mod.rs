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

mod bar;
mod base64;
mod colour_map;
mod compare;
mod confusion;
mod contour;
mod convergence;
mod curve;
mod decimal;
mod decision;
mod dependence;
mod field;
mod figure;
mod fit;
mod font;
mod frame;
mod gallery;
mod heat;
mod html;
mod importance;
mod judged;
mod layout;
mod legend;
mod looks;
mod marks;
mod null;
mod page;
mod png;
mod predictions;
mod projection;
mod range;
mod raster;
mod ruler;
mod scene;
mod score;
mod search;
mod segments;
mod sets;
mod spectrum;
mod study;
mod style;
mod svg;
mod theme;
mod ticks;
mod window;
mod write;

pub use colour_map::ColourMap;
pub use compare::{null_distribution, witness_values};
pub use confusion::confusion_matrix;
pub use contour::contours;
pub use convergence::convergence;
pub use curve::{CurveChoices, model_curve};
pub use decision::decision_map;
pub use dependence::{dependence_panel, dependence_panels};
pub use field::Field;
pub use figure::{Axis, Figure, Ink, Mark, Panel, Scale, Series};
pub use fit::{alpha_path, fit_sheet, predicted_against_true};
pub use gallery::{Exhibit, gallery, gallery_page, write_gallery};
pub use heat::{Heat, gram_heat};
pub use html::is_own_page;
pub use importance::importance_panel;
pub use judged::{calibration_of, calibration_panel, residual_panel, residuals, roc_of, roc_panel};
pub use null::null_panel;
pub use page::fit_page;
pub use png::Png;
pub use predictions::{Predictions, prediction_sheet};
pub use projection::projection;
pub use scene::{Anchor, Brush, Form, Scene, Shape, Stroke};
pub use score::score_sheet;
pub use search::search_panel;
pub use segments::segments;
pub use sets::{discrimination_map, discrimination_panel, distance_curve, distance_map, distance_panel};
pub use spectrum::{effective_dimension, eigenvalues};
pub use study::gd_sgd_sheet;
pub use style::Colour;
pub use svg::Svg;
pub use theme::Theme;
pub use window::Window;
pub use write::{Backend, Format, is_own};
