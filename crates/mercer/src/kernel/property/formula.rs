//! Whether a formula is a kernel, with all the evidence there is.

use serde::Serialize;

use super::{Proof, Standing, Verdict};
use crate::error::Result;
use crate::kernel::formula::{self, Judged, Place, Refutation};
use crate::kernel::{KernelExpr, Registry, ScalarExpr};

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
    /// What the formula is at two points with the numbers x and y on the curve of `place`, where the
    /// counterexample lies.
    pub on_a_line: Option<ScalarExpr>,
    /// Where the points of the counterexample lie.
    pub place: Option<Place>,
    /// The formula as a kernel, where it is accepted as one.
    #[serde(skip)]
    pub kernel: Option<KernelExpr>,
}

impl KernelExpr {
    /// Whether a formula is a positive definite kernel: a proof by the closure rules, or points
    /// that refute it, or neither. A rule that is not resolved yet may be any number: what is proved or
    /// refuted is so for all of them. An error means that it cannot be read.
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
        Self::check_formula_until(source, registry, &|| false)
    }

    /// [`check_formula_with`](Self::check_formula_with) that gives up, undecided, once `stop` says so;
    /// it is asked often.
    pub fn check_formula_until(source: &str, registry: &Registry, stop: &dyn Fn() -> bool) -> Result<FormulaCheck> {
        let (Judged { judgement, kernel }, search) = formula::examine(source, registry, stop)?;
        let (standing, conditional) = (judgement.standing, judgement.proof.clone());
        let answer = |verdict| FormulaCheck { verdict, standing, conditional, on_a_line: None, place: None, kernel };
        Ok(match (search, judgement.proof) {
            (None, Some(proof)) => FormulaCheck { conditional: None, ..answer(Verdict::PositiveDefinite(proof)) },
            (Some(Refutation::Found(found)), _) => {
                let (verdict, expr, place) = *found;
                let standing = match (&verdict, standing) {
                    (Verdict::Refuted(_), Standing::Unknown) => Standing::Indefinite,
                    (_, known) => known,
                };
                FormulaCheck { standing, on_a_line: Some(expr), place: Some(place), ..answer(verdict) }
            }
            (Some(Refutation::Nothing { .. }), _) if stop() => {
                answer(Verdict::Undecided { reason: "the check was stopped before it ended".into() })
            }
            (Some(Refutation::Nothing { rules, at_one }), _) => {
                answer(Verdict::Undecided { reason: undecided(&judgement.reason, standing, &rules, at_one) })
            }
            (None, None) => answer(Verdict::Undecided { reason: judgement.reason }),
        })
    }
}

/// Why nothing was found, and what may help.
fn undecided(reason: &str, standing: Standing, rules: &[String], at_one: bool) -> String {
    let known = match reason {
        "" => format!("it is {}", standing.words()),
        reason => reason.to_owned(),
    };
    if rules.is_empty() {
        return format!("{known}; no points on simple curves refute it");
    }
    let names: Vec<String> = rules.iter().map(|r| format!("`{r}`")).collect();
    let (may, one) = match at_one {
        true => ("depends", " (with 1 it is not positive definite)"),
        false => ("may depend", ""),
    };
    format!(
        "{known}; it {may} on the number that `median` finds in the data for {}{one}: give a number, or the data",
        names.join(" and ")
    )
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
            "laplace(length_scale=2) - cauchy(length_scale=1)",
            "linear(a) - linear(b)",
            "linear(a)*linear(b) - linear(a)",
            "rbf - 2*laplace",
            "delta - 1",
            "normalize(linear) - rbf(length_scale=1)",
            "2*expression(\"min(x, y)\", a, domain=\"R+\") - linear(a)",
            "spline(a) - 2*spline(a)*delta(b)",
            "-rbf^2",
            "2*-linear^2",
        ];
        for formula in refuted {
            let found = check(formula);
            assert!(found.verdict.counterexample().is_some(), "{formula}: {}", found.verdict);
            assert!(found.on_a_line.is_some(), "{formula}");
        }
    }

    #[test]
    fn like_terms_are_collected_exactly() {
        for (formula, kernel) in [
            ("rbf/2", "0.5*rbf(length_scale=median)"),
            ("rbf(length_scale=1)/4!", "0.25!*rbf(length_scale=1)"),
            ("2 in [1, 4]*linear/8 in [2, 16]", "0.25 in [0.0625, 2]*linear"),
            ("sqrt(rbf)", "rbf(length_scale=median)^0.5"),
            ("2*rbf - rbf", "rbf(length_scale=median)"),
            ("3!*linear - 1!*linear", "2!*linear"),
            ("3*linear - 1!*linear", "2*linear"),
            ("0.3*rbf - 0.1*rbf - 0.2*rbf", "0"),
            ("rbf(a, b) - 0.5*rbf(b, a)", "0.5*rbf(a, b, length_scale=median)"),
            ("rbf(length_scale=1!) - 0.5*rbf(length_scale=1)", "0.5*rbf(length_scale=1!)"),
            ("(linear + 1)^2 - 2*linear - 1", "linear^2"),
            ("(linear + 1)^3 + 2*rbf - rbf", "(linear + 1)^3 + rbf(length_scale=median)"),
            ("(linear + 1)^3 + rbf/2", "(linear + 1)^3 + 0.5*rbf(length_scale=median)"),
            ("rbf*linear/rbf", "linear"),
            ("linear*rbf - rbf*linear/2", "0.5*linear*rbf(length_scale=median)"),
            ("exp(log(cauchy))", "cauchy(length_scale=median)"),
            ("exp(0.5*log(cauchy) + linear)", "cauchy(length_scale=median)^0.5*exp(linear)"),
            ("log(exp(linear))", "linear"),
            ("abs(rbf)", "rbf(length_scale=median)"),
            ("-(-linear)", "linear"),
            ("(-linear)^2", "linear^2"),
            ("--linear^3", "linear^3"),
            ("1 - 1", "0"),
            ("rbf/3 + rbf/3 + rbf/3 - rbf", "0"),
        ] {
            let found = check(formula);
            assert!(found.verdict.proof().is_some(), "{formula}: {}", found.verdict);
            assert_eq!(found.kernel.map(|k| k.to_string()).as_deref(), Some(kernel), "{formula}");
            let parsed = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{formula}: {e}"));
            assert_eq!(parsed.to_string(), kernel, "{formula}");
            assert_eq!(KernelExpr::parse(kernel).unwrap_or_else(|e| panic!("{kernel}: {e}")), parsed, "{formula}");
        }
        // Proved, although no kernel of formulas is this one.
        for formula in
            ["exp(rbf - 1)", "exp(energy - 3)^0.5", "exp(log(rbf)/2 - linear + linear)", "exp(log(0.5))*linear"]
        {
            assert!(check(formula).verdict.proof().is_some(), "{formula}: {}", check(formula).verdict);
        }
        assert!(KernelExpr::parse("exp(rbf - 1)").is_err());
    }

    /// Each of these has a value of 0 or none where a rule would need more.
    #[test]
    fn side_conditions_are_looked_at() {
        let conditional = Standing::ConditionallyPositiveDefinite { order: 1 };
        for (formula, standing) in [
            ("normalize(0)", Standing::PositiveDefinite),
            ("normalize(linear)", Standing::PositiveDefinite),
            ("0^0.5", Standing::PositiveDefinite),
            ("(0*rbf)^0.5", Standing::PositiveDefinite),
            ("log(rbf)", conditional),
            ("log(2*rbf*cauchy^0.3)", conditional),
            ("log(0.5)", conditional),
            ("rbf - 1", conditional),
            ("log(min(a))", Standing::Indefinite),
            ("log(min(a)*rbf)", Standing::Indefinite),
            ("rbf*log(0.5)", Standing::Indefinite),
            ("rbf*(log(0.5) + 1)", Standing::Unknown),
            ("exp(thin_plate)", Standing::Indefinite),
            ("energy*rbf(length_scale=1)", Standing::Indefinite),
            ("abs(energy)", Standing::Indefinite),
            ("sqrt(linear^2)", Standing::Unknown),
            ("(rbf^0.5)^2 - rbf", Standing::PositiveDefinite),
            ("(linear^2)^0.5 - linear", Standing::Indefinite),
        ] {
            let found = check(formula);
            assert_eq!(found.standing, standing, "{formula}: {}", found.verdict);
            assert_eq!(found.verdict.proof().is_some(), standing == Standing::PositiveDefinite, "{formula}");
        }
    }

    #[test]
    fn what_has_no_value_is_not_defined() {
        for formula in [
            "log(0)",
            "exp(log(0))",
            "log(0*rbf)",
            "exp(log(min(a)))",
            "log(linear)",
            "exp(log(linear))",
            "linear/linear",
            "linear/linear - 1",
            "0*log(linear)",
            "0*log(min(a)) + rbf",
            "1/linear",
            "sqrt(energy)",
            "linear^0.5",
            "rbf/0",
        ] {
            let found = check(formula);
            assert!(matches!(found.verdict, Verdict::Undefined(_)), "{formula}: {}", found.verdict);
            assert_eq!(found.standing, Standing::Unknown, "{formula}");
            assert!(found.place.is_some(), "{formula}");
        }
    }

    #[test]
    fn what_is_not_decided_says_why() {
        for formula in ["abs(linear)", "precomputed", "sqrt(min)", "2*rbf - laplace(length_scale=1)"] {
            let Verdict::Undecided { reason } = check(formula).verdict else { panic!("{formula} was decided") };
            assert!(!reason.is_empty(), "{formula}");
        }
    }

    #[test]
    fn a_rule_may_be_any_number() {
        for formula in
            ["rbf - linear", "energy + rbf", "rbf(a) - 2*rbf(b)", "laplace - rbf", "rbf*linear - 1", "2 - 3*rbf"]
        {
            let found = check(formula);
            assert!(found.verdict.counterexample().is_some(), "{formula}: {}", found.verdict);
            let place = found.place.unwrap_or_else(|| panic!("{formula}"));
            let scaled = place.columns.iter().any(|(_, value)| value.contains("median"));
            assert!(scaled || place.rules.is_some(), "{formula}: {place}");
        }
        // Both are kernels for some length scales and not for others.
        for formula in ["2*rbf(length_scale=3) - rbf", "2*rbf - rbf(length_scale=3)"] {
            let Verdict::Undecided { reason } = check(formula).verdict else { panic!("{formula} was decided") };
            assert!(reason.contains("`median` finds in the data for `rbf(length_scale=median)`"), "{reason}");
        }
        assert!(check("2*rbf(length_scale=3) - rbf(length_scale=1)").verdict.counterexample().is_some());
    }

    #[test]
    fn decimals_are_what_is_written() {
        let long = check("rbf - 1.00000000000000000001*rbf");
        let Verdict::Undecided { reason } = long.verdict else { panic!("it was decided") };
        assert!(reason.contains("more digits"), "{reason}");
        assert!(KernelExpr::parse("linear^2.00000000000000000001").is_err());
        assert!(check("0.1*3*rbf - 0.30000000000000004*rbf").verdict.proof().is_none());
        assert!(check("1.00000000000000000001*rbf + 2.50*linear").verdict.proof().is_some());
        assert_eq!(check("1.50e0*rbf - 0.5*rbf - 1.0*rbf").kernel.map(|k| k.to_string()).as_deref(), Some("0"));
    }

    #[test]
    fn hostile_formulas_are_judged_in_time() {
        let nested =
            |function: &str, inner: &str| format!("{}{inner}{}", format!("{function}(").repeat(40), ")".repeat(40));
        let sum: Vec<String> = (0..2000).map(|i| format!("linear(c{i})")).collect();
        for formula in [
            nested("exp", "linear - rbf"),
            nested("normalize", "rbf - linear"),
            nested("tanh", "linear - rbf"),
            nested("sqrt", "rbf(a) + linear(b)"),
            nested("exp", "expression(\"exp(-abs(x - y))\", a) - rbf"),
            format!("{}rbf + linear - 1{}", "(".repeat(10), ")^2".repeat(10)),
            format!("{} - 1", vec!["(linear(a) + rbf(b))"; 60].join("*")),
            format!("{} - linear(c5)", sum.join(" + ")),
            vec!["rbf(a)"; 3000].join("*"),
        ] {
            check(&formula);
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
