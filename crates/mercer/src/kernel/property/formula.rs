//! Whether a formula is a kernel, with all the evidence there is.

use serde::Serialize;

use super::{Proof, Standing, Verdict};
use crate::error::Result;
use crate::kernel::{KernelExpr, Registry, ScalarDomain, ScalarExpr, formula};

/// The answer to "is this formula a kernel".
#[derive(Clone, Debug, Serialize)]
pub struct FormulaCheck {
    /// The verdict, with a proof or a counterexample.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What is known besides: a formula may be conditionally positive definite.
    pub standing: Standing,
    /// The proof that it is conditionally positive definite, where that is all it is.
    pub conditional: Option<Proof>,
    /// What the formula is at points on a line, where the counterexample lies: all numeric columns
    /// hold the same number.
    pub on_a_line: Option<ScalarExpr>,
}

impl KernelExpr {
    /// Whether a formula is a positive definite kernel: a proof by the closure rules, or points on
    /// a line that refute it, or neither. An error means that it cannot be read.
    ///
    /// ```
    /// use mercer::kernel::KernelExpr;
    /// assert!(KernelExpr::check_formula("(linear + 1)^3")?.verdict.proof().is_some());
    /// let difference = KernelExpr::check_formula("rbf - linear")?;
    /// assert!(difference.verdict.counterexample().is_some());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn check_formula(source: &str) -> Result<FormulaCheck> {
        Self::check_formula_with(source, &Registry::new())
    }

    /// [`check_formula`](Self::check_formula) for a formula that may name the kernels of `registry`.
    pub fn check_formula_with(source: &str, registry: &Registry) -> Result<FormulaCheck> {
        let judged = formula::judge(source, registry)?;
        if let (Standing::PositiveDefinite, Some(proof)) = (judged.standing, &judged.proof) {
            let verdict = Verdict::PositiveDefinite(proof.clone());
            return Ok(FormulaCheck { verdict, standing: judged.standing, conditional: None, on_a_line: None });
        }
        let line = formula::on_a_line(source, registry)?;
        let (verdict, on_a_line) = match line.map(|(expr, domain)| (refutation(&expr, domain), expr)) {
            Some((Some(refuted), expr)) => (refuted, Some(expr)),
            _ => (Verdict::Undecided { reason: undecided(&judged.reason, judged.standing) }, None),
        };
        let standing = match (&verdict, judged.standing) {
            (Verdict::Refuted(_), Standing::Unknown) => Standing::Indefinite,
            (_, known) => known,
        };
        Ok(FormulaCheck { verdict, standing, conditional: judged.proof, on_a_line })
    }
}

fn refutation(expr: &ScalarExpr, domain: ScalarDomain) -> Option<Verdict> {
    match expr.check(domain) {
        refuted @ (Verdict::Refuted(_) | Verdict::Undefined(_)) => Some(refuted),
        // A proof on a line says nothing of points off it.
        _ => None,
    }
}

fn undecided(reason: &str, standing: Standing) -> String {
    match reason {
        "" => format!("it is {}; no points on a line refute it", standing.words()),
        reason => format!("{reason}; no points on a line refute it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(formula: &str) -> FormulaCheck {
        KernelExpr::check_formula(formula).unwrap_or_else(|e| panic!("{formula}: {e}"))
    }

    #[test]
    fn what_is_no_kernel_is_refuted_on_a_line() {
        let refuted = [
            "rbf - linear",
            "-rbf",
            "linear - 1",
            "rbf(a) - 2*rbf(b)",
            "log(linear + 2)",
            "sqrt(poly(degree=2))",
            "1/(linear + 1)",
            "energy",
            "thin_plate",
            "energy(a, b, exponent=1.5) + rbf(a)",
            "exp(thin_plate)",
            "sigmoid",
            "sigmoid(gamma=2, coef0=-1)",
            "tanh(linear)",
            "min - 3*delta",
            "abs(linear)*linear - linear^4",
            "laplace(length_scale=2) - cauchy",
        ];
        for formula in refuted {
            let found = check(formula);
            assert!(found.verdict.counterexample().is_some(), "{formula}: {}", found.verdict);
            assert!(found.on_a_line.is_some(), "{formula}");
        }
    }

    #[test]
    fn what_is_not_decided_says_why() {
        for formula in ["abs(rbf)", "precomputed", "rbf*2 - rbf"] {
            let Verdict::Undecided { reason } = check(formula).verdict else { panic!("{formula} was decided") };
            assert!(!reason.is_empty(), "{formula}");
        }
    }

    /// The counterexample of a formula is one for its Gram matrix.
    #[test]
    fn counterexamples_hold_in_the_gram_matrix() {
        for formula in [
            "thin_plate",
            "energy(length_scale=2)",
            "sigmoid(gamma=2, coef0=-1)",
            "energy(exponent=1.5) + rbf(length_scale=1)",
        ] {
            let found = check(formula);
            let example = found.verdict.counterexample().unwrap_or_else(|| panic!("{formula}"));
            let kernel = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"));
            let mut value = 0.0;
            for (x, a) in example.points.iter().zip(&example.vector) {
                for (y, b) in example.points.iter().zip(&example.vector) {
                    let k = kernel.at(&[x.to_f64()], &[y.to_f64()]).unwrap_or_else(|e| panic!("{e}"));
                    value += a.to_f64() * b.to_f64() * k;
                }
            }
            assert!(value < 0.0, "{formula}: {value}");
        }
    }
}
