//! The system of one Newton step, by conjugate gradients with a factor as preconditioner.
//!
//! **Solves** (I + scale·W·K)·x = r for the blocks W = w·∇²ℓ ≥ 0 of the rows; with an intercept, for
//! W − W·1·(1ᵀW1)⁻¹·1ᵀW in place of W, which is what is left of W once the intercept is eliminated.
//!
//! The matrix is self-adjoint in the inner product xᵀKy, and so is the preconditioner I + scale·S·K with
//! S the mean eigenvalue of each block: one factor for all outputs. For one output it is the matrix
//! itself. A factor of an earlier step is used again as long as that is less work than a new one.
//!
//! Hence an iteration of its own beside `solver::cg`, which carries one residual: in that inner product its residual would be
//! K·r, and the preconditioner asks for r. Here r, p and K·p are carried along, at one product with K a step.
//!
//! Of a K of low rank, that inner product is 0 on the null space, which no function sees and coefficients may drift in:
//! the first step is by the preconditioner alone, which is exact there. Where steps stall all the same and the rank is low,
//! they are solved in the features instead.

use crate::error::Result;
use crate::linalg::dot;
use crate::loss::RowLoss;
use crate::run::Run;

use super::Penalized;
use super::features::{Curvature, Features};
use super::inner::solve_small;
use super::shifted::Shifted;

/// Steps of conjugate gradients after which the direction is taken as it is.
const MAX_ITERS: usize = 300;
/// A factor costs about as much as n/`WORTH` steps with an old one.
const WORTH: f64 = 400.0;

/// W at a point, and the factor of an S near it.
pub(super) struct System<'a> {
    problem: &'a Penalized<'a>,
    loss: &'a dyn RowLoss,
    scale: f64,
    /// What the losses know of their curvature, n×c.
    state: Vec<f64>,
    /// 1ᵀW1.
    total: Vec<f64>,
    shifted: Shifted,
    /// The S of the factor; empty before the first.
    s: Vec<f64>,
    /// (scale·K + S⁻¹)⁻¹·1.
    ones: Vec<f64>,
    /// Of a kernel of low rank, in which steps are small systems, once steps by K have stalled.
    features: Option<Features>,
    /// Whether they were asked for.
    asked: bool,
}

/// A step.
pub(super) struct Step {
    /// Of v.
    pub(super) v: Vec<f64>,
    /// Of K·v.
    pub(super) product: Vec<f64>,
    /// Of b.
    pub(super) b: Vec<f64>,
}

impl Step {
    /// Goes along p, with K·p and the matrix times p, and keeps the residual in step.
    fn advance(&mut self, [p, kp, image]: [&[f64]; 3], length: f64, r: &mut [f64]) {
        self.v.iter_mut().zip(p).for_each(|(x, p)| *x += length * p);
        self.product.iter_mut().zip(kp).for_each(|(x, p)| *x += length * p);
        r.iter_mut().zip(image).for_each(|(r, i)| *r -= length * i);
    }
}

impl<'a> System<'a> {
    pub(super) fn new(problem: &'a Penalized<'a>, loss: &'a dyn RowLoss, run: &Run) -> Result<Self> {
        let (n, c) = (problem.n(), loss.outputs());
        Ok(System {
            problem,
            loss,
            scale: 1.0 / problem.alpha,
            state: vec![0.0; n * c],
            total: vec![0.0; c * c],
            shifted: Shifted::reserve(n, run)?,
            s: Vec::new(),
            ones: vec![0.0; n],
            features: None,
            asked: false,
        })
    }

    /// Solves steps in the features from now on; false where the rank is not low or they are in use.
    pub(super) fn turns_to_features(&mut self, run: &Run) -> bool {
        if std::mem::replace(&mut self.asked, true) {
            return false;
        }
        self.features = Features::of(self.problem, self.loss.outputs(), run);
        self.features.is_some()
    }

    /// Whether steps are small systems.
    pub(super) fn is_small(&self) -> bool {
        self.features.is_some()
    }

    /// The largest jitter so far.
    pub(super) fn jitter(&self) -> f64 {
        self.shifted.jitter
    }

    /// Takes the curvature at z, and a new factor if the old one is too far from it for `accuracy`.
    pub(super) fn move_to(&mut self, z: &[f64], accuracy: f64, run: &Run) -> Result<()> {
        let c = self.loss.outputs();
        let mut s = vec![0.0; self.problem.n()];
        self.total.fill(0.0);
        self.loss.locals(z, &mut self.state);
        for (i, state) in self.state.chunks(c).enumerate() {
            s[i] = self.problem.weights[i] * self.loss.bends(state);
            if self.problem.intercept {
                self.loss.add_curvature(state, self.problem.weights[i], &mut self.total);
            }
        }
        if self.features.is_some() {
            return Ok(());
        }
        // S must be positive. Below this floor the preconditioner is I to a hundredth, as the matrix is.
        let n = s.len();
        let largest = s.iter().fold(0.0f64, |m, s| m.max(*s));
        let trace: f64 = (0..n).map(|i| self.problem.kernel[i * n + i].abs()).sum();
        let harmless = 0.01 / (self.scale * trace).max(f64::MIN_POSITIVE);
        let floor = (1e-8 * largest).min(harmless).max(1e-14 * largest).max(1e-290);
        s.iter_mut().for_each(|s| *s = s.max(floor));
        if self.is_worth_a_factor(&s, accuracy) {
            self.shifted.refactor(self.problem.kernel, self.scale, &s, run)?;
            self.s = s;
            if self.problem.intercept {
                self.ones.fill(1.0);
                self.shifted.solve(&mut self.ones, 1, run)?;
            }
        }
        Ok(())
    }

    /// Whether steps with the factor there is would cost more than a new one: their number grows with
    /// the root of the condition number, which the quotients of S bound.
    fn is_worth_a_factor(&self, s: &[f64], accuracy: f64) -> bool {
        if self.s.is_empty() {
            return true;
        }
        let ratio = |(new, old): (&f64, &f64)| new / old;
        let high = s.iter().zip(&self.s).map(ratio).fold(1.0, f64::max);
        let low = s.iter().zip(&self.s).map(ratio).fold(1.0, f64::min);
        0.5 * (high / low).sqrt() * (2.0 / accuracy).ln() > s.len() as f64 / WORTH
    }

    /// Replaces d by W·d, or by what is left of it without the intercept; the intercept's own step for
    /// these changes of value is left in `b`.
    fn bend(&self, d: &mut [f64], b: &mut [f64]) {
        let c = self.loss.outputs();
        let mut bent = vec![0.0; c];
        b.fill(0.0);
        for (i, (d, state)) in d.chunks_mut(c).zip(self.state.chunks(c)).enumerate() {
            self.loss.bend(state, d, &mut bent);
            for (o, bent) in bent.iter().enumerate() {
                d[o] = self.problem.weights[i] * bent;
                b[o] += d[o];
            }
        }
        if self.problem.intercept && solve_small(&mut self.total.clone(), b) {
            self.take_off(d, b);
        }
    }

    /// d −= W·1·b.
    fn take_off(&self, d: &mut [f64], b: &[f64]) {
        let c = b.len();
        let mut bent = vec![0.0; c];
        for (i, (d, state)) in d.chunks_mut(c).zip(self.state.chunks(c)).enumerate() {
            self.loss.bend(state, b, &mut bent);
            d.iter_mut().zip(&bent).for_each(|(d, bent)| *d -= self.problem.weights[i] * bent);
        }
    }

    /// (I + scale·S·K)⁻¹·r, with the intercept eliminated as in the matrix itself.
    fn precondition(&self, r: &[f64], run: &Run) -> Result<Vec<f64>> {
        let c = self.loss.outputs();
        let mut x: Vec<f64> = r.iter().enumerate().map(|(at, r)| r / self.s[at / c]).collect();
        self.shifted.solve(&mut x, c, run)?;
        if self.problem.intercept {
            let ones: f64 = self.ones.iter().sum();
            let off = |values: &[f64], o: usize| values.iter().skip(o).step_by(c).sum::<f64>();
            let shares: Vec<f64> = (0..c).map(|o| (off(r, o) - off(&x, o)) / ones).collect();
            x.iter_mut().enumerate().for_each(|(at, x)| *x += shares[at % c] * self.ones[at / c]);
        }
        Ok(x)
    }

    /// P⁻¹·r and K·P⁻¹·r.
    fn preconditioned(&self, r: &[f64], run: &Run) -> Result<(Vec<f64>, Vec<f64>)> {
        let x = self.precondition(r, run)?;
        let mut kx = vec![0.0; x.len()];
        self.problem.times(&x, self.loss.outputs(), &mut kx, run)?;
        Ok((x, kx))
    }

    /// The matrix times p, of which K·p is known.
    fn image(&self, p: &[f64], kp: &[f64]) -> Vec<f64> {
        let mut bent: Vec<f64> = kp.iter().map(|k| self.scale * k).collect();
        self.bend(&mut bent, &mut vec![0.0; self.loss.outputs()]);
        bent.iter_mut().zip(p).for_each(|(b, p)| *b += p);
        bent
    }

    /// The step for the residual ρ = w·∇ℓ − v, to a relative `accuracy`.
    pub(super) fn solve(&self, rho: &[f64], accuracy: f64, run: &Run) -> Result<Step> {
        if let Some(features) = &self.features {
            let at = Curvature { loss: self.loss, state: &self.state, weights: self.problem.weights };
            return features.step(self.problem, &at, rho, run);
        }
        let (n, c) = (self.problem.n(), self.loss.outputs());
        let mut unbalanced: Vec<f64> = (0..c).map(|o| rho.iter().skip(o).step_by(c).sum()).collect();
        let mut r = rho.to_vec();
        let bends = self.problem.intercept && solve_small(&mut self.total.clone(), &mut unbalanced);
        if bends {
            self.take_off(&mut r, &unbalanced);
        } else if self.problem.intercept {
            // Without curvature the intercept goes along its gradient, and v keeps adding up to 0.
            let weight: f64 = self.problem.weights.iter().sum();
            r.iter_mut().enumerate().for_each(|(at, r)| *r -= unbalanced[at % c] / n as f64);
            unbalanced.iter_mut().for_each(|u| *u /= weight);
        }
        let zero = vec![0.0; n * c];
        let mut step = Step { v: zero.clone(), product: zero.clone(), b: vec![0.0; c] };
        let enough = accuracy * dot(&r, &r).sqrt();
        // A first step by the preconditioner alone. Where K is 0 it is the solution; conjugate gradients, whose inner
        // product is that of K, see nothing there, and would leave whatever their polynomial is at 1.
        let (x, kx) = self.preconditioned(&r, run)?;
        let first = dot(&r, &kx);
        step.advance([&x, &kx, &self.image(&x, &kx)], 1.0, &mut r);
        let (mut p, mut kp) = (zero.clone(), zero);
        let mut previous = 0.0;
        for _ in 1..MAX_ITERS {
            if dot(&r, &r).sqrt() <= 0.1 * enough || run.stop_reason().is_some() {
                break;
            }
            let (x, kx) = self.preconditioned(&r, run)?;
            let now = dot(&r, &kx);
            if now.is_nan() || now <= 0.0 || now <= accuracy * accuracy * first {
                break;
            }
            let share = if previous > 0.0 { now / previous } else { 0.0 };
            p.iter_mut().zip(&x).for_each(|(p, x)| *p = x + share * *p);
            kp.iter_mut().zip(&kx).for_each(|(p, x)| *p = x + share * *p);
            let image = self.image(&p, &kp);
            let length = now / dot(&kp, &image);
            if !(length > 0.0 && length.is_finite()) {
                break;
            }
            step.advance([&p, &kp, &image], length, &mut r);
            previous = now;
        }
        if self.problem.intercept {
            let mut change: Vec<f64> = step.product.iter().map(|k| self.scale * k).collect();
            self.bend(&mut change, &mut step.b);
            step.b.iter_mut().zip(&unbalanced).for_each(|(b, u)| *b -= u);
        }
        Ok(step)
    }
}
