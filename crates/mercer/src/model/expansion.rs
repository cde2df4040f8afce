//! f(x) = Σ αᵢk(xᵢ, x) + b: what nearly every model is.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::kernel::KernelExpr;
use crate::linalg::filled;
use crate::rkhs::Space;
use crate::run::Run;

/// Functions f_o(x) = Σ αᵢₒ·k(xᵢ, x) + bₒ, one an output, self-contained.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, model::Expansion, rkhs::Space};
/// let x: Inputs = Rows::new(vec![1.0, 2.0], 2, 1)?.into();
/// let space = Space::new(&KernelExpr::parse("linear")?, &x, &Run::new())?;
/// let f = Expansion::new(space, x.clone(), vec![3.0, 1.0], vec![0.5])?; // (3·1 + 1·2)x + ½
/// assert_eq!(f.evaluate(&x, &Run::new())?, [5.5, 10.5]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expansion {
    space: Space,
    points: Inputs,
    coefficients: Vec<f64>,
    intercept: Vec<f64>,
    some_rows: bool,
    /// The coefficients of the fit, where a repair made others of them.
    fitted: Option<Vec<f64>>,
}

impl Expansion {
    /// Puts functions together: α row-major, points×outputs; b, one an output. Of a precomputed
    /// matrix, `points` says only how many there are: n rows of no columns.
    pub fn new(space: Space, points: Inputs, coefficients: Vec<f64>, intercept: Vec<f64>) -> Result<Self> {
        let (m, c) = (points.len(), intercept.len());
        if c == 0 || m.checked_mul(c) != Some(coefficients.len()) {
            let expected = format!("{m} points times {c} outputs");
            return Err(Error::shape("the coefficients of a model", expected, coefficients.len()));
        }
        let expansion = Expansion { space, points, coefficients, intercept, some_rows: false, fitted: None };
        expansion.check_finite()?;
        Ok(expansion)
    }

    /// The same functions, whose points are some of the rows they were fitted to, and not all: support vectors,
    /// landmarks, medoids.
    pub fn of_some_rows(self) -> Self {
        Expansion { some_rows: true, ..self }
    }

    /// Whether the points are some of the rows only.
    pub fn keeps_some_rows(&self) -> bool {
        self.some_rows
    }

    /// The same points with coefficients that stand for those of the fit, which are kept: see
    /// [`Model::after_repair`](super::Model::after_repair).
    pub fn in_place_of_fitted(self, coefficients: Vec<f64>) -> Result<Self> {
        let Expansion { space, points, intercept, some_rows, .. } = self;
        let others = Expansion::new(space, points, coefficients, intercept)?;
        Ok(Expansion { some_rows, fitted: Some(self.coefficients), ..others })
    }

    /// The coefficients of the fit, where those of the functions stand for them.
    pub fn fitted_coefficients(&self) -> Option<&[f64]> {
        self.fitted.as_deref()
    }

    /// The same coefficients for other points, as many, in another space.
    pub(crate) fn on_points(&self, space: Space, points: Inputs) -> Result<Self> {
        let own = Expansion::new(space, points, self.coefficients.clone(), self.intercept.clone())?;
        Ok(Expansion { fitted: self.fitted.clone(), ..own })
    }

    /// The functions of the fit, which are of another matrix of kernel values where a repair changed it.
    pub(crate) fn as_fitted(&self) -> Self {
        let coefficients = self.fitted.clone().unwrap_or_else(|| self.coefficients.clone());
        Expansion { coefficients, fitted: None, ..self.clone() }
    }

    fn check_finite(&self) -> Result<()> {
        let all = || self.coefficients.iter().chain(&self.intercept);
        match all().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(first) => Err(Error::NonFinite {
                place: "the coefficients of a model".into(),
                count: all().filter(|v| !v.is_finite()).count(),
                total: self.coefficients.len() + self.intercept.len(),
                first_row: first / self.outputs(),
                what: "too large for a number".into(),
            }),
        }
    }

    /// The kernel without rules, the user's kernels it names, and what its rules found.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.space.kernel()
    }

    /// The points xᵢ.
    pub fn points(&self) -> &Inputs {
        &self.points
    }

    /// α, row-major: points×outputs.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// b, one an output; zeros without an intercept.
    pub fn intercept(&self) -> &[f64] {
        &self.intercept
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.intercept.len()
    }

    /// f(x) for every point x, row-major: rows×outputs. Kernel values are streamed, never stored.
    pub fn evaluate(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let mut values = self.without_intercept(x, run)?;
        self.add_intercept(&mut values);
        Ok(values)
    }

    pub(crate) fn add_intercept(&self, values: &mut [f64]) {
        for row in values.chunks_mut(self.outputs()) {
            row.iter_mut().zip(&self.intercept).for_each(|(f, b)| *f += b);
        }
    }

    /// Σ αᵢₒ·k(xᵢ, x) for every point x, row-major: rows×outputs.
    pub(crate) fn without_intercept(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let c = self.outputs();
        let size = x.len() as u128 * c as u128;
        let (mut values, _reserved) = filled(size, 0.0, "the predictions", "predict fewer rows at a time", run)?;
        if x.is_empty() {
            return Ok(values);
        }
        let cross = self.space.cross(x, &self.points, run)?;
        apply(&cross, &self.coefficients, c, &mut values, run)?;
        Ok(values)
    }
}
