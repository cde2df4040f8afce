//! The certificate of a model, computed again from the data of its fit.

use crate::approx::{LandmarkData, LandmarkSystem};
use crate::certificate::Certificate;
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::model::squares::quotient;
use crate::model::training::subset;
use crate::run::Run;

use super::certify::{Answer, NORMAL, Story, certify, landmark_objective};
use super::problem::Problem;
use super::{Alpha, KernelRidge, KernelRidgeModel, zero};

/// How many times the claim a residual may be: rounding differs from machine to machine.
const LEEWAY: f64 = 10.0;

impl KernelRidgeModel {
    /// Residual, primal and dual objective of this model on the points and targets of its fit, row by
    /// row as they were given to it. Without weights, those that the model keeps count.
    ///
    /// The residual is that of the system which [`certificate`](Self::certificate) names; how the
    /// answer was found is copied from there. Kernel values are those between `x` and the points kept,
    /// so that a change of any of them shows.
    pub fn certify(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<Certificate> {
        if y.outputs() != self.outputs() {
            return Err(Error::shape("the targets of the model", format!("{} outputs", self.outputs()), y.outputs()));
        }
        let ridge = KernelRidge {
            kernel: self.kernel().clone(),
            alpha: Alpha::Value(self.alpha()),
            fit_intercept: self.parts().fit_intercept,
            ..KernelRidge::default()
        };
        let weights = weights.or(self.parts().weights.as_deref());
        let problem = Problem::new(&ridge, x, y, weights, self.expansion().space().registry(), run)?;
        match self.keeps_landmarks() {
            true => self.certify_landmarks(&problem, run),
            false => self.certify_rows(&problem, run),
        }
    }

    /// The largest relative residual that upholds a claim on so many rows: ten times the claim, or the
    /// rounding of a sum of n products, 16·n·ε.
    pub fn tolerance(&self, rows: usize) -> f64 {
        (LEEWAY * self.certificate().residual()).max(16.0 * rows as f64 * f64::EPSILON)
    }

    fn certify_rows(&self, problem: &Problem, run: &Run) -> Result<Certificate> {
        let matrix = match &problem.training.x {
            Inputs::Precomputed(_) => problem.training.space.gram(&problem.training.x, run)?,
            points => problem.training.space.cross(points, self.points(), run)?,
        };
        let rows = match (&problem.training.x, &problem.training.kept) {
            (Inputs::Precomputed(_), Some(kept)) => kept.clone(),
            _ => (0..self.points().len()).collect(),
        };
        if rows.len() != problem.n {
            return Err(Error::shape("the rows of the fit", format!("{} that count", rows.len()), problem.n));
        }
        let claim = self.certificate();
        let interpolates = claim.system.as_deref() == Some(NORMAL);
        let (coefficients, intercept) = self.in_units(&rows, problem);
        let answer = Answer {
            coefficients: &coefficients,
            intercept: &intercept,
            alpha: problem.scaled_alpha(self.alpha()),
            interpolates,
        };
        let story = Story {
            algorithm: claim.algorithm,
            reason: claim.reason.clone(),
            stop: claim.stop,
            iterations: claim.iterations,
            jitter: claim.jitter,
            rank: claim.rank,
            condition: claim.condition,
        };
        certify(problem, &matrix, answer, story, run)
    }

    /// The gradient at the landmarks, over all rows. The intercept counts as in the system of all rows:
    /// its distance from the best one, over ‖√w·y‖.
    fn certify_landmarks(&self, problem: &Problem, run: &Run) -> Result<Certificate> {
        let refuse = |what: &str| Error::Unsupported {
            what: format!("verifying a model of {what}"),
            alternative: "fit with the solver `eigen` or `cholesky`".into(),
        };
        let (rows, c) = (self.landmark_rows(problem), self.outputs());
        let points = rows.as_ref().map_or_else(|| self.points().clone(), |rows| subset(&problem.training.x, rows));
        let m = points.len();
        let k_zz = dense::<f64>(&problem.training.space.gram(&points, run)?, run)?;
        let (mut system, order) = LandmarkSystem::new(k_zz.into_values(), m, c, run)?;
        if order.is_empty() {
            return Ok(self.certify_zero(problem));
        }
        if order.len() < m {
            return Err(refuse("landmarks that depend on each other to rounding"));
        }
        let own = problem.training.space.gram(&subset(&points, &order), run)?;
        let (bound, order) = match rows {
            None => (problem.training.space.cross(&problem.training.x, &self.points().take(&order), run)?, order),
            Some(rows) => {
                let chosen: Vec<usize> = order.iter().map(|i| rows[*i]).collect();
                (problem.training.cross(None, &chosen, run)?, chosen.iter().map(|i| problem.training.row(*i)).collect())
            }
        };
        let data = LandmarkData { cross: &bound, y: &problem.y, weights: problem.weights.as_deref() };
        system.accumulate_moments(&data, run)?;
        let (a, b) = self.in_units(&order, problem);
        let mut gradient = system.gradient(&data, &a, problem.scaled_alpha(self.alpha()), problem.intercept, run)?;
        if gradient.relative > self.tolerance(problem.n) {
            // Of a list, an alpha below rounding counts as 0.
            let at_zero = system.gradient(&data, &a, 0.0, problem.intercept, run)?;
            gradient = if at_zero.relative < gradient.relative { at_zero } else { gradient };
        }
        let weight: f64 = (0..problem.n).map(|i| problem.weight(i)).sum();
        let square = |o: usize| (0..problem.n).map(|i| problem.weight(i) * problem.y[i * c + o].powi(2)).sum::<f64>();
        let balance = |o: usize| quotient((b[o] - gradient.intercept[o]).abs() * weight.sqrt(), square(o).sqrt());
        let answer =
            Answer { coefficients: &a, intercept: &b, alpha: problem.scaled_alpha(self.alpha()), interpolates: false };
        let (primal, rounding) = landmark_objective(problem, &bound, &own, answer, run)?;
        Ok(Certificate {
            relative_residual: Some((0..c).map(balance).fold(gradient.relative, f64::max)),
            primal: Some(primal),
            rounding: Some(rounding),
            dual: None,
            ..self.certificate().clone()
        })
    }

    /// Where the kernel is 0 at all landmarks, only the intercept can be off.
    fn certify_zero(&self, problem: &Problem) -> Certificate {
        let (_, b) = self.in_units(&[], problem);
        let weight: f64 = (0..problem.n).map(|i| problem.weight(i)).sum();
        let square = |o: usize| problem.y.iter().skip(o).step_by(self.outputs()).map(|y| y * y).sum::<f64>();
        let off = |o: usize| quotient((b[o] - zero::of_zero(problem, o).0).abs() * weight.sqrt(), square(o).sqrt());
        let relative = (0..self.outputs()).map(off).fold(0.0, f64::max);
        Certificate { relative_residual: Some(relative), ..zero::certificate(problem, self.certificate().clone()) }
    }

    /// Of a precomputed matrix, the rows whose points are landmarks: those with a coefficient, since the model
    /// has a place for every row.
    fn landmark_rows(&self, problem: &Problem) -> Option<Vec<usize>> {
        let c = self.outputs();
        let counts = |i: &usize| self.coefficients()[problem.training.row(*i) * c..][..c].iter().any(|a| *a != 0.0);
        matches!(problem.training.x, Inputs::Precomputed(_)).then(|| (0..problem.n).filter(counts).collect())
    }

    /// Coefficients of these points, and the intercept, in the units of the problem.
    fn in_units(&self, points: &[usize], problem: &Problem) -> (Vec<f64>, Vec<f64>) {
        let c = self.outputs();
        let scaled = |row: &[f64]| row.iter().zip(&problem.units).map(|(v, unit)| v / unit).collect::<Vec<f64>>();
        let coefficients = points.iter().flat_map(|i| scaled(&self.coefficients()[i * c..(i + 1) * c])).collect();
        (coefficients, scaled(self.intercept()))
    }
}
