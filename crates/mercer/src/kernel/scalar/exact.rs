//! The value of an expression at rational points: exact where it can be, else an interval.

use crate::kernel::property::{Quantity, Rational, greatest_divisor};

use super::ast::{Expr, Function};
use super::interval::Interval;

/// A number that is known exactly or enclosed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Exact(Rational),
    Enclosed(Interval),
}

/// Why there is no value.
#[derive(Clone, Debug)]
pub(super) enum Gap {
    /// The expression certainly has no value at these points.
    Undefined(String),
    /// The arithmetic could not tell.
    Unknown,
}

type Outcome = Result<Number, Gap>;

fn undefined(problem: impl Into<String>) -> Gap {
    Gap::Undefined(problem.into())
}

impl Number {
    pub(super) fn interval(self) -> Interval {
        match self {
            Number::Exact(r) => Interval::rational(r),
            Number::Enclosed(i) => i,
        }
    }

    pub(super) fn quantity(self) -> Quantity {
        match self {
            Number::Exact(r) => Quantity::Exact(r),
            Number::Enclosed(i) => Quantity::Between { low: i.low, high: i.high },
        }
    }

    /// An operation that is done exactly where that fits, and in intervals otherwise.
    fn join(
        self,
        other: Number,
        exact: fn(Rational, Rational) -> Option<Rational>,
        enclosed: fn(Interval, Interval) -> Interval,
    ) -> Number {
        if let (Number::Exact(a), Number::Exact(b)) = (self, other)
            && let Some(value) = exact(a, b)
        {
            return Number::Exact(value);
        }
        Number::Enclosed(enclosed(self.interval(), other.interval()))
    }

    pub(super) fn plus(self, other: Number) -> Number {
        self.join(other, Rational::plus, Interval::plus)
    }

    pub(super) fn times(self, other: Number) -> Number {
        self.join(other, Rational::times, Interval::times)
    }

    fn negated(self) -> Number {
        match self {
            Number::Exact(r) => Number::Exact(r.negated()),
            Number::Enclosed(i) => Number::Enclosed(i.negated()),
        }
    }

    fn is_zero(self) -> bool {
        match self {
            Number::Exact(r) => r == Rational::ZERO,
            Number::Enclosed(i) => i.low == 0.0 && i.high == 0.0,
        }
    }

    fn over(self, other: Number) -> Outcome {
        if other.is_zero() {
            return Err(undefined("a division by 0"));
        }
        if let (Number::Exact(a), Number::Exact(b)) = (self, other)
            && let Some(value) = a.over(b)
        {
            return Ok(Number::Exact(value));
        }
        self.interval().over(other.interval()).map(Number::Enclosed).ok_or(Gap::Unknown)
    }
}

/// The value at (x, y).
pub(super) fn value(expr: &Expr, x: Rational, y: Rational) -> Outcome {
    let one = Number::Exact(Rational::ONE);
    Ok(match expr {
        Expr::Number(v) => v.rational().map_or_else(|| Number::Enclosed(v.interval()), Number::Exact),
        Expr::Pi => Number::Enclosed(Interval::pi()),
        Expr::Euler => Number::Enclosed(Interval::point(1.0).exp()),
        Expr::X => Number::Exact(x),
        Expr::Y => Number::Exact(y),
        Expr::Negate(a) => value(a, x, y)?.negated(),
        Expr::Sum(terms) => terms.iter().try_fold(Number::Exact(Rational::ZERO), |sum, (term, minus)| {
            let v = value(term, x, y)?;
            Ok(sum.plus(if *minus { v.negated() } else { v }))
        })?,
        Expr::Product(factors) => factors.iter().try_fold(one, |product, (factor, over)| {
            let v = value(factor, x, y)?;
            if *over { product.over(v) } else { Ok(product.times(v)) }
        })?,
        Expr::Power(base, exponent) => power(value(base, x, y)?, value(exponent, x, y)?)?,
        Expr::Call(function, arguments) => {
            let a = value(&arguments[0], x, y)?;
            let b = arguments.get(1).map_or(Ok(a), |b| value(b, x, y))?;
            call(*function, a, b)?
        }
    })
}

fn power(base: Number, exponent: Number) -> Outcome {
    match exponent {
        Number::Exact(r) if r.is_whole() => whole_power(base, r),
        Number::Exact(r) => fractional_power(base, r),
        Number::Enclosed(e) => {
            let log = base.interval().log().ok_or(Gap::Unknown)?;
            Ok(Number::Enclosed(e.times(log).exp()))
        }
    }
}

fn whole_power(base: Number, exponent: Rational) -> Outcome {
    let n = i64::try_from(exponent.numerator()).map_err(|_| Gap::Unknown)?;
    if n < 0 && base.is_zero() {
        return Err(undefined("a negative power of 0"));
    }
    if let Number::Exact(b) = base
        && let Some(value) = b.power(n)
    {
        return Ok(Number::Exact(value));
    }
    base.interval().whole_power(n).map(Number::Enclosed).ok_or(Gap::Unknown)
}

fn fractional_power(base: Number, r: Rational) -> Outcome {
    if base.interval().high < 0.0 {
        return Err(undefined(format!("a fractional power of the negative number {}", base.quantity())));
    }
    if base.is_zero() && r < Rational::ZERO {
        return Err(undefined("a negative power of 0"));
    }
    if r.denominator() == 2
        && let Number::Exact(b) = base
        && let Some(root) = exact_root(b)
    {
        return whole_power(Number::Exact(root), Rational::new(r.numerator(), 1).ok_or(Gap::Unknown)?);
    }
    base.interval().power(r).map(Number::Enclosed).ok_or(Gap::Unknown)
}

/// √r where it is rational.
fn exact_root(r: Rational) -> Option<Rational> {
    let root = |n: i128| {
        let guess = (n as f64).sqrt().round() as i128;
        (guess.checked_mul(guess) == Some(n)).then_some(guess)
    };
    Rational::new(root(r.numerator())?, root(r.denominator())?)
}

fn call(function: Function, a: Number, b: Number) -> Outcome {
    let i = a.interval();
    let zero = a.is_zero();
    Ok(match function {
        Function::Exp if zero => Number::Exact(Rational::ONE),
        Function::Cos | Function::Cosh if zero => Number::Exact(Rational::ONE),
        Function::Sin | Function::Sinh | Function::Tanh if zero => Number::Exact(Rational::ZERO),
        Function::Exp => Number::Enclosed(i.exp()),
        Function::Cos => Number::Enclosed(i.cos()),
        Function::Sin => Number::Enclosed(i.sin()),
        Function::Cosh => Number::Enclosed(i.cosh()),
        Function::Sinh => Number::Enclosed(i.sinh()),
        Function::Tanh => Number::Enclosed(i.tanh()),
        Function::Log => logarithm(a)?,
        Function::Sqrt => {
            if i.high < 0.0 {
                return Err(undefined(format!("the square root of the negative number {}", a.quantity())));
            }
            fractional_power(a, Rational::new(1, 2).ok_or(Gap::Unknown)?)?
        }
        Function::Abs => a.join(a, |r, _| Some(r.magnitude()), |i, _| i.magnitude()),
        Function::Min => a.join(b, |a, b| Some(a.min(b)), Interval::smaller),
        Function::Max => a.join(b, |a, b| Some(a.max(b)), Interval::greater),
        Function::Gcd => divisor(function, a, b)?,
        Function::Lcm => a.over(divisor(function, a, b)?)?.times(b),
    })
}

fn logarithm(a: Number) -> Outcome {
    if matches!(a, Number::Exact(r) if r == Rational::ONE) {
        return Ok(Number::Exact(Rational::ZERO));
    }
    if a.interval().high <= 0.0 {
        return Err(undefined(format!("the logarithm of {}, which is not positive", a.quantity())));
    }
    a.interval().log().map(Number::Enclosed).ok_or(Gap::Unknown)
}

fn divisor(function: Function, a: Number, b: Number) -> Outcome {
    let (Number::Exact(a), Number::Exact(b)) = (a, b) else { return Err(Gap::Unknown) };
    for v in [a, b] {
        if !(v.is_whole() && v >= Rational::ONE) {
            return Err(undefined(format!("`{}` is defined for whole numbers 1, 2, … and got {v}", function.name())));
        }
    }
    let divisor = greatest_divisor(a.numerator().unsigned_abs(), b.numerator().unsigned_abs());
    Rational::new(i128::try_from(divisor).map_err(|_| Gap::Unknown)?, 1).map(Number::Exact).ok_or(Gap::Unknown)
}
