//! What fitting has to say, and how its parts are put together.

use serde::{Deserialize, Serialize};

use crate::certificate::Certificate;
use crate::error::Result;
use crate::gram::Resolution;
use crate::model::{Fitted, Model};
use crate::run::Run;

use super::model::{KernelRidgeModel, RidgeParts};
use super::problem::Problem;

/// The scores of one alpha, summed over the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlphaScore {
    /// alpha.
    pub alpha: f64,
    /// Σ wᵢeᵢ²/Σ wᵢ with eᵢ the residual at row i of the fit without row i, exactly.
    pub loo: Option<f64>,
    /// n·Σ wᵢrᵢ²/(n − tr H)².
    pub gcv: f64,
    /// tr H: the degrees of freedom of the fit, the intercept included.
    pub freedom: f64,
}

/// An algorithm that was considered, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Considered {
    /// The algorithm.
    pub algorithm: String,
    /// Why it was taken or left, as a sentence.
    pub verdict: String,
}

/// Exact leave-one-out residuals and predictions, row by row as the data were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaveOneOut {
    /// yᵢ minus the prediction at xᵢ of the fit without row i, row-major: rows×outputs.
    pub residuals: Vec<f64>,
    /// That prediction.
    pub predictions: Vec<f64>,
}

/// How a kernel ridge regression was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RidgeReport {
    /// Number of rows of positive weight.
    pub rows: usize,
    /// Rows left out because their weight is 0.
    pub rows_of_weight_zero: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// alpha, as given or chosen.
    pub alpha: f64,
    /// The scores of every alpha, where the solver gives them; in the order of the list.
    pub path: Vec<AlphaScore>,
    /// Whether the chosen alpha is the first or last of its list, so that a wider list may be better.
    pub at_the_edge: bool,
    /// What was considered.
    pub considered: Vec<Considered>,
    /// What the rules of the kernel found.
    pub resolutions: Vec<Resolution>,
    /// How far the answer is from the solution.
    pub certificate: Certificate,
}

impl Model for KernelRidgeModel {
    type Report = RidgeReport;
}

/// A solved problem, in its units.
pub(super) struct Solved {
    /// α, row-major: support×outputs.
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: Vec<f64>,
    /// The rows that α belongs to, where not all.
    pub(super) support: Option<Vec<usize>>,
    /// alpha as the user says it.
    pub(super) alpha: f64,
    pub(super) certificate: Certificate,
    /// Leave-one-out residuals of the rows that count.
    pub(super) loo: Option<Vec<f64>>,
    pub(super) path: Vec<AlphaScore>,
    pub(super) considered: Vec<Considered>,
}

/// The model and the report of a solved problem.
pub(super) fn assemble(problem: Problem, solved: Solved, run: &Run) -> Result<Fitted<KernelRidgeModel>> {
    let edge = solved.path.len() > 1
        && [solved.path.first(), solved.path.last()].into_iter().flatten().any(|s| s.alpha == solved.alpha);
    let report = RidgeReport {
        rows: problem.n,
        rows_of_weight_zero: problem.training.all.len() - problem.n,
        outputs: problem.outputs,
        alpha: solved.alpha,
        path: solved.path,
        at_the_edge: edge,
        considered: solved.considered,
        resolutions: problem.training.space.resolutions().to_vec(),
        certificate: solved.certificate.clone(),
    };
    let c = problem.outputs;
    let unscaled =
        |values: &[f64]| values.iter().enumerate().map(|(at, v)| v * problem.units[at % c]).collect::<Vec<f64>>();
    let coefficients = unscaled(&solved.coefficients);
    let parts = RidgeParts {
        expansion: problem.training.expansion(coefficients, unscaled(&solved.intercept), solved.support.as_deref())?,
        fit_intercept: problem.intercept,
        alpha: solved.alpha,
        weights: problem.weights.as_ref().map(|w| w.iter().map(|v| v * problem.weight_unit).collect()),
        certificate: solved.certificate,
        leave_one_out: None,
    };
    let mut model = KernelRidgeModel::from_parts(parts)?;
    if let Some(loo) = solved.loo {
        let loo = leave_one_out(&problem, &model, &unscaled(&loo), &run.without_stops())?;
        model.set_leave_one_out(loo);
    }
    Ok(Fitted { model, report })
}

/// Residuals of all rows: leaving out a row of weight 0 changes nothing, so there it is the residual
/// of the model.
fn leave_one_out(problem: &Problem, model: &KernelRidgeModel, residuals: &[f64], run: &Run) -> Result<LeaveOneOut> {
    let c = problem.outputs;
    let y = problem.targets.values();
    let residuals = match &problem.training.kept {
        None => residuals.to_vec(),
        Some(kept) => {
            let mut all: Vec<f64> =
                model.predict(&problem.training.all, run)?.iter().zip(y).map(|(f, y)| y - f).collect();
            for (row, i) in residuals.chunks(c).zip(kept) {
                all[i * c..(i + 1) * c].copy_from_slice(row);
            }
            all
        }
    };
    let predictions = y.iter().zip(&residuals).map(|(y, e)| y - e).collect();
    Ok(LeaveOneOut { residuals, predictions })
}
