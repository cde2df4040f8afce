//! Regression by a spectral filter.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::data::{Inputs, Targets};
use crate::error::Result;
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::model::training::{NamedKernel, Training};
use crate::model::{Fitted, FittedMachine, KernelMachine, Link, MachineReport};
use crate::run::Run;
use crate::solver::Filter;

use super::attained::{attained, residuals};
use super::empirical::{Directions, shares};

/// The choices of a regression by a spectral filter: α = √p·g(T)·√p·y with T = √p·K·√p, which is
/// (1/n)·g(K/n)·y without weights.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::descent::SpectralFilter, solver::Filter};
/// use mercer::model::regress::{Alpha, KernelRidge};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.5], 3, 1)?.into();
/// let (y, kernel, run) = (Targets::new(vec![1.0, 3.0, 2.0], 1)?, KernelExpr::parse("rbf(length_scale=1)")?, Run::new());
/// let filter = SpectralFilter { kernel: kernel.clone(), filter: Filter::Tikhonov { lambda: 0.1 } };
/// let ridge = KernelRidge { kernel, alpha: Alpha::Value(3.0 * 0.1), ..KernelRidge::default() }; // alpha = n·λ
/// let f = filter.fit(&x, &y, None, &run)?.model.decision(&x, &run)?;
/// let g = ridge.fit(&x, &y, None, &run)?.model.predict(&x, &run)?;
/// assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() < 1e-12));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectralFilter {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// The filter.
    pub filter: Filter,
}

impl Default for SpectralFilter {
    fn default() -> Self {
        SpectralFilter { kernel: KernelExpr::of(Kind::Rbf), filter: Filter::Tikhonov { lambda: 1e-3 } }
    }
}

impl SpectralFilter {
    /// Fits to points, targets and weights ≥ 0, one a row.
    pub fn fit(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<FittedMachine> {
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
    ) -> Result<FittedMachine> {
        self.filter.validate(0.0)?;
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new("SpectralFilter", kernel, x, y.nrows(), weights, run)?;
        let (directions, c) = (Directions::new(&training, run)?, y.outputs());
        self.filter.validate(directions.largest())?;
        let filter = self.filter.on(directions.largest());
        let targets = super::targets(&training, y);
        let coordinates = directions.coordinates(&targets, c, run)?;
        let coefficients = directions.coefficients(&directions.times(&coordinates, c, |s| filter.value(s)), c, run)?;
        let freedom: f64 = directions.spectrum().map(|s| 1.0 - filter.residual(s)).sum();
        let left = residuals(&training.space.gram(&training.x, run)?, &coefficients, &targets, run)?;
        let rounded: Vec<f64> = left.iter().map(|r| r.value()).collect();
        let expected = directions.times(&coordinates, c, |s| filter.residual(s));
        let certificate = Certificate {
            filter_error: Some(directions.apart(&rounded, &expected, &targets, c, run)?),
            ..attained(self.certificate(), &left, &targets, &shares(&training))
        };
        let expansion = training.expansion(coefficients, vec![0.0; c], None)?;
        let mut settings = serde_json::Map::new();
        settings.insert("filter".into(), serde_json::to_value(filter).unwrap_or_default());
        settings.insert("freedom".into(), freedom.into());
        let machine =
            KernelMachine { learner: "spectral_filter".into(), expansion, link: Link::Identity, certificate, settings };
        let report = MachineReport {
            rows: training.n,
            rows_of_weight_zero: x.len() - training.n,
            notes: [Some(self.qualification()), self.step_note(filter)].into_iter().flatten().collect(),
            history: Vec::new(),
        };
        Ok(Fitted { model: machine, report })
    }

    /// The step, where it was left to the spectrum.
    fn step_note(&self, used: Filter) -> Option<String> {
        match (self.filter, used) {
            (Filter::Landweber { step_size: None, .. }, Filter::Landweber { step_size: Some(step), .. }) => {
                Some(format!("step_size = {step:.6}, which is 0.95 over the largest eigenvalue of K/n"))
            }
            _ => None,
        }
    }

    fn qualification(&self) -> String {
        match self.filter.qualification() {
            q if q.is_finite() => format!("qualification {q}: smoothness of the target beyond it is not rewarded"),
            _ => "no limit to its qualification".into(),
        }
    }

    fn certificate(&self) -> Certificate {
        let reason = format!("the filter `{}` of every eigenvalue of K/n", self.filter.name());
        Certificate::new(Algorithm::Eigen, reason, Stop::Direct)
    }
}
