//! Minimising a smooth function in a box: limited-memory BFGS with projection.
//!
//! Problem: min f(x), low ≤ x ≤ high. Coordinates at a bound whose gradient points outward are held;
//! the others move along the quasi-Newton direction, are projected on the box, and the step is
//! halved until the value falls by Armijo's rule. Reference: Nocedal & Wright (2006), *Numerical
//! Optimization*, algorithm 7.4; Bertsekas (1982) for the projection.

use std::collections::VecDeque;

use crate::certificate::Stop;
use crate::error::Result;
use crate::linalg::dot;
use crate::run::Run;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LbfgsParams {
    /// Pairs of steps and gradient differences that are kept.
    pub memory: usize,
    /// Largest number of steps.
    pub max_iterations: usize,
    /// Largest entry of the projected gradient at which the point is taken as the minimum.
    pub tolerance: f64,
    /// What three steps must gain together for the search to go on.
    pub gain: f64,
}

impl Default for LbfgsParams {
    fn default() -> Self {
        LbfgsParams { memory: 8, max_iterations: 60, tolerance: 1e-4, gain: 0.0 }
    }
}

/// Steps that are judged together by what they gain: single ones may be short.
const PATIENCE: usize = 3;

/// How the search went.
#[derive(Clone, Debug, PartialEq)]
pub struct LbfgsInfo {
    /// Steps taken.
    pub iters: usize,
    /// Values computed.
    pub evaluations: usize,
    /// The value at the end.
    pub value: f64,
    /// The largest entry of the projected gradient at the end.
    pub gradient: f64,
    /// Why it ended.
    pub stop: Stop,
}

/// A function and its gradient; a value that is not finite means "outside, come back".
pub type Objective<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<f64> + 'a;

/// Share of the decrease promised by the gradient that a step must reach.
const ARMIJO: f64 = 1e-4;
/// Halvings after which a direction is given up.
const HALVINGS: usize = 30;

/// Minimises `f` from `x` inside `bounds`; the best point found is left in `x`.
pub fn lbfgs(
    x: &mut [f64],
    bounds: &[(f64, f64)],
    f: &mut Objective<'_>,
    params: &LbfgsParams,
    run: &Run,
) -> Result<LbfgsInfo> {
    project(x, bounds);
    let mut gradient = vec![0.0; x.len()];
    let mut info =
        LbfgsInfo { iters: 0, evaluations: 1, value: f(x, &mut gradient)?, gradient: 0.0, stop: Stop::MaxIterations };
    let mut pairs = Pairs { memory: params.memory, list: VecDeque::new() };
    let task = run.task("tune", Some(params.max_iterations as u64));
    let mut values = vec![info.value];
    while info.iters < params.max_iterations {
        let held = held(x, &gradient, bounds);
        info.gradient = largest_free(&gradient, &held);
        if info.gradient <= params.tolerance || !info.value.is_finite() || gains_little(&values, params.gain) {
            info.stop = if info.value.is_finite() { Stop::Tolerance } else { Stop::Stagnation };
            return Ok(info);
        }
        if let Some(reason) = task.step(Some(info.value)) {
            info.stop = reason.into();
            return Ok(info);
        }
        let direction = pairs.direction(&gradient, &held);
        let Some(step) = search(x, &gradient, &direction, bounds, f, &mut info)? else {
            if pairs.list.is_empty() {
                info.stop = Stop::Stagnation;
                return Ok(info);
            }
            // The model of the curvature is of no use here; steepest descent may be.
            pairs.list.clear();
            continue;
        };
        pairs.learn(x, &step.x, &gradient, &step.gradient);
        x.copy_from_slice(&step.x);
        gradient = step.gradient;
        info.value = step.value;
        values.push(step.value);
        info.iters += 1;
    }
    info.gradient = largest_free(&gradient, &held(x, &gradient, bounds));
    Ok(info)
}

/// Whether the last steps together gained less than is asked for.
fn gains_little(values: &[f64], gain: f64) -> bool {
    let before = values.len().checked_sub(PATIENCE + 1).map(|at| values[at]);
    before.zip(values.last()).is_some_and(|(before, now)| before - now < gain)
}

fn project(x: &mut [f64], bounds: &[(f64, f64)]) {
    x.iter_mut().zip(bounds).for_each(|(x, (low, high))| *x = x.clamp(*low, *high));
}

/// Which coordinates stand at a bound that the gradient pushes them against.
fn held(x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> Vec<bool> {
    let at = |((x, g), (low, high)): ((&f64, &f64), &(f64, f64))| (x <= low && *g > 0.0) || (x >= high && *g < 0.0);
    x.iter().zip(gradient).zip(bounds).map(at).collect()
}

fn largest_free(gradient: &[f64], held: &[bool]) -> f64 {
    gradient.iter().zip(held).filter(|(_, held)| !**held).fold(0.0, |a, (g, _)| a.max(g.abs()))
}

/// A step that was taken.
struct Step {
    x: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

/// Halves the step until the value falls enough; nothing if it does not.
fn search(
    x: &[f64],
    gradient: &[f64],
    direction: &[f64],
    bounds: &[(f64, f64)],
    f: &mut Objective<'_>,
    info: &mut LbfgsInfo,
) -> Result<Option<Step>> {
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let mut step = Step { x: x.to_vec(), gradient: vec![0.0; x.len()], value: f64::NAN };
        step.x.iter_mut().zip(direction).for_each(|(x, d)| *x += length * d);
        project(&mut step.x, bounds);
        let moved: Vec<f64> = step.x.iter().zip(x).map(|(a, b)| a - b).collect();
        if moved.iter().all(|m| *m == 0.0) {
            return Ok(None);
        }
        step.value = f(&step.x, &mut step.gradient)?;
        info.evaluations += 1;
        if step.value.is_finite() && step.value <= info.value + ARMIJO * dot(gradient, &moved) {
            return Ok(Some(step));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// What past steps say of the curvature.
struct Pairs {
    memory: usize,
    /// Steps s and gradient differences y.
    list: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl Pairs {
    fn learn(&mut self, x: &[f64], next: &[f64], gradient: &[f64], next_gradient: &[f64]) {
        let s: Vec<f64> = next.iter().zip(x).map(|(a, b)| a - b).collect();
        let y: Vec<f64> = next_gradient.iter().zip(gradient).map(|(a, b)| a - b).collect();
        // Without positive curvature along the step the model would not be positive definite.
        if dot(&s, &y) <= 1e-10 * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
            return;
        }
        if self.list.len() == self.memory {
            self.list.pop_front();
        }
        self.list.push_back((s, y));
    }

    /// −H·gradient by the two-loop recursion, over the coordinates that are not held.
    fn direction(&self, gradient: &[f64], held: &[bool]) -> Vec<f64> {
        let free = |v: &[f64]| -> Vec<f64> { v.iter().zip(held).map(|(v, h)| if *h { 0.0 } else { *v }).collect() };
        let mut q = free(gradient);
        let pairs: Vec<(Vec<f64>, Vec<f64>)> =
            self.list.iter().map(|(s, y)| (free(s), free(y))).filter(|(s, y)| dot(s, y) > 0.0).collect();
        let mut shares = Vec::with_capacity(pairs.len());
        for (s, y) in pairs.iter().rev() {
            let share = dot(s, &q) / dot(s, y);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= share * y);
            shares.push(share);
        }
        let scale = match pairs.last() {
            Some((s, y)) => dot(s, y) / dot(y, y),
            // Nothing is known yet: a first step of length at most 1.
            None => 1.0 / dot(&q, &q).sqrt().max(1.0),
        };
        q.iter_mut().for_each(|q| *q *= scale);
        for ((s, y), share) in pairs.iter().zip(shares.iter().rev()) {
            let back = dot(y, &q) / dot(s, y);
            q.iter_mut().zip(s).for_each(|(q, s)| *q += (share - back) * s);
        }
        q.iter_mut().for_each(|q| *q = -*q);
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley; its minimum is 0 at (1, 1).
    fn valley(x: &[f64], g: &mut [f64]) -> Result<f64> {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        g[0] = -2.0 * a - 400.0 * x[0] * b;
        g[1] = 200.0 * b;
        Ok(a * a + 100.0 * b * b)
    }

    fn minimise(start: [f64; 2], bounds: [(f64, f64); 2]) -> ([f64; 2], LbfgsInfo) {
        let mut x = start;
        let params = LbfgsParams { max_iterations: 500, tolerance: 1e-9, ..LbfgsParams::default() };
        let info = lbfgs(&mut x, &bounds, &mut valley, &params, &Run::new()).unwrap_or_else(|e| panic!("{e}"));
        (x, info)
    }

    #[test]
    fn finds_the_end_of_the_valley() {
        let (x, info) = minimise([-1.2, 1.0], [(-5.0, 5.0); 2]);
        assert_eq!(info.stop, Stop::Tolerance);
        assert!((x[0] - 1.0).abs() < 1e-7 && (x[1] - 1.0).abs() < 1e-7, "{x:?} {info:?}");
    }

    #[test]
    fn ends_where_steps_gain_too_little() {
        let mut x = [-1.2, 1.0];
        let params = LbfgsParams { max_iterations: 500, tolerance: 0.0, gain: 1e-3, ..LbfgsParams::default() };
        let info =
            lbfgs(&mut x, &[(-5.0, 5.0); 2], &mut valley, &params, &Run::new()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(info.stop, Stop::Tolerance);
        assert!(info.value < 0.1 && info.gradient > 1e-9, "{x:?} {info:?}");
    }

    #[test]
    fn stays_inside_the_box() {
        // With x₀ ≤ ½ the minimum is at (½, ¼).
        let (x, info) = minimise([-1.2, 1.0], [(-5.0, 0.5), (-5.0, 5.0)]);
        assert_eq!(info.stop, Stop::Tolerance);
        assert!((x[0] - 0.5).abs() < 1e-12 && (x[1] - 0.25).abs() < 1e-7, "{x:?}");
    }

    #[test]
    fn walls_of_infinity_are_stepped_back_from() {
        // −log x + x has its minimum at 1, and no value below 0.
        let mut f = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0 - 1.0 / x[0];
            Ok(if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY })
        };
        let mut x = [30.0];
        let info = lbfgs(&mut x, &[(-100.0, 100.0)], &mut f, &LbfgsParams::default(), &Run::new());
        assert!(info.is_ok() && (x[0] - 1.0).abs() < 1e-3, "{x:?} {info:?}");
    }
}
