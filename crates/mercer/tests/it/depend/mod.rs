//! Tests of dependence and of fit.

mod attacked;
mod conditional;
mod errors;
mod fit;
mod golden;
mod independence;
mod naive;

use mercer::data::{Inputs, Rows};

/// One column of numbers.
fn column(values: Vec<f64>) -> Inputs {
    let n = values.len();
    Rows::new(values, n, 1).expect("a column").into()
}

/// The points of the golden values: X = (sin i, cos 2i), Y = (sin(3i + ½), cos i + 0.3), W = cos 5i, i = 0..7.
fn golden_points() -> [Rows; 3] {
    let row = |f: &dyn Fn(f64) -> Vec<f64>, d| {
        Rows::new((0..8).flat_map(|i| f(f64::from(i))).collect::<Vec<f64>>(), 8, d).expect("rows")
    };
    [
        row(&|i| vec![i.sin(), (2.0 * i).cos()], 2),
        row(&|i| vec![(3.0 * i + 0.5).sin(), i.cos() + 0.3], 2),
        row(&|i| vec![(5.0 * i).cos()], 1),
    ]
}
