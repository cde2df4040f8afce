//! SVG is XML with the right marks at the right places; PNG decodes; bytes repeat; errors leave no file.

use mercer::plot::{Axis, Backend, Figure, Format, Mark, Panel, Png, Series};
use roxmltree::{Document, Node};

use super::decode::{Pixels, decode};
use super::{everything, panel};

/// Elements of a name.
fn count(document: &Document<'_>, name: &str) -> usize {
    document.descendants().filter(|n| n.has_tag_name(name)).count()
}

fn number(node: Node<'_, '_>, attribute: &str) -> f64 {
    node.attribute(attribute).and_then(|v| v.parse().ok()).unwrap_or_else(|| panic!("{attribute} of {node:?}"))
}

/// The places of labels of ticks: the texts that read as numbers.
fn labelled(document: &Document<'_>, attribute: &str, anchor: &str) -> Vec<(f64, f64)> {
    let texts = document.descendants().filter(|n| n.has_tag_name("text") && n.attribute("text-anchor") == Some(anchor));
    texts.filter_map(|n| Some((n.text()?.replace('−', "-").parse().ok()?, number(n, attribute)))).collect()
}

#[test]
fn svg_is_xml_with_a_mark_for_each_value() {
    let svg = everything().svg().expect("a picture");
    let document = Document::parse(&svg).expect("XML");
    // 39 points, a ring, and a sample of each in the legend.
    assert_eq!(count(&document, "circle"), 39 + 1 + 2);
    // The paper, nine cells, and samples of band and cells in the legends.
    assert_eq!(count(&document, "rect"), 1 + 9 + 2);
    // The picture itself and two places to draw inside.
    assert_eq!(count(&document, "svg"), 1 + 2);
    let texts: Vec<&str> = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    for words in ["Everything", "Lines <&> \"bands\"", "a subtitle", "sin x", "three", "8", "here"] {
        assert!(texts.contains(&words), "{words} is not in {texts:?}");
    }
}

#[test]
fn marks_stand_where_the_numbers_of_the_axes_say() {
    let points = vec![[1.0, -2.0], [3.0, 7.5], [4.5, 0.0]];
    for x in [Axis::linear("x"), Axis::log("x"), Axis::linear("x").reversed()] {
        let log = x == Axis::log("x");
        let figure = Figure::of(Panel::new("", x, Axis::linear("y")).with(Series::new(Mark::Points(points.clone()))));
        let svg = figure.svg().expect("a picture");
        let document = Document::parse(&svg).expect("XML");
        let read = |value: f64| if log { value.ln() } else { value };
        // The axis, found again from the places of its first and last number.
        let line = |ticks: Vec<(f64, f64)>, read: &dyn Fn(f64) -> f64| {
            let (a, b) = (ticks[0], ticks[ticks.len() - 1]);
            assert!(ticks.len() > 2 && a.0 != b.0, "{ticks:?}");
            let slope = (b.1 - a.1) / (read(b.0) - read(a.0));
            (slope, a.1 - slope * read(a.0))
        };
        let horizontal = line(labelled(&document, "x", "middle"), &read);
        let vertical = line(labelled(&document, "y", "end"), &|v| v);
        // Numbers of the vertical axis stand a little below their ticks, all by the same.
        let below = 0.36 * 12.5;
        for (node, [x, y]) in document.descendants().filter(|n| n.has_tag_name("circle")).zip(&points) {
            let expected = [horizontal.0 * read(*x) + horizontal.1, vertical.0 * y + vertical.1 - below];
            for (place, expected) in [number(node, "cx"), number(node, "cy")].into_iter().zip(expected) {
                // Files keep two digits behind the point.
                assert!((place - expected).abs() < 0.05, "{place} {expected}");
            }
        }
    }
}

#[test]
fn texts_of_a_panel_stay_on_the_paper() {
    for (width, height) in [(800.0, 600.0), (400.0, 300.0), (1600.0, 1200.0)] {
        let figure = everything().sized(width, height);
        let svg = figure.svg().expect("a picture");
        let document = Document::parse(&svg).expect("XML");
        for node in document.descendants().filter(|n| n.has_tag_name("text")) {
            let (x, y) = (number(node, "x"), number(node, "y"));
            assert!(x >= 0.0 && x <= width && y >= 0.0 && y <= height, "{node:?}");
        }
    }
}

#[test]
fn png_decodes_with_the_right_size_and_ink() {
    let figure = everything();
    let Pixels { width, height, rgb: pixels } = decode(&figure.png().expect("a picture"));
    assert_eq!((width, height), (2 * figure.width as usize, 2 * figure.height as usize));
    assert_eq!(pixels[..3], [255, 255, 255]);
    let inked = pixels.chunks(3).filter(|p| p.iter().any(|v| *v != 255)).count();
    assert!(inked > 50_000 && inked < pixels.len() / 6, "{inked} pixels are not white");
    // The last cell of the matrix is the darkest shade.
    assert!(pixels.chunks(3).filter(|p| **p == [4, 44, 84]).count() > 10_000);
    let small = Png { scale: 0.5 }.draw(&figure.scene().expect("a scene")).expect("a picture");
    assert_eq!(decode(&small).width, figure.width as usize / 2);
}

#[test]
fn both_formats_show_the_dots_at_the_same_places() {
    let points = vec![[1.0, 1.0], [2.0, 5.0], [9.0, 3.0]];
    let figure = Figure::of(panel(Axis::linear("x"), Axis::linear("y"), Mark::Points(points)));
    let svg = figure.svg().expect("a picture");
    let document = Document::parse(&svg).expect("XML");
    let pixels = decode(&figure.png().expect("a picture")).rgb;
    for node in document.descendants().filter(|n| n.has_tag_name("circle")) {
        let (x, y) = (2.0 * number(node, "cx"), 2.0 * number(node, "cy"));
        let at = 3 * (y as usize * 2 * figure.width as usize + x as usize);
        let (red, blue) = (pixels[at], pixels[at + 2]);
        assert!(red < 80 && blue > 160, "the pixel at {x}, {y} is {:?}", &pixels[at..at + 3]);
    }
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let (a, b) = (everything(), everything());
    assert_eq!(a.svg().expect("a picture"), b.svg().expect("a picture"));
    assert_eq!(a.png().expect("a picture"), b.png().expect("a picture"));
}

#[test]
fn files_are_written_by_extension_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("mercer-plot-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let figure = everything();
    figure.write(folder.join("a.svg")).expect("a file");
    figure.write(folder.join("a.PNG")).expect("a file");
    assert!(std::fs::read(folder.join("a.svg")).expect("a file").starts_with(b"<svg"));
    assert!(std::fs::read(folder.join("a.PNG")).expect("a file").starts_with(b"\x89PNG"));
    for name in ["a.pdf", "a", "absent/a.svg"] {
        figure.write(folder.join(name)).expect_err(name);
    }
    let empty = Figure { panels: Vec::new(), ..figure };
    empty.write(folder.join("empty.svg")).expect_err("there is nothing to draw");
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).expect("the folder").map(|e| e.expect("a file").file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.PNG", "a.svg"]);
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
    assert_eq!(Format::of("b.SVG".as_ref()).expect("known"), Format::Svg);
    let error = Format::of("b.jpg".as_ref()).expect_err("unknown");
    assert!(error.to_string().contains(".jpg") && error.hint().is_some_and(|h| h.contains(".svg or .png")));
}
