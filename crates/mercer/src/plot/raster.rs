//! Scenes as pixels.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke as Pen, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

use super::font::{outline, width};
use super::scene::{Anchor, Brush, Scene, Shape, Stroke};
use super::style::{Colour, PAPER};

/// Draws a scene with `scale` pixels a unit; nothing where that is no picture.
pub(super) fn pixels(scene: &Scene, scale: f64) -> Option<Pixmap> {
    let size = |units: f64| (units * scale).round() as u32;
    let mut pixels = Pixmap::new(size(scene.width), size(scene.height))?;
    pixels.fill(tiny_skia::Color::from_rgba8(PAPER.0, PAPER.1, PAPER.2, 255));
    let mut canvas = Canvas { pixels, zoom: Transform::from_scale(scale as f32, scale as f32), mask: None };
    scene.shapes.iter().for_each(|shape| canvas.shape(shape));
    Some(canvas.pixels)
}

struct Canvas {
    pixels: Pixmap,
    zoom: Transform,
    /// What is seen; everything without one.
    mask: Option<Mask>,
}

impl Canvas {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Lines { lines, stroke } => self.stroke(lines_path(lines), *stroke),
            Shape::Area { corners, brush } => {
                let path = lines_path(std::slice::from_ref(corners));
                self.fill(path, *brush, self.zoom);
            }
            // One by one: where two overlap, it is darker.
            Shape::Dots { centres, radius, brush } => {
                centres.iter().for_each(|c| self.fill(circle(*c, *radius), *brush, self.zoom));
            }
            Shape::Rings { centres, radius, stroke } => {
                centres.iter().for_each(|c| self.stroke(circle(*c, *radius), *stroke));
            }
            Shape::Cell { place, brush } => {
                let path = rectangle(place);
                self.fill(path, *brush, self.zoom);
            }
            Shape::Text { .. } => self.words(shape),
            Shape::Inside { place, shapes } => self.inside(place, shapes),
        }
    }

    fn fill(&mut self, path: Option<Path>, brush: Brush, transform: Transform) {
        let Some(path) = path else { return };
        self.pixels.fill_path(&path, &paint(brush), FillRule::Winding, transform, self.mask.as_ref());
    }

    fn stroke(&mut self, path: Option<Path>, stroke: Stroke) {
        let Some(path) = path else { return };
        let pen = Pen {
            width: stroke.width as f32,
            line_join: LineJoin::Round,
            line_cap: LineCap::Butt,
            dash: if stroke.dashed { StrokeDash::new(vec![5.0, 4.0], 0.0) } else { None },
            ..Pen::default()
        };
        let paint = paint(Brush { colour: stroke.colour, opacity: 1.0 });
        self.pixels.stroke_path(&path, &paint, &pen, self.zoom, self.mask.as_ref());
    }

    fn words(&mut self, shape: &Shape) {
        let Shape::Text { at, anchor, size, colour, upright, text } = shape else { return };
        let back = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width(text, *size) / 2.0,
            Anchor::End => -width(text, *size),
        };
        let mut letters = Letters(PathBuilder::new());
        outline(text, *size, &mut letters);
        let turned = if *upright { Transform::from_rotate(-90.0) } else { Transform::identity() };
        let moved = turned.pre_translate(back as f32, 0.0).post_translate(at[0] as f32, at[1] as f32);
        self.fill(letters.0.finish(), Brush { colour: *colour, opacity: 1.0 }, moved.post_concat(self.zoom));
    }

    fn inside(&mut self, place: &[f64; 4], shapes: &[Shape]) {
        let mut mask = Mask::new(self.pixels.width(), self.pixels.height());
        if let (Some(mask), Some(path)) = (&mut mask, rectangle(place)) {
            mask.fill_path(&path, FillRule::Winding, true, self.zoom);
        }
        let outer = std::mem::replace(&mut self.mask, mask);
        shapes.iter().for_each(|shape| self.shape(shape));
        self.mask = outer;
    }
}

fn paint(brush: Brush) -> Paint<'static> {
    let Colour(red, green, blue) = brush.colour;
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (brush.opacity * 255.0).round() as u8);
    paint.anti_alias = true;
    paint
}

fn lines_path(lines: &[Vec<[f64; 2]>]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for line in lines {
        for (i, [x, y]) in line.iter().enumerate() {
            match i {
                0 => path.move_to(*x as f32, *y as f32),
                _ => path.line_to(*x as f32, *y as f32),
            }
        }
    }
    path.finish()
}

fn circle([x, y]: [f64; 2], radius: f64) -> Option<Path> {
    PathBuilder::from_circle(x as f32, y as f32, radius as f32)
}

fn rectangle([x, y, w, h]: &[f64; 4]) -> Option<Path> {
    Rect::from_xywh(*x as f32, *y as f32, *w as f32, *h as f32).map(PathBuilder::from_rect)
}

/// Outlines of letters, turned so that y grows downwards.
struct Letters(PathBuilder);

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, -y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, -y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, -y1, x, -y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, -y1, x2, -y2, x, -y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
