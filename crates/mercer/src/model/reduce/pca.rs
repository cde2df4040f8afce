//! Principal components in feature space.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::{Inputs, TargetKind};
use crate::error::{Error, Result, counted};
use crate::kernel::KernelExpr;
use crate::linalg::{dot, eigen};
use crate::model::penalized::SEED;
use crate::model::{
    Answer, Certified, Components, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Report, Sample, SettingSpec,
    SettingValues, Tune, has_kernel,
};
use crate::note::Note;
use crate::run::Run;
use crate::solver::{TopEigenParams, top_eigen};

use super::covariance::Covariance;
use super::landmarks;
use super::missed::broken_promise;
use super::pairs::{Judged, Pairs, judge, larger, nothing_varies, sign};

/// What the components solve.
pub(super) const SYSTEM: &str = "√p(I − 1pᵀ)K(I − p1ᵀ)√p·u = λ·u";
/// The same without centring.
pub(super) const UNCENTRED: &str = "√pK√p·u = λ·u";

/// How eigenvectors are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PcaSolver {
    /// `dense` where that takes less time, else `iterative`.
    #[default]
    Auto,
    /// One decomposition of the whole matrix.
    Dense,
    /// Products with blocks of vectors; the matrix is stored only if it fits.
    Iterative,
    /// Landmarks: an approximation, whose error is stated.
    Nystrom,
}

/// The choices of kernel principal component analysis (Schölkopf, Smola, Müller 1998).
///
/// With shares pᵢ of the rows (1/n without weights), φ̄ = Σ pᵢφ(xᵢ) and φ̃ = φ − φ̄, the components are the unit eigenvectors e of
/// Σ pᵢφ̃(xᵢ)φ̃(xᵢ)ᵀ with the largest eigenvalues λ: the variances. The coordinate of a point is
/// f(x) = ⟨e, φ̃(x)⟩ = Σ aᵢk(xᵢ, x) + b with aᵢ = √pᵢ·uᵢ/√λ, Σ aᵢ = 0 and b = −Σ aᵢmᵢ, mᵢ = Σ pⱼk(xⱼ, xᵢ), where u is the unit
/// eigenvector of √p(I − 1pᵀ)K(I − p1ᵀ)√p. The row that is farthest along a component has a positive coordinate.
///
/// Components whose variance is rounding are left out, and a note says so.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::reduce::KernelPca};
/// let x: Inputs = Rows::new(vec![1.0, 0.0, 3.0, 0.0, 5.0, 0.0, 7.0, 0.0], 4, 2)?.into(); // a line: mean 4, variance 5
/// let pca = KernelPca { kernel: KernelExpr::parse("linear")?, ..Default::default() };
/// let fitted = pca.fit(&x, Target::None, None, &Run::new())?;
/// let f = fitted.model.predict(&Rows::new(vec![10.0, 3.0], 1, 2)?.into(), &Run::new())?;
/// assert!((f[0].abs() - 6.0).abs() < 1e-12 && f.len() == 1); // of two components one varies
/// assert!((fitted.model.components().expect("kept").variances[0] - 5.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelPca {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// How many components.
    pub components: usize,
    /// Whether the mean in feature space is taken from the points.
    pub center: bool,
    /// How eigenvectors are found.
    pub solver: PcaSolver,
    /// Landmarks of `nystrom`.
    pub landmarks: usize,
    /// The residual of an eigenvector to reach, over the largest eigenvalue.
    pub tolerance: f64,
    /// Where chance begins: the start of a search, landmarks.
    pub seed: u64,
}

impl Default for KernelPca {
    fn default() -> Self {
        KernelPca {
            kernel: KernelExpr::default(),
            components: 2,
            center: true,
            solver: PcaSolver::Auto,
            landmarks: 1000,
            tolerance: 1e-9,
            seed: 0,
        }
    }
}

impl Tune for KernelPca {}

impl Learn for KernelPca {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "kernel_pca",
        class: "KernelPca",
        summary: "principal components in feature space: coordinates that keep most of the variance",
        targets: &[TargetKind::None],
        answers: &[Answer::Embedding, Answer::Score],
        weights: true,
        for_classes: None,
        settings: &[
            SettingSpec { name: "components", summary: "how many components", values: SettingValues::Whole(1) },
            SettingSpec {
                name: "center",
                summary: "whether to take out the mean in feature space",
                values: SettingValues::Flag,
            },
            SettingSpec {
                name: "solver",
                summary: "how eigenvectors are found",
                values: SettingValues::Word(&["auto", "dense", "iterative", "nystrom"]),
            },
            SettingSpec { name: "landmarks", summary: "landmarks of nystrom", values: SettingValues::Whole(1) },
            SettingSpec {
                name: "tolerance",
                summary: "the residual of an eigenvector to reach, over the largest eigenvalue",
                values: SettingValues::Inside(0.0, 1.0),
            },
            SEED,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        for (name, value) in [("components", self.components), ("landmarks", self.landmarks)] {
            if value == 0 {
                return Err(Error::invalid(Self::SPEC.title(), name, 0, "a whole number ≥ 1"));
            }
        }
        match self.tolerance > 0.0 && self.tolerance < 1.0 {
            true => Ok(()),
            false => {
                Err(Error::invalid(Self::SPEC.title(), "tolerance", self.tolerance, "between 0 and 1, both excluded"))
            }
        }
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        if self.solver == PcaSolver::Nystrom {
            return landmarks::learn(self, sample, run);
        }
        let covariance = Covariance::new(sample, self.center, run)?;
        let (pairs, certificate) = self.pairs(sample, &covariance, run)?;
        let pairs = pairs.above(rounding(sample.n) * covariance.scale);
        if pairs.len() == 0 {
            return Err(nothing_varies(Self::SPEC.title()));
        }
        let (coefficients, intercept) = functions(&covariance, &pairs);
        // The answer is judged to its end, whatever the clock says.
        let (judged, missed) = self.judge(&covariance, &coefficients, &intercept, &run.without_stops())?;
        let components = Components {
            variances: judged.values,
            total: covariance.trace,
            mean: if self.center { all_rows(sample, &covariance.shares) } else { Vec::new() },
            mean_norm: covariance.grand_mean,
        };
        let certificate = certificate.of_system(self.system(), judged.worst).with(Measure::MissedVariance, missed);
        let expansion = sample.expansion(coefficients, intercept, None)?;
        self.fitted(sample, expansion, components, certificate)
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let Some(claimed) = model.components() else {
            return Err(Error::shape("the model", "its variances beside its functions", "none"));
        };
        if self.solver == PcaSolver::Nystrom {
            return landmarks::certify(self, model, claimed, sample, run);
        }
        let covariance = Covariance::new(sample, self.center, run)?;
        let coefficients = of_rows(sample, model.coefficients(), model.outputs())?;
        let (judged, missed) = self.judge(&covariance, &coefficients, model.intercept(), run)?;
        let mean = if self.center { all_rows(sample, &covariance.shares) } else { Vec::new() };
        let total = covariance.trace;
        let found = Components { variances: judged.values, total, mean, mean_norm: covariance.grand_mean };
        let mut certified = self.certified(model, claimed, &found, judged.worst);
        let promised = model.certificate().get(Measure::MissedVariance);
        certified.broken = certified.broken.or_else(|| broken_promise(promised, missed, covariance.scale));
        certified.certificate = certified.certificate.with(Measure::MissedVariance, missed);
        Ok(certified)
    }
}

impl KernelPca {
    pub(super) fn system(&self) -> &'static str {
        if self.center { SYSTEM } else { UNCENTRED }
    }

    /// Eigenpairs, and how they were found.
    fn pairs(&self, sample: &Sample, covariance: &Covariance, run: &Run) -> Result<(Pairs, Certificate)> {
        let (n, count) = (sample.n, self.components.min(sample.n));
        // The functions that are made of the vectors are judged below.
        let params =
            TopEigenParams { count, tolerance: self.tolerance, seed: self.seed, judge: false, ..Default::default() };
        let whole = params.takes_all(n);
        if self.solver == PcaSolver::Dense || (self.solver == PcaSolver::Auto && whole) {
            let reason = match self.solver {
                PcaSolver::Dense => "asked for".to_owned(),
                _ => fastest_with_all(count, n),
            };
            let found = eigen(covariance.matrix(sample, run)?.values(), n, run)?;
            let values = found.values().iter().rev().take(count).copied().collect();
            let vectors = (0..n).rev().take(count).flat_map(|l| found.vector(l).iter().copied()).collect();
            return Ok((Pairs { values, vectors }, Certificate::new(Algorithm::Eigen, reason, Stop::Direct)));
        }
        let found = top_eigen(covariance, &params, run)?;
        let reason = match found.is_dense() {
            true => fastest_with_all(count, n),
            false => {
                let need = if count == 1 { "needs" } else { "need" };
                format!(
                    "{count} of {n} eigenvectors {need} few products with a block of vectors; {}",
                    covariance.place()
                )
            }
        };
        let certificate = Certificate::new(Algorithm::BlockLanczos, reason, found.stop())
            .count(Measure::Iterations, found.products());
        Ok((Pairs { values: found.values().to_vec(), vectors: found.vectors().to_vec() }, certificate))
    }

    /// Variances, and how far functions are from principal components: residuals, angles, lengths and intercepts.
    fn judge(
        &self,
        covariance: &Covariance,
        coefficients: &[f64],
        intercept: &[f64],
        run: &Run,
    ) -> Result<(Judged, Option<f64>)> {
        let k = intercept.len();
        // A function of unit norm has a vector u/√λ.
        let mut vectors = coefficients.to_vec();
        vectors.chunks_mut(k).zip(&covariance.roots).for_each(|(row, r)| row.iter_mut().for_each(|a| *a /= r));
        let judged = judge(covariance, &vectors, k, |value, square| value * (value * square - 1.0), run)?;
        let largest = judged.values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(*v));
        let off = |l: usize| {
            let column: Vec<f64> = coefficients.iter().skip(l).step_by(k).copied().collect();
            (intercept[l] + dot(&column, &covariance.means)).abs() / largest.sqrt()
        };
        let missed = covariance.missed(&judged, run)?;
        Ok((Judged { worst: (0..k).map(off).fold(judged.worst, larger), ..judged }, missed))
    }

    pub(super) fn fitted(
        &self,
        sample: &Sample,
        expansion: crate::model::Expansion,
        components: Components,
        certificate: Certificate,
    ) -> Result<Fitted> {
        let mut report = Report::of(sample);
        let found = components.variances.len();
        if found < self.components {
            let vary = counted(found, "component varies", "components vary");
            let others = counted(self.components - found, "other is", "others are");
            report.notes.push(Note::from(format!("{vary}; {others} left out")));
        }
        let share = components.explained().iter().sum::<f64>();
        let certificate = certificate
            .with(Measure::LargestEigenvalue, components.variances[0])
            .with(Measure::ExplainedVariance, share)
            .count(Measure::Rank, found);
        let model = Model::from_parts(ModelParts {
            learner: self.with_kernel(sample.space.kernel().clone()).into(),
            expansion,
            weights: sample.weights.clone(),
            extra: Extra::Components(components),
            certificate,
        })?;
        Ok(Fitted { model, report })
    }

    /// The certificate computed again, and the first claim beside it that does not hold.
    pub(super) fn certified(
        &self,
        model: &Model,
        claimed: &Components,
        found: &Components,
        residual: f64,
    ) -> Certified {
        let certificate = model
            .certificate()
            .clone()
            .of_system(self.system(), residual)
            .with(Measure::LargestEigenvalue, found.variances.first().copied())
            .with(Measure::ExplainedVariance, found.explained().iter().sum::<f64>());
        let tolerance = model.certificate().tolerance(model.points().len());
        Certified { certificate, broken: claimed.differs(found, tolerance) }
    }
}

fn fastest_with_all(count: usize, n: usize) -> String {
    format!("{count} of {n} eigenvectors {} found fastest with all others", if count == 1 { "is" } else { "are" })
}

/// A share of the trace that rounding may leave in n rows.
pub(super) fn rounding(n: usize) -> f64 {
    16.0 * n.max(16) as f64 * f64::EPSILON
}

/// a = √p·u/√λ, made to add up to 0, and b = −Σ aᵢmᵢ.
fn functions(covariance: &Covariance, pairs: &Pairs) -> (Vec<f64>, Vec<f64>) {
    let (n, k) = (covariance.n(), pairs.len());
    let (mut coefficients, mut intercept) = (vec![0.0; n * k], vec![0.0; k]);
    for (l, (value, u)) in pairs.values.iter().zip(pairs.vectors.chunks(n)).enumerate() {
        let along = sign(u.iter().zip(&covariance.roots).map(|(u, r)| u / r));
        let scale = along / value.sqrt();
        let mut a: Vec<f64> = u.iter().zip(&covariance.roots).map(|(u, r)| scale * r * u).collect();
        if covariance.center {
            // It is 0 up to the residual of u.
            let sum: f64 = a.iter().sum();
            a.iter_mut().zip(&covariance.shares).for_each(|(a, p)| *a -= p * sum);
            intercept[l] = -dot(&a, &covariance.means);
        }
        a.iter().enumerate().for_each(|(i, a)| coefficients[i * k + l] = *a);
    }
    (coefficients, intercept)
}

/// One number a row that counts, in the places of the points that a model keeps.
fn all_rows(sample: &Sample, values: &[f64]) -> Vec<f64> {
    if !matches!(sample.all, Inputs::Precomputed(_)) {
        return values.to_vec();
    }
    let mut all = vec![0.0; sample.all.len()];
    values.iter().enumerate().for_each(|(i, v)| all[sample.row(i)] = *v);
    all
}

/// The coefficients of the rows that count, of a model that keeps them all.
fn of_rows(sample: &Sample, coefficients: &[f64], k: usize) -> Result<Vec<f64>> {
    let precomputed = matches!(sample.all, Inputs::Precomputed(_));
    let rows = if precomputed { sample.all.len() } else { sample.n };
    if coefficients.len() != rows * k {
        return Err(Error::shape("the coefficients of the model", rows * k, coefficients.len()));
    }
    let place = |i: usize| if precomputed { sample.row(i) } else { i };
    Ok((0..sample.n).flat_map(|i| coefficients[place(i) * k..(place(i) + 1) * k].iter().copied()).collect())
}
