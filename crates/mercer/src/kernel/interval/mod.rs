//! Kernels of intervals, one a file, each defined in another of the three ways. Tests alone know them.

pub(crate) mod difference;
pub(crate) mod middles;
pub(crate) mod shared_numbers;

pub(crate) use difference::SymmetricDifference;
pub(crate) use middles::Middles;
pub(crate) use shared_numbers::SharedNumbers;

/// A column of intervals.
pub(crate) type Intervals = crate::data::Values<crate::data::interval::Interval>;

/// A column `stay` of intervals, some equal, some apart.
pub(crate) fn points() -> (crate::data::Inputs, Vec<crate::data::interval::Interval>) {
    use crate::data::interval::Interval;
    let ends = [(0.0, 3.0), (1.0, 2.5), (2.0, 7.0), (-4.5, 0.5), (1.0, 2.5), (9.0, 9.0), (6.0, 8.25)];
    let values: Vec<Interval> = ends.map(|(low, high)| Interval { low, high }).to_vec();
    let column = Intervals::from_values(values.iter().copied().map(Some)).into();
    (crate::data::Table::new(vec![("stay".into(), column)]).expect("one column").into(), values)
}
