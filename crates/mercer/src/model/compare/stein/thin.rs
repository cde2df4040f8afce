//! Stein thinning: a few points that stand for the target of a score.

use rayon::prelude::*;

use crate::data::Rows;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::run::Run;

use super::kernel::{Stein, SteinBase};

/// Values that a thread computes at a time.
const PART: usize = 1024;

/// Points chosen one after the other, and how good they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Thinned {
    /// The rows that were chosen, in order; a row may be chosen more than once.
    pub indices: Vec<usize>,
    /// The discrepancy of the first t of them, for every t: of Stein's kernel, √(Σᵢⱼ u)/t; of herding, ‖μ̂ − μ̂_t‖.
    pub discrepancy: Vec<f64>,
    /// The base kernel, or the kernel, with its numbers.
    pub kernel: String,
}

/// Stein thinning (Riabiz et al. 2022, *Optimal thinning of MCMC output*, JRSS B 84, algorithm 1): the row of least
/// u(x, x)/2 + Σ u(x, xₛ) over those chosen already, `count` times. Ties go to the first row. Time n·count·d, memory n.
///
/// `standardize` first moves every coordinate to mean 0 and mean absolute deviation 1, scores with it.
pub fn stein_thinning(
    points: &Rows,
    scores: &Rows,
    count: usize,
    settings: (SteinBase, bool),
    run: &Run,
) -> Result<Thinned> {
    if count == 0 {
        return Err(Error::invalid("Stein thinning", "count", count, "≥ 1"));
    }
    let (base, standardize) = settings;
    let scaled = if standardize { Some(standardized(points, scores)?) } else { None };
    let (points, scores) = scaled.as_ref().map_or((points, scores), |(x, s)| (x, s));
    let stein = Stein::new(points, scores, base, run)?;
    let n = stein.nrows();
    let mut diagonal = vec![0.0; n];
    stein.diag(&mut diagonal);
    let mut cost: Vec<f64> = diagonal.iter().map(|u| 0.5 * u).collect();
    let (mut indices, mut discrepancy, mut column) = (Vec::new(), Vec::new(), vec![0.0; n]);
    let task = run.task("thinning", Some(count as u64));
    let mut total = 0.0;
    for t in 1..=count {
        let chosen = first_least(&cost);
        // Σᵢⱼ u over the chosen ones grows by u(x, x) + 2Σ u(x, xₛ), which is twice the cost.
        total += 2.0 * cost[chosen];
        indices.push(chosen);
        discrepancy.push(total.max(0.0).sqrt() / t as f64);
        add_column(&stein, chosen, &mut column, &mut cost, run);
        task.step_or_cancel()?;
    }
    Ok(Thinned { indices, discrepancy, kernel: stein.base().describe() })
}

fn add_column(stein: &Stein, j: usize, column: &mut [f64], cost: &mut [f64], run: &Run) {
    run.install(|| {
        column.par_chunks_mut(PART).zip(cost.par_chunks_mut(PART)).enumerate().for_each(|(block, (u, cost))| {
            let (first, len) = (block * PART, u.len());
            stein.block(j..j + 1, first..first + len, TileMut::contiguous(u, 1, len));
            cost.iter_mut().zip(u.iter()).for_each(|(c, u)| *c += u);
        });
    });
}

/// The place of the least value, the first of them where several tie.
fn first_least(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if *v < values[best] {
            best = i;
        }
    }
    best
}

/// Coordinates less their mean, divided by their mean absolute deviation; scores are multiplied by it.
fn standardized(points: &Rows, scores: &Rows) -> Result<(Rows, Rows)> {
    let (n, d) = (points.nrows(), points.ncols());
    if [scores.nrows(), scores.ncols()] != [n, d] || n == 0 {
        // Said where both are looked at.
        return Ok((points.clone(), scores.clone()));
    }
    let (mut x, mut s) = (points.values().to_vec(), scores.values().to_vec());
    for j in 0..d {
        let mean = (0..n).map(|i| x[i * d + j]).sum::<f64>() / n as f64;
        let deviation = (0..n).map(|i| (x[i * d + j] - mean).abs()).sum::<f64>() / n as f64;
        let scale = if deviation > 0.0 { deviation } else { 1.0 };
        for i in 0..n {
            x[i * d + j] = (x[i * d + j] - mean) / scale;
            s[i * d + j] *= scale;
        }
    }
    Ok((Rows::new(x, n, d)?, Rows::new(s, n, d)?))
}
