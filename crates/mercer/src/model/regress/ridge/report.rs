//! What fitting has to say, and how its parts are put together.

use crate::certificate::Certificate;
use crate::error::Result;
use crate::model::{AlphaScore, Considered, Extra, Fitted, Learner, LeaveOneOut, Model, ModelParts, Report};
use crate::run::Run;

use super::problem::Problem;

/// A solved problem, in its units.
pub(crate) struct Solved {
    /// α, row-major: support×outputs.
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: Vec<f64>,
    /// The rows that α belongs to, where not all.
    pub(super) support: Option<Vec<usize>>,
    /// alpha as the user says it.
    pub(crate) alpha: f64,
    pub(super) certificate: Certificate,
    /// Leave-one-out residuals of the rows that count.
    pub(super) loo: Option<Vec<f64>>,
    pub(super) path: Vec<AlphaScore>,
    pub(super) considered: Vec<Considered>,
}

/// The model and the report of a solved problem.
pub(crate) fn assemble(learner: Learner, problem: Problem, solved: Solved, run: &Run) -> Result<Fitted> {
    let edge = solved.path.len() > 1
        && [solved.path.first(), solved.path.last()].into_iter().flatten().any(|s| s.alpha == solved.alpha);
    let report = Report {
        scores: solved.path,
        at_the_edge: edge,
        considered: solved.considered,
        ..Report::of(&problem.training)
    };
    let c = problem.outputs;
    let unscaled =
        |values: &[f64]| values.iter().enumerate().map(|(at, v)| v * problem.units[at % c]).collect::<Vec<f64>>();
    let coefficients = unscaled(&solved.coefficients);
    let model = Model::from_parts(ModelParts {
        learner,
        expansion: problem.training.expansion(coefficients, unscaled(&solved.intercept), solved.support.as_deref())?,
        weights: problem.training.weights.clone().filter(|w| w.iter().any(|w| *w != 1.0)),
        extra: Extra::None,
        certificate: solved.certificate,
    })?;
    let Some(loo) = solved.loo else { return Ok(Fitted { model, report }) };
    let loo = leave_one_out(&problem, &model, &unscaled(&loo), &run.without_stops())?;
    let model = Model::from_parts(ModelParts { extra: Extra::LeaveOneOut(loo), ..model.parts().clone() })?;
    Ok(Fitted { model, report })
}

/// Residuals of all rows: leaving out a row of weight 0 changes nothing, so there it is the residual
/// of the model.
fn leave_one_out(problem: &Problem, model: &Model, residuals: &[f64], run: &Run) -> Result<LeaveOneOut> {
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
