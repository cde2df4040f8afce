//! The formula language: from text to [`KernelExpr`](super::KernelExpr) and back.
//!
//! ```text
//! sum     := product (('+' | '-') product)*
//! product := signed (('*' | '/') signed)*
//! signed  := '-' signed | power
//! power   := atom (('^' | '**') number)?
//! atom    := weight | name call? | '(' sum ')'
//! call    := '(' [argument (',' argument)*] ')'
//! argument:= '*' | column | name '=' value | sum
//! value   := weight | rule | word | '[' value (',' value)* ']'
//! weight  := number '!'? ('in' '[' number ',' number ']')?
//! ```
//!
//! Names of columns that are not identifiers are quoted with backticks or double quotes. The
//! syntax tree takes whatever can be written; lowering it refuses what is not known to be
//! positive definite, and says why.

mod ast;
mod call;
mod check;
mod form;
mod lexer;
mod lower;
mod parser;
mod print;
mod reading;
mod refute;

use crate::error::{Error, FormulaError, Result};

use super::{KernelExpr, Registry};

pub(crate) use check::{Judged, judge};
pub(crate) use lexer::{Token, TokenKind, is_identifier, tokens};
pub(crate) use lower::is_reserved;
pub(crate) use print::{locate, quoted};
pub use reading::Reading;
pub use refute::Place;
pub(crate) use refute::Refutation;

/// The longest formula that is read, in bytes.
const MAX_LENGTH: usize = 1 << 16;

/// The most expressions in x and y that a formula may hold; each is proved when it is read.
const MAX_EXPRESSIONS: usize = 16;

/// Reads a formula.
pub(crate) fn parse(source: &str, registry: &Registry) -> Result<KernelExpr> {
    lower::Lowering::new(source, registry).kernel(&tree(source)?)
}

/// What is known of a formula and, where it is not proved, what a search for counterexamples finds.
pub(crate) fn examine(
    source: &str,
    registry: &Registry,
    stop: &dyn Fn() -> bool,
) -> Result<(Judged, Option<Refutation>)> {
    let tree = tree(source)?;
    let lowering = lower::Lowering::until(source, registry, stop);
    let judged = check::judge_tree(&lowering, &tree)?;
    let proved = judged.judgement.standing.is_positive_definite();
    Ok((judged, (!proved).then(|| refute::refute(&lowering, &tree))))
}

/// The kernels that a formula names, with the bytes that each is read from.
pub(crate) fn kernels(source: &str, registry: &Registry) -> Result<Vec<(std::ops::Range<usize>, KernelExpr)>> {
    let mut found = Vec::new();
    collect_kernels(&lower::Lowering::new(source, registry), &tree(source)?, &mut found)?;
    Ok(found)
}

fn collect_kernels(
    lowering: &lower::Lowering<'_>,
    ast: &ast::Ast,
    found: &mut Vec<(std::ops::Range<usize>, KernelExpr)>,
) -> Result<()> {
    use ast::Node;
    match &ast.node {
        Node::Sum(parts) => parts.iter().try_for_each(|(_, part)| collect_kernels(lowering, part, found)),
        Node::Product(parts) => parts.iter().try_for_each(|(_, part)| collect_kernels(lowering, part, found)),
        Node::Power(inner, _) | Node::Negative(inner) => collect_kernels(lowering, inner, found),
        Node::Weight(_) => Ok(()),
        Node::Name { name, .. } => match ast.inner_of_function() {
            // What is found in the data is found where there are no gaps, so that it stays together.
            Some(inner) if name == "with_gaps" => match lowering.kernel(ast) {
                Ok(kernel) => {
                    found.push((ast.span.clone(), kernel));
                    Ok(())
                }
                Err(_) => collect_kernels(lowering, inner, found),
            },
            Some(inner) => collect_kernels(lowering, inner, found),
            None => {
                found.push((ast.span.clone(), lowering.named(ast)?));
                Ok(())
            }
        },
    }
}

/// The syntax tree of a formula.
fn tree(source: &str) -> Result<ast::Ast> {
    if source.len() > MAX_LENGTH {
        return Err(Error::invalid("a formula", "length", source.len(), format!("at most {MAX_LENGTH} bytes")));
    }
    let tokens = tokens(source)?;
    check_expressions(source, &tokens)?;
    parser::Parser::new(source, &tokens).formula()
}

/// Refuses a formula with so many expressions that proving them all would take long.
fn check_expressions(source: &str, tokens: &[Token]) -> Result<()> {
    let named = |t: &&Token| matches!(&t.kind, TokenKind::Name(name) if name == "expression");
    match tokens.iter().filter(named).nth(MAX_EXPRESSIONS) {
        None => Ok(()),
        Some(token) => {
            let problem = format!("more than {MAX_EXPRESSIONS} expressions in one formula");
            Err(error(source, token.span.clone(), problem, None))
        }
    }
}

/// An error at a place of a formula.
fn error(source: &str, span: std::ops::Range<usize>, problem: impl Into<String>, help: Option<String>) -> Error {
    Error::Formula(Box::new(FormulaError { source: source.to_owned(), span, problem: problem.into(), help }))
}

#[cfg(test)]
mod tests;
