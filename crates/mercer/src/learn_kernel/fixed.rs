//! The evidence of a kernel that stays as it is, as a function of alpha alone.
//!
//! With √W·K·√W = U·diag(λ)·Uᵀ and z = Uᵀ√W·y, one decomposition gives the L of [`super::Evidence`] for every α:
//!
//! L = ½ log(Σ zₗ²/(λₗ + α)/N) + (Σ log(λₗ + α) + (N − n)·log α)/(2N),
//!
//! averaged over the outputs; N is the sum of the weights. A factor for every α that a search asks for costs more from the third on.

use crate::data::{Inputs, Targets, Weights};
use crate::error::Result;
use crate::gram::dense;
use crate::kernel::KernelExpr;
use crate::metric::Times;
use crate::model::Criterion;
use crate::run::Run;
use crate::solver::SpectralRidge;

/// A kernel's evidence on data, as a function of log α: −L.
pub(super) struct FixedEvidence<'a> {
    ridge: SpectralRidge,
    y: &'a Targets,
    weights: Option<&'a Weights>,
    /// Where log α begins, and its ends.
    log_alpha: (f64, (f64, f64)),
}

impl<'a> FixedEvidence<'a> {
    /// Of a kernel without rules. Targets should have mean 0; weights are positive, one a row.
    pub(super) fn new(
        kernel: &KernelExpr,
        x: &Inputs,
        y: &'a Targets,
        weights: Option<&'a Weights>,
        log_alpha: (f64, (f64, f64)),
        run: &Run,
    ) -> Result<Self> {
        let (n, c) = (x.len(), y.outputs());
        let mut k = dense::<f64>(&kernel.bind(x, run)?, run)?.into_values();
        let mut z = y.values().to_vec();
        if let Some(weights) = weights {
            let root: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
            for (i, row) in k.chunks_mut(n).enumerate() {
                row.iter_mut().zip(&root).for_each(|(k, r)| *k *= root[i] * r);
            }
            z.iter_mut().enumerate().for_each(|(at, z)| *z *= root[at / c]);
        }
        Ok(FixedEvidence { ridge: SpectralRidge::new(&mut k, n, &z, None, run)?, y, weights, log_alpha })
    }

    /// As [`super::Evidence::leave_one_out`].
    pub(super) fn leave_one_out(&self, alphas: &[f64], run: &Run) -> Result<f64> {
        let (n, c) = (self.y.nrows(), self.y.outputs());
        let times = Times::new(n, self.weights);
        let alphas: Vec<f64> = alphas.iter().copied().filter(|alpha| !self.ridge.is_zero(*alpha)).collect();
        if alphas.is_empty() {
            return Ok(f64::INFINITY);
        }
        let (beta, spreads) = (self.ridge.solve(&alphas, run)?, self.ridge.spread(&alphas, run)?);
        let root = |i: usize| self.weights.map_or(1.0, |w| w[i].sqrt());
        let whole = |o: usize| times.mean((0..n).map(|i| self.y.row(i)[o].powi(2))).max(f64::MIN_POSITIVE);
        let score = |(a, spread): (usize, &crate::solver::Spread)| {
            let residual = |i: usize, o: usize| beta[(i * alphas.len() + a) * c + o] / (root(i) * spread.diagonal[i]);
            let missed = |o: usize| times.mean((0..n).map(|i| residual(i, o).powi(2)));
            (0..c).map(|o| missed(o) / whole(o)).sum::<f64>() / c as f64
        };
        Ok(spreads.iter().enumerate().map(score).fold(f64::INFINITY, |least, s| if s < least { s } else { least }))
    }

    /// L at log α, and its derivative; infinite where α is lost in the rounding of K.
    fn loss(&self, log_alpha: f64) -> (f64, f64) {
        let (n, c, alpha) = (self.y.nrows() as f64, self.y.outputs(), log_alpha.exp());
        if self.ridge.is_zero(alpha) {
            return (f64::INFINITY, 0.0);
        }
        let total = self.weights.map_or(n, Weights::total);
        let repeated = (total - n) / (2.0 * total);
        let (mut value, mut slope) = (repeated * log_alpha, repeated);
        for v in self.ridge.eigenvalues() {
            let shifted = v.max(0.0) + alpha;
            value += shifted.ln() / (2.0 * total);
            slope += alpha / shifted / (2.0 * total);
        }
        for o in 0..c {
            let of = self.ridge.eigenvalues().iter().zip(self.ridge.coordinates().iter().skip(o).step_by(c));
            let (mut q, mut dq) = (0.0, 0.0);
            for (v, z) in of {
                let shifted = v.max(0.0) + alpha;
                q += z * (z / shifted);
                dq += z * (z / shifted) * (alpha / shifted);
            }
            let q = q.max(f64::MIN_POSITIVE);
            value += 0.5 * (q / total).max(f64::MIN_POSITIVE).ln() / c as f64;
            slope -= 0.5 * (dq / q) / c as f64;
        }
        (value, slope)
    }
}

impl Criterion for FixedEvidence<'_> {
    fn names(&self) -> Vec<String> {
        vec!["alpha".to_owned()]
    }

    fn start(&self) -> Result<Vec<f64>> {
        Ok(vec![self.log_alpha.0])
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![self.log_alpha.1]
    }

    fn in_units(&self, _: usize, theta: f64) -> f64 {
        theta.exp()
    }

    fn value_and_gradient(&self, at: &[f64], _: &Run) -> Result<(f64, Vec<f64>)> {
        let (value, slope) = self.loss(at[0]);
        Ok((-value, vec![-slope]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::*;
    use crate::data::Rows;
    use crate::testkit::tol;

    /// Values, derivatives and leave-one-out are those by Cholesky factors, with and without weights.
    #[test]
    fn it_is_the_evidence_by_factors() {
        let x: Vec<f64> = (0..80).map(|i| f64::from((i * 37) % 79) / 17.0).collect();
        let y: Vec<f64> = x.chunks(2).flat_map(|p| [p[0].sin() - 0.2, p[1] - 0.3 * p[0]]).collect();
        let x: Inputs = Rows::new(x, 40, 2).expect("rows").into();
        let y = Targets::new(y, 2).expect("targets");
        let kernel = KernelExpr::parse("rbf(length_scale=1.3) + 0.2*linear").expect("a formula").with_free(false);
        let weights = Weights::new((0..40).map(|i| f64::from(1 + i % 3) / 2.0).collect::<Vec<_>>()).expect("weights");
        let run = Run::new();
        for weights in [None, Some(&weights)] {
            let log_alpha = (0.1f64.ln(), (-18.0, 7.0));
            let by_factors = Evidence::new(&kernel, &x, &y, weights, log_alpha);
            let at_once = FixedEvidence::new(&kernel, &x, &y, weights, log_alpha, &run).expect("a decomposition");
            for alpha in [1e-4f64, 0.03, 2.0, 500.0] {
                let [(a, da), (b, db)] = [&by_factors as &dyn Criterion, &at_once]
                    .map(|e| e.value_and_gradient(&[alpha.ln()], &run).expect("a value"));
                assert!((a - b).abs() <= tol::SOLVED * a.abs().max(1.0), "{alpha}: {a} {b}");
                assert!((da[0] - db[0]).abs() <= tol::SOLVED * da[0].abs().max(1.0), "{alpha}: {da:?} {db:?}");
                let [a, b] = [by_factors.leave_one_out(&[alpha], &run), at_once.leave_one_out(&[alpha], &run)]
                    .map(|found| found.expect("a number"));
                assert!((a - b).abs() <= tol::SOLVED * a, "{alpha}: {a} {b}");
            }
        }
    }
}
