//! Quantile curves shifted until they cover what they say: cross-conformal calibration.
//!
//! With a fixed alpha, curves follow the rows that they were fitted to, and new rows lie outside more often than the
//! quantiles say. So the rows are dealt into folds by chance, the curves of the other folds predict each row, and the
//! curve of τ is moved by an order statistic of the scores y − q_τ(x): the ⌊τ(n + 1)⌋-th smallest for τ < ½, the
//! ⌈τ(n + 1)⌉-th otherwise. The n + 1 counts the new row among those seen.
//!
//! Had curves of one part of the rows been shifted by the scores of another, exchangeable new rows would lie between two
//! curves with probability at least the difference of their quantiles (Romano, Patterson & Candès 2019, *Conformalized
//! quantile regression*, theorem 2). Folds spend no rows on that, and come close to it in practice (Vovk 2015,
//! *Cross-conformal predictors*); curves of all rows are a little better than those that were scored.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::chance::Chance;
use crate::data::{Inputs, Precomputed, Targets};
use crate::error::{Error, Result};
use crate::kernel::Registry;
use crate::model::training::subset;
use crate::model::{KernelMachine, Shifts};
use crate::run::Run;

use super::KernelQuantileRegressor;

/// Folds, or as many as there are rows.
const FOLDS: usize = 5;
/// Rounding of τ(n + 1) that is not to count as one row more.
const ROUNDING: f64 = 1e-9;

/// What a calibrated machine says of it, in its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Told {
    folds: usize,
    seed: u64,
    tolerance: f64,
    max_iters: usize,
}

/// Rows that count, with their targets and weights.
pub(super) struct Scored<'a> {
    pub(super) x: &'a Inputs,
    pub(super) y: &'a [f64],
    pub(super) weights: Option<&'a [f64]>,
}

/// Shifts the curves of a machine that was fitted to these rows, and says so in its settings. Returns a note.
pub(super) fn calibrate(
    learner: &KernelQuantileRegressor,
    machine: &mut KernelMachine,
    rows: &Scored<'_>,
    run: &Run,
) -> Result<String> {
    let registry = machine.expansion.space().registry().clone();
    let resolved = KernelQuantileRegressor { kernel: machine.expansion.kernel().clone(), ..learner.clone() };
    let shifts = shifts(&resolved, rows, &registry, run)?;
    let KernelQuantileRegressor { seed, tolerance, max_iters, .. } = *learner;
    let told = Told { folds: FOLDS.min(rows.y.len()), seed, tolerance, max_iters };
    machine.settings.insert("calibration".into(), json!(told));
    machine.settings.insert(Shifts::NAME.into(), json!(shifts));
    let list: Vec<String> = shifts.iter().map(|s| format!("{s:.3e}")).collect();
    Ok(format!("the quantiles were calibrated by {} folds of the rows, and shifted by {}", told.folds, list.join(", ")))
}

/// The shifts computed again for a calibrated machine; nothing for others.
pub(crate) fn again(
    machine: &KernelMachine,
    x: &Inputs,
    y: &Targets,
    weights: Option<&[f64]>,
    run: &Run,
) -> Result<Option<Vec<f64>>> {
    let settings = &machine.settings;
    let Some(told) = settings.get("calibration").cloned() else { return Ok(None) };
    let refuse = || Error::Unsupported {
        what: "verifying quantiles whose calibration cannot be read".into(),
        alternative: "fit the model again".into(),
    };
    let told: Told = serde_json::from_value(told).map_err(|_| refuse())?;
    let numbers = |name: &str| -> Option<Vec<f64>> {
        let value = settings.get(name)?;
        value
            .as_f64()
            .map(|one| vec![one])
            .or_else(|| value.as_array()?.iter().map(serde_json::Value::as_f64).collect())
    };
    let flag = |name: &str| settings.get(name).and_then(serde_json::Value::as_bool);
    let alpha = numbers("alpha").and_then(|list| list.first().copied());
    let learner = KernelQuantileRegressor {
        kernel: machine.expansion.kernel().clone(),
        quantiles: numbers("quantiles").ok_or_else(refuse)?,
        alpha: alpha.ok_or_else(refuse)?,
        fit_intercept: flag("fit_intercept").ok_or_else(refuse)?,
        non_crossing: flag("non_crossing").ok_or_else(refuse)?,
        tolerance: told.tolerance,
        max_iters: told.max_iters,
        calibrate: false,
        seed: told.seed,
    };
    let kept: Vec<usize> = (0..x.len()).filter(|i| weights.is_none_or(|w| w[*i] > 0.0)).collect();
    let counting: Option<Vec<f64>> = weights.map(|w| kept.iter().map(|i| w[*i]).collect());
    let y: Vec<f64> = kept.iter().map(|i| y.row(*i)[0]).collect();
    let rows = Scored { x: &subset(x, &kept), y: &y, weights: counting.as_deref() };
    shifts(&learner, &rows, machine.expansion.space().registry(), run).map(Some)
}

/// The shift of every curve.
fn shifts(learner: &KernelQuantileRegressor, rows: &Scored<'_>, registry: &Registry, run: &Run) -> Result<Vec<f64>> {
    let (n, c) = (rows.y.len(), learner.quantiles.len());
    let weights = rows.weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
    let total: f64 = weights.iter().sum();
    let ranks: Vec<f64> = learner.quantiles.iter().map(|q| rank(*q, total)).collect::<Result<_>>()?;
    if n < 2 {
        return Err(Error::shape("the rows that calibrate quantiles", "at least 2", n));
    }
    let scores = scores(&KernelQuantileRegressor { calibrate: false, ..learner.clone() }, rows, registry, run)?;
    let of = |o: usize| {
        let mut own: Vec<(f64, f64)> = (0..n).map(|i| (scores[i * c + o], weights[i])).collect();
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        // A rank is at most the sum of all weights, but for rounding.
        let found = own.iter().find(|(_, w)| {
            sum += w;
            sum >= ranks[o] - ROUNDING
        });
        found.or(own.last()).map_or(0.0, |(score, _)| *score)
    };
    Ok((0..c).map(of).collect())
}

/// Which smallest score shifts the curve of τ, counted by weights that add up to `total`.
fn rank(quantile: f64, total: f64) -> Result<f64> {
    let place = quantile * (total + 1.0);
    let rank = if quantile < 0.5 { (place + ROUNDING).floor() } else { (place - ROUNDING).ceil() };
    if rank >= 1.0 && rank <= total {
        return Ok(rank);
    }
    let least = if quantile < 0.5 { 1.0 / quantile - 1.0 } else { quantile / (1.0 - quantile) };
    let expected = format!("at least {}", (least - ROUNDING).ceil());
    Err(Error::shape(format!("the rows that calibrate the quantile {quantile}"), expected, total))
}

/// y − q(x) with the curves of the other folds, row-major: n×quantiles.
fn scores(learner: &KernelQuantileRegressor, rows: &Scored<'_>, registry: &Registry, run: &Run) -> Result<Vec<f64>> {
    let (n, c) = (rows.y.len(), learner.quantiles.len());
    let mut order: Vec<usize> = (0..n).collect();
    Chance::new(learner.seed).shuffle(&mut order);
    let folds = FOLDS.min(n);
    let task = run.task("calibration", Some(folds as u64));
    let mut scores = vec![0.0; n * c];
    for fold in 0..folds {
        let mut sides: [Vec<usize>; 2] = Default::default();
        order.iter().enumerate().for_each(|(at, i)| sides[usize::from(at % folds == fold)].push(*i));
        let [train, test] = &sides;
        let y = Targets::new(train.iter().map(|i| rows.y[*i]).collect::<Vec<_>>(), 1)?;
        let weights: Option<Vec<f64>> = rows.weights.map(|w| train.iter().map(|i| w[*i]).collect());
        let part = learner.fit_with(&subset(rows.x, train), &y, weights.as_deref(), registry, run)?.model;
        let curves = part.decision(&across(rows.x, test, train)?, run)?;
        for (i, row) in test.iter().zip(curves.chunks(c)) {
            scores[i * c..(i + 1) * c].iter_mut().zip(row).for_each(|(s, q)| *s = rows.y[*i] - q);
        }
        task.step_or_cancel()?;
    }
    Ok(scores)
}

/// Some points, to be predicted from others: of a precomputed matrix, their kernel values with those.
fn across(x: &Inputs, rows: &[usize], columns: &[usize]) -> Result<Inputs> {
    match x {
        Inputs::Precomputed(k) => {
            let values: Vec<f64> = rows.iter().flat_map(|&i| columns.iter().map(move |&j| k.row(i)[j])).collect();
            Ok(Precomputed::new(values, rows.len(), columns.len())?.into())
        }
        other => Ok(other.take(rows)),
    }
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn ranks_count_the_new_row_among_those_seen() {
        let of = |quantile: f64, rows: f64| rank(quantile, rows).ok();
        assert_eq!((of(0.05, 19.0), of(0.95, 19.0)), (Some(1.0), Some(19.0)));
        assert_eq!((of(0.1, 99.0), of(0.9, 99.0), of(0.5, 99.0)), (Some(10.0), Some(90.0), Some(50.0)));
        assert_eq!((of(0.05, 18.0), of(0.95, 18.0)), (None, None));
        let error = rank(0.95, 18.0).expect_err("too few").to_string();
        assert!(error.contains("at least 19") && error.contains("0.95"), "{error}");
    }
}
