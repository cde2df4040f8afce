//! Estimates that look at a part of the pairs, judged by the normal distribution.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::run::Run;

use super::mmd::{Mmd, MmdEstimate, Samples};
use super::permuted::HYPOTHESIS;
use super::result::{Ended, Null, TestResult, TestedKernel};
use super::tail;

/// Tests by the mean of independent estimates, which is nearly normal where there are many.
pub(super) fn test(mmd: &Mmd, samples: &Samples<'_>, run: &Run) -> Result<(TestResult, usize)> {
    let used = samples.m.min(samples.n());
    let block = match mmd.estimate {
        MmdEstimate::Linear => 2,
        _ => (used as f64).sqrt().round().max(2.0) as usize,
    };
    let count = used / block;
    if count < 2 {
        let expected = format!("at least {} rows in each sample for two blocks of {block}", 2 * block);
        return Err(Error::shape("the samples", expected, format!("{} and {}", samples.m, samples.n())));
    }
    let values = blocks(mmd.estimate, samples, [block, count], run)?;
    let mean = values.iter().sum::<f64>() / count as f64;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (count - 1) as f64;
    let deviation = (variance / count as f64).sqrt();
    // Blocks that are all alike say nothing of chance.
    let pvalue = if deviation > 0.0 { tail::normal(mean / deviation) } else { 1.0 };
    let mut notes = vec![
        format!("the mean of {count} blocks of {block} rows has variance {:e}", variance / count as f64).into(),
        "the normal distribution holds for large samples; permutations with the unbiased estimate are exact and find more".into(),
    ];
    if used * 2 < samples.z.len() || !used.is_multiple_of(block) {
        notes.push(format!("the first {} rows of each sample are used", count * block).into());
    }
    let result = TestResult {
        test: "mmd",
        hypothesis: HYPOTHESIS.into(),
        statistic: mean,
        estimate: mmd.estimate.describe(),
        pvalue,
        null: Null::Normal,
        null_distribution: Vec::new(),
        reached: 0,
        resolution: 0.0,
        n_permutations: 0,
        stop: Ended::All,
        approximation: None,
        sizes: vec![samples.m, samples.n()],
        kernels: vec![TestedKernel { statistic: Some(mean), pvalue: Some(pvalue), ..samples.tested(0) }],
        aggregation: None,
        tolerance: 0.0,
        seed: mmd.seed,
        notes,
    };
    Ok((result, 0))
}

/// The estimate of every block, in order.
fn blocks(estimate: MmdEstimate, samples: &Samples<'_>, [block, count]: [usize; 2], run: &Run) -> Result<Vec<f64>> {
    /// Blocks of a step.
    const STEP: usize = 64;
    let matrix = samples.spaces[0].gram(samples.z, run)?;
    let task = run.task("blocks", Some(count.div_ceil(STEP) as u64));
    let of = |b: usize| match estimate {
        MmdEstimate::Linear => four(&matrix, 2 * b, samples.m + 2 * b),
        _ => unbiased(&matrix, b * block, samples.m + b * block, block),
    };
    let mut values = vec![0.0; count];
    run.install(|| {
        values.par_chunks_mut(STEP).enumerate().try_for_each(|(s, values)| {
            values.iter_mut().enumerate().for_each(|(b, value)| *value = of(s * STEP + b));
            task.step_or_cancel()
        })
    })?;
    Ok(values)
}

/// k(x₁, x₂) + k(y₁, y₂) − k(x₁, y₂) − k(x₂, y₁) for two rows from x and two from y.
fn four(matrix: &dyn KernelMatrix, x: usize, y: usize) -> f64 {
    let k = |i: usize, j: usize| {
        let mut value = [0.0];
        matrix.block(i..i + 1, j..j + 1, TileMut::contiguous(&mut value, 1, 1));
        value[0]
    };
    k(x, x + 1) + k(y, y + 1) - k(x, y + 1) - k(x + 1, y)
}

/// The unbiased estimate for b rows from x and b from y.
fn unbiased(matrix: &dyn KernelMatrix, x: usize, y: usize, b: usize) -> f64 {
    let sum = |i: usize, j: usize| {
        let mut tile = vec![0.0; b * b];
        matrix.block(i..i + b, j..j + b, TileMut::contiguous(&mut tile, b, b));
        let all = |i: usize| tile[i * b..(i + 1) * b].iter().sum::<f64>();
        let own = |i: usize| tile[i * b + i];
        if i == j { (0..b).map(|i| all(i) - own(i)).sum() } else { (0..b).map(all).sum::<f64>() }
    };
    let b = b as f64;
    (sum(x, x) + sum(y, y)) / (b * (b - 1.0)) - 2.0 * sum(x, y) / (b * b)
}
