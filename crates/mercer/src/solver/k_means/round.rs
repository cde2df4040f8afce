//! Partitions, and the rounds of Lloyd's algorithm.

use rayon::prelude::*;

use crate::certificate::Stop;
use crate::run::Run;

use super::sums::{CHUNK, Move, Sums};
use super::{KMeansParams, Problem};

/// What rounding may make of a difference of squared distances, over the largest of K's diagonal.
pub(super) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Clusters of rows under way.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    pub(super) labels: Vec<usize>,
    /// W_c: the weight of each cluster.
    pub(super) total: Vec<f64>,
    /// Q_c = Σᵢⱼ∈c wᵢwⱼKᵢⱼ.
    pub(super) square: Vec<f64>,
    /// Σ wᵢ‖φᵢ − μ_c(i)‖².
    pub(super) objective: f64,
    pub(super) history: Vec<f64>,
    pub(super) stop: Option<Stop>,
}

impl Partition {
    pub(super) fn of(labels: Vec<usize>, clusters: usize) -> Self {
        let zeros = vec![0.0; clusters];
        let objective = f64::INFINITY;
        Partition { labels, total: zeros.clone(), square: zeros, objective, history: Vec::new(), stop: None }
    }

    pub(super) fn stop(&self) -> Stop {
        self.stop.unwrap_or(Stop::Tolerance)
    }

    /// The moves of all rows to their clusters, whose sums begin at `plane`.
    pub(super) fn all_moves(&self, plane: usize, weights: &[f64]) -> Vec<Move> {
        let to = |(row, label): (usize, &usize)| Move { row, from: None, to: plane + label, weight: weights[row] };
        self.labels.iter().enumerate().map(to).collect()
    }

    /// Finds weights, Q and the objective from sums that are up to date.
    pub(super) fn weigh(&mut self, problem: &Problem<'_>, sums: &Sums, plane: usize) {
        if self.stop.is_some() {
            return;
        }
        self.total.fill(0.0);
        self.square.fill(0.0);
        for (i, label) in self.labels.iter().enumerate() {
            self.total[*label] += problem.weights[i];
            self.square[*label] += problem.weights[i] * sums.at(plane + label, i);
        }
        let own: f64 = problem.weights.iter().zip(&problem.diagonal).map(|(w, k)| w * k).sum();
        let means: f64 = self.filled().map(|c| self.square[c] / self.total[c]).sum();
        let objective = own - means;
        if let Some(last) = self.history.last_mut() {
            *last = objective;
        }
        self.objective = objective;
    }

    /// Clusters that have rows.
    fn filled(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.total.len()).filter(|c| self.total[*c] > 0.0)
    }

    /// ‖μ_c‖² and 1/W_c; infinity and 0 for a cluster without rows.
    fn means(&self) -> Vec<(f64, f64)> {
        let mean = |(q, w): (&f64, &f64)| if *w > 0.0 { (q / w / w, 1.0 / w) } else { (f64::INFINITY, 0.0) };
        self.square.iter().zip(&self.total).map(mean).collect()
    }

    /// The squared distance of a row to the mean of a cluster.
    pub(super) fn distance(&self, problem: &Problem<'_>, sums: &Sums, plane: usize, row: usize, c: usize) -> f64 {
        let w = self.total[c];
        (problem.diagonal[row] - 2.0 * sums.at(plane + c, row) / w + self.square[c] / w / w).max(0.0)
    }

    /// Moves every row to the nearest mean, and a far one to each cluster that is left empty. The sums are left as they were.
    pub(super) fn lloyd(&mut self, problem: &Problem<'_>, sums: &Sums, plane: usize, run: &Run) -> Vec<Move> {
        let means = self.means();
        let of_chunk = |chunk: usize| self.nearer(sums, plane, chunk, &means);
        let moved: Vec<Vec<(usize, usize)>> =
            run.install(|| (0..sums.chunks()).into_par_iter().map(of_chunk).collect());
        let mut moves = Vec::new();
        for (row, to) in moved.into_iter().flatten() {
            let weight = problem.weights[row];
            moves.push(Move { row, from: Some(plane + self.labels[row]), to: plane + to, weight });
            self.labels[row] = to;
        }
        if moves.is_empty() {
            moves = self.fill_empty(problem, sums, plane);
        }
        moves
    }

    /// Rows of a chunk that are nearer to another mean than to their own, by more than rounding.
    fn nearer(&self, sums: &Sums, plane: usize, chunk: usize, means: &[(f64, f64)]) -> Vec<(usize, usize)> {
        let width = sums.chunk(chunk, plane).len();
        let (mut best, mut label) = ([f64::INFINITY; CHUNK], [0u32; CHUNK]);
        let mut own = [f64::INFINITY; CHUNK];
        let first = chunk * CHUNK;
        for (c, (norm, share)) in means.iter().enumerate().filter(|(_, mean)| mean.1 > 0.0) {
            let twice = 2.0 * share;
            for (j, s) in sums.chunk(chunk, plane + c).iter().enumerate() {
                let value = norm - twice * s;
                let better = value < best[j];
                best[j] = if better { value } else { best[j] };
                label[j] = if better { c as u32 } else { label[j] };
                own[j] = if self.labels[first + j] == c { value } else { own[j] };
            }
        }
        let moves = |j: &usize| best[*j] < own[*j] - ROUNDING;
        (0..width).filter(moves).map(|j| (first + j, label[j] as usize)).collect()
    }

    /// For each cluster without rows, the row that adds most to the objective.
    fn fill_empty(&mut self, problem: &Problem<'_>, sums: &Sums, plane: usize) -> Vec<Move> {
        let empty: Vec<usize> = (0..self.total.len()).filter(|c| self.total[*c] <= 0.0).collect();
        if empty.is_empty() {
            return Vec::new();
        }
        let far = |i: usize| self.distance(problem, sums, plane, i, self.labels[i]);
        let mut rows: Vec<(f64, usize)> = (0..self.labels.len())
            .filter(|i| far(*i) > ROUNDING * problem.diagonal[*i].abs().max(f64::MIN_POSITIVE))
            .map(|i| (problem.weights[i] * far(i), i))
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut left: Vec<usize> = vec![0; self.total.len()];
        self.labels.iter().for_each(|label| left[*label] += 1);
        let mut moves = Vec::new();
        for (_, row) in rows {
            let Some(to) = empty.get(moves.len()).copied() else { break };
            let from = self.labels[row];
            if left[from] > 1 {
                left[from] -= 1;
                moves.push(Move { row, from: Some(plane + from), to: plane + to, weight: problem.weights[row] });
                self.labels[row] = to;
            }
        }
        moves
    }

    /// Ends in the middle of a round: its rows are moved, and what that made of the objective is not known.
    pub(super) fn leave(&mut self, stop: Stop) {
        self.history.pop();
        self.stop = Some(stop);
    }

    /// Whether there were rounds enough, or the last one gained too little.
    pub(super) fn ends(&mut self, params: &KMeansParams) -> bool {
        let before = self.history.iter().rev().nth(1).copied();
        let small = before.is_some_and(|b| b - self.objective <= params.tolerance * b) && params.tolerance > 0.0;
        if small {
            self.stop = Some(Stop::Tolerance);
        } else if self.history.len() >= params.max_iterations {
            self.stop = Some(Stop::MaxIterations);
        }
        self.stop.is_some()
    }
}
