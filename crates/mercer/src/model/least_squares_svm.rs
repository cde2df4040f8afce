//! Least-squares support vector machines.

use serde::{Deserialize, Serialize};

use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::run::Run;

use super::Fitted;
use super::regress::{Alpha, KernelRidge, KernelRidgeModel};

/// The choices of a least-squares support vector machine (Suykens & Vandewalle 1999).
///
/// Minimises ½‖f‖² + (gamma/2)·Σ wᵢ(yᵢ − f(xᵢ) − b)²: kernel ridge regression with an intercept and
/// alpha = 1/gamma, and solved as such. Of classes, the targets are −1 and 1, one column for two classes
/// and a column each for several.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::LeastSquaresSvm};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0], 3, 1)?.into();
/// let svm = LeastSquaresSvm { kernel: KernelExpr::parse("linear")?, gamma: 4.0 };
/// let model = svm.fit(&x, &Targets::new(vec![-1.0, 1.0, 1.0], 1)?, None, &Run::new())?.model;
/// assert_eq!(model.alpha(), 0.25);
/// // The optimum: w = Σ(x − x̄)(y − ȳ)/(Σ(x − x̄)² + 1/gamma) = 2/2.25.
/// let f = model.predict(&Rows::new(vec![0.0, 1.0], 2, 1)?.into(), &Run::new())?;
/// assert!((f[1] - f[0] - 2.0 / 2.25).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastSquaresSvm {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// What a unit of squared error costs.
    pub gamma: f64,
}

impl Default for LeastSquaresSvm {
    fn default() -> Self {
        LeastSquaresSvm { kernel: KernelExpr::of(Kind::Rbf), gamma: 1.0 }
    }
}

impl LeastSquaresSvm {
    /// Fits to points, targets and weights ≥ 0, one a row.
    pub fn fit(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<Fitted<KernelRidgeModel>> {
        self.fit_with(x, y, weights, &Registry::new(), run)
    }

    /// As [`fit`](Self::fit), with a kernel that may name the kernels of `registry`.
    pub fn fit_with(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<Fitted<KernelRidgeModel>> {
        if !(self.gamma > 0.0 && self.gamma.is_finite() && (1.0 / self.gamma).is_finite()) {
            return Err(Error::invalid("LeastSquaresSvm", "gamma", self.gamma, "a finite number above 0"));
        }
        let ridge = KernelRidge {
            kernel: self.kernel.clone(),
            alpha: Alpha::Value(1.0 / self.gamma),
            fit_intercept: true,
            ..KernelRidge::default()
        };
        ridge.fit_with(x, y, weights, registry, run)
    }
}
