//! The mode of a classifier's posterior, by Newton's method.
//!
//! Maximises ψ(a) = Σ wᵢ·log σ(yᵢfᵢ) − ½aᵀKa with f = K·a and yᵢ = ±1, which is kernel logistic regression
//! with alpha = 1. With g = ∇f Σ w·log σ and W = −∇²f, a step goes to a = b − √W·B⁻¹·√W·K·b with b = Wf + g
//! and B = I + √W·K·√W. Reference: Rasmussen & Williams (2006), algorithm 3.1; steps are halved until ψ
//! grows, so that the start does not matter.

use rayon::prelude::*;

use crate::certificate::Stop;
use crate::error::Result;
use crate::gram::{DenseGram, dense};
use crate::linalg::{cholesky_in_place_with_jitter, dot, multiply, solve_cholesky};
use crate::loss::logistic;
use crate::model::average::log_logistic;
use crate::run::Run;

/// Newton steps after which the mode is given up; a handful is usual.
const STEPS: usize = 100;
/// Halvings after which a direction is given up.
const HALVINGS: usize = 40;
/// Largest |g − a|, for a weight of 1, at which the search ends. The evidence feels an error of the mode
/// to first order, so this is close to rounding; Newton's last step gets there from 1e-6.
const TOLERANCE: f64 = 1e-13;
/// The same where rounding does not let it fall further: large kernels have errors of K·a of this size.
const AT_ROUNDING: f64 = 1e-9;
/// Share of the promised growth that a step must reach.
const ARMIJO: f64 = 1e-4;

/// Labels and weights of one output.
#[derive(Clone, Copy)]
pub(super) struct Labels<'a> {
    /// ±1, one a row.
    pub(super) y: &'a [f64],
    pub(super) weights: Option<&'a [f64]>,
}

impl Labels<'_> {
    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// Σ wᵢ·log σ(yᵢfᵢ).
    pub(super) fn log_likelihood(&self, f: &[f64]) -> f64 {
        f.iter().zip(self.y).enumerate().map(|(i, (f, y))| self.weight(i) * log_logistic(y * f)).sum()
    }

    /// g and √W at f.
    pub(super) fn slopes(&self, f: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let slope = |(i, (f, y)): (usize, (&f64, &f64))| self.weight(i) * y * logistic(-y * f);
        let root = |(i, f): (usize, &f64)| (self.weight(i) * logistic(*f) * logistic(-f)).sqrt();
        (f.iter().zip(self.y).enumerate().map(slope).collect(), f.iter().enumerate().map(root).collect())
    }

    fn largest_weight(&self) -> f64 {
        self.weights.map_or(1.0, |w| w.iter().copied().fold(0.0, f64::max))
    }
}

/// The mode, and what the evidence needs of it.
pub(super) struct Mode {
    pub(super) a: Vec<f64>,
    /// f = K·a.
    pub(super) f: Vec<f64>,
    /// g at f; equal to a at the mode.
    pub(super) slope: Vec<f64>,
    /// √W at f.
    pub(super) roots: Vec<f64>,
    /// The factor of B at f.
    pub(super) factor: DenseGram<f64>,
    /// ψ after each step.
    pub(super) history: Vec<f64>,
    pub(super) stop: Stop,
}

impl Mode {
    pub(super) fn objective(&self) -> f64 {
        self.history.last().copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// log q(y | X, θ) = ψ − ½log det B.
    pub(super) fn log_evidence(&self) -> f64 {
        let n = self.a.len();
        self.objective() - (0..n).map(|i| self.factor.row(i)[i].ln()).sum::<f64>()
    }
}

/// K·v.
pub(super) fn product(k: &DenseGram<f64>, v: &[f64], run: &Run) -> Result<Vec<f64>> {
    let mut out = vec![0.0; v.len()];
    multiply(k.values(), v, [k.nrows(), k.ncols(), 1], &mut out, run)?;
    Ok(out)
}

/// I + D·K·D, factored, into the memory of `out`.
pub(super) fn factor_curvature(k: &DenseGram<f64>, roots: &[f64], out: &mut DenseGram<f64>, run: &Run) -> Result<()> {
    let n = k.nrows();
    let row = |(i, (row, k)): (usize, (&mut [f64], &[f64]))| {
        row.iter_mut().zip(k).zip(roots).for_each(|((b, k), d)| *b = roots[i] * k * d);
        row[i] += 1.0;
    };
    run.install(|| out.values_mut().par_chunks_mut(n).zip(k.values().par_chunks(n)).enumerate().for_each(row));
    cholesky_in_place_with_jitter(out.values_mut(), n, run).map(|_| ())
}

/// The mode from a = 0, or from `start` where that is better.
///
/// When the work is stopped, the step reached is the answer; at least the first factor is computed.
pub(super) fn find_mode(k: &DenseGram<f64>, labels: Labels<'_>, start: Option<&[f64]>, run: &Run) -> Result<Mode> {
    let task = run.task("laplace", None);
    let quiet = run.without_stops();
    let mut mode = begin(k, labels, start, &quiet)?;
    let (mut gap, mut growth) = (f64::INFINITY, f64::INFINITY);
    loop {
        (mode.slope, mode.roots) = labels.slopes(&mode.f);
        factor_curvature(k, &mode.roots, &mut mode.factor, &quiet)?;
        let before = gap;
        gap = mode.slope.iter().zip(&mode.a).fold(0.0f64, |m, (g, a)| m.max((g - a).abs()));
        if gap <= TOLERANCE * labels.largest_weight() {
            mode.stop = Stop::Tolerance;
            return Ok(mode);
        }
        if let Some(reason) = task.step(Some(mode.objective())) {
            mode.stop = reason.into();
            return Ok(mode);
        }
        // Far from the mode the gap may fall slowly; where ψ has no more to gain than its own rounding
        // and the gap does not halve either, rounding is all there is.
        let exhausted = gap > 0.5 * before && growth <= 4.0 * rounding(&mode);
        if mode.history.len() > STEPS {
            return Ok(mode);
        }
        match if exhausted { None } else { newton(k, labels, &mut mode, &quiet)? } {
            Some(promised) => growth = promised,
            None => {
                let reached = gap <= AT_ROUNDING * labels.largest_weight();
                mode.stop = if reached { Stop::Tolerance } else { Stop::Stagnation };
                return Ok(mode);
            }
        }
    }
}

/// What values of ψ are good to.
fn rounding(mode: &Mode) -> f64 {
    16.0 * f64::EPSILON * mode.objective().abs()
}

fn begin(k: &DenseGram<f64>, labels: Labels<'_>, start: Option<&[f64]>, run: &Run) -> Result<Mode> {
    let n = k.nrows();
    let zero = labels.log_likelihood(&vec![0.0; n]);
    let (mut a, mut f, mut objective) = (vec![0.0; n], vec![0.0; n], zero);
    if let Some(start) = start.filter(|s| s.len() == n) {
        let there = product(k, start, run)?;
        let value = labels.log_likelihood(&there) - 0.5 * dot(start, &there);
        if value > zero {
            (a, f, objective) = (start.to_vec(), there, value);
        }
    }
    let factor = dense::<f64>(k, run)?;
    let history = vec![objective];
    Ok(Mode { a, f, slope: Vec::new(), roots: Vec::new(), factor, history, stop: Stop::MaxIterations })
}

/// One step, and the growth of ψ that it promised; nothing if no step along its direction makes ψ grow.
fn newton(k: &DenseGram<f64>, labels: Labels<'_>, mode: &mut Mode, run: &Run) -> Result<Option<f64>> {
    let n = k.nrows();
    let b: Vec<f64> = (0..n).map(|i| mode.roots[i] * mode.roots[i] * mode.f[i] + mode.slope[i]).collect();
    let mut u = product(k, &b, run)?;
    u.iter_mut().zip(&mode.roots).for_each(|(u, d)| *u *= d);
    solve_cholesky(mode.factor.values(), n, &mut u, 1, run)?;
    let target: Vec<f64> = (0..n).map(|i| b[i] - mode.roots[i] * u[i]).collect();
    let there = product(k, &target, run)?;
    let growth: f64 = (0..n).map(|i| (mode.slope[i] - mode.a[i]) * (there[i] - mode.f[i])).sum();
    let now = mode.objective();
    // Near the mode the promised growth is less than the rounding of ψ.
    let slack = rounding(mode);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let between = |from: &[f64], to: &[f64]| -> Vec<f64> {
            from.iter().zip(to).map(|(from, to)| from + length * (to - from)).collect()
        };
        let (a, f) = (between(&mode.a, &target), between(&mode.f, &there));
        let value = labels.log_likelihood(&f) - 0.5 * dot(&a, &f);
        if value >= now + ARMIJO * length * growth - slack {
            (mode.a, mode.f) = (a, f);
            mode.history.push(value);
            return Ok(Some(growth));
        }
        length *= 0.5;
    }
    Ok(None)
}
