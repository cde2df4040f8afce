//! k-means in the RKHS.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::chance::Chance;
use crate::data::TargetKind;
use crate::error::{Error, Result, counted};
use crate::gram::KernelMatrix;
use crate::kernel::KernelExpr;
use crate::model::penalized::SEED;
use crate::model::{
    Answer, Certified, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Report, Sample, Tune, has_kernel,
};
use crate::note::Note;
use crate::run::Run;
use crate::solver::k_means::{Clustered, KMeansParams, k_means};

use super::bound::inertia_bound;
use super::gram::Gram;
use super::means::Means;
use super::merged::Merged;
use super::settings::{BOUND, CLUSTERS, MAX_ROUNDS, RESTARTS, TOLERANCE};

/// What the numbers of a model are held to.
const SYSTEM: &str = "a = 2·shares of the rows in their clusters, b = −‖μ‖²";

/// The choices of k-means in the RKHS.
///
/// Minimises the inertia Σ wᵢ‖k(xᵢ, ·) − μ_c(i)‖² over the clusters c(i) of the rows, with μ_c the weighted mean of cluster c.
/// The value of a cluster is 2⟨k(x, ·), μ_c⟩ − ‖μ_c‖² = k(x, x) − ‖k(x, ·) − μ_c‖²: the largest belongs to the nearest
/// mean. Clusters are numbered by their first rows. Equal rows are one point with the sum of their weights, so they are never parted.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::cluster::KernelKMeans};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 9.0, 11.0, 1.0], 5, 1)?.into();
/// let learner = KernelKMeans { kernel: KernelExpr::parse("linear")?, clusters: 2, ..Default::default() };
/// let model = learner.fit(&x, Target::None, None, &Run::new())?.model;
/// let values = model.predict(&Rows::new(vec![4.0, 6.0], 2, 1)?.into(), &Run::new())?;
/// assert_eq!(model.largest(&values), [0, 1]); // means ⅔ and 10
/// let inertia = model.certificate().get(mercer::certificate::Measure::Inertia).expect("measured");
/// assert!((inertia - (2.0 / 3.0 + 2.0)).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelKMeans {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// Number of clusters.
    pub clusters: usize,
    /// Number of starts; the best is kept.
    pub restarts: usize,
    /// The largest number of rounds of a start.
    pub max_iterations: usize,
    /// The least share of the inertia by which a round has to lower it.
    pub tolerance: f64,
    /// Where chance begins.
    pub seed: u64,
    /// Whether to find a number that no inertia of so many clusters is below.
    pub bound: bool,
}

impl Default for KernelKMeans {
    fn default() -> Self {
        KernelKMeans {
            kernel: KernelExpr::default(),
            clusters: 8,
            restarts: 10,
            max_iterations: 300,
            tolerance: 0.0,
            seed: 0,
            bound: false,
        }
    }
}

impl Tune for KernelKMeans {}

impl Learn for KernelKMeans {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "kernel_k_means",
        class: "KernelKMeans",
        summary: "clusters around means in the feature space",
        targets: &[TargetKind::None],
        answers: &[Answer::Clusters],
        weights: true,
        for_classes: None,
        settings: &[CLUSTERS, RESTARTS, MAX_ROUNDS, TOLERANCE, SEED, BOUND],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        super::settings::check(&Self::SPEC, self.clusters, self.restarts, self.max_iterations, self.tolerance)
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let merged = Merged::of(sample);
        let gram = Gram::new(&sample.space, &merged.x, run)?;
        let found = k_means(&gram, &merged.weights, &self.params(), &mut chance(self.seed), run)?;
        // One product with K: the norms of the means are part of the answer.
        let judged = Judged::new(gram.matrix(), &merged, found.labels.clone(), &run.without_stops())?;
        let (coefficients, intercept) = judged.functions(&merged);
        let reason = "moves to the nearest mean, and single moves where none is nearer";
        let certificate = Certificate::new(Algorithm::Lloyd, reason, found.stop)
            .with(Measure::InertiaBound, in_time(self.lower_bound(gram.matrix(), &merged, run))?)
            .count(Measure::RestartsAtBest, found.at_best)
            .count(Measure::Iterations, found.iterations);
        let model = Model::from_parts(ModelParts {
            learner: self.with_kernel(sample.space.kernel().clone()).into(),
            expansion: sample.expansion(coefficients, intercept, None)?,
            weights: None,
            extra: Extra::None,
            certificate: judged.measured(certificate, &merged, 0.0),
        })?;
        let (notes, history) = (self.notes(&found), found.history.iter().map(|o| o * merged.unit).collect());
        Ok(Fitted { model, report: Report { history, notes, ..Report::of(sample) } })
    }

    /// The residual is how far the numbers kept are from the means of the clusters that they name, over the largest.
    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let merged = Merged::of(sample);
        let matrix = sample.space.gram(&merged.x, run)?;
        let judged = Judged::new(&matrix, &merged, labels_of(model, sample, &merged)?, run)?;
        let (coefficients, intercept) = judged.functions(&merged);
        let again = sample.expansion(coefficients, intercept, None)?;
        let is = [again.coefficients(), again.intercept()].concat();
        let was = [model.coefficients(), model.intercept()].concat();
        if was.len() != is.len() {
            return Err(Error::shape("the coefficients of the model", is.len(), was.len()));
        }
        let size = is.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let off = was.iter().zip(&is).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size;
        let found = judged.measured(model.certificate().clone(), &merged, off);
        let misplaced = found.get(Measure::Misplaced) > model.certificate().get(Measure::Misplaced);
        let misplaced = misplaced.then(|| "rows are nearer to the mean of another cluster".to_owned());
        let bound = self.lower_bound(&matrix, &merged, run)?;
        // Searches end at other digits on other machines.
        let slack = 1e-6 * found.get(Measure::Inertia).unwrap_or(0.0);
        let above =
            model.certificate().get(Measure::InertiaBound).is_some_and(|was| bound.is_none_or(|is| was > is + slack));
        let above = above.then(|| "the lower bound of the inertia is not one that is found again".to_owned());
        Ok(Certified { certificate: found.with(Measure::InertiaBound, bound), broken: misplaced.or(above) })
    }
}

impl KernelKMeans {
    fn params(&self) -> KMeansParams {
        let KernelKMeans { clusters, restarts, max_iterations, tolerance, .. } = *self;
        KMeansParams { clusters, restarts, max_iterations, tolerance }
    }

    fn lower_bound(&self, matrix: &dyn KernelMatrix, merged: &Merged, run: &Run) -> Result<Option<f64>> {
        let found = || inertia_bound(matrix, &merged.weights, self.clusters, run).map(|bound| bound * merged.unit);
        self.bound.then(found).transpose()
    }

    fn notes(&self, found: &Clustered) -> Vec<Note> {
        let few = || {
            Note::from(format!(
                "{}, of {} asked for: {}",
                counted(found.clusters, "cluster", "clusters"),
                self.clusters,
                match found.stop.is_from_outside() {
                    true => "the others were not found in time",
                    false => "there are no more different points",
                }
            ))
        };
        let mut notes: Vec<Note> = (found.clusters < self.clusters).then(few).into_iter().collect();
        if found.stop != Stop::Tolerance {
            notes.push(Note::FitStopped { stop: found.stop });
        }
        notes
    }
}

/// Nothing where a stop left no time for it.
fn in_time(bound: Result<Option<f64>>) -> Result<Option<f64>> {
    match bound {
        Err(Error::Cancelled { .. }) => Ok(None),
        bound => bound,
    }
}

/// Numbers from 0 to 1.
pub(super) fn chance(seed: u64) -> impl FnMut() -> f64 {
    let mut chance = Chance::new(seed);
    move || chance.unit()
}

/// Clusters of points with their means.
struct Judged {
    labels: Vec<usize>,
    clusters: usize,
    means: Means,
}

impl Judged {
    fn new(matrix: &dyn KernelMatrix, merged: &Merged, labels: Vec<usize>, run: &Run) -> Result<Self> {
        let clusters = labels.iter().max().map_or(0, |c| c + 1);
        let means = Means::of(matrix, &labels, clusters, &merged.weights, run)?;
        Ok(Judged { labels, clusters, means })
    }

    /// Coefficients of the rows, row-major, and intercepts.
    fn functions(&self, merged: &Merged) -> (Vec<f64>, Vec<f64>) {
        let k = self.clusters;
        let mut coefficients = vec![0.0; merged.place.len() * k];
        for (i, (row, label)) in merged.share_of_rows(&self.means.shares).zip(merged.to_rows(&self.labels)).enumerate()
        {
            coefficients[i * k + label] = 2.0 * row;
        }
        (coefficients, self.means.norms.iter().map(|q| -q).collect())
    }

    fn measured(&self, certificate: Certificate, merged: &Merged, off: f64) -> Certificate {
        let misplaced = merged.to_rows(&self.means.misplaced).into_iter().filter(|m| *m).count();
        certificate
            .of_system(SYSTEM, off)
            .with(Measure::Inertia, self.means.inertia * merged.unit)
            .count(Measure::Misplaced, misplaced)
    }
}

/// The clusters of the points, as the coefficients of a model name them: a row is in the one where it has a coefficient.
fn labels_of(model: &Model, sample: &Sample, merged: &Merged) -> Result<Vec<usize>> {
    let k = model.outputs();
    let largest = |row: &[f64]| (1..k).fold(0, |best, c| if row[c] > row[best] { c } else { best });
    let mut labels = vec![0; merged.len()];
    for (i, place) in merged.place.iter().enumerate() {
        let at = if model.is_precomputed() { sample.row(i) } else { i };
        let row = model.coefficients().get(at * k..(at + 1) * k);
        labels[*place] =
            largest(row.ok_or_else(|| Error::shape("the rows of the model", sample.n, model.points().len()))?);
    }
    let mut seen = vec![false; k];
    labels.iter().for_each(|c| seen[*c] = true);
    match seen.iter().position(|s| !s) {
        None => Ok(labels),
        Some(c) => Err(Error::shape(format!("cluster {c} of the model"), "at least one row", "none")),
    }
}
