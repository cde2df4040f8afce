//! Where to begin: k-means++ on rows of K.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;

use super::round::Partition;
use super::{Problem, SomeRows};

/// A start under way.
struct Seeding {
    labels: Vec<usize>,
    /// The squared distance of each row to the nearest centre.
    near: Vec<f64>,
    centres: usize,
}

/// So many partitions by the nearest of `clusters` rows each, which are drawn with chances in proportion to weight times squared
/// distance to those before; at each step the best of a few draws is taken. A stop leaves those of the centres drawn by then.
pub(super) fn starts(
    problem: &Problem<'_>,
    clusters: usize,
    count: usize,
    unit: &mut dyn FnMut() -> f64,
    run: &Run,
) -> Result<Vec<Partition>> {
    let n = problem.n();
    let mut all: Vec<Seeding> =
        (0..count).map(|_| Seeding { labels: vec![0; n], near: vec![f64::INFINITY; n], centres: 0 }).collect();
    let trials = 2 + (clusters as f64).ln() as usize;
    let task = run.task("k-means++", Some(clusters as u64));
    for step in 0..clusters {
        let tries = if step == 0 { 1 } else { trials };
        let drawn: Vec<Vec<usize>> = all.iter().map(|s| s.draw(problem, tries, unit)).collect();
        let mut rows: Vec<usize> = drawn.iter().flatten().copied().collect();
        rows.sort_unstable();
        rows.dedup();
        if rows.is_empty() {
            break;
        }
        let matrix = match problem.gram.rows(&rows, run) {
            Err(Error::Cancelled { .. }) if step > 0 => break,
            matrix => matrix?,
        };
        run.install(|| {
            all.par_iter_mut().zip(&drawn).for_each(|(s, drawn)| s.take_best(problem, matrix.as_ref(), &rows, drawn));
        });
        if task.step(None).is_some() {
            break;
        }
    }
    Ok(all.into_iter().map(|s| Partition::of(s.labels, clusters)).collect())
}

impl Seeding {
    /// Rows by chance; none where every row is a centre, or equal to one.
    fn draw(&self, problem: &Problem<'_>, tries: usize, unit: &mut dyn FnMut() -> f64) -> Vec<usize> {
        let share = |i: usize| if self.centres == 0 { problem.weights[i] } else { problem.weights[i] * self.near[i] };
        let total: f64 = (0..problem.n()).map(share).sum();
        if total <= 0.0 || !total.is_finite() {
            return Vec::new();
        }
        (0..tries).map(|_| place((0..problem.n()).map(share), unit() * total)).collect()
    }

    /// Takes the row that leaves the least sum of squared distances as the next centre.
    fn take_best(&mut self, problem: &Problem<'_>, matrix: &dyn SomeRows, rows: &[usize], drawn: &[usize]) {
        let mut best: Option<(f64, Vec<f64>)> = None;
        for row in drawn {
            let distances = problem.distances(matrix, rows, *row);
            let left: f64 = (0..distances.len()).map(|i| problem.weights[i] * self.near[i].min(distances[i])).sum();
            if best.as_ref().is_none_or(|(least, _)| left < *least) {
                best = Some((left, distances));
            }
        }
        let Some((_, distances)) = best else { return };
        for (i, d) in distances.into_iter().enumerate() {
            if d < self.near[i] {
                (self.near[i], self.labels[i]) = (d, self.centres);
            }
        }
        self.centres += 1;
    }
}

impl Problem<'_> {
    /// The squared distances of all rows to one that a matrix holds; what rounding leaves of equal rows is 0.
    fn distances(&self, matrix: &dyn SomeRows, rows: &[usize], row: usize) -> Vec<f64> {
        let at = rows.partition_point(|r| *r < row);
        let mut values = vec![0.0; self.n()];
        matrix.block(at..at + 1, 0..self.n(), &mut values);
        let own = self.diagonal[row];
        let rounding = 8.0 * f64::EPSILON;
        for (j, k) in values.iter_mut().enumerate() {
            let d = self.diagonal[j] - 2.0 * (*k / self.unit) + own;
            *k = if j == row || d <= rounding * (self.diagonal[j].abs() + own.abs()) { 0.0 } else { d };
        }
        values
    }
}

/// The place where the sum of shares passes a level: the last one that has a share, if rounding keeps it from doing so.
fn place(shares: impl Iterator<Item = f64>, level: f64) -> usize {
    let (mut sum, mut last) = (0.0, 0);
    for (i, share) in shares.enumerate().filter(|(_, s)| *s > 0.0) {
        sum += share;
        last = i;
        if sum > level {
            break;
        }
    }
    last
}
