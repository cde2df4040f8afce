//! Whether a formula or an expression is a kernel.

use mercer::KernelExpr;
use mercer::kernel::property::{Fault, Rational, Verdict};
use mercer::kernel::{Reading, Registry, ScalarExpr};
use mercer::report::{CheckReport, HasSchema};
use pyo3::prelude::*;

use crate::choices::object;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::run::{Job, Options};

/// A counterexample: points, vector, matrix, aᵀKa, and the sentence.
type Found = (Vec<f64>, Vec<f64>, Vec<Vec<f64>>, Option<f64>, String);
/// The report, and the numbers of its counterexample.
type Answer<'py> = (Bound<'py, PyAny>, Option<Found>);

/// Whether a text is an expression in x and y rather than a formula. With a domain, what is no
/// formula is an expression with a mistake in it; a function of one point is an error.
#[pyfunction]
pub(crate) fn is_expression(py: Python<'_>, text: &str, domain: bool) -> PyResult<bool> {
    guard(py, || match Reading::of(text) {
        Reading::Expression => Reading::check_points(text).map(|()| true),
        Reading::Formula => Ok(domain && KernelExpr::judge_formula(text).is_err()),
    })
}

/// Checks an expression in x and y on a domain.
#[pyfunction]
pub(crate) fn check_expression<'py>(
    py: Python<'py>,
    text: &str,
    domain: &str,
    options: &Options,
) -> PyResult<Answer<'py>> {
    let job = Job::new(py, options)?;
    let report = job.spawn(py, |run| {
        let (expr, domain) = (ScalarExpr::parse(text)?, domain.parse()?);
        Ok(CheckReport::of_expression(&expr, domain, &|| run.stop_reason().is_some()))
    })?;
    answer(py, &report)
}

/// Checks a formula, also one that is refused as a kernel.
#[pyfunction]
pub(crate) fn check_formula<'py>(py: Python<'py>, text: &str, options: &Options) -> PyResult<Answer<'py>> {
    let job = Job::new(py, options)?;
    let stopped = |run: &mercer::Run| run.stop_reason().is_some();
    let (report, _) = job.spawn(py, |run| CheckReport::of_formula(text, &Registry::new(), &|| stopped(run)))?;
    answer(py, &report)
}

/// A formula, also one that is refused, with numbers from `x` for its rules.
#[pyfunction]
pub(crate) fn resolve_formula(py: Python<'_>, text: &str, x: &Inputs, options: &Options) -> PyResult<String> {
    let job = Job::new(py, options)?;
    job.spawn(py, |run| Ok(KernelExpr::resolve_formula(text, &x.0, run)?.0))
}

/// Checks a kernel that may name Python functions.
#[pyfunction]
pub(crate) fn check_kernel<'py>(py: Python<'py>, kernel: &Expr) -> PyResult<Answer<'py>> {
    let (report, _) = guard(py, || CheckReport::of_formula(&kernel.0.to_string(), &kernel.0.registry(), &|| false))?;
    answer(py, &report)
}

fn answer<'py>(py: Python<'py>, report: &CheckReport) -> PyResult<Answer<'py>> {
    let found = report.verdict.as_ref().and_then(Verdict::counterexample).map(|c| {
        let numbers = |list: &[Rational]| list.iter().map(|r| r.to_f64()).collect();
        let matrix = c.matrix.iter().map(|row| row.iter().map(|q| q.known()).collect()).collect();
        let value = match &c.fault {
            Fault::Negative { value } => Some(value.to_f64()),
            _ => None,
        };
        (numbers(&c.points), numbers(&c.vector), matrix, value, c.to_string())
    });
    Ok((object(py, &serde_json::to_value(report.written()).unwrap_or_default())?, found))
}
