//! A judge of pictures that knows nothing of how they are made: the file is XML, every number in it is finite, and everything
//! that can be seen lies on the page.

use roxmltree::{Document, Node};

/// Rounding of coordinates to a hundredth.
const ROUNDED: f64 = 0.011;

/// The rectangle in which a node is seen: the page, or the innermost picture in the picture.
fn seen(node: Node<'_, '_>) -> [f64; 4] {
    let inner = node.ancestors().skip(1).find(|n| n.has_tag_name("svg")).expect("a picture");
    match inner.attribute("x") {
        Some(_) => ["x", "y", "width", "height"].map(|name| number(inner, name)),
        None => [0.0, 0.0, number(inner, "width"), number(inner, "height")],
    }
}

pub fn number(node: Node<'_, '_>, name: &str) -> f64 {
    let text = node.attribute(name).unwrap_or_else(|| panic!("{name} of {node:?}"));
    let value: f64 = text.parse().unwrap_or_else(|_| panic!("{name} = {text}"));
    assert!(value.is_finite(), "{name} = {text}");
    value
}

/// All numbers of a path.
fn coordinates(path: &str) -> Vec<f64> {
    let parts = path.split(['M', 'L', 'Z', ' ']).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap_or_else(|_| panic!("`{part}` in a path"))).collect()
}

/// Reads the file and looks at every element.
pub fn judge(svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|e| panic!("no XML: {e}"));
    let root = document.root_element();
    let (width, height) = (number(root, "width"), number(root, "height"));
    for node in document.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "circle" => {
                assert!(number(node, "r") > 0.0);
                number(node, "cx");
                number(node, "cy");
            }
            "rect" | "image" => {
                for name in ["x", "y"].into_iter().filter(|name| node.has_attribute(*name)) {
                    number(node, name);
                }
                assert!(number(node, "width") >= 0.0 && number(node, "height") >= 0.0);
            }
            "path" => {
                let all = coordinates(node.attribute("d").unwrap_or_default());
                assert!(all.len().is_multiple_of(2) && all.iter().all(|v| v.is_finite()));
                if is_seen_whole(node) {
                    assert!(all.chunks(2).all(|p| on(p[0], width) && on(p[1], height)), "{node:?}");
                }
            }
            "text" => {
                let (x, y) = (number(node, "x"), number(node, "y"));
                assert!(!is_seen_whole(node) || (on(x, width) && on(y, height)), "{node:?} {width}×{height}");
                assert!(number(node, "font-size") > 0.0);
            }
            "svg" if node != root => {
                let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| number(node, name));
                let [left, top, wide, high] = seen(node);
                let nested = x >= left - ROUNDED && y >= top - ROUNDED;
                assert!(nested && x + w <= left + wide + ROUNDED && y + h <= top + high + ROUNDED, "{node:?}");
            }
            "svg" | "g" | "title" => {}
            other => panic!("<{other}> is no element of ours"),
        }
    }
}

/// Whether nothing cuts it, so that it must be on the page: it is in no picture in the picture.
fn is_seen_whole(node: Node<'_, '_>) -> bool {
    node.ancestors().skip(1).filter(|n| n.has_tag_name("svg")).count() == 1
}

fn on(value: f64, end: f64) -> bool {
    (-ROUNDED..=end + ROUNDED).contains(&value)
}
