//! The coefficients of another model, to start from.

use std::collections::HashMap;

use crate::data::Inputs;
use crate::model::{Model, Sample};

/// The coefficients of a model by the rows of a sample.
pub(crate) struct Near {
    coefficients: Vec<f64>,
    functions: usize,
    point: HashMap<usize, usize>,
}

impl Near {
    /// That of a row that counts, in a function.
    pub(crate) fn of(&self, row: usize, function: usize) -> f64 {
        self.point.get(&row).map_or(0.0, |at| self.coefficients[at * self.functions + function])
    }
}

/// The coefficients of a model that was fitted to the rows of this sample, as far as it has them; nothing if it is no machine of support
/// vectors with as many functions.
pub(crate) fn near_rows(model: &Model, sample: &Sample, functions: usize) -> Option<Near> {
    let support = model.support().filter(|_| model.outputs() == functions)?;
    let precomputed = matches!(model.points(), Inputs::Precomputed(_));
    let point_of_data: HashMap<usize, usize> = match precomputed {
        true => (0..model.points().len()).map(|i| (i, i)).collect(),
        false => support.rows.iter().enumerate().map(|(at, row)| (*row, at)).collect(),
    };
    let point = (0..sample.n).filter_map(|i| point_of_data.get(&sample.row(i)).map(|at| (i, *at))).collect();
    Some(Near { coefficients: model.coefficients().to_vec(), functions: model.outputs(), point })
}
