//! Polynomials in one variable with rational coefficients.

use crate::kernel::property::Rational;

/// Halvings of an interval before a sign is given up.
const MAX_HALVINGS: usize = 8;

/// Σ cᵢtⁱ, lowest coefficient first, the last one not 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polynomial(Vec<Rational>);

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<Rational>) -> Self {
        while coefficients.last() == Some(&Rational::ZERO) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    pub(super) fn constant(c: Rational) -> Self {
        Self::new(vec![c])
    }

    /// t.
    pub(super) fn variable() -> Self {
        Self::new(vec![Rational::ZERO, Rational::ONE])
    }

    pub(super) fn coefficients(&self) -> &[Rational] {
        &self.0
    }

    pub(super) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn coefficient(&self, i: usize) -> Rational {
        self.0.get(i).copied().unwrap_or(Rational::ZERO)
    }

    pub(super) fn as_constant(&self) -> Option<Rational> {
        (self.0.len() <= 1).then(|| self.coefficient(0))
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let n = self.0.len().max(other.0.len());
        let sums: Option<Vec<_>> = (0..n).map(|i| self.coefficient(i).plus(other.coefficient(i))).collect();
        sums.map(Self::new)
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.scaled(Rational::whole(-1))?)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut out = vec![Rational::ZERO; (self.0.len() + other.0.len()).saturating_sub(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                out[i + j] = out[i + j].plus(a.times(*b)?)?;
            }
        }
        Some(Self::new(out))
    }

    pub(super) fn scaled(&self, c: Rational) -> Option<Self> {
        let scaled: Option<Vec<_>> = self.0.iter().map(|a| a.times(c)).collect();
        scaled.map(Self::new)
    }

    pub(super) fn at(&self, t: Rational) -> Option<Rational> {
        self.0.iter().rev().try_fold(Rational::ZERO, |sum, c| sum.times(t)?.plus(*c))
    }

    pub(super) fn derivative(&self) -> Option<Self> {
        let terms = self.0.iter().enumerate().skip(1);
        let scaled: Option<Vec<_>> = terms.map(|(i, c)| c.times(Rational::whole(i as i64))).collect();
        scaled.map(Self::new)
    }

    /// The polynomial over t, if it vanishes at 0.
    pub(super) fn over_variable(&self) -> Option<Self> {
        (self.coefficient(0) == Rational::ZERO).then(|| Self::new(self.0.iter().skip(1).copied().collect()))
    }

    /// p(a + t).
    pub(super) fn moved(&self, a: Rational) -> Option<Self> {
        self.within(&Self::new(vec![a, Rational::ONE]))
    }

    /// p(q(t)).
    fn within(&self, q: &Self) -> Option<Self> {
        self.0.iter().rev().try_fold(Self::new(Vec::new()), |sum, c| sum.times(q)?.plus(&Self::constant(*c)))
    }

    /// The coefficients in Bernstein's basis of [a, b]: if all are ≥ 0, so is the polynomial there.
    fn bernstein(&self, a: Rational, b: Rational) -> Option<Vec<Rational>> {
        let moved = self.within(&Self::new(vec![a, b.minus(a)?]))?;
        let n = self.degree();
        let entry = |i: usize| {
            (0..=i).try_fold(Rational::ZERO, |sum, j| {
                sum.plus(moved.coefficient(j).times(binomial(i, j)?)?.over(binomial(n, j)?)?)
            })
        };
        (0..=n).map(entry).collect()
    }

    /// Whether it is ≥ 0 on [a, b]: shown for it or for the halves of the interval.
    pub(super) fn is_non_negative_on(&self, a: Rational, b: Rational) -> bool {
        self.shown_on(a, b, MAX_HALVINGS).unwrap_or(false)
    }

    fn shown_on(&self, a: Rational, b: Rational, halvings: usize) -> Option<bool> {
        if self.bernstein(a, b)?.iter().all(|c| *c >= Rational::ZERO) {
            return Some(true);
        }
        if halvings == 0 || self.at(a)? < Rational::ZERO || self.at(b)? < Rational::ZERO {
            return Some(false);
        }
        let middle = a.plus(b)?.over(Rational::whole(2))?;
        Some(self.shown_on(a, middle, halvings - 1)? && self.shown_on(middle, b, halvings - 1)?)
    }

    /// Whether it is ≥ 0 for all t ≥ 0: on [0, 1], and reversed, as tⁿ·p(1/t), on [0, 1] again.
    pub(super) fn is_non_negative_from_zero(&self) -> bool {
        let reversed = Self::new(self.0.iter().rev().copied().collect());
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        self.is_non_negative_on(zero, one) && reversed.is_non_negative_on(zero, one)
    }
}

/// n over k, 0 for k > n.
pub(super) fn binomial(n: usize, k: usize) -> Option<Rational> {
    if k > n {
        return Some(Rational::ZERO);
    }
    (0..k).try_fold(Rational::ONE, |c, i| c.times(Rational::whole((n - i) as i64))?.over(Rational::whole(i as i64 + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|c| Rational::whole(*c)).collect())
    }

    #[test]
    fn signs_are_those_of_the_values() {
        let (zero, one, three) = (Rational::ZERO, Rational::ONE, Rational::whole(3));
        // t² − 4t + 5 = (t − 2)² + 1, t² − 2t, (t − 1)², 1 − t².
        assert!(polynomial(&[5, -4, 1]).is_non_negative_on(zero, three));
        assert!(polynomial(&[5, -4, 1]).is_non_negative_from_zero());
        assert!(!polynomial(&[0, -2, 1]).is_non_negative_on(zero, three));
        assert!(polynomial(&[1, -2, 1]).is_non_negative_from_zero());
        assert!(polynomial(&[1, 0, -1]).is_non_negative_on(zero, one));
        assert!(!polynomial(&[1, 0, -1]).is_non_negative_from_zero());
        assert!(polynomial(&[]).is_non_negative_from_zero());
    }

    #[test]
    fn algebra_is_that_of_polynomials() {
        let (p, q) = (polynomial(&[1, 2]), polynomial(&[0, 0, 3]));
        assert_eq!(p.times(&q), Some(polynomial(&[0, 0, 3, 6])));
        assert_eq!(p.minus(&p), Some(polynomial(&[])));
        assert_eq!(q.derivative(), Some(polynomial(&[0, 6])));
        assert_eq!(q.over_variable(), Some(polynomial(&[0, 3])));
        assert_eq!(p.over_variable(), None);
        assert_eq!(p.at(Rational::whole(4)), Some(Rational::whole(9)));
    }
}
