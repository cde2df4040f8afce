//! Tuning the parameters of a kernel by the evidence.

use serde::Serialize;

use crate::certificate::Stop;
use crate::chance::Chance;
use crate::data::{Inputs, Targets, Weights};
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::metric::Times;
use crate::model::{Criterion, Tuned, Tuning, maximise};
use crate::run::Run;
use crate::solver::LbfgsParams;

use super::fixed::FixedEvidence;
use super::{Evidence, per_column};

/// How to tune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuneParams {
    /// Rows that are looked at, drawn by chance where there are more: the cost grows with their cube.
    pub rows: usize,
    /// Rows for each column from which on one length scale for each column is tried.
    pub rows_per_column: usize,
    /// The least alpha to consider. Codes of classes that can be parted look like numbers without
    /// noise, and the evidence would have alpha go to 0 and length scales with it.
    pub least_alpha: f64,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for TuneParams {
    fn default() -> Self {
        TuneParams { rows: 600, rows_per_column: 8, least_alpha: LOG_ALPHA.0.exp(), seed: 0 }
    }
}

/// A tuned kernel.
#[derive(Clone, Debug, Serialize)]
pub struct TunedKernel {
    /// The kernel, without rules.
    pub kernel: KernelExpr,
    /// alpha, which the evidence chose with it.
    pub alpha: f64,
    /// Negative log evidence per row, up to a constant.
    pub evidence: f64,
    /// The mean square of what rows that were left out are missed by, over the variance.
    pub leave_one_out: f64,
    /// Whether there is one length scale for each column.
    pub per_column: bool,
    /// Rows that were looked at.
    pub rows: usize,
    /// The same, each as often as its weight says.
    pub total: f64,
    /// Values computed.
    pub evaluations: usize,
    /// Paths of the parameters that ended at a bound.
    pub at_bounds: Vec<String>,
    /// Why the last search ended.
    pub stop: Stop,
}

/// The ends of log α.
const LOG_ALPHA: (f64, f64) = (-18.0, 7.0);

/// Alphas beside the one of the evidence for which rows are left out: a kernel that does not fit wants another.
const BESIDE: [f64; 3] = [0.1, 1.0, 10.0];
/// Where log α begins.
const FIRST_ALPHA: f64 = 0.1;
/// Steps after which the best of several starts is known.
const FIRST_STEPS: usize = 6;
/// Steps of a search that begins where another has ended.
const LAST_STEPS: usize = 40;
/// What three steps must gain, in the evidence of a row, to be followed by more: of some hundred rows that is a
/// hundredth of what could tell two kernels apart, and where columns hardly matter searches would go on for ever.
pub(crate) const GAIN: f64 = 1e-4;
/// Rows up to which a kernel without free parameters is decomposed, which takes a moment and is not stopped.
const AT_ONCE: usize = 1200;
/// The factor on length scales of the last start. Of many columns of which few matter the median is too short for all of them.
const LONGER: f64 = 2.0;

/// A kernel in both forms.
#[derive(Clone, Debug)]
pub struct Forms {
    /// With the length scales that it was given.
    pub one: TunedKernel,
    /// With one for each column, where rows are enough for that.
    pub per_column: Option<TunedKernel>,
}

impl Forms {
    /// The form whose evidence is better by more than its parameters cost.
    pub fn best(self) -> TunedKernel {
        let evaluations = self.one.evaluations + self.per_column.as_ref().map_or(0, |many| many.evaluations);
        let best = match self.per_column {
            Some(many) if many.price() < self.one.price() => many,
            _ => self.one,
        };
        TunedKernel { evaluations, ..best }
    }
}

impl TunedKernel {
    /// Negative log evidence per row, and what parameters cost: ½ log n each.
    pub fn price(&self) -> f64 {
        self.evidence + 0.5 * self.kernel.names().len() as f64 * self.total.ln() / self.total
    }
}

/// What kernels are tuned on, and how.
#[derive(Clone)]
pub struct Tuner<'a> {
    /// The points.
    pub x: &'a Inputs,
    /// What is to be said of them.
    pub y: Targets,
    /// Positive and one a row; a weight means repetition, and n is their sum.
    pub weights: Option<Weights>,
    /// How to tune.
    pub params: TuneParams,
    /// Progress and stops.
    pub run: &'a Run,
}

impl Tuner<'_> {
    /// Tunes the free parameters of a kernel and alpha; then, where there are rows enough, one length
    /// scale for each column, kept if it gains more than its parameters cost (½ log n each).
    pub fn tune(&self, kernel: &KernelExpr) -> Result<TunedKernel> {
        Ok(self.forms(kernel)?.best())
    }

    /// Both forms of a kernel, as [`tune`](Self::tune) compares them.
    ///
    /// The search with a length scale for each column begins where that with one ended, at the kernel as given, and at twice its length
    /// scales. Where one length scale for all is no use it ends at a bound, and from there no search comes back.
    pub fn forms(&self, kernel: &KernelExpr) -> Result<Forms> {
        let run = self.run;
        let (kernel, _) = kernel.resolve(self.x, &run.without_stops())?;
        let on = self.on()?;
        if kernel.names().is_empty()
            && on.x.len() <= AT_ONCE
            && let Some(one) = on.alone(&kernel, run)?
        {
            return Ok(Forms { one, per_column: None });
        }
        let steps = LbfgsParams::default().max_iterations;
        let one = on.search((kernel.clone(), FIRST_ALPHA), steps, run)?;
        let spread = per_column(&one.kernel, &on.x);
        let extra = spread.names().len() - one.kernel.names().len();
        let enough = extra > 0 && on.total() >= (self.params.rows_per_column * (extra + 1)) as f64;
        if !enough || !one.stop.is_usable() {
            return Ok(Forms { one: on.judged(one, run)?, per_column: None });
        }
        let plain = per_column(&kernel, &on.x);
        let longer = with_longer_scales(&plain)?;
        let many = on.best_of(vec![(spread, one.alpha), (plain, FIRST_ALPHA), (longer, FIRST_ALPHA)], steps, run)?;
        let many = TunedKernel { per_column: true, ..on.judged(many, run)? };
        Ok(Forms { one: on.judged(one, run)?, per_column: Some(many) })
    }

    /// A kernel without rules, searched from its own parameters and an alpha.
    pub fn from(&self, kernel: &KernelExpr, alpha: f64) -> Result<TunedKernel> {
        let on = self.on()?;
        on.judged(on.search((kernel.clone(), alpha), LAST_STEPS, self.run)?, self.run)
    }

    /// The same in a few steps, without what rows that are left out say.
    pub(crate) fn a_little_from(&self, kernel: &KernelExpr, alpha: f64) -> Result<TunedKernel> {
        self.on()?.search((kernel.clone(), alpha), FIRST_STEPS, self.run)
    }

    /// A kernel as it is given, with what rows that are left out say of it.
    pub fn untuned(&self, kernel: &KernelExpr) -> Result<TunedKernel> {
        let fixed = kernel.resolve(self.x, &self.run.without_stops())?.0.with_free(false);
        let found = self.tune(&fixed)?;
        Ok(TunedKernel { kernel: found.kernel.with_free(true), ..found })
    }

    /// s², by which a kernel without rules is to be multiplied to be the covariance of the targets, with noise of variance s²·alpha.
    pub(crate) fn variance(&self, kernel: &KernelExpr, alpha: f64) -> Result<f64> {
        self.on()?.evidence(kernel, alpha).variance(alpha, &self.run.without_stops())
    }

    /// The rows that are looked at.
    fn on(&self) -> Result<On> {
        let Tuner { x, y, weights, params, .. } = self;
        let chosen = sample(x.len(), params);
        weights.as_ref().map_or(Ok(()), |w| w.check_len(x.len()))?;
        let weights = weights.as_ref().map(|w| w.take(&chosen)).transpose()?;
        let y = centred(y, weights.as_ref(), &chosen)?;
        let ends = (params.least_alpha.ln().max(LOG_ALPHA.0), LOG_ALPHA.1);
        Ok(On { x: x.take(&chosen), y, weights, ends })
    }
}

/// [`Tuner::tune`].
pub fn tune(
    kernel: &KernelExpr,
    x: &Inputs,
    y: &Targets,
    weights: Option<&Weights>,
    params: &TuneParams,
    run: &Run,
) -> Result<TunedKernel> {
    Tuner { x, y: y.clone(), weights: weights.cloned(), params: *params, run }.tune(kernel)
}

/// The kernel with every length scale longer.
fn with_longer_scales(kernel: &KernelExpr) -> Result<KernelExpr> {
    let mut theta = kernel.theta()?;
    let scales = kernel.names().into_iter().map(|name| name.contains("length_scale"));
    theta.iter_mut().zip(scales).filter(|(_, is)| *is).for_each(|(t, _)| *t += LONGER.ln());
    kernel.with_theta(&theta)
}

impl Stop {
    /// Whether the search may go on to a next stage.
    fn is_usable(self) -> bool {
        !matches!(self, Stop::Deadline | Stop::Interrupted)
    }
}

/// Rows to look at: all, or so many drawn without return.
fn sample(n: usize, params: &TuneParams) -> Vec<usize> {
    if n <= params.rows { (0..n).collect() } else { Chance::new(params.seed).draw(n, params.rows).0 }
}

/// The targets of these rows, less their mean, each counted by its weight.
fn centred(y: &Targets, weights: Option<&Weights>, rows: &[usize]) -> Result<Targets> {
    let (times, c) = (Times::new(rows.len(), weights), y.outputs());
    let mut values: Vec<f64> = rows.iter().flat_map(|i| y.row(*i).iter().copied()).collect();
    for k in 0..c {
        let mean = times.mean(values.iter().skip(k).step_by(c).copied());
        values.iter_mut().skip(k).step_by(c).for_each(|v| *v -= mean);
    }
    Targets::new(values, c)
}

/// What kernels are tuned on.
struct On {
    x: Inputs,
    y: Targets,
    weights: Option<Weights>,
    /// The ends of log α.
    ends: (f64, f64),
}

impl On {
    /// The number of rows, each as often as its weight says.
    fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.x.len() as f64, Weights::total)
    }

    fn evidence<'a>(&'a self, kernel: &'a KernelExpr, alpha: f64) -> Evidence<'a> {
        let start = alpha.ln().clamp(self.ends.0, self.ends.1);
        Evidence::new(kernel, &self.x, &self.y, self.weights.as_ref(), (start, self.ends))
    }

    /// Searches from a kernel's parameters and an alpha.
    fn search(&self, (kernel, alpha): (KernelExpr, f64), max_iterations: usize, run: &Run) -> Result<TunedKernel> {
        self.raised(&kernel, &self.evidence(&kernel, alpha), max_iterations, run)
    }

    /// A kernel without free parameters, with the alpha that it is best with; nothing where alphas are lost beside its values.
    fn alone(&self, kernel: &KernelExpr, run: &Run) -> Result<Option<TunedKernel>> {
        let moment = run.without_stops();
        let log_alpha = (FIRST_ALPHA.ln().clamp(self.ends.0, self.ends.1), self.ends);
        let evidence = FixedEvidence::new(kernel, &self.x, &self.y, self.weights.as_ref(), log_alpha, &moment)?;
        let found = self.raised(kernel, &evidence, LbfgsParams::default().max_iterations, &moment)?;
        let leave_one_out = evidence.leave_one_out(&self.beside(found.alpha), &moment)?;
        Ok((found.evidence.is_finite() && leave_one_out.is_finite()).then_some(TunedKernel { leave_one_out, ..found }))
    }

    /// The kernel where a criterion of its parameters and log alpha is largest.
    fn raised(
        &self,
        kernel: &KernelExpr,
        evidence: &dyn Criterion,
        max_iterations: usize,
        run: &Run,
    ) -> Result<TunedKernel> {
        let tolerance = LbfgsParams::default().tolerance;
        let tuning = Tuning { restarts: 0, max_iterations, tolerance, gain: GAIN, seed: 0 };
        let (mut at, Tuned { starts, evaluations, at_bounds, stop, .. }) = maximise(evidence, &tuning, run)?;
        let alpha = at.pop().unwrap_or(0.0).exp();
        let kernel_bounds = at_bounds.into_iter().map(|b| b.parameter).filter(|name| name != "alpha");
        Ok(TunedKernel {
            kernel: kernel.with_theta(&at)?,
            alpha,
            evidence: starts.first().map_or(f64::INFINITY, |s| -s.value),
            leave_one_out: f64::INFINITY,
            per_column: false,
            rows: self.x.len(),
            total: self.total(),
            evaluations,
            at_bounds: kernel_bounds.collect(),
            stop,
        })
    }

    /// A few steps from every start, and the rest from where the best has come to.
    fn best_of(&self, starts: Vec<(KernelExpr, f64)>, steps: usize, run: &Run) -> Result<TunedKernel> {
        let mut tried = Vec::new();
        for start in starts {
            // A start that was searched before a stop is enough to go on with.
            if tried.is_empty() || run.stop_reason().is_none() {
                tried.push(self.search(start, FIRST_STEPS, run)?);
            }
        }
        let before: usize = tried.iter().map(|t| t.evaluations).sum();
        tried.sort_by(|a, b| a.evidence.total_cmp(&b.evidence));
        let first = tried.swap_remove(0);
        if first.stop != Stop::MaxIterations {
            return Ok(TunedKernel { evaluations: before, ..first });
        }
        let last = self.search((first.kernel, first.alpha), steps, run)?;
        Ok(TunedKernel { evaluations: before + last.evaluations, ..last })
    }

    /// With what rows that are left out say.
    fn judged(&self, tuned: TunedKernel, run: &Run) -> Result<TunedKernel> {
        let evidence = self.evidence(&tuned.kernel, tuned.alpha);
        let found = evidence.leave_one_out(&self.beside(tuned.alpha), &run.without_stops())?;
        Ok(TunedKernel { leave_one_out: found, ..tuned })
    }

    /// alphas around one that the evidence chose.
    fn beside(&self, alpha: f64) -> [f64; 3] {
        BESIDE.map(|by| (by * alpha).clamp(self.ends.0.exp(), self.ends.1.exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rows;

    /// y depends on the first column alone.
    fn data(n: usize) -> (Inputs, Targets) {
        let mut chance = Chance::new(3);
        let x: Vec<f64> = (0..3 * n).map(|_| 4.0 * chance.unit() - 2.0).collect();
        let y: Vec<f64> = x.chunks(3).map(|p| (3.0 * p[0]).sin() + 5.0).collect();
        (Rows::new(x, n, 3).map(Inputs::from).expect("rows"), Targets::new(y, 1).expect("targets"))
    }

    #[test]
    fn columns_that_do_not_matter_get_long_length_scales() {
        let (x, y) = data(120);
        let kernel = KernelExpr::parse("rbf").expect("a formula");
        let tuned = tune(&kernel, &x, &y, None, &TuneParams::default(), &Run::new()).expect("tuned");
        assert!(tuned.per_column, "{tuned:?}");
        let theta = tuned.kernel.theta().expect("numbers");
        assert!(theta[1] > theta[0] + 1.5 && theta[2] > theta[0] + 1.5, "{}", tuned.kernel);
        assert!(tuned.alpha < 1e-3, "there is no noise, alpha {}", tuned.alpha);
    }

    /// Twenty rows are too few to try a length scale a column, and thirty-nine are not.
    #[test]
    fn a_weight_means_repetition() {
        let (x, y) = data(20);
        let rows: Vec<usize> = (0..20).flat_map(|i| vec![i; 1 + i % 3]).collect();
        let weights = Weights::new((0..20).map(|i| f64::from(1 + i % 3)).collect::<Vec<_>>()).expect("weights");
        let many = Targets::new(rows.iter().map(|i| y.row(*i)[0]).collect::<Vec<_>>(), 1).expect("targets");
        // Copies agree to the last digit, and the evidence would take that for data without noise.
        let (kernel, params) =
            (KernelExpr::parse("rbf").expect("a formula"), TuneParams { least_alpha: 0.05, ..TuneParams::default() });
        let one = tune(&kernel, &x, &y, Some(&weights), &params, &Run::new()).expect("tuned");
        let all = tune(&kernel, &x.take(&rows), &many, None, &params, &Run::new()).expect("tuned");
        assert!((one.evidence - all.evidence).abs() < 1e-7, "{} {}", one.evidence, all.evidence);
        assert_eq!((one.per_column, one.rows, all.rows), (all.per_column, 20, 39));
        let shared = TuneParams { rows_per_column: 1000, ..params };
        let shared = tune(&kernel, &x, &y, Some(&weights), &shared, &Run::new()).expect("tuned");
        assert!(one.evaluations > shared.evaluations, "a length scale a column was tried");
        let wrong = Weights::new([1.0; 19]).expect("weights");
        assert!(tune(&kernel, &x, &y, Some(&wrong), &params, &Run::new()).is_err());
    }

    #[test]
    fn alpha_stays_above_the_least() {
        let (x, _) = data(60);
        let Inputs::Dense(rows) = &x else { panic!("dense") };
        let y = Targets::new((0..60).map(|i| rows.row(i).iter().sum()).collect::<Vec<f64>>(), 1).expect("targets");
        let kernel = KernelExpr::parse("linear").expect("a formula");
        let params = TuneParams { least_alpha: 0.5, ..TuneParams::default() };
        let tuned = tune(&kernel, &x, &y, None, &params, &Run::new()).expect("tuned");
        assert!((tuned.alpha - 0.5).abs() < 1e-12, "less would be better, so it ends at the bound: {}", tuned.alpha);
    }

    #[test]
    fn tuning_is_the_same_every_time_and_looks_at_so_many_rows() {
        let (x, y) = data(90);
        let kernel = KernelExpr::parse("rbf + linear").expect("a formula");
        let params = TuneParams { rows: 40, ..TuneParams::default() };
        let [a, b] = [(), ()].map(|()| tune(&kernel, &x, &y, None, &params, &Run::new()).expect("tuned"));
        assert_eq!((a.rows, a.kernel.to_string(), a.alpha), (40, b.kernel.to_string(), b.alpha));
    }
}
