//! Several statistics as one.

/// T = (1/λ) ln meanₖ exp(λ·Tₖ/√νₖ), and each Tₖ with the bound of its rounding (Biggs, Schrab & Gretton 2023, equation 6): close to
/// the largest of them where one stands out. What does not depend on the split may be anything, so a p-value by permutations
/// stays valid.
#[derive(Clone, Debug)]
pub(super) struct Fuse {
    lambda: f64,
    roots: Vec<f64>,
}

impl Fuse {
    /// For samples of which the smaller has s rows, and kernels whose squares have these means over different rows.
    pub(super) fn new(smaller: usize, mean_squares: &[f64]) -> Self {
        let s = smaller as f64;
        Fuse { lambda: (s * (s - 1.0)).sqrt(), roots: mean_squares.iter().map(|v| v.sqrt()).collect() }
    }

    /// Tₖ/√νₖ; 0 for a kernel that is 0 between different rows, and shows nothing.
    pub(super) fn scaled(&self, k: usize, statistic: f64) -> f64 {
        if self.roots[k] > 0.0 { statistic / self.roots[k] } else { 0.0 }
    }

    /// T; a single statistic is left as it is.
    pub(super) fn of(&self, statistics: impl Iterator<Item = f64>) -> f64 {
        let mut values: Vec<f64> = statistics.collect();
        if let [only] = values[..] {
            return only;
        }
        values.iter_mut().enumerate().for_each(|(k, t)| *t = self.scaled(k, *t));
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = values.iter().map(|t| (self.lambda * (t - largest)).exp()).sum::<f64>() / values.len() as f64;
        largest + mean.ln() / self.lambda
    }

    /// The kernel whose scaled statistic is largest; the first of equals.
    pub(super) fn best(&self, statistics: &[f64]) -> usize {
        let scaled = |k: &usize| self.scaled(*k, statistics[*k]);
        (0..statistics.len()).max_by(|a, b| scaled(a).total_cmp(&scaled(b)).then(b.cmp(a))).unwrap_or(0)
    }

    /// T is never further off than the worst of the Tₖ/√νₖ, but for the last digits of the exponentials.
    pub(super) fn rounding(&self, roundings: &[f64], largest: f64) -> f64 {
        if let [only] = roundings {
            return *only;
        }
        let worst = roundings.iter().enumerate().map(|(k, r)| self.scaled(k, *r)).fold(0.0, f64::max);
        // Exponents are at most 0, and those far below it add nothing: each exponential is off by a few units of (1 + |exponent|)e^exponent ≤ 1.
        worst + f64::EPSILON * (4.0 * largest.abs() + 16.0 * self.roots.len() as f64 / self.lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    #[test]
    fn the_fused_statistic_is_its_formula() {
        let fuse = Fuse::new(5, &[0.25, 4.0, 0.0]);
        let t = [0.3, -0.2, 9.0];
        let lambda = 20f64.sqrt();
        let terms = [0.3 / 0.5, -0.2 / 2.0, 0.0].map(|x: f64| (lambda * x).exp());
        let definition = (terms.iter().sum::<f64>() / 3.0).ln() / lambda;
        assert!((fuse.of(t.into_iter()) - definition).abs() <= tol::FEW_ROWS);
        assert_eq!(Fuse::new(5, &[0.25]).of([0.3].into_iter()), 0.3);
    }
}
