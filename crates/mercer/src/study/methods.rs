//! Descent with all rows, with one, and with a few at a time.

use std::time::Instant;

use serde::Serialize;

use crate::error::Result;
use crate::metric::rmse;
use crate::model::Model;
use crate::model::descent::{KernelGradientDescent, KernelSgd, StepSize, Stopping};
use crate::run::Run;

use super::gd_sgd::{Bench, USUAL};

/// A method, pass by pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodRow {
    /// Its name.
    pub name: String,
    /// The step.
    pub step_size: f64,
    /// Rows to a step.
    pub batch_size: usize,
    /// [passes over the data, root mean squared residual].
    pub points: Vec<[f64; 2]>,
    /// Passes to the tolerance; nothing if it was not reached.
    pub passes: Option<usize>,
    /// Steps to the tolerance.
    pub iterations: Option<usize>,
    /// The time of those, or of all passes.
    pub seconds: f64,
    /// Root mean squared distance to the truth at new points, after them.
    pub error: f64,
}

/// A fit with so many passes.
type Fit<'a> = dyn Fn(usize, &Run) -> Result<Model> + 'a;

/// All of them.
pub(super) fn methods(bench: &Bench<'_>, run: &Run) -> Result<Vec<MethodRow>> {
    let n = bench.choices.n;
    let step = USUAL / bench.largest;
    let (x, y) = (&bench.square.x, &bench.square.y);
    let whole = |passes: usize, run: &Run| {
        let (step_size, stopping) = (StepSize::Constant(step), Stopping::Iterations(passes));
        Ok(KernelGradientDescent { step_size, stopping, ..bench.base.clone() }.fit(x, y, None, run)?.model)
    };
    let mut rows = vec![bench.row("all rows a step", (step, n), &whole, run)?];
    for (name, batch_size, averaging) in
        [("one row a step", 1, false), ("one row, averaged", 1, true), ("10 rows a step", 10.min(n), false)]
    {
        // k(x, x) = 1, so that steps below 2 converge: a mean of several rows is less noisy and may go further.
        let step = if batch_size == 1 { 0.5 } else { 1.5 };
        let some = |passes: usize, run: &Run| {
            let kernel = bench.base.kernel.clone();
            let seed = bench.choices.seed;
            let step_size = Some(step);
            let sgd = KernelSgd { kernel, step_size, batch_size, passes, averaging, seed, ..KernelSgd::default() };
            Ok(sgd.fit(x, y, None, run)?.model)
        };
        rows.push(bench.row(name, (step, batch_size), &some, run)?);
    }
    Ok(rows)
}

impl Bench<'_> {
    /// Every number of passes is run from the beginning: the order of rows is the same each time.
    fn row(&self, name: &str, (step_size, batch_size): (f64, usize), fit: &Fit<'_>, run: &Run) -> Result<MethodRow> {
        let steps_a_pass = self.choices.n.div_ceil(batch_size);
        let (mut points, mut passes, mut last) = (Vec::new(), None, (f64::NAN, f64::NAN));
        for p in passes_to_try(self.choices.max_passes) {
            let begin = Instant::now();
            let machine = fit(p, run)?;
            let seconds = begin.elapsed().as_secs_f64();
            run.task("study", None).step_or_cancel()?;
            let residual = rmse(self.square.y.values(), &machine.predict(&self.square.x, run)?, None);
            points.push([p as f64, residual]);
            if passes.is_none() {
                last = (seconds, rmse(&self.square.truth, &machine.predict(&self.square.fresh, run)?, None));
            }
            if residual <= self.choices.tolerance() {
                passes = passes.or(Some(p));
            }
        }
        Ok(MethodRow {
            name: name.into(),
            step_size,
            batch_size,
            points,
            passes,
            iterations: passes.map(|p| p * steps_a_pass),
            seconds: last.0,
            error: last.1,
        })
    }
}

/// 1, 2, 3, 4, then by factors of 2^½, up to the largest.
fn passes_to_try(most: usize) -> Vec<usize> {
    let mut list: Vec<usize> = (0..64).map(|i| 2f64.powf(f64::from(i) / 2.0).round() as usize).collect();
    list.retain(|p| *p < most);
    list.push(most);
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    #[test]
    fn passes_grow_to_the_largest() {
        assert_eq!(super::passes_to_try(1), [1]);
        assert_eq!(super::passes_to_try(20), [1, 2, 3, 4, 6, 8, 11, 16, 20]);
    }
}
