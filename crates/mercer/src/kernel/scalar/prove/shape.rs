//! Pólya's criterion by the shapes of functions of t = |x − y|: which are convex, concave, rising.

use crate::kernel::property::{Proof, ProofRule, Rational, Standing};
use crate::kernel::scalar::ast::{Expr, Function};
use crate::kernel::scalar::interval::Interval;

use super::effort::Effort;
use super::piecewise::Piecewise;

/// What is known of a function of t ≥ 0.
#[derive(Clone, Copy)]
struct Shape {
    convex: bool,
    concave: bool,
    rises: bool,
    falls: bool,
    range: Interval,
}

/// A proof that φ(|x − y|) is positive definite since φ ≥ 0 is convex and bounded, so that it falls to
/// a limit ≥ 0.
pub(super) fn prove(expr: &Expr, effort: &Effort) -> Option<Proof> {
    let shape = shape(expr, effort)?;
    if !shape.convex || !shape.range.is_non_negative() || !shape.range.high.is_finite() {
        return None;
    }
    let step = Proof::new(expr, Standing::PositiveDefinite, ProofRule::Polya);
    Some(step.because("φ(t) ≥ 0 is a composition of convex and concave functions that is convex and bounded"))
}

fn shape(expr: &Expr, effort: &Effort) -> Option<Shape> {
    effort.spend()?;
    if let Some(shape) = Piecewise::profile(expr, effort).and_then(|p| of_profile(&p)) {
        return Some(shape);
    }
    match expr {
        Expr::Pi => Some(constant(Interval::pi())),
        Expr::Euler => Some(constant(Interval::point(1.0).exp())),
        Expr::Number(v) => Some(constant(v.interval())),
        Expr::Negate(a) => Some(shape(a, effort)?.negated()),
        Expr::Sum(terms) => terms.iter().try_fold(constant(Interval::point(0.0)), |sum, (term, minus)| {
            let term = shape(term, effort)?;
            Some(sum.plus(if *minus { term.negated() } else { term }))
        }),
        Expr::Product(factors) => factors.iter().try_fold(constant(Interval::point(1.0)), |product, (factor, over)| {
            let factor = shape(factor, effort)?;
            product.times(if *over { factor.power(Rational::whole(-1))? } else { factor })
        }),
        Expr::Power(base, exponent) => match exponent.as_ref() {
            Expr::Number(r) => shape(base, effort)?.power(r.rational()?),
            Expr::Negate(inner) => match inner.as_ref() {
                Expr::Number(r) => shape(base, effort)?.power(r.rational()?.negated()),
                _ => None,
            },
            _ => None,
        },
        Expr::Call(function, arguments) => {
            let a = shape(&arguments[0], effort)?;
            match function {
                Function::Min => Some(a.min(shape(&arguments[1], effort)?)),
                Function::Max => Some(a.negated().min(shape(&arguments[1], effort)?.negated()).negated()),
                _ => a.under(*function),
            }
        }
        _ => None,
    }
}

fn constant(range: Interval) -> Shape {
    Shape { convex: true, concave: true, rises: true, falls: true, range }
}

/// The shape of a polynomial, or of a function with breaks that is convex or concave.
fn of_profile(profile: &Piecewise) -> Option<Shape> {
    if !profile.is_continuous()? {
        return None;
    }
    let (convex, concave) = (profile.is_convex()?, profile.negated()?.is_convex()?);
    let (rises, falls) = (profile.rises()?, profile.negated()?.rises()?);
    let first = Interval::rational(profile.pieces.first()?.at(Rational::ZERO)?);
    let last = profile.pieces.last()?;
    let end = match last.as_constant() {
        Some(c) => Interval::rational(c),
        None if rises => Interval { low: f64::INFINITY, high: f64::INFINITY, low_open: true, high_open: true },
        None => Interval { low: f64::NEG_INFINITY, high: f64::NEG_INFINITY, low_open: true, high_open: true },
    };
    let range = match (rises, falls) {
        (true, _) => Interval { high: end.high, high_open: end.high_open, ..first },
        (_, true) => Interval { low: end.low, low_open: end.low_open, ..first },
        _ => Interval::ALL,
    };
    Some(Shape { convex, concave, rises, falls, range })
}

impl Shape {
    fn negated(self) -> Self {
        Shape {
            convex: self.concave,
            concave: self.convex,
            rises: self.falls,
            falls: self.rises,
            range: self.range.negated(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Shape {
            convex: self.convex && other.convex,
            concave: self.concave && other.concave,
            rises: self.rises && other.rises,
            falls: self.falls && other.falls,
            range: self.range.plus(other.range),
        }
    }

    fn is_constant(self) -> bool {
        self.rises && self.falls
    }

    /// A constant times a function, or two convex functions ≥ 0 that go the same way.
    fn times(self, other: Self) -> Option<Self> {
        let (c, f) = if self.is_constant() { (self, other) } else { (other, self) };
        let range = self.range.times(other.range);
        if c.is_constant() {
            let turned = if c.range.is_non_negative() {
                f
            } else if c.range.high <= 0.0 {
                f.negated()
            } else {
                return None;
            };
            return Some(Shape { range, ..turned });
        }
        if !(c.range.is_non_negative() && f.range.is_non_negative()) {
            return None;
        }
        let (rises, falls) = (c.rises && f.rises, c.falls && f.falls);
        Some(Shape { convex: c.convex && f.convex && (rises || falls), concave: false, rises, falls, range })
    }

    /// min(f, g).
    fn min(self, other: Self) -> Self {
        let sum = self.plus(other);
        Shape { convex: false, range: self.range.smaller(other.range), ..sum }
    }

    /// fʳ for f ≥ 0, or > 0 where r < 0.
    fn power(self, r: Rational) -> Option<Self> {
        let defined = if r < Rational::ZERO { self.range.is_positive() } else { self.range.is_non_negative() };
        if !defined {
            return None;
        }
        let range = self.range.power(r)?;
        Some(if r < Rational::ZERO {
            Shape { convex: self.concave, concave: false, rises: self.falls, falls: self.rises, range }
        } else if r < Rational::ONE {
            Shape { convex: false, concave: self.concave, range, ..self }
        } else {
            Shape { convex: self.convex, concave: r == Rational::ONE && self.concave, range, ..self }
        })
    }

    /// A function of one argument, with the shape it has on the values that the argument takes.
    fn under(self, function: Function) -> Option<Self> {
        let positive = self.range.is_non_negative();
        Some(match function {
            Function::Exp => Shape { concave: false, range: self.range.exp(), ..self },
            Function::Log => Shape { convex: false, range: self.range.log()?, ..self },
            Function::Sqrt => return self.power(Rational::new(1, 2)?),
            Function::Tanh if positive => Shape { convex: false, range: self.range.tanh(), ..self },
            Function::Sinh if positive => Shape { concave: false, range: self.range.sinh(), ..self },
            Function::Cosh if positive => Shape { concave: false, range: self.range.cosh(), ..self },
            Function::Abs if positive => self,
            _ => return None,
        })
    }
}
