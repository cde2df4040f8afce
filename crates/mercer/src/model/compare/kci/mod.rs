//! KCI: are two variables independent given a third?
//!
//! `width` holds the rules for Gaussian kernels, `conditioning` what is computed once for a conditioning set.

mod conditioning;
mod width;

pub use conditioning::Conditioning;
pub use width::Width;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{DenseGram, KernelMatrix, Resolution, dense};
use crate::kernel::KernelExpr;
use crate::linalg::dot;
use crate::run::Run;

use super::judge::{Draws, judge};
use super::multipliers::{Kind, Multipliers};
use super::product::{Entrywise, StoredRows};
use super::result::{Approximation, Ended, Estimate, Null, TestResult, TestedKernel};
use super::tail;
use super::variable::{Centred, Variable, common_rows, sum_of_rows};
use conditioning::Residual;
use width::standardized;

/// A variable of [`Kci`]: points, with a kernel of their own or, of numbers, one by the width rule.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its values, one a row.
    pub points: &'a Inputs,
    /// Its kernel, on the values as they are; without one, columns of numbers are standardised and the width rule applies.
    pub kernel: Option<&'a KernelExpr>,
}

impl Side<'_> {
    fn gram(
        &self,
        width: Width,
        given: Option<usize>,
        name: &str,
        run: &Run,
    ) -> Result<(DenseGram, KernelExpr, Vec<Resolution>)> {
        if let Some(kernel) = self.kernel {
            let (kernel, found, gram) = Variable::new(self.points, kernel).gram(run)?;
            return Ok((gram, kernel, found));
        }
        let rows = standardized(self.points, name)?;
        let kernel = width.kernel(&rows, given, run)?;
        Ok((dense(&kernel.bind(&rows.into(), run)?, run)?, kernel, Vec::new()))
    }
}

/// What [`Kci`] compares its statistic with: two forms of the same limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum KciNull {
    /// A gamma distribution with the mean and variance of the limit.
    #[default]
    Gamma,
    /// Draws of the limit itself: zᵀWz with normal z is Σ λᵢ(W)zᵢ².
    Spectrum(Draws),
}

/// The kernel test of conditional independence (Zhang, Peters, Janzing & Schölkopf 2011, *Kernel-based conditional independence test and
/// application in causal discovery*, UAI).
///
/// With K̃ = HKH, R = ε(K̃_z + εI)⁻¹, K_{X|Z} = R·K̃_{(x,z)}·R and K_{Y|Z} = R·K̃_y·R, the statistic is Σᵢⱼ Wᵢⱼ of
/// W = K_{X|Z}∘K_{Y|Z}. Under the null it is about Σ λᵢ(W)zᵢ² with normal z, whose mean tr W and variance 2ΣWᵢⱼ² fit a gamma
/// distribution: no eigenvalue is computed. For large samples; not exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kci {
    /// What the statistic is compared with.
    pub null: KciNull,
    /// ε > 0: how much of a function is taken for noise around a function of Z.
    pub epsilon: f64,
    /// The rule for Gaussian kernels.
    pub width: Width,
}

impl Default for Kci {
    fn default() -> Self {
        Kci { null: KciNull::Gamma, epsilon: 1e-3, width: Width::default() }
    }
}

impl Kci {
    /// Prepares Z once, for any number of pairs.
    pub fn given(&self, z: Side<'_>, run: &Run) -> Result<Conditioning> {
        Conditioning::new(self, &z, run)
    }

    /// Tests whether X and Y are independent, without conditions: Σᵢⱼ K̃ᵢⱼL̃ᵢⱼ with a gamma distribution of mean tr K̃·tr L̃/n and
    /// variance 2·ΣK̃ᵢⱼ²·ΣL̃ᵢⱼ²/n².
    pub fn without_conditions(&self, x: Side<'_>, y: Side<'_>, run: &Run) -> Result<TestResult> {
        self.check()?;
        let placeholder = KernelExpr::default();
        common_rows(&[Variable::new(x.points, &placeholder), Variable::new(y.points, &placeholder)], &["X", "Y"])?;
        let side = |side: &Side<'_>, name: &str| -> Result<(Centred, TestedKernel)> {
            let (gram, kernel, found) = side.gram(self.width, None, name, run)?;
            let said = TestedKernel::new(name, kernel.to_string(), found);
            Ok((Centred::of_gram(gram, kernel, Vec::new(), run)?, said))
        };
        let ((k, of_x), (l, of_y)) = (side(&x, "X")?, side(&y, "Y")?);
        let n = k.n() as f64;
        let statistic = run.install(|| sum_of_rows(k.n(), |i| dot(k.gram.row(i), l.gram.row(i))));
        let mean = k.sums.trace * l.sums.trace / n;
        let variance = 2.0 * k.sums.squares * l.sums.squares / (n * n);
        let formula = "Σᵢⱼ (HK_xH)ᵢⱼ(HK_yH)ᵢⱼ";
        let fitted = Fitted { statistic, mean, variance, formula };
        Ok(fitted.result("the two variables are independent", k.n(), vec![of_x, of_y]))
    }

    fn check(&self) -> Result<()> {
        if let KciNull::Spectrum(draws) = &self.null {
            draws.check("KCI")?;
        }
        match self.epsilon > 0.0 && self.epsilon.is_finite() {
            true => Ok(()),
            false => Err(Error::invalid("KCI", "epsilon", self.epsilon, "> 0")),
        }
    }

    /// Statistic, mean and variance from W = K_{X|Z}∘K_{Y|Z}.
    fn judged(&self, k: &Residual, l: &Residual, kernels: Vec<TestedKernel>, run: &Run) -> Result<TestResult> {
        let n = k.n;
        let statistic = run.install(|| sum_of_rows(n, |i| dot(k.row(i), l.row(i))));
        let squares = run.install(|| sum_of_rows(n, |i| squares(k.row(i), l.row(i))));
        let mean = (0..n).map(|i| k.row(i)[i] * l.row(i)[i]).sum();
        run.task("conditional", None).step_or_cancel()?;
        let formula = "Σᵢⱼ (K_{X|Z})ᵢⱼ(K_{Y|Z})ᵢⱼ, K_{X|Z} = R·HK_{(x,z)}H·R, R = ε(HK_zH + εI)⁻¹";
        let fitted = Fitted { statistic, mean, variance: 2.0 * squares, formula };
        let result = fitted.result("the two variables are independent given the third", n, kernels);
        match &self.null {
            KciNull::Gamma => Ok(result),
            KciNull::Spectrum(draws) => spectrum(result, &Entrywise(k, l), draws, run),
        }
    }
}

/// The same answer, judged by draws of zᵀWz.
fn spectrum(result: TestResult, w: &Entrywise<'_, Residual>, draws: &Draws, run: &Run) -> Result<TestResult> {
    let mut normal = Multipliers::new(w.nrows(), Kind::Normal, draws.seed)?;
    let judged = judge((result.statistic, 0.0), draws, run, |out| normal.forms(w, None, out, run))?;
    Ok(TestResult {
        pvalue: judged.counted.pvalue(),
        null: Null::Spectrum,
        reached: judged.counted.reached,
        resolution: judged.resolution(),
        n_permutations: judged.null.len(),
        stop: judged.stop,
        seed: draws.seed,
        null_distribution: judged.null,
        ..result
    })
}

/// Σⱼ (aⱼbⱼ)², in eight sums.
fn squares(a: &[f64], b: &[f64]) -> f64 {
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    for (a, b) in a.chunks(SUMS).zip(b.chunks(SUMS)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += (a * b) * (a * b);
        }
    }
    sums.iter().sum()
}

/// A statistic and the moments of its gamma distribution.
struct Fitted {
    statistic: f64,
    mean: f64,
    variance: f64,
    formula: &'static str,
}

impl Fitted {
    fn result(self, hypothesis: &str, n: usize, kernels: Vec<TestedKernel>) -> TestResult {
        let Fitted { statistic, mean, variance, formula } = self;
        // Where nothing varies, nothing speaks against the null.
        let pvalue = match mean > 0.0 && variance > 0.0 {
            true => tail::gamma(statistic, mean * mean / variance, variance / mean),
            false => 1.0,
        };
        TestResult {
            test: "kci",
            hypothesis: hypothesis.into(),
            statistic,
            estimate: Estimate { name: "biased", symbol: "KCI", formula },
            pvalue,
            null: Null::Gamma,
            null_distribution: Vec::new(),
            reached: 0,
            resolution: 0.0,
            n_permutations: 0,
            stop: Ended::All,
            approximation: Some(Approximation {
                name: "gamma fitted to the mean and variance of the limit",
                pvalue,
                mean: Some(mean),
                variance: Some(variance),
            }),
            sizes: vec![n],
            kernels,
            aggregation: None,
            tolerance: 0.0,
            seed: 0,
            notes: Vec::new(),
        }
    }
}
