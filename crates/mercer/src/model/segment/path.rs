//! What a search for change points gives.

use serde::Serialize;

use crate::error::{Error, Result};

/// What the points of a segment are near to, in feature space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Segments {
    /// One point: their mean.
    #[default]
    Levels,
    /// A straight line in time, so that a segment may rise and fall; five points or more.
    Lines,
}

impl Segments {
    /// The least number of points in a segment, where so many are asked for: a line goes near any four points.
    pub fn least(self, min_size: usize) -> usize {
        match self {
            Segments::Levels => min_size,
            Segments::Lines => min_size.max(5),
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Result<Self> {
        let known = [Segments::Levels, Segments::Lines].into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| Error::invalid("KernelChangePoint", "segments", name, "`levels` or `lines`"))
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Segments::Levels => "levels",
            Segments::Lines => "lines",
        }
    }
}

/// Where the points are cut, and what the pieces cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Segmentation {
    /// The first points of all segments but the first, in order. Empty: no change.
    pub changes: Vec<usize>,
    /// The sum of the costs of the segments.
    pub cost: f64,
}

/// The cheapest segmentations with 0, 1, 2, … changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostPath {
    n: usize,
    segmentations: Vec<Segmentation>,
}

impl CostPath {
    pub(super) fn new(n: usize, segmentations: Vec<Segmentation>) -> Self {
        CostPath { n, segmentations }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The cheapest segmentation with so many changes, if it was looked for.
    pub fn get(&self, changes: usize) -> Option<&Segmentation> {
        self.segmentations.get(changes)
    }

    /// All of them, by the number of changes.
    pub fn segmentations(&self) -> &[Segmentation] {
        &self.segmentations
    }

    /// Their costs.
    pub fn costs(&self) -> Vec<f64> {
        self.segmentations.iter().map(|s| s.cost).collect()
    }

    /// The one that minimises its cost and `penalty` for every change, with the fewest changes of equally cheap ones.
    pub fn penalised(&self, penalty: f64) -> Option<&Segmentation> {
        let price = |s: &Segmentation| s.cost + penalty * s.changes.len() as f64;
        self.segmentations.iter().min_by(|a, b| price(a).total_cmp(&price(b)))
    }
}
