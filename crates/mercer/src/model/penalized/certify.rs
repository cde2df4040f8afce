//! The certificate of a machine with a loss, computed again from the data of its fit.
//!
//! By the same code as when it was found: `measure`.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::certificate::{Algorithm, Certificate};
use crate::data::{Inputs, Labels, Targets};
use crate::error::{Error, Result};
use crate::gram::Bound;
use crate::linalg::Ball;
use crate::loss::{Loss, LossSpec, NamedLoss, Pinball, RowLoss, ScalarRows, SoftmaxRows};
use crate::model::KernelMachine;
use crate::model::classify::ClassWeight;
use crate::model::squares::quotient;
use crate::model::training::subset;
use crate::run::Run;

use super::measure::{Claim, Measured};
use super::point::Rows;

/// Residual, objective and dual bound on these rows, in the order of the fit; how the answer was found is
/// copied from the machine.
pub(crate) fn certify(
    machine: &KernelMachine,
    x: &Inputs,
    y: &Targets,
    weights: Option<&[f64]>,
    run: &Run,
) -> Result<Certificate> {
    let f = &machine.expansion;
    let weights = by_class(machine, y, weights)?.unwrap_or_else(|| vec![1.0; x.len()]);
    // A row of weight 0 has no part in the fit; of a precomputed matrix it has a place.
    let counting: Vec<usize> = (0..x.len()).filter(|i| weights[*i] > 0.0).collect();
    let c = f.outputs();
    let (kernel, coefficients) = match x {
        Inputs::Precomputed(_) => {
            let own = counting.iter().flat_map(|i| f.coefficients()[i * c..(i + 1) * c].to_vec());
            (f.space().gram(&subset(x, &counting), run)?, own.collect())
        }
        points => (f.space().cross(&points.take(&counting), f.points(), run)?, f.coefficients().to_vec()),
    };
    if coefficients.len() != counting.len() * c {
        return Err(Error::shape(
            "the rows of the fit",
            format!("{} that count", coefficients.len() / c),
            counting.len(),
        ));
    }
    let weights = counting.iter().map(|i| weights[*i]).collect();
    let seen = Seen { kernel, coefficients, weights };
    let (mut primal, mut rounding, mut dual, mut residual) =
        (Ball::from(0.0), Ball::from(0.0), Some(Ball::from(0.0)), 0.0f64);
    for part in parts(machine, y)?.iter().map(|part| part.of(&counting)) {
        let found = seen.measure(machine, &part, run)?;
        (primal, rounding) = (primal + Ball::from(found.primal), rounding + Ball::from(found.rounding));
        dual = dual.zip(found.dual).map(|(sum, dual)| sum + Ball::from(dual));
        residual = residual.max(match (machine.certificate.algorithm, found.gap) {
            (Algorithm::InteriorPoint, Some(gap)) => quotient(gap, found.primal),
            _ => found.slope_residual,
        });
    }
    Ok(Certificate {
        relative_residual: Some(residual),
        primal: Some(primal.above()),
        dual: dual.filter(|_| machine.certificate.dual.is_some()).map(Ball::below),
        rounding: Some(rounding.above()),
        ..machine.certificate.clone()
    })
}

/// The outputs that one loss looks at.
struct Part {
    outputs: Range<usize>,
    alpha: f64,
    targets: Goal,
}

enum Goal {
    One(Arc<dyn Loss>, Vec<f64>),
    Softmax(Vec<usize>),
}

impl Part {
    /// The same on some rows.
    fn of(&self, rows: &[usize]) -> Part {
        let targets = match &self.targets {
            Goal::One(loss, y) => Goal::One(Arc::clone(loss), rows.iter().map(|i| y[*i]).collect()),
            Goal::Softmax(codes) => Goal::Softmax(rows.iter().map(|i| codes[*i]).collect()),
        };
        Part { outputs: self.outputs.clone(), alpha: self.alpha, targets }
    }
}

/// Kernel values with the machine's points, and its coefficients.
struct Seen {
    kernel: Bound,
    coefficients: Vec<f64>,
    weights: Vec<f64>,
}

impl Seen {
    fn measure(&self, machine: &KernelMachine, part: &Part, run: &Run) -> Result<Measured> {
        match &part.targets {
            Goal::One(loss, y) => {
                let smooth = machine.certificate.algorithm != Algorithm::InteriorPoint;
                let rows = Rows::One { loss: &**loss, y, smooth };
                self.of(machine, part, &ScalarRows { loss: &**loss, y }, rows, run)
            }
            Goal::Softmax(codes) => {
                self.of(machine, part, &SoftmaxRows::new(codes, part.outputs.len())?, Rows::Softmax, run)
            }
        }
    }

    fn of(
        &self,
        machine: &KernelMachine,
        part: &Part,
        loss: &dyn RowLoss,
        rows: Rows<'_>,
        run: &Run,
    ) -> Result<Measured> {
        let (f, c) = (&machine.expansion, machine.expansion.outputs());
        let coefficients: Vec<f64> =
            self.coefficients.chunks(c).flat_map(|row| row[part.outputs.clone()].to_vec()).collect();
        let claim = Claim {
            kernel: &self.kernel,
            loss,
            weights: &self.weights,
            alpha: part.alpha,
            bound: None,
            coefficients: &coefficients,
            intercept: &f.intercept()[part.outputs.clone()],
            free: has_intercept(&machine.settings),
            rows,
        };
        claim.measure(run)
    }
}

/// The weights of the rows, times those of their classes.
fn by_class(machine: &KernelMachine, y: &Targets, own: Option<&[f64]>) -> Result<Option<Vec<f64>>> {
    let known = machine.settings.get("class_weight").cloned().map(serde_json::from_value::<ClassWeight>);
    match known {
        Some(Ok(weight)) => weight.rows(&machine.learner, &Labels::from_targets(y)?, own),
        _ => Ok(own.map(<[f64]>::to_vec)),
    }
}

fn has_intercept(settings: &Map<String, Value>) -> bool {
    settings.get("fit_intercept").and_then(Value::as_bool).unwrap_or(false)
}

/// The losses that the settings name, with their targets.
fn parts(machine: &KernelMachine, y: &Targets) -> Result<Vec<Part>> {
    let settings = &machine.settings;
    let refuse = |what: &str| Error::Unsupported {
        what: format!("verifying a model of `{}` {what}", machine.learner),
        alternative: "fit it with the command line, by one of Mercer's own losses and alpha".into(),
    };
    if settings.contains_key("norm_bound") {
        return Err(refuse("with a bound of the norm"));
    }
    let c = machine.expansion.outputs();
    let alphas: Option<Vec<f64>> = match settings.get("alpha") {
        Some(Value::Array(list)) => list.iter().map(Value::as_f64).collect(),
        Some(one) => one.as_f64().map(|alpha| vec![alpha; c]),
        None => None,
    };
    let alphas = alphas.filter(|list| list.len() == c).ok_or_else(|| refuse("without alpha"))?;
    let name = settings.get("loss").and_then(Value::as_str).unwrap_or_default();
    if name == "softmax" {
        let targets = Goal::Softmax(Labels::from_targets(y)?.codes().to_vec());
        return Ok(vec![Part { outputs: 0..c, alpha: alphas[0], targets }]);
    }
    let column = |o: usize| (0..y.nrows()).map(|i| y.row(i)[o.min(y.outputs() - 1)]).collect::<Vec<f64>>();
    let loss = |o: usize| match settings.get("quantiles").and_then(|q| q.get(o)).and_then(Value::as_f64) {
        Some(quantile) => Ok(Arc::new(Pinball::new(quantile)?) as Arc<dyn Loss>),
        None => {
            let parameter = LossSpec::find(name).and_then(|spec| spec.parameter);
            let given = parameter.and_then(|p| settings.get(p.name)?.as_f64());
            NamedLoss::parse(name, given).and_then(NamedLoss::build).map_err(|_| refuse("with a loss of your own"))
        }
    };
    (0..c).map(|o| Ok(Part { outputs: o..o + 1, alpha: alphas[o], targets: Goal::One(loss(o)?, column(o)) })).collect()
}
