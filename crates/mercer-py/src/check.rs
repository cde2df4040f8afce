//! Whether a formula or an expression is a kernel.

use mercer::KernelExpr;
use mercer::kernel::property::{FormulaCheck, Proof, Verdict};
use mercer::kernel::{ScalarDomain, ScalarExpr};
use pyo3::prelude::*;

use crate::error::guard;
use crate::kernel::Expr;

/// A counterexample: points, vector, matrix, aᵀKa, and the sentence.
type Found = (Vec<f64>, Vec<f64>, Vec<Vec<f64>>, Option<f64>, String);
/// Word, steps of the proof, counterexample, reason, standing, proof of the condition, on a line.
type Answer = (&'static str, Option<String>, Option<Found>, Option<String>, String, Option<String>, Option<String>);

/// Whether a text is an expression in x and y rather than a formula.
#[pyfunction]
pub(crate) fn is_expression(text: &str) -> bool {
    ScalarExpr::is_meant(text)
}

/// Checks an expression in x and y on a domain; answers its normal form, too.
#[pyfunction]
pub(crate) fn check_expression(py: Python<'_>, text: &str, domain: &str) -> PyResult<(String, Answer)> {
    guard(py, || {
        let expr = ScalarExpr::parse(text)?;
        let domain: ScalarDomain = domain.parse()?;
        let verdict = expr.check(domain);
        let standing = verdict.word().to_owned();
        Ok((expr.to_string(), answer(&verdict, standing, None, None)))
    })
}

/// Checks a formula, also one that is refused as a kernel.
#[pyfunction]
pub(crate) fn check_formula(py: Python<'_>, text: &str) -> PyResult<Answer> {
    guard(py, || Ok(formula_answer(&KernelExpr::check_formula(text)?)))
}

/// Checks a kernel that may name Python functions.
#[pyfunction]
pub(crate) fn check_kernel(py: Python<'_>, kernel: &Expr) -> PyResult<Answer> {
    guard(py, || {
        let found = KernelExpr::check_formula_with(&kernel.expr.to_string(), &kernel.registry)?;
        Ok(formula_answer(&found))
    })
}

fn formula_answer(found: &FormulaCheck) -> Answer {
    let line = found.on_a_line.as_ref().map(ToString::to_string);
    answer(&found.verdict, found.standing.words(), found.conditional.as_ref(), line)
}

fn answer(verdict: &Verdict, standing: String, conditional: Option<&Proof>, line: Option<String>) -> Answer {
    let found = verdict.counterexample().map(|c| {
        let numbers = |list: &[mercer::kernel::property::Rational]| list.iter().map(|r| r.to_f64()).collect();
        let matrix = c.matrix.iter().map(|row| row.iter().map(|q| q.to_f64()).collect()).collect();
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
    (verdict.word(), proof, found, reason, standing, conditional.map(ToString::to_string), line)
}
