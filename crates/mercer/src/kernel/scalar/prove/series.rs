//! Power series without their first terms: exp(k) − 1, 1/(1 − k) − 1 − k, −log(1 − k).

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::{Context, positive_step};

/// First terms up to this power of k are split off.
const MAX_ORDER: i64 = 3;

/// A function of k with non-negative coefficients.
struct Series {
    k: Normal,
    name: &'static str,
    coefficient: fn(i64, Rational) -> Option<Rational>,
    /// p of (1 − k)^(−p).
    p: Rational,
}

impl Context<'_> {
    /// a = c·(F(k) − first terms) + rest, with the rest positive definite once the first terms of
    /// the series are added to it.
    pub(super) fn series(&mut self, a: &Normal) -> Option<Proof> {
        for (m, c) in a.terms() {
            let Some(series) = self.series_of(m, c) else { continue };
            let Some(inner) = self.positive(&series.k) else { continue };
            let term = Normal::term(m.clone(), c);
            let mut first = Normal::zero();
            let mut power = Normal::one();
            let mut rest = a.minus(&term)?;
            for n in 0..=MAX_ORDER + 1 {
                if let Some(proof) = self.positive(&rest) {
                    let tail = term.minus(&first)?;
                    let first = if n == 0 { String::new() } else { format!(", without the powers of k below {n}") };
                    let reason = format!("{} with k = `{}`{first}", series.name, series.k);
                    let step = positive_step(&tail, ProofRule::PowerSeries).because(reason).using(vec![inner]);
                    if rest.is_zero() {
                        return Some(step);
                    }
                    return Some(positive_step(a, ProofRule::Sum).using(vec![step, proof]));
                }
                let next = power.scaled((series.coefficient)(n, series.p)?.times(c.magnitude())?)?;
                first = first.plus(&next)?;
                rest = rest.plus(&next)?;
                power = self.multiply(&power, &series.k)?;
            }
        }
        None
    }

    fn series_of(&mut self, m: &Monomial, c: Rational) -> Option<Series> {
        let (atom, q) = m.single()?;
        let plain = q == Rational::ONE && c > Rational::ZERO;
        match atom {
            Atom::Exp(u) if plain => {
                Some(Series { k: u.clone(), name: "exp(k) = Σ kⁿ/n!", coefficient: exp_coefficient, p: q })
            }
            Atom::Cosh(u) if plain => {
                let coefficient = |n: i64, q| if n % 2 == 0 { exp_coefficient(n, q) } else { Some(Rational::ZERO) };
                Some(Series { k: u.clone(), name: "cosh(k) = Σ k²ⁿ/(2n)!", coefficient, p: q })
            }
            Atom::Sinh(u) if plain => {
                let coefficient = |n: i64, q| if n % 2 == 1 { exp_coefficient(n, q) } else { Some(Rational::ZERO) };
                Some(Series { k: u.clone(), name: "sinh(k) = Σ k²ⁿ⁺¹/(2n + 1)!", coefficient, p: q })
            }
            Atom::Group(u) if q < Rational::ZERO && c > Rational::ZERO => {
                let k = self.below_one(u)?;
                Some(Series {
                    k,
                    name: "(1 − k)^(−p) = Σ p(p + 1)…(p + n − 1)/n!·kⁿ",
                    coefficient: binomial,
                    p: q.negated(),
                })
            }
            Atom::Log(u) if q == Rational::ONE && c < Rational::ZERO => {
                let k = self.below_one(u)?;
                let coefficient =
                    |n: i64, _| if n == 0 { Some(Rational::ZERO) } else { Rational::new(1, i128::from(n)) };
                Some(Series { k, name: "−log(1 − k) = Σ kⁿ/n", coefficient, p: q })
            }
            _ => None,
        }
    }

    /// k of 1 − k, if |k| < 1 on the domain.
    fn below_one(&mut self, u: &Normal) -> Option<Normal> {
        let k = Normal::one().minus(u)?;
        (u.variables().both() && self.is_contraction(&k)).then_some(k)
    }
}

fn exp_coefficient(n: i64, _: Rational) -> Option<Rational> {
    (1..=n).try_fold(Rational::ONE, |c, i| c.over(Rational::whole(i)))
}

fn binomial(n: i64, p: Rational) -> Option<Rational> {
    (1..=n).try_fold(Rational::ONE, |c, i| c.times(p.plus(Rational::whole(i - 1))?)?.over(Rational::whole(i)))
}
