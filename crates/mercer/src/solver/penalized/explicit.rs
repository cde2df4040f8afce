//! Newton's method for smooth losses of functions with few coordinates.
//!
//! **Solves** min Σ wᵢℓᵢ(zᵢ) + (alpha/2)‖θ‖² over θ and b, with z = F·θ + b, where F has a row of features for every point.
//!
//! **How** A step solves (FᵀWF + alpha)·δ = −gradient by conjugate gradients. Their preconditioner is the factor of the same matrix
//! with the mean curvature of each row, kept as long as it serves: of one output it is the matrix itself.
//!
//! **Stops when** ‖gradient‖²/(2·alpha) is small enough beside the objective. The objective is alpha-strongly convex in θ, and b is the best
//! one, so that this bounds the distance from the minimum.
//!
//! **Cost** n·m² for a factor, n·m a step of conjugate gradients.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::linalg::{
    add_weighted_outer, cholesky_in_place_with_jitter, dot, multiply, multiply_first_transposed, solve_cholesky,
};
use crate::loss::RowLoss;
use crate::run::Run;

use super::inner::{best_intercept, total};
use super::{PenalizedParams, check_finite};

/// Steps of conjugate gradients after which the direction is taken as it is.
const MOST: usize = 400;
/// Rows that are weighted at a time.
const STRIP: usize = 2048;
/// Share of the decrease promised by the gradient that a step must reach.
const ARMIJO: f64 = 1e-4;
/// Halvings after which a direction is given up.
const HALVINGS: usize = 40;

/// Features, weights and the penalty.
#[derive(Clone, Copy, Debug)]
pub struct Explicit<'a> {
    /// F, row-major: n×m.
    pub features: &'a [f64],
    /// wᵢ > 0.
    pub weights: &'a [f64],
    /// alpha > 0.
    pub alpha: f64,
    /// Whether b is there.
    pub intercept: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct ExplicitAnswer {
    /// θ, row-major: m×c.
    pub coordinates: Vec<f64>,
    /// b; zeros without an intercept.
    pub intercept: Vec<f64>,
    /// Steps taken.
    pub iters: usize,
    /// Why it ended.
    pub stop: Stop,
    /// The objective after each step.
    pub history: Vec<f64>,
}

/// Minimises from f = 0.
pub fn newton_explicit(
    problem: &Explicit<'_>,
    loss: &dyn RowLoss,
    params: &PenalizedParams,
    run: &Run,
) -> Result<ExplicitAnswer> {
    params.validate()?;
    let mut at = Point::new(problem, loss);
    at.measure(run)?;
    let task = run.task("newton", Some(params.max_iterations as u64));
    let (mut iters, mut stop, mut history) = (0, Stop::MaxIterations, Vec::new());
    let mut factor: Option<Vec<f64>> = None;
    while iters < params.max_iterations {
        if at.distance() <= params.tolerance {
            stop = Stop::Tolerance;
            break;
        }
        let step = match at.step(&mut factor, run) {
            // What has been reached is an answer, too.
            Err(Error::Cancelled { .. }) if iters > 0 => {
                stop = run.stop_reason().map_or(Stop::Interrupted, Stop::from);
                break;
            }
            step => step?,
        };
        if !at.search(&step, run)? {
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
    Ok(ExplicitAnswer { coordinates: at.theta, intercept: at.b, iters, stop, history })
}

/// Where the search stands.
struct Point<'a> {
    problem: &'a Explicit<'a>,
    loss: &'a dyn RowLoss,
    /// Features.
    m: usize,
    theta: Vec<f64>,
    b: Vec<f64>,
    /// F·θ + b.
    z: Vec<f64>,
    /// The gradient in θ, and in b where that is free: (m + 1)×c.
    gradient: Vec<f64>,
    objective: f64,
}

impl<'a> Point<'a> {
    fn new(problem: &'a Explicit<'a>, loss: &'a dyn RowLoss) -> Self {
        let (n, c) = (loss.rows(), loss.outputs());
        let m = problem.features.len() / n.max(1);
        Point {
            problem,
            loss,
            m,
            theta: vec![0.0; m * c],
            b: vec![0.0; c],
            z: vec![0.0; n * c],
            gradient: Vec::new(),
            objective: f64::INFINITY,
        }
    }

    fn outputs(&self) -> usize {
        self.b.len()
    }

    /// Unknowns of one output.
    fn width(&self) -> usize {
        self.m + usize::from(self.problem.intercept)
    }

    /// The best intercept, the objective and the gradient.
    fn measure(&mut self, run: &Run) -> Result<()> {
        let weights = self.problem.weights;
        if self.problem.intercept {
            best_intercept(self.loss, weights, &mut self.z, &mut self.b);
        }
        self.objective = total(self.loss, weights, &self.z) + 0.5 * self.problem.alpha * dot(&self.theta, &self.theta);
        let mut slopes = vec![0.0; self.z.len()];
        self.loss.gradients(&self.z, &mut slopes);
        self.weigh(&mut slopes);
        let mut gradient = self.gathered(&slopes, run)?;
        gradient.iter_mut().zip(&self.theta).for_each(|(g, t)| *g += self.problem.alpha * t);
        check_finite(&gradient, "the derivatives of the loss")?;
        self.gradient = gradient;
        Ok(())
    }

    /// What the objective is at most above its minimum, over the objective.
    fn distance(&self) -> f64 {
        let (own, free) = self.gradient.split_at(self.m * self.outputs());
        let off: f64 = free.iter().zip(&self.b).map(|(g, b)| (g * b).abs()).sum();
        let gap = dot(own, own) / (2.0 * self.problem.alpha) + off;
        if gap == 0.0 { 0.0 } else { gap / self.objective.max(f64::MIN_POSITIVE) }
    }

    fn weigh(&self, rows: &mut [f64]) {
        let weights = self.problem.weights;
        rows.chunks_mut(self.outputs()).zip(weights).for_each(|(row, w)| row.iter_mut().for_each(|v| *v *= w));
    }

    /// Fᵀ·u, and the sums of u where b is free.
    fn gathered(&self, u: &[f64], run: &Run) -> Result<Vec<f64>> {
        let (n, c) = (self.problem.weights.len(), self.outputs());
        let mut out = vec![0.0; self.width() * c];
        multiply_first_transposed(self.problem.features, u, [self.m, n, c], &mut out[..self.m * c], run)?;
        for row in u.chunks(c).filter(|_| self.problem.intercept) {
            out[self.m * c..].iter_mut().zip(row).for_each(|(o, v)| *o += v);
        }
        Ok(out)
    }

    /// F·p, and the last row of p where b is free.
    fn spread(&self, p: &[f64], run: &Run) -> Result<Vec<f64>> {
        let (n, c) = (self.problem.weights.len(), self.outputs());
        let mut out = vec![0.0; n * c];
        multiply(self.problem.features, &p[..self.m * c], [n, self.m, c], &mut out, run)?;
        if self.problem.intercept {
            out.chunks_mut(c).for_each(|row| row.iter_mut().zip(&p[self.m * c..]).for_each(|(o, b)| *o += b));
        }
        Ok(out)
    }

    /// The Newton step by conjugate gradients; the factor is made anew where the last one made them slow.
    fn step(&self, factor: &mut Option<Vec<f64>>, run: &Run) -> Result<Vec<f64>> {
        let c = self.outputs();
        let mut states = vec![0.0; self.z.len()];
        self.loss.locals(&self.z, &mut states);
        let preconditioner = match factor.take() {
            Some(kept) => kept,
            None => self.factor(&states, run)?,
        };
        let precondition = |r: &[f64]| -> Result<Vec<f64>> {
            let mut v = r.to_vec();
            solve_cholesky(&preconditioner, self.width(), &mut v, c, run)?;
            Ok(v)
        };
        let mut r: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut step = vec![0.0; r.len()];
        let mut v = precondition(&r)?;
        let mut p = v.clone();
        let mut square = dot(&r, &v);
        // Quadratic convergence asks for no more than the root of what is left.
        let enough = square * self.distance().clamp(1e-12, 0.01);
        let mut taken = 0;
        while taken < MOST && square > enough {
            let image = self.bent(&p, &states, run)?;
            let bend = dot(&p, &image);
            if bend <= 0.0 {
                break;
            }
            let length = square / bend;
            step.iter_mut().zip(&p).for_each(|(s, p)| *s += length * p);
            r.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
            v = precondition(&r)?;
            let next = dot(&r, &v);
            p.iter_mut().zip(&v).for_each(|(p, v)| *p = v + next / square * *p);
            (square, taken) = (next, taken + 1);
        }
        // Four products of n·c·m stand against one of n·m².
        if 4 * c * taken <= self.m {
            *factor = Some(preconditioner);
        }
        Ok(step)
    }

    /// (FᵀWF + alpha)·p.
    fn bent(&self, p: &[f64], states: &[f64], run: &Run) -> Result<Vec<f64>> {
        let c = self.outputs();
        let mut u = self.spread(p, run)?;
        let mut row = vec![0.0; c];
        for (u, state) in u.chunks_mut(c).zip(states.chunks(c)) {
            self.loss.bend(state, u, &mut row);
            u.copy_from_slice(&row);
        }
        self.weigh(&mut u);
        let mut out = self.gathered(&u, run)?;
        out.iter_mut().zip(&p[..self.m * c]).for_each(|(o, p)| *o += self.problem.alpha * p);
        Ok(out)
    }

    /// The factor of FᵀSF + alpha, S the mean curvature of each row, with a column of ones where b is free.
    fn factor(&self, states: &[f64], run: &Run) -> Result<Vec<f64>> {
        let (m, width, c) = (self.m, self.width(), self.outputs());
        let bends = |(state, w): (&[f64], &f64)| w * self.loss.bends(state);
        let s: Vec<f64> = states.chunks(c).zip(self.problem.weights).map(bends).collect();
        let mut inner = vec![0.0; m * m];
        let mut scratch = vec![0.0; STRIP * m];
        let task = run.task("curvature", Some(s.len().div_ceil(STRIP) as u64));
        for (rows, s) in self.problem.features.chunks((STRIP * m).max(1)).zip(s.chunks(STRIP)) {
            add_weighted_outer(rows, s, m, &mut scratch, &mut inner, run);
            task.step_or_cancel()?;
        }
        let mut all = vec![0.0; width * width];
        for (i, row) in inner.chunks(m.max(1)).enumerate() {
            all[i * width..i * width + m].copy_from_slice(row);
            all[i * width + i] += self.problem.alpha;
        }
        if self.problem.intercept {
            let mut sums = vec![0.0; m];
            multiply_first_transposed(self.problem.features, &s, [m, s.len(), 1], &mut sums, run)?;
            (0..m).for_each(|i| (all[i * width + m], all[m * width + i]) = (sums[i], sums[i]));
            all[m * width + m] = s.iter().sum();
        }
        cholesky_in_place_with_jitter(&mut all, width, run)?;
        Ok(all)
    }

    /// Halves the step until the objective falls; false if it does not.
    fn search(&mut self, step: &[f64], run: &Run) -> Result<bool> {
        let (c, alpha) = (self.outputs(), self.problem.alpha);
        let moved = self.spread(step, run)?;
        let (slope, own) = (dot(&self.gradient, step), &step[..self.m * c]);
        let norms = [dot(&self.theta, &self.theta), dot(&self.theta, own), dot(own, own)];
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let z: Vec<f64> = self.z.iter().zip(&moved).map(|(z, d)| z + length * d).collect();
            let square = norms[0] + 2.0 * length * norms[1] + length * length * norms[2];
            let objective = total(self.loss, self.problem.weights, &z) + 0.5 * alpha * square;
            // Near the minimum, the decrease drowns in the rounding of the objective.
            if objective <= self.objective * (1.0 + 1e-14) + ARMIJO * length * slope.min(0.0) {
                self.theta.iter_mut().zip(own).for_each(|(t, d)| *t += length * d);
                let free = &step[self.m * c..];
                self.b.iter_mut().zip(free).for_each(|(b, d)| *b += length * d);
                self.z = z;
                self.measure(run)?;
                return Ok(true);
            }
            length *= 0.5;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::loss::{Logistic, ScalarRows, SoftmaxRows};
    use crate::solver::penalized::{Penalized, newton};
    use crate::testkit::tol;

    /// With features F, the kernel FFᵀ has the same functions; Newton's method on all rows is the oracle.
    #[test]
    fn coordinates_and_rows_have_the_same_minimum() {
        let (n, m) = (60, 4);
        let mut chance = Chance::new(2);
        let features: Vec<f64> = (0..n * m).map(|_| chance.normal()).collect();
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        let score = |i: usize| features[i * m] - features[i * m + 1] + 0.5 * chance_of(i);
        let classes: Vec<usize> = (0..n).map(|i| usize::from(score(i) > 0.0) + usize::from(score(i) > 0.8)).collect();
        let signs: Vec<f64> = (0..n).map(|i| if score(i) > 0.0 { 1.0 } else { -1.0 }).collect();
        let mut kernel = vec![0.0; n * n];
        crate::linalg::multiply_transposed(&features, &features, [n, m, n], &mut kernel, &Run::new())
            .expect("a product");
        let (one, many) = (ScalarRows { loss: &Logistic, y: &signs }, SoftmaxRows::new(&classes, 3).expect("classes"));
        for loss in [&one as &dyn RowLoss, &many] {
            for intercept in [false, true] {
                let explicit = Explicit { features: &features, weights: &weights, alpha: 0.3, intercept };
                let params = PenalizedParams::default();
                let found = newton_explicit(&explicit, loss, &params, &Run::new()).expect("a minimum");
                let all = Penalized { kernel: &kernel, weights: &weights, alpha: 0.3, intercept };
                let oracle = newton(&all, loss, None, &params, &Run::new()).expect("a minimum");
                assert_eq!(found.stop, Stop::Tolerance);
                let c = loss.outputs();
                let mut z = vec![0.0; n * c];
                multiply(&features, &found.coordinates, [n, m, c], &mut z, &Run::new()).expect("a product");
                for (at, (z, expected)) in z.iter().zip(&oracle.values).enumerate() {
                    let z = z + found.intercept[at % c];
                    assert!((z - expected).abs() <= tol::SOLVED * 10.0, "{z} and {expected}");
                }
            }
        }
    }

    fn chance_of(i: usize) -> f64 {
        Chance::new(i as u64).normal()
    }
}
