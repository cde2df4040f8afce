//! Canonical correlation of two inputs, in their RKHSs.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::{Inputs, TargetKind};
use crate::error::{Error, Result, counted};
use crate::gram::apply;
use crate::kernel::KernelExpr;
use crate::linalg::{LinearOperator, fix_sign, multiply, multiply_first_transposed, multiply_transposed};
use crate::model::{
    Answer, Certified, Expansion, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Report, Sample, SettingSpec,
    SettingValues, Tune, has_kernel,
};
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;
use crate::solver::{TopEigenParams, top_eigen};

use super::pairs::{Pairs, Side};
use super::view::View;

/// What is solved, for the values ξ and ζ of a pair of functions with the coefficients a and b.
const SYSTEM: &str = "alpha·ρ·a = P·(ζ − ρ·ξ), alpha·ρ·b = P·(ξ − ρ·ζ)";
/// Correlations below this are rounding.
const LEAST: f64 = 1e-6;
const TOLERANCE: f64 = 1e-11;

/// The choices of kernel canonical correlation (Bach & Jordan 2002; Fukumizu, Bach, Gretton 2007).
///
/// For two inputs of the same rows, finds pairs of functions f of the first and g of the second with the largest covariance of f(x) and
/// g(z), where var f + alpha·‖f‖² = 1 = var g + alpha·‖g‖², and no covariance with the pairs before. Both inputs are centred in
/// their feature spaces. Each has a kernel of its own; without `second_kernel` the formula is that of the first, with rules
/// resolved on the second. Models answer with the values of f; those of g are [`Model::second`].
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, model::correlate::KernelCca};
/// let x: Inputs = Rows::new(vec![1.0, 2.0, 3.0, 4.0], 4, 1)?.into();
/// let z: Inputs = Rows::new(vec![9.0, 7.0, 5.0, 3.0], 4, 1)?.into(); // 11 − 2x
/// let learner = KernelCca { kernel: KernelExpr::parse("linear")?, components: 1, alpha: 1e-6, ..Default::default() };
/// let fitted = learner.fit(&x, z, None, &Run::new())?;
/// assert!((fitted.report.correlations[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelCca {
    /// The kernel of the first input; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The formula of the kernel of the second input; that of the first without one.
    pub second_kernel: Option<String>,
    /// How many pairs.
    pub components: usize,
    /// Price of the squared norms.
    pub alpha: f64,
}

impl Default for KernelCca {
    fn default() -> Self {
        KernelCca { kernel: KernelExpr::default(), second_kernel: None, components: 2, alpha: 0.01 }
    }
}

impl Tune for KernelCca {}

impl Learn for KernelCca {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "kernel_cca",
        class: "KernelCca",
        summary: "functions of two inputs that are most correlated",
        targets: &[TargetKind::Second],
        answers: &[Answer::Embedding],
        weights: true,
        for_classes: None,
        settings: &[
            SettingSpec {
                name: "second_kernel",
                summary: "the formula of the kernel of the second input; that of the first if it is null",
                values: SettingValues::Other("a kernel formula, or null"),
            },
            SettingSpec { name: "components", summary: "how many pairs of functions", values: SettingValues::Whole(1) },
            SettingSpec { name: "alpha", summary: "price of the squared norms", values: SettingValues::Above(0.0) },
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        if self.components == 0 {
            return Err(Error::invalid(Self::SPEC.title(), "components", 0, "a whole number ≥ 1"));
        }
        if let Some(formula) = &self.second_kernel {
            KernelExpr::parse(formula).map_err(|e| no_formula(formula, &e))?;
        }
        match self.alpha > 0.0 && self.alpha.is_finite() {
            true => Ok(()),
            false => Err(Error::invalid(Self::SPEC.title(), "alpha", self.alpha, "a finite number > 0")),
        }
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let z = second(sample)?;
        let other = match &self.second_kernel {
            Some(formula) => KernelExpr::parse(formula)?,
            None => self.kernel.clone(),
        };
        let other = Space::new(&other, &z, run)?;
        let shares = sample.shares();
        let (kx, kz) = (sample.space.gram(&sample.x, run)?, other.gram(&z, run)?);
        let views = [View::new(&kx, &shares, self.alpha, run)?, View::new(&kz, &shares, self.alpha, run)?];
        let (found, stop) = self.correlate(&views, &shares, run)?;
        let k = found.count;
        let values = |matrix: &dyn crate::gram::KernelMatrix, a: &[f64]| -> Result<Vec<f64>> {
            let mut values = vec![0.0; a.len()];
            apply(matrix, a, k, &mut values, run)?;
            Ok(values)
        };
        let pairs = Pairs {
            first: Side::new(values(&kx, &found.first)?, &found.first, &shares, k),
            second: Side::new(values(&kz, &found.second)?, &found.second, &shares, k),
            shares: &shares,
            count: k,
            alpha: self.alpha,
        };
        let correlations = pairs.correlations();
        let reason = "the largest singular values of both inputs, whitened by factors of their covariances";
        let certificate = Certificate::new(Algorithm::Eigen, reason, stop)
            .of_system(SYSTEM, pairs.residual())
            .with(Measure::Correlation, correlations.first().copied())
            .count(Measure::Rank, views[0].rank.min(views[1].rank));
        let (b, d) = (pairs.first.intercept(), pairs.second.intercept());
        let learner = KernelCca { second_kernel: Some(other.kernel().to_string()), ..self.clone() };
        let model = Model::from_parts(ModelParts {
            learner: learner.with_kernel(sample.space.kernel().clone()).into(),
            expansion: sample.expansion(found.first.clone(), b, None)?,
            weights: None,
            extra: Extra::Second(Expansion::new(other, z, found.second.clone(), d)?),
            certificate,
        })?;
        Ok(Fitted { model, report: Report { correlations, notes: self.notes(k), ..Report::of(sample) } })
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let z = second(sample)?;
        let (k, shares) = (model.outputs(), sample.shares());
        let g = model.second().ok_or_else(|| Error::shape("the model", "functions of two inputs", "one"))?;
        let a: Vec<f64> = of_rows(model.coefficients(), k, sample, model.is_precomputed())?;
        let (mut f_values, mut g_values) = (vec![0.0; sample.n * k], vec![0.0; sample.n * k]);
        apply(&sample.space.gram(&sample.x, run)?, &a, k, &mut f_values, run)?;
        if g.coefficients().len() != g_values.len() {
            return Err(Error::shape("the coefficients of the second input", g_values.len(), g.coefficients().len()));
        }
        apply(&g.space().gram(&z, run)?, g.coefficients(), k, &mut g_values, run)?;
        let pairs = Pairs {
            first: Side::new(f_values, &a, &shares, k),
            second: Side::new(g_values, g.coefficients(), &shares, k),
            shares: &shares,
            count: k,
            alpha: self.alpha,
        };
        let off = [(model.intercept(), pairs.first.intercept()), (g.intercept(), pairs.second.intercept())]
            .iter()
            .flat_map(|(was, is)| was.iter().zip(is).map(|(a, b)| (a - b).abs() / (1.0 + b.abs())))
            .fold(0.0f64, f64::max);
        let certificate = model.certificate().clone().of_system(SYSTEM, pairs.residual().max(off));
        Ok(certificate.with(Measure::Correlation, pairs.correlations().first().copied()).into())
    }
}

/// Coefficients of pairs of functions, row-major: rows×pairs.
struct Coefficients {
    first: Vec<f64>,
    second: Vec<f64>,
    count: usize,
}

/// The error of a second kernel that does not parse, with the name of the setting.
fn no_formula(formula: &str, error: &Error) -> Error {
    let problem = error.to_string();
    let problem = problem.lines().next().unwrap_or_default();
    Error::invalid(KernelCca::SPEC.title(), "second_kernel", format!("`{formula}`"), format!("a formula: {problem}"))
}

impl KernelCca {
    /// The pairs of largest covariance: with the singular vectors u, v and value ρ of Wₓᵀ·W_z, ξ = Wₓ·u, ζ = W_z·v.
    fn correlate(&self, [x, z]: &[View; 2], shares: &[f64], run: &Run) -> Result<(Coefficients, Stop)> {
        let n = shares.len();
        if x.rank.min(z.rank) == 0 {
            return Err(nothing());
        }
        let mut cross = vec![0.0; x.rank * z.rank];
        multiply_transposed(&x.whitened, &z.whitened, [x.rank, n, z.rank], &mut cross, run)?;
        let squared = Squared { cross: &cross, rows: x.rank, cols: z.rank };
        let count = self.components.min(x.rank).min(z.rank);
        let top = top_eigen(&squared, &TopEigenParams { count, tolerance: TOLERANCE, ..Default::default() }, run)?;
        let kept: Vec<usize> = (0..count).filter(|l| top.values()[*l] > LEAST * LEAST).collect();
        if kept.is_empty() {
            return Err(nothing());
        }
        let k = kept.len();
        let (mut first, mut second) = (vec![0.0; n * k], vec![0.0; n * k]);
        for l in &kept {
            let (u, rho) = (top.vector(*l), top.values()[*l].sqrt());
            let mut v = vec![0.0; z.rank];
            multiply_first_transposed(&cross, u, [z.rank, x.rank, 1], &mut v, run)?;
            v.iter_mut().for_each(|v| *v /= rho);
            let (mut xi, mut zeta) = (x.values(u), z.values(&v));
            // A weight must not decide which value is the largest.
            let plain: Vec<f64> = xi.iter().zip(shares).map(|(v, p)| v / p.sqrt()).collect();
            let mut signed = plain.clone();
            fix_sign(&mut signed);
            if signed != plain {
                xi.iter_mut().chain(&mut zeta).for_each(|v| *v = -*v);
            }
            for i in 0..n {
                let scale = shares[i].sqrt() / (rho * self.alpha);
                first[i * k + l] = scale * (zeta[i] - rho * xi[i]);
                second[i * k + l] = scale * (xi[i] - rho * zeta[i]);
            }
        }
        Ok((Coefficients { first, second, count: k }, top.stop()))
    }

    fn notes(&self, found: usize) -> Vec<Note> {
        let few = || {
            let pairs = counted(found, "pair", "pairs");
            Note::from(format!("{pairs}, of {} asked for: the inputs have no more in common", self.components))
        };
        (found < self.components).then(few).into_iter().collect()
    }
}

/// The second input; as a matrix of kernel values it would need rows and columns of its own.
fn second(sample: &Sample) -> Result<Inputs> {
    match sample.second()? {
        Inputs::Precomputed(_) => Err(Error::Unsupported {
            what: format!("a second input of kernel values in {}", KernelCca::SPEC.title()),
            alternative: "give the points of the second input, and its kernel as `second_kernel`".into(),
        }),
        z => Ok(z),
    }
}

fn nothing() -> Error {
    Error::Unsupported {
        what: format!("{} of inputs that have nothing in common", KernelCca::SPEC.title()),
        alternative: "check that neither input is constant, and that rows of both belong together".into(),
    }
}

/// Coefficients of the rows that count, from where they stand.
fn of_rows(kept: &[f64], k: usize, sample: &Sample, precomputed: bool) -> Result<Vec<f64>> {
    let at = |i: usize| if precomputed { sample.row(i) } else { i };
    let rows: Option<Vec<&[f64]>> = (0..sample.n).map(|i| kept.get(at(i) * k..(at(i) + 1) * k)).collect();
    Ok(rows.ok_or_else(|| Error::shape("the coefficients of the model", sample.n * k, kept.len()))?.concat())
}

/// T·Tᵀ.
struct Squared<'a> {
    cross: &'a [f64],
    rows: usize,
    cols: usize,
}

impl LinearOperator for Squared<'_> {
    fn nrows(&self) -> usize {
        self.rows
    }

    fn ncols(&self) -> usize {
        self.rows
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let mut inner = vec![0.0; self.cols * k];
        multiply_first_transposed(self.cross, v, [self.cols, self.rows, k], &mut inner, run)?;
        multiply(self.cross, &inner, [self.rows, self.cols, k], out, run)
    }
}
