//! A collected formula as a kernel.

use crate::kernel::KernelExpr;
use crate::kernel::property::Rational;

use super::{Factor, Form, Term, What};

impl Form {
    /// The kernel that it is, where weights ≥ 0, products, powers, `exp` and `normalize` make it one.
    pub(in crate::kernel::formula) fn kernel(&self) -> Option<KernelExpr> {
        let mut terms = self.terms.iter().map(Term::kernel);
        match terms.next() {
            None => KernelExpr::constant(0.0).ok(),
            Some(first) => terms.try_fold(first?, |sum, term| Some(sum + term?)),
        }
    }
}

impl Term {
    fn kernel(&self) -> Option<KernelExpr> {
        let weight = self.coefficient.to_f64();
        if self.coefficient <= Rational::ZERO || !(weight > 0.0 && weight.is_finite()) {
            return None;
        }
        let mut factors = self.factors.iter().map(Factor::kernel);
        let Some(first) = factors.next() else { return KernelExpr::constant(weight).ok() };
        let product = factors.try_fold(first?, |product, factor| Some(product * factor?))?;
        if self.coefficient == Rational::ONE { Some(product) } else { product.scale(weight).ok() }
    }
}

impl Factor {
    fn kernel(&self) -> Option<KernelExpr> {
        let base = match &*self.atom.what {
            What::Kernel(kernel) => kernel.clone(),
            What::Exp(inner) => inner.kernel()?.exp(),
            What::Normalize(inner) => inner.kernel()?.normalize().ok()?,
            What::WithGaps(inner) => inner.kernel()?.with_gaps().ok()?,
            What::Group(inner) => inner.kernel()?,
            What::Log(_) | What::Function(..) => return None,
        };
        if self.exponent == Rational::ONE { Some(base) } else { base.pow(self.exponent.to_f64()).ok() }
    }
}
