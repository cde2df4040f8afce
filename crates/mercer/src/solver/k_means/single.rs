//! Moves of single rows, with the change of both means counted.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;

use super::Problem;
use super::round::{Partition, ROUNDING};
use super::sums::{CHUNK, Move, Sums};

/// Rows of K that are asked for at a time.
const ROWS: usize = 64;

impl Partition {
    /// Goes through the rows once and moves those that lower the objective by leaving their cluster, one after the other. Sums are
    /// brought up to date; the answer is the number of moves.
    ///
    /// Without row i of weight w, a cluster of weight W has less by W·w/(W − w)·‖φᵢ − μ‖²; with it, more by W·w/(W + w)·‖φᵢ − μ‖².
    pub(super) fn single(&mut self, problem: &Problem<'_>, sums: &mut Sums, plane: usize, run: &Run) -> Result<usize> {
        let pays = |i: &usize| self.better(problem, sums, plane, *i).is_some();
        let of_chunk = |chunk: usize| -> Vec<usize> {
            (chunk * CHUNK..((chunk + 1) * CHUNK).min(problem.n())).filter(pays).collect()
        };
        let rows: Vec<Vec<usize>> = run.install(|| (0..sums.chunks()).into_par_iter().map(of_chunk).collect());
        let rows: Vec<usize> = rows.into_iter().flatten().collect();
        let mut moves = 0;
        for some in rows.chunks(ROWS) {
            let matrix = match problem.gram.rows(some, run) {
                Err(Error::Cancelled { .. }) => break,
                matrix => matrix?,
            };
            for (at, row) in some.iter().enumerate() {
                if let Some(to) = self.better(problem, sums, plane, *row) {
                    let one = self.hand_over(problem, sums, plane, *row, to);
                    sums.add_rows(matrix.as_ref(), at, &[*row], &[one], problem.unit, run);
                    moves += 1;
                }
                if run.stop_reason().is_some() {
                    return Ok(moves);
                }
            }
        }
        Ok(moves)
    }

    /// The cluster that it pays most to move a row to, if it pays by more than rounding.
    fn better(&self, problem: &Problem<'_>, sums: &Sums, plane: usize, row: usize) -> Option<usize> {
        let (w, own) = (problem.weights[row], self.labels[row]);
        let rest = self.total[own] - w;
        // Weights add up with rounding: a row that is all of its cluster stays.
        if rest <= ROUNDING * self.total[own] {
            return None;
        }
        let saved = self.total[own] * (w / rest) * self.distance(problem, sums, plane, row, own);
        let (mut least, mut to) = (saved - ROUNDING * w, None);
        for c in (0..self.total.len()).filter(|c| *c != own && self.total[*c] > 0.0) {
            let price = self.total[c] * (w / (self.total[c] + w)) * self.distance(problem, sums, plane, row, c);
            if price < least {
                (least, to) = (price, Some(c));
            }
        }
        to
    }

    /// Gives a row to another cluster; its sums are those before.
    fn hand_over(&mut self, problem: &Problem<'_>, sums: &Sums, plane: usize, row: usize, to: usize) -> Move {
        let (w, own) = (problem.weights[row], self.labels[row]);
        let square = w * w * problem.diagonal[row];
        self.square[own] += square - 2.0 * w * sums.at(plane + own, row);
        self.square[to] += square + 2.0 * w * sums.at(plane + to, row);
        self.total[own] -= w;
        self.total[to] += w;
        self.labels[row] = to;
        Move { row, from: Some(plane + own), to: plane + to, weight: w }
    }
}
