//! Change points.

use mercer::data::Inputs as Points;
use mercer::model::segment::{
    AutomaticChoice, ChangeSearch, KernelChangeDetector, Permutations, Segmentation, Segments as Kind, Sliced, Watch,
    usual_kernel,
};
use mercer::{Error, KernelExpr};
use pyo3::prelude::*;

use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::rkhs::working;
use crate::run::Options;

/// Changes and cost.
type Cut = (Vec<usize>, f64);
/// Change, parent, gain, statistic, p-value.
type Tested = (usize, (usize, usize), f64, f64, f64);
/// Segments, changes, variance, share, correlation, directions, criterion; and the least of levels, of lines, and how many values were limited.
type Automatic = (&'static str, usize, f64, f64, f64, f64, f64, Option<(f64, f64, usize)>);

/// What a point of a stream was told: statistic, alarm.
type Told = (Option<f64>, bool);

fn cut(found: &Segmentation) -> Cut {
    (found.changes.clone(), found.cost)
}

fn told(choice: AutomaticChoice) -> Automatic {
    let AutomaticChoice { segments, changes, variance, share, correlation, directions, criterion, compared } = choice;
    let compared = compared.map(|c| (c.levels, c.lines, c.limited));
    (segments.name(), changes, variance, share, correlation, directions, criterion, compared)
}

/// The kernel of a sequence of numbers, where none is given.
#[pyfunction]
pub(crate) fn segment_kernel(py: Python<'_>, x: &Inputs, options: &Options) -> PyResult<Option<Expr>> {
    let found = working(py, &KernelExpr::default(), options, |run| usual_kernel(&x.0, run))?;
    Ok(found.map(Expr))
}

/// Points in order, ready to be cut; on landmarks where asked for.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Segments(Sliced);

/// What is asked: kernel, segments, least size, landmarks and their seed.
type Asked<'a> = (Option<PyRef<'a, Expr>>, Option<&'a str>, usize, Option<usize>, u64);

fn search(asked: Asked<'_>) -> mercer::Result<ChangeSearch> {
    let (kernel, segments, min_size, landmarks, seed) = asked;
    let segments = match segments {
        None => None,
        Some(name) => Some(Kind::named(name)?),
    };
    let kernel = kernel.map(|kernel| kernel.0.clone());
    Ok(ChangeSearch { kernel, segments, min_size, landmarks: landmarks.map(|count| (count, seed)) })
}

/// The kernel that work is said to be done with: the constant one where none is given.
fn kernel_of(search: &ChangeSearch) -> KernelExpr {
    search.kernel.clone().unwrap_or_default()
}

#[pymethods]
impl Segments {
    #[new]
    fn new(py: Python<'_>, asked: Asked<'_>, x: &Inputs, options: &Options) -> PyResult<Self> {
        let search = guard(py, || search(asked))?;
        working(py, &kernel_of(&search), options, |run| search.slice(&x.0, run).map(Segments))
    }

    /// Levels or lines, and how many, found in the data.
    #[staticmethod]
    fn found(py: Python<'_>, asked: Asked<'_>, x: &Inputs, options: &Options) -> PyResult<(Self, Cut, Automatic)> {
        let search = guard(py, || search(asked))?;
        let found = working(py, &kernel_of(&search), options, |run| search.find(&x.0, run))?;
        Ok((Segments(found.sliced), cut(&found.segmentation), told(found.choice)))
    }

    /// The kernel with its numbers.
    #[getter]
    fn kernel(&self) -> Expr {
        Expr(self.0.points.kernel().clone())
    }

    /// `levels` or `lines`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.points.segments().name()
    }

    #[getter]
    fn max_changes(&self) -> usize {
        self.0.points.max_changes()
    }

    /// The share of Σ k(x, x) that landmarks leave.
    #[getter]
    fn approximation_error(&self) -> Option<f64> {
        self.0.approximation_error()
    }

    fn path(&self, py: Python<'_>, most: usize, options: &Options) -> PyResult<Vec<Cut>> {
        let found = working(py, self.0.points.kernel(), options, |run| self.0.path(most, run))?;
        Ok(found.segmentations().iter().map(cut).collect())
    }

    fn penalised(&self, py: Python<'_>, penalty: f64, options: &Options) -> PyResult<Cut> {
        let found = working(py, self.0.points.kernel(), options, |run| self.0.penalised(penalty, run))?;
        Ok(cut(&found))
    }

    fn automatic(&self, py: Python<'_>, options: &Options) -> PyResult<(Cut, Automatic)> {
        let (found, choice) = working(py, self.0.points.kernel(), options, |run| self.0.automatic(run))?;
        Ok((cut(&found), told(choice)))
    }

    fn cost(&self, py: Python<'_>, start: usize, end: usize) -> PyResult<f64> {
        guard(py, || self.0.points.cost(start..end))
    }

    fn tests(
        &self,
        py: Python<'_>,
        changes: Vec<usize>,
        count: usize,
        seed: u64,
        options: &Options,
    ) -> PyResult<Vec<Tested>> {
        let permutations = Permutations { count, seed };
        let found =
            working(py, self.0.points.kernel(), options, |run| self.0.points.tests(&changes, permutations, run))?;
        Ok(found.iter().map(|t| (t.change, (t.parent[0], t.parent[1]), t.gain, t.statistic, t.pvalue)).collect())
    }
}

/// A stream that is watched, as its state in JSON.
#[pyfunction]
#[pyo3(signature = (kernel, x, window, run_length, seed, options))]
pub(crate) fn watch_fit(
    py: Python<'_>,
    kernel: &Expr,
    x: &Inputs,
    window: usize,
    run_length: f64,
    seed: u64,
    options: &Options,
) -> PyResult<String> {
    let detector = KernelChangeDetector { kernel: kernel.0.clone(), window, run_length, seed };
    let watch = working(py, &kernel.0, options, |run| detector.fit(rows(x)?, run))?;
    guard(py, || written(&watch))
}

/// The state after more points, and for each its statistic and whether it raised an alarm.
#[pyfunction]
pub(crate) fn watch_update(
    py: Python<'_>,
    state: &str,
    x: &Inputs,
    options: &Options,
) -> PyResult<(String, Vec<Told>)> {
    let (watch, steps) = working(py, &KernelExpr::default(), options, |run| {
        let mut watch: Watch = serde_json::from_str(state)
            .map_err(|e| Error::Format { path: "the state of a detector".into(), problem: e.to_string() })?;
        let steps = watch.update(rows(x)?, run)?;
        Ok((watch, steps))
    })?;
    let state = guard(py, || written(&watch))?;
    Ok((state, steps.iter().map(|s| (s.statistic, s.alarm)).collect()))
}

fn written(watch: &Watch) -> mercer::Result<String> {
    serde_json::to_string(watch)
        .map_err(|e| Error::Format { path: "the state of a detector".into(), problem: e.to_string() })
}

fn rows(x: &Inputs) -> mercer::Result<&mercer::data::Rows> {
    match &x.0 {
        Points::Dense(rows) => Ok(rows),
        other => Err(Error::shape("the points of a stream", "dense rows of numbers", other.describe())),
    }
}
