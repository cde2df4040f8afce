//! From an expression to text that reads back as the same expression.

use std::fmt::{self, Write};

use super::ast::Expr;

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Signed,
    Power,
    Atom,
}

fn level(expr: &Expr) -> Level {
    match expr {
        Expr::Sum(_) => Level::Sum,
        Expr::Product(_) => Level::Product,
        Expr::Negate(_) => Level::Signed,
        Expr::Power(..) => Level::Power,
        _ => Level::Atom,
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(v) => write!(f, "{v}"),
            Expr::Pi => f.write_str("pi"),
            Expr::Euler => f.write_str("e"),
            Expr::X => f.write_str("x"),
            Expr::Y => f.write_str("y"),
            Expr::Negate(inner) => {
                f.write_char('-')?;
                at_least(f, inner, Level::Signed)
            }
            Expr::Sum(terms) => joined(f, terms, [" + ", " - "], Level::Product),
            Expr::Product(factors) => joined(f, factors, ["*", "/"], Level::Signed),
            Expr::Power(base, exponent) => {
                at_least(f, base, Level::Atom)?;
                f.write_char('^')?;
                at_least(f, exponent, Level::Signed)
            }
            Expr::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (i, argument) in arguments.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    write!(f, "{argument}")?;
                }
                f.write_char(')')
            }
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[(Expr, bool)], signs: [&str; 2], lowest: Level) -> fmt::Result {
    for (i, (part, inverse)) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(signs[usize::from(*inverse)])?;
        }
        at_least(f, part, lowest)?;
    }
    Ok(())
}

/// The expression, in parentheses where it holds less tightly than its place asks.
fn at_least(f: &mut fmt::Formatter<'_>, expr: &Expr, lowest: Level) -> fmt::Result {
    if level(expr) >= lowest { write!(f, "{expr}") } else { write!(f, "({expr})") }
}
