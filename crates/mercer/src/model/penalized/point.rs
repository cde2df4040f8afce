//! Points of the dual near a solution: within the bounds of the conjugates, and with sums that are 0 exactly.

use crate::linalg::Ball;
use crate::loss::{Loss, RowLoss};
use crate::solver::penalized::balance;

/// Share that bounds are moved inside by: above all that rounding does to their products with weights.
const INSIDE: f64 = 1.0 - 4.0 * f64::EPSILON;
/// The same for probabilities, which are sums over classes.
const INSIDE_SIMPLEX: f64 = 1.0 - 1e-13;
/// Rounds after which the sums of columns are as near 0 as numbers allow.
const ROUNDS: usize = 4;

/// The kind of the loss.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// Of one value: with slopes near the derivative where it is smooth, near −alpha·a where it is not.
    One { loss: &'a dyn Loss, y: &'a [f64], smooth: bool },
    /// Of one value a class.
    Softmax,
}

/// u, row-major: n×c; nothing where no point was found.
pub(super) fn dual_point(
    rows: &Rows<'_>,
    losses: &dyn RowLoss,
    z: &[f64],
    slopes: &[f64],
    weights: &[f64],
    free: bool,
) -> Option<Vec<Ball>> {
    let mut g = vec![0.0; z.len()];
    losses.gradients(z, &mut g);
    let c = losses.outputs();
    g.iter_mut().enumerate().for_each(|(at, g)| *g *= weights[at / c]);
    match rows {
        Rows::Softmax => of_classes(&g, weights, c, free),
        Rows::One { loss, y, smooth } => {
            let limits = |i: usize| {
                let (low, high) = loss.convex().map_or((f64::NEG_INFINITY, f64::INFINITY), |loss| loss.domain(y[i]));
                (weights[i] * low * INSIDE, weights[i] * high * INSIDE)
            };
            within(if *smooth { &g } else { slopes }, limits, free)
        }
    }
}

/// Clipped, balanced, and the last of the sum taken by the value with most room.
fn within(slopes: &[f64], limits: impl Fn(usize) -> (f64, f64), free: bool) -> Option<Vec<Ball>> {
    let mut u: Vec<f64> = slopes.iter().enumerate().map(|(i, v)| v.max(limits(i).0).min(limits(i).1)).collect();
    if u.iter().any(|u| !u.is_finite()) {
        return None;
    }
    if !free {
        return Some(u.into_iter().map(Ball::from).collect());
    }
    balance(&mut u, &limits);
    let mut u: Vec<Ball> = u.into_iter().map(Ball::from).collect();
    let left: Ball = u.iter().copied().sum();
    if left.magnitude() == 0.0 {
        return Some(u);
    }
    let room = |i: usize| (u[i].value() - limits(i).0).min(limits(i).1 - u[i].value());
    let widest = (0..u.len()).fold(0, |j, i| if room(i) > room(j) { i } else { j });
    (room(widest) > 2.0 * left.magnitude()).then(|| {
        u[widest] = u[widest] - left;
        u
    })
}

/// Slopes w·(π − e) of rows, kept as w·π of the other classes: that of the own class is minus their sum, exactly.
struct Simplex {
    others: Vec<f64>,
    own: Vec<usize>,
    weights: Vec<f64>,
    c: usize,
}

fn of_classes(g: &[f64], weights: &[f64], c: usize, free: bool) -> Option<Vec<Ball>> {
    // The slope of the own class alone is below 0.
    let own: Vec<usize> = g.chunks(c).map(|g| (0..c).fold(0, |own, j| if g[j] < g[own] { j } else { own })).collect();
    let others = g.iter().enumerate().map(|(at, g)| if at % c == own[at / c] { 0.0 } else { g.max(0.0) });
    let others: Vec<f64> = others.map(|g| g * INSIDE_SIMPLEX).collect();
    if others.iter().any(|p| !p.is_finite()) {
        return None;
    }
    let mut simplex = Simplex { others, own, weights: weights.to_vec(), c };
    if !free {
        return Some(simplex.slopes());
    }
    (0..ROUNDS).for_each(|_| simplex.level());
    simplex.balanced()
}

impl Simplex {
    /// w·π of a class in a row.
    fn mass(&self, i: usize, j: usize) -> f64 {
        let row = &self.others[i * self.c..(i + 1) * self.c];
        if j == self.own[i] { (self.weights[i] - row.iter().sum::<f64>()).max(0.0) } else { row[j] }
    }

    fn slopes(&self) -> Vec<Ball> {
        let mut u: Vec<Ball> = self.others.iter().map(|p| Ball::from(*p)).collect();
        for (i, own) in self.own.iter().enumerate() {
            u[i * self.c + own] =
                -self.others[i * self.c..(i + 1) * self.c].iter().map(|p| Ball::from(*p)).sum::<Ball>();
        }
        u
    }

    fn sums(&self) -> Vec<Ball> {
        let u = self.slopes();
        (0..self.c).map(|j| u.iter().skip(j).step_by(self.c).copied().sum()).collect()
    }

    /// Moves mass between a class and the heaviest one, in proportion to what the rows have, until its slopes add up to 0.
    fn level(&mut self) {
        let n = self.own.len();
        let total = |s: &Self, j: usize| (0..n).map(|i| s.mass(i, j)).sum::<f64>();
        let heaviest = (0..self.c).fold(0, |h, j| if total(self, j) > total(self, h) { j } else { h });
        for j in (0..self.c).filter(|j| *j != heaviest) {
            let sum = self.sums()[j].value();
            let (from, to) = if sum > 0.0 { (j, heaviest) } else { (heaviest, j) };
            let all = total(self, from);
            if all <= 2.0 * sum.abs() {
                continue;
            }
            for i in 0..n {
                let by = self.mass(i, from) * (sum.abs() / all);
                if from != self.own[i] {
                    self.others[i * self.c + from] -= by;
                }
                if to != self.own[i] {
                    self.others[i * self.c + to] += by;
                }
            }
        }
    }

    /// The row with most room for it takes what is left of the sums.
    fn balanced(&self) -> Option<Vec<Ball>> {
        let (c, left) = (self.c, self.sums());
        let room = |i: usize| (0..c).map(|j| self.mass(i, j)).fold(f64::INFINITY, f64::min);
        let widest = (0..self.own.len()).fold(0, |w, i| if room(i) > room(w) { i } else { w });
        let most = left.iter().map(|t| t.magnitude()).fold(0.0, f64::max);
        if room(widest) <= 2.0 * most {
            return None;
        }
        let mut u = self.slopes();
        let own = self.own[widest];
        (0..c).filter(|j| *j != own).for_each(|j| u[widest * c + j] = u[widest * c + j] - left[j]);
        u[widest * c + own] = -(0..c).filter(|j| *j != own).map(|j| u[widest * c + j]).sum::<Ball>();
        Some(u)
    }
}
