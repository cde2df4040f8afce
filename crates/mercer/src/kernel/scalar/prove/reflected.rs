//! Even and odd parts: kernels of |x + y| and |x − y|.

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::domain::ScalarDomain;
use crate::kernel::scalar::normal::Normal;

use super::{Context, positive_step, views};

impl Context<'_> {
    /// ψ(x, −y) − ψ(x, y) with ψ of negative type on all numbers and ψ(−x, −y) = ψ(x, y).
    pub(super) fn odd_part(&mut self, a: &Normal) -> Option<Proof> {
        if self.serves || !a.variables().both() {
            return None;
        }
        let psi = a.part(|_, c| c < Rational::ZERO).negated();
        let reflected = self.reflected(&psi)?;
        if psi.is_zero() || reflected.minus(&psi)? != *a {
            return None;
        }
        let negative = self.of_difference(&psi)?;
        let reason = format!("ψ = `{psi}`");
        Some(positive_step(a, ProofRule::OddPart).because(reason).using(vec![negative]))
    }

    /// ψ(x, 0) + ψ(0, y) − (ψ(x, y) + ψ(x, −y))/2 with the same ψ, as the mean of two kernels.
    pub(super) fn even_part(&mut self, a: &Normal) -> Option<Proof> {
        if self.serves || !a.variables().both() {
            return None;
        }
        let difference = Normal::x().minus(&Normal::y())?;
        let joint = a.part(|m, _| m.variables().both());
        let psi = self.difference_part(&joint, &difference)?.scaled(Rational::whole(-2))?;
        let negative = self.of_difference(&psi)?;
        let half = psi.plus(&self.reflected(&psi)?)?.scaled(Rational::new(1, 2)?)?;
        let x = self.substitute(&psi, &Normal::x(), &Normal::zero())?;
        let y = self.substitute(&psi, &Normal::y(), &Normal::zero())?;
        if psi.is_zero() || x.plus(&y)?.minus(&half)? != *a || !self.diagonal(&psi)?.is_zero() {
            return None;
        }
        let reason = format!("ψ = `{psi}` and z = 0, and the mean of that and of the same with −y in place of y");
        Some(positive_step(a, ProofRule::EvenPart).because(reason).using(vec![negative]))
    }

    /// The terms that are functions of x − y.
    fn difference_part(&mut self, a: &Normal, difference: &Normal) -> Option<Normal> {
        let mut out = Normal::zero();
        for (m, c) in a.terms() {
            let term = Normal::term(m.clone(), c);
            if self.substitute(&term, difference, &Normal::zero())? == term {
                out = out.plus(&term)?;
            }
        }
        Some(out)
    }

    fn reflected(&mut self, psi: &Normal) -> Option<Normal> {
        self.substitute(psi, &Normal::x(), &Normal::y().negated())
    }

    /// A proof on all numbers that a function of x − y is of negative type.
    fn of_difference(&mut self, psi: &Normal) -> Option<Proof> {
        let difference = Normal::x().minus(&Normal::y())?;
        if self.substitute(psi, &difference, &Normal::zero())? != *psi {
            return None;
        }
        let view = views(ScalarDomain::Real).into_iter().next()?;
        let mut real = Context::new(&view, self.effort);
        real.serves = true;
        // Read again on all numbers, where no sign of x or y is known.
        let again = real.substitute(psi, &Normal::x(), &Normal::y())?;
        if again != *psi {
            return None;
        }
        real.negative(psi)
    }
}
