//! HSIC of many permutations.

use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::{dot, multiply_first_transposed_alone};
use crate::run::Run;

use crate::model::compare::variable::Centred;

use super::factor::{Factors, factors};
use super::statistic::{Scale, rounding};

/// Columns of a product that one thread takes at a time.
const WIDTH: usize = 256;
/// Permutations that one thread takes at a time where values are gathered: a row of K̃ is read once for all of them.
const TOGETHER: usize = 8;

/// HSIC of (xᵢ, y_π(i)) for any permutation π, in one of two ways.
///
/// With factors of ranks p and q, F = ‖ΨᵀP_πΦ‖²_F: one product of matrices for many permutations, n·p·q each. Without,
/// F = Σᵢⱼ K̃ᵢⱼ·L̃_π(i)π(j) is gathered over one half of the pairs, row by row, so that the row that is gathered from
/// stays in the nearest cache.
pub(super) struct Permuted<'a> {
    k: &'a Centred,
    l: &'a Centred,
    scale: Scale,
    factors: Option<Factors>,
}

impl<'a> Permuted<'a> {
    pub(super) fn new(k: &'a Centred, l: &'a Centred, scale: Scale, run: &Run) -> Result<Self> {
        Ok(Permuted { k, l, scale, factors: factors(k, l, run)? })
    }

    /// By how much two values may differ that are equal: rounding, and what the factors leave out.
    pub(super) fn tolerance(&self) -> f64 {
        let left_out = self.factors.as_ref().map_or(0.0, |f| f.error);
        2.0 * self.scale.error(left_out + rounding(self.k, self.l))
    }

    /// The statistic of the pairs as they are, on the path of the permuted ones.
    pub(super) fn observed(&self, run: &Run) -> Result<f64> {
        let (identity, mut value): (Vec<u32>, _) = ((0..self.k.n() as u32).collect(), [0.0]);
        self.values(&identity, &mut value, run)?;
        Ok(value[0])
    }

    /// The statistic of each permutation; they stand one after the other.
    pub(super) fn values(&self, permutations: &[u32], out: &mut [f64], run: &Run) -> Result<()> {
        let n = self.k.n();
        let at_once = self.factors.as_ref().map_or(TOGETHER, |f| (WIDTH / f.right.rank.max(1)).max(1));
        let parts = out.par_chunks_mut(at_once).zip(permutations.par_chunks(at_once * n));
        run.install(|| parts.try_for_each(|(out, permutations)| self.part(permutations, out, run)))
    }

    fn part(&self, permutations: &[u32], out: &mut [f64], run: &Run) -> Result<()> {
        if let Some(reason) = run.stop_reason() {
            return Err(run.task("permutations", None).cancelled(reason));
        }
        match &self.factors {
            Some(factors) => multiplied(factors, permutations, self.k.n(), out)?,
            None => gathered(self.k, self.l, permutations, out),
        }
        for (value, permutation) in out.iter_mut().zip(permutations.chunks(self.k.n())) {
            *value = self.scale.value(*value, self.diagonal(permutation));
        }
        Ok(())
    }

    /// Σᵢ K̃ᵢᵢL̃_π(i)π(i), where the estimate needs it.
    fn diagonal(&self, permutation: &[u32]) -> f64 {
        if !self.scale.needs_diagonal() {
            return 0.0;
        }
        self.k.diagonal.iter().zip(permutation).map(|(k, &p)| k * self.l.diagonal[p as usize]).sum()
    }
}

/// F = ‖ΨᵀP_πΦ‖²_F of some permutations, whose P_πΦ stand side by side.
fn multiplied(factors: &Factors, permutations: &[u32], n: usize, out: &mut [f64]) -> Result<()> {
    let (p, q, count) = (factors.left.rank, factors.right.rank, out.len());
    let width = q * count;
    let (mut side_by_side, mut product) = (vec![0.0; n * width], vec![0.0; p * width]);
    for i in 0..n {
        for b in 0..count {
            let from = permutations[b * n + i] as usize * q;
            let to = i * width + b * q;
            side_by_side[to..to + q].copy_from_slice(&factors.right.rows[from..from + q]);
        }
    }
    multiply_first_transposed_alone(&factors.left.rows, &side_by_side, [p, n, width], &mut product)?;
    out.fill(0.0);
    for row in product.chunks(width.max(1)) {
        for (value, part) in out.iter_mut().zip(row.chunks(q.max(1))) {
            *value += dot(part, part);
        }
    }
    Ok(())
}

/// F = Σᵢ K̃ᵢᵢL̃_π(i)π(i) + 2·Σ_{j<i} K̃ᵢⱼL̃_π(i)π(j) of some permutations.
///
/// A row of L̃ is copied from its beginning to its end before values are gathered from it: the memory is then read ahead, which
/// it is not where places come by chance.
fn gathered(k: &Centred, l: &Centred, permutations: &[u32], out: &mut [f64]) {
    let n = k.n();
    out.fill(0.0);
    let mut row = vec![0.0; n.next_power_of_two()];
    for i in 0..n {
        let own = &k.gram.row(i)[..i];
        for (value, permutation) in out.iter_mut().zip(permutations.chunks(n)) {
            let place = permutation[i] as usize;
            row[..n].copy_from_slice(l.gram.row(place));
            let pairs = gather_dot(own, &row, &permutation[..i]);
            *value += 2.0 * pairs + k.diagonal[i] * l.diagonal[place];
        }
    }
}

/// Σⱼ aⱼ·b_π(j), in four sums. The length of b is a power of two, so that a mask stands for the check of every place.
fn gather_dot(a: &[f64], b: &[f64], places: &[u32]) -> f64 {
    const SUMS: usize = 4;
    let mask = b.len() - 1;
    let b = &b[..=mask];
    let mut sums = [0.0; SUMS];
    let whole = a.len() / SUMS * SUMS;
    for (a, places) in a[..whole].chunks_exact(SUMS).zip(places[..whole].chunks_exact(SUMS)) {
        for (sum, (a, &place)) in sums.iter_mut().zip(a.iter().zip(places)) {
            *sum += a * b[place as usize & mask];
        }
    }
    let rest: f64 = a[whole..].iter().zip(&places[whole..]).map(|(a, &place)| a * b[place as usize & mask]).sum();
    sums.iter().sum::<f64>() + rest
}
