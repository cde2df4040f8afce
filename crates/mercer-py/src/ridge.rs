//! Kernel ridge regression, for the class that is written in Python.

use mercer::approx::NystromParams;
use mercer::certificate::Certificate;
use mercer::data::{Inputs as Points, MissingPolicy, Targets};
use mercer::model::pipeline::{Pipeline, PipelineParts, Preparation, Schema, Task};
use mercer::model::regress::{Alpha, KernelRidge, KernelRidgeModel, LeaveOneOut, RidgeReport, RidgeSolver};
use mercer::model::{AnyModel, Fitted};
use mercer::solver::CgParams;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{Matrix, Vector};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::{Expr, Found};
use crate::matrices::Repair;
use crate::rkhs::{array2, working};
use crate::run::Options;

/// alpha, intercept, solver and seed; the kernel comes beside them.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct RidgeChoices {
    alpha: Alpha,
    fit_intercept: bool,
    solver: RidgeSolver,
    seed: u64,
}

#[pymethods]
impl RidgeChoices {
    /// `criterion` is None for one alpha, or `loo` or `gcv` to choose from several.
    #[new]
    #[pyo3(signature = (alphas, criterion, fit_intercept, solver, seed=0, *, tolerance=None, max_iterations=None, landmarks=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        alphas: Vec<f64>,
        criterion: Option<&str>,
        fit_intercept: bool,
        solver: &str,
        seed: u64,
        tolerance: Option<f64>,
        max_iterations: Option<usize>,
        landmarks: Option<usize>,
    ) -> PyResult<Self> {
        let usual = CgParams::default();
        let cg = CgParams {
            tolerance: tolerance.unwrap_or(usual.tolerance),
            max_iterations: max_iterations.unwrap_or(usual.max_iterations),
        };
        guard(py, || {
            let alpha = criterion_of(alphas, criterion)?;
            let solver = solver_of(solver, cg, NystromParams { landmarks })?;
            Ok(RidgeChoices { alpha, fit_intercept, solver, seed })
        })
    }
}

fn criterion_of(alphas: Vec<f64>, criterion: Option<&str>) -> mercer::Result<Alpha> {
    match (criterion, alphas.as_slice()) {
        (None, [alpha]) => Ok(Alpha::Value(*alpha)),
        (Some("loo"), _) => Ok(Alpha::Loo(alphas)),
        (Some("gcv"), _) => Ok(Alpha::Gcv(alphas)),
        (other, _) => {
            Err(mercer::Error::invalid("KernelRidge", "alpha", other.unwrap_or("a list"), "a number, `loo` or `gcv`"))
        }
    }
}

fn solver_of(name: &str, cg: CgParams, nystrom: NystromParams) -> mercer::Result<RidgeSolver> {
    Ok(match name {
        "auto" => RidgeSolver::Auto,
        "eigen" => RidgeSolver::Eigen,
        "cholesky" => RidgeSolver::Cholesky,
        "cg" => RidgeSolver::Cg(cg),
        "nystrom" => RidgeSolver::Nystrom(nystrom),
        "primal" => RidgeSolver::Primal,
        other => {
            let must = "one of `auto`, `eigen`, `cholesky`, `cg`, `nystrom`, `primal`";
            return Err(mercer::Error::invalid("KernelRidge", "solver", format!("`{other}`"), must));
        }
    })
}

/// Fits; `y` has one column an output.
#[pyfunction]
#[pyo3(signature = (kernel, x, y, weights, choices, options))]
pub(crate) fn ridge_fit(
    py: Python<'_>,
    kernel: &Expr,
    x: &Inputs,
    y: Matrix<'_>,
    weights: Option<Vector<'_>>,
    choices: &RidgeChoices,
    options: &Options,
) -> PyResult<RidgeModel> {
    let (outputs, values) = (y.shape()[1], y.as_slice()?);
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let estimator = KernelRidge {
        kernel: kernel.expr.clone(),
        alpha: choices.alpha.clone(),
        fit_intercept: choices.fit_intercept,
        solver: choices.solver.clone(),
        seed: choices.seed,
    };
    let Fitted { model, report } = working(py, &kernel.registry, options, |run| {
        estimator.fit_with(&x.0, &Targets::new(values, outputs)?, weights, &kernel.registry, run)
    })?;
    Ok(RidgeModel { model, report: Some(report) })
}

/// Reads a model from the bytes of [`RidgeModel::to_bytes`]; `kernel` brings the Python functions that
/// its formula names.
#[pyfunction]
pub(crate) fn ridge_load(py: Python<'_>, bytes: &[u8], kernel: &Expr) -> PyResult<RidgeModel> {
    let pipeline = guard(py, || Pipeline::from_bytes(bytes, &kernel.registry))?;
    match pipeline.into_parts().model {
        AnyModel::Ridge(model) => Ok(RidgeModel { model, report: None }),
        other => guard(py, || {
            Err(mercer::Error::Unsupported {
                what: format!("reading `{}` as KernelRidge", other.learner()),
                alternative: "read it with the estimator that wrote it".into(),
            })
        }),
    }
}

/// The model as a file would keep it: points as they are, outputs by number.
pub(crate) fn pipeline(model: AnyModel) -> mercer::Result<Pipeline> {
    let schema = match model.points() {
        // Of a precomputed matrix the model keeps only how many rows there are.
        Points::Precomputed(x) => Schema::Precomputed { points: x.nrows() },
        points => Schema::of(points),
    };
    let missing = MissingPolicy::Error;
    Pipeline::from_parts(PipelineParts {
        preparation: Preparation { schema, missing, imputer: None, standardizer: None },
        task: Task::Regression { targets: (0..model.outputs()).map(|j| format!("y{j}")).collect() },
        target_scaling: None,
        model,
        settings: Default::default(),
        notes: Vec::new(),
    })
}

/// Residuals and predictions of leave-one-out.
type LooArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);
/// alpha, leave-one-out error, generalised cross-validation, degrees of freedom.
type Score = (f64, Option<f64>, f64, f64);

/// A fitted kernel ridge regression.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct RidgeModel {
    model: KernelRidgeModel,
    /// How it was fitted; None for a model that was read.
    report: Option<RidgeReport>,
}

#[pymethods]
impl RidgeModel {
    /// f(x) + b for every point: points×outputs.
    fn predict<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let registry = self.model.expansion().space().registry();
        let values = working(py, registry, options, |run| self.model.predict(&x.0, run))?;
        self.rows(py, values)
    }

    /// The model for kernel values as they were before the repair of those it was fitted to.
    fn after_repair(&self, py: Python<'_>, repair: &Repair, options: &Options) -> PyResult<Self> {
        let registry = self.model.expansion().space().registry();
        let model = working(py, registry, options, |run| self.model.after_repair(&repair.0, run))?;
        Ok(RidgeModel { model, report: self.report.clone() })
    }

    /// Lower and upper bounds of jackknife+.
    fn interval<'py>(&self, py: Python<'py>, x: &Inputs, level: f64, options: &Options) -> PyResult<LooArrays<'py>> {
        let registry = self.model.expansion().space().registry();
        let interval = working(py, registry, options, |run| self.model.interval(&x.0, level, run))?;
        Ok((self.rows(py, interval.lower)?, self.rows(py, interval.upper)?))
    }

    /// Residuals and predictions of exact leave-one-out; computed now if the solver did not.
    fn leave_one_out<'py>(&self, py: Python<'py>, options: &Options) -> PyResult<LooArrays<'py>> {
        let registry = self.model.expansion().space().registry();
        let LeaveOneOut { residuals, predictions } =
            working(py, registry, options, |run| self.model.leave_one_out(run))?;
        Ok((self.rows(py, residuals)?, self.rows(py, predictions)?))
    }

    /// The coefficients: points×outputs.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, self.model.coefficients().to_vec())
    }

    /// b, one an output.
    fn intercept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.intercept())
    }

    /// The points kept.
    fn points(&self) -> Inputs {
        Inputs(self.model.points().clone())
    }

    /// The kernel, without rules.
    fn kernel(&self) -> Expr {
        Expr { expr: self.model.kernel().clone(), registry: self.model.expansion().space().registry().clone() }
    }

    /// What the rules found.
    fn resolutions(&self) -> Vec<Found> {
        let found = self.report.iter().flat_map(|r| &r.resolutions);
        found.map(|r| (r.path.clone(), r.rule, r.value, r.detail.clone())).collect()
    }

    /// alpha, as given or chosen.
    #[getter]
    fn alpha(&self) -> f64 {
        self.model.alpha()
    }

    /// The scores of every alpha of the list.
    fn path(&self) -> Vec<Score> {
        self.report.iter().flat_map(|r| &r.path).map(|s| (s.alpha, s.loo, s.gcv, s.freedom)).collect()
    }

    /// Whether the chosen alpha is the first or last of its list.
    #[getter]
    fn at_the_edge(&self) -> bool {
        self.report.as_ref().is_some_and(|r| r.at_the_edge)
    }

    /// Algorithms that were considered, with what became of them.
    fn considered(&self) -> Vec<(String, String)> {
        let considered = self.report.iter().flat_map(|r| &r.considered);
        considered.map(|c| (c.algorithm.clone(), c.verdict.clone())).collect()
    }

    /// The bytes of a model file, for [`ridge_load`]. How it was fitted is not in them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &guard(py, || pipeline(self.model.clone().into())?.to_bytes())?))
    }

    /// Residuals and predictions of exact leave-one-out where fitting gave them.
    fn known_leave_one_out<'py>(&self, py: Python<'py>) -> PyResult<Option<LooArrays<'py>>> {
        let arrays = |l: &LeaveOneOut| Ok((self.rows(py, l.residuals.clone())?, self.rows(py, l.predictions.clone())?));
        self.model.loo().map(arrays).transpose()
    }

    /// The certificate, by name.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        certificate(py, self.model.certificate())
    }
}

impl RidgeModel {
    fn rows<'py>(&self, py: Python<'py>, values: Vec<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let c = self.model.outputs();
        let nrows = values.len() / c;
        array2(py, values, nrows, c)
    }
}

pub(crate) fn certificate<'py>(py: Python<'py>, c: &Certificate) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("algorithm", c.algorithm.name())?;
    dict.set_item("reason", &c.reason)?;
    dict.set_item("stop", c.stop.name())?;
    dict.set_item("relative_residual", c.relative_residual)?;
    dict.set_item("system", &c.system)?;
    dict.set_item("empirical_risk", c.empirical_risk)?;
    dict.set_item("discrepancy", c.discrepancy)?;
    dict.set_item("filter_error", c.filter_error)?;
    dict.set_item("running_loss", c.running_loss)?;
    dict.set_item("primal", c.primal)?;
    dict.set_item("dual", c.dual)?;
    dict.set_item("gap", c.gap())?;
    dict.set_item("rounding", c.rounding)?;
    dict.set_item("iterations", c.iterations)?;
    dict.set_item("jitter", c.jitter)?;
    dict.set_item("rank", c.rank)?;
    dict.set_item("condition", c.condition)?;
    let repaired = c.repaired.as_ref().map(|r| -> PyResult<_> {
        let dict = PyDict::new(py);
        dict.set_item("method", &r.method)?;
        dict.set_item("smallest_eigenvalue", r.smallest_eigenvalue)?;
        dict.set_item("negative", r.negative)?;
        dict.set_item("moved_share", r.moved_share)?;
        Ok(dict)
    });
    dict.set_item("repaired", repaired.transpose()?)?;
    Ok(dict)
}
