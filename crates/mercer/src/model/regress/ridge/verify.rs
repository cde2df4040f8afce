//! The certificate of a model, computed again from the rows of its fit.
//!
//! The residual is that of the system which the certificate names; how the answer was found is copied from there. Kernel
//! values are those between the rows and the points kept, so that a change of any of them shows.

use crate::approx::{LandmarkData, LandmarkSystem};
use crate::certificate::{Certificate, Measure};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::model::Model;
use crate::model::sample::subset;
use crate::model::squares::quotient;
use crate::run::Run;

use super::certify::{Answer, NORMAL, Story, certify as certify_answer, landmark_objective};
use super::problem::Problem;
use super::zero;

/// Residual, primal and dual objective of a model with this alpha on the rows of its fit.
pub(crate) fn certify(model: &Model, problem: &Problem, alpha: f64, run: &Run) -> Result<Certificate> {
    if problem.outputs != model.outputs() {
        let expected = format!("{} outputs", model.outputs());
        return Err(Error::shape("the targets of the model", expected, problem.outputs));
    }
    let found = Again { model, problem, alpha };
    if model.keeps_all_rows() { found.rows(run) } else { found.landmarks(run) }
}

/// Where the coefficients of the rows that count stand.
pub(super) fn places(model: &Model, problem: &Problem) -> Vec<usize> {
    match (&problem.training.x, &problem.training.kept) {
        (Inputs::Precomputed(_), Some(kept)) => kept.clone(),
        _ => (0..model.points().len()).collect(),
    }
}

struct Again<'a> {
    model: &'a Model,
    problem: &'a Problem,
    alpha: f64,
}

impl Again<'_> {
    fn rows(&self, run: &Run) -> Result<Certificate> {
        let matrix = match &self.problem.training.x {
            Inputs::Precomputed(_) => self.problem.training.space.gram(&self.problem.training.x, run)?,
            points => self.problem.training.space.cross(points, self.model.points(), run)?,
        };
        let rows = places(self.model, self.problem);
        if rows.len() != self.problem.n {
            return Err(Error::shape("the rows of the fit", format!("{} that count", rows.len()), self.problem.n));
        }
        let claim = self.model.certificate();
        let interpolates = claim.system.as_deref() == Some(NORMAL);
        let (coefficients, intercept) = self.in_units(&rows);
        let answer = Answer {
            coefficients: &coefficients,
            intercept: &intercept,
            alpha: self.problem.scaled_alpha(self.alpha),
            interpolates,
        };
        certify_answer(self.problem, &matrix, answer, Story::from(claim), run)
    }

    /// The gradient at the landmarks, over all rows. The intercept counts as in the system of all rows:
    /// its distance from the best one, over ‖√w·y‖.
    fn landmarks(&self, run: &Run) -> Result<Certificate> {
        let refuse = |what: &str| Error::Unsupported {
            what: format!("verifying a model of {what}"),
            alternative: "fit with the solver `eigen` or `cholesky`".into(),
        };
        let (rows, c) = (self.landmark_rows(), self.model.outputs());
        let points =
            rows.as_ref().map_or_else(|| self.model.points().clone(), |rows| subset(&self.problem.training.x, rows));
        let m = points.len();
        let k_zz = dense::<f64>(&self.problem.training.space.gram(&points, run)?, run)?;
        let (mut system, order) = LandmarkSystem::new(k_zz.into_values(), m, c, run)?;
        if order.is_empty() {
            return Ok(self.zero());
        }
        if order.len() < m {
            return Err(refuse("landmarks that depend on each other to rounding"));
        }
        let own = self.problem.training.space.gram(&subset(&points, &order), run)?;
        let (bound, order) = match rows {
            None => (
                self.problem.training.space.cross(&self.problem.training.x, &self.model.points().take(&order), run)?,
                order,
            ),
            Some(rows) => {
                let chosen: Vec<usize> = order.iter().map(|i| rows[*i]).collect();
                (
                    self.problem.training.cross(None, &chosen, run)?,
                    chosen.iter().map(|i| self.problem.training.row(*i)).collect(),
                )
            }
        };
        let data = LandmarkData { cross: &bound, y: &self.problem.y, weights: self.problem.weights.as_deref() };
        system.accumulate_moments(&data, run)?;
        let (a, b) = self.in_units(&order);
        let mut gradient =
            system.gradient(&data, &a, self.problem.scaled_alpha(self.alpha), self.problem.intercept, run)?;
        if gradient.relative > self.model.certificate().tolerance(self.problem.n) {
            // Of a list, an alpha below rounding counts as 0.
            let at_zero = system.gradient(&data, &a, 0.0, self.problem.intercept, run)?;
            gradient = if at_zero.relative < gradient.relative { at_zero } else { gradient };
        }
        let weight: f64 = (0..self.problem.n).map(|i| self.problem.weight(i)).sum();
        let square = |o: usize| {
            (0..self.problem.n).map(|i| self.problem.weight(i) * self.problem.y[i * c + o].powi(2)).sum::<f64>()
        };
        let balance = |o: usize| quotient((b[o] - gradient.intercept[o]).abs() * weight.sqrt(), square(o).sqrt());
        let answer = Answer {
            coefficients: &a,
            intercept: &b,
            alpha: self.problem.scaled_alpha(self.alpha),
            interpolates: false,
        };
        let (primal, rounding) = landmark_objective(self.problem, &bound, &own, answer, run)?;
        let residual = (0..c).map(balance).fold(gradient.relative, f64::max);
        let claimed = self.model.certificate().clone();
        Ok(claimed
            .with(Measure::RelativeResidual, residual)
            .with(Measure::Primal, primal)
            .with(Measure::Rounding, rounding)
            .with(Measure::Dual, None))
    }

    /// Where the kernel is 0 at all landmarks, only the intercept can be off.
    fn zero(&self) -> Certificate {
        let (_, b) = self.in_units(&[]);
        let weight: f64 = (0..self.problem.n).map(|i| self.problem.weight(i)).sum();
        let square = |o: usize| self.problem.y.iter().skip(o).step_by(self.model.outputs()).map(|y| y * y).sum::<f64>();
        let off =
            |o: usize| quotient((b[o] - zero::of_zero(self.problem, o).0).abs() * weight.sqrt(), square(o).sqrt());
        let relative = (0..self.model.outputs()).map(off).fold(0.0, f64::max);
        zero::certificate(self.problem, self.model.certificate().clone()).with(Measure::RelativeResidual, relative)
    }

    /// Of a precomputed matrix, the rows whose points are landmarks: those with a coefficient, since the model
    /// has a place for every row.
    fn landmark_rows(&self) -> Option<Vec<usize>> {
        let c = self.model.outputs();
        let counts =
            |i: &usize| self.model.coefficients()[self.problem.training.row(*i) * c..][..c].iter().any(|a| *a != 0.0);
        matches!(self.problem.training.x, Inputs::Precomputed(_)).then(|| (0..self.problem.n).filter(counts).collect())
    }

    /// Coefficients of these points, and the intercept, in the units of the problem.
    fn in_units(&self, points: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let c = self.model.outputs();
        let scaled = |row: &[f64]| row.iter().zip(&self.problem.units).map(|(v, unit)| v / unit).collect::<Vec<f64>>();
        let coefficients = points.iter().flat_map(|i| scaled(&self.model.coefficients()[i * c..(i + 1) * c])).collect();
        (coefficients, scaled(self.model.intercept()))
    }
}
