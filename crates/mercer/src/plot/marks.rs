//! From the values of a series to shapes.

use super::figure::{Mark, Panel, Series};
use super::font::width;
use super::range::has_place;
use super::ruler::Ruler;
use super::scene::{Anchor, Brush, Shape, Stroke};
use super::style::{Colour, INK, PALETTE, PAPER, REFERENCE, SMALL, shade};

/// Width of a line.
const LINE: f64 = 2.0;
/// Radius of a ring.
const RING: f64 = 7.0;

/// The colour of each series: its own, or the next of the palette.
pub(super) fn colours(series: &[Series]) -> Vec<Colour> {
    let mut next = PALETTE.iter().cycle().copied();
    let mut colour = |s: &Series| match (s.colour, is_reference(&s.mark)) {
        (Some(own), _) => own,
        (None, true) => REFERENCE,
        (None, false) => next.next().unwrap_or(INK),
    };
    series.iter().map(&mut colour).collect()
}

pub(super) fn is_reference(mark: &Mark) -> bool {
    matches!(mark, Mark::Vertical(_) | Mark::Horizontal(_) | Mark::Diagonal)
}

/// How a series draws lines.
pub(super) fn stroke(mark: &Mark, colour: Colour) -> Stroke {
    let dashed = is_reference(mark);
    Stroke { colour, width: if dashed { 1.3 } else { LINE }, dashed }
}

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
}

impl Plotter<'_> {
    /// The shapes of a series, and how many of its values have no place.
    pub(super) fn draw(&self, mark: &Mark, colour: Colour) -> (Vec<Shape>, usize) {
        let stroke = stroke(mark, colour);
        match mark {
            Mark::Points(points) => self.dots(points, colour),
            Mark::Rings(points) => {
                let (centres, lost) = self.places(points);
                (vec![Shape::Rings { centres, radius: RING, stroke }], lost)
            }
            Mark::Line(points) => self.line(points, stroke),
            Mark::Step(points) => self.line(&corners(points), stroke),
            Mark::Band(points) => self.band(points, colour),
            Mark::Vertical(x) => self.straight([*x, self.y.values.0], [*x, self.y.values.1], stroke),
            Mark::Horizontal(y) => self.straight([self.x.values.0, *y], [self.x.values.1, *y], stroke),
            Mark::Diagonal => self.diagonal(stroke),
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
    fn dots(&self, points: &[[f64; 2]], colour: Colour) -> (Vec<Shape>, usize) {
        let (centres, lost) = self.places(points);
        let (radius, opacity) = match centres.len() {
            0..=100 => (4.0, 0.8),
            101..=1000 => (3.4, 0.55),
            1001..=10_000 => (2.6, 0.3),
            _ => (2.0, 0.15),
        };
        (vec![Shape::Dots { centres, radius, brush: Brush { colour, opacity } }], lost)
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
            let colour = shade(*value);
            shapes.push(Shape::Cell { place: [left, top, wide, high], brush: Brush { colour, opacity: 1.0 } });
            let text = texts.get(at).filter(|t| !t.is_empty() && width(t, SMALL) < wide - 4.0 && SMALL < high - 2.0);
            shapes.extend(text.map(|text| Shape::Text {
                at: [left + wide / 2.0, top + high / 2.0 + 0.36 * SMALL],
                anchor: Anchor::Middle,
                size: SMALL,
                colour: if colour.is_dark() { PAPER } else { INK },
                upright: false,
                text: text.clone(),
            }));
        }
        shapes
    }
}

/// The corners of steps: each y holds until the next x.
fn corners(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let between = points.windows(2).flat_map(|pair| [pair[0], [pair[1][0], pair[0][1]]]);
    between.chain(points.last().copied()).collect()
}
