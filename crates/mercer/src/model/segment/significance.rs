//! Whether a change is more than chance: permutations of the points of its parent segment.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::linalg::{filled, simd};
use crate::run::Run;

/// Rows of kernel values that a thread holds.
const ROWS: usize = 12;
/// A gain that is smaller by no more than this share of Σ k(x, x) counts as equal: the rounding of sums.
const EQUAL: f64 = 1e-12;

/// How a change stands out in the segment that it cuts.
///
/// The p-value is valid for the null hypothesis that the points of the parent segment are exchangeable: any order of them is as
/// likely as any other. The first change is judged among all points. Parents of later changes end at earlier ones, so that their
/// p-values are conditional on those; and dependence between neighbours makes all of them too small.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeTest {
    /// The change.
    pub change: usize,
    /// First point of the segment that it cuts, and of the one behind it.
    pub parent: [usize; 2],
    /// What cutting the parent there takes off its cost.
    pub gain: f64,
    /// The largest gain that a cut of the parent has: the statistic.
    pub statistic: f64,
    /// (1 + number of permutations whose largest gain is not smaller)/(1 + number of permutations).
    pub pvalue: f64,
}

/// How many permutations there are, and where chance begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Permutations {
    /// The number; 1/(count + 1) is the least p-value.
    pub count: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for Permutations {
    fn default() -> Self {
        Permutations { count: 199, seed: 0 }
    }
}

/// Tests changes in the order of a tree: of those in a segment, the one of the largest gain cuts it, and the others are looked for
/// in the two parts. Answers stand in the order of the changes.
pub(super) fn tests(
    matrix: &dyn KernelMatrix,
    changes: &[usize],
    min_size: usize,
    permutations: Permutations,
    run: &Run,
) -> Result<Vec<ChangeTest>> {
    let task = run.task("permutations", Some(changes.len() as u64));
    let mut open = vec![(0..matrix.nrows(), changes.to_vec())];
    let mut found = Vec::new();
    while let Some((parent, inside)) = open.pop() {
        if inside.is_empty() {
            continue;
        }
        let (own, largest) = gains(matrix, &parent, min_size, permutations, run)?;
        let gain = |change: &usize| own[change - parent.start];
        // The first of equal ones.
        let first = inside.iter().copied().reduce(|a, b| if gain(&b) > gain(&a) { b } else { a }).unwrap_or_default();
        let statistic = largest[0];
        let reached = largest[1..].iter().filter(|g| **g >= statistic).count();
        found.push(ChangeTest {
            change: first,
            parent: [parent.start, parent.end],
            gain: gain(&first),
            statistic,
            pvalue: (1 + reached) as f64 / largest.len() as f64,
        });
        let (left, right): (Vec<usize>, Vec<usize>) = inside.iter().filter(|c| **c != first).partition(|c| **c < first);
        open.push((parent.start..first, left));
        open.push((first..parent.end, right));
        task.step_or_cancel()?;
    }
    found.sort_by_key(|test| test.change);
    Ok(found)
}

/// The gain of every cut of the parent in its own order, and the largest gain of every order, of which the first is its own; what
/// may be rounding is added to the others.
fn gains(
    matrix: &dyn KernelMatrix,
    parent: &Range<usize>,
    min_size: usize,
    permutations: Permutations,
    run: &Run,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (length, orders) = (parent.len(), permutations.count + 1);
    let less = "ask for fewer permutations";
    let _held = run.reserve(16 * (length * orders) as u128, "orders of the points of a segment", less)?;
    // Every parent has a chance of its own.
    let mut chance = Chance::new(permutations.seed ^ ((parent.start as u64) << 32 | parent.end as u64));
    let mut order: Vec<usize> = (0..length).collect();
    let mut list = vec![order.clone()];
    list.extend((1..orders).map(|_| {
        chance.shuffle(&mut order);
        order.clone()
    }));
    let ranks: Vec<Vec<f64>> = list.iter().map(|order| ranks(order)).collect();
    let (mut sums, _sums) = filled((length * (orders + 2)) as u128, 0.0, "sums of kernel values", less, run)?;
    let height = orders + 2;
    run.install(|| {
        sums.par_chunks_mut(ROWS * height).enumerate().for_each_init(
            || vec![0.0; ROWS * length],
            |tile, (block, sums)| {
                let rows = block * ROWS..(block * ROWS + sums.len() / height);
                let shifted = parent.start + rows.start..parent.start + rows.end;
                matrix.block(
                    shifted,
                    parent.clone(),
                    TileMut::contiguous(&mut tile[..rows.len() * length], rows.len(), length),
                );
                for ((i, row), sums) in rows.clone().zip(tile.chunks(length)).zip(sums.chunks_mut(height)) {
                    sums[orders] = row.iter().sum();
                    sums[orders + 1] = row[i];
                    for (sum, ranks) in sums.iter_mut().zip(&ranks) {
                        sum_before(row, ranks, i, sum);
                    }
                }
            },
        );
    });
    if sums.iter().any(|s| !s.is_finite()) {
        let count = sums.chunks(height).filter(|row| row.iter().any(|s| !s.is_finite())).count();
        let first_row = sums.chunks(height).position(|row| row.iter().any(|s| !s.is_finite())).unwrap_or(0);
        let place = "the sums of kernel values".into();
        return Err(Error::NonFinite { place, count, total: length, first_row, what: "NaN or infinite".into() });
    }
    let trace: f64 = sums.chunks(height).map(|row| row[orders + 1].abs()).sum();
    let legal = min_size..(length + 1).saturating_sub(min_size);
    let profile = |b: usize| profile(&sums, height, &list[b], b);
    let own = profile(0);
    let most = |gains: &[f64]| legal.clone().map(|s| gains[s]).fold(f64::NEG_INFINITY, f64::max);
    let others: Vec<f64> =
        run.install(|| (1..orders).into_par_iter().map(|b| most(&profile(b)) + EQUAL * trace).collect());
    let largest = std::iter::once(most(&own)).chain(others).collect();
    Ok((own, largest))
}

fn ranks(order: &[usize]) -> Vec<f64> {
    let mut ranks = vec![0.0; order.len()];
    order.iter().enumerate().for_each(|(rank, i)| ranks[*i] = rank as f64);
    ranks
}

simd::dispatch! {
    /// Σ k(xᵢ, xⱼ) over the j that stand before i in an order.
    pub(crate) fn sum_before(row: &[f64], ranks: &[f64], i: usize, sum: &mut f64) {
        const LANES: usize = 16;
        let own = ranks[i];
        let mut sums = [0.0; LANES];
        let (values, places) = (row.chunks_exact(LANES), ranks.chunks_exact(LANES));
        let (last, places_last) = (values.remainder(), places.remainder());
        for (values, places) in values.zip(places) {
            for l in 0..LANES {
                sums[l] += if places[l] < own { values[l] } else { 0.0 };
            }
        }
        let rest: f64 = last.iter().zip(places_last).filter(|(_, rank)| **rank < own).map(|(k, _)| k).sum();
        *sum = sums.iter().sum::<f64>() + rest;
    }
}

/// Gain of a cut before each place of an order: S(0, s)/s + S(s, L)/(L − s) − S(0, L)/L, with S(s, L) = S(0, L) − 2Σrᵢ + S(0, s) for
/// the sums rᵢ of the rows before s.
fn profile(sums: &[f64], height: usize, order: &[usize], b: usize) -> Vec<f64> {
    let (length, orders) = (order.len(), height - 2);
    let total: f64 = sums.chunks(height).map(|row| row[orders]).sum();
    let (mut left, mut rows) = (0.0, 0.0);
    let mut gains = vec![0.0; length];
    for (place, i) in order.iter().enumerate().take(length - 1) {
        let row = &sums[i * height..(i + 1) * height];
        left += 2.0 * row[b] + row[orders + 1];
        rows += row[orders];
        let (s, right) = ((place + 1) as f64, total - 2.0 * rows + left);
        gains[place + 1] = left / s + right / (length as f64 - s) - total / length as f64;
    }
    gains
}
