//! Whether a text is a formula of kernels or an expression in x and y.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, ScalarExpr, by_name};

use super::ast::FUNCTIONS;
use super::{Token, TokenKind, error, tokens};

/// What a text is read as.
///
/// ```
/// use mercer::kernel::Reading;
/// assert_eq!(Reading::of("min(x, y) + 1"), Reading::Expression);
/// assert_eq!(Reading::of("rbf(x, y) + 1"), Reading::Formula);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Kernels by name, over columns.
    Formula,
    /// A function of the points x and y.
    Expression,
}

impl Reading {
    /// An expression where the free names are exactly x and y, or where they look like names of
    /// points or there are none, and the text makes no sense as a formula. What names a kernel of
    /// the catalogue is a formula.
    pub fn of(text: &str) -> Self {
        let tokens = readable(text);
        let names = || {
            tokens.iter().enumerate().filter_map(|(i, token)| match &token.kind {
                TokenKind::Name(name) => Some((i, name.as_str())),
                _ => None,
            })
        };
        let called = |i: usize| tokens.get(i + 1).is_some_and(|next| next.kind == TokenKind::Symbol('('));
        let quoted = tokens.iter().any(|t| matches!(t.kind, TokenKind::Quoted(_)));
        if quoted || names().any(|(_, name)| is_kernel(name)) {
            return Reading::Formula;
        }
        let free: Vec<(usize, &str)> = names().filter(|(_, name)| !ScalarExpr::is_known(name)).collect();
        let has = |point: &str| free.iter().any(|(_, name)| *name == point);
        if has("x") && has("y") && free.iter().all(|(_, name)| ["x", "y"].contains(name)) {
            return Reading::Expression;
        }
        if free.iter().any(|(i, _)| called(*i)) || KernelExpr::judge_formula(text).is_ok() {
            return Reading::Formula;
        }
        let points = has("x") || has("y") || free.iter().all(|(_, name)| looks_like_a_point(name));
        let numbers = free.is_empty() && names().all(|(_, name)| FUNCTIONS.contains(&name));
        if points && !numbers { Reading::Expression } else { Reading::Formula }
    }

    /// An error where an expression names only one of the points: it says what to write instead.
    pub fn check_points(expression: &str) -> Result<()> {
        let Ok(names) = ScalarExpr::free_names(expression) else { return Ok(()) };
        let (point, other) = match names.as_slice() {
            [one] if one == "x" => ("x", "y"),
            [one] if one == "y" => ("y", "x"),
            _ => return Ok(()),
        };
        ScalarExpr::parse(expression)?;
        let problem = format!("this is a function of {point} alone, and a kernel is a function of two points, x and y");
        let feature = expression.trim();
        let help = format!("for the feature map {feature} write `({feature})*({})`", renamed(feature, point, other));
        Err(at(expression, point, problem, help))
    }
}

fn at(source: &str, name: &str, problem: String, help: String) -> Error {
    let place = readable(source).into_iter().find(|t| t.kind == TokenKind::Name(name.to_owned()));
    let span: Range<usize> = place.map_or(0..source.len(), |token| token.span);
    error(source, span, problem, Some(help))
}

/// The text with one name for another.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut out = text.to_owned();
    // From the end, so that places stay where they are.
    for token in readable(text).iter().rev().filter(|t| t.kind == TokenKind::Name(from.to_owned())) {
        out.replace_range(token.span.clone(), to);
    }
    out
}

/// The tokens, as far as the text can be cut into some.
fn readable(text: &str) -> Vec<Token> {
    match tokens(text) {
        Ok(tokens) => tokens,
        Err(Error::Formula(e)) => tokens(&text[..e.span.start]).unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

/// Whether only a formula can name it.
fn is_kernel(name: &str) -> bool {
    let other = ["normalize", "with_gaps", "matern", "expression"].contains(&name);
    (by_name(name).is_some() || other) && !ScalarExpr::is_known(name)
}

/// One letter, perhaps with a number: x, z, X, x1, y_2.
fn looks_like_a_point(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.all(|c| c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_expressions_from_formulas() {
        for text in [
            "min(x, y)",
            "x*y",
            "x*z",
            "x^2",
            "π",
            "pi",
            "2*pi",
            "e",
            "X*Y",
            "x1*x2",
            "exp(x)",
            "cos(1)",
            "x +* y",
            "x*foo",
            "sin(x-y)/(x-y)",
            "max(x,y",
            "x ± y",
            "s*t",
        ] {
            assert_eq!(Reading::of(text), Reading::Expression, "{text}");
        }
        for text in [
            "rbf",
            "rfb",
            "rbf(x, y)",
            "rbf(x) + rbf(y)",
            "2",
            "2 + 3",
            "exp(2)",
            "min(x)",
            "min(a, b)",
            "linear*x",
            "foo(x, y)",
            "mine",
            "",
            "normalize(x)",
            "expression(\"x*y\", a)",
            "rbf +",
        ] {
            assert_eq!(Reading::of(text), Reading::Formula, "{text}");
        }
    }

    #[test]
    fn a_function_of_one_point_says_what_to_write() {
        for text in ["x*y", "2", "pi", "x*z", "min(x,y"] {
            assert!(Reading::check_points(text).is_ok(), "{text}");
        }
        let error = Reading::check_points("exp(x) + x^2").expect_err("one point");
        assert_eq!(
            error.hint().as_deref(),
            Some("for the feature map exp(x) + x^2 write `(exp(x) + x^2)*(exp(y) + y^2)`")
        );
        assert!(error.to_string().starts_with("this is a function of x alone"), "{error}");
        assert!(Reading::check_points("y").is_err());
    }
}
