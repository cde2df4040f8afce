//! What is known of a formula, also of one that is refused as a kernel.

use crate::error::Result;
use crate::kernel::property::{Judgement, Proof, ProofRule, Standing, Verdict};
use crate::kernel::{KernelExpr, Registry, ScalarDomain, ScalarExpr};

use super::ast::{Ast, Factor, Node, Sign};
use super::form::Form;
use super::lexer::first_rounded;
use super::lower::{Lowering, REFUSED};

/// A formula that was read, and the kernel it is, where it is accepted as one.
pub(crate) struct Judged {
    pub(crate) judgement: Judgement,
    pub(crate) kernel: Option<KernelExpr>,
}

/// Judges a formula. An error means that it cannot be read; what can be read but is not known to be
/// positive definite is an answer.
pub(crate) fn judge(source: &str, registry: &Registry) -> Result<Judged> {
    let tree = super::tree(source)?;
    judge_tree(&Lowering::new(source, registry), &tree)
}

pub(super) fn judge_tree(lowering: &Lowering<'_>, tree: &Ast) -> Result<Judged> {
    let rounded = super::tokens(lowering.source).ok().and_then(|t| first_rounded(lowering.source, &t));
    match (lowering.kernel(tree), rounded) {
        (Ok(kernel), _) if !lowering.has_collected() => Ok(Judged { judgement: kernel.judge(), kernel: Some(kernel) }),
        (Ok(kernel), None) => {
            let judgement = identity(lowering.source, &kernel.to_string(), kernel.judge());
            Ok(Judged { judgement, kernel: Some(kernel) })
        }
        (accepted, Some(number)) => {
            readable(lowering, tree)?;
            let reason = format!("`{number}` has more digits than a number can hold, so like terms are not collected");
            Ok(Judged { judgement: unknown(reason), kernel: accepted.ok() })
        }
        (Err(refusal), None) => {
            let Some(reason) = readable(lowering, tree)? else { return Err(refusal) };
            Ok(Judged { judgement: collected(lowering, tree, reason), kernel: None })
        }
    }
}

/// What is known of a formula that is refused as a kernel, once like terms are collected.
fn collected(lowering: &Lowering<'_>, tree: &Ast, reason: String) -> Judgement {
    if let Some(number) = number(lowering, tree) {
        return number;
    }
    let Some(form) = Form::build(lowering, tree) else { return unknown(reason) };
    let judged = form.judge();
    match judged.proof {
        Some(_) => identity(lowering.source, &form.to_string(), judged),
        None => unknown(reason),
    }
}

/// A formula that names no kernel is a number, and a kernel if that is not negative.
fn number(lowering: &Lowering<'_>, tree: &Ast) -> Option<Judgement> {
    let mut kernels = Vec::new();
    super::collect_kernels(lowering, tree, &mut kernels).ok()?;
    let alone = kernels.is_empty().then(|| ScalarExpr::parse(lowering.source).ok())??;
    match alone.check_until(ScalarDomain::Real, lowering.stop) {
        Verdict::PositiveDefinite(proof) => {
            Some(Judgement { standing: Standing::PositiveDefinite, proof: Some(proof), reason: String::new() })
        }
        _ => None,
    }
}

/// The same, said of the formula as it is written.
fn identity(source: &str, same: &str, judged: Judgement) -> Judgement {
    let Judgement { standing, proof: Some(premise), reason } = judged else { return judged };
    let source = source.trim();
    // A formula that differs by nothing but spaces needs no step of its own.
    let plain = |text: &str| text.replace(char::is_whitespace, "");
    if plain(source) == plain(same) {
        return Judgement { standing, proof: Some(premise), reason };
    }
    let because = format!("`{source}` = `{same}`");
    let proof = Proof::new(source, standing, ProofRule::Identity).because(because).using(vec![premise]);
    Judgement { standing, proof: Some(proof), reason }
}

/// Why a formula is not a kernel by the rules, or nothing where it is; an error where some part
/// of it cannot be read.
fn readable(lowering: &Lowering<'_>, ast: &Ast) -> Result<Option<String>> {
    match &ast.node {
        Node::Sum(terms) => {
            let minus = "a difference of kernels is not positive definite in general";
            let parts = terms.iter().map(|(sign, term)| (term, (*sign == Sign::Minus).then_some(minus)));
            first_reason(lowering, parts)
        }
        Node::Product(factors) => {
            let over = "a quotient of kernels is not positive definite in general";
            let parts = factors.iter().map(|(operator, factor)| (factor, (*operator == Factor::Over).then_some(over)));
            first_reason(lowering, parts)
        }
        Node::Power(base, exponent) => {
            let inner = readable(lowering, base)?;
            if *exponent > KernelExpr::MAX_EXPONENT {
                return lowering.kernel(ast).map(|_| None);
            }
            let unless = "k^β with β not a whole number is positive definite for all β > 0 only when log k is \
                          conditionally positive definite, which is not known here";
            Ok(inner.or_else(|| (exponent.fract() != 0.0).then(|| unless.to_owned())))
        }
        Node::Negative(inner) => {
            readable(lowering, inner)?;
            Ok(Some("a negative weight does not keep a kernel positive definite".into()))
        }
        Node::Weight(_) => lowering.kernel(ast).map(|_| None),
        Node::Name { name, .. } => match ast.inner_of_function() {
            Some(inner) => {
                let inner = readable(lowering, inner)?;
                let refused = REFUSED.iter().find(|(f, _)| f == name).map(|(_, reason)| (*reason).to_owned());
                let needs = || Some(format!("no rule is known for `{name}` here"));
                Ok(inner.or(refused).or_else(|| lowering.kernel(ast).err().and_then(|_| needs())))
            }
            None => {
                let judged = lowering.named(ast)?.judge();
                Ok((judged.standing != Standing::PositiveDefinite).then(|| judged.lacking("a part of it").reason))
            }
        },
    }
}

/// The first reason among parts, each of which may bring its own.
fn first_reason<'a>(
    lowering: &Lowering<'_>,
    parts: impl Iterator<Item = (&'a Ast, Option<&'static str>)>,
) -> Result<Option<String>> {
    let mut reason = None;
    for (part, own) in parts {
        let inner = readable(lowering, part)?;
        reason = reason.or(own.map(str::to_owned)).or(inner);
    }
    Ok(reason)
}

fn unknown(reason: String) -> Judgement {
    Judgement { standing: Standing::Unknown, proof: None, reason }
}
