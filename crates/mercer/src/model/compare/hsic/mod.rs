//! HSIC: are two variables independent?
//!
//! `statistic` holds the estimates, `factor` the low-rank factors of both variables, `permuted` the statistics of many permutations.

mod factor;
mod permuted;
mod statistic;

pub use statistic::HsicEstimate;

use crate::error::{Error, Result};
use crate::run::Run;

use super::draw::Permutations;
use super::judge::{Draws, Judged, judge};
use super::moments::permutation_moments;
use super::multipliers::{Kind, Multipliers};
use super::orders::{all_permutations, few_permutations, shifted, shifts};
use super::product::Entrywise;
use super::pvalue::count;
use super::result::{Approximation, Ended, Estimate, Null, TestResult, TestedKernel};
use super::tail;
use super::variable::{Centred, Variable, common_rows};

use permuted::Permuted;
use statistic::{Scale, form, rounding};

/// What the statistic is compared with, and for which rows that is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum HsicNull {
    /// Permutations of the second variable, all of them where they are few: exact at every size for rows that may be exchanged, such as
    /// rows drawn independently of each other.
    #[default]
    Permutation,
    /// Shifts of the second variable round a circle: for stationary time series, up to the one jump where the end meets the beginning.
    CircularShift,
    /// Correlated multipliers whose dependence fades within about `lag` rows: for stationary time series whose own dependence fades
    /// faster than that, and large samples.
    WildBootstrap {
        /// ℓ > 0 of the correlation e^(−1/ℓ) between neighbours.
        lag: f64,
    },
    /// A gamma distribution with the exact mean and variance over all permutations: nothing is drawn; approximate.
    Gamma,
}

/// The test of independence by the Hilbert–Schmidt independence criterion (Gretton et al. 2008, *A kernel statistical test of
/// independence*): HSIC = ‖E[φ(x)⊗ψ(y)] − E φ(x)⊗E ψ(y)‖², 0 for independent variables, and with characteristic kernels only for those.
///
/// Each variable has its own kernel, whose rules look at that variable alone.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, model::compare::{Hsic, Variable}};
/// let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 10.0).collect();
/// let y: Vec<f64> = x.iter().map(|x| (2.0 * x).sin()).collect();
/// let inputs = |v: Vec<f64>| Rows::new(v, 40, 1).map(Inputs::from);
/// let (x, y, kernel) = (inputs(x)?, inputs(y)?, KernelExpr::parse("rbf")?);
/// let found = Hsic::default().test(Variable::new(&x, &kernel), Variable::new(&y, &kernel), &Run::new())?;
/// assert_eq!((found.test, found.pvalue), ("hsic", 0.001));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hsic {
    /// Which estimate.
    pub estimate: HsicEstimate,
    /// What it is compared with.
    pub null: HsicNull,
    /// How many draws.
    pub draws: Draws,
}

impl Hsic {
    /// Tests whether two variables of the same rows are independent.
    pub fn test(&self, x: Variable<'_>, y: Variable<'_>, run: &Run) -> Result<TestResult> {
        self.check()?;
        common_rows(&[x, y], &["X", "Y"])?;
        let (k, l) = (Centred::of(&x, run)?, Centred::of(&y, run)?);
        let scale = Scale::new(self.estimate, &k, &l);
        let test = Pair { hsic: self, k: &k, l: &l, scale, form: form(&k, &l, run) };
        match self.null {
            HsicNull::Permutation => test.permuted(run),
            HsicNull::CircularShift => test.shifted(run),
            HsicNull::WildBootstrap { lag } => test.wild(lag, run),
            HsicNull::Gamma => Ok(test.by_formula()),
        }
    }

    fn check(&self) -> Result<()> {
        self.draws.check("HSIC")?;
        match (self.null, self.estimate) {
            (HsicNull::WildBootstrap { .. }, HsicEstimate::Unbiased) => {
                Err(Error::invalid("HSIC", "estimate", "unbiased", "`biased` with the wild bootstrap"))
            }
            _ => Ok(()),
        }
    }
}

/// Two centred variables under test.
struct Pair<'a> {
    hsic: &'a Hsic,
    k: &'a Centred,
    l: &'a Centred,
    scale: Scale,
    /// F of the pairs as they are.
    form: f64,
}

impl Pair<'_> {
    fn n(&self) -> usize {
        self.k.n()
    }

    fn permuted(&self, run: &Run) -> Result<TestResult> {
        let (n, draws) = (self.n(), &self.hsic.draws);
        let permuted = Permuted::new(self.k, self.l, self.scale, run)?;
        if let Some(all) = few_permutations(n, draws.n_permutations) {
            return self.enumerated(&permuted, all, run);
        }
        let mut permutations = Permutations::new(n as u32, draws.seed);
        let draw = |out: &mut [f64]| {
            let orders: Vec<u32> = permutations.by_ref().take(out.len()).flatten().collect();
            permuted.values(&orders, out, run)
        };
        let judged = judge((permuted.observed(run)?, permuted.tolerance()), draws, run, draw)?;
        Ok(self.drawn(judged, Null::Permutation, permuted.tolerance()))
    }

    /// All permutations: p is exact.
    fn enumerated(&self, permuted: &Permuted<'_>, all: usize, run: &Run) -> Result<TestResult> {
        let mut null = vec![0.0; all];
        permuted.values(&all_permutations(self.n()), &mut null, run)?;
        let counted = count(null[0], &null, permuted.tolerance(), None);
        let judged = Judged { null, counted, stop: Ended::All };
        let mut result = self.drawn(judged, Null::Enumeration, permuted.tolerance());
        result.pvalue = counted.reached as f64 / counted.of as f64;
        result.resolution = 1.0 / all as f64;
        Ok(result)
    }

    fn shifted(&self, run: &Run) -> Result<TestResult> {
        let (n, draws) = (self.n(), &self.hsic.draws);
        let permuted = Permuted::new(self.k, self.l, self.scale, run)?;
        let shifts = shifts(n, draws.n_permutations, draws.seed);
        let draws = Draws { n_permutations: shifts.len(), ..*draws };
        let mut left = shifts.into_iter();
        let draw = |out: &mut [f64]| {
            let orders: Vec<u32> = left.by_ref().take(out.len()).flat_map(|by| shifted(n, by)).collect();
            permuted.values(&orders, out, run)
        };
        let judged = judge((permuted.observed(run)?, permuted.tolerance()), &draws, run, draw)?;
        Ok(TestResult { approximation: None, ..self.drawn(judged, Null::CircularShift, permuted.tolerance()) })
    }

    /// T_b = wᵀ(K̃∘L̃)w/n².
    fn wild(&self, lag: f64, run: &Run) -> Result<TestResult> {
        let (n, draws) = (self.n(), &self.hsic.draws);
        let h = Entrywise(&self.k.gram, &self.l.gram);
        let mut multipliers = Multipliers::new(n, Kind::Correlated(lag), draws.seed)?;
        // Products of two numbers of size 1 or so that meet n² entries.
        let tolerance = 2.0 * self.scale.error(rounding(self.k, self.l));
        let draw = |out: &mut [f64]| {
            multipliers.forms(&h, None, out, run)?;
            out.iter_mut().for_each(|form| *form = self.scale.value(*form, 0.0));
            Ok(())
        };
        let judged = judge((self.statistic(), tolerance), draws, run, draw)?;
        Ok(TestResult { approximation: None, ..self.drawn(judged, Null::WildBootstrap, tolerance) })
    }

    fn by_formula(&self) -> TestResult {
        let nothing = Judged { null: Vec::new(), counted: count(0.0, &[], 0.0, None), stop: Ended::All };
        let mut result = self.drawn(nothing, Null::Gamma, 0.0);
        result.pvalue = result.approximation.as_ref().map_or(1.0, |a| a.pvalue);
        result.resolution = 0.0;
        result
    }

    fn statistic(&self) -> f64 {
        let diagonal = self.k.diagonal.iter().zip(&self.l.diagonal).map(|(k, l)| k * l).sum();
        self.scale.value(self.form, diagonal)
    }

    /// By the gamma distribution of the exact moments of F/n².
    fn approximation(&self) -> Option<Approximation> {
        let moments = permutation_moments(&self.k.sums, &self.l.sums)?;
        let squared = (self.n() * self.n()) as f64;
        let [mean, variance] = [moments.mean, moments.variance];
        // A variable that does not vary makes every value 0.
        let pvalue = match mean > 0.0 && variance > 0.0 {
            true => tail::gamma(self.form, mean * mean / variance, variance / mean),
            false => 1.0,
        };
        Some(Approximation {
            name: "gamma fitted to the exact permutation mean and variance of the biased estimate",
            pvalue,
            mean: Some(mean / squared),
            variance: Some(variance / (squared * squared)),
        })
    }

    fn drawn(&self, judged: Judged, null: Null, tolerance: f64) -> TestResult {
        TestResult {
            test: "hsic",
            hypothesis: "the two variables are independent".into(),
            statistic: self.statistic(),
            estimate: estimate(self.hsic.estimate),
            pvalue: judged.counted.pvalue(),
            null,
            reached: judged.counted.reached,
            resolution: judged.resolution(),
            n_permutations: judged.null.len(),
            stop: judged.stop,
            approximation: self.approximation(),
            sizes: vec![self.n()],
            kernels: [("X", self.k), ("Y", self.l)]
                .map(|(of, v)| TestedKernel::new(of, v.kernel.to_string(), v.found.clone()))
                .into(),
            aggregation: None,
            tolerance,
            seed: self.hsic.draws.seed,
            notes: Vec::new(),
            null_distribution: judged.null,
        }
    }
}

fn estimate(estimate: HsicEstimate) -> Estimate {
    let formula = match estimate {
        HsicEstimate::Biased => "tr(KHLH)/n², H = I − 11ᵀ/n",
        HsicEstimate::Unbiased => {
            "[tr(K⁰L⁰) + 1ᵀK⁰1·1ᵀL⁰1/((n−1)(n−2)) − 2·1ᵀK⁰L⁰1/(n−2)]/(n(n−3)), diagonals of K⁰ and L⁰ set to 0"
        }
    };
    Estimate { name: estimate.name(), symbol: "HSIC", formula }
}
