//! The number of changes, found in the data.

use serde::Serialize;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::run::Run;

use super::left::{Left, Multiply, Products};
use super::path::{CostPath, Segmentation};

/// Prices of a change and of a term of a slow movement, chosen on series made by chance (docs/decisions/0026).
const CHANGE: f64 = 3.5;
const TERM: f64 = 2.0;
/// The power of dependence: features of points correlate less than the points.
const DEPENDENCE: f64 = 1.25;
/// Nobody sees what is a smaller share of the variance: a tenth of a deviation.
const RESOLUTION: f64 = 0.01;
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
/// Of the cheapest segmentations with K = 0, 1, 2, … changes, each beside a slow movement of q = 0, 1, … terms, polynomials in time that the
/// whole sequence follows in feature space, the one is taken that minimises
///
/// J = n·(c + ln(c·(1 − ρ²)^1.25 + 0.01)) + (3.5·K + 2·q)·ln n/√D.
///
/// c is the share of the variance v of all points that is left inside of segments, and ρ in [0, 0.95] the correlation of what is left of
/// neighbours. c·(1 − ρ²) is the variance of what is new in each point, as of an autoregressive process of order 1; c counts what one
/// sees. D is the number of directions in which columns of numbers move freely, at most 9, and 1 for other points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AutomaticChoice {
    /// K.
    pub changes: usize,
    /// q.
    pub terms: usize,
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
}

/// Points in order, as the rule sees them.
#[derive(Debug)]
pub(super) struct Sequence {
    n: usize,
    /// k(x(t), x(t + 1)).
    neighbours: Vec<f64>,
    /// Σ|k(x, x)|.
    size: f64,
    directions: f64,
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
    pub(super) fn new(matrix: &dyn KernelMatrix, directions: f64) -> Self {
        let n = matrix.nrows();
        let mut diagonal = vec![0.0; n];
        matrix.diag(&mut diagonal);
        let neighbour = |t: usize| {
            let mut value = [0.0];
            matrix.block(t - 1..t, t..t + 1, TileMut::contiguous(&mut value, 1, 1));
            value[0]
        };
        let size = diagonal.iter().map(|k| k.abs()).sum();
        Sequence { n, neighbours: (1..n).map(neighbour).collect(), size, directions }
    }

    /// The best of a path, which is made longer while the best is not in its first half, and of what is cheapest at some prices.
    pub(super) fn choose(
        &self,
        searches: &Searches<'_>,
        multiply: &Multiply<'_>,
        run: &Run,
    ) -> Result<(Segmentation, AutomaticChoice)> {
        let priced = self.priced(searches)?;
        let (many, of_many) = self.best(&priced, multiply, run)?;
        let room = searches.max_changes;
        let twice = (2 * of_many.changes) as u128 * (self.n as u128).pow(2);
        let mut most = if twice <= WORK { FIRST.max(2 * of_many.changes) } else { FIRST }.min(room);
        loop {
            let found = (searches.path)(most)?;
            let (best, choice) = self.best(&found, multiply, run)?;
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
    fn priced(&self, searches: &Searches<'_>) -> Result<CostPath> {
        let none = (searches.path)(0)?.segmentations()[0].clone();
        let (n, whole) = (self.n as f64, none.cost);
        let mut found = vec![none];
        if whole <= self.rounding() {
            return Ok(CostPath::new(self.n, found));
        }
        let price = CHANGE * n.ln() / self.directions.sqrt();
        for share in SHARES {
            let penalty = price * whole / n / (1.0 + 1.0 / (share + RESOLUTION));
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
        path: &'p CostPath,
        multiply: &Multiply<'_>,
        run: &Run,
    ) -> Result<(&'p Segmentation, AutomaticChoice)> {
        let none = &path.segmentations()[0];
        let nothing = Left { cost: none.cost, covariance: 0.0 };
        let mut best = (none, self.judge(none, 0, nothing, none.cost));
        // Points that are all equal have costs that are rounding, which is no reason for a change.
        if none.cost <= self.rounding() {
            return Ok(best);
        }
        let products = Products::new(path, &self.neighbours, multiply, run)?;
        best.1.criterion = f64::INFINITY;
        let task = run.task("segmentations", Some(path.segmentations().len() as u64));
        for segmentation in path.segmentations() {
            for (terms, left) in products.left(segmentation).into_iter().enumerate() {
                let choice = self.judge(segmentation, terms, left, none.cost);
                if choice.criterion < best.1.criterion {
                    best = (segmentation, choice);
                }
            }
            task.step_or_cancel()?;
        }
        Ok(best)
    }

    /// J and what it is made of; `whole` is the cost without changes.
    fn judge(&self, segmentation: &Segmentation, terms: usize, left: Left, whole: f64) -> AutomaticChoice {
        let (n, changes) = (self.n as f64, segmentation.changes.len());
        // What is rounding has no direction.
        let cost = if left.cost > self.rounding() { left.cost } else { 0.0 };
        let share = if cost > 0.0 { cost / whole } else { 0.0 };
        let correlation = match cost > 0.0 {
            true => (left.covariance / (cost / n)).clamp(0.0, LARGEST_CORRELATION),
            false => 0.0,
        };
        let new = share * (1.0 - correlation * correlation).powf(DEPENDENCE);
        let price = (CHANGE * changes as f64 + TERM * terms as f64) * n.ln() / self.directions.sqrt();
        AutomaticChoice {
            changes,
            terms,
            variance: (whole / n).max(0.0),
            share,
            correlation,
            directions: self.directions,
            criterion: n * (share + (new + RESOLUTION).ln()) + price,
        }
    }

    fn rounding(&self) -> f64 {
        64.0 * self.n as f64 * f64::EPSILON * self.size
    }
}
