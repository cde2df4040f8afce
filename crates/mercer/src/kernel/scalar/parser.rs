//! From text to an expression.
//!
//! ```text
//! sum     := product (('+' | '-') product)*
//! product := signed (('*' | '/') signed)*
//! signed  := '-' signed | power
//! power   := atom (('^' | '**') signed)?
//! atom    := number | 'x' | 'y' | 'pi' | 'e' | name '(' sum (',' sum)* ')' | '(' sum ')'
//! ```

use std::ops::Range;

use crate::error::{Error, FormulaError, Result, nearest};
use crate::kernel::formula::{Token, TokenKind, tokens};

use super::ast::{Expr, Function};
use super::decimal::Decimal;

/// The longest text that is read, in bytes.
const MAX_LENGTH: usize = 1 << 13;
/// How deep an expression may nest; deeper ones could exhaust the stack.
const MAX_DEPTH: usize = 48;
/// How many numbers, names and operators an expression may have.
const MAX_TOKENS: usize = 400;

/// Reads an expression.
pub(super) fn parse(source: &str) -> Result<Expr> {
    let tokens = cut(source)?;
    let mut parser = Parser { source, tokens: &tokens, next: 0, depth: 0 };
    if tokens.is_empty() {
        return Err(parser.error(0..source.len(), "the expression is empty", Some("try `min(x, y)`".into())));
    }
    let tree = parser.sum()?;
    match parser.peek() {
        None => Ok(tree),
        Some(token) => Err(parser.unexpected_after(token)),
    }
}

/// The names in a text that are neither functions nor constants, each once and sorted.
pub(super) fn free_names(source: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = cut(source)?
        .into_iter()
        .filter_map(|t| match t.kind {
            TokenKind::Name(name) | TokenKind::Quoted(name) if !is_known(&name) => Some(name),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Whether a name is that of a function or a constant.
pub(super) fn is_known(name: &str) -> bool {
    Function::by_name(name).is_some() || ["pi", "π", "e"].contains(&name)
}

fn cut(source: &str) -> Result<Vec<Token>> {
    if source.len() > MAX_LENGTH {
        return Err(Error::invalid("an expression", "length", source.len(), format!("at most {MAX_LENGTH} bytes")));
    }
    let tokens = tokens(source).map_err(|error| match error {
        Error::Formula(e) if e.problem.starts_with("unexpected character") => {
            let help = Some("expressions are made of x, y, numbers, `+ - * / ^`, parentheses and functions".into());
            Error::Formula(Box::new(FormulaError { help, ..*e }))
        }
        other => other,
    })?;
    if tokens.len() > MAX_TOKENS {
        return Err(Error::invalid("an expression", "size", tokens.len(), format!("at most {MAX_TOKENS} symbols")));
    }
    Ok(tokens)
}

struct Parser<'a> {
    source: &'a str,
    tokens: &'a [Token],
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Expr> {
        self.enter()?;
        let mut terms = vec![(self.product()?, false)];
        while let Some(minus) = self.take_one('+', '-') {
            terms.push((self.product()?, minus));
        }
        self.depth -= 1;
        Ok(join(terms, Expr::Sum))
    }

    fn product(&mut self) -> Result<Expr> {
        let mut factors = vec![(self.signed()?, false)];
        while let Some(over) = self.take_one('*', '/') {
            factors.push((self.signed()?, over));
        }
        Ok(join(factors, Expr::Product))
    }

    fn signed(&mut self) -> Result<Expr> {
        if !self.take('-') {
            return self.power();
        }
        self.enter()?;
        let inner = self.signed()?;
        self.depth -= 1;
        Ok(Expr::Negate(Box::new(inner)))
    }

    fn power(&mut self) -> Result<Expr> {
        let base = self.atom()?;
        let double = self.peek().is_some_and(|t| t.kind == TokenKind::DoubleStar);
        self.next += usize::from(double);
        if !(double || self.take('^')) {
            return Ok(base);
        }
        self.enter()?;
        let exponent = self.signed()?;
        self.depth -= 1;
        Ok(Expr::Power(Box::new(base), Box::new(exponent)))
    }

    fn atom(&mut self) -> Result<Expr> {
        if self.take('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(inner);
        }
        let Some(token) = self.peek() else { return Err(self.unexpected("x, y, a number, a function or `(`")) };
        match &token.kind {
            TokenKind::Number(_) => self.number(token.span.clone()),
            TokenKind::Name(name) => self.name(name, token.span.clone()),
            _ => Err(self.unexpected("x, y, a number, a function or `(`")),
        }
    }

    /// The decimal as it is written, with every digit.
    fn number(&mut self, span: Range<usize>) -> Result<Expr> {
        self.next += 1;
        let text = &self.source[span.clone()];
        let decimal = Decimal::parse(text);
        decimal
            .map(Expr::Number)
            .ok_or_else(|| self.error(span, format!("the exponent of `{text}` is too large"), None))
    }

    fn name(&mut self, name: &str, span: Range<usize>) -> Result<Expr> {
        self.next += 1;
        let constant = match name {
            "x" => Some(Expr::X),
            "y" => Some(Expr::Y),
            "pi" | "π" => Some(Expr::Pi),
            "e" => Some(Expr::Euler),
            _ => None,
        };
        if let Some(constant) = constant {
            return Ok(constant);
        }
        let Some(function) = Function::by_name(name) else { return Err(self.unknown(name, span)) };
        if !self.take('(') {
            let help = function_example(function);
            return Err(self.error(span, format!("the function `{name}` needs arguments"), Some(help)));
        }
        let arguments = self.arguments()?;
        if arguments.len() != function.arity() {
            let count = if function.arity() == 1 { "one argument" } else { "two arguments" };
            let problem = format!("`{name}` takes {count}, got {}", arguments.len());
            return Err(self.error(span.start..self.end(), problem, Some(function_example(function))));
        }
        Ok(Expr::Call(function, arguments))
    }

    /// The arguments after `(`, up to and with `)`.
    fn arguments(&mut self) -> Result<Vec<Expr>> {
        let mut arguments = vec![self.sum()?];
        loop {
            if self.take(')') {
                return Ok(arguments);
            }
            if !self.take(',') {
                return Err(self.unexpected("`,` or `)`"));
            }
            arguments.push(self.sum()?);
        }
    }

    fn unknown(&self, name: &str, span: Range<usize>) -> Error {
        let names = Function::ALL.iter().map(|f| f.name()).chain(["ln", "pi", "x", "y"]);
        // Every letter is near to x.
        let help = match nearest(name, names).filter(|_| name.chars().count() > 2) {
            Some(near) => format!("the nearest name is `{near}`"),
            None => "the points are called x and y; `mercer check --as formula` reads kernels and columns".into(),
        };
        self.error(span, format!("unknown name `{name}`"), Some(help))
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    fn take(&mut self, symbol: char) -> bool {
        let there = self.peek().is_some_and(|t| t.kind == TokenKind::Symbol(symbol));
        self.next += usize::from(there);
        there
    }

    /// Which of two symbols stood here, if one did: false for the first.
    fn take_one(&mut self, first: char, second: char) -> Option<bool> {
        if self.take(first) {
            return Some(false);
        }
        self.take(second).then_some(true)
    }

    fn expect(&mut self, symbol: char) -> Result<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let place = self.peek().map_or(self.end()..self.end(), |t| t.span.clone());
        Err(self.error(place, format!("the expression nests deeper than {MAX_DEPTH} levels"), None))
    }

    fn end(&self) -> usize {
        self.tokens[..self.next].last().map_or(0, |t| t.span.end)
    }

    fn error(&self, span: Range<usize>, problem: impl Into<String>, help: Option<String>) -> Error {
        let source = self.source.to_owned();
        Error::Formula(Box::new(FormulaError { source, span, problem: problem.into(), help }))
    }

    fn unexpected(&self, expected: &str) -> Error {
        let (span, found) = match self.peek() {
            Some(token) => (token.span.clone(), format!("found `{}`", &self.source[token.span.clone()])),
            None => (self.end()..self.end(), "the expression ends".to_owned()),
        };
        self.error(span, format!("expected {expected}, {found}"), None)
    }

    /// The error of a token where the expression could have ended.
    fn unexpected_after(&self, token: &Token) -> Error {
        let starts_factor = matches!(token.kind, TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Symbol('('));
        let help = starts_factor.then(|| "write products with `*`, as in `2*x`".to_owned());
        let problem = format!("expected an operator, found `{}`", &self.source[token.span.clone()]);
        self.error(token.span.clone(), problem, help)
    }
}

/// The only part itself, or the node that joins several.
fn join(mut parts: Vec<(Expr, bool)>, node: fn(Vec<(Expr, bool)>) -> Expr) -> Expr {
    if parts.len() == 1 { parts.remove(0).0 } else { node(parts) }
}

fn function_example(function: Function) -> String {
    let arguments = if function.arity() == 1 { "x" } else { "x, y" };
    format!("for example `{}({arguments})`", function.name())
}
