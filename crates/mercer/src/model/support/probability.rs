//! Probabilities of classes from values of a machine.
//!
//! P(class | f) = 1/(1 + exp(−slope·f)) with slope ≥ 0 (Platt 1999, with the offset pinned to 0): the larger f the likelier, and
//! ½ exactly at f = 0, so that of two classes the more probable one is the one that is predicted.
//! Those of pairs are brought together by the second method of Wu, Lin, Weng (2004), *Probability estimates for multi-class
//! classification by pairwise coupling*, JMLR 5.

use crate::loss::logistic;
use crate::model::Link;

use super::pairs;

/// No probability of a pair is nearer to 0 or 1 than this, as in LIBSVM: a certain pair would silence all others.
const LEAST: f64 = 1e-7;
/// The least slope, over the largest value, of a machine that is no better than chance.
const LEAST_SLOPE: f64 = 1e-6;
/// Steps of coupling; it converges linearly and fast.
const STEPS: usize = 100;

/// The probabilities of the classes, row-major, of values of functions.
pub(crate) fn of_values(values: &[f64], slopes: &[f64], link: Link, classes: usize) -> Vec<f64> {
    let functions = slopes.len().max(1);
    values.chunks(functions).flat_map(|row| of_row(row, slopes, link, classes)).collect()
}

fn of_row(row: &[f64], slopes: &[f64], link: Link, classes: usize) -> Vec<f64> {
    let own: Vec<f64> = row.iter().zip(slopes).map(|(f, slope)| logistic(slope * f)).collect();
    match (link, own.as_slice()) {
        (_, [second]) => vec![logistic(-slopes[0] * row[0]), *second],
        (Link::Pairs, pairs) => couple(pairs, classes),
        (_, each) => {
            let total: f64 = each.iter().sum();
            each.iter().map(|p| if total > 0.0 { p / total } else { 1.0 / classes as f64 }).collect()
        }
    }
}

/// The p ≥ 0 with Σp = 1 that minimises Σ_{i<j} (rⱼᵢpᵢ − rᵢⱼpⱼ)², where rᵢⱼ = P(i | i or j).
pub(crate) fn couple(pairs: &[f64], classes: usize) -> Vec<f64> {
    let mut r = vec![0.0; classes * classes];
    for ((i, j), p) in pairs::all(classes).zip(pairs) {
        let p = p.clamp(LEAST, 1.0 - LEAST);
        (r[i * classes + j], r[j * classes + i]) = (p, 1.0 - p);
    }
    // Q_tt = Σ_j r_jt², Q_tj = −r_jt·r_tj: the objective is ½pᵀQp.
    let q = |t: usize, j: usize| match t == j {
        true => (0..classes).filter(|s| *s != t).map(|s| r[s * classes + t].powi(2)).sum::<f64>(),
        false => -r[j * classes + t] * r[t * classes + j],
    };
    let q: Vec<f64> = (0..classes * classes).map(|at| q(at / classes, at % classes)).collect();
    let mut p = vec![1.0 / classes as f64; classes];
    for _ in 0..STEPS {
        let qp: Vec<f64> = q.chunks(classes).map(|row| row.iter().zip(&p).map(|(q, p)| q * p).sum()).collect();
        let whole: f64 = p.iter().zip(&qp).map(|(p, q)| p * q).sum();
        if qp.iter().all(|own| (own - whole).abs() < 1e-3 * LEAST) {
            break;
        }
        settle(&q, &mut p);
    }
    p
}

/// One round of algorithm 2 of the paper: each p in turn goes where its own condition holds, and all are brought to the sum 1.
fn settle(q: &[f64], p: &mut [f64]) {
    let classes = p.len();
    for t in 0..classes {
        let row =
            |t: usize, p: &[f64]| q[t * classes..(t + 1) * classes].iter().zip(p).map(|(q, p)| q * p).sum::<f64>();
        let whole: f64 = (0..classes).map(|s| p[s] * row(s, p)).sum();
        p[t] += (whole - row(t, p)) / q[t * classes + t];
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= total);
    }
}

/// Decision values of rows that the machine was not fitted to, with their signs and weights.
pub(crate) struct HeldOut {
    pub(crate) f: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Vec<f64>,
}

/// A slope, and what pinning the offset costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slope {
    pub(crate) slope: f64,
    /// The mean log-loss with the offset at 0, and with the best one.
    pub(crate) log_loss: f64,
    pub(crate) free_log_loss: f64,
}

impl HeldOut {
    /// The slope ≥ 0 of the least log-loss against the targets of Platt, (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), which keep it finite
    /// where the classes are apart.
    pub(crate) fn slope(&self) -> Slope {
        let total =
            |sign: f64| -> f64 { self.y.iter().zip(&self.weights).filter(|(y, _)| **y == sign).map(|(_, w)| w).sum() };
        let (above, below) = (total(1.0), total(-1.0));
        let target = |y: f64| if y > 0.0 { (above + 1.0) / (above + 2.0) } else { 1.0 / (below + 2.0) };
        let targets: Vec<f64> = self.y.iter().map(|y| target(*y)).collect();
        let (slope, offset) = self.newton(&targets, false);
        // Just so steep that the class that is predicted is the more probable one.
        let pinned = (slope.max(LEAST_SLOPE / self.scale()), offset);
        let free = self.newton(&targets, true);
        let all = above + below;
        Slope {
            slope: pinned.0,
            log_loss: self.loss(&targets, pinned) / all,
            free_log_loss: self.loss(&targets, free) / all,
        }
    }

    /// The largest value.
    fn scale(&self) -> f64 {
        let largest = self.f.iter().fold(0.0f64, |m, f| m.max(f.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// −Σ w(t·ln p + (1 − t)·ln(1 − p)) with p = 1/(1 + exp(−slope·f − offset)).
    fn loss(&self, targets: &[f64], (slope, offset): (f64, f64)) -> f64 {
        let softplus = |z: f64| if z > 0.0 { z + (-z).exp().ln_1p() } else { z.exp().ln_1p() };
        let term = |((f, t), w): ((&f64, &f64), &f64)| {
            let z = slope * f + offset;
            w * (t * softplus(-z) + (1.0 - t) * softplus(z))
        };
        self.f.iter().zip(targets).zip(&self.weights).map(term).sum()
    }

    /// Newton's method with halved steps; the loss is convex. The slope stays ≥ 0.
    fn newton(&self, targets: &[f64], with_offset: bool) -> (f64, f64) {
        let scale = self.scale();
        let mut at = (0.0, 0.0);
        for _ in 0..100 {
            let (g, h) = self.derivatives(targets, at);
            let step = match with_offset {
                true => solve_two(g, h),
                false => (g[0] / (h[0] + 1e-12 * scale * scale), 0.0),
            };
            let mut size = 1.0;
            let here = self.loss(targets, at);
            let next = loop {
                let next = ((at.0 - size * step.0).max(0.0), at.1 - size * step.1);
                if self.loss(targets, next) <= here || size < 1e-10 {
                    break next;
                }
                size *= 0.5;
            };
            let moved = (next.0 - at.0).abs() * scale + (next.1 - at.1).abs();
            at = next;
            if moved < 1e-10 {
                break;
            }
        }
        at
    }

    /// The gradient in slope and offset, and the Hessian: ss, so, oo.
    fn derivatives(&self, targets: &[f64], (slope, offset): (f64, f64)) -> ([f64; 2], [f64; 3]) {
        let (mut g, mut h) = ([0.0; 2], [0.0; 3]);
        for ((f, t), w) in self.f.iter().zip(targets).zip(&self.weights) {
            let p = logistic(slope * f + offset);
            let (first, second) = (w * (p - t), w * p * (1.0 - p));
            g = [g[0] + first * f, g[1] + first];
            h = [h[0] + second * f * f, h[1] + second * f, h[2] + second];
        }
        (g, h)
    }
}

/// The solution of a 2×2 system, with a little added to its diagonal.
fn solve_two(g: [f64; 2], [ss, so, oo]: [f64; 3]) -> (f64, f64) {
    let (ss, oo) = (ss * (1.0 + 1e-12) + f64::MIN_POSITIVE, oo * (1.0 + 1e-12) + 1e-12);
    let determinant = ss * oo - so * so;
    if determinant <= 0.0 {
        return (g[0] / ss, 0.0);
    }
    ((oo * g[0] - so * g[1]) / determinant, (ss * g[1] - so * g[0]) / determinant)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where all pairs agree, p is what they were made from.
    #[test]
    fn coupling_recovers_consistent_pairs() {
        let p = [0.5, 0.3, 0.15, 0.05];
        let pairs: Vec<f64> = pairs::all(4).map(|(i, j)| p[i] / (p[i] + p[j])).collect();
        let found = couple(&pairs, 4);
        assert!(found.iter().zip(p).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        // Certain and contradicting pairs still give a distribution.
        let odd = couple(&[1.0, 0.0, 1.0], 3);
        assert!(
            (odd.iter().sum::<f64>() - 1.0).abs() < 1e-12 && odd.iter().all(|p| (0.0..=1.0).contains(p)),
            "{odd:?}"
        );
    }

    #[test]
    fn slopes_are_never_negative_and_minimise_the_log_loss() {
        let f: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.1 - 2.0).collect();
        let sign = |v: &f64| if *v + (v * 9.0).sin() > 0.0 { 1.0 } else { -1.0 };
        let y: Vec<f64> = f.iter().map(sign).collect();
        let held = HeldOut { weights: vec![1.0; 40], f: f.clone(), y: y.clone() };
        let found = held.slope();
        let targets: Vec<f64> = {
            let above = y.iter().filter(|y| **y > 0.0).count() as f64;
            y.iter().map(|y| if *y > 0.0 { (above + 1.0) / (above + 2.0) } else { 1.0 / (42.0 - above) }).collect()
        };
        let loss = |s: f64| held.loss(&targets, (s, 0.0));
        assert!(
            found.slope > 0.0
                && loss(found.slope) <= loss(found.slope * 1.01)
                && loss(found.slope) <= loss(found.slope * 0.99)
        );
        assert!(found.free_log_loss <= found.log_loss + 1e-12);
        // A machine that is worse than chance gets hardly any slope, and none against its own answers.
        let wrong = HeldOut { y: y.iter().map(|y| -y).collect(), ..held };
        assert_eq!(wrong.slope().slope, LEAST_SLOPE / 2.0);
    }
}
