//! Images, bars and lines of equal value hold the numbers of their fields.

use mercer::plot::{Axis, ColourMap, Field, Figure, Mark, Panel, Series, Theme, contours};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use roxmltree::Document;

use super::decode::{Pixels, decode};
use super::judge::{judge, number};

/// The bytes of letters, from the text of RFC 4648.
fn bytes(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let mut out = Vec::new();
    for part in text.as_bytes().chunks(4) {
        let joined = part.iter().fold(0, |n, c| (n << 6) | value(*c));
        let kept = 3 - part.iter().filter(|c| **c == b'=').count();
        out.extend(&joined.to_be_bytes()[1..1 + kept]);
    }
    out
}

/// The images of a file with their places.
pub fn images(svg: &str) -> Vec<([f64; 4], Pixels)> {
    let document = Document::parse(svg).expect("XML");
    let found = document.descendants().filter(|n| n.has_tag_name("image"));
    let read = |n: roxmltree::Node<'_, '_>| {
        let data = n.attribute("href").and_then(|h| h.strip_prefix("data:image/png;base64,")).expect("an image inside");
        (["x", "y", "width", "height"].map(|name| number(n, name)), decode(&bytes(data)))
    };
    found.map(read).collect()
}

fn drawn(field: Field) -> String {
    let panel = Panel::new("a field", Axis::linear("x"), Axis::linear("y")).with(Series::new(Mark::Field(field)));
    let svg = Figure::of(panel).svg().expect("a picture");
    judge(&svg);
    svg
}

#[test]
fn pixels_are_the_colours_of_the_values() {
    let values = vec![0.0, 0.25, 0.5, 0.75, 1.0, 0.125];
    let svg = drawn(Field::new((0.0, 2.0), (0.0, 1.0), 3, values.clone()));
    let (_, image) = &images(&svg)[0];
    assert_eq!((image.width, image.height), (3, 2));
    // The first row of values is at the lowest y, which is the last row of the image.
    let rows: Vec<f64> = [&values[3..], &values[..3]].concat();
    for (pixel, value) in image.rgb.chunks(3).zip(rows) {
        let colour = ColourMap::Sequential.at(value);
        assert_eq!(pixel, [colour.0, colour.1, colour.2], "{value}");
    }
    let diverging = drawn(Field::matrix(2, vec![-2.0, 0.0, 1.0, 2.0]).in_colours(ColourMap::Diverging));
    let (_, image) = &images(&diverging)[0];
    let colours: Vec<Vec<u8>> = image.rgb.chunks(3).map(<[u8]>::to_vec).collect();
    let expected = [0.75, 1.0, 0.0, 0.5].map(|share| ColourMap::Diverging.at(share));
    assert_eq!(colours, expected.map(|c| vec![c.0, c.1, c.2]));
}

#[test]
fn cells_lie_where_the_axes_say() {
    // A matrix of 4×4 on an axis from −0.5 to 3.5 fills the frame; reversed, its first row is on top.
    let panel = Panel::new("", Axis::linear("j"), Axis::linear("i").reversed())
        .with(Series::new(Mark::Field(Field::matrix(4, (0..16).map(f64::from).collect()))))
        .square();
    let svg = Figure::of(panel).svg().expect("a picture");
    let (place, image) = &images(&svg)[0];
    assert!((place[2] - place[3]).abs() < 0.02, "{place:?}");
    let first = ColourMap::Sequential.at(0.0);
    assert_eq!(image.rgb[..3], [first.0, first.1, first.2]);
    let document = Document::parse(&svg).expect("XML");
    let frame = document.descendants().filter(|n| n.has_tag_name("svg")).nth(2).expect("the inner of two pictures");
    for (name, at) in ["x", "y", "width", "height"].iter().zip(place) {
        assert!((number(frame, name) - at).abs() < 0.02, "{name}");
    }
}

/// A window of a thousandth of the field shows the part that lies there.
#[test]
fn a_part_of_a_field_is_that_part() {
    let n = 2001;
    let values: Vec<f64> = (0..2 * n).map(|at| (at % n) as f64).collect();
    let field = Field::new((0.0, 2000.0), (0.0, 1.0), n, values);
    let panel = Panel::new("", Axis::linear("x").ranging(1000.0, 1002.0), Axis::linear("y"))
        .with(Series::new(Mark::Field(field)));
    let svg = Figure::of(panel).svg().expect("a picture");
    judge(&svg);
    let (place, image) = &images(&svg)[0];
    let document = Document::parse(&svg).expect("XML");
    let frame = document.descendants().filter(|n| n.has_tag_name("svg")).nth(2).expect("the inner of two pictures");
    let (left, wide) = (number(frame, "x"), number(frame, "width"));
    // The centre of the pixel of x = 1001 is in the middle of the frame, and its colour is that of 1001 of 2000.
    let step = place[2] / image.width as f64;
    let at = ((left + wide / 2.0 - place[0]) / step - 0.5).round();
    assert!((place[0] + (at + 0.5) * step - left - wide / 2.0).abs() < 0.05, "{place:?} {left} {wide}");
    let colour = ColourMap::Sequential.at(1001.0 / 2000.0);
    assert_eq!(image.rgb[3 * at as usize..3 * at as usize + 3], [colour.0, colour.1, colour.2]);
}

#[test]
fn large_matrices_are_means_of_blocks() {
    let n = 3000;
    let values: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from((at / n) < n / 2))).collect();
    let svg = drawn(Field::matrix(n, values));
    let (_, image) = &images(&svg)[0];
    assert!(image.width <= 1600 && image.height <= 1200 && image.width > 400, "{}×{}", image.width, image.height);
    let ends = [0.0, 1.0].map(|share| ColourMap::Sequential.at(share));
    assert_eq!(image.rgb[..3], [ends[0].0, ends[0].1, ends[0].2], "the last rows are on top");
    assert_eq!(image.rgb[image.rgb.len() - 3..], [ends[1].0, ends[1].1, ends[1].2]);
    assert!(svg.len() < 200_000, "{} bytes", svg.len());
}

#[test]
fn values_that_are_none_are_said() {
    let field = Field::matrix(2, vec![1.0, f64::NAN, 3.0, f64::INFINITY]);
    let panel = Panel::new("a field", Axis::linear("x"), Axis::linear("y")).with(Series::new(Mark::Field(field)));
    let scene = Figure::of(panel).scene().expect("a scene");
    assert!(scene.notes[0].to_string().starts_with("2 values of `a field`"), "{:?}", scene.notes);
    for (field, word) in [
        (Field::matrix(0, vec![]), "field"),
        (Field::matrix(3, vec![1.0; 4]), "field"),
        (Field::new((1.0, 0.0), (0.0, 1.0), 2, vec![1.0; 4]), "rising"),
        (Field::new((0.0, f64::NAN), (0.0, 1.0), 2, vec![1.0; 4]), "rising"),
        (Field { range: Some((1.0, 1.0)), ..Field::matrix(1, vec![1.0]) }, "range"),
    ] {
        let panel = Panel::new("", Axis::linear("x"), Axis::linear("y")).with(Series::new(Mark::Field(field)));
        let error = Figure::of(panel).svg().expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
    }
    let log =
        Panel::new("", Axis::log("x"), Axis::linear("y")).with(Series::new(Mark::Field(Field::matrix(1, vec![1.0]))));
    let error = Figure::of(log).svg().expect_err("log");
    assert!(error.to_string().contains("log axes"), "{error}");
}

/// On the circle x² + y² = r² the lines are as far off as a chord of a cell: h²/(8r) by the curvature, and as much by the
/// interpolation of the square.
#[test]
fn contours_of_a_circle_are_closed_and_round() {
    let n = 101;
    let at = |i: usize| -2.0 + 4.0 * i as f64 / (n - 1) as f64;
    let values = (0..n * n).map(|k| at(k % n).powi(2) + at(k / n).powi(2)).collect();
    let field = Field::new((-2.0, 2.0), (-2.0, 2.0), n, values);
    for r in [0.5, 1.0, 1.7] {
        let lines = contours(&field, r * r);
        assert_eq!(lines.len(), 1, "r = {r}");
        let line = &lines[0];
        assert_eq!(line.first(), line.last(), "closed");
        let h: f64 = 4.0 / (n - 1) as f64;
        assert!(line.iter().all(|[x, y]| (x.hypot(*y) - r).abs() < h * h / r), "r = {r}");
        let length: f64 = line.windows(2).map(|w| (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1])).sum();
        assert!((length - std::f64::consts::TAU * r).abs() < 0.02 * r, "{length}");
    }
    // Beyond the corners of the square the circle leaves it: four open arcs.
    assert_eq!(contours(&field, 2.2f64.powi(2)).len(), 4);
    assert_eq!(contours(&field, 9.0), Vec::<Vec<[f64; 2]>>::new());
}

/// Fields by chance: on every side of a cell whose ends are on both sides of the level there is exactly one point of the lines,
/// where a straight line along the side has the level, and on no other side is there any.
#[test]
fn contours_cross_every_side_they_must_and_no_other() {
    let mut chance = Chance::new(3);
    for _ in 0..300 {
        let (columns, rows) = (2 + (chance.unit() * 7.0) as usize, 2 + (chance.unit() * 7.0) as usize);
        let coarse = chance.unit() < 0.5;
        let draw = |u: f64| if coarse { (u * 4.0).floor() } else { u * 4.0 };
        let values: Vec<f64> = (0..columns * rows).map(|_| draw(chance.unit())).collect();
        let field = Field::new((0.0, (columns - 1) as f64), (0.0, (rows - 1) as f64), columns, values.clone());
        // No value of the coarse ones: a line that is open then never ends where it began.
        let level = 1.75;
        let mut found: Vec<[f64; 2]> = Vec::new();
        for line in contours(&field, level) {
            let closed = line.len() > 2 && line.first() == line.last();
            found.extend(if closed { &line[1..] } else { &line[..] });
        }
        let mut expected = Vec::new();
        for i in 0..rows {
            for j in 0..columns {
                let a = values[i * columns + j];
                for (k, l) in [(i, j + 1), (i + 1, j)].into_iter().filter(|(k, l)| *k < rows && *l < columns) {
                    let b = values[k * columns + l];
                    if (a >= level) != (b >= level) {
                        let t = (level - a) / (b - a);
                        expected.push([j as f64 + t * (l - j) as f64, i as f64 + t * (k - i) as f64]);
                    }
                }
            }
        }
        let sorted = |mut list: Vec<[f64; 2]>| {
            list.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
            list
        };
        let near = |a: &[f64; 2]| found.iter().filter(|b| (a[0] - b[0]).hypot(a[1] - b[1]) < tol::GOLDEN).count();
        assert_eq!(found.len(), expected.len(), "{:?}\n{:?}", sorted(found.clone()), sorted(expected.clone()));
        assert!(expected.iter().all(|p| near(p) >= 1));
    }
}

#[test]
fn dark_paper_is_dark_in_both_formats() {
    let figure = super::everything().themed(Theme::Dark);
    let svg = figure.svg().expect("a picture");
    judge(&svg);
    assert!(svg.contains("fill=\"#14161a\"") && !svg.contains("fill=\"#ffffff\"/>\n<text"), "dark paper");
    let pixels = decode(&figure.png().expect("a picture"));
    assert_eq!(pixels.rgb[..3], [20, 22, 26]);
    assert_ne!(svg, super::everything().svg().expect("a picture"));
}
