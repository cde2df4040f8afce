//! The intercept that is best for given functions, and the small systems of its size.

use crate::linalg::dot;
use crate::loss::RowLoss;

/// Steps after which the intercept is as good as rounding lets it be.
const STEPS: usize = 60;
/// Share of the value below which a decrease drowns in its rounding.
const DROWNS: f64 = 16.0 * f64::EPSILON;

/// Minimises Σ wᵢℓᵢ(fᵢ + b) over b, for convex losses; z = f + b is kept in step. Where the losses do not
/// bend, Newton's method does not move, and a single b is found by bisection.
pub(super) fn best_intercept(loss: &dyn RowLoss, weights: &[f64], z: &mut [f64], b: &mut [f64]) {
    if !by_newton(loss, weights, z, b) && b.len() == 1 {
        let shift = by_bisection(loss, weights, z);
        z.iter_mut().for_each(|z| *z += shift);
        b[0] += shift;
    }
}

/// Newton's method with halved steps; false if it ends before the slope is 0 to rounding. Once values no
/// longer tell points apart, whole steps go on for as long as they halve the slope.
fn by_newton(loss: &dyn RowLoss, weights: &[f64], z: &mut [f64], b: &mut [f64]) -> bool {
    let c = b.len();
    let mut value = total(loss, weights, z);
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let (slope, size, mut curvature) = sums(loss, weights, z, c);
        if slope.iter().all(|s| s.abs() <= 2.0 * f64::EPSILON * size) {
            return true;
        }
        let mut step = slope.clone();
        if !solve_small(&mut curvature, &mut step) {
            return false;
        }
        let expected: f64 = slope.iter().zip(&step).map(|(s, d)| s * d).sum();
        if expected <= DROWNS * value.abs() {
            let steepest = slope.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            if steepest > 0.5 * last {
                return true;
            }
            last = steepest;
            z.iter_mut().enumerate().for_each(|(at, z)| *z -= step[at % c]);
            b.iter_mut().zip(&step).for_each(|(b, s)| *b -= s);
            continue;
        }
        let mut length = 1.0;
        let taken = loop {
            let tried: Vec<f64> = z.iter().enumerate().map(|(at, z)| z - length * step[at % c]).collect();
            let next = total(loss, weights, &tried);
            if next <= value - 1e-4 * length * expected {
                break Some((tried, next));
            }
            length *= 0.5;
            if length < 1e-12 {
                break None;
            }
        };
        let Some((tried, next)) = taken else { return false };
        z.copy_from_slice(&tried);
        b.iter_mut().zip(&step).for_each(|(b, s)| *b -= length * s);
        value = next;
    }
    false
}

/// The shift of z at which the slope, which rises, changes its sign; 0 if it does nowhere.
fn by_bisection(loss: &dyn RowLoss, weights: &[f64], z: &[f64]) -> f64 {
    let slope = |shift: f64| -> f64 {
        let moved: Vec<f64> = z.iter().map(|z| z + shift).collect();
        let mut g = vec![0.0; z.len()];
        loss.gradients(&moved, &mut g);
        dot(weights, &g)
    };
    let sign = -slope(0.0).signum();
    let Some(far) = (0..STEPS).map(|k| sign * 2f64.powi(k as i32 - 20)).find(|s| slope(*s) * sign >= 0.0) else {
        return 0.0;
    };
    let (mut near, mut far) = (0.0, far);
    for _ in 0..2 * STEPS {
        let middle = 0.5 * (near + far);
        if slope(middle) * sign >= 0.0 { far = middle } else { near = middle }
    }
    far
}

/// Σ wᵢℓᵢ(zᵢ).
pub(super) fn total(loss: &dyn RowLoss, weights: &[f64], z: &[f64]) -> f64 {
    let mut values = vec![0.0; weights.len()];
    loss.values(z, &mut values);
    dot(weights, &values)
}

/// Σ w∇ℓ, Σ |w∇ℓ| and Σ w∇²ℓ.
fn sums(loss: &dyn RowLoss, weights: &[f64], z: &[f64], c: usize) -> (Vec<f64>, f64, Vec<f64>) {
    let (mut slope, mut size, mut curvature) = (vec![0.0; c], 0.0, vec![0.0; c * c]);
    let (mut g, mut states) = (vec![0.0; z.len()], vec![0.0; z.len()]);
    loss.gradients(z, &mut g);
    loss.locals(z, &mut states);
    for (w, (g, state)) in weights.iter().zip(g.chunks(c).zip(states.chunks(c))) {
        for (s, g) in slope.iter_mut().zip(g) {
            *s += w * g;
            size += w * g.abs();
        }
        loss.add_curvature(state, *w, &mut curvature);
    }
    (slope, size, curvature)
}

/// Replaces r by M⁻¹·r for a small symmetric M ≥ 0, whose rows and r both add up to 0 if M is singular.
/// False if M counts as 0.
pub(super) fn solve_small(m: &mut [f64], r: &mut [f64]) -> bool {
    let c = r.len();
    let trace: f64 = (0..c).map(|o| m[o * c + o]).sum();
    if !(trace > f64::MIN_POSITIVE && trace.is_finite()) {
        return false;
    }
    if c > 1 {
        // Along (1, …, 1), where several outputs do not bend, nothing is asked for either.
        m.iter_mut().for_each(|m| *m += trace / (c * c) as f64);
    }
    for k in 0..c {
        let pivot = m[k * c + k];
        if pivot <= 1e-14 * trace {
            r[k] = 0.0;
            continue;
        }
        for i in k + 1..c {
            let share = m[i * c + k] / pivot;
            (k..c).for_each(|j| m[i * c + j] -= share * m[k * c + j]);
            r[i] -= share * r[k];
        }
    }
    for k in (0..c).rev() {
        let rest: f64 = (k + 1..c).map(|j| m[k * c + j] * r[j]).sum();
        let pivot = m[k * c + k];
        r[k] = if pivot <= 1e-14 * trace { 0.0 } else { (r[k] - rest) / pivot };
    }
    true
}
