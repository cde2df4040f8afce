//! What is known of a formula, also of one that is refused as a kernel.

use crate::error::Result;
use crate::kernel::property::{Judgement, Proof, ProofRule, Standing};
use crate::kernel::{KernelExpr, Registry};

use super::ast::{Argument, ArgumentKind, Ast, Factor, Node, Sign};
use super::lower::{Lowering, REFUSED};

/// Judges a formula. An error means that it cannot be read; what can be read but is not known to be
/// positive definite is an answer.
pub(crate) fn judge(source: &str, registry: &Registry) -> Result<Judgement> {
    let tree = super::tree(source)?;
    Judging { lowering: Lowering { source, registry }, source }.ast(&tree)
}

struct Judging<'a> {
    lowering: Lowering<'a>,
    source: &'a str,
}

impl Judging<'_> {
    fn ast(&self, ast: &Ast) -> Result<Judgement> {
        let refusal = match self.lowering.kernel(ast) {
            Ok(kernel) => return Ok(kernel.judge()),
            Err(refusal) => refusal,
        };
        match &ast.node {
            Node::Sum(terms) => {
                let mut reason = None;
                for (sign, term) in terms {
                    let judged = self.ast(term)?;
                    let minus = "a difference of kernels is not positive definite in general".to_owned();
                    let bad = if *sign == Sign::Minus { Some(minus) } else { lacking(judged) };
                    reason = reason.or(bad);
                }
                reason.map_or(Err(refusal), |reason| Ok(unknown(reason)))
            }
            Node::Product(factors) => {
                let mut reason = None;
                for (operator, factor) in factors {
                    let judged = self.ast(factor)?;
                    let over = "a quotient of kernels is not positive definite in general".to_owned();
                    let bad = if *operator == Factor::Over { Some(over) } else { lacking(judged) };
                    reason = reason.or(bad);
                }
                reason.map_or(Err(refusal), |reason| Ok(unknown(reason)))
            }
            Node::Power(base, exponent) => {
                let judged = self.ast(base)?;
                if *exponent > KernelExpr::MAX_EXPONENT {
                    return Err(refusal);
                }
                let unless = "k^β with β not a whole number is positive definite for all β > 0 only when log k is \
                              conditionally positive definite, which is not known here";
                Ok(unknown(lacking(judged).unwrap_or_else(|| unless.to_owned())))
            }
            Node::Negative(inner) => {
                self.ast(inner)?;
                Ok(unknown("a negative weight does not keep a kernel positive definite".into()))
            }
            Node::Name { name, arguments, .. } => match arguments.as_deref() {
                Some([Argument { kind: ArgumentKind::Expression(inner), .. }]) => {
                    self.function(ast, name, inner)?.ok_or(refusal)
                }
                _ => Err(refusal),
            },
            Node::Weight(_) => Err(refusal),
        }
    }

    /// A function of one kernel; nothing where the name is not a function.
    fn function(&self, ast: &Ast, name: &str, inner: &Ast) -> Result<Option<Judgement>> {
        let refused = REFUSED.iter().find(|(f, _)| *f == name).map(|(_, reason)| *reason);
        if refused.is_none() && !["exp", "normalize"].contains(&name) {
            return Ok(None);
        }
        let judged = self.ast(inner)?;
        if matches!(name, "log" | "ln") {
            return Ok(Some(self.logarithm(ast, inner)));
        }
        if name == "exp" && judged.standing == (Standing::ConditionallyPositiveDefinite { order: 1 }) {
            let claim = format!("`{}` is positive definite", &self.source[ast.span.clone()]);
            let proof = Proof::of(claim, ProofRule::Schoenberg)
                .because("ψ is the negative of what is inside")
                .using(judged.proof.into_iter().collect());
            let standing = Standing::PositiveDefinite;
            return Ok(Some(Judgement { standing, proof: Some(proof), reason: String::new() }));
        }
        let reason = lacking(judged).or(refused.map(str::to_owned));
        Ok(Some(unknown(reason.unwrap_or_else(|| format!("no rule is known for `{name}` here")))))
    }

    /// log k is conditionally positive definite exactly when every power k^β, β > 0, is a kernel.
    fn logarithm(&self, ast: &Ast, inner: &Ast) -> Judgement {
        let why = self.lowering.kernel(inner).ok().and_then(|kernel| kernel.powers_reason());
        let Some(why) = why else {
            return unknown("the logarithm of a kernel is not positive definite in general".into());
        };
        let standing = Standing::ConditionallyPositiveDefinite { order: 1 };
        let claim = format!("`{}` is {}", &self.source[ast.span.clone()], standing.words());
        let proof = Proof::of(claim, ProofRule::InfinitelyDivisible).because(why);
        Judgement { standing, proof: Some(proof), reason: String::new() }
    }
}

fn unknown(reason: String) -> Judgement {
    Judgement { standing: Standing::Unknown, proof: None, reason }
}

/// Why a part is not a kernel, if it is not known to be one.
fn lacking(judged: Judgement) -> Option<String> {
    match judged.standing {
        Standing::PositiveDefinite => None,
        _ if judged.reason.is_empty() => Some(format!("a part of it is only {}", judged.standing.words())),
        _ => Some(judged.reason),
    }
}
