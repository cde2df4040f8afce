//! The embedded font: how wide a text is, and the outlines of its letters.
//!
//! Its licence and how it was cut down stand in `font/README.md`.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(include_bytes!("font/DejaVuSans-subset.ttf"), 0).expect("the embedded font is a font")
});

/// Family names for SVG. Verdana has the same widths; where there is neither, most fonts are narrower.
pub(super) const FAMILIES: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// Each letter with where it begins, in units of its height; a letter the font lacks is its box.
fn letters(text: &str) -> impl Iterator<Item = (GlyphId, f64)> {
    let unit = f64::from(FACE.units_per_em());
    let mut x = 0.0;
    text.chars().map(move |c| {
        let glyph = FACE.glyph_index(c).unwrap_or_default();
        let start = x;
        x += f64::from(FACE.glyph_hor_advance(glyph).unwrap_or(0)) / unit;
        (glyph, start)
    })
}

/// Width of a text whose letters are `size` high.
pub(super) fn width(text: &str, size: f64) -> f64 {
    // The place where one more letter would begin.
    let with_end = format!("{text} ");
    letters(&with_end).last().map_or(0.0, |(_, x)| x * size)
}

/// The text, or as much of its beginning as has room, and `…`.
pub(super) fn shortened(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let kept = room - width("…", size);
    // Where each letter begins is where the text before it ends.
    let fits = letters(text).skip(1).take_while(|(_, x)| x * size <= kept).count();
    let beginning: String = text.chars().take(fits.max(1)).collect();
    beginning.trim_end().to_owned() + "…"
}

/// The text, or `…` and as much of its end as has room.
pub(super) fn ending(text: &str, size: f64, room: f64) -> String {
    let whole = width(text, size);
    if whole <= room {
        return text.to_owned();
    }
    let kept = room - width("…", size);
    let count = text.chars().count();
    // The text from a letter on is as wide as all of it less where that letter begins.
    let from = letters(text).position(|(_, x)| whole - x * size <= kept).unwrap_or(count);
    let end: String = text.chars().skip(from.min(count.saturating_sub(1))).collect();
    format!("…{}", end.trim_start())
}

/// The text in lines of at most `room`, broken between words; what has no room in the last line is cut.
pub(super) fn wrapped(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = lines.len() >= most;
        match lines.last_mut() {
            Some(line) if full || width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| shortened(&line, size, room)).collect()
}

/// Draws the outlines of a text that begins at 0 on the base line, y upwards, into `pen`.
pub(super) fn outline(text: &str, size: f64, pen: &mut dyn OutlineBuilder) {
    let scale = size / f64::from(FACE.units_per_em());
    for (glyph, start) in letters(text) {
        FACE.outline_glyph(glyph, &mut Moved { pen, scale: scale as f32, by: (start * size) as f32 });
    }
}

/// A pen that draws scaled and further to the right.
struct Moved<'a> {
    pen: &'a mut dyn OutlineBuilder,
    scale: f32,
    by: f32,
}

impl Moved<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (x * self.scale + self.by, y * self.scale)
    }
}

impl OutlineBuilder for Moved<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.pen.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.pen.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.pen.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mercer_says_can_be_drawn() {
        let said = "abc XYZ 019 äöüßéñ αβγλσθΣ −×·²³⁰⁹⁻ ≤≥≈√∞‖⟨⟩ …–“” жщ ₀₉ ℓ λ̂ ψ̂ Σ₁";
        let missing: Vec<char> = said.chars().filter(|c| FACE.glyph_index(*c).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn widths_add_up_and_scale() {
        assert_eq!(width("", 12.0), 0.0);
        // DejaVu Sans 2.37: the advance of `0` is 1303 of 2048 units.
        assert!((width("00", 2048.0) - 2606.0).abs() < 1e-9);
        assert!((width("mercer", 20.0) - 2.0 * width("mercer", 10.0)).abs() < 1e-12);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("short", 12.0, 100.0), "short");
        let cut = shortened("a very long name of a column", 12.0, 80.0);
        assert!(cut.ends_with('…') && cut.starts_with("a very") && width(&cut, 12.0) <= 80.0, "{cut}");
        assert_eq!(shortened("wide", 12.0, 1.0), "w…");
    }

    #[test]
    fn endings_are_kept() {
        assert_eq!(ending("short", 12.0, 100.0), "short");
        let cut = ending("a very long name of a column", 12.0, 80.0);
        assert!(cut.starts_with('…') && cut.ends_with("column") && width(&cut, 12.0) <= 80.0, "{cut}");
        assert_eq!(ending("wide", 12.0, 1.0), "…e");
    }

    #[test]
    fn lines_are_broken_between_words() {
        let text = "one two three four five six seven";
        let lines = wrapped(text, 12.0, 90.0, 9);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 12.0) <= 90.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        let two = wrapped(text, 12.0, 90.0, 2);
        assert!(two.len() == 2 && two[1].ends_with('…') && width(&two[1], 12.0) <= 90.0, "{two:?}");
        assert_eq!(wrapped("", 12.0, 90.0, 2), Vec::<String>::new());
        assert_eq!(wrapped("unbreakable", 12.0, 30.0, 2).len(), 1);
    }
}
