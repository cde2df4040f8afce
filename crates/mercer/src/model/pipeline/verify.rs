//! A saved model held to its claims.

use serde::Serialize;

use crate::certificate::Certificate;
use crate::data::{Column, Dataset, Inputs, Targets};
use crate::error::{Error, Result};
use crate::model::AnyModel;
use crate::model::regress::KernelRidgeModel;
use crate::run::Run;

use super::prepare::{check_lengths, kept_rows};
use super::verify_machine;
use super::verify_process::{self, Claim};
use super::{Pipeline, TargetScaling, Task};

/// Numbers that differ by more than this share are not one number read twice.
pub(super) const SAME: f64 = 1e-9;

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
    /// What else the model claims, such as the log evidence of a Gaussian process.
    pub numbers: Vec<VerifiedNumber>,
    /// The relative residual up to which the claim holds: ten times the claimed one, or the rounding of
    /// a sum over the rows. Objectives may differ by this share of that of f = 0. Of a descent or a
    /// filter, how far the discrepancy may be from the claimed one.
    pub tolerance: f64,
    /// Rows that were looked at.
    pub rows: usize,
}

/// A number that the model claims beside its certificate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VerifiedNumber {
    /// What it is.
    pub name: &'static str,
    /// What the model says.
    pub claimed: f64,
    /// What the data say.
    pub found: f64,
}

impl VerifiedNumber {
    /// Half a sentence if the two are not one number read twice.
    pub(super) fn broken(&self) -> Option<String> {
        let (VerifiedNumber { name, claimed, found }, size) = (self, self.claimed.abs().max(1.0));
        let off = (found - claimed).abs();
        (off.is_nan() || off > SAME * size)
            .then(|| format!("the {name} is {found:.9}, and the model claims {claimed:.9}"))
    }
}

impl Verification {
    /// A claim that was not looked at, since the rows are others.
    pub(super) fn refused(claimed: Certificate) -> Self {
        Verification {
            holds: false,
            verdict: String::new(),
            claimed,
            found: None,
            numbers: Vec::new(),
            tolerance: 0.0,
            rows: 0,
        }
    }
}

/// The rows of a fit, as the model saw them.
pub(super) struct Training {
    pub(super) points: Inputs,
    pub(super) targets: Targets,
    pub(super) weights: Option<Vec<f64>>,
    /// Rows of the data that are left.
    pub(super) kept: Vec<usize>,
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
    /// let model = KernelRidge::default().fit(&prepared.inputs, &prepared.targets, None, &Run::new())?.model;
    /// let pipeline = prepared.pipeline(model)?;
    /// assert!(pipeline.verify(&wine, None, &Run::new())?.holds);
    /// let fewer = wine.take(&(1..wine.len()).collect::<Vec<_>>());
    /// assert!(!pipeline.verify(&fewer, None, &Run::new())?.holds);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn verify(&self, data: &Dataset, weights: Option<&[f64]>, run: &Run) -> Result<Verification> {
        self.verify_on(&self.inputs_of(data)?, self.targets_of(data)?, weights, run)
    }

    /// As [`verify`](Self::verify), with points and target columns apart.
    pub fn verify_on(
        &self,
        x: &Inputs,
        y: Vec<(String, Column)>,
        weights: Option<&[f64]>,
        run: &Run,
    ) -> Result<Verification> {
        let training = self.training(x, y, weights)?;
        let model = match self.model() {
            AnyModel::Ridge(model) => model,
            AnyModel::Machine(machine) => return verify_machine::verify(machine, &training, run),
            AnyModel::Process(process) => {
                let certify = |rows: &Training, run: &Run| {
                    process.certify(&rows.points, &rows.targets, rows.weights.as_deref(), run)
                };
                return verify_process::verify(&self.claim(process.log_evidence()), &training, certify, run);
            }
            AnyModel::ProcessClassifier(process) => {
                let certify = |rows: &Training, run: &Run| {
                    process.certify(&rows.points, &rows.targets, rows.weights.as_deref(), run)
                };
                return verify_process::verify(&self.claim(process.log_evidence()), &training, certify, run);
            }
        };
        let rows = training.kept.len();
        let tolerance = model.tolerance(rows);
        let (found, problem) = match training.other_rows(model) {
            Some(problem) => (None, Some(problem)),
            None => {
                let weights = training.weights.as_deref();
                let found = model.certify(&training.points, &training.targets, weights, run)?;
                let problem = training.broken_claim(model, &found, tolerance);
                (Some(found), problem)
            }
        };
        let claimed = model.certificate().clone();
        let verdict = problem.clone().unwrap_or_else(|| {
            let residual = found.as_ref().map_or(f64::NAN, Certificate::residual);
            format!("the certificate holds: the relative residual is {residual:.1e}")
        });
        Ok(Verification { holds: problem.is_none(), verdict, claimed, found, numbers: Vec::new(), tolerance, rows })
    }

    fn claim(&self, log_evidence: f64) -> Claim<'_> {
        Claim { points: self.model().points(), certificate: self.model().certificate(), log_evidence }
    }

    /// The target columns of a data set, from wherever they stand in it.
    pub fn targets_of(&self, data: &Dataset) -> Result<Vec<(String, Column)>> {
        let column = |name: &&str| match data.with_target(name)?.target {
            Some(target) => Ok(target),
            None => Err(Error::column(*name, "the target of the fit", "no target", "give the training data")),
        };
        self.task().targets().iter().map(column).collect()
    }

    fn training(&self, x: &Inputs, y: Vec<(String, Column)>, weights: Option<&[f64]>) -> Result<Training> {
        let (x, _) = self.schema().select(x)?;
        check_lengths(&x, &y, weights)?;
        let kept = kept_rows(self.preparation().missing, &x, &y);
        let (points, _) = self.preparation().apply(&x.take(&kept))?;
        let columns: Vec<_> = y.into_iter().map(|(name, c)| (name, c.take(&kept))).collect();
        let targets = self.task().encode(&columns)?;
        let scaling = match self.task() {
            Task::Quantiles { .. } => self.target_scaling().map(TargetScaling::first),
            _ => self.target_scaling().cloned(),
        };
        let targets = scaling.map_or(Ok(targets.clone()), |s| s.apply(&targets))?;
        let weights = weights.map(|w| kept.iter().map(|&i| w[i]).collect());
        Ok(Training { points, targets, weights, kept })
    }
}

impl Training {
    /// A sentence if these cannot be the rows of the fit, by their number.
    fn other_rows(&self, model: &KernelRidgeModel) -> Option<String> {
        let count = |w: &Vec<f64>| w.iter().filter(|w| **w > 0.0).count();
        let counting = self.weights.as_ref().map_or(self.kept.len(), count);
        let (got, rows) = match model.points() {
            // Rows of weight 0 have a place in the matrix, too.
            Inputs::Precomputed(points) => (self.kept.len(), points.nrows()),
            points if !model.keeps_landmarks() => (counting, points.len()),
            _ => (counting, model.parts().weights.as_ref().map_or(counting, Vec::len)),
        };
        (got != rows).then(|| {
            format!("these are not the training data: {got} rows count, and the model was fitted to {rows} rows")
        })
    }

    /// Half a sentence if the rows that count are not as many as these points.
    pub(super) fn other_count(&self, points: &Inputs) -> Option<String> {
        let counts = |w: &Vec<f64>| w.iter().filter(|w| **w > 0.0).count();
        let got = match points {
            Inputs::Precomputed(_) => self.kept.len(),
            _ => self.weights.as_ref().map_or(self.kept.len(), counts),
        };
        (got != points.len()).then(|| format!("{got} rows count, and the model was fitted to {} rows", points.len()))
    }

    /// Half a sentence about the first row that is not that of the fit, of a model that keeps all rows.
    pub(super) fn other_point(&self, points: &Inputs) -> Option<String> {
        let counts = |i: &usize| self.weights.as_ref().is_none_or(|w| w[*i] > 0.0);
        let counting: Vec<usize> = (0..self.kept.len()).filter(counts).collect();
        let at =
            (0..counting.len().min(points.len())).find(|&at| !same_point(&self.points, counting[at], points, at))?;
        Some(format!("row {} differs (rows count from 0)", self.kept[counting[at]]))
    }

    /// A sentence if the claim does not hold, which says as closely as the model allows what is different.
    fn broken_claim(&self, model: &KernelRidgeModel, found: &Certificate, tolerance: f64) -> Option<String> {
        let claimed = model.certificate();
        // Written so that a residual that is no number does not pass.
        let solves = found.residual() <= tolerance;
        let objective = self.changed_objective(model, found, tolerance);
        if solves && objective.is_none() {
            return None;
        }
        if let Some(different) = self.first_difference(model) {
            return Some(format!("these are not the training data: {different}"));
        }
        Some(match solves {
            false => format!(
                "the claim does not hold: the relative residual is {:.1e}, and the model claims {:.1e}; \
                 its numbers, or the targets, are not those of the fit",
                found.residual(),
                claimed.residual()
            ),
            true => format!("the claim does not hold: {}", objective.unwrap_or_default()),
        })
    }

    fn changed_objective(&self, model: &KernelRidgeModel, found: &Certificate, tolerance: f64) -> Option<String> {
        let claimed = model.certificate();
        let c = self.targets.outputs();
        let weights = self.weights.as_deref().or(model.parts().weights.as_deref());
        let weight = |at: usize| weights.map_or(1.0, |w| w[at / c]);
        let at_zero = 0.5 * self.targets.values().iter().enumerate().map(|(at, y)| weight(at) * y * y).sum::<f64>();
        let pairs = [("objective", claimed.primal, found.primal), ("dual objective", claimed.dual, found.dual)];
        pairs.into_iter().find_map(|(name, claimed, found)| match (claimed, found) {
            (Some(a), Some(b)) if a == b || (a - b).abs() <= tolerance * at_zero => None,
            (None, None) => None,
            (a, b) => {
                let shown = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), |v| format!("{v:.6e}"));
                Some(format!("the {name} is {}, and the model claims {}", shown(b), shown(a)))
            }
        })
    }

    /// The first row that is not that of the fit, as far as the model remembers its rows.
    fn first_difference(&self, model: &KernelRidgeModel) -> Option<String> {
        if !model.keeps_landmarks()
            && let Some(different) = self.other_point(model.points())
        {
            return Some(different);
        }
        // Residual and prediction of leaving a row out add up to its target.
        let loo = model.loo()?;
        let was: Vec<f64> = loo.predictions.iter().zip(&loo.residuals).map(|(f, e)| f + e).collect();
        let y = self.targets.values();
        let largest = y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let at = (0..y.len().min(was.len())).find(|&at| (y[at] - was[at]).abs() > SAME * largest)?;
        let row = self.kept[at / self.targets.outputs()];
        Some(format!("the target of row {row} differs (rows count from 0)"))
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0)
}

/// Whether point `i` of one set is point `j` of the other, to the last digits.
fn same_point(x: &Inputs, i: usize, y: &Inputs, j: usize) -> bool {
    match (x, y) {
        (Inputs::Dense(x), Inputs::Dense(y)) => x.row(i).iter().zip(y.row(j)).all(|(a, b)| same(*a, *b)),
        (Inputs::Sparse(x), Inputs::Sparse(y)) => {
            let ((a, v), (b, w)) = (x.row(i), y.row(j));
            a == b && v.iter().zip(w).all(|(v, w)| same(*v, *w))
        }
        (Inputs::Table(x), Inputs::Table(y)) => x.iter().zip(y.iter()).all(|((_, a), (_, b))| match (a, b) {
            (Column::Number(a), Column::Number(b)) => same(a[i], b[j]),
            (Column::Category(a), Column::Category(b)) => a.get(i) == b.get(j),
            (Column::Structured(a), Column::Structured(b)) => a.same(i, b.as_ref(), j),
            _ => false,
        }),
        // Of a precomputed matrix nothing is kept.
        _ => true,
    }
}
