//! Tests of dependence and of fit, and choices of points.

use mercer::data::{Inputs as Points, Rows};
use mercer::model::compare::{
    Conditioning as Given, Dhsic, Draws, Hsic, HsicEstimate, HsicNull, Kci, KciNull, Ksd, KsdEstimate, Side, SteinBase,
    TestResult, Thinned, Variable, Width, kernel_herding, stein_thinning,
};
use mercer::{Error, KernelExpr, Run};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods};

use crate::arrays::Matrix;
use crate::choices::object;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::run::{Job, Options};

/// n_permutations, seed, enough.
type GivenDraws = (usize, u64, Option<usize>);
/// The name of a base kernel, its length scale and its beta.
type GivenBase = (String, Option<f64>, f64);
/// Indices, discrepancies, kernel.
type Chosen<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, String);

fn draws((n_permutations, seed, enough): GivenDraws) -> Draws {
    Draws { n_permutations, seed, enough }
}

fn unknown(owner: &str, name: &str, value: &str, must: &str) -> Error {
    Error::invalid(owner, name, format!("`{value}`"), must)
}

/// Does `work` on a thread of its own; on this one if a kernel may call Python functions.
fn working<T: Send>(
    py: Python<'_>,
    kernels: &[&KernelExpr],
    options: &Options,
    work: impl FnOnce(&Run) -> mercer::Result<T> + Send,
) -> PyResult<T> {
    let job = Job::new(py, options)?;
    match kernels.iter().any(|k| k.has_own_kernels()) {
        false => job.spawn(py, work),
        true => job.inline(py, work),
    }
}

/// A result as a dictionary of its fields, with its sentence and the null distribution as an array.
pub(crate) fn record<'py>(py: Python<'py>, mut result: TestResult) -> PyResult<Bound<'py, PyDict>> {
    let null = std::mem::take(&mut result.null_distribution);
    let fields = guard(py, || Ok(serde_json::to_value(&result).unwrap_or_default()))?;
    let dict = object(py, &fields)?.cast_into::<PyDict>()?;
    dict.set_item("null_distribution", PyArray1::from_vec(py, null))?;
    dict.set_item("sentence", result.sentence())?;
    // JSON has no infinities and no numbers that are none.
    dict.set_item("statistic", result.statistic)?;
    dict.set_item("pvalue", result.pvalue)?;
    Ok(dict)
}

fn chosen(py: Python<'_>, found: Thinned) -> Chosen<'_> {
    let indices = found.indices.iter().map(|i| *i as i64).collect();
    (PyArray1::from_vec(py, indices), PyArray1::from_vec(py, found.discrepancy), found.kernel)
}

/// The test of independence of two variables.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn hsic<'py>(
    py: Python<'py>,
    x: &Inputs,
    y: &Inputs,
    kernels: (PyRef<'py, Expr>, PyRef<'py, Expr>),
    estimate: &str,
    null: (String, f64),
    given: GivenDraws,
    options: &Options,
) -> PyResult<Bound<'py, PyDict>> {
    let (k, l) = (&kernels.0.0, &kernels.1.0);
    let result = working(py, &[k, l], options, |run| {
        let test = Hsic { estimate: hsic_estimate(estimate)?, null: hsic_null(&null)?, draws: draws(given) };
        test.test(Variable::new(&x.0, k), Variable::new(&y.0, l), run)
    })?;
    record(py, result)
}

fn hsic_estimate(word: &str) -> mercer::Result<HsicEstimate> {
    match word {
        "biased" => Ok(HsicEstimate::Biased),
        "unbiased" => Ok(HsicEstimate::Unbiased),
        _ => Err(unknown("HSIC", "estimate", word, "`biased` or `unbiased`")),
    }
}

fn hsic_null((word, lag): &(String, f64)) -> mercer::Result<HsicNull> {
    match word.as_str() {
        "permutation" => Ok(HsicNull::Permutation),
        "circular_shift" => Ok(HsicNull::CircularShift),
        "wild_bootstrap" => Ok(HsicNull::WildBootstrap { lag: *lag }),
        "gamma" => Ok(HsicNull::Gamma),
        _ => Err(unknown("HSIC", "null", word, "`permutation`, `circular_shift`, `wild_bootstrap` or `gamma`")),
    }
}

/// The test of joint independence of several variables.
#[pyfunction]
pub(crate) fn dhsic<'py>(
    py: Python<'py>,
    variables: Vec<(PyRef<'py, Inputs>, PyRef<'py, Expr>)>,
    given: GivenDraws,
    options: &Options,
) -> PyResult<Bound<'py, PyDict>> {
    let points: Vec<(&Points, &KernelExpr)> = variables.iter().map(|(x, k)| (&x.0, &k.0)).collect();
    let kernels: Vec<&KernelExpr> = points.iter().map(|(_, k)| *k).collect();
    let result = working(py, &kernels, options, |run| {
        let variables: Vec<Variable<'_>> = points.iter().map(|(x, k)| Variable::new(x, k)).collect();
        Dhsic { draws: draws(given) }.test(&variables, run)
    })?;
    record(py, result)
}

fn kci(width: &str, epsilon: f64, null: &str, given: GivenDraws) -> mercer::Result<Kci> {
    let width = match width {
        "empirical" => Width::Empirical,
        "median" => Width::Median,
        _ => return Err(unknown("KCI", "width", width, "`empirical` or `median`")),
    };
    let null = match null {
        "gamma" => KciNull::Gamma,
        "spectrum" => KciNull::Spectrum(draws(given)),
        _ => return Err(unknown("KCI", "null", null, "`gamma` or `spectrum`")),
    };
    Ok(Kci { width, epsilon, null })
}

fn side<'a>(x: &'a Inputs, kernel: Option<&'a Expr>) -> Side<'a> {
    Side { points: &x.0, kernel: kernel.map(|k| &k.0) }
}

/// A conditioning set, prepared once for any number of pairs.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Conditioning(Given);

#[pymethods]
impl Conditioning {
    #[new]
    #[pyo3(signature = (z, kernel, width, epsilon, null, given, options))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        z: &Inputs,
        kernel: Option<&Expr>,
        width: &str,
        epsilon: f64,
        null: &str,
        given: GivenDraws,
        options: &Options,
    ) -> PyResult<Self> {
        let kernels: Vec<&KernelExpr> = kernel.iter().map(|k| &k.0).collect();
        let prepare = |run: &Run| kci(width, epsilon, null, given)?.given(side(z, kernel), run);
        working(py, &kernels, options, prepare).map(Conditioning)
    }

    /// Tests one pair given the set.
    #[pyo3(signature = (x, y, kernel_x, kernel_y, options))]
    fn test<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        y: &Inputs,
        kernel_x: Option<&Expr>,
        kernel_y: Option<&Expr>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyDict>> {
        let kernels: Vec<&KernelExpr> = [kernel_x, kernel_y].into_iter().flatten().map(|k| &k.0).collect();
        let test = |run: &Run| self.0.test(side(x, kernel_x), side(y, kernel_y), run);
        record(py, working(py, &kernels, options, test)?)
    }
}

/// KCI without conditions.
#[pyfunction]
#[pyo3(signature = (x, y, kernel_x, kernel_y, width, options))]
pub(crate) fn kci_without_conditions<'py>(
    py: Python<'py>,
    x: &Inputs,
    y: &Inputs,
    kernel_x: Option<&Expr>,
    kernel_y: Option<&Expr>,
    width: &str,
    options: &Options,
) -> PyResult<Bound<'py, PyDict>> {
    let kernels: Vec<&KernelExpr> = [kernel_x, kernel_y].into_iter().flatten().map(|k| &k.0).collect();
    let test = |run: &Run| {
        let settings = kci(width, Kci::default().epsilon, "gamma", (1, 0, None))?;
        settings.without_conditions(side(x, kernel_x), side(y, kernel_y), run)
    };
    record(py, working(py, &kernels, options, test)?)
}

fn base((name, length_scale, beta): &GivenBase) -> mercer::Result<SteinBase> {
    match name.as_str() {
        "imq" => Ok(SteinBase::InverseMultiquadric { length_scale: *length_scale, beta: *beta }),
        "rbf" => Ok(SteinBase::Rbf { length_scale: *length_scale }),
        _ => Err(unknown("Stein's kernel", "kernel", name, "`imq` or `rbf`")),
    }
}

fn rows(py: Python<'_>, values: &Matrix<'_>) -> PyResult<Rows> {
    let (nrows, ncols) = (values.shape()[0], values.shape()[1]);
    let slice = values.as_slice()?;
    guard(py, || Rows::new(slice, nrows, ncols))
}

/// The test of fit to the density of a score.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
#[pyo3(signature = (points, scores, kernel, estimate, lag, given, options))]
pub(crate) fn ksd<'py>(
    py: Python<'py>,
    points: Matrix<'py>,
    scores: Matrix<'py>,
    kernel: GivenBase,
    estimate: &str,
    lag: Option<f64>,
    given: GivenDraws,
    options: &Options,
) -> PyResult<Bound<'py, PyDict>> {
    let (points, scores) = (rows(py, &points)?, rows(py, &scores)?);
    let result = working(py, &[], options, |run| {
        let estimate = match estimate {
            "biased" => KsdEstimate::Biased,
            "unbiased" => KsdEstimate::Unbiased,
            _ => return Err(unknown("KSD", "estimate", estimate, "`biased` or `unbiased`")),
        };
        Ksd { base: base(&kernel)?, estimate, lag, draws: draws(given) }.test(&points, &scores, run)
    })?;
    record(py, result)
}

/// Rows that stand for the density of a score.
#[pyfunction]
pub(crate) fn thin<'py>(
    py: Python<'py>,
    points: Matrix<'py>,
    scores: Matrix<'py>,
    count: usize,
    kernel: GivenBase,
    standardize: bool,
    options: &Options,
) -> PyResult<Chosen<'py>> {
    let (points, scores) = (rows(py, &points)?, rows(py, &scores)?);
    let found =
        working(py, &[], options, |run| stein_thinning(&points, &scores, count, (base(&kernel)?, standardize), run))?;
    Ok(chosen(py, found))
}

/// Rows whose mean in feature space is near that of all.
#[pyfunction]
pub(crate) fn herd<'py>(
    py: Python<'py>,
    x: &Inputs,
    kernel: &Expr,
    count: usize,
    options: &Options,
) -> PyResult<Chosen<'py>> {
    let found = working(py, &[&kernel.0], options, |run| kernel_herding(&x.0, &kernel.0, count, run))?;
    Ok(chosen(py, found))
}
