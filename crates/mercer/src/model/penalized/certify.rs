//! The certificate of a machine with a loss, computed again from the data of its fit.
//!
//! With v = −alpha·a of the machine, g = w·∇ℓ(z) and a dual point u, the gap is
//! Σ (wᵢℓᵢ(zᵢ) + wᵢℓᵢ*(uᵢ/wᵢ) − uᵢzᵢ) + tr (v − u)ᵀK(v − u)/(2·alpha). Of smooth losses u = g, of others
//! u = v within the bounds of the conjugate.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::certificate::{Algorithm, Certificate};
use crate::data::{Inputs, Labels, Targets};
use crate::error::{Error, Result};
use crate::gram::{Bound, apply};
use crate::loss::{Loss, NamedLoss, Pinball, RowLoss, ScalarRows, SoftmaxRows};
use crate::model::KernelMachine;
use crate::model::classify::ClassWeight;
use crate::run::Run;
use crate::solver::penalized::balance;

/// Residual, objective and dual bound on these rows, in the order of the fit; how the answer was found is
/// copied from the machine.
pub(crate) fn certify(
    machine: &KernelMachine,
    x: &Inputs,
    y: &Targets,
    weights: Option<&[f64]>,
    run: &Run,
) -> Result<Certificate> {
    let (f, n, c) = (&machine.expansion, x.len(), machine.expansion.outputs());
    let kernel = match x {
        Inputs::Precomputed(_) => f.space().gram(x, run)?,
        points => f.space().cross(points, f.points(), run)?,
    };
    let mut values = vec![0.0; n * c];
    apply(&kernel, f.coefficients(), c, &mut values, run)?;
    let weights = by_class(machine, y, weights)?.unwrap_or_else(|| vec![1.0; n]);
    let seen = Seen { kernel, values, weights, n, c };
    let parts = parts(machine, y)?;
    let (mut primal, mut dual, mut residual) = (0.0, Some(0.0), 0.0f64);
    for part in &parts {
        let found = seen.measure(machine, part, run)?;
        primal += found.primal;
        dual = dual.zip(found.gap).map(|(sum, gap)| sum + found.primal - gap);
        residual = residual.max(found.residual);
    }
    Ok(Certificate {
        relative_residual: Some(residual),
        primal: Some(primal),
        dual: dual.filter(|_| machine.certificate.dual.is_some()),
        ..machine.certificate.clone()
    })
}

/// The outputs that one loss looks at.
struct Part {
    outputs: Range<usize>,
    alpha: f64,
    rows: Rows,
}

enum Rows {
    One(Arc<dyn Loss>, Vec<f64>),
    Softmax(Vec<usize>),
}

struct Measured {
    primal: f64,
    gap: Option<f64>,
    residual: f64,
}

/// Kernel values with the machine's points, and K·a.
struct Seen {
    kernel: Bound,
    values: Vec<f64>,
    weights: Vec<f64>,
    n: usize,
    c: usize,
}

impl Seen {
    fn measure(&self, machine: &KernelMachine, part: &Part, run: &Run) -> Result<Measured> {
        match &part.rows {
            Rows::One(loss, y) => {
                let smooth = machine.certificate.algorithm != Algorithm::InteriorPoint;
                let limits = |i: usize| {
                    let (low, high) = loss.domain(y[i]);
                    (self.weights[i] * low, self.weights[i] * high)
                };
                self.of(machine, part, &ScalarRows { loss: &**loss, y }, Some(&limits), smooth, run)
            }
            Rows::Softmax(codes) => {
                self.of(machine, part, &SoftmaxRows::new(codes, part.outputs.len())?, None, true, run)
            }
        }
    }

    fn of(
        &self,
        machine: &KernelMachine,
        part: &Part,
        rows: &dyn RowLoss,
        limits: Option<&dyn Fn(usize) -> (f64, f64)>,
        smooth: bool,
        run: &Run,
    ) -> Result<Measured> {
        let (f, k) = (&machine.expansion, part.outputs.len());
        let of = |all: &[f64]| all.chunks(self.c).flat_map(|r| r[part.outputs.clone()].to_vec()).collect::<Vec<f64>>();
        let (a, free) = (of(f.coefficients()), of(&self.values));
        let b = &f.intercept()[part.outputs.clone()];
        let z: Vec<f64> = free.iter().enumerate().map(|(at, v)| v + b[at % k]).collect();
        let (mut g, mut values) = (vec![0.0; z.len()], vec![0.0; self.n]);
        rows.values(&z, &mut values);
        rows.gradients(&z, &mut g);
        g.chunks_mut(k).zip(&self.weights).for_each(|(g, w)| g.iter_mut().for_each(|v| *v *= w));
        let loss: f64 = self.weights.iter().zip(&values).map(|(w, l)| w * l).sum();
        let norm: f64 = a.iter().zip(&free).map(|(a, v)| a * v).sum();
        let primal = loss + 0.5 * part.alpha * norm;
        let v: Vec<f64> = a.iter().map(|a| -part.alpha * a).collect();
        let mut u = if smooth { g.clone() } else { v.clone() };
        if let Some(limits) = limits {
            u.iter_mut().enumerate().for_each(|(i, u)| *u = u.clamp(limits(i).0, limits(i).1));
            if has_intercept(&machine.settings) {
                balance(&mut u, limits);
            }
        }
        let apart: Vec<f64> = v.iter().zip(&u).map(|(v, u)| v - u).collect();
        let mut product = vec![0.0; z.len()];
        apply(&self.kernel, &apart, k, &mut product, run)?;
        let square: f64 = apart.iter().zip(&product).map(|(d, p)| d * p).sum();
        let gap = self.slack(rows, &values, &z, &u).map(|slack| slack + 0.5 * square.max(0.0) / part.alpha);
        let residual = match (smooth, gap) {
            (false, Some(gap)) => gap / primal.abs().max(f64::MIN_POSITIVE),
            _ => size(v.iter().zip(&g).map(|(v, g)| v - g)) / size(g.iter().copied()).max(f64::MIN_POSITIVE),
        };
        Ok(Measured { primal, gap, residual })
    }

    /// Σ wᵢℓᵢ(zᵢ) + wᵢℓᵢ*(uᵢ/wᵢ) − uᵢzᵢ.
    fn slack(&self, rows: &dyn RowLoss, values: &[f64], z: &[f64], u: &[f64]) -> Option<f64> {
        let k = z.len() / self.n.max(1);
        let term = |i: usize| {
            let (z, u, w) = (&z[i * k..(i + 1) * k], &u[i * k..(i + 1) * k], self.weights[i]);
            let scaled: Vec<f64> = u.iter().map(|u| u / w).collect();
            let product: f64 = u.iter().zip(z).map(|(u, z)| u * z).sum();
            rows.conjugate(i, &scaled).map(|c| (w * values[i] + w * c - product).max(0.0))
        };
        (0..self.n).map(term).sum()
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

fn size(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
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
        let rows = Rows::Softmax(Labels::from_targets(y)?.codes().to_vec());
        return Ok(vec![Part { outputs: 0..c, alpha: alphas[0], rows }]);
    }
    let column = |o: usize| (0..y.nrows()).map(|i| y.row(i)[o.min(y.outputs() - 1)]).collect::<Vec<f64>>();
    let loss = |o: usize| match settings.get("quantiles").and_then(|q| q.get(o)).and_then(Value::as_f64) {
        Some(quantile) => Ok(Arc::new(Pinball::new(quantile)?) as Arc<dyn Loss>),
        None => {
            let given = ["delta", "epsilon", "quantile"].iter().find_map(|p| settings.get(*p)?.as_f64());
            NamedLoss::parse(name, given).and_then(NamedLoss::build).map_err(|_| refuse("with a loss of your own"))
        }
    };
    (0..c).map(|o| Ok(Part { outputs: o..o + 1, alpha: alphas[o], rows: Rows::One(loss(o)?, column(o)) })).collect()
}
