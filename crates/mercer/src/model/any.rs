//! A fitted model of any kind, as pipelines and files hold it.

use crate::certificate::Certificate;
use crate::data::Inputs;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::gp::{GaussianProcessClassifierModel, GaussianProcessModel};
use super::regress::KernelRidgeModel;
use super::{Expansion, KernelMachine, Link, Shifts};

/// The result of one of the learners.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyModel {
    /// Of kernel ridge regression, with leave-one-out and intervals.
    Ridge(KernelRidgeModel),
    /// Of the other learners.
    Machine(KernelMachine),
    /// Of a Gaussian process regression, with variances and samples.
    Process(GaussianProcessModel),
    /// Of a Gaussian process classification.
    ProcessClassifier(GaussianProcessClassifierModel),
}

impl From<KernelRidgeModel> for AnyModel {
    fn from(model: KernelRidgeModel) -> Self {
        AnyModel::Ridge(model)
    }
}

impl From<KernelMachine> for AnyModel {
    fn from(machine: KernelMachine) -> Self {
        AnyModel::Machine(machine)
    }
}

impl From<GaussianProcessModel> for AnyModel {
    fn from(model: GaussianProcessModel) -> Self {
        AnyModel::Process(model)
    }
}

impl From<GaussianProcessClassifierModel> for AnyModel {
    fn from(model: GaussianProcessClassifierModel) -> Self {
        AnyModel::ProcessClassifier(model)
    }
}

impl AnyModel {
    /// The learner's name, such as `kernel_ridge`.
    pub fn learner(&self) -> &str {
        match self {
            AnyModel::Ridge(_) => "kernel_ridge",
            AnyModel::Machine(machine) => &machine.learner,
            AnyModel::Process(_) => "gaussian_process_regressor",
            AnyModel::ProcessClassifier(_) => "gaussian_process_classifier",
        }
    }

    /// The functions.
    pub fn expansion(&self) -> &Expansion {
        match self {
            AnyModel::Ridge(model) => model.expansion(),
            AnyModel::Machine(machine) => &machine.expansion,
            AnyModel::Process(model) => model.expansion(),
            AnyModel::ProcessClassifier(model) => model.expansion(),
        }
    }

    /// What their values mean. Those of a process are not probabilities themselves: see
    /// [`probabilities`](Self::probabilities).
    pub fn link(&self) -> Link {
        match self {
            AnyModel::Machine(machine) => machine.link,
            _ => Link::Identity,
        }
    }

    /// Whether it gives probabilities of classes.
    pub fn has_probabilities(&self) -> bool {
        match self {
            // They need k(x, x), which a precomputed matrix does not hold.
            AnyModel::ProcessClassifier(model) => !matches!(model.expansion().points(), Inputs::Precomputed(_)),
            other => other.link().has_probabilities(),
        }
    }

    /// How far they are from the solution.
    pub fn certificate(&self) -> &Certificate {
        match self {
            AnyModel::Ridge(model) => model.certificate(),
            AnyModel::Machine(machine) => &machine.certificate,
            AnyModel::Process(model) => model.certificate(),
            AnyModel::ProcessClassifier(model) => model.certificate(),
        }
    }

    /// The model of kernel ridge regression, if it is one.
    pub fn ridge(&self) -> Option<&KernelRidgeModel> {
        match self {
            AnyModel::Ridge(model) => Some(model),
            _ => None,
        }
    }

    /// The weights of the training rows that counted, where the model keeps them.
    pub fn weights(&self) -> Option<&[f64]> {
        match self {
            AnyModel::Ridge(model) => model.parts().weights.as_deref(),
            AnyModel::Machine(_) => None,
            AnyModel::Process(model) => model.parts().weights.as_deref(),
            AnyModel::ProcessClassifier(model) => model.parts().weights.as_deref(),
        }
    }

    /// log p(y | X, θ) of a Gaussian process, Laplace's approximation of it for classes.
    pub fn log_evidence(&self) -> Option<f64> {
        match self {
            AnyModel::Process(model) => Some(model.log_evidence()),
            AnyModel::ProcessClassifier(model) => Some(model.log_evidence()),
            _ => None,
        }
    }

    /// alpha, where the learner has one.
    pub fn alpha(&self) -> Option<f64> {
        match self {
            AnyModel::Ridge(model) => Some(model.alpha()),
            AnyModel::Machine(machine) => machine.settings.get("alpha").and_then(serde_json::Value::as_f64),
            AnyModel::Process(model) => Some(model.alpha()),
            AnyModel::ProcessClassifier(_) => None,
        }
    }

    /// What the learner was told and chose, where it keeps that: the loss, alpha, …
    pub fn settings(&self) -> Option<&serde_json::Map<String, serde_json::Value>> {
        match self {
            AnyModel::Machine(machine) => Some(&machine.settings),
            _ => None,
        }
    }

    /// The quantiles that its outputs are, if they are.
    pub fn quantiles(&self) -> Option<Vec<f64>> {
        let list = self.settings()?.get("quantiles")?.as_array()?;
        list.iter().map(serde_json::Value::as_f64).collect()
    }

    /// What calibration adds to each output, if it was calibrated.
    pub fn shifts(&self) -> Option<Vec<f64>> {
        Shifts::of(self.settings()?, self.outputs()).ok().flatten().map(|shifts| shifts.0)
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.expansion().kernel()
    }

    /// The points kept.
    pub fn points(&self) -> &Inputs {
        self.expansion().points()
    }

    /// α, row-major: points×outputs.
    pub fn coefficients(&self) -> &[f64] {
        self.expansion().coefficients()
    }

    /// b, one an output.
    pub fn intercept(&self) -> &[f64] {
        self.expansion().intercept()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.expansion().outputs()
    }

    /// f(x) for every point x, row-major: rows×outputs.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        match self {
            AnyModel::Ridge(model) => model.predict(x, run),
            AnyModel::Machine(machine) => machine.decision(x, run),
            AnyModel::Process(model) => model.predict(x, run),
            AnyModel::ProcessClassifier(model) => model.decision(x, run),
        }
    }

    /// The probabilities of the classes at points with these values, row-major: rows×classes; nothing
    /// where the model has none. A process needs k(x, x), which a precomputed matrix does not hold.
    pub fn probabilities(&self, x: &Inputs, values: &[f64], run: &Run) -> Result<Option<Vec<f64>>> {
        match self {
            AnyModel::ProcessClassifier(_) if matches!(x, Inputs::Precomputed(_)) => Ok(None),
            AnyModel::ProcessClassifier(model) => model.probabilities(x, run).map(Some),
            other => Ok(other.link().probabilities(values, other.outputs())),
        }
    }
}
