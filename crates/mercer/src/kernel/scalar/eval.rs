//! The value of an expression in floating point.

use super::ast::{Expr, Function};

/// Whole numbers up to here are exact in floating point.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The value, or why there is none.
pub(super) fn value(expr: &Expr, x: f64, y: f64) -> Result<f64, String> {
    let out = match expr {
        Expr::Number(v) => v.to_f64(),
        Expr::Pi => std::f64::consts::PI,
        Expr::Euler => std::f64::consts::E,
        Expr::X => x,
        Expr::Y => y,
        Expr::Negate(a) => -value(a, x, y)?,
        Expr::Sum(terms) => {
            let mut sum = 0.0;
            for (term, minus) in terms {
                let v = value(term, x, y)?;
                sum += if *minus { -v } else { v };
            }
            sum
        }
        Expr::Product(factors) => {
            let mut product = 1.0;
            for (factor, over) in factors {
                let v = value(factor, x, y)?;
                if *over && v == 0.0 {
                    return Err("a division by 0".into());
                }
                product = if *over { product / v } else { product * v };
            }
            product
        }
        Expr::Power(base, exponent) => power(value(base, x, y)?, value(exponent, x, y)?)?,
        Expr::Call(function, arguments) => {
            let a = value(&arguments[0], x, y)?;
            let b = arguments.get(1).map_or(Ok(a), |b| value(b, x, y))?;
            call(*function, a, b)?
        }
    };
    if out.is_finite() { Ok(out) } else { Err(format!("`{expr}` is too large for a number")) }
}

fn power(base: f64, exponent: f64) -> Result<f64, String> {
    if base == 0.0 && exponent < 0.0 {
        return Err("a negative power of 0".into());
    }
    if base < 0.0 && exponent.fract() != 0.0 {
        return Err(format!("a fractional power of the negative number {base}"));
    }
    Ok(base.powf(exponent))
}

fn call(function: Function, a: f64, b: f64) -> Result<f64, String> {
    Ok(match function {
        Function::Exp => a.exp(),
        Function::Log if a > 0.0 => a.ln(),
        Function::Log => return Err(format!("the logarithm of {a}, which is not positive")),
        Function::Sqrt if a >= 0.0 => a.sqrt(),
        Function::Sqrt => return Err(format!("the square root of the negative number {a}")),
        Function::Abs => a.abs(),
        Function::Cos => a.cos(),
        Function::Sin => a.sin(),
        Function::Cosh => a.cosh(),
        Function::Sinh => a.sinh(),
        Function::Tanh => a.tanh(),
        Function::Min => a.min(b),
        Function::Max => a.max(b),
        Function::Gcd => divisor(function, a, b)?,
        Function::Lcm => a / divisor(function, a, b)? * b,
    })
}

/// The greatest common divisor of two whole numbers ≥ 1.
fn divisor(function: Function, a: f64, b: f64) -> Result<f64, String> {
    for v in [a, b] {
        if !(v >= 1.0 && v.fract() == 0.0 && v <= LARGEST_WHOLE) {
            return Err(format!("`{}` is defined for whole numbers 1, 2, … and got {v}", function.name()));
        }
    }
    Ok(crate::kernel::property::greatest_divisor(a as u128, b as u128) as f64)
}
