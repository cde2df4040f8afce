//! Gaussian processes against their definitions, ridge regression, refits and scikit-learn.

mod bad_input;
mod classify;
mod evidence;
mod golden;
mod posterior;
mod stops;
mod tuning;

use mercer::data::{Inputs, Rows, Targets};
use mercer::kernel::{Param, Transform};
use mercer::model::Fitted;
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::{KernelExpr, Run};

pub(super) use crate::ridge::{close, distinct, eliminate, kernel, rows, targets, weights};
use crate::weigh;

pub(super) fn run() -> Run {
    Run::new()
}

/// A process with its parameters as given.
pub(super) fn regressor(formula: &str, alpha: f64) -> GaussianProcessRegressor {
    GaussianProcessRegressor {
        kernel: KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}")),
        alpha: Param::new(alpha, Transform::Log).fixed(),
        normalize_target: false,
        tuning: None,
    }
}

pub(super) fn classifier(formula: &str) -> GaussianProcessClassifier {
    let kernel = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"));
    GaussianProcessClassifier { kernel, tuning: None, ..Default::default() }
}

pub(super) fn fit(gp: &GaussianProcessRegressor, x: &Inputs, y: &Targets, w: Option<&[f64]>) -> Fitted {
    gp.fit(x, y, w.map(weigh).as_ref(), &run()).unwrap_or_else(|e| panic!("{e}"))
}

pub(super) fn classify(gp: &GaussianProcessClassifier, x: &Inputs, y: &Targets, w: Option<&[f64]>) -> Fitted {
    gp.fit(x, y, w.map(weigh).as_ref(), &run()).unwrap_or_else(|e| panic!("{e}"))
}

/// Labels −1 and 1 by the sign of a rough function.
pub(super) fn labels(x: &Inputs) -> Targets {
    let rows = rows(x);
    let sign = |i: usize| if (2.0 * rows.row(i).iter().sum::<f64>()).sin() > 0.1 { 1.0 } else { -1.0 };
    Targets::new((0..rows.nrows()).map(sign).collect::<Vec<_>>(), 1).expect("finite")
}

/// Every row i as often as `times[i]` says.
pub(super) fn repeated(x: &Inputs, y: &Targets, times: &[usize]) -> (Inputs, Targets) {
    let list: Vec<usize> = times.iter().enumerate().flat_map(|(i, t)| vec![i; *t]).collect();
    let values: Vec<f64> = list.iter().flat_map(|i| y.row(*i).to_vec()).collect();
    (x.take(&list), Targets::new(values, y.outputs()).expect("finite"))
}

pub(super) fn one_column(values: &[f64]) -> Inputs {
    Rows::new(values.to_vec(), values.len(), 1).expect("a column").into()
}
