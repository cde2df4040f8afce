//! Kernels of two numbers, written as expressions in x and y.
//!
//! An expression such as `min(x, y)/max(x, y)` is read, evaluated, and checked on a domain: the
//! answer is a proof that it is positive definite, points that show that it is not, or neither.

mod ast;
mod decimal;
mod domain;
mod eigen;
mod eval;
mod exact;
mod interval;
mod normal;
mod parser;
mod print;
mod prove;
mod refute;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

use super::property::{Counterexample, Fault, Proof, Rational, Verdict};
use ast::Expr;
pub use domain::ScalarDomain;
use prove::Effort;

/// A function of two numbers x and y, as an expression.
///
/// Numbers, `+ - * / ^`, the constants `pi` and `e`, and the functions `exp`, `log` (or `ln`),
/// `sqrt`, `abs`, `cos`, `sin`, `cosh`, `sinh`, `tanh`, `min`, `max`, `gcd` and `lcm`. A number
/// is the decimal it is written as. Printing and reading back give the same expression.
///
/// ```
/// use mercer::kernel::{ScalarDomain, ScalarExpr};
/// let k = ScalarExpr::parse("min(x, y)/max(x, y)")?;
/// assert_eq!(k.at(2.0, 3.0)?, 2.0 / 3.0);
/// assert!(k.check(ScalarDomain::Positive).proof().is_some());
/// let max = ScalarExpr::parse("max(x, y)")?.check(ScalarDomain::Positive);
/// assert_eq!(max.counterexample().map(ToString::to_string).as_deref(), Some("points 1 and 2; a = (1, -1); aᵀKa = -1 < 0, exact"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarExpr(Expr);

impl ScalarExpr {
    /// Reads an expression.
    pub fn parse(source: &str) -> Result<Self> {
        parser::parse(source).map(ScalarExpr)
    }

    /// The names in a text that are neither functions nor constants of expressions, sorted.
    pub fn free_names(source: &str) -> Result<Vec<String>> {
        parser::free_names(source)
    }

    /// Whether a name is that of a function or a constant of expressions.
    pub(crate) fn is_known(name: &str) -> bool {
        parser::is_known(name)
    }

    /// Whether a text is an expression rather than a formula: its free names are exactly x and y.
    pub fn is_meant(source: &str) -> bool {
        Self::free_names(source).is_ok_and(|names| names == ["x", "y"])
    }

    /// The value at (x, y). A value that does not exist or is not finite is an error.
    pub fn at(&self, x: f64, y: f64) -> Result<f64> {
        eval::value(&self.0, x, y).map_err(|problem| Error::Domain {
            kernel: self.to_string(),
            expected: "points where it has a value".into(),
            got: format!("{problem} at x = {x}, y = {y}"),
            column: None,
            candidates: Vec::new(),
        })
    }

    /// Whether the expression is a positive definite kernel on the domain.
    pub fn check(&self, domain: ScalarDomain) -> Verdict {
        self.check_until(domain, &|| false)
    }

    /// [`check`](Self::check) that gives up, undecided, once `stop` says so; it is asked often.
    pub fn check_until(&self, domain: ScalarDomain, stop: &dyn Fn() -> bool) -> Verdict {
        let effort = Effort::new(stop);
        if let Some(proof) = prove::prove(&self.0, domain, &effort) {
            return Verdict::PositiveDefinite(proof);
        }
        match refute::refute(&self.0, domain, &effort) {
            Some(example) if matches!(example.fault, Fault::Undefined { .. }) => Verdict::Undefined(example),
            Some(example) => Verdict::Refuted(example),
            None if effort.was_stopped() => {
                Verdict::Undecided { reason: "the check was stopped before it ended".into() }
            }
            None => Verdict::Undecided { reason: undecided(domain) },
        }
    }

    /// A proof that the expression is conditionally positive definite on the domain, if the rules
    /// give one: Σᵢⱼ aᵢaⱼ k(xᵢ, xⱼ) ≥ 0 for numbers with Σᵢ aᵢ = 0.
    ///
    /// ```
    /// use mercer::kernel::{ScalarDomain, ScalarExpr};
    /// let k = ScalarExpr::parse("-abs(x - y)")?;
    /// assert!(k.check(ScalarDomain::Real).counterexample().is_some());
    /// assert!(k.conditional(ScalarDomain::Real, &|| false).is_some());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn conditional(&self, domain: ScalarDomain, stop: &dyn Fn() -> bool) -> Option<Proof> {
        prove::prove_conditional(&self.0, domain, &Effort::new(stop))
    }
}

impl ScalarExpr {
    /// Points that show that it is no kernel, without a search for a proof, until `stop` says so.
    pub(crate) fn refute_until(&self, domain: ScalarDomain, stop: &dyn Fn() -> bool) -> Option<Counterexample> {
        refute::refute(&self.0, domain, &Effort::new(stop))
    }

    /// The counterexample with these points and numbers aᵢ, if aᵀKa < 0 is verified.
    pub(crate) fn negative_at(&self, points: &[Rational], vector: &[Rational]) -> Option<Counterexample> {
        refute::negative_at(&self.0, points, vector)
    }
}

/// What was tried, and what may help.
fn undecided(domain: ScalarDomain) -> String {
    format!(
        "no rule proves it and no counterexample was found with up to six simple points of {}; \
         write it as sums, products, powers or exponentials of known kernels, or try a smaller domain",
        domain.describe()
    )
}

impl fmt::Display for ScalarExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ScalarExpr {
    type Err = Error;

    fn from_str(source: &str) -> Result<Self> {
        Self::parse(source)
    }
}

impl serde::Serialize for ScalarExpr {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
