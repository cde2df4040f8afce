//! Scenes as SVG text.

use std::fmt::Write;

use crate::error::Result;

use super::base64::base64;
use super::font::FAMILIES;
use super::png::packed;
use super::scene::{Anchor, Brush, Form, Scene, Shape, Stroke};
use super::style::Colour;
use super::write::Backend;

/// Says who drew it, before anything else.
pub(super) const MARK: &str = "<!-- drawn by Mercer -->";

/// Draws scenes as SVG, one pixel a unit. Texts stay texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Svg;

impl Backend for Svg {
    fn draw(&self, scene: &Scene) -> Result<Vec<u8>> {
        let (width, height) = (Number(scene.width), Number(scene.height));
        let mut page = Page { text: String::new() };
        page.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILIES}\" role=\"img\">\n{MARK}\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
            escaped(&scene.title),
            scene.paper.hex()
        ));
        scene.shapes.iter().try_for_each(|shape| page.shape(shape))?;
        page.add(format_args!("</svg>\n"));
        Ok(page.text.into_bytes())
    }
}

/// A coordinate: two digits behind the point are a hundredth of a pixel.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", self.0);
        let short = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if short == "-0" { "0" } else { short })
    }
}

/// Text for XML, in which control characters have no place at all.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

struct Page {
    text: String,
}

impl Page {
    fn add(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(what);
    }

    fn shape(&mut self, shape: &Shape) -> Result<()> {
        match shape {
            Shape::Lines { lines, stroke } => self.lines(lines, *stroke),
            Shape::Area { corners, brush } => {
                let path = path(corners);
                self.add(format_args!("<path d=\"{path}Z\"{}/>\n", fill(*brush)));
            }
            Shape::Dots { centres, radius, form, brush, edge } => {
                let style = fill(*brush) + &edge.map_or_else(String::new, line);
                match form {
                    Form::Circle => {
                        let circles: Vec<[f64; 3]> = centres.iter().map(|[x, y]| [*x, *y, *radius]).collect();
                        self.circles(&circles, &style);
                    }
                    form => self.figures(centres, &form.corners(*radius), &style),
                }
            }
            Shape::Rings { rings, stroke } => self.circles(rings, &format!(" fill=\"none\"{}", line(*stroke))),
            Shape::Cell { place, brush } => {
                let [x, y, w, h] = place.map(Number);
                self.add(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{}/>\n", fill(*brush)));
            }
            Shape::Image { place, columns, pixels, smooth } => self.image(place, *columns, pixels, *smooth)?,
            Shape::Text { .. } => self.words(shape),
            Shape::Inside { place, shapes } => self.inside(place, shapes)?,
        }
        Ok(())
    }

    fn lines(&mut self, lines: &[Vec<[f64; 2]>], stroke: Stroke) {
        if !lines.is_empty() {
            let all: String = lines.iter().map(|l| path(l)).collect();
            self.add(format_args!("<path d=\"{all}\" fill=\"none\"{}/>\n", line(stroke)));
        }
    }

    fn circles(&mut self, circles: &[[f64; 3]], style: &str) {
        if circles.is_empty() {
            return;
        }
        self.add(format_args!("<g{style}>\n"));
        for [x, y, r] in circles.iter().map(|circle| circle.map(Number)) {
            self.add(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>\n"));
        }
        self.add(format_args!("</g>\n"));
    }

    fn words(&mut self, shape: &Shape) {
        let Shape::Text { at, anchor, size, colour, upright, text } = shape else { return };
        let [x, y] = at.map(Number);
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let turn = if *upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"{anchor}{turn}>{}</text>\n",
            Number(*size),
            colour.hex(),
            escaped(text)
        ));
    }

    fn figures(&mut self, centres: &[[f64; 2]], corners: &[[f64; 2]], style: &str) {
        if centres.is_empty() {
            return;
        }
        self.add(format_args!("<g{style}>\n"));
        for [x, y] in centres {
            let moved: Vec<[f64; 2]> = corners.iter().map(|[a, b]| [a + x, b + y]).collect();
            self.add(format_args!("<path d=\"{}Z\"/>\n", path(&moved)));
        }
        self.add(format_args!("</g>\n"));
    }

    /// The colours as a PNG inside the file.
    fn image(&mut self, place: &[f64; 4], columns: usize, pixels: &[Colour], smooth: bool) -> Result<()> {
        if columns == 0 || pixels.is_empty() {
            return Ok(());
        }
        let [x, y, w, h] = place.map(Number);
        let sharp = if smooth { "" } else { " style=\"image-rendering:pixelated\"" };
        let data = base64(&packed(columns, pixels)?);
        self.add(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\"{sharp} \
             href=\"data:image/png;base64,{data}\"/>\n"
        ));
        Ok(())
    }

    /// A picture in the picture, which shows what is inside it. It needs no name, and names of several pictures on one
    /// page would get in each other's way.
    fn inside(&mut self, place: &[f64; 4], shapes: &[Shape]) -> Result<()> {
        let [x, y, w, h] = place.map(Number);
        self.add(format_args!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\" overflow=\"hidden\">\n"
        ));
        shapes.iter().try_for_each(|shape| self.shape(shape))?;
        self.add(format_args!("</svg>\n"));
        Ok(())
    }
}

fn path(points: &[[f64; 2]]) -> String {
    let step =
        |(i, [x, y]): (usize, &[f64; 2])| format!("{}{} {}", if i == 0 { 'M' } else { 'L' }, Number(*x), Number(*y));
    points.iter().enumerate().map(step).collect()
}

fn fill(brush: Brush) -> String {
    let opacity =
        if brush.opacity < 1.0 { format!(" fill-opacity=\"{}\"", Number(brush.opacity)) } else { String::new() };
    format!(" fill=\"{}\"{opacity}", brush.colour.hex())
}

fn line(stroke: Stroke) -> String {
    let dashes = match stroke.dashes {
        [] => String::new(),
        some => {
            let lengths: Vec<String> = some.iter().map(|v| Number(*v).to_string()).collect();
            format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
        }
    };
    let opacity =
        if stroke.opacity < 1.0 { format!(" stroke-opacity=\"{}\"", Number(stroke.opacity)) } else { String::new() };
    let width = Number(stroke.width);
    format!(" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{opacity}{dashes}", stroke.colour.hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [1.0, 0.25, -0.001, 12.346, 0.1 + 0.2, 100.0].map(|v| Number(v).to_string());
        assert_eq!(shown, ["1", "0.25", "0", "12.35", "0.3", "100"]);
    }

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(escaped("a<b>&\"c\"\u{1}"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}");
    }
}
