//! Whether a formula or an expression is a kernel.

use mercer::KernelExpr;
use mercer::kernel::property::{FormulaCheck, Place, Proof, Standing, Verdict};
use mercer::kernel::{Reading, Registry, ScalarDomain, ScalarExpr};
use pyo3::prelude::*;

use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::run::{Job, Options};

/// A counterexample: points, vector, matrix, aᵀKa, and the sentence.
type Found = (Vec<f64>, Vec<f64>, Vec<Vec<f64>>, Option<f64>, String);
/// Where a counterexample lies: the sentence, and the value of each column.
type Where = (String, Vec<(String, String)>);
/// Word, steps of the proof, counterexample, reason, standing, proof of the condition, on a line, where.
type Answer = (
    &'static str,
    Option<String>,
    Option<Found>,
    Option<String>,
    String,
    Option<String>,
    Option<String>,
    Option<Where>,
);

/// Whether a text is an expression in x and y rather than a formula. With a domain, what is no
/// formula is an expression with a mistake in it; a function of one point is an error.
#[pyfunction]
pub(crate) fn is_expression(py: Python<'_>, text: &str, domain: bool) -> PyResult<bool> {
    guard(py, || match Reading::of(text) {
        Reading::Expression => Reading::check_points(text).map(|()| true),
        Reading::Formula => Ok(domain && KernelExpr::judge_formula(text).is_err()),
    })
}

/// Checks an expression in x and y on a domain; answers its normal form, too.
#[pyfunction]
pub(crate) fn check_expression(
    py: Python<'_>,
    text: &str,
    domain: &str,
    options: &Options,
) -> PyResult<(String, Answer)> {
    let job = Job::new(py, options)?;
    job.spawn(py, |run| {
        let expr = ScalarExpr::parse(text)?;
        let domain: ScalarDomain = domain.parse()?;
        let stop = || run.stop_reason().is_some();
        let verdict = expr.check_until(domain, &stop);
        // What is a kernel, or has no value somewhere, is not looked at again.
        let more = matches!(verdict, Verdict::Refuted(_) | Verdict::Undecided { .. });
        let conditional = more.then(|| expr.conditional(domain, &stop)).flatten();
        let standing = match conditional {
            Some(_) => Standing::ConditionallyPositiveDefinite { order: 1 }.words(),
            None => verdict.word().to_owned(),
        };
        Ok((expr.to_string(), answer(&verdict, standing, conditional.as_ref(), None, None)))
    })
}

/// Checks a formula, also one that is refused as a kernel.
#[pyfunction]
pub(crate) fn check_formula(py: Python<'_>, text: &str, options: &Options) -> PyResult<Answer> {
    let job = Job::new(py, options)?;
    job.spawn(py, |run| {
        let stop = || run.stop_reason().is_some();
        Ok(formula_answer(&KernelExpr::check_formula_until(text, &Registry::new(), &stop)?))
    })
}

/// A formula, also one that is refused, with numbers from `x` for its rules.
#[pyfunction]
pub(crate) fn resolve_formula(py: Python<'_>, text: &str, x: &Inputs, options: &Options) -> PyResult<String> {
    let job = Job::new(py, options)?;
    job.spawn(py, |run| Ok(KernelExpr::resolve_formula(text, &x.0, run)?.0))
}

/// Checks a kernel that may name Python functions.
#[pyfunction]
pub(crate) fn check_kernel(py: Python<'_>, kernel: &Expr) -> PyResult<Answer> {
    guard(py, || {
        let found = KernelExpr::check_formula_with(&kernel.0.to_string(), &kernel.0.registry())?;
        Ok(formula_answer(&found))
    })
}

fn formula_answer(found: &FormulaCheck) -> Answer {
    let line = found.on_a_line.as_ref().map(ToString::to_string);
    let standing = match &found.verdict {
        undefined @ Verdict::Undefined(_) => undefined.word().to_owned(),
        _ => found.standing.words(),
    };
    answer(&found.verdict, standing, found.conditional.as_ref(), line, found.place.as_ref())
}

fn answer(
    verdict: &Verdict,
    standing: String,
    conditional: Option<&Proof>,
    line: Option<String>,
    place: Option<&Place>,
) -> Answer {
    let found = verdict.counterexample().map(|c| {
        let numbers = |list: &[mercer::kernel::property::Rational]| list.iter().map(|r| r.to_f64()).collect();
        let matrix = c.matrix.iter().map(|row| row.iter().map(|q| q.known()).collect()).collect();
        let value = match &c.fault {
            mercer::kernel::property::Fault::Negative { value } => Some(value.to_f64()),
            _ => None,
        };
        (numbers(&c.points), numbers(&c.vector), matrix, value, c.to_string())
    });
    let reason = match verdict {
        Verdict::Undecided { reason } => Some(reason.clone()),
        _ => None,
    };
    let proof = verdict.proof().map(ToString::to_string);
    let place = place.map(|p| (p.to_string(), p.columns.clone()));
    (verdict.word(), proof, found, reason, standing, conditional.map(ToString::to_string), line, place)
}
