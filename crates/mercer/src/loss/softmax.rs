//! The negative logarithm of the probability of one class among several.

use super::RowLoss;
use super::enclosed::entropy_within;
use super::logistic::entropy;
use crate::error::{Error, Result};
use crate::linalg::Ball;

/// ℓ(c, z) = ln Σⱼ exp(zⱼ) − z_c for a class c and a value zⱼ of every class.
///
/// Gradient π − e_c with πⱼ = exp(zⱼ)/Σ exp, curvature diag(π) − ππᵀ. With p = u + e_c,
/// ℓ*(c, u) = Σ pⱼ·ln pⱼ where p is a distribution (p ≥ 0, Σ p = 1), ∞ elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Softmax;

impl Softmax {
    /// π of values z, into `out`.
    pub fn probabilities(z: &[f64], out: &mut [f64]) {
        let largest = z.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        out.iter_mut().zip(z).for_each(|(p, v)| *p = (v - largest).exp());
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
    }

    /// ℓ(c, z).
    ///
    /// ```
    /// use mercer::loss::Softmax;
    /// let z = [1.0f64, 2.0, 0.5];
    /// let total: f64 = z.iter().map(|v| v.exp()).sum();
    /// assert!((Softmax::value(1, &z) - (total.ln() - 2.0)).abs() < 1e-15);
    /// assert_eq!(Softmax::value(0, &[-1000.0, 0.0]), 1000.0);
    /// ```
    pub fn value(class: usize, z: &[f64]) -> f64 {
        let (at, largest) =
            z.iter().enumerate().fold((0, f64::NEG_INFINITY), |m, (j, v)| if *v > m.1 { (j, *v) } else { m });
        // The largest term is 1; the others are small where the loss is, and keep their digits.
        let rest: f64 = z.iter().enumerate().filter(|(j, _)| *j != at).map(|(_, v)| (v - largest).exp()).sum();
        rest.ln_1p() + (largest - z[class])
    }

    /// A number that ℓ(c, z) is one of; it rises in every difference zⱼ − z_c.
    fn value_within(class: usize, z: &[Ball]) -> Ball {
        let at = |of: fn(Ball) -> f64| {
            let apart: Vec<f64> = z.iter().map(|v| of(*v - z[class])).collect();
            let largest = apart.iter().fold(0.0f64, |m, d| m.max(d.abs()));
            // Rounding d changes exp(d) by as many units as d is large, where exp(d) is not 0 anyway.
            let units = (32.0 + 2.0 * z.len() as f64 + 2.0 * largest.min(800.0)) * f64::EPSILON;
            let value = Self::value(class, &apart);
            (value, units * value + f64::MIN_POSITIVE)
        };
        let ((low, below), (high, above)) = (at(Ball::below), at(Ball::above));
        match low.is_nan() || high.is_nan() {
            true => Ball::new(f64::NAN, 0.0, f64::INFINITY),
            false => Ball::between((low - below).max(0.0), high + above),
        }
    }

    /// ℓ*(c, u), where Σ u = 0 to rounding.
    pub fn conjugate(class: usize, u: &[f64]) -> f64 {
        let p = |j: usize| if j == class { 1.0 + u[j] } else { u[j] };
        let outside =
            (0..u.len()).any(|j| p(j) < 0.0) || u.iter().sum::<f64>().abs() > 4.0 * f64::EPSILON * u.len() as f64;
        if outside { f64::INFINITY } else { (0..u.len()).map(|j| entropy(p(j))).sum() }
    }
}

/// The softmax loss of every row, given the classes.
#[derive(Clone, Debug)]
pub struct SoftmaxRows<'a> {
    classes: &'a [usize],
    count: usize,
}

impl<'a> SoftmaxRows<'a> {
    /// Rows of these classes, each below `count`.
    pub fn new(classes: &'a [usize], count: usize) -> Result<Self> {
        match classes.iter().find(|c| **c >= count) {
            Some(bad) => Err(Error::invalid("the softmax loss", "classes", bad, format!("below {count}"))),
            None => Ok(SoftmaxRows { classes, count }),
        }
    }
}

impl RowLoss for SoftmaxRows<'_> {
    fn rows(&self) -> usize {
        self.classes.len()
    }

    fn outputs(&self) -> usize {
        self.count
    }

    fn values(&self, z: &[f64], out: &mut [f64]) {
        let rows = z.chunks(self.count).zip(self.classes);
        out.iter_mut().zip(rows).for_each(|(o, (z, class))| *o = Softmax::value(*class, z));
    }

    fn gradients(&self, z: &[f64], out: &mut [f64]) {
        self.locals(z, out);
        for (out, own) in out.chunks_mut(self.count).zip(self.classes) {
            // π_c − 1 = −Σ of the others, which keeps its digits where π_c is near 1.
            out[*own] = -out.iter().enumerate().filter(|(j, _)| j != own).map(|(_, p)| p).sum::<f64>();
        }
    }

    fn locals(&self, z: &[f64], states: &mut [f64]) {
        z.chunks(self.count).zip(states.chunks_mut(self.count)).for_each(|(z, s)| Softmax::probabilities(z, s));
    }

    fn bend(&self, state: &[f64], d: &[f64], out: &mut [f64]) {
        let mean: f64 = state.iter().zip(d).map(|(p, d)| p * d).sum();
        out.iter_mut().zip(state.iter().zip(d)).for_each(|(o, (p, d))| *o = p * (d - mean));
    }

    fn add_curvature(&self, state: &[f64], w: f64, out: &mut [f64]) {
        // diag(π) − ππᵀ.
        for ((o, own), row) in state.iter().enumerate().zip(out.chunks_mut(self.count)) {
            for (j, (sum, p)) in row.iter_mut().zip(state).enumerate() {
                *sum += w * (p * (f64::from(u8::from(j == o)) - own));
            }
        }
    }

    fn bends(&self, state: &[f64]) -> f64 {
        // The trace over the values that add up to 0.
        state.iter().map(|p| p * (1.0 - p)).sum::<f64>() / (self.count - 1).max(1) as f64
    }

    fn conjugate(&self, i: usize, u: &[f64]) -> Option<f64> {
        Some(Softmax::conjugate(self.classes[i], u))
    }

    fn values_within(&self, z: &[Ball]) -> Vec<Ball> {
        z.chunks(self.count).zip(self.classes).map(|(z, class)| Softmax::value_within(*class, z)).collect()
    }

    fn conjugate_within(&self, i: usize, u: &[Ball]) -> Option<Ball> {
        let p = |(j, u): (usize, &Ball)| if j == self.classes[i] { Ball::from(1.0) + *u } else { *u };
        Some(u.iter().enumerate().map(p).map(entropy_within).sum())
    }

    /// The curvature diag(π) − ππᵀ is at most ½.
    fn steepness(&self, z: &[f64], reach: f64, out: &mut [f64]) {
        let mut g = vec![0.0; z.len()];
        self.gradients(z, &mut g);
        for (o, g) in out.iter_mut().zip(g.chunks(self.count)) {
            *o = (g.iter().map(|g| g * g).sum::<f64>().sqrt() + 0.5 * reach) * (1.0 + 1e-12);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    /// Values, their gradient and ℓ of three classes.
    fn sample(chance: &mut Chance) -> (Vec<f64>, usize) {
        ((0..3).map(|_| 2.0 * chance.normal()).collect(), chance.below(3))
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let mut chance = Chance::new(4);
        for _ in 0..40 {
            let (z, class) = sample(&mut chance);
            let classes = [class];
            let rows = SoftmaxRows::new(&classes, 3).expect("a class");
            let (mut g, mut state, mut bent) = (vec![0.0; 3], vec![0.0; 3], vec![0.0; 3]);
            rows.gradients(&z, &mut g);
            rows.locals(&z, &mut state);
            let h = f64::EPSILON.cbrt();
            for (j, g) in g.iter().enumerate() {
                let moved = |by: f64| -> Vec<f64> {
                    z.iter().enumerate().map(|(i, v)| if i == j { v + by } else { *v }).collect()
                };
                let slope = (Softmax::value(class, &moved(h)) - Softmax::value(class, &moved(-h))) / (2.0 * h);
                assert!((g - slope).abs() <= tol::GRAD, "{g} and {slope}");
                let unit: Vec<f64> = (0..3).map(|i| f64::from(u8::from(i == j))).collect();
                rows.bend(&state, &unit, &mut bent);
                let (mut up, mut down) = (vec![0.0; 3], vec![0.0; 3]);
                rows.gradients(&moved(h), &mut up);
                rows.gradients(&moved(-h), &mut down);
                for i in 0..3 {
                    assert!((bent[i] - (up[i] - down[i]) / (2.0 * h)).abs() <= tol::GRAD);
                }
            }
        }
    }

    #[test]
    fn fenchel_and_young() {
        let mut chance = Chance::new(7);
        for _ in 0..200 {
            let (z, class) = sample(&mut chance);
            let weights: Vec<f64> = (0..3).map(|_| chance.unit()).collect();
            let total: f64 = weights.iter().sum();
            let slope = |p: &[f64]| -> Vec<f64> { (0..3).map(|j| p[j] - f64::from(u8::from(j == class))).collect() };
            let slack = |u: &[f64]| {
                let product: f64 = u.iter().zip(&z).map(|(u, z)| u * z).sum();
                Softmax::value(class, &z) + Softmax::conjugate(class, u) - product
            };
            let other = slope(&weights.iter().map(|w| w / total).collect::<Vec<_>>());
            assert!(slack(&other) >= -tol::round(30), "{}", slack(&other));
            let mut p = vec![0.0; 3];
            Softmax::probabilities(&z, &mut p);
            assert!(slack(&slope(&p)).abs() <= tol::round(30), "{}", slack(&slope(&p)));
        }
        assert_eq!(Softmax::conjugate(0, &[0.5, -0.5]), f64::INFINITY);
        assert_eq!(Softmax::conjugate(0, &[-0.5, 0.0]), f64::INFINITY);
        assert!(SoftmaxRows::new(&[2], 2).is_err());
    }
}
