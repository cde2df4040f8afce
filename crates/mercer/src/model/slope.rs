//! Probabilities from the values of rows that were left out.
//!
//! P(class c | x) = exp(s·f_c(x))/Σ exp(s·f_j(x)) with one slope s > 0 for all classes; of two classes there is one function,
//! and f_0 = 0. So the most probable class is always the one that is predicted.
//!
//! s has the least Σ wᵢ·(−Σ_c t_ic·ln P(c | xᵢ)) over values f(xᵢ) of functions that were found without row i. A row of class c
//! has t_ic = 1 − ε and ε/(k − 1) at the other k − 1 classes, ε = 1/(Σw + 2): by Laplace's rule of succession, how often a
//! prediction is wrong that was never wrong before. It keeps s finite where every row that is left out is in its class.
//! Platt's targets (1999), which do the same class by class, say 1/(n_c + 2) instead, too much where classes are many and small.

use crate::data::{Labels, Weights};
use crate::metric::log_loss;

use super::Link;

/// Where the slope times the largest value may not be below: the predicted class stays the more probable one.
const LEAST: f64 = 1e-6;
/// Newton steps; a few are enough.
const STEPS: usize = 100;

/// Values of functions that were found without their rows, and what the rows say.
pub(crate) struct LeftOut<'a> {
    /// Row-major: rows×outputs.
    pub(crate) values: &'a [f64],
    pub(crate) outputs: usize,
    pub(crate) labels: &'a Labels,
    pub(crate) weights: Option<&'a Weights>,
}

/// What the objective is at a slope, and its derivatives.
struct At {
    loss: f64,
    gradient: f64,
    curvature: f64,
}

impl LeftOut<'_> {
    /// The best slope, by Newton's method with halved steps: the objective is convex.
    ///
    /// Works with the slope times the largest value, which has no unit.
    pub(crate) fn slope(&self) -> f64 {
        let largest = self.values.iter().fold(0.0f64, |m, f| m.max(f.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut slope = LEAST;
        let mut here = self.at(slope, unit);
        for _ in 0..STEPS {
            let step = here.gradient / (here.curvature + f64::MIN_POSITIVE);
            let Some((next, there)) = self.lower(slope, step, &here, unit) else { break };
            let moved = (next - slope).abs();
            (slope, here) = (next, there);
            if moved <= 1e-12 * slope {
                break;
            }
        }
        slope / unit
    }

    /// The mean of −ln P(true class) at this slope.
    pub(crate) fn log_loss(&self, slope: f64) -> f64 {
        let link = if self.outputs == 1 { Link::Logistic } else { Link::Softmax };
        let scaled: Vec<f64> = self.values.iter().map(|f| slope * f).collect();
        let shares = link.probabilities(&scaled, self.outputs).unwrap_or_default();
        let (k, codes) = (self.labels.count(), self.labels.codes());
        let of_truth: Vec<f64> = codes.iter().enumerate().map(|(i, c)| shares[i * k + c]).collect();
        log_loss(&of_truth, self.weights)
    }

    /// The first of ever shorter steps that is no worse.
    fn lower(&self, slope: f64, step: f64, here: &At, unit: f64) -> Option<(f64, At)> {
        // No step is longer than to ten times the slope and one more: far out the objective is flat.
        let longest = 10.0 * slope + 1.0;
        let mut step = step.clamp(-longest, longest);
        while step.abs() > 1e-14 * slope {
            let next = (slope - step).max(LEAST);
            let there = self.at(next, unit);
            if there.loss <= here.loss {
                return Some((next, there));
            }
            step *= 0.5;
        }
        None
    }

    fn at(&self, slope: f64, unit: f64) -> At {
        let (k, wrong) = (self.labels.count(), self.wrong());
        let mut sum = At { loss: 0.0, gradient: 0.0, curvature: 0.0 };
        let mut z = vec![0.0; k];
        for (i, (code, row)) in self.labels.codes().iter().zip(self.values.chunks(self.outputs)).enumerate() {
            // Of two classes there is one function, that of the second.
            z.iter_mut().rev().zip(row.iter().rev()).for_each(|(z, f)| *z = f / unit);
            let weight = self.weights.map_or(1.0, |w| w.relative_at(i));
            let of_row = row_at(&z, *code, slope, wrong);
            sum.loss += weight * of_row.loss;
            sum.gradient += weight * of_row.gradient;
            sum.curvature += weight * of_row.curvature;
        }
        sum
    }

    /// ε.
    fn wrong(&self) -> f64 {
        let total = self.weights.map_or(self.labels.codes().len() as f64, Weights::total);
        1.0 / (total + 2.0)
    }
}

/// −Σ_c t_c·ln P(c) and its derivatives in the slope, of one row with the values z.
fn row_at(z: &[f64], code: usize, slope: f64, wrong: f64) -> At {
    let k = z.len();
    let target = |c: usize| if c == code { 1.0 - wrong } else { wrong / (k - 1) as f64 };
    let largest = z.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    let power = |v: &f64| (slope * (v - largest)).exp();
    let total: f64 = z.iter().map(power).sum();
    let mean = z.iter().map(|v| power(v) * v).sum::<f64>() / total;
    let square = z.iter().map(|v| power(v) * (v - mean).powi(2)).sum::<f64>() / total;
    let wanted: f64 = z.iter().enumerate().map(|(c, v)| target(c) * v).sum();
    At { loss: total.ln() + slope * (largest - wanted), gradient: mean - wanted, curvature: square }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// Σ over rows of −Σ t·ln P, written down from the definition.
    fn objective(values: &[f64], k: usize, codes: &[usize], weights: &[f64], slope: f64) -> f64 {
        let wrong = 1.0 / (weights.iter().sum::<f64>() + 2.0);
        let row = |i: usize| -> f64 {
            let f: Vec<f64> = if k == 2 { vec![0.0, values[i]] } else { values[i * k..(i + 1) * k].to_vec() };
            let total: f64 = f.iter().map(|v| (slope * v).exp()).sum();
            let part = |c: usize| {
                let target = if c == codes[i] { 1.0 - wrong } else { wrong / (k - 1) as f64 };
                -target * ((slope * f[c]).exp() / total).ln()
            };
            weights[i] * (0..k).map(part).sum::<f64>()
        };
        (0..codes.len()).map(row).sum()
    }

    #[test]
    fn no_other_slope_is_better() {
        let mut chance = Chance::new(4);
        for (k, noise) in [(2, 1.0), (2, 0.01), (3, 0.6), (7, 0.2)] {
            let codes: Vec<usize> = (0..60).map(|i| i % k).collect();
            let outputs = if k == 2 { 1 } else { k };
            let mean = |i: usize, o: usize| if k == 2 { codes[i] as f64 - 0.5 } else { f64::from(codes[i] == o) };
            let values: Vec<f64> = (0..60 * outputs)
                .map(|at| 1e-3 * (mean(at / outputs, at % outputs) + noise * chance.normal()))
                .collect();
            let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 3)).collect();
            let (labels, own) =
                (Labels::new(codes.clone(), k).expect("codes"), Weights::new(weights.clone()).expect("weights"));
            let slope = LeftOut { values: &values, outputs, labels: &labels, weights: Some(&own) }.slope();
            let at = |s: f64| objective(&values, k, &codes, &weights, s);
            for factor in [0.9, 0.999, 1.001, 1.1, 10.0] {
                assert!(at(factor * slope) >= at(slope), "{k} classes, noise {noise}: {slope}, times {factor}");
            }
        }
    }

    #[test]
    fn what_is_no_better_than_chance_has_the_least_slope_and_what_is_always_right_a_finite_one() {
        let labels = Labels::new(vec![0, 1, 0, 1], 2).expect("codes");
        let slope = |values: &[f64]| LeftOut { values, outputs: 1, labels: &labels, weights: None }.slope();
        assert_eq!(slope(&[5.0, -5.0, 5.0, -5.0]), LEAST / 5.0);
        assert_eq!(slope(&[0.0; 4]), LEAST);
        // Every row is right by the same margin: P(wrong) is ε = 1/6.
        assert!((slope(&[-2.0, 2.0, -2.0, 2.0]) - 5f64.ln() / 2.0).abs() < 1e-9);
        for unit in [1e-200, 1e200] {
            let scaled = slope(&[-2.0 * unit, 2.0 * unit, -2.0 * unit, 2.0 * unit]);
            assert!((scaled * unit - 5f64.ln() / 2.0).abs() < 1e-9, "{scaled}");
        }
    }
}
