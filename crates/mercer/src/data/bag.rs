//! Bags of points.

use serde_json::Value;

use super::{CellValue, StructuredType, Values};

/// Bags, as cells such as `[[1, 2], [0.5, 3]]`, or `[1, 2, 3]` for points of one coordinate.
pub static TYPE: StructuredType = StructuredType {
    name: "bag",
    columns: "bag columns",
    unit: "points",
    blank: Some("[]"),
    read: Values::<Bag>::read,
    load: Values::<Bag>::load,
};

/// Points of the same number of coordinates, in no order that matters; some may be equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bag {
    width: usize,
    values: Vec<f64>,
}

impl Bag {
    /// The points.
    pub fn points(&self) -> impl Iterator<Item = &[f64]> + Clone {
        self.values.chunks(self.width.max(1))
    }

    /// How many coordinates a point has; 0 where there are no points.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn new(points: &[Vec<f64>]) -> Result<Self, String> {
        let width = points.first().map_or(0, Vec::len);
        match points.iter().find(|p| p.len() != width || p.is_empty()) {
            Some(other) => Err(format!("points of {} and of {width} coordinates", other.len())),
            None => Ok(Bag { width, values: points.concat() }),
        }
    }
}

const EXPECTED: &str = "a bag of points such as `[[1, 2], [0.5, 3]]` or `[1, 2, 3]`";

impl CellValue for Bag {
    fn structured_type() -> &'static StructuredType {
        &TYPE
    }

    fn parse(cell: &str) -> Result<Self, String> {
        let list: Vec<Value> = serde_json::from_str(cell).map_err(|_| EXPECTED.to_owned())?;
        let point = |value: &Value| match value {
            Value::Array(coordinates) => coordinates.iter().map(number).collect(),
            one => number(one).map(|v| vec![v]),
        };
        let points = list.iter().map(point).collect::<Option<Vec<Vec<f64>>>>().ok_or(EXPECTED)?;
        Bag::new(&points).map_err(|problem| format!("{EXPECTED}, all of one length (here are {problem})"))
    }

    fn cell(&self) -> String {
        Value::from(self.points().map(<[f64]>::to_vec).collect::<Vec<_>>()).to_string()
    }

    fn size(&self) -> usize {
        self.len()
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|v| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_and_written() {
        let bag = Bag::parse("[[1, 2.5], [-3e2, 0]]").expect("a bag");
        assert_eq!(bag.points().collect::<Vec<_>>(), [[1.0, 2.5], [-300.0, 0.0]]);
        for cell in ["[]", "[1, 2, 3]", "[[0.1, 1e300], [5e-324, -0.0]]"] {
            let bag = Bag::parse(cell).expect("a bag");
            assert_eq!(Bag::parse(&bag.cell()).expect("a bag"), bag, "{cell}");
        }
        assert!(Bag::parse("[]").expect("a bag").is_empty());
    }

    #[test]
    fn ragged_and_other_cells_are_refused() {
        let problem = |cell| Bag::parse(cell).expect_err("no bag");
        assert!(problem("[[1, 2], [3]]").ends_with("(here are points of 1 and of 2 coordinates)"));
        for cell in ["[1, [2]]x", "[\"a\"]", "1, 2", "[[]]", "[null]", "{}", "[1e999]"] {
            assert!(problem(cell).starts_with("a bag of points"), "{cell}");
        }
        assert_eq!(Bag::parse("[1, [2]]").expect("points of one coordinate").len(), 2);
    }
}
