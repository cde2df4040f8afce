//! Values that have no place, too few of them, and sizes at the ends of the numbers.

use mercer::plot::{Axis, Figure, Mark, Panel, Series};
use roxmltree::Document;

use super::{everything, panel};

/// The circles of a figure, after a check that every number in the file is one.
fn circles(figure: &Figure) -> usize {
    let svg = figure.svg().expect("a picture");
    let document = Document::parse(&svg).expect("XML");
    for node in document.descendants() {
        for name in ["x", "y", "cx", "cy", "width", "height", "d"] {
            let bad = node.attribute(name).is_some_and(|v| v.contains("NaN") || v.contains("inf"));
            assert!(!bad, "{node:?}");
        }
    }
    let png = figure.png().expect("a picture");
    assert!(png.len() > 1000);
    document.descendants().filter(|n| n.has_tag_name("circle")).count()
}

#[test]
fn few_equal_and_huge_values_are_drawn() {
    let sets: [&[[f64; 2]]; 8] = [
        &[],
        &[[1.0, 2.0]],
        &[[3.0, 3.0], [3.0, 3.0], [3.0, 3.0]],
        &[[0.0, 0.0], [0.0, 0.0]],
        &[[1e150, 1e-150], [2e150, 3e-150], [-1e150, 1e150]],
        &[[f64::MAX, f64::MIN], [f64::MIN, f64::MAX]],
        &[[5e-324, 5e-324]],
        &[[1e9, 1e-9], [1e9 + 1e-6, 2e-9]],
    ];
    for points in sets {
        let dots = || Mark::Points(points.to_vec());
        let figure = Figure::of(panel(Axis::linear("x"), Axis::linear("y"), dots()));
        // And one in the legend.
        assert_eq!(circles(&figure), points.len() + 1, "{points:?}");
        circles(&Figure::of(panel(Axis::linear("x"), Axis::linear("y"), dots()).square()));
        let positive = points.iter().filter(|p| p[0] > 0.0 && p[1] > 0.0).count();
        assert_eq!(circles(&Figure::of(panel(Axis::log("x"), Axis::log("y"), dots()))), positive + 1, "{points:?}");
    }
}

#[test]
fn what_has_no_place_is_left_out_and_counted() {
    let points = vec![[1.0, 1.0], [f64::NAN, 2.0], [2.0, f64::INFINITY], [4.0, 2.0]];
    let scene = |mark: Mark, x: Axis| Figure::of(panel(x, Axis::linear("y"), mark)).scene().expect("a scene");
    let notes = scene(Mark::Points(points.clone()), Axis::linear("x")).notes;
    assert_eq!(
        notes[0].to_string(),
        "2 values of `a series` cannot be drawn: not finite, or not above 0 on a log axis"
    );
    let notes = scene(Mark::Line(vec![[0.0, 1.0], [1.0, 2.0], [3.0, 2.0]]), Axis::log("x")).notes;
    assert!(notes[0].to_string().starts_with("1 value of"), "{notes:?}");
    assert!(scene(Mark::Points(vec![[1.0, 1.0]]), Axis::linear("x")).notes.is_empty());
    let figure = Figure::of(panel(Axis::linear("x"), Axis::linear("y"), Mark::Points(points)));
    assert_eq!(circles(&figure), 2 + 1);
}

#[test]
fn a_line_has_a_gap_where_a_value_is_missing() {
    let line = vec![[0.0, 1.0], [1.0, 2.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, 0.0], [5.0, f64::NAN], [6.0, 1.0]];
    let figure = Figure::of(Panel::new("", Axis::linear("x"), Axis::linear("y")).with(Series::new(Mark::Line(line))));
    let svg = figure.svg().expect("a picture");
    let path = svg.split("<svg x=").nth(1).and_then(|rest| rest.split(" d=\"").nth(1)).expect("a path");
    let path = path.split('"').next().expect("its end");
    // Two pieces of two points; the last point has no neighbour.
    assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 2), "{path}");
}

#[test]
fn impossible_figures_are_refused() {
    let base = || panel(Axis::linear("x"), Axis::linear("y"), Mark::Points(vec![[1.0, 1.0]]));
    let cells = |columns: usize, n: usize, texts: usize| {
        panel(
            Axis::linear("x"),
            Axis::linear("y"),
            Mark::Cells { columns, shade: vec![0.5; n], texts: vec!["t".into(); texts] },
        )
    };
    let ranging = |axis: Axis| Figure::of(panel(axis, Axis::linear("y"), Mark::Diagonal));
    for (figure, word) in [
        (Figure { panels: Vec::new(), ..everything() }, "panels"),
        (Figure { columns: 0, ..everything() }, "panels"),
        (Figure::of(base()).sized(100.0, 600.0), "size"),
        (Figure::of(base()).sized(f64::NAN, 600.0), "size"),
        (Figure::of(base()).sized(1e9, 600.0), "size"),
        (Figure::of(cells(0, 0, 0)), "cells"),
        (Figure::of(cells(2, 3, 0)), "cells"),
        (Figure::of(cells(2, 4, 3)), "cells"),
        (ranging(Axis::linear("x").ranging(1.0, 1.0)), "range"),
        (ranging(Axis::linear("x").ranging(0.0, f64::INFINITY)), "range"),
        (ranging(Axis::linear("x").ranging(f64::NAN, 1.0)), "range"),
        (ranging(Axis::log("x").ranging(0.0, 1.0)), "range"),
    ] {
        let error = figure.svg().expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn names_of_any_length_and_number_are_drawn() {
    let long = "a name that is much longer than any axis has room for, and then some more of it".to_owned();
    for n in [1, 2, 40, 300] {
        let names: Vec<String> = (0..n).map(|i| format!("{long} {i}")).collect();
        let cells = Mark::Cells { columns: n, shade: vec![0.5; n * n], texts: Vec::new() };
        let x = Axis::names(long.clone(), names.clone());
        let figure = Figure::of(Panel::new(long.clone(), x, Axis::names(long.clone(), names)).with(Series::new(cells)));
        circles(&figure.sized(400.0, 300.0));
    }
    let odd = panel(Axis::linear("\u{0}<x>\n"), Axis::linear("漢字 🐧"), Mark::Points(vec![[1.0, 1.0]]));
    assert_eq!(circles(&Figure::of(odd)), 2);
}
