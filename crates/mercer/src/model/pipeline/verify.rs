//! A saved model held to its claims: its certificate is computed again by its learner, and compared measure by measure.

use serde::Serialize;

use crate::certificate::{Certificate, Measure};
use crate::data::{Column, Dataset, Inputs, Target, Weights};
use crate::error::{Error, Result, counted};
use crate::model::{Certified, Model};
use crate::run::Run;

use super::Pipeline;
use super::prepare::{check_lengths, kept_rows};
use super::repaired::Repaired;
use super::same::{SAME, same_point};

/// How many times the claim a gap may be: rounding differs from machine to machine.
const LEEWAY: f64 = 10.0;

/// What came of computing a certificate again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Whether the claim holds on these data.
    pub holds: bool,
    /// What was found, as a sentence.
    pub verdict: String,
    /// The certificate in the file.
    pub claimed: Certificate,
    /// The certificate computed again; nothing where the rows are not those of the fit.
    pub found: Option<Certificate>,
    /// The relative residual up to which the claim holds: ten times the claimed one, or the rounding of a sum over the
    /// rows. Objectives may differ by this share of that of f = 0, or 1e-9 if that is less, and by rounding. Without a residual, the share by which numbers that
    /// are computed again may differ.
    pub tolerance: f64,
    /// Rows that were looked at.
    pub rows: usize,
}

impl Pipeline {
    /// Computes the certificate again from the data of the fit, the target among them, and compares it
    /// with what the model says of itself. Rows are prepared as in the fit: those with missing values
    /// are left out if they were then. `weights`, one a row; without them, those the model keeps.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data, model::{pipeline::Prepare, regress::KernelRidge}};
    /// let wine = data::load("wine")?;
    /// let prepared = Prepare::default().fit(&wine, None)?;
    /// let model = KernelRidge::default().fit(&prepared.inputs, &prepared.target, None, &Run::new())?.model;
    /// let pipeline = prepared.pipeline(model)?;
    /// assert!(pipeline.verify(&wine, None, &Run::new())?.holds);
    /// let fewer = wine.take(&(1..wine.len()).collect::<Vec<_>>());
    /// assert!(!pipeline.verify(&fewer, None, &Run::new())?.holds);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn verify(&self, data: &Dataset, weights: Option<&Weights>, run: &Run) -> Result<Verification> {
        self.verify_on(&self.inputs_of(data)?, self.targets_of(data)?, weights, run)
    }

    /// As [`verify`](Self::verify), with points and target columns apart.
    pub fn verify_on(
        &self,
        x: &Inputs,
        y: Vec<(String, Column)>,
        weights: Option<&Weights>,
        run: &Run,
    ) -> Result<Verification> {
        self.rows_of_fit(x, y, weights)?.hold(self.model(), run)
    }

    /// The target columns of a data set, from wherever they stand in it.
    pub fn targets_of(&self, data: &Dataset) -> Result<Vec<(String, Column)>> {
        let column = |name: &&str| match data.with_target(name)?.target {
            Some(target) => Ok(target),
            None => Err(Error::column(*name, "the target of the fit", "no target", "give the training data")),
        };
        self.task().targets().iter().map(column).collect()
    }

    fn rows_of_fit(&self, x: &Inputs, y: Vec<(String, Column)>, weights: Option<&Weights>) -> Result<RowsOfFit> {
        let (x, _) = self.schema().select(x)?;
        check_lengths(&x, &y, weights)?;
        let kept = kept_rows(self.preparation().missing, &x, &y);
        let (points, _) = self.preparation().apply(&x.take(&kept))?;
        let columns: Vec<_> = y.into_iter().map(|(name, c)| (name, c.take(&kept))).collect();
        let target = self.task().target(&columns)?;
        let target = self.target_scaling().map_or(Ok(target.clone()), |scaling| scaling.apply_to(&target))?;
        let weights = weights.map(|w| w.take(&kept)).transpose()?;
        Ok(RowsOfFit { points, target, weights, kept })
    }
}

/// The rows of a fit, as the model saw them.
struct RowsOfFit {
    points: Inputs,
    target: Target,
    weights: Option<Weights>,
    /// Rows of the data that are left.
    kept: Vec<usize>,
}

impl RowsOfFit {
    fn hold(&self, model: &Model, run: &Run) -> Result<Verification> {
        let claimed = model.certificate().clone();
        let tolerance = match claimed.get(Measure::RelativeResidual) {
            Some(_) => claimed.tolerance(self.kept.len()),
            None => SAME,
        };
        let result = |problem: Option<String>, verdict: String, found: Option<Certificate>| Verification {
            holds: problem.is_none(),
            verdict: problem.unwrap_or(verdict),
            claimed: claimed.clone(),
            found,
            tolerance,
            rows: self.kept.len(),
        };
        if let Some(other) = self.other_count(model).or_else(|| self.other_point(model)) {
            return Ok(result(Some(format!("these are not the training data: {other}")), String::new(), None));
        }
        if model.support().is_some() && claimed.primal().is_none() {
            let verdict = format!("there is no claim to hold it to: {}", claimed.reason);
            return Ok(result(Some(verdict), String::new(), None));
        }
        let weights = self.weights.as_ref().or(model.weights().filter(|w| w.len() == self.kept.len()));
        let again = Repaired::again(model, &self.points, run)?;
        let (points, fitted) = again.as_ref().map_or((&self.points, model), |again| (&again.points, &again.fitted));
        let learner = model.learner().with_kernel(fitted.kernel().clone());
        let sample = learner.sample(points, self.target.clone(), weights, run)?;
        let Certified { certificate: mut found, broken } = learner.certify(fitted, &sample, run)?;
        found.repaired = again.as_ref().map(|again| again.change.clone());
        let other_repair = again.and_then(|again| again.differs(model));
        let differs = differs(&claimed, &found, tolerance, self.of_zero(weights)).or(broken).or(other_repair);
        let problem = differs.map(|differs| match self.other_target(model) {
            Some(other) => format!("these are not the training data: {other}"),
            None => format!("the claim does not hold: {differs}"),
        });
        Ok(result(problem, said(&found), Some(found)))
    }

    /// ½·Σ w·y², which objectives are compared with.
    fn of_zero(&self, weights: Option<&Weights>) -> f64 {
        let Ok(y) = self.target.numbers() else { return 0.0 };
        let weight = |at: usize| weights.map_or(1.0, |w| w[at / y.outputs()]);
        0.5 * y.values().iter().enumerate().map(|(at, y)| weight(at) * y * y).sum::<f64>()
    }

    /// Half a sentence if the rows that count are not as many as those of the fit.
    fn other_count(&self, model: &Model) -> Option<String> {
        let counts = |w: &Weights| w.counting().len();
        let counting = self.weights.as_ref().map_or(self.kept.len(), counts);
        let (got, rows) = match model.points() {
            // Rows of weight 0 have a place in the matrix, too.
            Inputs::Precomputed(points) => (self.kept.len(), points.nrows()),
            points if model.keeps_all_rows() => (counting, points.len()),
            points if counting < points.len() => (counting, points.len()),
            _ => (counting, model.weights().map_or(counting, |w| w.len())),
        };
        (got != rows).then(|| {
            let counts = counted(got, "row counts", "rows count");
            format!("{counts}, and the model was fitted to {}", counted(rows, "row", "rows"))
        })
    }

    /// Half a sentence about the first point that is not that of the fit, of a model that keeps all of them.
    fn other_point(&self, model: &Model) -> Option<String> {
        let counting = self.weights.as_ref().map_or_else(|| (0..self.kept.len()).collect(), Weights::counting);
        let points = model.points();
        let differs = |at: &usize| !same_point(&self.points, counting[*at], points, *at);
        let at = (0..counting.len().min(points.len())).find(differs).filter(|_| model.keeps_all_rows())?;
        Some(format!("row {} differs (rows count from 0)", self.kept[counting[at]]))
    }

    /// Half a sentence about the first target that is not that of the fit, as far as the model remembers them.
    fn other_target(&self, model: &Model) -> Option<String> {
        // Residual and prediction of leaving a row out add up to its target.
        let (loo, targets) = (model.loo()?, self.target.numbers().ok()?);
        let was: Vec<f64> = loo.predictions.iter().zip(&loo.residuals).map(|(f, e)| f + e).collect();
        let y = targets.values();
        let largest = y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let at = (0..y.len().min(was.len())).find(|&at| (y[at] - was[at]).abs() > SAME * largest)?;
        let row = self.kept[at / targets.outputs()];
        Some(format!("the target of row {row} differs (rows count from 0)"))
    }
}

/// Whether a value is above its limit; what is no number does not pass.
pub(super) fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || limit.is_nan() || value > limit
}

/// Half a sentence about the first measure that is not that of the claim.
fn differs(claimed: &Certificate, found: &Certificate, tolerance: f64, of_zero: f64) -> Option<String> {
    let solves = claimed.get(Measure::RelativeResidual).is_some();
    if solves && exceeds(found.residual(), tolerance) {
        return Some(format!(
            "the relative residual is {:.1e}, and the model claims {:.1e}; its numbers, or the targets, are not those of \
             the fit",
            found.residual(),
            claimed.residual()
        ));
    }
    // Coefficients give the same objective again, however far they are from its minimum: both claims are off by rounding at
    // most.
    let rounding = 2.0 * found.get(Measure::Rounding).unwrap_or(0.0);
    let share = if solves { tolerance.min(SAME) * of_zero + rounding } else { 0.0 };
    let objectives = [Measure::Primal, Measure::Dual].into_iter();
    // A norm is a claim of its own where nothing is solved; else it follows from the solution, and rounds worse.
    let numbers = [
        Measure::Discrepancy,
        Measure::MeanLoss,
        Measure::LogEvidence,
        Measure::Norm,
        Measure::Inertia,
        Measure::Correlation,
    ]
    .into_iter();
    let numbers = numbers.filter(|m| !solves || *m != Measure::Norm);
    let compared = objectives.map(|m| (m, share, 0.0)).chain(numbers.map(|m| (m, 0.0, 1.0)));
    for (measure, share, least) in compared {
        let (was, is) = (claimed.get(measure), found.get(measure));
        let apart = match (was, is) {
            (None, None) => continue,
            (Some(was), Some(is)) if was == is => continue,
            (Some(was), Some(is)) => exceeds((was - is).abs(), SAME * is.abs().max(least) + share),
            _ => true,
        };
        if apart {
            let shown = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), |v| format!("{v:.9e}"));
            return Some(format!("the {} is {}, and the model claims {}", measure.words(), shown(is), shown(was)));
        }
    }
    let (gap, claim) = (found.gap().unwrap_or(0.0), claimed.gap().unwrap_or(0.0));
    let size = found.primal().unwrap_or(0.0).abs();
    exceeds(gap, LEEWAY * claim.max(0.0) + SAME * size + share)
        .then(|| format!("the gap is {gap:.1e}, and the model claims {claim:.1e}"))
}

/// What holds, as a sentence.
fn said(found: &Certificate) -> String {
    let gap = found.gap().zip(found.primal()).map_or_else(String::new, |(gap, primal)| {
        format!(" and the gap {:.1e} of the objective", (gap / primal.abs().max(f64::MIN_POSITIVE)).max(0.0))
    });
    let evidence =
        found.get(Measure::LogEvidence).map_or_else(String::new, |value| format!(", the log evidence {value:.6}"));
    let loss = found.get(Measure::MeanLoss).map(|loss| (Measure::MeanLoss, loss));
    match found.judged().next().or(loss) {
        Some((measure, value)) => {
            format!("the certificate holds: the {} is {value:.1e}{gap}{evidence}", measure.words())
        }
        None => "the certificate holds: the same numbers come out again".into(),
    }
}
