//! Newton's method for smooth losses: iteratively reweighted least squares with step control.
//!
//! **Solves** `Penalized` for losses with derivatives. One step is a weighted ridge regression,
//! v + Δv = w∇ℓ(z) + W·Δz with Δz = −K·Δv/alpha + Δb; it is halved until the objective falls by
//! Armijo's rule. After every step the intercept is made the best one for its functions, so that the
//! gradients w∇ℓ(z) add up to 0 and are a dual point.
//!
//! **Stops when** the gap (without a conjugate, the gradient) is small enough, when neither falls any
//! more, or by the run.
//!
//! **Cost** a Cholesky factor a step, or fewer; 8n² bytes beside K.
//!
//! **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, algorithms 3.1
//! and 3.3, for the factor; Nocedal & Wright (2006), chapter 7, for inexact steps.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::linalg::dot;
use crate::loss::RowLoss;
use crate::run::Run;

use super::balance::balance;
use super::inner::{best_intercept, total};
use super::system::{Step, System};
use super::{Penalized, PenalizedAnswer, PenalizedParams, check_finite};

/// Share of the decrease promised by the gradient that a step must reach.
const ARMIJO: f64 = 1e-4;
/// Halvings after which a direction is given up.
const HALVINGS: usize = 40;
/// Steps without a smaller gap or objective after which rounding has won.
const PATIENCE: usize = 8;
/// Share of the objective by which a step must lower it to count.
const FALLS: f64 = 1e-12;
/// Share of the values whose cost counts as no objective, and whose slope as no gradient. Only where an objective or a
/// gradient is this small a part of that of f = 0 is it compared with them: a constant target is met to rounding.
const NOTHING: f64 = 1e-6;
const FLAT: f64 = 1e-3;

/// Minimises smooth losses, from slopes v (n×c) where they are given and from f = 0 otherwise.
pub fn newton(
    problem: &Penalized<'_>,
    loss: &dyn RowLoss,
    start: Option<&[f64]>,
    params: &PenalizedParams,
    run: &Run,
) -> Result<PenalizedAnswer> {
    problem.validate(loss.rows())?;
    params.validate()?;
    problem.check_range(1.0 / problem.alpha)?;
    let mut at = Point::new(problem, loss, start, run)?;
    let of_zero = if start.is_none() { at.objective } else { f64::INFINITY };
    let mut system = System::new(problem, loss, run)?;
    let task = run.task("newton", Some(params.max_iterations as u64));
    let (mut iters, mut stop, mut history) = (0, Stop::MaxIterations, Vec::new());
    let (mut least, mut lowest, mut since) = (f64::INFINITY, f64::MAX, 0);
    let mut polished = false;
    while iters < params.max_iterations {
        let mut far = at.distance();
        if far <= params.tolerance {
            // Once more with the product itself, in place of the sum of those of all steps.
            at.balance(&run.without_stops())?;
            far = at.distance();
            // A step in few features costs next to nothing, and doubles the digits of the function.
            if far <= params.tolerance && (polished || !system.is_small()) {
                stop = Stop::Tolerance;
                break;
            }
            polished = true;
        }
        let falls = far < least || at.objective < lowest - FALLS * lowest.abs();
        since = if falls { 0 } else { since + 1 };
        (least, lowest) = (least.min(far), lowest.min(at.objective));
        if since > PATIENCE {
            if system.turns_to_features(run) {
                // From the start: what has drifted would be carried along.
                at = Point::new(problem, loss, None, run)?;
                (least, lowest, since) = (f64::INFINITY, f64::MAX, 0);
                continue;
            }
            stop = Stop::Stagnation;
            break;
        }
        let accuracy = at.accuracy(params.tolerance);
        let step = match system.move_to(&at.z, accuracy, run).and_then(|()| system.solve(&at.rho, accuracy, run)) {
            // What has been reached is an answer, too.
            Err(Error::Cancelled { .. }) if iters > 0 => {
                stop = run.stop_reason().map_or(Stop::Interrupted, Stop::from);
                break;
            }
            step => step?,
        };
        if !at.search(&step, run)? {
            if system.turns_to_features(run) {
                at = Point::new(problem, loss, None, run)?;
                (least, lowest, since) = (f64::INFINITY, f64::MAX, 0);
                continue;
            }
            stop = Stop::Stagnation;
            break;
        }
        iters += 1;
        history.push(at.objective);
        if let Some(reason) = task.step(Some(at.distance())) {
            stop = reason.into();
            break;
        }
    }
    let jitter = system.jitter();
    drop(system);
    at.balance(&run.without_stops())?;
    if at.objective > of_zero {
        // Rounding alone can do this, beside a very small alpha; f = 0 is the better answer.
        at = Point::new(problem, loss, None, &run.without_stops())?;
    }
    if at.distance() <= params.tolerance {
        stop = Stop::Tolerance;
    }
    Ok(at.answer(iters, stop, jitter, history))
}

fn norm(g: &[f64]) -> f64 {
    dot(g, g).sqrt()
}

/// Whether the first row has a conjugate.
fn is_convex(loss: &dyn RowLoss) -> bool {
    let mut slopes = vec![0.0; loss.rows() * loss.outputs()];
    loss.gradients(&slopes.clone(), &mut slopes);
    loss.conjugate(0, &slopes[..loss.outputs()]).is_some()
}

/// Where the search stands.
struct Point<'a> {
    problem: &'a Penalized<'a>,
    loss: &'a dyn RowLoss,
    /// Whether a conjugate says that the loss is.
    convex: bool,
    scale: f64,
    v: Vec<f64>,
    /// K·v.
    product: Vec<f64>,
    b: Vec<f64>,
    /// −K·v/alpha + b.
    z: Vec<f64>,
    /// w∇ℓ(z) − v.
    rho: Vec<f64>,
    /// ‖w∇ℓ(z)‖.
    size: f64,
    objective: f64,
    gap: Option<f64>,
    /// ρᵀKρ/(2·alpha), the part of the gap that Newton's method takes away.
    step_gap: f64,
    /// Objective and ‖w∇ℓ‖ of z = 0.
    of_zero: [f64; 2],
    /// An objective and a gradient that count as 0.
    nothing: [f64; 2],
}

impl<'a> Point<'a> {
    fn new(problem: &'a Penalized<'a>, loss: &'a dyn RowLoss, start: Option<&[f64]>, run: &Run) -> Result<Self> {
        let size = problem.n() * loss.outputs();
        let mut point = Point {
            problem,
            loss,
            convex: is_convex(loss),
            scale: 1.0 / problem.alpha,
            v: start.filter(|s| s.len() == size).map_or_else(|| vec![0.0; size], <[f64]>::to_vec),
            product: vec![0.0; size],
            b: vec![0.0; loss.outputs()],
            z: vec![0.0; size],
            rho: vec![0.0; size],
            size: 0.0,
            objective: 0.0,
            gap: None,
            step_gap: 0.0,
            of_zero: [0.0; 2],
            nothing: [0.0; 2],
        };
        point.of_zero = [total(loss, problem.weights, &point.z), norm(&point.gradients(&point.z))];
        point.balance(run)?;
        Ok(point)
    }

    /// Makes the columns of v add up to 0, where there is an intercept, and computes all else again.
    fn balance(&mut self, run: &Run) -> Result<()> {
        let c = self.b.len();
        if self.problem.intercept {
            for o in 0..c {
                let mut column: Vec<f64> = self.v.iter().skip(o).step_by(c).copied().collect();
                balance(&mut column, |_| (f64::NEG_INFINITY, f64::INFINITY));
                self.v.iter_mut().skip(o).step_by(c).zip(&column).for_each(|(v, new)| *v = *new);
            }
        }
        self.problem.times(&self.v, c, &mut self.product, run)?;
        self.values();
        self.measure(run)
    }

    fn values(&mut self) {
        let c = self.b.len();
        for (at, z) in self.z.iter_mut().enumerate() {
            *z = self.b[at % c] - self.scale * self.product[at];
        }
    }

    /// The best intercept, the residual, the objective and the gap.
    fn measure(&mut self, run: &Run) -> Result<()> {
        let (c, weights) = (self.b.len(), self.problem.weights);
        if self.problem.intercept && self.convex {
            best_intercept(self.loss, weights, &mut self.z, &mut self.b);
        }
        let g = self.gradients(&self.z);
        check_finite(&g, "the derivatives of the loss")?;
        self.size = norm(&g);
        self.rho.iter_mut().zip(g.iter().zip(&self.v)).for_each(|(r, (g, v))| *r = g - v);
        let mut product = vec![0.0; g.len()];
        self.problem.times(&self.rho, c, &mut product, run)?;
        self.step_gap = 0.5 * self.scale * dot(&self.rho, &product).max(0.0);
        self.objective = total(self.loss, weights, &self.z) + 0.5 * self.scale * dot(&self.v, &self.product);
        check_finite(&[self.objective, self.step_gap], "the objective")?;
        self.gap = self.slack(&g).map(|slack| slack + self.step_gap);
        self.nothing = self.nothing(&g);
        Ok(())
    }

    /// w∇ℓ(z).
    fn gradients(&self, z: &[f64]) -> Vec<f64> {
        let mut g = vec![0.0; z.len()];
        self.loss.gradients(z, &mut g);
        let weights = self.problem.weights;
        g.chunks_mut(self.b.len()).zip(weights).for_each(|(g, w)| g.iter_mut().for_each(|g| *g *= w));
        g
    }

    /// What a millionth of the values costs beyond its slope, and how much a thousandth of them changes the gradient g;
    /// zeros where the objective and g are not small.
    fn nothing(&self, g: &[f64]) -> [f64; 2] {
        let moved = |share: f64| self.z.iter().map(|z| z * (1.0 + share)).collect::<Vec<f64>>();
        let of = |z: &[f64]| total(self.loss, self.problem.weights, z);
        let mut nothing = [0.0; 2];
        if self.objective <= NOTHING * self.of_zero[0] {
            nothing[0] = (0.5 * (of(&moved(NOTHING)) + of(&moved(-NOTHING))) - of(&self.z)).max(0.0);
        }
        if self.gap.is_none() && self.size <= FLAT * self.of_zero[1] {
            let there = self.gradients(&moved(FLAT));
            nothing[1] = norm(&there.iter().zip(g).map(|(a, b)| a - b).collect::<Vec<f64>>());
        }
        nothing
    }

    /// Σ (wℓ(z) + wℓ*(g/w) − gz), with what the gradients leave of ΣG = 0.
    fn slack(&self, g: &[f64]) -> Option<f64> {
        let c = self.b.len();
        let mut sum = 0.0;
        let mut values = vec![0.0; self.problem.n()];
        if self.convex {
            self.loss.values(&self.z, &mut values);
        }
        for (i, (z, g)) in self.z.chunks(c).zip(g.chunks(c)).enumerate() {
            let w = self.problem.weights[i];
            let u: Vec<f64> = g.iter().map(|g| g / w).collect();
            let conjugate = self.loss.conjugate(i, &u)?;
            sum += w * (values[i] + conjugate - dot(&u, z)).max(0.0);
        }
        if self.problem.intercept {
            let off = |o: usize| self.b[o].abs() * g.iter().skip(o).step_by(c).sum::<f64>().abs();
            sum += (0..c).map(off).sum::<f64>();
        }
        Some(sum)
    }

    /// The gap over the objective, or the residual over the gradient.
    fn distance(&self) -> f64 {
        let (part, whole) = match self.gap {
            Some(gap) => (gap, self.objective.max(self.nothing[0])),
            None => (norm(&self.rho), self.size.max(self.nothing[1])),
        };
        if part == 0.0 { 0.0 } else { part / whole.max(f64::MIN_POSITIVE) }
    }

    /// How well to solve for the next step: quadratic convergence, and no better than `tolerance` asks.
    fn accuracy(&self, tolerance: f64) -> f64 {
        if self.gap.is_none() {
            return 1e-6;
        }
        let relative = self.step_gap / self.objective.abs().max(f64::MIN_POSITIVE);
        let last = 0.3 * (tolerance / relative.max(f64::MIN_POSITIVE)).sqrt();
        last.max(relative.sqrt()).clamp(1e-8, 0.1)
    }

    /// Halves the step until the objective falls; false if it does not.
    fn search(&mut self, step: &Step, run: &Run) -> Result<bool> {
        let c = self.b.len();
        let slope: f64 = -self.scale * dot(&self.rho, &step.product)
            + step.b.iter().enumerate().map(|(o, d)| d * self.total_gradient(o)).sum::<f64>();
        let norms = [dot(&self.v, &self.product), dot(&self.v, &step.product), dot(&step.v, &step.product)];
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let moved = |at: usize| length * (step.b[at % c] - self.scale * step.product[at]);
            let z: Vec<f64> = self.z.iter().enumerate().map(|(at, z)| z + moved(at)).collect();
            let square = norms[0] + 2.0 * length * norms[1] + length * length * norms[2];
            let objective = total(self.loss, self.problem.weights, &z) + 0.5 * self.scale * square;
            // Near the minimum, the decrease drowns in the rounding of the objective.
            let slack = 1e-14 * self.objective.abs().max(self.nothing[0]);
            if objective <= self.objective + ARMIJO * length * slope.min(0.0) + slack {
                self.v.iter_mut().zip(&step.v).for_each(|(v, d)| *v += length * d);
                self.product.iter_mut().zip(&step.product).for_each(|(v, d)| *v += length * d);
                self.b.iter_mut().zip(&step.b).for_each(|(b, d)| *b += length * d);
                self.z = z;
                self.measure(run)?;
                return Ok(true);
            }
            length *= 0.5;
        }
        Ok(false)
    }

    /// Σ w∇ℓ(z) of one output; v adds up to 0.
    fn total_gradient(&self, o: usize) -> f64 {
        if !self.problem.intercept {
            return 0.0;
        }
        self.rho.iter().skip(o).step_by(self.b.len()).sum()
    }

    fn answer(self, iters: usize, stop: Stop, jitter: f64, history: Vec<f64>) -> PenalizedAnswer {
        let (residual, whole) = (norm(&self.rho), self.size.max(self.nothing[1]).max(f64::MIN_POSITIVE));
        PenalizedAnswer {
            loss: total(self.loss, self.problem.weights, &self.z),
            slopes_square: dot(&self.v, &self.product),
            slopes: self.v,
            intercept: self.b,
            values: self.z,
            gap: self.gap,
            residual: if residual == 0.0 { 0.0 } else { residual / whole },
            iters,
            stop,
            jitter,
            history,
        }
    }
}
