//! Whether a change is more than chance: permutations of the points of its parent segment.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::linalg::{filled, simd};
use crate::run::{Reservation, Run};

use super::dynamic::Problem;
use super::path::Segments;
use super::residual::Residual;

/// Rows of kernel values that a thread holds.
const ROWS: usize = 12;
/// Columns that are read at a time, so that those of the rows and of an order stay in the nearest caches.
const COLUMNS: usize = 1024;
/// A gain that is smaller by no more than this share of Σ k(x, x) counts as equal: the rounding of sums.
const EQUAL: f64 = 1e-12;
const FEWER: &str = "ask for fewer permutations";

/// How a change stands out in the segment that it cuts.
///
/// The p-value is valid for the null hypothesis that the points of the parent segment are exchangeable: any order of them is as
/// likely as any other. The first change is judged among all points. Parents of later changes end at earlier ones, so that their
/// p-values are conditional on those; and dependence between neighbours makes all of them too small. Where segments are lines, what one line
/// leaves of the parent segment is permuted: nearly exchangeable if the points are one line and independent noise.
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
    problem: Problem<'_>,
    changes: &[usize],
    permutations: Permutations,
    run: &Run,
) -> Result<Vec<ChangeTest>> {
    let task = run.task("permutations", Some(changes.len() as u64));
    let mut open = vec![(0..problem.matrix.nrows(), changes.to_vec())];
    let mut found = Vec::new();
    while let Some((parent, inside)) = open.pop() {
        if inside.is_empty() {
            continue;
        }
        let (own, largest) = gains(problem, &parent, permutations, run)?;
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
    problem: Problem<'_>,
    parent: &Range<usize>,
    permutations: Permutations,
    run: &Run,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (length, orders) = (parent.len(), permutations.count + 1);
    let _held = run.reserve(16 * (length * orders) as u128, "orders of the points of a segment", FEWER)?;
    // Every parent has a chance of its own.
    let mut chance = Chance::new(permutations.seed ^ ((parent.start as u64) << 32 | parent.end as u64));
    let mut order: Vec<usize> = (0..length).collect();
    let mut list = vec![order.clone()];
    list.extend((1..orders).map(|_| {
        chance.shuffle(&mut order);
        order.clone()
    }));
    let sums = match problem.segments {
        Segments::Levels => Sums::new((problem.matrix, parent.clone()), &list, Segments::Levels, run)?,
        Segments::Lines => {
            let residual = Residual::new(problem.matrix, parent.clone(), run)?;
            Sums::new((&residual, 0..length), &list, Segments::Lines, run)?
        }
    };
    let legal = problem.min_size..(length + 1).saturating_sub(problem.min_size);
    let own = sums.profile(&list[0], 0);
    let most = |gains: &[f64]| legal.clone().map(|s| gains[s]).fold(f64::NEG_INFINITY, f64::max);
    let rounding = EQUAL * size(problem.matrix, parent);
    let others: Vec<f64> =
        run.install(|| (1..orders).into_par_iter().map(|b| most(&sums.profile(&list[b], b)) + rounding).collect());
    let largest = std::iter::once(most(&own)).chain(others).collect();
    Ok((own, largest))
}

/// Σ|k(x, x)| over a segment.
fn size(matrix: &dyn KernelMatrix, segment: &Range<usize>) -> f64 {
    let mut diagonal = vec![0.0; matrix.nrows()];
    matrix.diag(&mut diagonal);
    diagonal[segment.clone()].iter().map(|k| k.abs()).sum()
}

/// Sums of kernel values of each point i, in a row: over the points before it in each order, over all points, k(xᵢ, xᵢ); where segments
/// are lines, then those over the points before it and over all, with the places of the order as weights.
struct Sums {
    length: usize,
    orders: usize,
    segments: Segments,
    values: Vec<f64>,
    _held: Reservation,
}

impl Sums {
    fn new(
        (matrix, points): (&dyn KernelMatrix, Range<usize>),
        list: &[Vec<usize>],
        segments: Segments,
        run: &Run,
    ) -> Result<Self> {
        let (length, orders) = (points.len(), list.len());
        let ranks: Vec<Vec<f64>> = list.iter().map(|order| ranks(order)).collect();
        let height = height(segments, orders);
        let (mut values, _held) = filled((length * height) as u128, 0.0, "sums of kernel values", FEWER, run)?;
        let task = run.task("orders", Some(length.div_ceil(ROWS) as u64));
        run.install(|| {
            values.par_chunks_mut(ROWS * height).enumerate().try_for_each_init(
                || vec![0.0; ROWS * length],
                |tile, (block, sums)| {
                    let rows = block * ROWS..(block * ROWS + sums.len() / height);
                    let shifted = points.start + rows.start..points.start + rows.end;
                    let tile = &mut tile[..rows.len() * length];
                    let out = TileMut::contiguous(tile, rows.len(), length);
                    task.watched(|| matrix.block(shifted, points.clone(), out))?;
                    of_rows(tile, rows.start, &ranks, sums);
                    task.step_or_cancel()
                },
            )
        })?;
        let sums = Sums { length, orders, segments, values, _held };
        sums.check_finite().map(|()| sums)
    }

    fn row(&self, i: usize) -> &[f64] {
        let height = height(self.segments, self.orders);
        &self.values[i * height..(i + 1) * height]
    }

    fn check_finite(&self) -> Result<()> {
        let bad = |i: &usize| self.row(*i).iter().any(|s| !s.is_finite());
        let Some(first_row) = (0..self.length).find(bad) else { return Ok(()) };
        let (place, count) = ("the sums of kernel values".into(), (0..self.length).filter(bad).count());
        Err(Error::NonFinite { place, count, total: self.length, first_row, what: "NaN or infinite".into() })
    }

    /// Gain of a cut before each place of the order b.
    fn profile(&self, order: &[usize], b: usize) -> Vec<f64> {
        let middle = (self.length - 1) as f64 / 2.0;
        let of = |rank: usize, i: usize| self.pairs(i, rank as f64 - middle, b);
        let all = order.iter().enumerate().fold(Pairs::default(), |all, (rank, i)| all.and(of(rank, *i).1, 0.5));
        let saved = |pairs: Pairs, range: Range<usize>| pairs.saved(range, middle, self.segments);
        let whole = saved(all, 0..self.length);
        let (mut left, mut right) = (Pairs::default(), all);
        let mut gains = vec![0.0; self.length];
        for (rank, i) in order.iter().enumerate().take(self.length - 1) {
            let (before, with_all) = of(rank, *i);
            left = left.and(before, 1.0);
            // Pairs of i with those before it have been taken away with those.
            right = right.and(with_all, -1.0).and(before, 1.0);
            gains[rank + 1] = saved(left, 0..rank + 1) + saved(right, rank + 1..self.length) - whole;
        }
        gains
    }

    /// What the point i at a place p adds to pairs of the points before it in the order b, and what pairs with any point are.
    fn pairs(&self, i: usize, p: f64, b: usize) -> (Pairs, Pairs) {
        let (row, orders) = (self.row(i), self.orders);
        let (c, all, k) = (row[b], row[orders], row[orders + 1]);
        if self.segments == Segments::Levels {
            let only = |sum: f64| Pairs { sum, ..Pairs::default() };
            return (only(2.0 * c + k), only(2.0 * all));
        }
        let (u, w) = (row[orders + 2 + b], row[2 * orders + 2 + b]);
        let before = Pairs { sum: 2.0 * c + k, once: u + p * (c + k), twice: p * (2.0 * u + p * k) };
        (before, Pairs { sum: 2.0 * all, once: p * all + w, twice: 2.0 * p * w })
    }
}

/// Sums over pairs (i, j) of points: k(xᵢ, xⱼ), and the same times the place of i, and of both.
#[derive(Clone, Copy, Default)]
struct Pairs {
    sum: f64,
    once: f64,
    twice: f64,
}

impl Pairs {
    fn and(self, other: Pairs, times: f64) -> Pairs {
        Pairs {
            sum: self.sum + times * other.sum,
            once: self.once + times * other.once,
            twice: self.twice + times * other.twice,
        }
    }

    /// What the level or the line of a segment takes off its cost; places count from the middle of the parent.
    fn saved(self, segment: Range<usize>, middle: f64, segments: Segments) -> f64 {
        let m = segment.len() as f64;
        if segments == Segments::Levels || segment.len() < 2 {
            return self.sum / m;
        }
        let centre = (segment.start + segment.end - 1) as f64 / 2.0 - middle;
        let rise = self.twice - 2.0 * centre * self.once + centre * centre * self.sum;
        self.sum / m + 12.0 * rise / (m * (m * m - 1.0))
    }
}

/// Sums in a row of [`Sums`].
fn height(segments: Segments, orders: usize) -> usize {
    match segments {
        Segments::Levels => orders + 2,
        Segments::Lines => 3 * orders + 2,
    }
}

/// The sums of the points from `first` on, whose kernel values are the rows of a tile.
fn of_rows(tile: &[f64], first: usize, ranks: &[Vec<f64>], sums: &mut [f64]) {
    let (orders, length) = (ranks.len(), ranks[0].len());
    let (height, middle) = (sums.len() / (tile.len() / length), (length - 1) as f64 / 2.0);
    for (r, (row, sums)) in tile.chunks(length).zip(sums.chunks_mut(height)).enumerate() {
        (sums[orders], sums[orders + 1]) = (row.iter().sum(), row[first + r]);
    }
    for from in (0..length).step_by(COLUMNS) {
        let part = from..(from + COLUMNS).min(length);
        for (b, ranks) in ranks.iter().enumerate() {
            let places = &ranks[part.clone()];
            for (r, (row, sums)) in tile.chunks(length).zip(sums.chunks_mut(height)).enumerate() {
                let (row, own) = (&row[part.clone()], ranks[first + r]);
                if height == orders + 2 {
                    sum_before(row, places, own, &mut sums[b]);
                } else {
                    let mut found = [0.0; 3];
                    sum_placed(row, places, (own, middle), &mut found);
                    let at = [b, orders + 2 + b, 2 * orders + 2 + b];
                    at.into_iter().zip(found).for_each(|(at, found)| sums[at] += found);
                }
            }
        }
    }
}

fn ranks(order: &[usize]) -> Vec<f64> {
    let mut ranks = vec![0.0; order.len()];
    order.iter().enumerate().for_each(|(rank, i)| ranks[*i] = rank as f64);
    ranks
}

/// Sums that run side by side.
const LANES: usize = 16;

simd::dispatch! {
    /// Adds Σ k(xᵢ, xⱼ) over the j of a smaller place.
    pub(crate) fn sum_before(row: &[f64], places: &[f64], own: f64, sum: &mut f64) {
        let mut sums = [0.0; LANES];
        let ((values, last), (ranks, last_ranks)) = (row.as_chunks::<LANES>(), places.as_chunks::<LANES>());
        for (values, ranks) in values.iter().zip(ranks) {
            for l in 0..LANES {
                sums[l] += if_before(values[l], ranks[l], own);
            }
        }
        let rest: f64 = last.iter().zip(last_ranks).map(|(k, rank)| if_before(*k, *rank, own)).sum();
        *sum += sums.iter().sum::<f64>() + rest;
    }
}

simd::dispatch! {
    /// Σ k(xᵢ, xⱼ) over the j of a smaller place than the first number, the same times their place from the second, and that over all j.
    pub(crate) fn sum_placed(row: &[f64], places: &[f64], own: (f64, f64), found: &mut [f64; 3]) {
        let ((own, middle), mut sums) = (own, [[0.0; LANES]; 3]);
        let mut add = |values: &[f64; LANES], ranks: &[f64; LANES]| {
            for l in 0..LANES {
                let placed = values[l] * (ranks[l] - middle);
                sums[0][l] += if_before(values[l], ranks[l], own);
                sums[1][l] += if_before(placed, ranks[l], own);
                sums[2][l] += placed;
            }
        };
        let ((values, last), (ranks, last_ranks)) = (row.as_chunks::<LANES>(), places.as_chunks::<LANES>());
        values.iter().zip(ranks).for_each(|(values, ranks)| add(values, ranks));
        // Zeros add nothing wherever they stand.
        let (mut rest, mut rest_ranks) = ([0.0; LANES], [0.0; LANES]);
        rest[..last.len()].copy_from_slice(last);
        rest_ranks[..last.len()].copy_from_slice(last_ranks);
        add(&rest, &rest_ranks);
        found.iter_mut().zip(&sums).for_each(|(found, sums)| *found = sums.iter().sum());
    }
}

/// The value if its place is before another, else 0: by its bits, since a choice of numbers becomes a jump.
#[inline(always)]
fn if_before(value: f64, place: f64, own: f64) -> f64 {
    f64::from_bits(value.to_bits() & 0u64.wrapping_sub(u64::from(place < own)))
}
