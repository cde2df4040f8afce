//! Binary segmentation on landmarks, for sequences too long for exact answers.

use std::ops::Range;

use rayon::prelude::*;

use crate::approx::{RpCholeskyParams, rp_cholesky};
use crate::error::{Error, Result};
use crate::gram::{KernelColumns, KernelMatrix};
use crate::linalg::filled;
use crate::run::{Reservation, Run};

use super::automatic::{AutomaticChoice, Manner, Searches, Sequence};
use super::left::time;
use super::path::{CostPath, Segmentation, Segments};

/// Cuts that a thread looks at together.
const CUTS: usize = 512;

/// Points as rows of a factor of their kernel matrix, K ≈ F·Fᵀ, with the sums of the rows up to each point: O(r) for a cost.
#[derive(Debug)]
pub struct LandmarkSegments {
    n: usize,
    rank: usize,
    /// Σ of the first rows, (n + 1)×rank.
    sums: Vec<f64>,
    /// Σ of the first rows times τ = (2i + 1)/n − 1, where segments are lines.
    timed: Vec<f64>,
    trace: f64,
    residual: f64,
    min_size: usize,
    segments: Segments,
    sequence: Sequence,
    _reserved: [Reservation; 2],
}

/// A cut and what it takes off the cost.
#[derive(Clone, Copy, PartialEq)]
struct Cut {
    at: usize,
    gain: f64,
}

impl LandmarkSegments {
    pub(super) fn new(
        matrix: &dyn KernelMatrix,
        (landmarks, seed): (usize, u64),
        (min_size, manner): (usize, Manner),
        run: &Run,
    ) -> Result<Self> {
        if landmarks == 0 {
            return Err(Error::invalid("KernelChangePoint", "landmarks", landmarks, "1 or more"));
        }
        let n = matrix.nrows();
        let params = RpCholeskyParams { rank: landmarks, residual_trace: 0.0, seed };
        let factor = rp_cholesky(&KernelColumns(matrix), &params, run)?;
        let rank = factor.rank();
        let less = "ask for fewer landmarks";
        let added = |weight: &dyn Fn(usize) -> f64| -> Result<(Vec<f64>, Reservation)> {
            let (mut sums, reserved) = filled(((n + 1) * rank) as u128, 0.0, "sums of features", less, run)?;
            for i in 0..n {
                let ((done, next), weight) = (sums.split_at_mut((i + 1) * rank), weight(i));
                for c in 0..rank {
                    next[c] = weight.mul_add(factor.columns()[c * n + i], done[i * rank + c]);
                }
            }
            Ok((sums, reserved))
        };
        let (sums, reserved) = added(&|_| 1.0)?;
        let (timed, also) = match manner.segments {
            Segments::Levels => (Vec::new(), run.reserve(0, "sums of features", less)?),
            Segments::Lines => added(&|i| time(i, n))?,
        };
        let mut diagonal = vec![0.0; n];
        matrix.diag(&mut diagonal);
        let trace: f64 = diagonal.iter().sum();
        let residual = if trace > 0.0 { factor.residual_trace() / trace } else { 0.0 };
        let (segments, sequence) = (manner.segments, Sequence::new(matrix, manner));
        let _reserved = [reserved, also];
        Ok(LandmarkSegments { n, rank, sums, timed, trace, residual, min_size, segments, sequence, _reserved })
    }

    /// The share of Σ k(x, x) that the landmarks leave.
    pub fn approximation_error(&self) -> f64 {
        self.residual
    }

    /// Number of landmarks.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The segmentation with as many changes as the rule finds, among the greedy ones.
    pub fn automatic(&self, run: &Run) -> Result<(Segmentation, AutomaticChoice)> {
        let (path, penalised) = (|most| self.path(most, run), |penalty| self.penalised(penalty, run));
        let searches = Searches { max_changes: self.n / self.min_size - 1, path: &path, penalised: &penalised };
        let multiply = |v: &[f64], k: usize, out: &mut [f64]| {
            self.multiply(v, k, out);
            Ok(())
        };
        self.sequence.choose(&searches, &multiply, run)
    }

    /// Cuts the segment that gains most, `most` times, and says what each number of changes costs. Greedy: with two changes or
    /// more, others may be cheaper. Fewer are found where there is no room.
    pub fn path(&self, most: usize, run: &Run) -> Result<CostPath> {
        self.cut(most, f64::NEG_INFINITY, run)
    }

    /// Cuts the segment that gains most, while that is more than `penalty` ≥ 0.
    pub fn penalised(&self, penalty: f64, run: &Run) -> Result<Segmentation> {
        super::change_points::check_penalty(penalty)?;
        let path = self.cut(usize::MAX, penalty, run)?;
        Ok(path.segmentations()[path.segmentations().len() - 1].clone())
    }

    /// F·(Fᵀ·V) for V of k columns.
    fn multiply(&self, v: &[f64], k: usize, out: &mut [f64]) {
        let mut inner = vec![0.0; self.rank * k];
        for (t, v) in v.chunks(k).enumerate() {
            for c in 0..self.rank {
                let feature = self.feature(t, c);
                inner[c * k..(c + 1) * k].iter_mut().zip(v).for_each(|(sum, v)| *sum += feature * v);
            }
        }
        out.par_chunks_mut(k).enumerate().for_each(|(t, out)| {
            out.fill(0.0);
            for c in 0..self.rank {
                let feature = self.feature(t, c);
                out.iter_mut().zip(&inner[c * k..(c + 1) * k]).for_each(|(out, inner)| *out += feature * inner);
            }
        });
    }

    /// The feature c of the point t.
    fn feature(&self, t: usize, c: usize) -> f64 {
        self.sums[(t + 1) * self.rank + c] - self.sums[t * self.rank + c]
    }

    fn cut(&self, most: usize, least: f64, run: &Run) -> Result<CostPath> {
        run.enter(|| {
            let task = run.task("segments", None);
            let mut open = vec![(0..self.n, self.best(&(0..self.n)))];
            let cost = self.trace - self.of(&(0..self.n));
            let mut found = vec![Segmentation { changes: Vec::new(), cost }];
            while found.len() <= most {
                let gain = |cut: &Option<Cut>| cut.map_or(f64::NEG_INFINITY, |c| c.gain);
                // The first of equal ones.
                let next = (0..open.len()).reduce(|a, b| if gain(&open[b].1) > gain(&open[a].1) { b } else { a });
                let Some((place, cut)) = next.and_then(|i| Some((i, open[i].1?))).filter(|(_, c)| c.gain > least)
                else {
                    break;
                };
                let segment = open[place].0.clone();
                let (left, right) = (segment.start..cut.at, cut.at..segment.end);
                open[place] = (left.clone(), self.best(&left));
                open.insert(place + 1, (right.clone(), self.best(&right)));
                let changes = open.iter().skip(1).map(|(segment, _)| segment.start).collect();
                found.push(Segmentation { changes, cost: found[found.len() - 1].cost - cut.gain });
                task.step_or_cancel()?;
            }
            Ok(CostPath::new(self.n, found))
        })
    }

    /// What the level or the line of a segment takes off its cost: ‖Σ features‖²/length, and of a line ‖Σ (τ − τ̄)·features‖²/Σ(τ − τ̄)² more.
    fn of(&self, segment: &Range<usize>) -> f64 {
        let (from, to) = (segment.start * self.rank, segment.end * self.rank);
        let inside = |sums: &[f64], c: usize| sums[to + c] - sums[from + c];
        let level = (0..self.rank).map(|c| inside(&self.sums, c).powi(2)).sum::<f64>() / segment.len() as f64;
        if self.segments == Segments::Levels || segment.len() < 2 {
            return level;
        }
        let (m, n) = (segment.len() as f64, self.n as f64);
        let centre = 0.5 * (time(segment.start, self.n) + time(segment.end - 1, self.n));
        let spread = m * (m * m - 1.0) / 3.0 / (n * n);
        let rise = |c: usize| centre.mul_add(-inside(&self.sums, c), inside(&self.timed, c)).powi(2);
        level + (0..self.rank).map(rise).sum::<f64>() / spread
    }

    /// The cut of the largest gain, the first of equal ones; none where there is no room.
    fn best(&self, segment: &Range<usize>) -> Option<Cut> {
        let cuts = segment.start + self.min_size..(segment.end + 1).saturating_sub(self.min_size);
        let whole = self.of(segment);
        let better = |a: Cut, b: Cut| if b.gain > a.gain { b } else { a };
        let parts: Vec<usize> = cuts.clone().step_by(CUTS).collect();
        let found: Vec<Cut> = parts
            .into_par_iter()
            .filter_map(|first| {
                let some = first..(first + CUTS).min(cuts.end);
                let gain = |at: usize| self.of(&(segment.start..at)) + self.of(&(at..segment.end)) - whole;
                some.map(|at| Cut { at, gain: gain(at) }).reduce(better)
            })
            .collect();
        found.into_iter().reduce(better)
    }
}
