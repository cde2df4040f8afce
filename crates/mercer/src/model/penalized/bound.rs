//! The constraint form: min Σ wᵢℓᵢ over ‖f‖ ≤ B.
//!
//! Its solution is the penalised one for the alpha at which ‖f‖ = B, or, where the bound is slack, the
//! limit of alpha → 0. ‖f‖ falls in alpha, and log ‖f‖ never faster than log alpha rises. The dual is
//! max −Σ wᵢℓᵢ*(vᵢ/wᵢ) − B·√(vᵀKv), in which alpha does not occur.
//!
//! As long as the bound is slack, alpha falls by the same factor whatever B is, and the least loss that was found within
//! the bound is kept: near alpha = 0, where rounding wins, a larger B gives no worse an answer.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::gram::doubled_product;
use crate::linalg::{Ball, multiply};
use crate::loss::{Loss, RowLoss, ScalarRows};
use crate::note::Note;
use crate::run::Run;
use crate::solver::penalized::balance;

use super::fit::{Answer, Ask, LossFit};

/// The gap over the objective at which the search ends, and the one that counts as reached.
const WANTED: f64 = 1e-10;
const REACHED: f64 = 1e-9;
/// Share of the loss of f = 0 beside which an objective counts as 0.
const NOTHING: f64 = 1e-2;
/// |ln(‖f‖/B)| at which the bound counts as met, where the loss has no gap.
const MET: f64 = 1e-12;
/// Fits after which the search ends.
const FITS: usize = 60;
/// alpha over the mean of w·k(x, x) below which the bound counts as slack.
const SLACK: f64 = 1e-16;
/// The most by which alpha falls from one fit to the next.
const FALL: f64 = 256.0;
/// The most by which a function is blown up to reach the bound.
const MOST: f64 = 1e12;
/// Share of the objective by which one is lower than another.
const IMPROVES: f64 = 1e-12;
/// Fits in a row without a lower loss, the bound being slack, after which rounding has won.
const PATIENCE: usize = 2;
/// The tolerance of each fit, since the norm knows half as many digits as the objective.
const TOLERANCE: f64 = 1e-13;

/// Searches alpha, and certifies the constrained problem.
pub(super) fn search(fit: &LossFit<'_>, (loss, y): (&dyn Loss, &[f64]), bound: f64, run: &Run) -> Result<Answer> {
    let ask = Ask { loss, y, alpha: mean_scale(fit), tolerance: TOLERANCE };
    let task = run.task("norm bound", None);
    let floor = SLACK * ask.alpha;
    let mut bracket = Bracket { low: floor, high: f64::INFINITY, before: None };
    let mut alpha = ask.alpha;
    let mut best = Bounded::new(fit, ask, bound, run)?;
    let (mut off, mut idle) = (best.off, 0);
    for _ in 0..FITS {
        let exhausted = off < 0.0 && bracket.low <= floor && (alpha <= floor || idle >= PATIENCE);
        if best.far <= WANTED || bracket.is_closed() || exhausted || task.step(Some(best.far)).is_some() {
            break;
        }
        alpha = bracket.next(alpha, off, floor);
        let next = match Bounded::new(fit, Ask { alpha, ..ask }, bound, run) {
            // Near alpha = 0 numbers may leave their range; what was found before is an answer.
            Err(Error::NonFinite { .. } | Error::NotPositiveDefinite { .. } | Error::Domain { .. }) => break,
            Err(Error::Cancelled { .. }) => break,
            other => other?,
        };
        off = next.off;
        idle = if next.is_better(&best) { 0 } else { idle + 1 };
        best = best.or(next);
    }
    Ok(best.finish(loss, bound))
}

/// K·a + b of the coefficients as they are kept. Near alpha = 0 they are large and cancel, and values that were rounded on the
/// way can have a lower loss than any function has.
fn kept_values(fit: &LossFit<'_>, answer: &Answer, run: &Run) -> Result<Vec<f64>> {
    let a: Vec<Ball> = answer.coefficients().into_iter().map(Ball::from).collect();
    let b = Ball::from(answer.inner.intercept[0]);
    let product = doubled_product(&fit.gram, &a, 1, &run.without_stops())?;
    Ok(product.into_iter().map(|f| (f + b).value()).collect())
}

/// An objective beside which a gap is compared with this instead: a share of Σ wᵢℓᵢ(0).
pub(super) fn small(loss: &dyn RowLoss, weights: &[f64]) -> f64 {
    let mut losses = vec![0.0; weights.len()];
    loss.values(&vec![0.0; weights.len()], &mut losses);
    NOTHING * weights.iter().zip(&losses).map(|(w, l)| w * l).sum::<f64>()
}

/// The mean of w·k(x, x), which alpha is to be compared with.
fn mean_scale(fit: &LossFit<'_>) -> f64 {
    let n = fit.sample.n;
    let sum: f64 = (0..n).map(|i| fit.weights[i] * fit.gram.row(i)[i].abs()).sum();
    (sum / n as f64).max(1e-280)
}

/// A function with ‖f‖ ≤ B from the fit of some alpha.
struct Bounded {
    answer: Answer,
    /// ln(‖f‖/B) of the fit itself.
    off: f64,
    /// Whether it was moved onto the sphere ‖f‖ = B.
    on_sphere: bool,
    /// The gap over the objective; without a conjugate, how far the norm is off.
    far: f64,
    /// What the gap is compared with, whatever the objective.
    size: f64,
}

/// Where alpha lies, and the point before.
struct Bracket {
    low: f64,
    high: f64,
    before: Option<(f64, f64)>,
}

impl Bracket {
    fn is_closed(&self) -> bool {
        self.high <= self.low * (1.0 + 1e-14)
    }

    /// The secant in logarithms, kept inside the bracket.
    fn next(&mut self, alpha: f64, off: f64, floor: f64) -> f64 {
        if off > 0.0 {
            self.low = self.low.max(alpha);
        } else {
            self.high = self.high.min(alpha);
        }
        // d ln‖f‖/d ln alpha lies between −1 and 0.
        let slope = self.before.map_or(-1.0, |(x, e)| (off - e) / (alpha.ln() - x));
        self.before = Some((alpha.ln(), off));
        let next = (alpha.ln() - off / slope.clamp(-1.0, -0.02)).exp().max(alpha / FALL);
        match (next > self.low && next < self.high, self.high.is_finite()) {
            (true, _) => next,
            (false, true) if self.low > floor => (self.low * self.high).sqrt(),
            (false, true) => floor,
            (false, false) => 16.0 * self.low,
        }
    }
}

impl Bounded {
    /// Fits, and takes the better one of the fit itself, where it is inside, and of the same slopes with
    /// the alpha that puts it onto the sphere.
    fn new(fit: &LossFit<'_>, ask: Ask<'_>, bound: f64, run: &Run) -> Result<Self> {
        let mut answer = fit.at(ask, None, run)?;
        answer.inner.values = kept_values(fit, &answer, run)?;
        let ratio = answer.inner.slopes_square.max(0.0).sqrt() / answer.alpha / bound;
        let total = |z: &[f64]| {
            let mut losses = vec![0.0; z.len()];
            ask.loss.values(ask.y, z, &mut losses);
            fit.weights.iter().zip(&losses).map(|(w, l)| w * l).sum::<f64>()
        };
        let b = answer.inner.intercept[0];
        let mut value = total(&answer.inner.values);
        let size = small(&ScalarRows { loss: ask.loss, y: ask.y }, &fit.weights);
        let scale = ratio.max(1.0 / MOST);
        let moved: Vec<f64> = answer.inner.values.iter().map(|z| b + (z - b) / scale).collect();
        let there = total(&moved);
        // A function inside is blown up only if that brings something.
        let better = there.is_finite() && there < value - WANTED * value.abs().max(size);
        let moves = ratio > 1.0 || (ratio > 0.0 && better);
        if moves {
            value = there;
            answer.alpha *= scale;
            answer.inner.values = moved;
        }
        let on_sphere = moves && scale == ratio;
        answer.primal = value;
        answer.tolerance = REACHED;
        answer.inner.loss = value;
        answer.dual = dual(fit, ask, bound, &answer.inner.slopes, run)?;
        let off = ratio.max(f64::MIN_POSITIVE).ln();
        let far = if off.abs() <= MET { 0.0 } else { off.abs() };
        answer.scale = value.abs().max(size).max(f64::MIN_POSITIVE);
        Ok(Bounded { answer, off, on_sphere, far, size }.measured())
    }

    /// With the gap over the objective, where there is a dual one.
    fn measured(mut self) -> Self {
        let size = self.answer.primal.abs().max(self.size).max(f64::MIN_POSITIVE);
        self.far = self.answer.dual.map_or(self.far, |d| (self.answer.primal - d) / size);
        self
    }

    /// Whether its objective is lower by more than rounding: coefficients of a smaller alpha lose digits.
    fn is_better(&self, other: &Self) -> bool {
        self.answer.primal < other.answer.primal - IMPROVES * other.answer.primal.abs().max(other.size)
    }

    /// The one with the lower objective, and the higher of both lower bounds: each holds for the problem, not for the
    /// point it was found at.
    fn or(self, other: Self) -> Self {
        let dual = self.answer.dual.zip(other.answer.dual).map(|(one, two)| one.max(two));
        let far = self.far.min(other.far);
        let mut best = if other.is_better(&self) { other } else { self };
        best.answer.dual = dual;
        Bounded { far, ..best }.measured()
    }

    fn finish(self, loss: &dyn Loss, bound: f64) -> Answer {
        let Bounded { mut answer, on_sphere, far, .. } = self;
        let norm = answer.inner.slopes_square.max(0.0).sqrt() / answer.alpha;
        // Nearer than this, the two numbers of the note would look the same.
        if !on_sphere && norm < (1.0 - 1e-6) * bound {
            answer.notes.push(Note::BoundSlack { bound, norm });
        }
        if answer.dual.is_none() {
            answer.notes.push(Note::NoConjugate { loss: loss.name().to_owned() });
        }
        if matches!(answer.inner.stop, Stop::Tolerance | Stop::Stagnation | Stop::MaxIterations) {
            let reached = far <= REACHED;
            answer.inner.stop = if reached { Stop::Tolerance } else { Stop::Stagnation };
        }
        if answer.algorithm.is_program() {
            answer.inner.residual = far;
        }
        answer
    }
}

/// The dual objective at v, clipped and balanced, or at 0, whichever is higher; nothing without a
/// conjugate.
fn dual(fit: &LossFit<'_>, ask: Ask<'_>, bound: f64, slopes: &[f64], run: &Run) -> Result<Option<f64>> {
    let Ask { loss, y, .. } = ask;
    let Some(loss) = loss.convex() else { return Ok(None) };
    let n = fit.sample.n;
    let limits = |i: usize| {
        let (low, high) = loss.domain(y[i]);
        (fit.weights[i] * low, fit.weights[i] * high)
    };
    let mut v: Vec<f64> = (0..n).map(|i| slopes[i].clamp(limits(i).0, limits(i).1)).collect();
    if fit.fit_intercept {
        balance(&mut v, limits);
    }
    let mut product = vec![0.0; n];
    multiply(fit.gram.values(), &v, [n, n, 1], &mut product, &run.without_stops())?;
    let square: f64 = v.iter().zip(&product).map(|(v, k)| v * k).sum();
    // Where K·v is near 0 it is rounding, which must not pass for a bound.
    let sizes = |row: &[f64]| row.iter().zip(&v).map(|(k, v)| (k * v).abs()).sum::<f64>();
    let rounding: f64 = (0..n).map(|i| v[i].abs() * sizes(fit.gram.row(i))).sum::<f64>() * 4.0 * f64::EPSILON;
    let square = square.max(0.0) + rounding;
    let conjugates = |v: &dyn Fn(usize) -> f64| -> f64 {
        let term = |i: usize| {
            let (w, (low, high)) = (fit.weights[i], loss.domain(y[i]));
            w * loss.conjugate(y[i], (v(i) / w).clamp(low, high))
        };
        (0..n).map(term).sum()
    };
    let at_v = -conjugates(&|i| v[i]) - bound * square.sqrt();
    let zero_fits = (0..n).all(|i| limits(i).0 <= 0.0 && limits(i).1 >= 0.0);
    Ok(Some(if zero_fits { at_v.max(-conjugates(&|_| 0.0)) } else { at_v }))
}
