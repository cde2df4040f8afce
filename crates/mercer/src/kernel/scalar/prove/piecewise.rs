//! Functions of t ≥ 0 that are polynomials between finitely many breaks.

use crate::kernel::property::Rational;
use crate::kernel::scalar::ast::{Expr, Function};

use super::effort::Effort;
use super::polynomial::Polynomial;

/// More breaks are not followed.
const MAX_BREAKS: usize = 6;
/// Nor are higher powers.
const MAX_DEGREE: usize = 16;

/// pieces[i] on [breaks[i − 1], breaks[i]], the first from 0 and the last without end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piecewise {
    pub(super) breaks: Vec<Rational>,
    pub(super) pieces: Vec<Polynomial>,
}

/// How an expression behaves when x − y changes its sign.
#[derive(Clone, Copy, PartialEq)]
enum Parity {
    Even,
    Odd,
}

impl Piecewise {
    /// The profile φ with k(x, y) = φ(|x − y|), where the expression is written in x − y alone.
    pub(super) fn profile(expr: &Expr, effort: &Effort) -> Option<Self> {
        let (profile, parity) = of_difference(expr, effort)?;
        (parity == Parity::Even).then_some(profile)
    }

    fn everywhere(p: Polynomial) -> Self {
        Piecewise { breaks: Vec::new(), pieces: vec![p] }
    }

    /// Both functions cut at the breaks of either.
    fn cut(&self, other: &Self) -> Option<(Vec<Rational>, Vec<[Polynomial; 2]>)> {
        let mut breaks: Vec<Rational> = self.breaks.iter().chain(&other.breaks).copied().collect();
        breaks.sort();
        breaks.dedup();
        if breaks.len() > MAX_BREAKS {
            return None;
        }
        let piece = |f: &Self, i: usize| {
            let passed = i.checked_sub(1).map_or(0, |left| f.breaks.iter().filter(|b| **b <= breaks[left]).count());
            f.pieces[passed].clone()
        };
        let pairs = (0..=breaks.len()).map(|i| [piece(self, i), piece(other, i)]).collect();
        Some((breaks, pairs))
    }

    fn join(&self, other: &Self, join: impl Fn(&Polynomial, &Polynomial) -> Option<Polynomial>) -> Option<Self> {
        let (breaks, pairs) = self.cut(other)?;
        let pieces: Option<Vec<_>> = pairs.iter().map(|[a, b]| join(a, b)).collect();
        Some(Piecewise { breaks, pieces: pieces? }.merged())
    }

    /// Without breaks where nothing changes.
    fn merged(self) -> Self {
        let mut pieces = self.pieces.into_iter();
        let mut out = Piecewise { breaks: Vec::new(), pieces: pieces.next().into_iter().collect() };
        for (at, piece) in self.breaks.into_iter().zip(pieces) {
            if out.pieces.last() != Some(&piece) {
                out.breaks.push(at);
                out.pieces.push(piece);
            }
        }
        out
    }

    fn times(&self, other: &Self) -> Option<Self> {
        self.join(other, |a, b| (a.degree() + b.degree() <= MAX_DEGREE).then(|| a.times(b))?)
    }

    /// min(f, g): where f − g is a line on each piece, it changes sign at most once.
    fn min(&self, other: &Self) -> Option<Self> {
        let difference = self.join(other, Polynomial::minus)?;
        let mut breaks = difference.breaks.clone();
        for (i, piece) in difference.pieces.iter().enumerate() {
            let [c, slope] = match piece.coefficients() {
                [c, slope] => [*c, *slope],
                _ if piece.degree() == 0 => continue,
                _ => return None,
            };
            let root = c.negated().over(slope)?;
            let left = i.checked_sub(1).map_or(Rational::ZERO, |l| difference.breaks[l]);
            let inside = root > left && difference.breaks.get(i).is_none_or(|right| root < *right);
            breaks.extend(inside.then_some(root));
        }
        let marks =
            Piecewise { pieces: vec![Polynomial::constant(Rational::ZERO); breaks.len() + 1], breaks: sorted(breaks) };
        let (breaks, differences) = difference.cut(&marks)?;
        let whole =
            Piecewise { breaks: breaks.clone(), pieces: vec![Polynomial::constant(Rational::ZERO); breaks.len() + 1] };
        let (_, first) = self.cut(&whole)?;
        let (_, second) = other.cut(&whole)?;
        let choose = |i: usize| {
            let at = sample(&breaks, i)?;
            let smaller = differences[i][0].at(at)? <= Rational::ZERO;
            Some(if smaller { first[i][0].clone() } else { second[i][0].clone() })
        };
        let pieces: Option<Vec<_>> = (0..=breaks.len()).map(choose).collect();
        Some(Piecewise { breaks, pieces: pieces? }.merged())
    }

    pub(super) fn is_continuous(&self) -> Option<bool> {
        for (i, at) in self.breaks.iter().enumerate() {
            if self.pieces[i].at(*at)? != self.pieces[i + 1].at(*at)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether every piece is convex and slopes do not fall at the breaks.
    pub(super) fn is_convex(&self) -> Option<bool> {
        let slopes: Option<Vec<Polynomial>> = self.pieces.iter().map(Polynomial::derivative).collect();
        let slopes = slopes?;
        for (i, at) in self.breaks.iter().enumerate() {
            if slopes[i].at(*at)? > slopes[i + 1].at(*at)? {
                return Some(false);
            }
        }
        self.is_non_negative(|p| p.derivative()?.derivative())
    }

    /// Whether every piece rises.
    pub(super) fn rises(&self) -> Option<bool> {
        self.is_non_negative(Polynomial::derivative)
    }

    /// Whether what is made of each piece is ≥ 0 where the piece holds.
    fn is_non_negative(&self, made: impl Fn(&Polynomial) -> Option<Polynomial>) -> Option<bool> {
        let mut left = Rational::ZERO;
        for (i, piece) in self.pieces.iter().enumerate() {
            let made = made(piece)?;
            let shown = match self.breaks.get(i) {
                Some(right) => made.is_non_negative_on(left, *right),
                None => made.moved(left)?.is_non_negative_from_zero(),
            };
            if !shown {
                return Some(false);
            }
            left = *self.breaks.get(i).unwrap_or(&left);
        }
        Some(true)
    }

    pub(super) fn negated(&self) -> Option<Self> {
        let pieces: Option<Vec<_>> = self.pieces.iter().map(|p| p.scaled(Rational::whole(-1))).collect();
        Some(Piecewise { breaks: self.breaks.clone(), pieces: pieces? })
    }

    fn as_constant(&self) -> Option<Rational> {
        if self.breaks.is_empty() { self.pieces.first()?.as_constant() } else { None }
    }
}

fn sorted(mut breaks: Vec<Rational>) -> Vec<Rational> {
    breaks.sort();
    breaks.dedup();
    breaks
}

/// A point inside piece i.
fn sample(breaks: &[Rational], i: usize) -> Option<Rational> {
    let left = i.checked_sub(1).map_or(Rational::ZERO, |l| breaks[l]);
    match breaks.get(i) {
        Some(right) => left.plus(*right)?.over(Rational::whole(2)),
        None => left.plus(Rational::ONE),
    }
}

/// The expression at x = t ≥ 0 and y = 0, and what it does under t → −t.
fn of_difference(expr: &Expr, effort: &Effort) -> Option<(Piecewise, Parity)> {
    effort.spend()?;
    match expr {
        Expr::Number(v) => Some((Piecewise::everywhere(Polynomial::constant(v.rational()?)), Parity::Even)),
        Expr::Negate(a) => {
            let (a, parity) = of_difference(a, effort)?;
            Some((a.negated()?, parity))
        }
        Expr::Sum(terms) => difference(terms).map_or_else(|| sum(terms, effort), Some),
        Expr::Product(factors) => product(factors, effort),
        Expr::Power(base, exponent) => power(base, exponent, effort),
        Expr::Call(Function::Abs, arguments) => {
            let (a, _) = of_difference(&arguments[0], effort)?;
            // |a| = −min(a, −a).
            Some((a.min(&a.negated()?)?.negated()?, Parity::Even))
        }
        Expr::Call(function @ (Function::Min | Function::Max), arguments) => {
            let (a, p) = of_difference(&arguments[0], effort)?;
            let (b, q) = of_difference(&arguments[1], effort)?;
            if p != Parity::Even || q != Parity::Even {
                return None;
            }
            let smaller = match function {
                Function::Min => a.min(&b)?,
                _ => a.negated()?.min(&b.negated()?)?.negated()?,
            };
            Some((smaller, Parity::Even))
        }
        _ => None,
    }
}

/// x − y or y − x.
fn difference(terms: &[(Expr, bool)]) -> Option<(Piecewise, Parity)> {
    let t = Piecewise::everywhere(Polynomial::variable());
    match terms {
        [(Expr::X, false), (Expr::Y, true)] => Some((t, Parity::Odd)),
        [(Expr::Y, false), (Expr::X, true)] => Some((t.negated()?, Parity::Odd)),
        _ => None,
    }
}

fn sum(terms: &[(Expr, bool)], effort: &Effort) -> Option<(Piecewise, Parity)> {
    let mut total: Option<(Piecewise, Parity)> = None;
    for (term, minus) in terms {
        let (part, parity) = of_difference(term, effort)?;
        let part = if *minus { part.negated()? } else { part };
        total = Some(match total {
            None => (part, parity),
            Some((so_far, same)) if same == parity => (so_far.join(&part, Polynomial::plus)?, same),
            Some(_) => return None,
        });
    }
    total
}

fn product(factors: &[(Expr, bool)], effort: &Effort) -> Option<(Piecewise, Parity)> {
    let mut out = Piecewise::everywhere(Polynomial::constant(Rational::ONE));
    let mut odd = false;
    for (factor, over) in factors {
        let (part, parity) = of_difference(factor, effort)?;
        let part = if *over {
            Piecewise::everywhere(Polynomial::constant(Rational::ONE.over(part.as_constant()?)?))
        } else {
            part
        };
        odd ^= parity == Parity::Odd;
        out = out.times(&part)?;
    }
    Some((out, if odd { Parity::Odd } else { Parity::Even }))
}

fn power(base: &Expr, exponent: &Expr, effort: &Effort) -> Option<(Piecewise, Parity)> {
    let (base, parity) = of_difference(base, effort)?;
    let n = of_difference(exponent, effort)?.0.as_constant()?;
    if !n.is_whole() || n < Rational::ONE || n > Rational::whole(MAX_DEGREE as i64) {
        return None;
    }
    let mut out = base.clone();
    for _ in 1..n.numerator() {
        out = out.times(&base)?;
    }
    let odd = parity == Parity::Odd && n.numerator() % 2 == 1;
    Some((out, if odd { Parity::Odd } else { Parity::Even }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::scalar::ScalarExpr;
    use crate::testkit::tol;

    /// The profile has the values of the expression at x = t and y = 0, and at x = 0 and y = t.
    #[test]
    fn a_profile_is_the_expression() {
        for source in [
            "max(0, 1 - abs(x-y))^3*(3*abs(x-y) + 1)",
            "min(abs(x-y), 2) - max(1, (y-x)/2*(y-x)*0 + abs(y-x))",
            "abs(abs(x-y) - 1)*(x-y)^2/3 - min(1, abs(abs(x-y)/2 - 1))",
            "-(x-y)^3*(y-x)",
        ] {
            let expr = ScalarExpr::parse(source).unwrap_or_else(|e| panic!("{e}"));
            let effort = Effort::new(&|| false);
            let profile = Piecewise::profile(&expr.0, &effort).unwrap_or_else(|| panic!("{source}"));
            for i in 0..40 {
                let t = Rational::new(i, 7).expect("fits");
                let piece = profile.breaks.iter().filter(|b| **b <= t).count();
                let found = profile.pieces[piece].at(t).expect("fits").to_f64();
                for (x, y) in [(t.to_f64(), 0.0), (0.0, t.to_f64())] {
                    let expected = expr.at(x, y).unwrap_or_else(|e| panic!("{e}"));
                    assert!((found - expected).abs() <= tol::GOLDEN * expected.abs().max(1.0), "{source} at {t}");
                }
            }
        }
        for source in ["x - y", "x*y", "abs(x + y)", "cos(x - y)", "min(x - y, 1)", "x - y + 1"] {
            let expr = ScalarExpr::parse(source).unwrap_or_else(|e| panic!("{e}"));
            assert!(Piecewise::profile(&expr.0, &Effort::new(&|| false)).is_none(), "{source}");
        }
    }
}
