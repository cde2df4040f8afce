//! Clusters by the eigenvectors of a graph whose edges are kernel values.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
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
use crate::solver::{TopEigen, TopEigenParams, top_eigen};

use super::affinity::Affinity;
use super::gram::Gram;
use super::k_means::chance;
use super::merged::Merged;
use super::settings::{CLUSTERS, MAX_ROUNDS, RESTARTS, check};
use super::sphere::Sphere;

/// What is solved.
const SYSTEM: &str = "D^(−½)·K·D^(−½)·u = λ·u, a = D^(−½)·U·Λ⁻¹·directions of the clusters";
/// The residual of eigenvectors, over the largest eigenvalue, which is 1.
const TOLERANCE: f64 = 1e-10;
/// Eigenvalues below this share of the largest say nothing that rounding does not.
const LEAST: f64 = 1e-7;

/// The time for clusters, and as much again for their residual, once there is none left.
const MOMENT: Duration = Duration::from_millis(300);

/// The choices of spectral clustering (Ng, Jordan, Weiss 2001).
///
/// Kernel values are the weights of the edges of a graph, so they must not be negative. With the degrees dᵢ = Σ wⱼk(xᵢ, xⱼ), the rows
/// of the first eigenvectors U of D^(−½)KD^(−½), brought to length 1, are clustered by k-means and then by directions m_c. A new
/// point has the coordinates g(x) = Σᵢ k(x, xᵢ)·uᵢ/(λ·√dᵢ) (Nyström), and the value of a cluster is ⟨g(x), m_c⟩: the largest belongs
/// to the nearest direction. A weight means repetition of the row.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::cluster::SpectralClustering};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0, 9.0, 10.0], 5, 1)?.into();
/// let learner = SpectralClustering { kernel: KernelExpr::parse("rbf(length_scale=1)")?, clusters: 2, ..Default::default() };
/// let model = learner.fit(&x, Target::None, None, &Run::new())?.model;
/// let values = model.predict(&Rows::new(vec![3.0, 8.0], 2, 1)?.into(), &Run::new())?;
/// assert_eq!(model.largest(&values), [0, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpectralClustering {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// Number of clusters, and of eigenvectors.
    pub clusters: usize,
    /// Number of starts of k-means; the best is kept.
    pub restarts: usize,
    /// The largest number of rounds of a start.
    pub max_iterations: usize,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for SpectralClustering {
    fn default() -> Self {
        SpectralClustering { kernel: KernelExpr::default(), clusters: 8, restarts: 10, max_iterations: 300, seed: 0 }
    }
}

impl Tune for SpectralClustering {}

impl Learn for SpectralClustering {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "spectral",
        class: "SpectralClustering",
        summary: "clusters by the eigenvectors of a graph whose edges are kernel values",
        targets: &[TargetKind::None],
        answers: &[Answer::Clusters],
        weights: true,
        for_classes: None,
        settings: &[CLUSTERS, RESTARTS, MAX_ROUNDS, SEED],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        check(&Self::SPEC, self.clusters, self.restarts, self.max_iterations, 0.0)
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let merged = Merged::of(sample);
        let gram = Gram::new(&sample.space, &merged.x, run)?;
        let graph = Affinity::new(gram.matrix(), &merged, sample, run)?;
        let count = (self.clusters + 1).min(merged.len());
        let params = TopEigenParams { count, tolerance: TOLERANCE, seed: self.seed, ..Default::default() };
        let top = top_eigen(&graph, &params, run)?;
        // Eigenvectors that a stop left are worth clusters.
        let time = in_a_moment(run);
        let sphere = Sphere::of_vectors(&top, self.clusters, LEAST, &merged.weights);
        let params = KMeansParams {
            clusters: self.clusters,
            restarts: self.restarts,
            max_iterations: self.max_iterations,
            tolerance: 0.0,
        };
        let found = k_means(&sphere, &merged.weights, &params, &mut chance(self.seed), &time)?;
        let labels = sphere.settle(found.labels.clone(), &time);
        let coefficients = graph.functions(&sphere, &labels);
        self.assemble(sample, &merged, (gram.matrix(), &graph), (&top, &found), coefficients, run)
    }

    /// The residual is the largest of those of the space that the functions span, and how far the numbers kept are from what
    /// the clusters make of it.
    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let merged = Merged::of(sample);
        let matrix = sample.space.gram(&merged.x, run)?;
        let graph = Affinity::new(&matrix, &merged, sample, run)?;
        let coefficients = merged.of_points(model.coefficients(), model.outputs(), |i| {
            if model.is_precomputed() { sample.row(i) } else { i }
        })?;
        let off = off_by(&matrix, &graph, &merged, &coefficients, run)?;
        let again =
            sample.expansion(merged.spread(&coefficients, model.outputs()), model.intercept().to_vec(), None)?;
        let off = off.max(same(model.coefficients(), again.coefficients())).max(largest(model.intercept()));
        Ok(model.certificate().clone().of_system(SYSTEM, off).into())
    }
}

impl SpectralClustering {
    fn assemble(
        &self,
        sample: &Sample,
        merged: &Merged,
        (matrix, graph): (&dyn KernelMatrix, &Affinity<'_>),
        (top, found): (&TopEigen, &Clustered),
        coefficients: Vec<f64>,
        run: &Run,
    ) -> Result<Fitted> {
        let clusters = coefficients.len() / merged.len();
        let off = match off_by(matrix, graph, merged, &coefficients, &in_a_moment(run)) {
            // Clusters are an answer without it, and the certificate claims no residual then.
            Err(Error::Cancelled { .. }) => None,
            off => Some(off?),
        };
        let late = run.stop_reason().filter(|_| off.is_none()).map(Stop::from);
        let stops = [Some(top.stop()), Some(found.stop), late];
        let stop = stops.into_iter().flatten().find(|s| !s.is_complete()).unwrap_or(Stop::Tolerance);
        let reason = "eigenvectors of the graph, then k-means of their rows";
        let gap = top.values().get(self.clusters).map(|next| top.values()[self.clusters - 1] - next);
        let certificate = Certificate::new(Algorithm::Eigen, reason, stop);
        let certificate = match off {
            Some(off) => certificate.of_system(SYSTEM, off),
            None => certificate,
        };
        let certificate = certificate
            .with(Measure::Eigengap, gap)
            .count(Measure::RestartsAtBest, found.at_best)
            .count(Measure::Iterations, top.products());
        let spread = merged.spread(&coefficients, clusters);
        let model = Model::from_parts(ModelParts {
            learner: self.with_kernel(sample.space.kernel().clone()).into(),
            expansion: sample.expansion(spread, vec![0.0; clusters], None)?,
            weights: None,
            extra: Extra::None,
            certificate,
        })?;
        Ok(Fitted { model, report: Report { notes: self.notes(top, clusters, stop), ..Report::of(sample) } })
    }

    fn notes(&self, top: &TopEigen, clusters: usize, stop: Stop) -> Vec<Note> {
        let mut notes = Vec::new();
        if clusters < self.clusters {
            let why = match stop.is_from_outside() {
                true => "the others were not found in time",
                false => "the graph tells no more of them apart",
            };
            notes.push(Note::from(format!(
                "{}, of {} asked for: {why}",
                counted(clusters, "cluster", "clusters"),
                self.clusters
            )));
        }
        // Every part of a graph has an eigenvalue 1 of its own.
        let parts = top.values().iter().filter(|v| **v > 1.0 - 1e-8).count();
        if parts > self.clusters {
            let why = "which of them are put together is not decided by the data";
            notes.push(Note::from(format!(
                "the graph falls into more parts than {}: {why}",
                counted(self.clusters, "cluster", "clusters")
            )));
        }
        if !stop.is_complete() {
            notes.push(Note::FitStopped { stop });
        }
        notes
    }
}

/// The run while it has time, and a moment after a stop.
fn in_a_moment(run: &Run) -> Run {
    if run.stop_reason().is_some() { run.for_a_moment(MOMENT) } else { run.clone() }
}

/// How far coefficients of points are from functions of an invariant space whose directions are those of their clusters.
fn off_by(
    matrix: &dyn KernelMatrix,
    graph: &Affinity<'_>,
    merged: &Merged,
    coefficients: &[f64],
    run: &Run,
) -> Result<f64> {
    let k = coefficients.len() / merged.len();
    let space = graph.invariant_space(matrix, coefficients, k, run)?;
    let sphere = Sphere::of_space(&space, &merged.weights);
    Ok(space.residual.max(same(coefficients, &graph.functions(&sphere, &space.labels))))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

/// The largest difference over the largest value; infinity for lists of other lengths.
fn same(was: &[f64], is: &[f64]) -> f64 {
    if was.len() != is.len() {
        return f64::INFINITY;
    }
    was.iter().zip(is).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / largest(is).max(f64::MIN_POSITIVE)
}
