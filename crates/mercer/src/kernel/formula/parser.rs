//! From tokens to the syntax tree.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::kernel::number;
use crate::kernel::param::Rule;

use super::ast::{Argument, ArgumentKind, Ast, Factor, Node, Sign, Value, ValueKind, Weight};
use super::error;
use super::lexer::{Token, TokenKind, is_rounded};

/// How deep parentheses may nest; deeper ones could exhaust the stack.
const MAX_DEPTH: usize = 64;

pub(super) struct Parser<'a> {
    source: &'a str,
    tokens: &'a [Token],
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, tokens: &'a [Token]) -> Self {
        Parser { source, tokens, next: 0, depth: 0 }
    }

    /// The whole formula.
    pub(super) fn formula(mut self) -> Result<Ast> {
        if self.tokens.is_empty() {
            let help = Some("try `rbf`, or `mercer kernel --list` for all kernels".to_owned());
            return Err(error(self.source, 0..self.source.len(), "the formula is empty", help));
        }
        let tree = self.sum()?;
        match self.peek() {
            None => Ok(tree),
            Some(_) => Err(self.unexpected("an operator or the end of the formula")),
        }
    }

    fn sum(&mut self) -> Result<Ast> {
        let start = self.position();
        self.enter()?;
        let mut terms = vec![(Sign::Plus, self.product()?)];
        while let Some(sign) = self.take_one(&[('+', Sign::Plus), ('-', Sign::Minus)]) {
            terms.push((sign, self.product()?));
        }
        self.depth -= 1;
        Ok(self.join(start, terms, Node::Sum))
    }

    fn product(&mut self) -> Result<Ast> {
        let start = self.position();
        let mut factors = vec![(Factor::Times, self.signed()?)];
        while let Some(factor) = self.take_one(&[('*', Factor::Times), ('/', Factor::Over)]) {
            factors.push((factor, self.signed()?));
        }
        Ok(self.join(start, factors, Node::Product))
    }

    /// The only part itself, or the node that joins several.
    fn join<T>(&self, start: usize, mut parts: Vec<(T, Ast)>, node: impl FnOnce(Vec<(T, Ast)>) -> Node) -> Ast {
        match parts.len() {
            1 => parts.remove(0).1,
            _ => Ast { node: node(parts), span: start..self.end() },
        }
    }

    /// A sign binds less than a power: `-rbf^2` is −(rbf²).
    fn signed(&mut self) -> Result<Ast> {
        let start = self.position();
        if !self.take('-') {
            return self.power();
        }
        self.enter()?;
        let inner = Box::new(self.signed()?);
        self.depth -= 1;
        Ok(Ast { node: Node::Negative(inner), span: start..self.end() })
    }

    fn power(&mut self) -> Result<Ast> {
        let start = self.position();
        let base = self.atom()?;
        if !(self.take('^') || self.take_double_star()) {
            return Ok(base);
        }
        let exponent = self.exponent()?;
        if self.at('^') || self.peek().is_some_and(|t| t.kind == TokenKind::DoubleStar) {
            return Err(self.unexpected("a product of the two powers, or parentheses"));
        }
        Ok(Ast { node: Node::Power(Box::new(base), exponent), span: start..self.end() })
    }

    fn exponent(&mut self) -> Result<f64> {
        match self.peek() {
            Some(Token { kind: TokenKind::Number(v), span }) if *v > 0.0 => {
                let exponent = *v;
                if is_rounded(&self.source[span.clone()], exponent) {
                    let problem = "the power has more digits than a number can hold";
                    return Err(error(
                        self.source,
                        span.clone(),
                        problem,
                        Some(format!("write `{}`", number::print(exponent))),
                    ));
                }
                self.next += 1;
                Ok(exponent)
            }
            Some(token) => {
                let help = "a kernel to a whole power is a kernel; other powers are not known to be".to_owned();
                Err(error(self.source, token.span.clone(), "expected a number > 0 as the power", Some(help)))
            }
            None => Err(self.unexpected("a number as the power")),
        }
    }

    fn atom(&mut self) -> Result<Ast> {
        let start = self.position();
        if self.take('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(Ast { span: start..self.end(), ..inner });
        }
        match self.peek().map(|t| t.kind.clone()) {
            Some(TokenKind::Number(_)) => {
                let weight = self.weight()?;
                Ok(Ast { node: Node::Weight(weight), span: start..self.end() })
            }
            Some(TokenKind::Name(name)) => self.name(name, false),
            Some(TokenKind::Quoted(name)) => self.name(name, true),
            _ => Err(self.unexpected("a kernel, a number or `(`")),
        }
    }

    fn name(&mut self, name: String, quoted: bool) -> Result<Ast> {
        let start = self.position();
        self.next += 1;
        let arguments = if !quoted && self.take('(') { Some(self.arguments()?) } else { None };
        Ok(Ast { node: Node::Name { name, quoted, arguments }, span: start..self.end() })
    }

    /// The arguments after `(`, up to and with `)`.
    fn arguments(&mut self) -> Result<Vec<Argument>> {
        let mut arguments = Vec::new();
        if self.take(')') {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.take(')') {
                return Ok(arguments);
            }
            if !self.take(',') {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn argument(&mut self) -> Result<Argument> {
        let start = self.position();
        let kind = match (self.peek().map(|t| t.kind.clone()), self.tokens.get(self.next + 1).map(|t| &t.kind)) {
            (Some(TokenKind::Symbol('*')), _) => {
                self.next += 1;
                ArgumentKind::Star
            }
            (Some(TokenKind::Name(name)), Some(TokenKind::Symbol('='))) => {
                let name_span = self.tokens[self.next].span.clone();
                self.next += 2;
                ArgumentKind::Named(name, name_span, self.value()?)
            }
            _ => ArgumentKind::Expression(self.sum()?),
        };
        Ok(Argument { kind, span: start..self.end() })
    }

    fn value(&mut self) -> Result<Value> {
        let start = self.position();
        let kind = match self.peek().map(|t| t.kind.clone()) {
            Some(TokenKind::Number(_) | TokenKind::Symbol('-')) => ValueKind::Weight(self.weight()?),
            Some(TokenKind::Symbol('[')) => ValueKind::List(self.list()?),
            Some(TokenKind::Name(word) | TokenKind::Quoted(word)) => {
                self.next += 1;
                match Rule::ALL.into_iter().find(|r| r.name() == word) {
                    Some(rule) => ValueKind::Rule { rule, fixed: self.take('!'), bounds: self.bounds()? },
                    None => ValueKind::Word(word),
                }
            }
            _ => return Err(self.unexpected("a number, a word or a list")),
        };
        Ok(Value { kind, span: start..self.end() })
    }

    fn list(&mut self) -> Result<Vec<Value>> {
        self.enter()?;
        self.next += 1;
        let mut values = Vec::new();
        while !self.take(']') {
            if !values.is_empty() && !self.take(',') {
                return Err(self.unexpected("`,` or `]`"));
            }
            values.push(self.value()?);
        }
        self.depth -= 1;
        Ok(values)
    }

    /// A number with its marks. The sign is kept, so that a negative value can be refused by name.
    fn weight(&mut self) -> Result<Weight> {
        let value = self.signed_number()?;
        let fixed = self.take('!');
        Ok(Weight { value, fixed, bounds: self.bounds()? })
    }

    fn signed_number(&mut self) -> Result<f64> {
        let sign = if self.take('-') { -1.0 } else { 1.0 };
        match self.peek() {
            Some(Token { kind: TokenKind::Number(v), .. }) => {
                let value = sign * v;
                self.next += 1;
                Ok(value)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// `in [low, high]`, if it is there.
    fn bounds(&mut self) -> Result<Option<(f64, f64)>> {
        let marked = matches!(self.peek().map(|t| &t.kind), Some(TokenKind::Name(word)) if word == "in");
        if !marked {
            return Ok(None);
        }
        self.next += 1;
        self.expect('[')?;
        let low = self.signed_number()?;
        self.expect(',')?;
        let high = self.signed_number()?;
        self.expect(']')?;
        Ok(Some((low, high)))
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    fn at(&self, symbol: char) -> bool {
        self.peek().is_some_and(|t| t.kind == TokenKind::Symbol(symbol))
    }

    fn take(&mut self, symbol: char) -> bool {
        let there = self.at(symbol);
        self.next += usize::from(there);
        there
    }

    fn take_double_star(&mut self) -> bool {
        let there = self.peek().is_some_and(|t| t.kind == TokenKind::DoubleStar);
        self.next += usize::from(there);
        there
    }

    fn take_one<T: Copy>(&mut self, choices: &[(char, T)]) -> Option<T> {
        choices.iter().find(|(symbol, _)| self.take(*symbol)).map(|(_, meaning)| *meaning)
    }

    fn expect(&mut self, symbol: char) -> Result<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(error(self.source, self.here(), format!("the formula nests deeper than {MAX_DEPTH} levels"), None))
    }

    /// Where the next token begins.
    fn position(&self) -> usize {
        self.peek().map_or(self.source.len(), |t| t.span.start)
    }

    /// Where the last token ended.
    fn end(&self) -> usize {
        self.tokens[..self.next].last().map_or(0, |t| t.span.end)
    }

    /// The next token, or the place just after the last one.
    fn here(&self) -> Range<usize> {
        self.peek().map_or(self.end()..self.end(), |t| t.span.clone())
    }

    fn unexpected(&self, expected: &str) -> Error {
        let found = match self.peek() {
            Some(token) => format!("found `{}`", &self.source[token.span.clone()]),
            None => "the formula ends".to_owned(),
        };
        error(self.source, self.here(), format!("expected {expected}, {found}"), None)
    }
}
