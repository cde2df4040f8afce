//! How the series of a panel are told apart: colour, and with it the form of points or the dashes of lines.

use super::figure::{Ink, Mark, Series};
use super::scene::{Form, Stroke};
use super::style::Colour;
use super::theme::Inks;

/// Width of a line.
const LINE: f64 = 2.0;
/// Width of one of several lines of a kind.
const THIN: f64 = 1.3;
/// Dashes of reference lines.
const REFERENCE: &[f64] = &[5.0, 4.0];
/// Dashes of lines, in the order of the lines that the legend names.
const DASHES: [&[f64]; 4] = [&[], &[10.0, 4.0], &[2.5, 3.0], &[10.0, 3.0, 2.5, 3.0]];

/// What a series looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) colour: Colour,
    pub(super) form: Form,
    pub(super) stroke: Stroke,
}

/// The look of each series: its own, or the next of the palette.
pub(super) fn looks(series: &[Series], inks: &Inks) -> Vec<Look> {
    let (mut next, mut lines) = (0, 0);
    let mut look = |s: &Series| {
        let colour = match (s.colour, is_reference(&s.mark)) {
            (Some(Ink::Own(own)), _) => own,
            (Some(Ink::Palette(at)), _) => inks.palette[at % inks.palette.len()],
            (Some(Ink::Text), _) => inks.ink,
            (None, true) => inks.reference,
            // A field has colours of its own.
            (None, false) if matches!(s.mark, Mark::Field(_)) => inks.ink,
            (None, false) => {
                next += 1;
                inks.palette[(next - 1) % inks.palette.len()]
            }
        };
        let dashes = match &s.mark {
            mark if is_reference(mark) => REFERENCE,
            Mark::Line(_) | Mark::Step(_) | Mark::Curves(_) if s.name.is_some() => {
                lines += 1;
                DASHES[(lines - 1) % DASHES.len()]
            }
            _ => &[],
        };
        Look { colour, form: s.form.unwrap_or_default(), stroke: stroke(&s.mark, colour, dashes) }
    };
    series.iter().map(&mut look).collect()
}

pub(super) fn is_reference(mark: &Mark) -> bool {
    matches!(mark, Mark::Vertical(_) | Mark::Horizontal(_) | Mark::Diagonal)
}

fn stroke(mark: &Mark, colour: Colour, dashes: &'static [f64]) -> Stroke {
    let (width, opacity) = match mark {
        // Many lines show where they are dense.
        Mark::Curves(lines) if lines.len() > 3 => (THIN, 0.6),
        Mark::Curves(_) | Mark::Sized(_) => (1.6, 1.0),
        mark if is_reference(mark) => (THIN, 1.0),
        _ => (LINE, 1.0),
    };
    Stroke { colour, width, opacity, dashes }
}
