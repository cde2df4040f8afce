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

use crate::chance::Chance;
use crate::data::{Inputs, Precomputed};
use crate::error::{Error, Result};
use crate::model::{Learn, Sample};
use crate::note::Note;
use crate::run::Run;

use super::KernelQuantileRegressor;

/// Folds, or as many as there are rows.
const FOLDS: usize = 5;
/// Rounding of τ(n + 1) that is not to count as one row more.
const ROUNDING: f64 = 1e-9;
/// Share of the largest target by which shifts may differ: of other rounding, folds may have curves that are as good, and a
/// little elsewhere.
const ALIKE: f64 = 1e-6;

/// What there is to say of shifts that were found on so many rows.
pub(super) fn note(shifts: &[f64], rows: usize) -> Note {
    Note::Calibrated { folds: FOLDS.min(rows), shifts: shifts.to_vec() }
}

/// Half a sentence if curves were shifted by other numbers than the folds give.
pub(super) fn moved(claimed: &[f64], found: &[f64], y: &[f64]) -> Option<String> {
    let largest = y.iter().fold(f64::MIN_POSITIVE, |m, y| m.max(y.abs()));
    let claim = |o: usize| claimed.get(o).copied().unwrap_or(f64::NAN);
    let alike = |o: usize| (found[o] - claim(o)).abs() <= ALIKE * largest;
    let other = (0..found.len()).find(|o| !alike(*o))?;
    let (is, was) = (found[other], claim(other));
    Some(format!("calibration shifts output {other} by {is:.6e}, and the model claims {was:.6e}"))
}

/// The shift of every curve.
pub(super) fn shifts(learner: &KernelQuantileRegressor, sample: &Sample, run: &Run) -> Result<Vec<f64>> {
    let (n, c) = (sample.n, learner.quantiles.len());
    let weights = sample.weights.as_ref().map_or_else(|| vec![1.0; n], |w| w.to_vec());
    let total: f64 = weights.iter().sum();
    let ranks: Vec<f64> = learner.quantiles.iter().map(|q| rank(*q, total)).collect::<Result<_>>()?;
    if n < 2 {
        return Err(Error::shape("the rows that calibrate quantiles", "at least 2", n));
    }
    let scores = scores(&KernelQuantileRegressor { calibrate: false, ..learner.clone() }, sample, run)?;
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
fn scores(learner: &KernelQuantileRegressor, sample: &Sample, run: &Run) -> Result<Vec<f64>> {
    let (n, c, y) = (sample.n, learner.quantiles.len(), sample.numbers()?);
    let mut order: Vec<usize> = (0..n).collect();
    Chance::new(learner.seed).shuffle(&mut order);
    let folds = FOLDS.min(n);
    let task = run.task("calibration", Some(folds as u64));
    let mut scores = vec![0.0; n * c];
    for fold in 0..folds {
        let mut sides: [Vec<usize>; 2] = Default::default();
        order.iter().enumerate().for_each(|(at, i)| sides[usize::from(at % folds == fold)].push(*i));
        let [train, test] = &sides;
        let part = learner.learn(&sample.part(train)?, run)?.model;
        let curves = part.predict(&across(&sample.x, test, train)?, run)?;
        for (i, row) in test.iter().zip(curves.chunks(c)) {
            scores[i * c..(i + 1) * c].iter_mut().zip(row).for_each(|(s, q)| *s = y.row(*i)[0] - q);
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
