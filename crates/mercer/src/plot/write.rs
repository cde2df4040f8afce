//! From a figure to a file.

use std::io::Write;
use std::path::Path;

use crate::data::write_atomically;
use crate::error::{Error, Result};
use crate::note::Note;

use super::figure::Figure;
use super::png::{self, Png};
use super::scene::Scene;
use super::svg::{self, Svg};

/// Turns scenes into the bytes of a file.
pub trait Backend {
    /// The bytes; the same for the same scene.
    fn draw(&self, scene: &Scene) -> Result<Vec<u8>>;
}

/// The formats a figure can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lines and letters, to be scaled and searched.
    Svg,
    /// Pixels, two a unit.
    Png,
}

impl Format {
    /// The format that the extension of `path` tells.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "svg" => Ok(Format::Svg),
            "png" => Ok(Format::Png),
            other => Err(Error::Unsupported {
                what: match other.is_empty() {
                    true => format!("{}: drawing to a name without extension", path.display()),
                    false => format!("{}: drawing as `.{other}`", path.display()),
                },
                alternative: "use .svg or .png".into(),
            }),
        }
    }

    /// What draws it.
    pub fn backend(self) -> Box<dyn Backend> {
        match self {
            Format::Svg => Box::new(Svg),
            Format::Png => Box::new(Png::default()),
        }
    }
}

/// Whether a file that begins so is a picture that Mercer drew.
///
/// ```
/// use mercer::plot::{Axis, Figure, Mark, Panel, Series, is_own};
/// let line = Series::new(Mark::Line(vec![[0.0, 1.0], [1.0, 2.0]]));
/// let figure = Figure::of(Panel::new("A line", Axis::linear("x"), Axis::linear("y")).with(line));
/// assert!(is_own(figure.svg()?.as_bytes()) && is_own(&figure.png()?));
/// assert!(!is_own(b"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn is_own(beginning: &[u8]) -> bool {
    let png = [&png::MARK_KIND[..], png::MARK].concat();
    let drawn_as_png = beginning.starts_with(b"\x89PNG")
        && beginning.get(png::AFTER_HEADER..).is_some_and(|chunk| chunk.starts_with(&png));
    // The mark stands on the second line, after the one that opens the picture.
    let second = beginning.split(|b| *b == b'\n').nth(1);
    drawn_as_png || (beginning.starts_with(b"<svg") && second == Some(svg::MARK.as_bytes()))
}

impl Figure {
    /// As SVG text.
    pub fn svg(&self) -> Result<String> {
        let bytes = Svg.draw(&self.scene()?)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// As a PNG.
    pub fn png(&self) -> Result<Vec<u8>> {
        Png::default().draw(&self.scene()?)
    }

    /// Writes `path`, whole or not at all, in the format that its extension tells. Returns what the
    /// reader should know: what could not be drawn, and why.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<Vec<Note>> {
        let path = path.as_ref();
        let backend = Format::of(path)?.backend();
        let scene = self.scene()?;
        let bytes = backend.draw(&scene)?;
        write_atomically(path, |out| out.write_all(&bytes).map_err(|e| Error::io(path, e)))?;
        Ok(scene.notes)
    }
}
