//! What is asked of a sequence, and whether its segments are levels or lines where nobody says.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::automatic::{AutomaticChoice, Compared};
use super::binary::LandmarkSegments;
use super::change_points::{ChangePoints, KernelChangePoint};
use super::limited::limited;
use super::path::{CostPath, Segmentation, Segments};
use super::usual::usual_kernel;

/// How a sequence is to be cut; what is not said is usual or found in the data.
///
/// Without a kernel, rows of numbers have two views. Levels are those of [`usual_kernel`], which also sees changes of the variance and of the
/// shape. Lines are those of the kernel `linear` on the columns, centred, whose values are limited where they stand far out of those
/// around them: Hampel's filter, at most four deviations away from the median of seven. Sparse rows, and values that have no square, have
/// the first view alone.
///
/// ```
/// use mercer::{Run, data::Rows, model::segment::{ChangeSearch, Segments}};
/// // Up, and down again, with some noise.
/// let value = |t: usize| (t.min(80 - t) + t * t % 3) as f64;
/// let x = Rows::new((0..80).map(value).collect::<Vec<_>>(), 80, 1)?.into();
/// let found = ChangeSearch::default().find(&x, &Run::new())?;
/// assert_eq!(found.choice.segments, Segments::Lines);
/// assert!(found.segmentation.changes[0].abs_diff(40) <= 2);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChangeSearch {
    /// The kernel.
    pub kernel: Option<KernelExpr>,
    /// What segments are; without it, levels where a number of changes or a penalty is given.
    pub segments: Option<Segments>,
    /// The least number of points in a segment; at least 5 where segments are lines.
    pub min_size: usize,
    /// A number of landmarks and a seed: greedy answers for long sequences.
    pub landmarks: Option<(usize, u64)>,
}

impl Default for ChangeSearch {
    fn default() -> Self {
        ChangeSearch { kernel: None, segments: None, min_size: 2, landmarks: None }
    }
}

/// Points in order, ready to be cut: exactly, or greedily on landmarks.
#[derive(Debug)]
pub struct Sliced {
    /// The points, with their kernel.
    pub points: ChangePoints,
    /// The same on landmarks, where they were asked for.
    pub landmarks: Option<LandmarkSegments>,
}

/// What was found in the data, and the points as it sees them.
#[derive(Debug)]
pub struct Found {
    /// The points, with the kernel and the kind of segments that were chosen.
    pub sliced: Sliced,
    /// Where the sequence changes.
    pub segmentation: Segmentation,
    /// What it was found from.
    pub choice: AutomaticChoice,
}

impl ChangeSearch {
    /// The points, for a number of changes or a penalty.
    pub fn slice(&self, x: &Inputs, run: &Run) -> Result<Sliced> {
        let segments = self.segments.unwrap_or_default();
        match (&self.kernel, segments) {
            (Some(kernel), _) => self.with(x, kernel, segments, run),
            (None, Segments::Levels) => self.with(x, &usual(x, run)?, segments, run),
            (None, Segments::Lines) => match limited(x, run)? {
                Some((columns, _)) => self.with(&columns, &KernelExpr::parse("linear")?, segments, run),
                None => self.with(x, &usual(x, run)?, segments, run),
            },
        }
    }

    /// The number of changes by the rule, and what segments are if that is not said: what has the least J, with the kernel if one is given,
    /// and else in the view of lines. There, levels that win are found with the usual kernel.
    pub fn find(&self, x: &Inputs, run: &Run) -> Result<Found> {
        if self.segments.is_some() {
            return found(self.slice(x, run)?, run);
        }
        if let Some(kernel) = &self.kernel {
            return self.better(x, kernel, 0, run);
        }
        let Some((columns, count)) = limited(x, run)? else {
            return self.better(x, &usual(x, run)?, 0, run);
        };
        let lines = self.better(&columns, &KernelExpr::parse("linear")?, count, run)?;
        if lines.choice.segments == Segments::Lines {
            return Ok(lines);
        }
        let compared = lines.choice.compared;
        drop(lines);
        let mut levels = found(self.slice(x, run)?, run)?;
        levels.choice.compared = compared;
        Ok(levels)
    }

    /// The one of the smaller J; levels if they are equal, and for points that have no room for two lines.
    fn better(&self, x: &Inputs, kernel: &KernelExpr, limited: usize, run: &Run) -> Result<Found> {
        let levels = found(self.with(x, kernel, Segments::Levels, run)?, run)?;
        if x.len() < 2 * Segments::Lines.least(self.min_size) {
            return Ok(levels);
        }
        // One of them at a time is held in memory.
        let Found { segmentation, mut choice, sliced } = levels;
        drop(sliced);
        let mut lines = found(self.with(x, kernel, Segments::Lines, run)?, run)?;
        let compared = Some(Compared { levels: choice.criterion, lines: lines.choice.criterion, limited });
        (choice.compared, lines.choice.compared) = (compared, compared);
        if lines.choice.criterion < choice.criterion {
            return Ok(lines);
        }
        drop(lines);
        Ok(Found { sliced: self.with(x, kernel, Segments::Levels, run)?, segmentation, choice })
    }

    fn with(&self, x: &Inputs, kernel: &KernelExpr, segments: Segments, run: &Run) -> Result<Sliced> {
        let points = KernelChangePoint { kernel: kernel.clone(), min_size: self.min_size, segments }.fit(x, run)?;
        let landmarks = self.landmarks.map(|(count, seed)| points.landmarks(count, seed, run)).transpose()?;
        Ok(Sliced { points, landmarks })
    }
}

impl Sliced {
    /// The cheapest segmentations with 0, 1, …, `most` changes: [`ChangePoints::path`] or [`LandmarkSegments::path`].
    pub fn path(&self, most: usize, run: &Run) -> Result<CostPath> {
        self.landmarks.as_ref().map_or_else(|| self.points.path(most, run), |marks| marks.path(most, run))
    }

    /// The cheapest segmentation at a price of `penalty` ≥ 0 for every change.
    pub fn penalised(&self, penalty: f64, run: &Run) -> Result<Segmentation> {
        let exact = || self.points.penalised(penalty, run);
        self.landmarks.as_ref().map_or_else(exact, |marks| marks.penalised(penalty, run))
    }

    /// The segmentation with as many changes as the rule finds.
    pub fn automatic(&self, run: &Run) -> Result<(Segmentation, AutomaticChoice)> {
        self.landmarks.as_ref().map_or_else(|| self.points.automatic(run), |marks| marks.automatic(run))
    }

    /// The share of Σ k(x, x) that landmarks leave.
    pub fn approximation_error(&self) -> Option<f64> {
        self.landmarks.as_ref().map(LandmarkSegments::approximation_error)
    }
}

fn found(sliced: Sliced, run: &Run) -> Result<Found> {
    let (segmentation, choice) = sliced.automatic(run)?;
    Ok(Found { sliced, segmentation, choice })
}

fn usual(x: &Inputs, run: &Run) -> Result<KernelExpr> {
    usual_kernel(x, run)?.ok_or_else(|| Error::Unsupported {
        what: format!("{} without a kernel", x.describe()),
        alternative: "name a kernel for these points".into(),
    })
}
