//! What segments leave of points in feature space: how neighbours correlate in it.

use std::ops::Range;

use crate::error::Result;
use crate::linalg::filled;
use crate::run::{Reservation, Run};

use super::path::{CostPath, Segmentation, Segments};

/// K·V for V of so many columns: V, columns, product.
pub(super) type Multiply<'a> = dyn Fn(&[f64], usize, &mut [f64]) -> Result<()> + 'a;

/// Products of the kernel matrix with the pieces of all segmentations of a path, from which everything below comes.
pub(super) struct Products<'a> {
    n: usize,
    segments: Segments,
    /// k(x(t), x(t + 1)).
    neighbours: &'a [f64],
    /// Places where a segment begins in some segmentation, with 0 and n.
    marks: Vec<usize>,
    /// Rows of Σ k(x(t), x(j)) over all points j before the end of each piece, and of Σ τ(j)·k(x(t), x(j)) where segments are lines.
    values: Vec<f64>,
    _reserved: Reservation,
}

/// The fit of a segment as the points see it: ⟨φ(x(t)), f(s)⟩ = mean(t) + (τ(s) − τ̄)·slope(t) for its points t, s.
struct Seen {
    mean: Vec<f64>,
    slope: Vec<f64>,
    /// τ − τ̄.
    places: Vec<f64>,
}

impl<'a> Products<'a> {
    /// For the segmentations of a path: O(n²) for each mark, and the memory of two such columns, four where segments are lines.
    pub(super) fn new(
        (path, segments): (&CostPath, Segments),
        neighbours: &'a [f64],
        multiply: &Multiply<'_>,
        run: &Run,
    ) -> Result<Self> {
        let n = path.n();
        let mut marks = vec![0, n];
        path.segmentations().iter().for_each(|s| marks.extend(&s.changes));
        marks.sort_unstable();
        marks.dedup();
        let (pieces, less) = (marks.len() - 1, "use landmarks, or give the number of changes");
        let width = pieces * kinds(segments);
        let (mut vectors, _held) = filled((n * width) as u128, 0.0, "pieces of the sequence", less, run)?;
        for (piece, ends) in marks.windows(2).enumerate() {
            for t in ends[0]..ends[1] {
                vectors[t * width + piece] = 1.0;
                if segments == Segments::Lines {
                    vectors[t * width + pieces + piece] = time(t, n);
                }
            }
        }
        let (mut values, _reserved) = filled((n * width) as u128, 0.0, "sums of kernel values", less, run)?;
        multiply(&vectors, width, &mut values)?;
        for row in values.chunks_mut(pieces) {
            (1..pieces).for_each(|piece| row[piece] += row[piece - 1]);
        }
        Ok(Products { n, segments, neighbours, marks, values, _reserved })
    }

    /// The mean of ⟨r(t), r(t + 1)⟩ over neighbours in one segment, r(t) = φ(x(t)) − f(t).
    pub(super) fn covariance(&self, segmentation: &Segmentation) -> f64 {
        let starts = [0].iter().chain(&segmentation.changes);
        let ends = segmentation.changes.iter().chain([&self.n]);
        let sum: f64 = starts.zip(ends).map(|(start, end)| self.lagged(&(*start..*end))).sum();
        sum / (self.n - segmentation.changes.len() - 1).max(1) as f64
    }

    /// Σ⟨r(t), r(t + 1)⟩ inside of a segment.
    fn lagged(&self, segment: &Range<usize>) -> f64 {
        let Seen { mean, slope, places } = self.seen(segment);
        // ⟨f(t), f(s)⟩ comes from the same numbers, since f is a sum over points.
        let (count, spread) = (places.len() as f64, places.iter().map(|p| p * p).sum::<f64>());
        let along = |values: &[f64]| match spread > 0.0 {
            true => values.iter().zip(&places).map(|(v, p)| v * p).sum::<f64>() / spread,
            false => 0.0,
        };
        let level = mean.iter().sum::<f64>() / count;
        let (across, steep) = (along(&mean), along(&slope));
        let fits =
            |i: usize| places[i].mul_add(places[i - 1] * steep, (places[i] + places[i - 1]).mul_add(across, level));
        let of_fit = |t: usize, s: usize| places[s].mul_add(slope[t], mean[t]);
        let pair = |i: usize| self.neighbours[segment.start + i - 1] - of_fit(i, i - 1) - of_fit(i - 1, i) + fits(i);
        (1..places.len()).map(pair).sum()
    }

    fn seen(&self, segment: &Range<usize>) -> Seen {
        let count = segment.len() as f64;
        let middle = (segment.start + segment.end - 1) as f64 / 2.0;
        let places: Vec<f64> = match self.segments {
            Segments::Levels => vec![0.0; segment.len()],
            Segments::Lines => segment.clone().map(|t| 2.0 * (t as f64 - middle) / self.n as f64).collect(),
        };
        let spread: f64 = places.iter().map(|p| p * p).sum();
        let centre = (2.0 * middle + 1.0) / self.n as f64 - 1.0;
        let pieces = self.marks.len() - 1;
        let place = |at: usize| self.marks.partition_point(|mark| *mark < at);
        let (first, last) = (place(segment.start), place(segment.end));
        let rows = self.values.chunks(pieces * kinds(self.segments));
        let inside = rows.skip(segment.start).take(segment.len());
        let over = |row: &[f64]| row[last - 1] - if first > 0 { row[first - 1] } else { 0.0 };
        let both = inside.map(|row| {
            let sum = over(row);
            let slope = if spread > 0.0 { (over(&row[pieces..]) - centre * sum) / spread } else { 0.0 };
            (sum / count, slope)
        });
        let (mean, slope) = both.unzip();
        Seen { mean, slope, places }
    }
}

/// Sums of kernel values for each piece.
fn kinds(segments: Segments) -> usize {
    match segments {
        Segments::Levels => 1,
        Segments::Lines => 2,
    }
}

/// τ(t): the middle of the part t of [−1, 1] in n parts.
pub(super) fn time(t: usize, n: usize) -> f64 {
    (2 * t + 1) as f64 / n as f64 - 1.0
}
