//! A fitted model of any kind, as pipelines and files hold it.

use crate::certificate::Certificate;
use crate::data::Inputs;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::regress::KernelRidgeModel;
use super::{Expansion, KernelMachine, Link};

/// The result of one of the learners.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyModel {
    /// Of kernel ridge regression, with leave-one-out and intervals.
    Ridge(KernelRidgeModel),
    /// Of the other learners.
    Machine(KernelMachine),
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

impl AnyModel {
    /// The learner's name, such as `kernel_ridge`.
    pub fn learner(&self) -> &str {
        match self {
            AnyModel::Ridge(_) => "kernel_ridge",
            AnyModel::Machine(machine) => &machine.learner,
        }
    }

    /// The functions.
    pub fn expansion(&self) -> &Expansion {
        match self {
            AnyModel::Ridge(model) => model.expansion(),
            AnyModel::Machine(machine) => &machine.expansion,
        }
    }

    /// What their values mean.
    pub fn link(&self) -> Link {
        match self {
            AnyModel::Ridge(_) => Link::Identity,
            AnyModel::Machine(machine) => machine.link,
        }
    }

    /// How far they are from the solution.
    pub fn certificate(&self) -> &Certificate {
        match self {
            AnyModel::Ridge(model) => model.certificate(),
            AnyModel::Machine(machine) => &machine.certificate,
        }
    }

    /// The model of kernel ridge regression, if it is one.
    pub fn ridge(&self) -> Option<&KernelRidgeModel> {
        match self {
            AnyModel::Ridge(model) => Some(model),
            AnyModel::Machine(_) => None,
        }
    }

    /// alpha, where the learner has one.
    pub fn alpha(&self) -> Option<f64> {
        match self {
            AnyModel::Ridge(model) => Some(model.alpha()),
            AnyModel::Machine(machine) => machine.settings.get("alpha").and_then(serde_json::Value::as_f64),
        }
    }

    /// What the learner was told and chose, where it keeps that: the loss, alpha, …
    pub fn settings(&self) -> Option<&serde_json::Map<String, serde_json::Value>> {
        match self {
            AnyModel::Ridge(_) => None,
            AnyModel::Machine(machine) => Some(&machine.settings),
        }
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
        }
    }
}
