//! Sums, products, powers and functions of collected formulas.

use crate::kernel::property::Rational;

use super::{Factor, Form, MAX_SUM, MAX_TERMS, Term, What};

/// Whole powers of sums up to this one are multiplied out.
const MAX_EXPANDED: i128 = 16;

impl Form {
    /// a + b.
    pub(super) fn plus(mut self, other: &Form) -> Option<Form> {
        for term in &other.terms {
            match self.terms.iter().position(|t| t.factors == term.factors) {
                Some(i) => {
                    self.terms[i].coefficient = self.terms[i].coefficient.plus(term.coefficient)?;
                    self.forget(i);
                }
                None => self.terms.push(term.clone()),
            }
        }
        (self.terms.len() <= MAX_SUM).then_some(self)
    }

    /// Leaves a term out that is 0 everywhere; 0·log k is not where k is 0.
    fn forget(&mut self, i: usize) {
        if self.terms[i].coefficient == Rational::ZERO && self.terms[i].range().total {
            self.terms.remove(i);
        }
    }

    /// c·a.
    pub(super) fn scaled(mut self, c: Rational) -> Option<Form> {
        for i in (0..self.terms.len()).rev() {
            self.terms[i].coefficient = self.terms[i].coefficient.times(c)?;
            self.forget(i);
        }
        Some(self)
    }

    /// a·b, multiplied out.
    pub(super) fn times(&self, other: &Form) -> Option<Form> {
        if self.terms.is_empty() || other.terms.is_empty() {
            // 0 times what has no value somewhere has none there either.
            return (self.range().total && other.range().total).then(Form::default);
        }
        if self.terms.len().saturating_mul(other.terms.len()) > 16 * MAX_TERMS {
            return None;
        }
        let mut product = Form::default();
        for a in &self.terms {
            for b in &other.terms {
                let coefficient = a.coefficient.times(b.coefficient)?;
                let term = Term { coefficient, factors: merged(&a.factors, &b.factors)? };
                product = product.plus(&Form { terms: vec![term] })?;
            }
        }
        (product.terms.len() <= MAX_TERMS).then_some(product)
    }

    /// a^e for e > 0 or e = −1.
    pub(super) fn power(&self, e: Rational) -> Option<Form> {
        if e == Rational::ONE {
            return Some(self.clone());
        }
        match (self.as_number(), self.terms.as_slice()) {
            (Some(c), _) => number_power(c, e),
            (None, [term]) => match term.power(e) {
                Some(power) => Some(power),
                None => self.grouped(e),
            },
            _ if e.is_whole() && e > Rational::ZERO && e.numerator() <= MAX_EXPANDED => {
                self.expanded(e.numerator()).or_else(|| self.grouped(e))
            }
            _ => self.grouped(e),
        }
    }

    /// aⁿ, multiplied out.
    fn expanded(&self, n: i128) -> Option<Form> {
        (1..n).try_fold(self.clone(), |power, _| power.times(self))
    }

    /// a^e as one factor.
    fn grouped(&self, e: Rational) -> Option<Form> {
        let mut form = Form::atom(What::Group(self.clone()))?;
        form.terms[0].factors[0].exponent = e;
        Some(form)
    }

    /// exp a; what is inside as a logarithm comes out as a factor.
    pub(super) fn exp(&self) -> Option<Form> {
        let mut product = Form::number(Rational::ONE);
        let mut rest = Form::default();
        for term in &self.terms {
            match term.logarithm() {
                Some(inner) => product = product.times(&inner.power(term.coefficient)?)?,
                None => rest.terms.push(term.clone()),
            }
        }
        match rest.terms.is_empty() {
            true => Some(product),
            false => product.times(&Form::atom(What::Exp(rest))?),
        }
    }

    /// log a, taken apart where every factor is positive.
    pub(super) fn log(&self) -> Option<Form> {
        let whole = || Form::atom(What::Log(self.clone()));
        let [term] = self.terms.as_slice() else { return whole() };
        let apart = term.factors.len() > 1 || term.coefficient != Rational::ONE || term.factors.iter().any(takes_apart);
        if !apart || term.coefficient <= Rational::ZERO || !term.factors.iter().all(|f| f.range().positive) {
            return whole();
        }
        let number = Form::number(term.coefficient);
        let mut sum = if term.coefficient == Rational::ONE { Form::default() } else { Form::atom(What::Log(number))? };
        for Factor { atom, exponent } in &term.factors {
            let log = match &*atom.what {
                What::Exp(inner) => inner.clone(),
                What::Group(inner) => Form::atom(What::Log(inner.clone()))?,
                _ => {
                    let factors = vec![Factor { atom: atom.clone(), exponent: Rational::ONE }];
                    Form::atom(What::Log(Form { terms: vec![Term { coefficient: Rational::ONE, factors }] }))?
                }
            };
            sum = sum.plus(&log.scaled(*exponent)?)?;
        }
        Some(sum)
    }

    /// a/√(a(x, x)·a(y, y)), which is 0 where a(x, x) is.
    pub(super) fn normalize(&self) -> Option<Form> {
        match self.as_number() {
            Some(c) if c >= Rational::ZERO => {
                Some(if c == Rational::ZERO { Form::default() } else { Form::number(Rational::ONE) })
            }
            Some(_) => None,
            None => Form::atom(What::Normalize(self.clone())),
        }
    }

    /// a, which reads gaps; a number reads nothing.
    pub(super) fn with_gaps(&self) -> Option<Form> {
        match self.as_number() {
            Some(_) => Some(self.clone()),
            None => Form::atom(What::WithGaps(self.clone())),
        }
    }

    /// |a|.
    pub(super) fn abs(&self) -> Option<Form> {
        if self.range().non_negative {
            return Some(self.clone());
        }
        match self.as_number() {
            Some(c) => Some(Form::number(c.magnitude())),
            None => Form::atom(What::Function("abs", self.clone())),
        }
    }
}

/// Whether the logarithm of a factor is something else than that of an atom.
fn takes_apart(factor: &Factor) -> bool {
    factor.exponent != Rational::ONE || matches!(&*factor.atom.what, What::Exp(_) | What::Group(_))
}

impl Term {
    /// k where this is c·log k with k > 0 everywhere.
    fn logarithm(&self) -> Option<&Form> {
        match self.factors.as_slice() {
            [Factor { atom, exponent }] if *exponent == Rational::ONE => match &*atom.what {
                What::Log(inner) if inner.range().positive => Some(inner),
                _ => None,
            },
            _ => None,
        }
    }

    /// (c·Π a^f)^e as one term, where the signs of the parts allow it.
    fn power(&self, e: Rational) -> Option<Form> {
        let plain = |f: &Factor| f.exponent.is_whole() && f.exponent > Rational::ZERO;
        let signed = |f: &Factor| plain(f) && e.is_whole();
        let unsigned = |f: &Factor| f.range().total && f.atom.range.non_negative && f.exponent > Rational::ZERO;
        let allowed = |f: &Factor| signed(f) || f.atom.range.positive || unsigned(f);
        if !self.factors.iter().all(allowed) || self.coefficient == Rational::ZERO {
            return None;
        }
        let raised = |f: &Factor| Some(Factor { atom: f.atom.clone(), exponent: f.exponent.times(e)? });
        let factors = self.factors.iter().map(raised).collect::<Option<_>>()?;
        let power = Form { terms: vec![Term { coefficient: Rational::ONE, factors }] };
        number_power(self.coefficient, e)?.times(&power)
    }
}

/// c^e; a power that is no fraction stays a power.
fn number_power(c: Rational, e: Rational) -> Option<Form> {
    if e.is_whole() {
        return c.power(i64::try_from(e.numerator()).ok()?).map(Form::number);
    }
    match c > Rational::ZERO {
        true if c == Rational::ONE => Some(Form::number(c)),
        true => Form::number(c).grouped(e),
        false => (c == Rational::ZERO && e > Rational::ZERO).then(Form::default),
    }
}

/// The factors of a product. a^e·a^f = a^(e + f) needs a > 0, a ≥ 0 with e, f > 0, or whole e, f > 0.
fn merged(a: &[Factor], b: &[Factor]) -> Option<Vec<Factor>> {
    let mut factors = a.to_vec();
    for factor in b {
        let Some(i) = factors.iter().position(|f| f.atom == factor.atom) else {
            let place = factors.partition_point(|f| f.atom.text < factor.atom.text);
            factors.insert(place, factor.clone());
            continue;
        };
        let (e, f) = (factors[i].exponent, factor.exponent);
        let range = factor.atom.range;
        let upwards = e > Rational::ZERO && f > Rational::ZERO;
        let joins = range.positive || (upwards && (range.non_negative || (e.is_whole() && f.is_whole())));
        if !joins {
            return None;
        }
        match e.plus(f)? {
            Rational::ZERO => drop(factors.remove(i)),
            sum => factors[i].exponent = sum,
        }
    }
    Some(factors)
}
