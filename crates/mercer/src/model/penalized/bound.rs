//! The constraint form: min Σ wᵢℓᵢ over ‖f‖ ≤ B.
//!
//! Its solution is the penalised one for the alpha at which ‖f‖ = B, or, where the bound is slack, the
//! limit of alpha → 0. ‖f‖ falls in alpha, and log ‖f‖ never faster than log alpha rises. The dual is
//! max −Σ wᵢℓᵢ*(vᵢ/wᵢ) − B·√(vᵀKv), in which alpha does not occur.

use crate::certificate::Stop;
use crate::error::Result;
use crate::linalg::multiply;
use crate::loss::Loss;
use crate::run::Run;
use crate::solver::penalized::balance;

use super::fit::{Answer, Ask, LossFit};

/// |ln(‖f‖/B)| at which the bound counts as met.
const MET: f64 = 1e-8;
/// Fits after which the search ends.
const FITS: usize = 60;
/// alpha over the mean of w·k(x, x) below which the bound counts as slack.
const SLACK: f64 = 1e-10;
/// The tolerance of each fit, since the norm knows half as many digits as the objective.
const TOLERANCE: f64 = 1e-13;
/// The gap over the objective that counts as reached.
const REACHED: f64 = 1e-6;

/// Searches alpha, and certifies the constrained problem.
pub(super) fn search(fit: &LossFit<'_>, (loss, y): (&dyn Loss, &[f64]), bound: f64, run: &Run) -> Result<Answer> {
    let ask = Ask { loss, y, alpha: mean_scale(fit), tolerance: TOLERANCE };
    let mut answer = root(fit, ask, bound, run)?;
    let norm = norm(&answer);
    if norm > bound || (norm / bound).ln().abs() <= 1e-4 {
        // Onto the sphere: the same slopes, another alpha.
        let ratio = norm / bound;
        answer.alpha *= ratio;
        let b = answer.inner.intercept[0];
        answer.inner.values.iter_mut().for_each(|z| *z = b + (*z - b) / ratio);
    } else {
        answer.notes.push(format!("the bound is slack: the norm is {norm} at the smallest alpha tried"));
    }
    certify(fit, ask, bound, &mut answer, run)?;
    Ok(answer)
}

/// The mean of w·k(x, x), which alpha is to be compared with.
fn mean_scale(fit: &LossFit<'_>) -> f64 {
    let n = fit.training.n;
    let sum: f64 = (0..n).map(|i| fit.weights[i] * fit.gram.row(i)[i].abs()).sum();
    (sum / n as f64).max(1e-280)
}

fn norm(answer: &Answer) -> f64 {
    answer.inner.slopes_square.max(0.0).sqrt() / answer.alpha
}

/// The fit whose norm is nearest B.
fn root(fit: &LossFit<'_>, ask: Ask<'_>, bound: f64, run: &Run) -> Result<Answer> {
    let excess = |answer: &Answer| (norm(answer) / bound).max(f64::MIN_POSITIVE).ln();
    let task = run.task("norm bound", None);
    let floor = SLACK * ask.alpha;
    let mut bracket = Bracket { low: floor, high: f64::INFINITY, before: None };
    let mut best = fit.at(ask, None, run)?;
    let (mut alpha, mut off) = (ask.alpha, excess(&best));
    for _ in 0..FITS {
        let done = off.abs() <= MET || bracket.is_closed() || (off < 0.0 && alpha <= floor);
        if done || task.step(Some(off)).is_some() {
            break;
        }
        alpha = bracket.next(alpha, off, floor);
        let answer = fit.at(Ask { alpha, ..ask }, None, run)?;
        off = excess(&answer);
        if off.abs() < excess(&best).abs() {
            best = answer;
        }
    }
    Ok(best)
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
        let next = (alpha.ln() - off / slope.clamp(-1.0, -0.02)).exp();
        match (next > self.low && next < self.high, self.high.is_finite()) {
            (true, _) => next,
            (false, true) if self.low > floor => (self.low * self.high).sqrt(),
            (false, true) => floor,
            (false, false) => 16.0 * self.low,
        }
    }
}

/// The objective is the loss alone; the dual point is v, clipped and balanced.
fn certify(fit: &LossFit<'_>, ask: Ask<'_>, bound: f64, answer: &mut Answer, run: &Run) -> Result<()> {
    let Ask { loss, y, .. } = ask;
    let n = fit.training.n;
    let z = &answer.inner.values;
    let mut losses = vec![0.0; n];
    loss.values(y, z, &mut losses);
    let value: f64 = fit.weights.iter().zip(&losses).map(|(w, l)| w * l).sum();
    let limits = |i: usize| {
        let (low, high) = loss.domain(y[i]);
        (fit.weights[i] * low, fit.weights[i] * high)
    };
    let mut v: Vec<f64> = (0..n).map(|i| answer.inner.slopes[i].clamp(limits(i).0, limits(i).1)).collect();
    if fit.fit_intercept {
        balance(&mut v, limits);
    }
    let mut product = vec![0.0; n];
    multiply(fit.gram.values(), &v, [n, n, 1], &mut product, &run.without_stops())?;
    let square: f64 = v.iter().zip(&product).map(|(v, k)| v * k).sum();
    let term = |i: usize| {
        let (w, (low, high)) = (fit.weights[i], loss.domain(y[i]));
        loss.conjugate(y[i], (v[i] / w).clamp(low, high)).map(|c| w * c)
    };
    let conjugates: Option<f64> = (0..n).map(term).sum();
    answer.primal = value;
    answer.inner.loss = value;
    answer.dual = conjugates.map(|c| -c - bound * square.max(0.0).sqrt());
    if answer.dual.is_none() {
        answer.notes.push(format!("the loss `{}` has no conjugate, so the gap is not known", loss.name()));
    }
    let gap = answer.dual.map_or(f64::INFINITY, |d| value - d);
    if matches!(answer.inner.stop, Stop::Tolerance | Stop::Stagnation | Stop::MaxIterations) {
        answer.inner.stop = if gap <= REACHED * value.abs() { Stop::Tolerance } else { Stop::Stagnation };
    }
    Ok(())
}
