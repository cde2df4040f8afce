//! An expression in x and y as a kernel on a numeric column.

use crate::error::{Error, Result};

use super::leaf::Columns;
use super::property::{Proof, Verdict};
use super::{Kernel, ScalarDomain, ScalarExpr};

/// A function of two numbers that is proved to be positive definite, on one numeric column.
///
/// **Definition** k(x, y) as the expression says, for x and y in its domain.
///
/// **Parameters** the expression; `domain`, one of `R` (the default), `R+`, `unit`, `[0,1]` and `N`. None is
/// part of θ.
///
/// **Properties** positive definite by [`Expression::proof`]; an expression without a proof is
/// refused.
///
/// **Cost** one evaluation of the expression per pair.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("2*expression(\"min(x, y)/max(x, y)\", age, domain=\"R+\")")?;
/// assert_eq!(k.to_string(), "2*expression(\"min(x, y)/max(x, y)\", age, domain=\"R+\")");
/// let min = KernelExpr::parse("expression(\"min(x, y)\", domain=\"R+\")")?;
/// assert_eq!(min.at(&[2.0], &[3.0])?, 2.0);
/// assert!(KernelExpr::parse("expression(\"max(x, y)\", domain=\"R+\")").is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    scalar: ScalarExpr,
    domain: ScalarDomain,
    columns: Columns,
    proof: Proof,
}

impl Expression {
    /// The kernel, if the expression is proved to be positive definite on the domain.
    pub fn new(scalar: ScalarExpr, domain: ScalarDomain) -> Result<Self> {
        Self::until(scalar, domain, &|| false)
    }

    /// The same, given up once `stop` says so.
    pub(crate) fn until(scalar: ScalarExpr, domain: ScalarDomain, stop: &dyn Fn() -> bool) -> Result<Self> {
        let refuse =
            |what: String, alternative: &str| Err(Error::Unsupported { what, alternative: alternative.into() });
        match scalar.check_until(domain, stop) {
            Verdict::PositiveDefinite(proof) => Ok(Expression { scalar, domain, columns: Columns::All, proof }),
            Verdict::Refuted(found) => refuse(
                format!("`{scalar}`, which is not positive definite on `{domain}` ({found}),"),
                "choose another expression, or a domain on which it is positive definite",
            ),
            Verdict::Undefined(found) => refuse(
                format!("`{scalar}`, which is not defined on all of `{domain}` ({found}),"),
                "choose another expression, or a domain on which it has a value",
            ),
            Verdict::Undecided { .. } => refuse(
                format!("`{scalar}`, which is not known to be positive definite on `{domain}`,"),
                "write it as sums, products, powers or exponentials of known kernels, or register a kernel of your own",
            ),
        }
    }

    /// Reads this column instead.
    pub fn on(mut self, columns: Columns) -> Self {
        self.columns = columns;
        self
    }

    /// The function.
    pub fn scalar(&self) -> &ScalarExpr {
        &self.scalar
    }

    /// The numbers it is a kernel on.
    pub fn domain(&self) -> ScalarDomain {
        self.domain
    }

    /// The column it reads.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Why it is positive definite.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}

impl Kernel<[f64]> for Expression {
    /// The value; NaN where it is too large for a number, which binding finds on the diagonal.
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        match (x, y) {
            ([x], [y]) => self.scalar.at(*x, *y).unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }
}
