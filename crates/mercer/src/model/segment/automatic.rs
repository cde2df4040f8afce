//! The number of changes, found in the data.

use serde::Serialize;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::run::Run;

use super::left::{Multiply, Products};
use super::path::{CostPath, Segmentation, Segments};

/// The price of the first slope; all of these were chosen on series made by chance (docs/decisions/0033).
const SLOPE: f64 = 2.0;
/// The largest correlation of neighbours that is believed.
const LARGEST_CORRELATION: f64 = 0.95;
/// Changes that are looked for at first.
const FIRST: usize = 16;
/// Shares of the variance at whose prices many changes are looked for.
const SHARES: [f64; 5] = [0.5, 0.25, 0.12, 0.06, 0.03];
/// The most changes times n² up to which a path is made longer at once: about a second.
const WORK: u128 = 2_000_000_000;

/// The number of changes that a sequence has by the rule, and what it was found from.
///
/// Of the cheapest segmentations with K = 0, 1, 2, … changes, the one is taken that minimises
///
/// J = n·(c + ln(c·(1 − ρ²)^p + ε)) + P·ln n/√D.
///
/// c is the share of the variance v of all points that is left inside of segments, and ρ in [0, 0.95] the correlation of what is left of
/// neighbours. c·(1 − ρ²) is the variance of what is new in each point, as of an autoregressive process of order 1; c counts what one
/// sees, and nobody sees less than ε. Where features are the columns themselves, p = 1, ε = 0.005, and P = 4·K for levels, 7·K + 2 for lines.
/// Elsewhere p = 1.5, since features of points correlate less than the points, ε = 0.02, and P = 3.5·K or 5.5·K + 2. D is the number of
/// directions in which columns of numbers move freely, at most 9, and 1 for other points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AutomaticChoice {
    /// What segments are.
    pub segments: Segments,
    /// K.
    pub changes: usize,
    /// v.
    pub variance: f64,
    /// c.
    pub share: f64,
    /// ρ.
    pub correlation: f64,
    /// D.
    pub directions: f64,
    /// J.
    pub criterion: f64,
    /// The least J of levels and of lines, where both were looked at: in the columns, where values far out are limited, if points are rows
    /// of numbers and no kernel is given.
    pub compared: Option<Compared>,
}

/// Levels beside lines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The least J of segments that have a level.
    pub levels: f64,
    /// The least J of segments that follow a line.
    pub lines: f64,
    /// Values that were brought nearer to those around them.
    pub limited: usize,
}

/// How a sequence is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) segments: Segments,
    /// D.
    pub(super) directions: f64,
    pub(super) weights: Weights,
}

/// The numbers of J.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// p.
    power: f64,
    /// ε.
    resolution: f64,
    /// What a change costs between levels, and between lines.
    level: f64,
    line: f64,
}

impl Weights {
    /// Where features are the columns.
    pub(super) const COLUMNS: Weights = Weights { power: 1.0, resolution: 0.005, level: 4.0, line: 7.0 };
    /// Of other kernels.
    pub(super) const FEATURES: Weights = Weights { power: 1.5, resolution: 0.02, level: 3.5, line: 5.5 };
}

/// Points in order, as the rule sees them.
#[derive(Debug)]
pub(super) struct Sequence {
    n: usize,
    /// k(x(t), x(t + 1)).
    neighbours: Vec<f64>,
    /// Σ k(x, x) and Σ|k(x, x)|.
    trace: f64,
    size: f64,
    manner: Manner,
}

/// Searches for segmentations.
pub(super) struct Searches<'a> {
    /// The most changes there is room for.
    pub(super) max_changes: usize,
    /// The cheapest with up to so many changes.
    pub(super) path: &'a dyn Fn(usize) -> Result<CostPath>,
    /// The cheapest with a penalty for each change.
    pub(super) penalised: &'a dyn Fn(f64) -> Result<Segmentation>,
}

impl Sequence {
    pub(super) fn new(matrix: &dyn KernelMatrix, manner: Manner) -> Self {
        let n = matrix.nrows();
        let mut diagonal = vec![0.0; n];
        matrix.diag(&mut diagonal);
        let neighbour = |t: usize| {
            let mut value = [0.0];
            matrix.block(t - 1..t, t..t + 1, TileMut::contiguous(&mut value, 1, 1));
            value[0]
        };
        let (trace, size) = (diagonal.iter().sum(), diagonal.iter().map(|k| k.abs()).sum());
        Sequence { n, neighbours: (1..n).map(neighbour).collect(), trace, size, manner }
    }

    /// The best of a path, which is made longer while the best is not in its first half, and of what is cheapest at some prices.
    pub(super) fn choose(
        &self,
        searches: &Searches<'_>,
        multiply: &Multiply<'_>,
        run: &Run,
    ) -> Result<(Segmentation, AutomaticChoice)> {
        let whole = self.whole(multiply)?;
        let priced = self.priced(searches, whole)?;
        let (many, of_many) = self.best((&priced, whole), multiply, run)?;
        let room = searches.max_changes;
        let twice = (2 * of_many.changes) as u128 * (self.n as u128).pow(2);
        let mut most = if twice <= WORK { FIRST.max(2 * of_many.changes) } else { FIRST }.min(room);
        loop {
            let found = (searches.path)(most)?;
            let (best, choice) = self.best((&found, whole), multiply, run)?;
            if 2 * choice.changes <= most || most == room {
                return Ok(if of_many.criterion < choice.criterion {
                    (many.clone(), of_many)
                } else {
                    (best.clone(), choice)
                });
            }
            most = (2 * most).min(room);
        }
    }

    /// No change, and what is cheapest where J is replaced by its tangent at some shares c, which is a penalty. J may rise for a while and fall
    /// again with the number of changes: two states that take turns are worth nothing until most of the turns are found. Ends where
    /// far more is left than c, so that noise is not cut up.
    fn priced(&self, searches: &Searches<'_>, whole: f64) -> Result<CostPath> {
        let mut found = vec![(searches.path)(0)?.segmentations()[0].clone()];
        if whole <= self.rounding() {
            return Ok(CostPath::new(self.n, found));
        }
        let price = self.price(1) - self.price(0);
        for share in SHARES {
            let penalty = price * whole / self.n as f64 / (1.0 + 1.0 / (share + self.manner.weights.resolution));
            let segmentation = (searches.penalised)(penalty)?;
            if segmentation.cost > 2.0 * share * whole {
                break;
            }
            found.push(segmentation);
        }
        found.dedup();
        Ok(CostPath::new(self.n, found))
    }

    fn best<'p>(
        &self,
        (path, whole): (&'p CostPath, f64),
        multiply: &Multiply<'_>,
        run: &Run,
    ) -> Result<(&'p Segmentation, AutomaticChoice)> {
        let none = &path.segmentations()[0];
        let mut best = (none, self.judge(none, 0.0, whole));
        // Points that are all equal have costs that are rounding, which is no reason for a change.
        if none.cost <= self.rounding() {
            return Ok(best);
        }
        let products = Products::new((path, self.manner.segments), &self.neighbours, multiply, run)?;
        best.1.criterion = f64::INFINITY;
        let task = run.task("segmentations", Some(path.segmentations().len() as u64));
        for segmentation in path.segmentations() {
            let choice = self.judge(segmentation, products.covariance(segmentation), whole);
            if choice.criterion < best.1.criterion {
                best = (segmentation, choice);
            }
            task.step_or_cancel()?;
        }
        Ok(best)
    }

    /// n·v: the cost of one level for all points.
    fn whole(&self, multiply: &Multiply<'_>) -> Result<f64> {
        let mut sums = vec![0.0; self.n];
        multiply(&vec![1.0; self.n], 1, &mut sums)?;
        Ok((self.trace - sums.iter().sum::<f64>() / self.n as f64).max(0.0))
    }

    /// J and what it is made of; `whole` is n·v.
    fn judge(&self, segmentation: &Segmentation, covariance: f64, whole: f64) -> AutomaticChoice {
        let (n, changes) = (self.n as f64, segmentation.changes.len());
        let Manner { segments, directions, weights } = self.manner;
        // What is rounding has no direction.
        let cost = if whole > 0.0 && segmentation.cost > self.rounding() { segmentation.cost } else { 0.0 };
        let share = if cost > 0.0 { cost / whole } else { 0.0 };
        let correlation = match cost > 0.0 {
            true => (covariance / (cost / n)).clamp(0.0, LARGEST_CORRELATION),
            false => 0.0,
        };
        let new = share * (1.0 - correlation * correlation).powf(weights.power);
        AutomaticChoice {
            segments,
            changes,
            variance: whole / n,
            share,
            correlation,
            directions,
            criterion: n * (share + (new + weights.resolution).ln()) + self.price(changes),
            compared: None,
        }
    }

    /// P·ln n/√D.
    fn price(&self, changes: usize) -> f64 {
        let parts = match self.manner.segments {
            Segments::Levels => self.manner.weights.level * changes as f64,
            Segments::Lines => self.manner.weights.line.mul_add(changes as f64, SLOPE),
        };
        parts * (self.n as f64).ln() / self.manner.directions.sqrt()
    }

    fn rounding(&self) -> f64 {
        64.0 * self.n as f64 * f64::EPSILON * self.size
    }
}
