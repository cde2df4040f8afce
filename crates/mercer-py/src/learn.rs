//! Learners by name, fitted to coded targets.

use std::sync::Arc;

use mercer::data::{self, Labels, Targets};
use mercer::kernel::{Param, Registry, Transform};
use mercer::loss::{Loss, NamedLoss};
use mercer::model::classify::{ClassWeight, KernelBarycentre, KernelClassifier, KernelLogisticRegression};
use mercer::model::descent::{KernelGradientDescent, SpectralFilter};
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor, GpTuned, GpTuning};
use mercer::model::regress::{KernelQuantileRegressor, KernelRegressor};
use mercer::model::{AnyModel, FittedMachine, LeastSquaresSvm, Penalty};
use mercer::solver::penalized::PenalizedParams;
use mercer::{Error, KernelExpr, Result, Run};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, Vector};
use crate::choices::Choices;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::machine::{Machine, Told};
use crate::own_loss::OwnLoss;
use crate::rkhs::working;
use crate::run::Options;

/// Points, coded targets, weights, and the kernel with the functions it names.
struct Data<'a> {
    kernel: &'a KernelExpr,
    registry: &'a Registry,
    x: &'a data::Inputs,
    y: Targets,
    weights: Option<Vec<f64>>,
}

/// Fits the learner of this name. Classes are coded as a task codes them: −1 and 1, or a column each.
#[pyfunction]
#[pyo3(signature = (learner, kernel, x, y, weights, choices, loss, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    learner: &str,
    kernel: &Expr,
    x: &Inputs,
    y: Matrix<'py>,
    weights: Option<Vector<'py>>,
    choices: &Bound<'py, PyDict>,
    loss: Option<Bound<'py, PyAny>>,
    options: &Options,
) -> PyResult<Machine> {
    let (outputs, values) = (y.shape()[1], y.as_slice()?.to_vec());
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?.map(<[f64]>::to_vec);
    let choices = Choices::new(learner, choices)?;
    let own = loss.map(|loss| OwnLoss::new(&loss)).transpose()?.map(Arc::new);
    let fitted = working(py, &kernel.registry, options, |run| {
        let y = Targets::new(values, outputs)?;
        let data = Data { kernel: &kernel.expr, registry: &kernel.registry, x: &x.0, y, weights };
        fit(learner, data, choices, own.clone().map(|l| l as Arc<dyn Loss>), run)
    });
    // What the user's loss raised says more than what came of its answer.
    if let Some(raised) = own.as_ref().and_then(|own| own.raised()) {
        return Err(raised);
    }
    let (model, told) = fitted?;
    Ok(Machine { model, told })
}

fn fit(
    learner: &str,
    data: Data<'_>,
    choices: Choices,
    own: Option<Arc<dyn Loss>>,
    run: &Run,
) -> Result<(AnyModel, Told)> {
    match learner {
        "KernelLogisticRegression" => logistic(data, choices, run),
        "KernelClassifier" => classifier(data, choices, own, run),
        "KernelRegressor" => regressor(data, choices, own, run),
        "KernelQuantileRegressor" => quantiles(data, choices, run),
        "KernelBarycentre" => barycentre(data, choices, run),
        "LSSVC" | "LSSVR" => least_squares(learner, data, choices, run),
        "KernelGradientDescent" => gradient_descent(data, choices, run),
        "SpectralFilter" => spectral_filter(data, choices, run),
        "GaussianProcessRegressor" => process(data, choices, run),
        "GaussianProcessClassifier" => process_classifier(data, choices, run),
        other => Err(Error::invalid("the binding", "learner", other, "the name of a learner")),
    }
}

/// A machine with what fitting said of it.
fn machine(fitted: FittedMachine) -> (AnyModel, Told) {
    let told = Told { notes: fitted.report.notes, history: fitted.report.history, tuned: None };
    (fitted.model.into(), told)
}

/// Puts the class weights into the weights of the rows.
fn weigh_classes(data: &mut Data<'_>, choices: &mut Choices, learner: &str) -> Result<Labels> {
    let labels = Labels::from_targets(&data.y)?;
    let by_class: ClassWeight = choices.take("class_weight")?;
    data.weights = by_class.rows(learner, &labels, data.weights.as_deref())?;
    Ok(labels)
}

fn logistic(mut data: Data<'_>, mut choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    let labels = weigh_classes(&mut data, &mut choices, "KernelLogisticRegression")?;
    choices.set("class_weight", "equal".into());
    let mut learner: KernelLogisticRegression = choices.learner()?;
    learner.kernel = data.kernel.clone();
    learner.fit_with(data.x, &labels, data.weights.as_deref(), data.registry, run).map(machine)
}

/// The loss of a name or of the user, alpha or the bound, and when to stop.
fn penalized(
    choices: &mut Choices,
    own: Option<Arc<dyn Loss>>,
) -> Result<(Arc<dyn Loss>, Penalty, bool, PenalizedParams)> {
    let (name, parameter): (Option<String>, Option<f64>) = (choices.take("loss")?, choices.take("loss_parameter")?);
    let loss = match (own, name) {
        (Some(own), _) => own,
        (None, name) => NamedLoss::parse(&name.unwrap_or_default(), parameter)?.build()?,
    };
    let bound: Option<f64> = choices.take("norm_bound")?;
    let alpha: f64 = choices.take("alpha")?;
    let penalty = bound.map_or(Penalty::Alpha(alpha), Penalty::NormBound);
    let params = PenalizedParams { tolerance: choices.take("tolerance")?, max_iterations: choices.take("max_iterations")? };
    Ok((loss, penalty, choices.take("fit_intercept")?, params))
}

fn classifier(
    mut data: Data<'_>,
    mut choices: Choices,
    own: Option<Arc<dyn Loss>>,
    run: &Run,
) -> Result<(AnyModel, Told)> {
    let labels = weigh_classes(&mut data, &mut choices, "KernelClassifier")?;
    let (loss, penalty, fit_intercept, params) = penalized(&mut choices, own)?;
    let learner = KernelClassifier {
        kernel: data.kernel.clone(),
        loss,
        penalty,
        fit_intercept,
        class_weight: ClassWeight::Equal,
        starts: choices.take("starts")?,
        seed: choices.take("seed")?,
        params,
    };
    learner.fit_with(data.x, &labels, data.weights.as_deref(), data.registry, run).map(machine)
}

fn regressor(data: Data<'_>, mut choices: Choices, own: Option<Arc<dyn Loss>>, run: &Run) -> Result<(AnyModel, Told)> {
    let (loss, penalty, fit_intercept, params) = penalized(&mut choices, own)?;
    let learner = KernelRegressor { kernel: data.kernel.clone(), loss, penalty, fit_intercept, params };
    learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run).map(machine)
}

fn quantiles(data: Data<'_>, choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    let mut learner: KernelQuantileRegressor = choices.learner()?;
    learner.kernel = data.kernel.clone();
    learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run).map(machine)
}

fn barycentre(mut data: Data<'_>, mut choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    weigh_classes(&mut data, &mut choices, "KernelBarycentre")?;
    let learner = KernelBarycentre { kernel: data.kernel.clone() };
    learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run).map(machine)
}

fn least_squares(name: &str, mut data: Data<'_>, mut choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    if name == "LSSVC" {
        weigh_classes(&mut data, &mut choices, name)?;
    }
    let learner = LeastSquaresSvm { kernel: data.kernel.clone(), gamma: choices.take("gamma")? };
    let fitted = learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run)?;
    Ok((fitted.model.into(), Told::default()))
}

fn gradient_descent(data: Data<'_>, choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    let mut learner: KernelGradientDescent = choices.learner()?;
    learner.kernel = data.kernel.clone();
    learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run).map(machine)
}

fn spectral_filter(data: Data<'_>, choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    let mut learner: SpectralFilter = choices.learner()?;
    learner.kernel = data.kernel.clone();
    learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run).map(machine)
}

/// The regression that the choices ask for; alpha is tuned unless its bounds are `fixed`.
fn regression(kernel: &KernelExpr, choices: &mut Choices) -> Result<GaussianProcessRegressor> {
    let mut alpha = Param::new(choices.take("alpha")?, Transform::Log);
    alpha.free = choices.take("tune_alpha")?;
    alpha.bounds = choices.take("alpha_bounds")?;
    Ok(GaussianProcessRegressor {
        kernel: kernel.clone(),
        alpha,
        normalize_target: choices.take("normalize_target")?,
        tuning: choices.take::<Option<GpTuning>>("tuning")?,
    })
}

fn process(data: Data<'_>, mut choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    let learner = regression(data.kernel, &mut choices)?;
    let fitted = learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run)?;
    let told = Told { notes: fitted.report.notes, history: Vec::new(), tuned: fitted.report.tuned };
    Ok((fitted.model.into(), told))
}

fn process_classifier(data: Data<'_>, mut choices: Choices, run: &Run) -> Result<(AnyModel, Told)> {
    let tuning = choices.take::<Option<GpTuning>>("tuning")?;
    let learner = GaussianProcessClassifier { kernel: data.kernel.clone(), tuning };
    let fitted = learner.fit_with(data.x, &data.y, data.weights.as_deref(), data.registry, run)?;
    let history = fitted.report.history.into_iter().flatten().collect();
    let tuned: Option<GpTuned> = fitted.report.tuned;
    Ok((fitted.model.into(), Told { notes: fitted.report.notes, history, tuned }))
}

/// The log evidence of a process on data, its gradient if wanted, the paths of the free parameters, and
/// where it was taken: at `theta`, or at the parameters as given.
#[pyfunction]
#[pyo3(signature = (learner, kernel, x, y, weights, choices, theta, gradient, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn log_evidence<'py>(
    py: Python<'py>,
    learner: &str,
    kernel: &Expr,
    x: &Inputs,
    y: Matrix<'py>,
    weights: Option<Vector<'py>>,
    choices: &Bound<'py, PyDict>,
    theta: Option<Vec<f64>>,
    gradient: bool,
    options: &Options,
) -> PyResult<(f64, Vec<f64>, Vec<String>)> {
    let (outputs, values) = (y.shape()[1], y.as_slice()?.to_vec());
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?.map(<[f64]>::to_vec);
    let mut choices = Choices::new(learner, choices)?;
    working(py, &kernel.registry, options, |run| {
        let y = Targets::new(values, outputs)?;
        let evidence = match learner {
            "GaussianProcessClassifier" => GaussianProcessClassifier { kernel: kernel.expr.clone(), tuning: None }
                .evidence_with(&x.0, &y, weights.as_deref(), &kernel.registry, run)?,
            _ => regression(&kernel.expr, &mut choices)?.evidence_with(
                &x.0,
                &y,
                weights.as_deref(),
                &kernel.registry,
                run,
            )?,
        };
        let at = theta.map_or_else(|| evidence.start(), Ok)?;
        if at.len() != evidence.names().len() {
            let expected = format!("{} numbers: {}", evidence.names().len(), evidence.names().join(", "));
            return Err(Error::shape("theta", expected, at.len()));
        }
        match gradient {
            true => evidence.value_and_gradient(&at, run).map(|(v, g)| (v, g, evidence.names())),
            false => evidence.value(&at, run).map(|v| (v, Vec::new(), evidence.names())),
        }
    })
}
