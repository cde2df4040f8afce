//! What is known of a collected formula.

use crate::kernel::property::{GAPS, Judgement, Proof, ProofRule, Rational, Standing, weaker};

use super::{Factor, Form, Term, What};

impl Form {
    /// Walks the closure rules over the terms: a proof of what their sum is, or why there is none.
    pub(in crate::kernel) fn judge(&self) -> Judgement {
        if let Some(kernel) = self.kernel() {
            return kernel.judge();
        }
        if !self.range().total {
            return unknown(format!("`{self}` is not known to have a value everywhere"));
        }
        let judged: Vec<Judgement> = self.terms.iter().map(Term::judge).collect();
        if let Some(lacking) = judged.iter().find(|j| j.proof.is_none()) {
            return lacking.clone();
        }
        let standing = judged.iter().fold(Standing::PositiveDefinite, |s, j| weaker(s, j.standing));
        let mut premises: Vec<Proof> = judged.into_iter().filter_map(|j| j.proof).collect();
        if premises.len() == 1 {
            return proved(standing, premises.remove(0));
        }
        proved(standing, step(self, standing, ProofRule::Sum.of(standing), "").using(premises))
    }
}

impl Term {
    fn judge(&self) -> Judgement {
        let zero = Rational::ZERO;
        if self.factors.iter().all(Factor::is_number) {
            let positive = self.coefficient > zero && self.range().positive;
            return match positive {
                true => positive_number(&self.signed()),
                // The logarithm of a number may be negative.
                false => {
                    known(&self.signed(), Standing::CONDITIONAL, ProofRule::AdditiveSeparable, "f is half the constant")
                }
            };
        }
        if self.coefficient <= zero {
            return unknown("a difference of kernels is not positive definite in general".into());
        }
        match self.factors.as_slice() {
            [one] => self.scaled(one.judge()),
            several => {
                let judged: Vec<Judgement> = several.iter().map(Factor::judge).collect();
                match judged.iter().find(|j| j.standing != Standing::PositiveDefinite) {
                    Some(part) if part.proof.is_some() => unknown(format!(
                        "a product needs positive definite parts, and one is only {}",
                        part.standing.words()
                    )),
                    Some(part) => part.clone(),
                    None => {
                        let premises = judged.into_iter().filter_map(|j| j.proof).collect();
                        let proof = step(self, Standing::PositiveDefinite, ProofRule::Product, "").using(premises);
                        proved(Standing::PositiveDefinite, proof)
                    }
                }
            }
        }
    }

    fn signed(&self) -> String {
        let sign = if self.coefficient < Rational::ZERO { "-" } else { "" };
        format!("{sign}{self}")
    }

    /// What is known of c·k when this is known of k.
    fn scaled(&self, judged: Judgement) -> Judgement {
        let Some(premise) = judged.proof.clone().filter(|_| self.coefficient != Rational::ONE) else { return judged };
        proved(
            judged.standing,
            step(self, judged.standing, ProofRule::Scale.of(judged.standing), "").using(vec![premise]),
        )
    }
}

impl Factor {
    /// Whether it is a power of a number, or the logarithm of one.
    fn is_number(&self) -> bool {
        match &*self.atom.what {
            What::Group(inner) | What::Log(inner) | What::Exp(inner) => inner.as_number().is_some(),
            _ => false,
        }
    }

    fn judge(&self) -> Judgement {
        if self.is_number() && self.range().positive {
            return positive_number(self);
        }
        let judged = self.judge_base();
        let whole = self.exponent.is_whole() && self.exponent > Rational::ZERO;
        if self.exponent == Rational::ONE || judged.proof.is_none() {
            return judged;
        }
        match (&*self.atom.what, judged.standing, judged.proof) {
            (_, Standing::PositiveDefinite, Some(premise)) if whole => {
                let proof = step(self, Standing::PositiveDefinite, ProofRule::Product, "").using(vec![premise]);
                proved(Standing::PositiveDefinite, proof)
            }
            // exp(k)^β = exp(βk).
            (What::Exp(inner), Standing::PositiveDefinite, Some(premise)) if self.exponent > Rational::ZERO => {
                let because = format!("log k = {inner}");
                let proof = step(self, Standing::PositiveDefinite, ProofRule::InfinitelyDivisible, &because);
                proved(Standing::PositiveDefinite, proof.using(vec![premise]))
            }
            _ => unknown(format!("`{self}` is not known to be positive definite")),
        }
    }

    /// Of the atom alone.
    fn judge_base(&self) -> Judgement {
        match &*self.atom.what {
            What::Kernel(kernel) => kernel.judge(),
            What::Group(inner) => inner.judge(),
            What::Exp(inner) => {
                let judged = inner.judge();
                let (rule, because) = match judged.standing {
                    Standing::PositiveDefinite => (ProofRule::PowerSeries, "exp(t) = Σ tⁿ/n!"),
                    Standing::CONDITIONAL => (ProofRule::Schoenberg, "ψ is the negative of what is inside"),
                    _ => return judged.lacking(&format!("exp needs a kernel, and `{inner}`")),
                };
                let Some(premise) = judged.proof else { return judged };
                let proof = step(&self.atom.text, Standing::PositiveDefinite, rule, because).using(vec![premise]);
                proved(Standing::PositiveDefinite, proof)
            }
            What::Normalize(inner) => {
                self.of_kernel("normalize", inner, ProofRule::Normalisation, "it is 0 where a k(x, x) is, as k is")
            }
            What::WithGaps(inner) => self.of_kernel("with_gaps", inner, ProofRule::DirectSum, GAPS),
            What::Log(inner) => {
                let powers = inner.kernel().filter(|k| k.is_positive()).and_then(|k| k.powers_reason());
                match powers {
                    Some((_, why)) => {
                        known(&self.atom.text, Standing::CONDITIONAL, ProofRule::InfinitelyDivisible, &why)
                    }
                    None => unknown("the logarithm of a kernel is not positive definite in general".into()),
                }
            }
            What::Function(..) => unknown(format!("nothing is known of `{}`", self.atom.text)),
        }
    }

    /// Of a function that needs a positive definite kernel inside, and is one then.
    fn of_kernel(&self, function: &str, inner: &Form, rule: ProofRule, because: &str) -> Judgement {
        let judged = inner.judge();
        match (judged.standing, judged.proof.clone()) {
            (Standing::PositiveDefinite, Some(premise)) => {
                let proof = step(&self.atom.text, Standing::PositiveDefinite, rule, because);
                proved(Standing::PositiveDefinite, proof.using(vec![premise]))
            }
            _ => judged.lacking(&format!("{function} needs a kernel, and `{inner}`")),
        }
    }
}

fn step(subject: &impl std::fmt::Display, standing: Standing, rule: ProofRule, because: &str) -> Proof {
    Proof::new(subject, standing, rule).because(because)
}

fn proved(standing: Standing, proof: Proof) -> Judgement {
    Judgement { standing, proof: Some(proof), reason: String::new() }
}

fn known(subject: &impl std::fmt::Display, standing: Standing, rule: ProofRule, because: &str) -> Judgement {
    proved(standing, step(subject, standing, rule, because))
}

fn positive_number(subject: &impl std::fmt::Display) -> Judgement {
    let because = "φ(x) is a number, the root of the constant";
    known(subject, Standing::PositiveDefinite, ProofRule::FeatureMap, because)
}

fn unknown(reason: String) -> Judgement {
    Judgement { standing: Standing::Unknown, proof: None, reason }
}
