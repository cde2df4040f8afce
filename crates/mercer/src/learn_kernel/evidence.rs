//! The evidence of a kernel, with its gradient.
//!
//! Read as a Gaussian process with a scale s² of its own for each output, y ~ N(0, s²(K + αI)). With
//! A = K + αI and s² = yᵀA⁻¹y/n, which maximises it, the negative log evidence per row is, up to a
//! constant,
//!
//! L = ½ log(yᵀA⁻¹y/n) + log det A/(2n),
//!
//! averaged over the outputs. Its derivative along dA is ⟨W, dA⟩ with β = A⁻¹y and
//! W = A⁻¹/(2n) − ββᵀ/(2yᵀβ). Reference: Rasmussen & Williams (2006), eq. 5.8 and 5.9.
//!
//! With weights w of sum N, a weight means repetition: A = K + αW⁻¹, N in the place of n, and
//! (Σ log wᵢ + (N − n)·log α)/(2N) more, which is what repeated rows add to the determinant.

use crate::data::{Inputs, Targets, Weights};
use crate::error::Result;
use crate::gram::{dense, pull_back_symmetric};
use crate::kernel::KernelExpr;
use crate::linalg::{cholesky_in_place_with_jitter, invert_cholesky_in_place, solve_cholesky};
use crate::metric::Times;
use crate::model::Criterion;
use crate::run::Run;

/// A kernel's evidence on data, as a function of θ and log α: −L.
pub struct Evidence<'a> {
    kernel: &'a KernelExpr,
    x: &'a Inputs,
    y: &'a Targets,
    weights: Option<&'a Weights>,
    /// Where log α begins, and its ends.
    log_alpha: (f64, (f64, f64)),
}

impl<'a> Evidence<'a> {
    /// The evidence of a kernel without rules, where log α begins at a number between two ends. Targets should have mean
    /// 0; weights are positive, one a row.
    pub fn new(
        kernel: &'a KernelExpr,
        x: &'a Inputs,
        y: &'a Targets,
        weights: Option<&'a Weights>,
        log_alpha: (f64, (f64, f64)),
    ) -> Self {
        Evidence { kernel, x, y, weights, log_alpha }
    }

    /// α/wᵢ, kept finite: a row that light says nothing, whatever the number.
    fn noise(&self, alpha: f64, i: usize) -> f64 {
        self.weights.map_or(alpha, |w| (alpha / w[i]).min(f64::MAX / 8.0))
    }

    /// The Cholesky factor of K + αW⁻¹, in the place of K; nothing where it is not positive definite to rounding.
    fn factor(&self, mut a: Vec<f64>, alpha: f64, run: &Run) -> Option<Vec<f64>> {
        let n = self.x.len();
        (0..n).for_each(|i| a[i * n + i] += self.noise(alpha, i));
        let factored = cholesky_in_place_with_jitter(&mut a, n, run);
        factored.is_ok_and(|info| info.jitter == 0.0).then_some(a)
    }

    /// The least mean square of the residuals of rows that were left out, over that of y, for the kernel as it is and some α:
    /// βᵢ/(A⁻¹)ᵢᵢ is what row i is missed by without it. Infinite where there is none.
    pub fn leave_one_out(&self, alphas: &[f64], run: &Run) -> Result<f64> {
        let (n, c) = (self.x.len(), self.y.outputs());
        let k = dense::<f64>(&self.kernel.bind(self.x, run)?, run)?.into_values();
        let times = Times::new(n, self.weights);
        let mut least = f64::INFINITY;
        for alpha in alphas {
            let Some(mut a) = self.factor(k.clone(), *alpha, run) else { continue };
            let mut beta = self.y.values().to_vec();
            solve_cholesky(&a, n, &mut beta, c, run)?;
            invert_cholesky_in_place(&mut a, n, run)?;
            let missed = |o: usize| times.mean((0..n).map(|i| (beta[i * c + o] / a[i * n + i]).powi(2)));
            let whole = |o: usize| times.mean((0..n).map(|i| self.y.row(i)[o].powi(2))).max(f64::MIN_POSITIVE);
            let mean = (0..c).map(|o| missed(o) / whole(o)).sum::<f64>() / c as f64;
            least = if mean < least { mean } else { least };
        }
        Ok(least)
    }

    /// s² = yᵀA⁻¹y/n for the kernel as it is, the mean over the outputs; 1 where there is none.
    pub(crate) fn variance(&self, alpha: f64, run: &Run) -> Result<f64> {
        let (n, c) = (self.x.len(), self.y.outputs());
        let k = dense::<f64>(&self.kernel.bind(self.x, run)?, run)?.into_values();
        let Some(a) = self.factor(k, alpha, run) else { return Ok(1.0) };
        let mut beta = self.y.values().to_vec();
        solve_cholesky(&a, n, &mut beta, c, run)?;
        let total = self.weights.map_or(n as f64, Weights::total);
        let sum: f64 = beta.iter().zip(self.y.values()).map(|(b, y)| b * (y / total)).sum();
        Ok(Some(sum / c as f64).filter(|v| v.is_normal() && *v > 0.0).unwrap_or(1.0))
    }

    /// L at (θ, log α), and its gradient; infinite where A is not positive definite to rounding.
    fn loss(&self, at: &[f64], run: &Run) -> Result<(f64, Vec<f64>)> {
        let nowhere = || (f64::INFINITY, vec![0.0; at.len()]);
        let Some((log_alpha, theta)) = at.split_last() else { return Ok(nowhere()) };
        let (n, c, alpha) = (self.x.len(), self.y.outputs(), log_alpha.exp());
        let total = self.weights.map_or(n as f64, Weights::total);
        let bound = self.kernel.with_theta(theta)?.bind(self.x, run)?;
        let Some(mut a) = self.factor(dense::<f64>(&bound, run)?.into_values(), alpha, run) else {
            return Ok(nowhere());
        };
        let log_det: f64 = (0..n).map(|i| 2.0 * a[i * n + i].ln()).sum();
        // Divided term by term: the sum of huge weights times log α is too large for a number.
        let repetition = |w: &f64| w.ln() / total + (w / total - 1.0 / total) * log_alpha;
        let repeated: f64 = self.weights.map_or(0.0, |w| w.iter().map(repetition).sum());
        let mut beta = self.y.values().to_vec();
        solve_cholesky(&a, n, &mut beta, c, run)?;
        let mut value = 0.5 * (log_det / total + repeated);
        // From here on the upper triangle alone counts.
        invert_cholesky_in_place(&mut a, n, run)?;
        let mut w = a;
        w.iter_mut().for_each(|w| *w /= 2.0 * total);
        for k in 0..c {
            let of = |values: &[f64], i: usize| values[i * c + k];
            let q: f64 = (0..n).map(|i| of(self.y.values(), i) * of(&beta, i)).sum();
            value += 0.5 * (q / total).max(f64::MIN_POSITIVE).ln() / c as f64;
            let share = 1.0 / (2.0 * q.max(f64::MIN_POSITIVE) * c as f64);
            for i in 0..n {
                let bi = share * of(&beta, i);
                (i..n).for_each(|j| w[i * n + j] -= bi * of(&beta, j));
            }
        }
        let mut gradient = pull_back_symmetric(&bound, &w, run)?;
        let noise: f64 = (0..n).map(|i| w[i * n + i] * self.noise(alpha, i)).sum();
        gradient.push(noise + (total - n as f64) / (2.0 * total));
        Ok((value, gradient))
    }
}

impl Criterion for Evidence<'_> {
    fn names(&self) -> Vec<String> {
        self.kernel.names().into_iter().chain(["alpha".to_owned()]).collect()
    }

    fn start(&self) -> Result<Vec<f64>> {
        let mut at = self.kernel.theta()?;
        at.push(self.log_alpha.0);
        Ok(at)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.kernel.bounds().into_iter().chain([self.log_alpha.1]).collect()
    }

    fn in_units(&self, parameter: usize, theta: f64) -> f64 {
        let params = self.kernel.free_params();
        params.get(parameter).map_or(theta.exp(), |p| p.param.transform.backward(theta))
    }

    /// A value is computed to its end: whoever asks for many looks at the time between them.
    fn value_and_gradient(&self, at: &[f64], run: &Run) -> Result<(f64, Vec<f64>)> {
        let (value, gradient) = self.loss(at, &run.without_stops())?;
        Ok((-value, gradient.iter().map(|g| -g).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rows;
    use crate::testkit::tol;

    fn data() -> (Inputs, Targets) {
        let x: Vec<f64> = (0..24).map(|i| ((i * 37) % 23) as f64 / 7.0).collect();
        let y: Vec<f64> = x.chunks(2).flat_map(|p| [p[0].sin(), p[1] - 0.3 * p[0]]).collect();
        (Rows::new(x, 12, 2).map(Inputs::from).expect("rows"), Targets::new(y, 2).expect("targets"))
    }

    /// By Gaussian elimination, from the definition.
    fn oracle(k: &KernelExpr, x: &Inputs, y: &Targets, alpha: f64) -> f64 {
        let Inputs::Dense(rows) = x else { panic!("dense rows") };
        let n = rows.nrows();
        let mut a: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n).map(|j| k.at(rows.row(i), rows.row(j)).expect("a value") + f64::from(i == j) * alpha).collect()
            })
            .collect();
        let mut b: Vec<Vec<f64>> = (0..n).map(|i| y.row(i).to_vec()).collect();
        let mut log_det = 0.0;
        for p in 0..n {
            log_det += f64::ln(a[p][p]);
            for i in p + 1..n {
                let share = a[i][p] / a[p][p];
                (p..n).for_each(|j| a[i][j] -= share * a[p][j]);
                (0..2).for_each(|k| b[i][k] -= share * b[p][k]);
            }
        }
        // After elimination yᵀA⁻¹y is the sum of the squares over the pivots.
        let q = |k: usize| (0..n).map(|p| b[p][k] * b[p][k] / a[p][p]).sum::<f64>();
        let fit: f64 = (0..2).map(|k| 0.25 * (q(k) / n as f64).ln()).sum();
        fit + log_det / (2.0 * n as f64)
    }

    #[test]
    fn the_variance_is_where_the_evidence_of_a_scaled_kernel_is_largest() {
        let (x, _) = data();
        let y = Targets::new((0..12).map(|i| f64::from(i % 5) - 2.0).collect::<Vec<_>>(), 1).expect("targets");
        let kernel = KernelExpr::parse("rbf(length_scale=1.3)").expect("a formula");
        let best =
            Evidence::new(&kernel, &x, &y, None, (0.0, (-9.0, 9.0))).variance(0.2, &Run::new()).expect("a variance");
        // −2 log density of N(0, s²(K + αI)), up to a constant, with yᵀA⁻¹y by conjugate directions of elimination.
        let Inputs::Dense(rows) = &x else { panic!("dense rows") };
        let a = |i: usize, j: usize| kernel.at(rows.row(i), rows.row(j)).expect("a value") + f64::from(i == j) * 0.2;
        let mut m: Vec<Vec<f64>> = (0..12).map(|i| (0..12).map(|j| a(i, j)).chain([y.row(i)[0]]).collect()).collect();
        let mut q = 0.0;
        for p in 0..12 {
            q += m[p][12] * m[p][12] / m[p][p];
            for i in p + 1..12 {
                let share = m[i][p] / m[p][p];
                (p..13).for_each(|j| m[i][j] -= share * m[p][j]);
            }
        }
        let density = |s: f64| q / s + 12.0 * s.ln();
        assert!([0.9, 0.99, 1.01, 1.1].iter().all(|share| density(best * share) > density(best)), "{best}");
    }

    #[test]
    fn value_and_gradient_are_those_of_the_definition() {
        let (x, y) = data();
        let kernel =
            KernelExpr::parse("0.7*rbf(length_scale=[1.2, 0.8]) + matern52(length_scale=2)").expect("a formula");
        let run = Run::new();
        let evidence = Evidence::new(&kernel, &x, &y, None, (0.2f64.ln(), (-18.0, 7.0)));
        let at = evidence.start().expect("numbers");
        let (value, gradient) = evidence.loss(&at, &run).expect("a value");
        assert!((value - oracle(&kernel, &x, &y, 0.2)).abs() < tol::round(12) * 100.0, "{value}");
        for k in 0..at.len() {
            let step = f64::EPSILON.cbrt();
            let moved = |by: f64| {
                let mut there = at.clone();
                there[k] += by;
                evidence.loss(&there, &run).expect("a value").0
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            assert!((gradient[k] - difference).abs() <= tol::GRAD * difference.abs().max(1.0), "{k}: {}", gradient[k]);
        }
    }

    /// Every row left out in turn, by the oracle's elimination.
    #[test]
    fn rows_that_are_left_out_are_missed_by_as_much() {
        let (x, y) = data();
        let kernel = KernelExpr::parse("rbf(length_scale=1.2)").expect("a formula");
        let Inputs::Dense(rows) = &x else { panic!("dense rows") };
        let k = |i: usize, j: usize| kernel.at(rows.row(i), rows.row(j)).expect("a value");
        let missed = |out: usize, o: usize| {
            let rest: Vec<usize> = (0..12).filter(|i| *i != out).collect();
            let entry = |i: usize, j: usize| k(i, j) + if i == j { 0.3 } else { 0.0 };
            let mut a: Vec<f64> =
                rest.iter().flat_map(|i| rest.iter().map(|j| entry(*i, *j)).collect::<Vec<_>>()).collect();
            let mut b: Vec<f64> = rest.iter().map(|i| y.row(*i)[o]).collect();
            cholesky_in_place_with_jitter(&mut a, 11, &Run::new()).expect("positive definite");
            solve_cholesky(&a, 11, &mut b, 1, &Run::new()).expect("solved");
            y.row(out)[o] - rest.iter().zip(&b).map(|(i, b)| k(*i, out) * b).sum::<f64>()
        };
        let square = |o: usize| (0..12).map(|i| missed(i, o).powi(2)).sum::<f64>();
        let whole = |o: usize| (0..12).map(|i| y.row(i)[o].powi(2)).sum::<f64>();
        let expected = 0.5 * (square(0) / whole(0) + square(1) / whole(1));
        let evidence = Evidence::new(&kernel, &x, &y, None, (0.0, (-18.0, 7.0)));
        let found = evidence.leave_one_out(&[0.3], &Run::new()).expect("a number");
        assert!((found - expected).abs() <= tol::SOLVED * expected, "{found} {expected}");
        assert!(evidence.leave_one_out(&[0.3, 0.01], &Run::new()).expect("a number") <= found);
    }

    #[test]
    fn a_weight_means_repetition() {
        let (x, y) = data();
        let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
        let weights = Weights::new((0..12).map(|i| f64::from(1 + i % 3)).collect::<Vec<_>>()).expect("weights");
        let rows: Vec<usize> = (0..12).flat_map(|i| vec![i; 1 + i % 3]).collect();
        let values: Vec<f64> = rows.iter().flat_map(|i| y.row(*i).to_vec()).collect();
        let (many, targets) = (x.take(&rows), Targets::new(values, 2).expect("targets"));
        let (start, run) = ((0.3f64.ln(), (-18.0, 7.0)), Run::new());
        let weighted = Evidence::new(&kernel, &x, &y, Some(&weights), start);
        let repeated = Evidence::new(&kernel, &many, &targets, None, start);
        let at = weighted.start().expect("numbers");
        let (a, b) = (weighted.loss(&at, &run).expect("a value"), repeated.loss(&at, &run).expect("a value"));
        assert!((a.0 - b.0).abs() < 1e-12, "{} {}", a.0, b.0);
        assert!(a.1.iter().zip(&b.1).all(|(a, b)| (a - b).abs() < 1e-11), "{:?} {:?}", a.1, b.1);
    }
}
