//! Clusters of points that are known by their inner products.
//!
//! **Solves** min Σᵢ wᵢ‖φᵢ − μ_c(i)‖² over the clusters c(i), with μ_c the weighted mean of cluster c and Kᵢⱼ = ⟨φᵢ, φⱼ⟩. No
//! algorithm is known that finds the least value of all in reasonable time: what is found cannot be bettered by moving any one row.
//!
//! **How** Starts are drawn by k-means++, the best of a few draws at each step. A round of Lloyd's algorithm moves every row to its
//! nearest mean; where no row moves, single rows move if that pays with the change of both means counted (Hartigan), which
//! goes on where Lloyd's algorithm stands still. The sums Sᵢ_c = Σⱼ∈c wⱼKᵢⱼ give all distances:
//! ‖φᵢ − μ_c‖² = Kᵢᵢ − 2Sᵢ_c/W_c + Q_c/W_c² with Q_c = Σᵢ∈c wᵢSᵢ_c. They are brought up to date by the rows that moved, so that late
//! rounds cost a few rows of K. All starts go forward together, and read a row of K once.
//!
//! **Stops when** no move lowers the objective, or a round lowers it by less than the tolerance. A run that is stopped, wherever that
//! is, leaves the clusters of the best start so far; while starts are drawn, those of the centres that were drawn by then.
//!
//! **Cost** n rows of K for the first round, and a row for each row that moves.
//!
//! **Reference** Arthur & Vassilvitskii (2007), *k-means++: the advantages of careful seeding*; Hartigan (1975), *Clustering
//! algorithms*; Dhillon, Guan, Kulis (2004), *Kernel k-means, spectral clustering and normalized cuts*.

mod round;
mod single;
mod start;
mod sums;

use std::ops::Range;

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::run::Run;

use round::Partition;
use sums::Sums;

/// K, some rows at a time.
pub(crate) trait GramRows: Sync {
    /// K's diagonal.
    fn diagonal(&self) -> &[f64];

    /// These rows of K, to be read in blocks.
    fn rows<'a>(&'a self, rows: &[usize], run: &Run) -> Result<Box<dyn SomeRows + 'a>>;
}

/// Some rows of K.
pub(crate) trait SomeRows: Sync {
    /// Writes a block of them, row-major; `rows` are places among them.
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]);
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KMeansParams {
    /// Number of clusters, at least 1.
    pub(crate) clusters: usize,
    /// Number of starts, at least 1.
    pub(crate) restarts: usize,
    /// The largest number of rounds of a start.
    pub(crate) max_iterations: usize,
    /// The least share of the objective by which a round has to lower it.
    pub(crate) tolerance: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clustered {
    /// The cluster of each row, numbered by their first rows; fewer than asked for where the rows are not so many different points.
    pub(crate) labels: Vec<usize>,
    /// Number of clusters.
    pub(crate) clusters: usize,
    /// Rounds of the start that led to it.
    pub(crate) iterations: usize,
    /// How many starts led to its objective.
    pub(crate) at_best: usize,
    pub(crate) stop: Stop,
    /// The objective after each round of that start.
    pub(crate) history: Vec<f64>,
}

/// Objectives this close are one: they differ by rounding.
const SAME: f64 = 1e-9;
/// Bytes of sums that starts which go forward together may have.
const SUMS_BYTES: u64 = 1 << 30;

/// Clusters rows of positive weights; `unit` draws numbers from 0 to 1.
pub(crate) fn k_means(
    gram: &dyn GramRows,
    weights: &[f64],
    params: &KMeansParams,
    unit: &mut dyn FnMut() -> f64,
    run: &Run,
) -> Result<Clustered> {
    let problem = Problem::new(gram, weights);
    let together = problem.together(params, run);
    let (mut best, mut objectives): (Option<Partition>, Vec<f64>) = (None, Vec::new());
    for first in (0..params.restarts).step_by(together) {
        let count = together.min(params.restarts - first);
        let starts = start::starts(&problem, params.clusters, count, unit, run)?;
        for found in problem.descend(starts, params, run)? {
            objectives.push(found.objective);
            // The first among equals: rounding must not choose.
            if best.as_ref().is_none_or(|b| found.objective < b.objective * (1.0 - SAME)) {
                best = Some(found);
            }
        }
        if run.stop_reason().is_some() {
            break;
        }
    }
    let best = best.unwrap_or_else(|| Partition::of(vec![0; weights.len()], params.clusters));
    let limit = best.objective.abs() * (1.0 + SAME);
    let best = problem.settle(best, params, run)?;
    let (labels, clusters) = by_first_row(&best.labels);
    let (iterations, stop, at_best) =
        (best.history.len(), best.stop(), objectives.iter().filter(|o| o.is_finite() && **o <= limit).count());
    let history = best.history.iter().map(|o| o * problem.unit).collect();
    Ok(Clustered { labels, clusters, iterations, at_best, stop, history })
}

/// Numbers clusters by their first rows, and counts them.
pub(crate) fn by_first_row(labels: &[usize]) -> (Vec<usize>, usize) {
    let mut number: Vec<Option<usize>> = vec![None; labels.iter().max().map_or(0, |m| m + 1)];
    let mut count = 0;
    let renamed = labels.iter().map(|label| {
        *number[*label].get_or_insert_with(|| {
            count += 1;
            count - 1
        })
    });
    (renamed.collect(), count)
}

/// Why work that may be cancelled was, if it was; other errors are errors.
fn stopped(done: Result<()>, run: &Run) -> Result<Option<Stop>> {
    match done {
        Ok(()) => Ok(None),
        Err(Error::Cancelled { .. }) => Ok(Some(run.stop_reason().map_or(Stop::Interrupted, Stop::from))),
        Err(error) => Err(error),
    }
}

/// K over the largest value of its diagonal, so that sums of its values neither overflow nor vanish.
struct Problem<'a> {
    gram: &'a dyn GramRows,
    weights: &'a [f64],
    diagonal: Vec<f64>,
    /// What values of K are divided by.
    unit: f64,
}

impl<'a> Problem<'a> {
    fn new(gram: &'a dyn GramRows, weights: &'a [f64]) -> Self {
        let largest = gram.diagonal().iter().fold(0.0f64, |m, k| m.max(k.abs()));
        let unit = if largest > 0.0 { crate::linalg::power_of_two(largest) } else { 1.0 };
        let diagonal = gram.diagonal().iter().map(|k| k / unit).collect();
        Problem { gram, weights, diagonal, unit }
    }

    fn n(&self) -> usize {
        self.weights.len()
    }

    /// Starts that go forward together.
    fn together(&self, params: &KMeansParams, run: &Run) -> usize {
        let bytes = (8 * Sums::padded(self.n()) * params.clusters.max(1)) as u64;
        ((run.memory_left() / 4).min(SUMS_BYTES) / bytes.max(1)).clamp(1, params.restarts as u64) as usize
    }

    /// Takes partitions to where no move pays.
    fn descend(&self, mut all: Vec<Partition>, params: &KMeansParams, run: &Run) -> Result<Vec<Partition>> {
        let k = params.clusters;
        let mut sums = Sums::new(self, all.len() * k, run)?;
        let moves = all.iter().enumerate().flat_map(|(at, p)| p.all_moves(at * k, self.weights)).collect();
        if let Some(stop) = stopped(sums.add(self, moves, run), run)? {
            all.iter_mut().for_each(|p| p.stop = Some(stop));
            return Ok(all);
        }
        all.iter_mut().enumerate().for_each(|(at, p)| p.weigh(self, &sums, at * k));
        let task = run.task("k-means", Some(params.max_iterations as u64));
        while all.iter().any(|p| p.stop.is_none()) {
            let mut moves = Vec::new();
            for (at, partition) in all.iter_mut().enumerate().filter(|(_, p)| p.stop.is_none()) {
                if partition.ends(params) {
                    continue;
                }
                let mut found = partition.lloyd(self, &sums, at * k, run);
                if found.is_empty() && partition.single(self, &mut sums, at * k, run)? == 0 {
                    // A pass that is cut short has not seen that no move pays.
                    partition.stop = Some(run.stop_reason().map_or(Stop::Tolerance, Stop::from));
                    continue;
                }
                moves.append(&mut found);
                partition.history.push(partition.objective);
            }
            if let Some(stop) = stopped(sums.add(self, moves, run), run)? {
                all.iter_mut().filter(|p| p.stop.is_none()).for_each(|p| p.leave(stop));
                return Ok(all);
            }
            all.iter_mut().enumerate().for_each(|(at, p)| p.weigh(self, &sums, at * k));
            let lowest = all.iter().map(|p| p.objective).fold(f64::INFINITY, f64::min) * self.unit;
            if let Some(reason) = task.step(Some(lowest)) {
                all.iter_mut().for_each(|p| p.stop = p.stop.or(Some(reason.into())));
            }
        }
        Ok(all)
    }

    /// The same from sums that are computed again, so that what rounding added up on the way has no say.
    fn settle(&self, best: Partition, params: &KMeansParams, run: &Run) -> Result<Partition> {
        let (stop, history) = (best.stop(), best.history.clone());
        if stop != Stop::Tolerance {
            return Ok(best);
        }
        let again = Partition::of(best.labels.clone(), params.clusters);
        let settled = self.descend(vec![again], params, run)?.pop().unwrap_or(best);
        Ok(Partition { history: [history, settled.history.clone()].concat(), ..settled })
    }
}
