//! The maximum mean discrepancy: do two samples come from one distribution?

use serde::{Deserialize, Serialize};

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::kernel::property::Standing;
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;

use super::family::{family, plain};
use super::result::{Estimate, TestResult, TestedKernel};
use super::witness::Witness;
use super::{linear, permuted, wild};

/// The two-sample test of Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A kernel two-sample test*, Journal of Machine
/// Learning Research 13.
///
/// **Statistic** MMD² = ‖μ_X − μ_Y‖², the squared distance of the mean embeddings, by one of the [`MmdEstimate`]s.
///
/// **Null** permutations of the pooled rows, all of them where there are no more than `n_permutations`; the normal distribution
/// for the linear-time and block estimates; multipliers with a memory for time series.
///
/// **Several kernels** are fused (Biggs, Schrab & Gretton 2023, *MMD-FUSE*, Advances in Neural Information Processing Systems 36):
/// T = (1/λ) ln meanₖ exp(λ·MMD²ₖ/√νₖ), where νₖ is the mean of k² over different rows and λ² = s(s − 1), s the smaller size. All
/// are judged by the same permutations, so the p-value needs no correction. Without kernels given, a family by the types
/// of the columns is found in the data: one kernel with one length scale misses differences on other scales.
///
/// **Cost** N²/2 kernel values and N²B/8 additions for N rows and B permutations, in O(N·B) bits of memory.
///
/// ```
/// use mercer::{Run, data::{Inputs, Rows}, model::compare::Mmd};
/// let column = |f: fn(f64) -> f64| (0..40).map(|i| f(f64::from(i))).collect::<Vec<f64>>();
/// let numbers = |f: fn(f64) -> f64| Rows::new(column(f), 40, 1).map(Inputs::from);
/// let (x, y) = (numbers(|i| (7.1 * i).sin())?, numbers(|i| (3.7 * i).sin() + 1.0)?);
/// let compared = Mmd::default().test(&x, &y, &Run::new())?;
/// assert_eq!(compared.result.pvalue, 0.001);
/// assert_eq!(compared.result.resolution, 0.001);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mmd {
    /// The kernels; none for a family found in the data.
    pub kernels: Vec<KernelExpr>,
    /// How MMD² is estimated.
    pub estimate: MmdEstimate,
    /// How many permutations are drawn; all are taken where there are no more.
    pub n_permutations: usize,
    /// Stop drawing when so many permutations reach the statistic: then p is large, and known well enough.
    pub enough: Option<usize>,
    /// Rows are times of two series whose dependence fades within about so many rows: multipliers instead of permutations.
    pub lag: Option<f64>,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for Mmd {
    fn default() -> Self {
        Mmd {
            kernels: Vec::new(),
            estimate: MmdEstimate::Unbiased,
            n_permutations: 999,
            enough: None,
            lag: None,
            seed: 0,
        }
    }
}

/// Estimates of MMD², with m rows of X and n of Y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MmdEstimate {
    /// Σ_{i≠j}k(xᵢ, xⱼ)/(m(m−1)) + Σ_{i≠j}k(yᵢ, yⱼ)/(n(n−1)) − 2Σk(xᵢ, yⱼ)/(mn): negative as often as positive where nothing differs.
    #[default]
    Unbiased,
    /// Σk(xᵢ, xⱼ)/m² + Σk(yᵢ, yⱼ)/n² − 2Σk(xᵢ, yⱼ)/(mn), which is never negative.
    Biased,
    /// The mean of k(x₁, x₂) + k(y₁, y₂) − k(x₁, y₂) − k(x₂, y₁) over pairs of neighbouring rows, in O(n).
    Linear,
    /// The mean of the unbiased estimate over blocks of about √n rows, in O(n^1.5).
    Block,
}

impl MmdEstimate {
    /// All of them.
    pub const ALL: [MmdEstimate; 4] =
        [MmdEstimate::Unbiased, MmdEstimate::Biased, MmdEstimate::Linear, MmdEstimate::Block];

    /// Its name, as faces take it.
    pub fn name(self) -> &'static str {
        self.describe().name
    }

    /// The estimate of this name.
    pub fn by_name(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|e| e.name() == name);
        known.ok_or_else(|| Error::invalid("MMD", "estimate", name, "`unbiased`, `biased`, `linear` or `block`"))
    }

    /// Name, symbol and formula.
    pub fn describe(self) -> Estimate {
        let (name, formula) = match self {
            MmdEstimate::Unbiased => {
                ("unbiased", "Σ_{i≠j}k(xᵢ,xⱼ)/(m(m−1)) + Σ_{i≠j}k(yᵢ,yⱼ)/(n(n−1)) − 2Σk(xᵢ,yⱼ)/(mn)")
            }
            MmdEstimate::Biased => ("biased", "Σk(xᵢ,xⱼ)/m² + Σk(yᵢ,yⱼ)/n² − 2Σk(xᵢ,yⱼ)/(mn)"),
            MmdEstimate::Linear => {
                ("linear", "the mean of k(x₁,x₂) + k(y₁,y₂) − k(x₁,y₂) − k(x₂,y₁) over pairs of rows")
            }
            MmdEstimate::Block => ("block", "the mean of the unbiased estimate over blocks of rows"),
        };
        Estimate { name, symbol: "MMD²", formula }
    }

    fn is_normal(self) -> bool {
        matches!(self, MmdEstimate::Linear | MmdEstimate::Block)
    }
}

/// The answer of [`Mmd::test`]: the result, and where the samples differ.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The result of the test.
    pub result: TestResult,
    /// The witness function of the kernel that shows the difference best.
    pub witness: Witness,
}

impl Mmd {
    /// Tests whether x and y come from one distribution; they have the same columns.
    pub fn test(&self, x: &Inputs, y: &Inputs, run: &Run) -> Result<Compared> {
        self.test_pooled(&pool(x, y)?, x.len(), run)
    }

    /// The same for one set whose first m rows are x and the others y; the way for a precomputed matrix of all rows.
    pub fn test_pooled(&self, z: &Inputs, m: usize, run: &Run) -> Result<Compared> {
        self.validate(z.len(), m)?;
        let (spaces, mut notes) = self.spaces(z, run)?;
        let samples = Samples { z, m, spaces: &spaces };
        let (mut result, best) = match (self.estimate, self.lag) {
            (MmdEstimate::Linear | MmdEstimate::Block, _) => linear::test(self, &samples, run)?,
            (_, Some(lag)) => wild::test(self, lag, &samples, run)?,
            _ => permuted::test(self, &samples, run)?,
        };
        notes.append(&mut result.notes);
        result.notes = notes;
        let witness = Witness::new(&spaces[best], z, m)?;
        Ok(Compared { result, witness })
    }

    fn validate(&self, rows: usize, m: usize) -> Result<()> {
        let n = rows.saturating_sub(m);
        for (name, size) in [("X", m), ("Y", n)] {
            if size < 2 {
                return Err(Error::shape(format!("the sample `{name}`"), "at least 2 rows", size));
            }
        }
        if u32::try_from(rows).is_err() {
            return Err(Error::shape("both samples", "fewer than 2³² rows", rows));
        }
        if self.n_permutations == 0 && !self.estimate.is_normal() {
            return Err(Error::invalid("MMD", "n_permutations", 0, "at least 1"));
        }
        if self.enough == Some(0) {
            return Err(Error::invalid("MMD", "enough", 0, "at least 1"));
        }
        self.validate_lag(m, n)
    }

    fn validate_lag(&self, m: usize, n: usize) -> Result<()> {
        let Some(lag) = self.lag else { return Ok(()) };
        if !(lag >= 0.0 && lag.is_finite()) {
            return Err(Error::invalid("MMD", "lag", lag, "a finite number ≥ 0"));
        }
        if m != n {
            return Err(Error::shape("the sample `Y`", format!("{m} rows, as `X` has, since rows are times"), n));
        }
        match self.estimate.is_normal() {
            true => Err(Error::Unsupported {
                what: format!("the {} estimate for rows that remember each other", self.estimate.name()),
                alternative: "leave `lag` out, or ask for the biased estimate".into(),
            }),
            false => Ok(()),
        }
    }

    /// The spaces of the kernels, with numbers in place of rules.
    fn spaces(&self, z: &Inputs, run: &Run) -> Result<(Vec<Space>, Vec<Note>)> {
        let kernels = match (self.kernels.is_empty(), self.estimate.is_normal()) {
            (false, _) => self.kernels.clone(),
            (true, true) => vec![plain(z)?],
            (true, false) => family(z, run)?,
        };
        if self.estimate.is_normal() && kernels.len() > 1 {
            return Err(Error::Unsupported {
                what: format!("the {} estimate with {} kernels", self.estimate.name(), kernels.len()),
                alternative: "give one kernel, or ask for the unbiased estimate".into(),
            });
        }
        let spaces = kernels.iter().map(|k| Space::new(k, z, run)).collect::<Result<Vec<_>>>()?;
        let indefinite = spaces.iter().any(|s| s.kernel().standing() == Standing::Indefinite);
        let note =
            "the kernel is not positive definite: MMD² is then no squared distance, and the test may miss differences";
        Ok((spaces, if indefinite { vec![note.into()] } else { Vec::new() }))
    }
}

/// Two samples in one set, and the spaces they are compared in.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    pub(super) z: &'a Inputs,
    pub(super) m: usize,
    pub(super) spaces: &'a [Space],
}

impl Samples<'_> {
    /// Rows of the second sample.
    pub(super) fn n(&self) -> usize {
        self.z.len() - self.m
    }

    /// A kernel as results name it.
    pub(super) fn tested(&self, k: usize) -> TestedKernel {
        let space = &self.spaces[k];
        TestedKernel::new("", space.kernel().to_string(), space.resolutions().to_vec())
    }
}

/// All rows of two samples with the same columns, those of x first.
pub fn pool(x: &Inputs, y: &Inputs) -> Result<Inputs> {
    if matches!(x, Inputs::Precomputed(_)) || matches!(y, Inputs::Precomputed(_)) {
        return Err(Error::Unsupported {
            what: "two precomputed matrices".into(),
            alternative: "give one matrix of all rows, and say how many belong to the first sample".into(),
        });
    }
    same_columns(x, y)?;
    // Columns of tables are told by their names, not by their order.
    let ordered = match (x, y) {
        (Inputs::Table(a), Inputs::Table(b)) => b.select(a.names())?.into(),
        _ => y.clone(),
    };
    Inputs::concatenate(&[x.clone(), ordered])
}

/// Says which column is missing, or of another type.
fn same_columns(x: &Inputs, y: &Inputs) -> Result<()> {
    let (Inputs::Table(a), Inputs::Table(b)) = (x, y) else {
        let width = |z: &Inputs| format!("{} with {} columns", z.describe(), z.columns().len());
        if x.columns().len() != y.columns().len() || x.describe() != y.describe() {
            return Err(Error::shape("the sample `Y`", width(x), width(y)));
        }
        return match x.columns() == y.columns() {
            true => Ok(()),
            false => Err(Error::shape("the sample `Y`", "the names of columns that `X` has", "others")),
        };
    };
    for (one, other, place) in [(a, b, "Y"), (b, a, "X")] {
        for (name, column) in one.iter() {
            let (found, wanted) = (other.column(name), column.column_type());
            if found.is_some_and(|f| f.column_type() == wanted) {
                continue;
            }
            let got = found.map_or_else(|| "no such column".to_owned(), |f| f.column_type().to_string());
            let hint = "give both samples the same columns with the same types";
            return Err(Error::column(name, format!("{wanted} in both samples"), format!("{got} in `{place}`"), hint));
        }
    }
    Ok(())
}
