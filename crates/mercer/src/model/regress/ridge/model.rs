//! The result: a function, self-contained.

use crate::certificate::{Algorithm, Certificate};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::kernel::KernelExpr;
use crate::linalg::filled;
use crate::rkhs::Space;
use crate::run::Run;

use super::LeaveOneOut;

/// f(x) = Σ αᵢk(xᵢ, x) + b, with all that is needed to evaluate and check it.
#[derive(Clone, Debug)]
pub struct KernelRidgeModel {
    parts: RidgeParts,
}

/// The parts of a model, for files. Everything but the space and the points is plain numbers.
#[derive(Clone, Debug)]
pub struct RidgeParts {
    /// The kernel without rules, the user's kernels it names, and what its rules found.
    pub space: Space,
    /// The points kept: all of positive weight, or the landmarks. Of a precomputed matrix, only how
    /// many there are: n rows of no columns.
    pub points: Inputs,
    /// α, row-major: points×outputs.
    pub coefficients: Vec<f64>,
    /// Number of outputs.
    pub outputs: usize,
    /// b, one an output; zeros without an intercept.
    pub intercept: Vec<f64>,
    /// Whether b was fitted.
    pub fit_intercept: bool,
    /// alpha.
    pub alpha: f64,
    /// The weights of the rows that count, where they are not all 1.
    pub weights: Option<Vec<f64>>,
    /// How far it is from the solution.
    pub certificate: Certificate,
    /// Exact leave-one-out residuals, where the solver gives them.
    pub leave_one_out: Option<LeaveOneOut>,
}

impl KernelRidgeModel {
    /// Puts a model together, checking that its parts fit.
    pub fn from_parts(parts: RidgeParts) -> Result<Self> {
        let (c, m) = (parts.outputs, parts.points.len());
        let sizes = [
            ("the coefficients", parts.coefficients.len(), m.checked_mul(c)),
            ("the intercept", parts.intercept.len(), Some(c)),
        ];
        for (what, got, expected) in sizes {
            if c == 0 || expected != Some(got) {
                return Err(Error::shape(format!("{what} of a ridge model"), format!("{m} points, {c} outputs"), got));
            }
        }
        if parts.coefficients.iter().chain(&parts.intercept).any(|v| !v.is_finite()) {
            return Err(Error::NonFinite {
                place: "the coefficients of a ridge model".into(),
                count: parts.coefficients.iter().filter(|v| !v.is_finite()).count(),
                total: parts.coefficients.len(),
                first_row: parts.coefficients.iter().position(|v| !v.is_finite()).unwrap_or(0) / c,
                what: "too large for a number".into(),
            });
        }
        let model = KernelRidgeModel { parts };
        model.check_weights()?;
        Ok(model)
    }

    /// Weights are positive, and one a point unless only some of the rows are kept as points.
    fn check_weights(&self) -> Result<()> {
        let Some(weights) = &self.parts.weights else { return Ok(()) };
        let points = self.points().len();
        if self.keeps_all_rows() && weights.len() != points {
            return Err(Error::shape("the weights of a ridge model", format!("{points}, one a point"), weights.len()));
        }
        match weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
            Some(bad) => Err(Error::invalid("a ridge model", "weights", bad, "finite and > 0")),
            None => Ok(()),
        }
    }

    /// Its parts, to be saved.
    pub fn parts(&self) -> &RidgeParts {
        &self.parts
    }

    pub(super) fn set_leave_one_out(&mut self, loo: LeaveOneOut) {
        self.parts.leave_one_out = Some(loo);
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.parts.space.kernel()
    }

    /// The points kept.
    pub fn points(&self) -> &Inputs {
        &self.parts.points
    }

    /// α, row-major: points×outputs.
    pub fn coefficients(&self) -> &[f64] {
        &self.parts.coefficients
    }

    /// b, one an output.
    pub fn intercept(&self) -> &[f64] {
        &self.parts.intercept
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.parts.outputs
    }

    /// alpha, as given or chosen.
    pub fn alpha(&self) -> f64 {
        self.parts.alpha
    }

    /// How far it is from the solution.
    pub fn certificate(&self) -> &Certificate {
        &self.parts.certificate
    }

    /// Exact leave-one-out residuals, where the solver gave them on its way (`eigen` does);
    /// [`leave_one_out`](Self::leave_one_out) computes them for other exact solvers.
    pub fn loo(&self) -> Option<&LeaveOneOut> {
        self.parts.leave_one_out.as_ref()
    }

    /// Whether it keeps every row that counts, so that leave-one-out can be computed from it.
    pub(super) fn keeps_all_rows(&self) -> bool {
        !self.keeps_landmarks() && !matches!(self.points(), Inputs::Precomputed(_))
    }

    /// Whether its points are landmarks, or points that span the space, and not all rows.
    pub fn keeps_landmarks(&self) -> bool {
        matches!(self.certificate().algorithm, Algorithm::Nystrom | Algorithm::Primal)
    }

    /// f(x) + b for every point x, row-major: m×outputs. Kernel values are streamed, never stored.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let c = self.parts.outputs;
        let size = x.len() as u128 * c as u128;
        let (mut values, _reserved) = filled(size, 0.0, "the predictions", "predict fewer rows at a time", run)?;
        if x.is_empty() {
            return Ok(values);
        }
        let cross = self.parts.space.cross(x, &self.parts.points, run)?;
        apply(&cross, &self.parts.coefficients, c, &mut values, run)?;
        for row in values.chunks_mut(c) {
            row.iter_mut().zip(&self.parts.intercept).for_each(|(f, b)| *f += b);
        }
        Ok(values)
    }
}
