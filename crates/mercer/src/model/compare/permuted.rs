//! The test by permutations, drawn or all of them.

use crate::error::{Error, Result};
use crate::run::Run;

use super::fuse::Fuse;
use super::mmd::{Mmd, Samples};
use super::pvalue::{Counted, count};
use super::result::{Approximation, Ended, Null, TestResult};
use super::splits::{Groups, Splits, number_of_splits};
use super::statistic::{Measured, Summary};

/// Permutations of a pass over the kernel matrix. A larger portion would save kernel values and cost memory; at this size kernel
/// values are a small part of the work.
const PORTION: usize = 1024;
/// The first portion where drawing may stop early.
const FIRST: usize = 128;

/// The hypothesis, in words.
pub(super) const HYPOTHESIS: &str = "the two samples come from one distribution";

/// Tests by permutations; also says which kernel shows the difference best.
pub(super) fn test(mmd: &Mmd, samples: &Samples<'_>, run: &Run) -> Result<(TestResult, usize)> {
    let m = samples.m;
    let bind = |space: &crate::rkhs::Space| Ok(Measured::new(space.gram(samples.z, run)?, m, mmd.estimate));
    let kernels = samples.spaces.iter().map(bind).collect::<Result<Vec<_>>>()?;
    let mut drawn = Drawn::new(mmd, samples, &kernels);
    drawn.draw(mmd, run)?;
    Ok(drawn.result(mmd, samples))
}

/// The permutations so far.
struct Drawn<'a> {
    kernels: &'a [Measured],
    splits: Splits,
    /// All splits there are, where all are taken.
    all: Option<usize>,
    m: usize,
    n: usize,
    summaries: Vec<Summary>,
    fuse: Fuse,
    /// The statistic of the data, and of each kernel.
    observed: f64,
    own: Vec<f64>,
    /// Those of the permutations; for each kernel, too.
    null: Vec<f64>,
    nulls: Vec<Vec<f64>>,
    stop: Ended,
}

impl<'a> Drawn<'a> {
    fn new(mmd: &Mmd, samples: &Samples<'_>, kernels: &'a [Measured]) -> Self {
        let (m, rows) = (samples.m, samples.z.len());
        let all = number_of_splits(rows, m, mmd.n_permutations);
        let splits = if all.is_some() { Splits::all(rows, m) } else { Splits::by_chance(rows, m, mmd.seed) };
        Drawn {
            kernels,
            splits,
            all,
            m,
            n: rows - m,
            summaries: Vec::new(),
            fuse: Fuse::new(m.min(rows - m), &[]),
            observed: f64::NAN,
            own: Vec::new(),
            null: Vec::new(),
            nulls: vec![Vec::new(); kernels.len()],
            stop: Ended::All,
        }
    }

    /// Draws portions until there are as many as asked for, or a reason to stop. What a portion that was stopped had found is left.
    fn draw(&mut self, mmd: &Mmd, run: &Run) -> Result<()> {
        let wanted = self.all.unwrap_or(mmd.n_permutations);
        let mut portion = if mmd.enough.is_some() { FIRST } else { PORTION };
        while self.null.len() < wanted {
            match self.portion(portion.min(wanted - self.null.len()), run) {
                Err(Error::Cancelled { .. }) if !self.null.is_empty() => {
                    self.stop = run.stop_reason().map_or(Ended::Interrupted, Ended::from);
                    return Ok(());
                }
                other => other?,
            }
            if self.all.is_none() && self.count(mmd.enough).enough {
                self.stop = Ended::Sequential;
                return Ok(());
            }
            portion = (2 * portion).min(PORTION);
        }
        Ok(())
    }

    /// One pass of each kernel. The data themselves are the first split of the first one, on the same path as all others.
    fn portion(&mut self, count: usize, run: &Run) -> Result<()> {
        let rows = self.m + self.n;
        let first = self.null.is_empty();
        let mut observed = first.then(|| Splits::all(rows, self.m));
        let groups = Groups::drawn(rows, count + usize::from(first), |words| match observed.take() {
            Some(mut data) => data.next(words),
            None => self.splits.next(words),
        });
        let passes = self.kernels.iter().map(|k| k.statistics(&groups, run)).collect::<Result<Vec<_>>>()?;
        if first {
            self.summaries = passes.iter().map(|(_, summary)| *summary).collect();
            let squares: Vec<f64> = self.summaries.iter().map(|s| s.mean_square).collect();
            self.fuse = Fuse::new(self.m.min(self.n), &squares);
            self.own = passes.iter().map(|(values, _)| values[0]).collect();
            self.observed = self.fuse.of(self.own.iter().copied());
        }
        for b in usize::from(first)..groups.len() {
            self.null.push(self.fuse.of(passes.iter().map(|(values, _)| values[b])));
        }
        for (null, (values, _)) in self.nulls.iter_mut().zip(passes) {
            null.extend_from_slice(&values[usize::from(first)..]);
        }
        Ok(())
    }

    /// Both the statistic and a permutation's may be off.
    fn tolerance(&self) -> f64 {
        let roundings: Vec<f64> = self.summaries.iter().map(|s| s.rounding).collect();
        2.0 * self.fuse.rounding(&roundings, self.observed)
    }

    fn count(&self, enough: Option<usize>) -> Counted {
        count(self.observed, &self.null, self.tolerance(), enough)
    }

    /// The p-value of a count: of all splits the observed one is among them, so nothing is added.
    fn pvalue(&self, counted: &Counted) -> f64 {
        match self.all.is_some() && self.stop == Ended::All {
            true => counted.reached as f64 / counted.of as f64,
            false => counted.pvalue(),
        }
    }

    fn result(mut self, mmd: &Mmd, samples: &Samples<'_>) -> (TestResult, usize) {
        let enough = if self.stop == Ended::Sequential { mmd.enough } else { None };
        let counted = self.count(enough);
        let pvalue = self.pvalue(&counted);
        self.null.truncate(counted.of);
        self.nulls.iter_mut().for_each(|null| null.truncate(counted.of));
        let best = self.fuse.best(&self.own);
        let exact = self.all.is_some() && self.stop == Ended::All;
        let several = self.kernels.len() > 1;
        let mut estimate = mmd.estimate.describe();
        if several {
            (estimate.symbol, estimate.formula) = FUSED;
        }
        let result = TestResult {
            test: "mmd",
            hypothesis: HYPOTHESIS.into(),
            statistic: self.observed,
            estimate,
            pvalue,
            null: if exact { Null::Enumeration } else { Null::Permutation },
            reached: counted.reached,
            resolution: if exact { 1.0 / counted.of as f64 } else { 1.0 / (counted.of + 1) as f64 },
            n_permutations: counted.of,
            stop: self.stop,
            approximation: self.approximation(),
            sizes: vec![self.m, self.n],
            kernels: self.tested(samples),
            aggregation: several.then_some("fuse"),
            tolerance: self.tolerance(),
            seed: mmd.seed,
            notes: Vec::new(),
            null_distribution: self.null,
        };
        (result, best)
    }

    fn tested(&self, samples: &Samples<'_>) -> Vec<super::TestedKernel> {
        let exact = self.all.is_some() && self.stop == Ended::All;
        let one = |k: usize| {
            let counted = count(self.own[k], &self.nulls[k], 2.0 * self.summaries[k].rounding, None);
            let pvalue = if exact { counted.reached as f64 / counted.of as f64 } else { counted.pvalue() };
            super::TestedKernel { statistic: Some(self.own[k]), pvalue: Some(pvalue), ..samples.tested(k) }
        };
        (0..self.own.len()).map(one).collect()
    }

    /// The smallest tail times the number of kernels (Bonferroni).
    fn approximation(&self) -> Option<Approximation> {
        let tails = self.kernels.iter().zip(&self.own).zip(&self.summaries);
        let smallest = tails.filter_map(|((k, t), s)| k.gamma_tail(*t, s)).fold(f64::INFINITY, f64::min);
        let single = if let [only] = &self.summaries[..] { only.moments } else { None };
        let name = match single {
            Some(_) => "gamma fitted to the exact permutation mean and variance",
            None => "gamma fitted to the exact permutation mean and variance of each kernel, times their number",
        };
        let pvalue = (smallest * self.kernels.len() as f64).min(1.0);
        let (mean, variance) = (single.map(|s| s.mean), single.map(|s| s.variance));
        smallest.is_finite().then_some(Approximation { name, pvalue, mean, variance })
    }
}

/// The symbol and the formula of several kernels.
pub(super) const FUSED: (&str, &str) =
    ("fused MMD²", "(1/λ) ln meanₖ exp(λ·MMD²ₖ/√νₖ), νₖ the mean of k² over different rows, λ² = s(s − 1)");
