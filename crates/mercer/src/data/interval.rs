//! Intervals of the line: a type that tests alone know, to show what a type of column takes.

use super::{CellValue, StructuredType, Values};

/// Intervals, as cells such as `[1, 2.5]`.
pub static TYPE: StructuredType = StructuredType {
    name: "interval",
    columns: "interval columns",
    unit: "units of length",
    blank: None,
    read: Values::<Interval>::read,
    load: Values::<Interval>::load,
};

/// A closed interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end, not below the lower.
    pub high: f64,
}

impl Interval {
    /// high − low.
    pub fn length(&self) -> f64 {
        self.high - self.low
    }

    /// The length of what two intervals share.
    pub fn overlap(&self, other: &Interval) -> f64 {
        (self.high.min(other.high) - self.low.max(other.low)).max(0.0)
    }
}

impl CellValue for Interval {
    fn structured_type() -> &'static StructuredType {
        &TYPE
    }

    fn parse(cell: &str) -> Result<Self, String> {
        let ends = cell.strip_prefix('[').and_then(|c| c.strip_suffix(']')).and_then(|c| c.split_once(','));
        let number = |text: &str| text.trim().parse().ok().filter(|v: &f64| v.is_finite());
        let read = ends.and_then(|(low, high)| Some(Interval { low: number(low)?, high: number(high)? }));
        read.filter(|x| x.low <= x.high).ok_or_else(|| "an interval such as `[1, 2.5]`".into())
    }

    fn cell(&self) -> String {
        format!("[{}, {}]", self.low, self.high)
    }

    fn size(&self) -> usize {
        self.length() as usize
    }
}
