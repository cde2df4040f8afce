//! Proofs as trees, printed as numbered steps.

use std::fmt;

use serde::Serialize;

use super::{ProofRule, Standing};

/// A proof: a claim, the theorem it follows from, and proofs of what the theorem needs.
///
/// Printed as numbered steps, premises first. Equal steps are printed once.
///
/// ```
/// use mercer::kernel::property::{Proof, ProofRule, Standing::PositiveDefinite};
/// let dot = Proof::new("x*y", PositiveDefinite, ProofRule::FeatureMap).because("φ(x) = x");
/// let proof = Proof::new("(x*y)^2", PositiveDefinite, ProofRule::Product).using(vec![dot.clone(), dot]);
/// assert_eq!(proof.to_string(), "\
/// 1. `x*y` is positive definite
///    explicit feature map: ⟨φ(x), φ(y)⟩ is positive definite for every map φ into a space with an inner product; here φ(x) = x
/// 2. `(x*y)^2` is positive definite
///    product, from step 1: a product of positive definite kernels is positive definite (Schur)");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// What is proved, a sentence: "`x*y` is positive definite".
    pub claim: String,
    /// Why it follows from the premises.
    pub rule: ProofRule,
    /// How the rule applies here, such as the feature map; empty where the rule says it all.
    pub reason: String,
    /// Proofs of what the rule needs.
    pub premises: Vec<Proof>,
}

/// A line of a printed proof: everything but the proofs of its premises.
struct Step<'a> {
    proof: &'a Proof,
    uses: Vec<usize>,
}

impl Proof {
    /// A proof without premises that this is what the formula `subject` is.
    pub fn new(subject: impl fmt::Display, standing: Standing, rule: ProofRule) -> Self {
        Self::of(format!("`{subject}` is {}", standing.words()), rule)
    }

    /// A proof without premises of any claim.
    pub fn of(claim: impl Into<String>, rule: ProofRule) -> Self {
        Proof { claim: claim.into(), rule, reason: String::new(), premises: Vec::new() }
    }

    /// The same with a word on how the rule applies.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// The same resting on these premises.
    pub fn using(mut self, premises: Vec<Proof>) -> Self {
        self.premises = premises;
        self
    }

    /// How many steps are printed.
    pub fn len(&self) -> usize {
        self.steps().len()
    }

    /// Whether there is no step; never true.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether some step rests on this rule.
    pub fn uses(&self, rule: ProofRule) -> bool {
        self.rule == rule || self.premises.iter().any(|p| p.uses(rule))
    }

    fn steps(&self) -> Vec<Step<'_>> {
        let mut steps = Vec::new();
        self.number(&mut steps);
        steps
    }

    /// Appends the steps of this proof and answers the number of its last one.
    fn number<'a>(&'a self, steps: &mut Vec<Step<'a>>) -> usize {
        let mut uses: Vec<usize> = self.premises.iter().map(|p| p.number(steps)).collect();
        uses.sort_unstable();
        uses.dedup();
        let same = |s: &Step<'_>| s.proof.claim == self.claim && s.proof.rule == self.rule && s.uses == uses;
        if let Some(found) = steps.iter().position(same) {
            return found + 1;
        }
        steps.push(Step { proof: self, uses });
        steps.len()
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps().iter().enumerate() {
            let number = format!("{}. ", i + 1);
            let indent = " ".repeat(number.len());
            let from = match step.uses.as_slice() {
                [] => String::new(),
                [one] => format!(", from step {one}"),
                many => format!(", from steps {}", list(many)),
            };
            let rule = step.proof.rule;
            let end = if i == 0 { "" } else { "\n" };
            write!(f, "{end}{number}{}\n{indent}{}{from}: {}", step.proof.claim, rule.name(), rule.statement())?;
            if !step.proof.reason.is_empty() {
                write!(f, "; here {}", step.proof.reason)?;
            }
        }
        Ok(())
    }
}

/// "1, 2 and 3".
pub(super) fn list<T: fmt::Display>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.to_string(),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(ToString::to_string).collect();
            format!("{} and {last}", rest.join(", "))
        }
    }
}
