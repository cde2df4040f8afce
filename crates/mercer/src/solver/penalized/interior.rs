//! Quadratic programs of piecewise losses, by a primal-dual interior point method.
//!
//! **Solves** the dual of `Penalized`: min ½VᵀQV + Σⱼ (½dⱼvⱼ² + shiftⱼ·vⱼ) over lowⱼ ≤ vⱼ ≤ highⱼ, with
//! one v a piece, Vᵢ the sum over the pieces of row i, Q = K/alpha and, with an intercept, ΣV = 0, whose
//! multiplier is b. The path to it is weighted: slack times multiplier of a piece is led to 0 in
//! proportion to the weight of its row, so that rows whose weights are far apart come near together.
//!
//! **Stops when** the gap is small enough, when it no longer falls, or by the run.
//!
//! **Cost** one Cholesky factor a step, 10 to 30 steps; 8n² bytes beside K.
//!
//! **Reference** Mehrotra (1992), *On the implementation of a primal-dual interior point method*, SIAM
//! Journal on Optimization 2; Nocedal & Wright (2006), algorithm 16.4.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::linalg::{dot, largest_magnitude};
use crate::loss::Loss;
use crate::run::Run;

use super::balance::balance;
use super::constant::constant;
use super::pieces::Pieces;
use super::shifted::Shifted;
use super::{Penalized, PenalizedAnswer, PenalizedParams, check_finite};

/// Share of the way to the boundary that a step takes, at first and at most: slacks that become 0 bar
/// the way of the next step.
const STEP: f64 = 0.995;
const MOST: f64 = 1.0 - 1e-6;
/// Steps without a smaller gap, once slacks and multipliers leave none, after which rounding has won.
const PATIENCE: usize = 6;

/// Minimises a loss with pieces.
pub fn interior_point(
    problem: &Penalized<'_>,
    loss: &dyn Loss,
    y: &[f64],
    params: &PenalizedParams,
    run: &Run,
) -> Result<PenalizedAnswer> {
    problem.validate(y.len())?;
    params.validate()?;
    let pieces = Pieces::new(loss, y, problem.weights)?;
    let scale = 1.0 / problem.alpha / pieces.unit;
    problem.check_range(scale)?;
    let of_zero = constant(problem, loss, y, &pieces);
    if of_zero.residual <= params.tolerance {
        return Ok(PenalizedAnswer { stop: Stop::Tolerance, ..of_zero });
    }
    let mut method = Method::new(problem, &pieces, scale, run)?;
    let task = run.task("interior point", Some(params.max_iterations as u64));
    let mut history = Vec::new();
    let mut best = Best { gap: f64::INFINITY, v: method.v.clone(), b: method.b, since: 0 };
    let mut stop = Stop::MaxIterations;
    let mut iters = 0;
    while iters < params.max_iterations {
        let (primal, gap) = method.measure();
        let enough = params.tolerance * primal.max(pieces.nothing());
        // On the way the gap may rise for many steps; only at the end of the way does that mean rounding.
        best.learn(gap, &method, method.complementarity(None) * method.weight <= enough);
        if gap <= enough {
            stop = Stop::Tolerance;
            break;
        }
        if best.since > PATIENCE {
            stop = Stop::Stagnation;
            break;
        }
        match method.step(run) {
            Ok(true) => {}
            Ok(false) => {
                stop = Stop::Stagnation;
                break;
            }
            // What has been reached is an answer, too.
            Err(Error::Cancelled { .. }) if iters > 0 => {
                stop = run.stop_reason().map_or(Stop::Interrupted, Stop::from);
                break;
            }
            Err(other) => return Err(other),
        }
        iters += 1;
        history.push(primal * pieces.unit);
        if let Some(reason) = task.step(Some(gap / primal.max(f64::MIN_POSITIVE))) {
            stop = reason.into();
            break;
        }
    }
    best.learn(method.measure().1, &method, true);
    let jitter = method.shifted.jitter;
    finish(problem, &pieces, scale, best, |j| pieces.bounds(j), run).map(|answer| {
        // Stopped early, the best point by its gap may be worse than none.
        let worse = stop != Stop::Tolerance && answer.primal(problem.alpha) > of_zero.primal(problem.alpha);
        let answer = if worse { of_zero } else { answer };
        let reached = answer.residual <= params.tolerance;
        let stop = if reached && stop != Stop::Tolerance { Stop::Tolerance } else { stop };
        PenalizedAnswer { iters, stop, jitter, history, ..answer }
    })
}

/// The point with the smallest gap so far.
pub(super) struct Best {
    pub(super) gap: f64,
    pub(super) v: Vec<f64>,
    pub(super) b: f64,
    pub(super) since: usize,
}

impl Best {
    fn learn(&mut self, gap: f64, method: &Method<'_>, arrived: bool) {
        self.since += usize::from(arrived);
        if gap < self.gap {
            *self = Best { gap, v: method.v.clone(), b: method.b, since: 0 };
        }
    }
}

/// The iterates. Slacks are kept beside v because their last digits matter near a bound; of a side
/// without a bound, the slack is ∞ and the multiplier 0.
struct Method<'a> {
    problem: &'a Penalized<'a>,
    pieces: &'a Pieces,
    scale: f64,
    shifted: Shifted,
    v: Vec<f64>,
    b: f64,
    /// v − low, high − v.
    slack: [Vec<f64>; 2],
    /// Multipliers of both.
    multiplier: [Vec<f64>; 2],
    /// The sum of the weights of all bounds.
    weight: f64,
    /// Q·V.
    product: Vec<f64>,
    /// Σ over pieces of 1/Θ.
    softness: Vec<f64>,
}

/// A direction.
struct Direction {
    v: Vec<f64>,
    b: f64,
    multiplier: [Vec<f64>; 2],
}

impl<'a> Method<'a> {
    /// Starts inside the bounds, with multipliers of the size of the residuals.
    fn new(problem: &'a Penalized<'a>, pieces: &'a Pieces, scale: f64, run: &Run) -> Result<Self> {
        let (n, m) = (problem.n(), pieces.len());
        // Slopes without a bound on one side begin so small that no value is far from the targets.
        let (mut sums, mut product) = (vec![0.0; n], vec![0.0; n]);
        pieces.by_row(|j| pieces.weight[j], &mut sums);
        problem.times(&sums, 1, &mut product, run)?;
        let share = 1.0 / (1.0 + scale * largest_magnitude(&product));
        let inside = |j: usize| match pieces.bounds(j) {
            (low, high) if low.is_finite() && high.is_finite() => 0.5 * (low + high),
            (low, high) if low.is_finite() || high.is_finite() => {
                if low.is_finite() {
                    low + (share * pieces.weight[j]).max(f64::MIN_POSITIVE)
                } else {
                    high - (share * pieces.weight[j]).max(f64::MIN_POSITIVE)
                }
            }
            _ => 0.0,
        };
        let v: Vec<f64> = (0..m).map(inside).collect();
        let slack: [Vec<f64>; 2] =
            [(0..m).map(|j| v[j] - pieces.bounds(j).0).collect(), (0..m).map(|j| pieces.bounds(j).1 - v[j]).collect()];
        let held = |side: &Vec<f64>| (0..m).filter(|j| side[*j].is_finite()).map(|j| pieces.weight[j]).sum::<f64>();
        let mut method = Method {
            problem,
            pieces,
            scale,
            shifted: Shifted::reserve(n, run)?,
            v,
            b: 0.0,
            weight: slack.iter().map(held).sum(),
            slack,
            multiplier: [vec![0.0; m], vec![0.0; m]],
            product: vec![0.0; n],
            softness: vec![0.0; n],
        };
        method.multiply(run)?;
        method.start_multipliers();
        Ok(method)
    }

    fn start_multipliers(&mut self) {
        let residuals: Vec<f64> = (0..self.pieces.len()).map(|j| self.residual(j)).collect();
        let size = residuals.iter().map(|r| r.abs()).sum::<f64>() / residuals.len() as f64 + 1e-2;
        for (j, r) in residuals.iter().enumerate() {
            for (side, part) in [(0, r.max(0.0)), (1, (-r).max(0.0))] {
                self.multiplier[side][j] = if self.slack[side][j].is_finite() { part + size } else { 0.0 };
            }
        }
    }

    /// Q·V of the v there are.
    fn multiply(&mut self, run: &Run) -> Result<()> {
        let mut sums = vec![0.0; self.problem.n()];
        self.pieces.by_row(|j| self.v[j], &mut sums);
        self.problem.times(&sums, 1, &mut self.product, run)?;
        self.product.iter_mut().for_each(|q| *q *= self.scale);
        check_finite(&self.product, "the values of the fit")
    }

    /// The gradient in vⱼ without the multipliers of the bounds.
    fn residual(&self, j: usize) -> f64 {
        let p = &self.pieces.piece[j];
        self.product[self.pieces.row[j]] + self.pieces.softness(j) * self.v[j] + p.shift - self.b
    }

    /// z = −QV + b.
    fn values(&self) -> Vec<f64> {
        self.product.iter().map(|q| self.b - q).collect()
    }

    /// The objective and its distance from the dual one.
    fn measure(&self) -> (f64, f64) {
        let z = self.values();
        let mut sums = vec![0.0; z.len()];
        self.pieces.by_row(|j| self.v[j], &mut sums);
        let unbalanced = if self.problem.intercept { (self.b * sums.iter().sum::<f64>()).abs() } else { 0.0 };
        let primal = self.pieces.loss(&z) + 0.5 * dot(&sums, &self.product);
        (primal, self.pieces.slack(&z, &self.v) + unbalanced)
    }

    /// Slack times multiplier, for a unit of weight.
    fn complementarity(&self, d: Option<(&Direction, f64)>) -> f64 {
        let mut sum = 0.0;
        for side in 0..2 {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            for (j, s) in self.slack[side].iter().enumerate().filter(|(_, s)| s.is_finite()) {
                let (ds, dm) = d.map_or((0.0, 0.0), |(d, t)| (t * sign * d.v[j], t * d.multiplier[side][j]));
                sum += (s + ds) * (self.multiplier[side][j] + dm);
            }
        }
        sum / self.weight.max(f64::MIN_POSITIVE)
    }

    /// One predictor and one corrector; false if the way is barred.
    fn step(&mut self, run: &Run) -> Result<bool> {
        let m = self.pieces.len();
        let theta: Vec<f64> = (0..m).map(|j| self.theta(j)).collect();
        let mut softness = std::mem::take(&mut self.softness);
        self.pieces.by_row(|j| 1.0 / theta[j], &mut softness);
        self.shifted.refactor(self.problem.kernel, self.scale, &softness, run)?;
        self.softness = softness;
        let mut ones = vec![1.0; self.problem.n()];
        if self.problem.intercept {
            self.shifted.solve(&mut ones, 1, run)?;
        }
        let mu = self.complementarity(None);
        let affine = self.direction(&theta, &ones, 0.0, None, run)?;
        let reach = self.reach(&affine).min(1.0);
        let target =
            mu * (self.complementarity(Some((&affine, reach))) / mu.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0).powi(3);
        let d = if mu > 0.0 { self.direction(&theta, &ones, target, Some(&affine), run)? } else { affine };
        let length = ((1.0 - mu).clamp(STEP, MOST) * self.reach(&d)).min(1.0);
        let finite = d.b.is_finite()
            && [&d.v, &d.multiplier[0], &d.multiplier[1]].map(|v| largest_magnitude(v)).iter().all(|m| m.is_finite());
        if !finite || length.is_nan() || length <= 1e-12 {
            return Ok(false);
        }
        self.take(&d, length);
        self.multiply(run)?;
        Ok(true)
    }

    fn theta(&self, j: usize) -> f64 {
        let sides = (0..2).map(|side| self.multiplier[side][j] / self.slack[side][j]).sum::<f64>();
        // A piece with low = high does not move; without any hold, Θ = 0 would be infinitely soft.
        (self.pieces.softness(j) + sides).clamp(1e-200, 1e200)
    }

    /// Solves the Newton system for complementarity `target` a unit of weight, corrected by the products of `affine`.
    fn direction(
        &self,
        theta: &[f64],
        ones: &[f64],
        target: f64,
        affine: Option<&Direction>,
        run: &Run,
    ) -> Result<Direction> {
        let (n, m) = (self.problem.n(), self.pieces.len());
        let wanted = |side: usize, j: usize| {
            let (s, l) = (self.slack[side][j], self.multiplier[side][j]);
            if !s.is_finite() {
                return 0.0;
            }
            let sign = if side == 0 { 1.0 } else { -1.0 };
            target * self.pieces.weight[j] - s * l - affine.map_or(0.0, |d| sign * d.v[j] * d.multiplier[side][j])
        };
        let push = |side: usize, j: usize| wanted(side, j) / self.slack[side][j];
        let held = |j: usize| self.multiplier[0][j] - self.multiplier[1][j];
        let r: Vec<f64> = (0..m).map(|j| held(j) - self.residual(j) + push(0, j) - push(1, j)).collect();
        let mut mean = vec![0.0; n];
        self.pieces.by_row(|j| r[j] / theta[j], &mut mean);
        mean.iter_mut().zip(&self.softness).for_each(|(r, s)| *r /= s);
        let mut solved = mean.clone();
        self.shifted.solve(&mut solved, 1, run)?;
        let mut b = 0.0;
        if self.problem.intercept {
            b = -(self.v.iter().sum::<f64>() + solved.iter().sum::<f64>()) / ones.iter().sum::<f64>();
            solved.iter_mut().zip(ones).for_each(|(x, o)| *x += b * o);
        }
        let of = |j: usize| {
            let i = self.pieces.row[j];
            (r[j] - mean[i] + solved[i] / self.softness[i]) / theta[j]
        };
        let v: Vec<f64> = (0..m).map(of).collect();
        let side = |side: usize| -> Vec<f64> {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let slope = |j: usize| sign * self.multiplier[side][j] / self.slack[side][j];
            (0..m).map(|j| push(side, j) - slope(j) * v[j]).collect()
        };
        let multiplier = [side(0), side(1)];
        Ok(Direction { v, b, multiplier })
    }

    /// The longest step that keeps slacks and multipliers ≥ 0; ∞ if nothing is in the way.
    fn reach(&self, d: &Direction) -> f64 {
        let mut reach = f64::INFINITY;
        for side in 0..2 {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            for j in 0..d.v.len() {
                let ds = sign * d.v[j];
                if ds < 0.0 {
                    reach = reach.min(self.slack[side][j] / -ds);
                }
                if d.multiplier[side][j] < 0.0 {
                    reach = reach.min(self.multiplier[side][j] / -d.multiplier[side][j]);
                }
            }
        }
        reach
    }

    fn take(&mut self, d: &Direction, length: f64) {
        self.b += length * d.b;
        for j in 0..d.v.len() {
            let (low, high) = self.pieces.bounds(j);
            self.v[j] = (self.v[j] + length * d.v[j]).clamp(low, high);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                // Slacks that rounding would make 0 would divide by 0.
                self.slack[side][j] = (self.slack[side][j] + length * sign * d.v[j]).max(f64::MIN_POSITIVE);
                self.multiplier[side][j] = (self.multiplier[side][j] + length * d.multiplier[side][j]).max(0.0);
            }
        }
    }
}

/// Makes the best point a dual point to the last digit, moving slopes within `room`, and measures again.
pub(super) fn finish(
    problem: &Penalized<'_>,
    pieces: &Pieces,
    scale: f64,
    best: Best,
    room: impl Fn(usize) -> (f64, f64),
    run: &Run,
) -> Result<PenalizedAnswer> {
    let Best { mut v, b, .. } = best;
    if problem.intercept {
        balance(&mut v, room);
    }
    let n = problem.n();
    let (mut slopes, mut product) = (vec![0.0; n], vec![0.0; n]);
    pieces.by_row(|j| v[j], &mut slopes);
    problem.times(&slopes, 1, &mut product, &run.without_stops())?;
    let z: Vec<f64> = product.iter().map(|q| b - scale * q).collect();
    let unit = pieces.unit;
    let (loss, square) = (pieces.loss(&z), dot(&slopes, &product));
    let unbalanced = if problem.intercept { (b * slopes.iter().sum::<f64>()).abs() } else { 0.0 };
    let gap = pieces.slack(&z, &v) + unbalanced;
    let primal = loss + 0.5 * scale * square;
    Ok(PenalizedAnswer {
        slopes,
        intercept: vec![b * unit],
        values: z.iter().map(|z| z * unit).collect(),
        loss: loss * unit,
        slopes_square: square,
        gap: Some(gap * unit),
        residual: gap / primal.max(pieces.nothing()),
        iters: 0,
        stop: Stop::MaxIterations,
        jitter: 0.0,
        history: Vec::new(),
    })
}
