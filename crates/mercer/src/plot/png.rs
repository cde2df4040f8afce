//! Scenes as PNG files (ISO/IEC 15948), 8 bits a channel.

use std::io::Write;

use flate2::{Compression, Crc, write::ZlibEncoder};

use crate::error::{Error, Result};

use super::raster::pixels;
use super::scene::Scene;
use super::style::Colour;
use super::write::Backend;

/// Draws scenes as PNG. Letters come from an embedded font, so no fonts need be installed.
#[derive(Clone, Copy, Debug)]
pub struct Png {
    /// Pixels for each unit of the paper, from 0.25 to 4.
    pub scale: f64,
}

impl Default for Png {
    /// Two pixels a unit: sharp on screens of high resolution and in print.
    fn default() -> Self {
        Png { scale: 2.0 }
    }
}

impl Backend for Png {
    fn draw(&self, scene: &Scene) -> Result<Vec<u8>> {
        if !(0.25..=4.0).contains(&self.scale) {
            return Err(Error::invalid("a PNG", "scale", self.scale, "between 0.25 and 4"));
        }
        let picture = pixels(scene, self.scale).ok_or_else(|| {
            let got = format!("{}×{}", scene.width, scene.height);
            Error::shape("the size of a picture", "at least one pixel", got)
        })?;
        // The paper hides what is below, so every pixel is opaque and needs no fourth channel.
        let mut rows = Vec::with_capacity(picture.data().len());
        for row in picture.data().chunks(4 * picture.width() as usize) {
            rows.push(0);
            rows.extend(row.chunks(4).flat_map(|p| [p[0], p[1], p[2]]));
        }
        encode(picture.width(), picture.height(), &rows)
    }
}

/// Colours as the bytes of a file, for images inside other files.
pub(super) fn packed(columns: usize, pixels: &[Colour]) -> Result<Vec<u8>> {
    let mut rows = Vec::with_capacity(3 * pixels.len() + pixels.len() / columns.max(1));
    for row in pixels.chunks(columns.max(1)) {
        rows.push(0);
        rows.extend(row.iter().flat_map(|c| [c.0, c.1, c.2]));
    }
    encode(columns as u32, (pixels.len() / columns.max(1)) as u32, &rows)
}

/// Says who drew it, right after the header.
pub(super) const MARK_KIND: &[u8; 4] = b"tEXt";
pub(super) const MARK: &[u8] = b"Software\0Mercer";
/// Where the kind of the chunk after the header stands.
pub(super) const AFTER_HEADER: usize = 37;

/// A file of rows of red, green, blue, each row after a byte that says how it is filtered.
fn encode(width: u32, height: u32, rows: &[u8]) -> Result<Vec<u8>> {
    const EIGHT_BITS_RGB: [u8; 5] = [8, 2, 0, 0, 0];
    let failed = |e| Error::io("a PNG in memory", e);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(6));
    packed.write_all(rows).map_err(failed)?;
    let packed = packed.finish().map_err(failed)?;
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes(), &EIGHT_BITS_RGB].concat());
    chunk(&mut file, MARK_KIND, MARK);
    for part in packed.chunks(1 << 20) {
        chunk(&mut file, b"IDAT", part);
    }
    chunk(&mut file, b"IEND", &[]);
    Ok(file)
}

/// Length, kind, content and a checksum of the last two.
fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) {
    let mut checksum = Crc::new();
    checksum.update(kind);
    checksum.update(content);
    file.extend((content.len() as u32).to_be_bytes());
    file.extend(kind);
    file.extend(content);
    file.extend(checksum.sum().to_be_bytes());
}
