//! From the values of a series to shapes.

use super::bar::line_colour;
use super::contour::contours;
use super::field::Field;
use super::figure::{Mark, Panel};
use super::font::width;
use super::looks::Look;
use super::range::has_place;
use super::ruler::Ruler;
use super::scene::{Anchor, Brush, Shape, Stroke};
use super::style::{Colour, SMALL};
use super::theme::Theme;

/// Radius of a ring.
const RING: f64 = 7.0;
/// Radius of the ring of the largest size, and the least radius.
const SIZES: (f64, f64) = (13.0, 2.5);
/// Cells above which a matrix of shades without texts is one image.
const MANY: usize = 4096;

/// The values that the axes of a panel must show.
pub(super) fn extent(panel: &Panel) -> (Vec<f64>, Vec<f64>) {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let mut add = |x: f64, y: f64| {
        if has_place(x, &panel.x.scale) && has_place(y, &panel.y.scale) {
            xs.push(x);
            ys.push(y);
        }
    };
    for series in &panel.series {
        match &series.mark {
            Mark::Points(p) | Mark::Rings(p) | Mark::Line(p) | Mark::Step(p) => p.iter().for_each(|[x, y]| add(*x, *y)),
            Mark::Sized(p) => p.iter().for_each(|[x, y, _]| add(*x, *y)),
            Mark::Curves(lines) => lines.iter().flatten().for_each(|[x, y]| add(*x, *y)),
            Mark::Field(field) => field.shown().iter().for_each(|[x, y]| add(*x, *y)),
            Mark::Band(b) => b.iter().filter(|b| b.iter().all(|v| v.is_finite())).for_each(|[x, low, high]| {
                add(*x, *low);
                add(*x, *high);
            }),
            Mark::Cells { columns, shade, .. } => {
                add(-0.5, -0.5);
                add(*columns as f64 - 0.5, (shade.len() / (*columns).max(1)) as f64 - 0.5);
            }
            Mark::Vertical(_) | Mark::Horizontal(_) | Mark::Diagonal => {}
        }
    }
    let lines = |wanted: fn(&Mark) -> Option<f64>| panel.series.iter().filter_map(move |s| wanted(&s.mark));
    xs.extend(lines(|m| if let Mark::Vertical(x) = m { Some(*x) } else { None }));
    ys.extend(lines(|m| if let Mark::Horizontal(y) = m { Some(*y) } else { None }));
    (xs, ys)
}

/// Draws series between two rulers.
pub(super) struct Plotter<'a> {
    pub(super) x: &'a Ruler,
    pub(super) y: &'a Ruler,
    pub(super) theme: Theme,
    /// Whether there are colours below, on which points need an edge to be seen.
    pub(super) over_field: bool,
}

impl Plotter<'_> {
    /// The shapes of a series, and how many of its values have no place.
    pub(super) fn draw(&self, mark: &Mark, look: &Look) -> (Vec<Shape>, usize) {
        let (stroke, colour) = (look.stroke, look.colour);
        match mark {
            Mark::Points(points) => self.dots(points, look),
            Mark::Rings(points) => {
                let (centres, lost) = self.places(points);
                (vec![Shape::Rings { rings: centres.iter().map(|[x, y]| [*x, *y, RING]).collect(), stroke }], lost)
            }
            Mark::Sized(points) => self.sized(points, stroke),
            Mark::Line(points) => self.line(points, stroke),
            Mark::Curves(lines) => self.curves(lines, stroke),
            Mark::Step(points) => self.line(&corners(points), stroke),
            Mark::Band(points) => self.band(points, colour),
            Mark::Vertical(x) => self.straight([*x, self.y.values.0], [*x, self.y.values.1], stroke),
            Mark::Horizontal(y) => self.straight([self.x.values.0, *y], [self.x.values.1, *y], stroke),
            Mark::Diagonal => self.diagonal(stroke),
            Mark::Field(field) => self.field(field),
            Mark::Cells { columns, shade, texts } if texts.is_empty() && shade.len() > MANY => {
                (self.shades(*columns, shade), 0)
            }
            Mark::Cells { columns, shade, texts } => (self.cells(*columns, shade, texts), 0),
        }
    }

    fn place(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        Some([self.x.place(x)?, self.y.place(y)?])
    }

    fn places(&self, points: &[[f64; 2]]) -> (Vec<[f64; 2]>, usize) {
        let found: Vec<[f64; 2]> = points.iter().filter_map(|p| self.place(*p)).collect();
        let lost = points.len() - found.len();
        (found, lost)
    }

    /// Smaller and fainter the more there are, so that crowds show their density.
    fn dots(&self, points: &[[f64; 2]], look: &Look) -> (Vec<Shape>, usize) {
        let (centres, lost) = self.places(points);
        let (radius, opacity) = match centres.len() {
            0..=100 => (4.0, 0.8),
            101..=1000 => (3.4, 0.55),
            1001..=10_000 => (2.6, 0.3),
            _ => (2.0, 0.15),
        };
        let few = self.over_field && centres.len() <= 1000;
        let paper = self.theme.inks().paper;
        let edge = few.then_some(Stroke { colour: paper, width: 1.0, opacity: 1.0, dashes: &[] });
        let brush = Brush { colour: look.colour, opacity: if few { 1.0 } else { opacity } };
        (vec![Shape::Dots { centres, radius, form: look.form, brush, edge }], lost)
    }

    /// Rings whose areas are as their sizes; the smallest are still seen.
    fn sized(&self, points: &[[f64; 3]], stroke: Stroke) -> (Vec<Shape>, usize) {
        let largest = points.iter().map(|p| p[2]).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let radius = |size: f64| {
            let share = if largest > 0.0 { size / largest } else { 0.0 };
            (size.is_finite() && size >= 0.0).then(|| (SIZES.0 * share.sqrt()).max(SIZES.1))
        };
        let ring = |[x, y, size]: &[f64; 3]| {
            let [x, y] = self.place([*x, *y])?;
            Some([x, y, radius(*size)?])
        };
        let rings: Vec<[f64; 3]> = points.iter().filter_map(ring).collect();
        let lost = points.len() - rings.len();
        (vec![Shape::Rings { rings, stroke }], lost)
    }

    fn curves(&self, lines: &[Vec<[f64; 2]>], stroke: Stroke) -> (Vec<Shape>, usize) {
        let drawn: Vec<(Vec<Shape>, usize)> = lines.iter().map(|line| self.line(line, stroke)).collect();
        let lost = drawn.iter().map(|(_, lost)| lost).sum();
        let pieces = drawn.into_iter().flat_map(|(shapes, _)| shapes).flat_map(|shape| match shape {
            Shape::Lines { lines, .. } => lines,
            _ => Vec::new(),
        });
        (vec![Shape::Lines { lines: pieces.collect(), stroke }], lost)
    }

    /// The image with its lines of equal value; what is beyond the frame is not seen.
    fn field(&self, field: &Field) -> (Vec<Shape>, usize) {
        let lost = field.values.iter().filter(|v| !v.is_finite()).count();
        let whole = field;
        // Places far beyond the frame are cut, which would move the image.
        let Some(field) = &field.seen(self.x.values, self.y.values) else { return (Vec::new(), lost) };
        let [Some(a), Some(b)] = field.corners().map(|p| self.place(p)) else { return (Vec::new(), 0) };
        let place = [a[0].min(b[0]), a[1].min(b[1]), (b[0] - a[0]).abs(), (b[1] - a[1]).abs()];
        // Two pixels a unit are the finest that any format draws.
        let (columns, values) = field.reduced((2.0 * place[2]) as usize, (2.0 * place[3]) as usize);
        let (ends, none) = (field.ends(), self.theme.inks().grid);
        let colour = |v: f64| if v.is_finite() { field.colours.at(Field::share(v, ends)) } else { none };
        // Images begin on top, and the first row is at the first place of the axis.
        let (mirrored, downwards) = (b[0] < a[0], b[1] > a[1]);
        let mut rows: Vec<Vec<Colour>> =
            values.chunks(columns).map(|r| r.iter().map(|v| colour(*v)).collect()).collect();
        if !downwards {
            rows.reverse();
        }
        if mirrored {
            rows.iter_mut().for_each(|row| row.reverse());
        }
        let mut shapes = vec![Shape::Image { place, columns, pixels: rows.concat(), smooth: field.smooth }];
        for level in &field.levels {
            let stroke = Stroke { colour: line_colour(whole, *level), width: 1.0, opacity: 0.75, dashes: &[] };
            shapes.extend(self.curves(&contours(whole, *level), stroke).0);
        }
        let ((l, r), (t, b)) = (ordered(self.x.places), ordered(self.y.places));
        (vec![Shape::Inside { place: [l, t, r - l, b - t], shapes }], lost)
    }

    fn shades(&self, columns: usize, shades: &[f64]) -> Vec<Shape> {
        let rows = shades.len() / columns;
        let corners = [[-0.5, -0.5], [columns as f64 - 0.5, rows as f64 - 0.5]].map(|p| self.place(p));
        let [Some(a), Some(b)] = corners else { return Vec::new() };
        let place = [a[0].min(b[0]), a[1].min(b[1]), (b[0] - a[0]).abs(), (b[1] - a[1]).abs()];
        let colours = |row: &[f64]| row.iter().map(|v| self.theme.shade(*v)).collect::<Vec<_>>();
        let mut lines: Vec<Vec<Colour>> = shades.chunks(columns).map(colours).collect();
        if b[1] < a[1] {
            lines.reverse();
        }
        vec![Shape::Image { place, columns, pixels: lines.concat(), smooth: false }]
    }

    fn line(&self, points: &[[f64; 2]], stroke: Stroke) -> (Vec<Shape>, usize) {
        let placed: Vec<Option<[f64; 2]>> = points.iter().map(|p| self.place(*p)).collect();
        let lost = placed.iter().filter(|p| p.is_none()).count();
        let pieces = placed.split(|p| p.is_none()).map(|piece| piece.iter().flatten().copied().collect::<Vec<_>>());
        (vec![Shape::Lines { lines: pieces.filter(|p| p.len() > 1).collect(), stroke }], lost)
    }

    fn band(&self, points: &[[f64; 3]], colour: Colour) -> (Vec<Shape>, usize) {
        let edges = |[x, low, high]: &[f64; 3]| Some((self.place([*x, *low])?, self.place([*x, *high])?));
        let placed: Vec<_> = points.iter().map(edges).collect();
        let lost = placed.iter().filter(|p| p.is_none()).count();
        let area = |piece: &[Option<([f64; 2], [f64; 2])>]| {
            let low = piece.iter().flatten().map(|p| p.0);
            let corners: Vec<[f64; 2]> = low.chain(piece.iter().rev().flatten().map(|p| p.1)).collect();
            Shape::Area { corners, brush: Brush { colour, opacity: 0.2 } }
        };
        (placed.split(|p| p.is_none()).filter(|p| p.len() > 1).map(area).collect(), lost)
    }

    fn straight(&self, from: [f64; 2], to: [f64; 2], stroke: Stroke) -> (Vec<Shape>, usize) {
        let (ends, lost) = self.places(&[from, to]);
        (vec![Shape::Lines { lines: vec![ends].into_iter().filter(|l| l.len() == 2).collect(), stroke }], lost.min(1))
    }

    /// y = x where both axes show it.
    fn diagonal(&self, stroke: Stroke) -> (Vec<Shape>, usize) {
        let low = self.x.values.0.max(self.y.values.0);
        let high = self.x.values.1.min(self.y.values.1);
        if low >= high {
            return (Vec::new(), 0);
        }
        match self.x.log == self.y.log {
            true => self.straight([low, low], [high, high], stroke),
            // Between a linear and a log axis it is a curve.
            false => {
                let along = (0..=200).map(|i| low + (high - low) * f64::from(i) / 200.0);
                let (shapes, _) = self.line(&along.map(|v| [v, v]).collect::<Vec<_>>(), stroke);
                (shapes, 0)
            }
        }
    }

    fn cells(&self, columns: usize, shades: &[f64], texts: &[String]) -> Vec<Shape> {
        let mut shapes = Vec::with_capacity(shades.len() + texts.len());
        for (at, value) in shades.iter().enumerate() {
            let (i, j) = ((at / columns) as f64, (at % columns) as f64);
            let corners = [[j - 0.5, i - 0.5], [j + 0.5, i + 0.5]].map(|p| self.place(p));
            let [Some(a), Some(b)] = corners else { continue };
            let (left, top) = (a[0].min(b[0]), a[1].min(b[1]));
            let (wide, high) = ((b[0] - a[0]).abs(), (b[1] - a[1]).abs());
            let colour = self.theme.shade(*value);
            shapes.push(Shape::Cell { place: [left, top, wide, high], brush: Brush { colour, opacity: 1.0 } });
            let text = texts.get(at).filter(|t| !t.is_empty() && width(t, SMALL) < wide - 4.0 && SMALL < high - 2.0);
            shapes.extend(text.map(|text| Shape::Text {
                at: [left + wide / 2.0, top + high / 2.0 + 0.36 * SMALL],
                anchor: Anchor::Middle,
                size: SMALL,
                colour: colour.readable(),
                upright: false,
                text: text.clone(),
            }));
        }
        shapes
    }
}

fn ordered((a, b): (f64, f64)) -> (f64, f64) {
    (a.min(b), a.max(b))
}

/// The corners of steps: each y holds until the next x.
fn corners(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let between = points.windows(2).flat_map(|pair| [pair[0], [pair[1][0], pair[0][1]]]);
    between.chain(points.last().copied()).collect()
}
