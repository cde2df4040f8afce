//! Scenes as pixels.

use tiny_skia::{
    FillRule, FilterQuality, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pattern, Pixmap, Rect, SpreadMode,
    Stroke as Pen, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

use super::font::{outline, width};
use super::scene::{Anchor, Brush, Form, Scene, Shape, Stroke};
use super::style::Colour;

/// Draws a scene with `scale` pixels a unit; nothing where that is no picture.
pub(super) fn pixels(scene: &Scene, scale: f64) -> Option<Pixmap> {
    let size = |units: f64| (units * scale).round() as u32;
    let mut pixels = Pixmap::new(size(scene.width), size(scene.height))?;
    let Colour(red, green, blue) = scene.paper;
    pixels.fill(tiny_skia::Color::from_rgba8(red, green, blue, 255));
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
            Shape::Dots { centres, radius, form, brush, edge } => {
                for centre in centres {
                    let path = dot(*form, *centre, *radius);
                    self.fill(path.clone(), *brush, self.zoom);
                    edge.iter().for_each(|edge| self.stroke(path.clone(), *edge));
                }
            }
            Shape::Rings { rings, stroke } => {
                rings.iter().for_each(|[x, y, radius]| self.stroke(circle([*x, *y], *radius), *stroke));
            }
            Shape::Cell { place, brush } => {
                let path = rectangle(place);
                self.fill(path, *brush, self.zoom);
            }
            Shape::Image { place, columns, pixels, smooth } => self.image(place, *columns, pixels, *smooth),
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
            dash: StrokeDash::new(stroke.dashes.iter().map(|v| *v as f32).collect(), 0.0),
            ..Pen::default()
        };
        let paint = paint(Brush { colour: stroke.colour, opacity: stroke.opacity });
        self.pixels.stroke_path(&path, &paint, &pen, self.zoom, self.mask.as_ref());
    }

    fn image(&mut self, place: &[f64; 4], columns: usize, pixels: &[Colour], smooth: bool) {
        let rows = pixels.len() / columns.max(1);
        let Some(mut image) = Pixmap::new(columns as u32, rows as u32) else { return };
        for (slot, colour) in image.data_mut().chunks_mut(4).zip(pixels) {
            slot.copy_from_slice(&[colour.0, colour.1, colour.2, 255]);
        }
        let [x, y, w, h] = place.map(|v| v as f32);
        let stretched = Transform::from_row(w / columns as f32, 0.0, 0.0, h / rows as f32, x, y);
        let quality = if smooth { FilterQuality::Bilinear } else { FilterQuality::Nearest };
        let shader = Pattern::new(image.as_ref(), SpreadMode::Pad, quality, 1.0, stretched);
        let paint = Paint { shader, anti_alias: true, ..Paint::default() };
        let Some(path) = rectangle(place) else { return };
        self.pixels.fill_path(&path, &paint, FillRule::Winding, self.zoom, self.mask.as_ref());
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

fn dot(form: Form, centre: [f64; 2], radius: f64) -> Option<Path> {
    if form == Form::Circle {
        return circle(centre, radius);
    }
    let mut path = PathBuilder::new();
    for (i, [x, y]) in form.corners(radius).into_iter().enumerate() {
        let (x, y) = ((centre[0] + x) as f32, (centre[1] + y) as f32);
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path.close();
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
