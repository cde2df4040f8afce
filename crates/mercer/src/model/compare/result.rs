//! What every test answers.

use std::fmt;

use serde::Serialize;

use crate::gram::Resolution;
use crate::note::Note;
use crate::run::StopReason;

/// The answer of a test.
///
/// Faces print [`sentence`](Self::sentence), and show the fields by these names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestResult {
    /// The name of the test, such as `mmd`.
    pub test: &'static str,
    /// The hypothesis that a small p-value speaks against, in words: `the two samples come from one distribution`.
    pub hypothesis: String,
    /// The statistic of the data, normalised as `estimate` says.
    pub statistic: f64,
    /// Which estimate the statistic is.
    pub estimate: Estimate,
    /// The p-value.
    pub pvalue: f64,
    /// What the statistic was compared with.
    pub null: Null,
    /// The statistics under the null, in the order they were drawn; empty where the null is a formula.
    pub null_distribution: Vec<f64>,
    /// How many of them reach the statistic, ties counted.
    pub reached: usize,
    /// The smallest p-value that could have come out: 1/(B + 1), one over the number of permutations where all were taken, 0 for a
    /// formula.
    pub resolution: f64,
    /// How many permutations, or draws of multipliers, were used; `null_distribution` has as many values.
    pub n_permutations: usize,
    /// Why no more were used.
    pub stop: Ended,
    /// A p-value below the resolution, by a formula that is not exact.
    pub approximation: Option<Approximation>,
    /// Rows of each sample; one number where there is one sample.
    pub sizes: Vec<usize>,
    /// The kernels that were used, without rules.
    pub kernels: Vec<TestedKernel>,
    /// How several kernels became one statistic; nothing for a single kernel.
    pub aggregation: Option<&'static str>,
    /// Values of the null distribution so far below the statistic count as ties: twice the bound of their rounding.
    pub tolerance: f64,
    /// The seed of all chance.
    pub seed: u64,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// Which estimate a statistic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Its name, as faces take it: `unbiased`, `biased`, ….
    pub name: &'static str,
    /// What is estimated, as it stands in sentences: `MMD²`, `HSIC`.
    pub symbol: &'static str,
    /// Its formula with its normalisation.
    pub formula: &'static str,
}

/// What a statistic is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Null {
    /// Permutations drawn by chance; valid for exchangeable rows whatever the sizes.
    Permutation,
    /// All permutations that make a difference: an exact p-value.
    Enumeration,
    /// Shifts of one variable round a circle; for stationary time series, up to the jump where the end meets the beginning.
    CircularShift,
    /// Multipliers drawn by chance; with correlated ones valid for time series, for large samples.
    WildBootstrap,
    /// A gamma distribution fitted to two moments: approximate.
    Gamma,
    /// A weighted sum of squares of normal numbers, weights from eigenvalues: for large samples.
    Spectrum,
    /// The normal distribution: for large samples.
    Normal,
}

impl Null {
    /// Its name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Null::Permutation => "permutation",
            Null::Enumeration => "enumeration",
            Null::CircularShift => "circular_shift",
            Null::WildBootstrap => "wild_bootstrap",
            Null::Gamma => "gamma",
            Null::Spectrum => "spectrum",
            Null::Normal => "normal",
        }
    }

    /// Whether it is a formula, with nothing drawn.
    pub fn is_formula(self) -> bool {
        matches!(self, Null::Gamma | Null::Normal)
    }
}

/// Why no more permutations were used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// As many as were asked for, or all there are.
    All,
    /// Enough of them reached the statistic: p is large.
    Sequential,
    /// The deadline passed; p comes from those before it.
    Deadline,
    /// An interrupt; p comes from those before it.
    Interrupted,
}

impl Ended {
    /// Its name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Ended::All => "all",
            Ended::Sequential => "sequential",
            Ended::Deadline => "deadline",
            Ended::Interrupted => "interrupted",
        }
    }

    /// Whether the answer is what was asked for.
    pub fn is_complete(self) -> bool {
        matches!(self, Ended::All | Ended::Sequential)
    }
}

impl From<StopReason> for Ended {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Deadline => Ended::Deadline,
            StopReason::Interrupted => Ended::Interrupted,
        }
    }
}

/// A p-value by a formula that is not exact, for where permutations show no difference any more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Approximation {
    /// Which distribution, and what it was fitted to: `gamma fitted to the exact permutation mean and variance`.
    pub name: &'static str,
    /// The approximate p-value.
    pub pvalue: f64,
    /// The exact mean of the statistic over all permutations; nothing for several kernels.
    pub mean: Option<f64>,
    /// The exact variance over all permutations; nothing for several kernels.
    pub variance: Option<f64>,
}

/// A kernel of a test, with what it says by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestedKernel {
    /// What the kernel is for: `X`, `Y`, … where variables have kernels of their own; empty otherwise.
    pub of: String,
    /// The formula, without rules.
    pub kernel: String,
    /// The numbers its rules found.
    pub found: Vec<Resolution>,
    /// The statistic with this kernel alone, where it was computed.
    pub statistic: Option<f64>,
    /// Its p-value if it were the only one asked; not corrected for the others.
    pub pvalue: Option<f64>,
}

impl TestedKernel {
    /// A kernel without a statistic of its own.
    pub fn new(of: &str, kernel: String, found: Vec<Resolution>) -> Self {
        TestedKernel { of: of.into(), kernel, found, statistic: None, pvalue: None }
    }
}

impl TestResult {
    /// The answer as a sentence to read aloud.
    ///
    /// It says what the data show and how well it is known, not whether a hypothesis is to be rejected: that depends on a level.
    pub fn sentence(&self) -> String {
        let (sizes, estimate) = (self.sizes_in_words(), &self.estimate);
        format!(
            "{} = {} ({}, {sizes}), p = {}{}: {}",
            estimate.symbol,
            short(self.statistic),
            estimate.name.replace('_', " "),
            short(self.pvalue),
            self.approximately(),
            self.evidence()
        )
    }

    fn sizes_in_words(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        format!("{} rows", sizes.join(" and "))
    }

    fn approximately(&self) -> String {
        match &self.approximation {
            Some(a) if self.pvalue <= self.resolution => format!(", about {} by a fitted formula", short(a.pvalue)),
            _ => String::new(),
        }
    }

    fn evidence(&self) -> String {
        let (reached, of) = (self.reached, self.n_permutations);
        let end = match self.stop {
            Ended::All => "",
            Ended::Sequential => ", enough to stop",
            Ended::Deadline => ", as many as the deadline left",
            Ended::Interrupted => ", as many as there were before the interrupt",
        };
        match self.null {
            Null::Permutation => format!("{reached} of {of} permutations reach it{end}"),
            Null::Enumeration => format!("{reached} of all {of} permutations reach it"),
            Null::CircularShift => format!("{reached} of {of} shifts reach it{end}"),
            Null::WildBootstrap => format!("{reached} of {of} draws of multipliers reach it{end}"),
            Null::Spectrum => format!("{reached} of {of} draws of its limit reach it{end}"),
            Null::Gamma => "by a gamma distribution fitted to two moments, not exact".into(),
            Null::Normal => "by the normal distribution, for large samples".into(),
        }
    }
}

impl fmt::Display for TestResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

/// Four digits.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e5).contains(&rounded.abs()) { rounded.to_string() } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_reads_aloud() {
        let mut result = TestResult {
            test: "mmd",
            hypothesis: "the two samples come from one distribution".into(),
            statistic: 0.012_345_6,
            estimate: Estimate { name: "unbiased", symbol: "MMD²", formula: "" },
            pvalue: 0.001,
            null: Null::Permutation,
            null_distribution: vec![0.0; 999],
            reached: 0,
            resolution: 0.001,
            n_permutations: 999,
            stop: Ended::All,
            approximation: None,
            sizes: vec![20, 30],
            kernels: Vec::new(),
            aggregation: None,
            tolerance: 0.0,
            seed: 0,
            notes: Vec::new(),
        };
        let said = "MMD² = 0.01235 (unbiased, 20 and 30 rows), p = 0.001: 0 of 999 permutations reach it";
        assert_eq!(result.to_string(), said);
        let name = "gamma fitted to the exact permutation mean and variance";
        result.approximation = Some(Approximation { name, pvalue: 3.21e-17, mean: Some(0.0), variance: Some(1.0) });
        result.stop = Ended::Deadline;
        assert!(result.sentence().contains("p = 0.001, about 3.21e-17 by a fitted formula: "), "{result}");
        assert!(result.sentence().ends_with("0 of 999 permutations reach it, as many as the deadline left"));
    }
}
