//! From characters to tokens.

use std::ops::Range;

use crate::error::Result;

use super::error;

/// A piece of a formula with the bytes it was read from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Number(f64),
    Name(String),
    Quoted(String),
    /// One of `+ - * / ^ ( ) [ ] , = !`.
    Symbol(char),
    /// `**`, the same as `^`.
    DoubleStar,
}

/// Whether `name` can stand in a formula without quotes.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts_name) && chars.all(continues_name) && !name.ends_with('.')
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Cuts a formula into tokens.
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let start = source.len() - rest.len();
        let length = match c {
            c if c.is_whitespace() => c.len_utf8(),
            c if c.is_ascii_digit() || c == '.' => push(&mut tokens, start, number(source, start)?),
            c if starts_name(c) => push(&mut tokens, start, name(rest)),
            '`' | '"' => push(&mut tokens, start, quoted(source, start, c)?),
            '*' if rest.starts_with("**") => push(&mut tokens, start, (TokenKind::DoubleStar, 2)),
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | '[' | ']' | ',' | '=' | '!' => {
                push(&mut tokens, start, (TokenKind::Symbol(c), 1))
            }
            // Multiplication signs that text processors make.
            '·' | '×' => push(&mut tokens, start, (TokenKind::Symbol('*'), c.len_utf8())),
            _ => {
                let help = "formulas are made of kernels, numbers, `+ * ^`, parentheses and column names".to_owned();
                return Err(error(
                    source,
                    start..start + c.len_utf8(),
                    format!("unexpected character `{c}`"),
                    Some(help),
                ));
            }
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Adds a token and answers how many bytes it took.
fn push(tokens: &mut Vec<Token>, start: usize, (kind, length): (TokenKind, usize)) -> usize {
    tokens.push(Token { kind, span: start..start + length });
    length
}

/// The number at `start`: digits, at most one point, an exponent.
fn number(source: &str, start: usize) -> Result<(TokenKind, usize)> {
    let bytes = &source.as_bytes()[start..];
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let text = &source[start..start + end];
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((TokenKind::Number(value), end)),
        Ok(_) => Err(error(source, start..start + end, format!("`{text}` is too large for a number"), None)),
        Err(_) => Err(error(source, start..start + end.max(1), "expected a number".to_owned(), None)),
    }
}

fn name(rest: &str) -> (TokenKind, usize) {
    let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
    // A full stop ends a sentence, not a name.
    let name = rest[..length].trim_end_matches('.');
    (TokenKind::Name(name.to_owned()), name.len())
}

/// A quoted name; a quote inside it is written twice.
fn quoted(source: &str, start: usize, quote: char) -> Result<(TokenKind, usize)> {
    let body = &source[start + 1..];
    let mut name = String::new();
    let mut chars = body.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        if c != quote {
            name.push(c);
        } else if chars.peek().is_some_and(|(_, next)| *next == quote) {
            name.push(quote);
            chars.next();
        } else {
            return Ok((TokenKind::Quoted(name), i + 2));
        }
    }
    Err(error(source, start..source.len(), format!("the quote {quote} is not closed"), None))
}

/// Whether a decimal is another number than the one that it is computed with.
pub(super) fn is_rounded(text: &str, value: f64) -> bool {
    digits(text) != digits(&format!("{value:e}"))
}

/// The digits of a decimal without zeros at either end, and the power of ten of the last.
fn digits(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let kept = all.trim_end_matches('0');
    let last =
        exponent.parse::<i64>().unwrap_or(i64::MAX / 2) - fraction.len() as i64 + (all.len() - kept.len()) as i64;
    let kept = kept.trim_start_matches('0');
    (kept.to_owned(), if kept.is_empty() { 0 } else { last })
}

/// The first decimal of a formula that is rounded to the number it is computed with.
pub(super) fn first_rounded<'a>(source: &'a str, tokens: &[Token]) -> Option<&'a str> {
    tokens.iter().find_map(|token| match token.kind {
        TokenKind::Number(value) => Some(&source[token.span.clone()]).filter(|text| is_rounded(text, value)),
        _ => None,
    })
}
