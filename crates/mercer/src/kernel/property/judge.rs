//! The closure rules, walked over a formula.

use super::{Powers, Proof, ProofRule, Standing};
use crate::error::Result;
use crate::kernel::leaf::Columns;
use crate::kernel::{KernelExpr, Leaf, Param, Registry, formula};

/// What is known of a formula: a proof of its standing, or the reason why there is none.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What is known.
    pub standing: Standing,
    /// The proof, where something is proved.
    pub proof: Option<Proof>,
    /// Why nothing is proved; empty where something is.
    pub reason: String,
}

impl KernelExpr {
    /// What is known of this kernel's definiteness.
    ///
    /// ```
    /// use mercer::kernel::{KernelExpr, property::Standing};
    /// assert!(KernelExpr::parse("rbf + linear*delta")?.standing().is_positive_definite());
    /// let energy = KernelExpr::parse("rbf + 2*energy")?;
    /// assert_eq!(energy.standing(), Standing::ConditionallyPositiveDefinite { order: 1 });
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn standing(&self) -> Standing {
        self.judge().standing
    }

    /// Walks the closure rules over this formula: a proof of what it is, or why there is none.
    pub fn judge(&self) -> Judgement {
        match self {
            KernelExpr::Leaf(leaf) => judge_leaf(self, leaf),
            KernelExpr::Custom(custom) => {
                unproved(Standing::Unknown, format!("nothing is known of the user's kernel `{}`", custom.name))
            }
            KernelExpr::Expression(expression) => {
                let proof = Proof::new(self, Standing::PositiveDefinite, ProofRule::PullBack)
                    .because("f reads the column")
                    .using(vec![expression.proof().clone()]);
                Judgement { standing: Standing::PositiveDefinite, proof: Some(proof), reason: String::new() }
            }
            KernelExpr::Constant(param) | KernelExpr::Scale { factor: param, .. } if !is_weight(param) => {
                unproved(Standing::Unknown, format!("`{param}` is not a weight ≥ 0"))
            }
            KernelExpr::Constant(_) => proved(
                self,
                Standing::PositiveDefinite,
                ProofRule::FeatureMap,
                "φ(x) is a number, the root of the constant",
            ),
            KernelExpr::Scale { inner, .. } => closed(self, ProofRule::Scale, [inner.as_ref()]),
            KernelExpr::Sum(terms) => closed(self, ProofRule::Sum, terms),
            KernelExpr::Product(factors) => product(self, factors.iter(), ProofRule::Product),
            KernelExpr::Power { exponent, .. } if !(*exponent > 0.0 && exponent.is_finite()) => {
                unproved(Standing::Unknown, format!("the power {exponent} is not a number > 0"))
            }
            KernelExpr::Power { base, exponent } if exponent.fract() == 0.0 => {
                product(self, [base.as_ref()], ProofRule::Product)
            }
            KernelExpr::Power { base, .. } => fractional(self, base),
            KernelExpr::Exp(inner) => exponential(self, inner),
            KernelExpr::Normalize(inner) => normalized(self, inner),
            KernelExpr::WithGaps(inner) => direct_sum(self, inner),
        }
    }

    /// Judges a formula that may be refused as a kernel: differences, logarithms, roots. An error
    /// means that it cannot be read at all.
    ///
    /// ```
    /// use mercer::kernel::{KernelExpr, property::Standing};
    /// assert!(KernelExpr::parse("log(rbf)").is_err());
    /// let judged = KernelExpr::judge_formula("log(rbf)")?;
    /// assert_eq!(judged.standing, Standing::ConditionallyPositiveDefinite { order: 1 });
    /// assert!(KernelExpr::judge_formula("exp(log(rbf))")?.standing.is_positive_definite());
    /// assert_eq!(KernelExpr::judge_formula("rbf - linear")?.standing, Standing::Unknown);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn judge_formula(source: &str) -> Result<Judgement> {
        Ok(formula::judge(source, &Registry::new())?.judgement)
    }

    /// Why every power k^β with β > 0 is positive definite, where that is known. It does not say that
    /// k > 0: powers of 0 are 0.
    pub(crate) fn powers_reason(&self) -> Option<(ProofRule, String)> {
        let divisible = |why: String| Some((ProofRule::InfinitelyDivisible, why));
        match self {
            KernelExpr::Leaf(leaf) => match (leaf.spec().property.powers, leaf.columns()) {
                (Powers::All(why), _) => divisible(why.to_owned()),
                (Powers::AllOfOneColumn(why), Columns::Named(names)) if names.len() == 1 => {
                    Some((ProofRule::Indicators, why.to_owned()))
                }
                _ => None,
            },
            KernelExpr::Constant(param) => {
                is_weight(param).then(|| (ProofRule::FeatureMap, "a power of a constant is a constant".into()))
            }
            KernelExpr::Scale { factor, inner } => {
                inner.powers_reason().filter(|_| is_weight(factor)).map(|(rule, why)| match rule {
                    ProofRule::InfinitelyDivisible => (rule, why),
                    _ => (ProofRule::Scale, format!("{why}, and a power of a weight is a weight")),
                })
            }
            KernelExpr::Product(factors) => {
                let all: Vec<_> = factors.iter().map(KernelExpr::powers_reason).collect::<Option<_>>()?;
                match all.iter().all(|(rule, _)| *rule == ProofRule::InfinitelyDivisible) {
                    true => divisible("log k is the sum of those of its factors".into()),
                    false => Some((ProofRule::Product, "k^β is the product of the powers of its factors".into())),
                }
            }
            KernelExpr::Power { base, exponent } => base.powers_reason().filter(|_| *exponent > 0.0),
            KernelExpr::Exp(inner) => match inner.standing() {
                Standing::PositiveDefinite | Standing::CONDITIONAL => divisible(format!("log k = {inner}")),
                _ => None,
            },
            KernelExpr::Normalize(inner) => inner.powers_reason().map(|(rule, _)| match rule {
                ProofRule::InfinitelyDivisible => {
                    (rule, "log k differs from that of the inner kernel by f(x) + f(y)".into())
                }
                _ => (ProofRule::Normalisation, "k^β is the normalised power of the inner kernel".into()),
            }),
            // Powers of 0 and of 1 are 0 and 1, so that a power of the whole is the whole of a power.
            KernelExpr::WithGaps(inner) => {
                inner.powers_reason().map(|(_, why)| (ProofRule::DirectSum, format!("of the kernel inside, {why}")))
            }
            KernelExpr::Sum(_) | KernelExpr::Custom(_) | KernelExpr::Expression(_) => None,
        }
    }

    /// Whether k(x, y) > 0 is known at all pairs of points, so that log k has a value.
    pub(crate) fn is_positive(&self) -> bool {
        let above = |param: &Param| param.number().is_some_and(|v| v > 0.0);
        match self {
            KernelExpr::Leaf(leaf) => matches!(leaf.spec().property.powers, Powers::All(_)),
            KernelExpr::Constant(param) => above(param),
            KernelExpr::Scale { factor, inner } => above(factor) && inner.is_positive(),
            KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts.iter().all(KernelExpr::is_positive),
            KernelExpr::Power { base: inner, .. } | KernelExpr::Normalize(inner) => inner.is_positive(),
            KernelExpr::Exp(_) => true,
            KernelExpr::WithGaps(_) | KernelExpr::Custom(_) | KernelExpr::Expression(_) => false,
        }
    }
}

impl Judgement {
    /// Nothing known, since `what` needs more than what is known here.
    pub(crate) fn lacking(self, what: &str) -> Judgement {
        let reason = match self.reason.is_empty() {
            true => format!("{what} is only {}", self.standing.words()),
            false => self.reason,
        };
        Judgement { standing: Standing::Unknown, proof: None, reason }
    }
}

/// Whether a parameter is a number ≥ 0.
fn is_weight(param: &Param) -> bool {
    param.number().is_some_and(|v| v >= 0.0 && v.is_finite())
}

fn proved(expr: &KernelExpr, standing: Standing, rule: ProofRule, because: &str) -> Judgement {
    let proof = Proof::new(expr, standing, rule).because(because);
    Judgement { standing, proof: Some(proof), reason: String::new() }
}

fn unproved(standing: Standing, reason: impl Into<String>) -> Judgement {
    Judgement { standing, proof: None, reason: reason.into() }
}

fn judge_leaf(expr: &KernelExpr, leaf: &Leaf) -> Judgement {
    let spec = leaf.spec();
    let found = spec.property.of(leaf);
    match found.rule {
        Some(rule) => {
            let because = format!("k(x, y) = {}, {}", spec.definition, found.because);
            proved(expr, found.standing, rule, &because)
        }
        None => unproved(found.standing, format!("of `{}`: {}", spec.name, found.because)),
    }
}

/// A rule that hands the weakest standing of its premises on.
fn closed<'a>(expr: &KernelExpr, rule: ProofRule, parts: impl IntoIterator<Item = &'a KernelExpr>) -> Judgement {
    let mut standing = Standing::PositiveDefinite;
    let mut premises = Vec::new();
    for judged in parts.into_iter().map(KernelExpr::judge) {
        let Some(proof) = judged.proof else {
            // What is not known of a part is not known of the whole.
            return unproved(Standing::Unknown, judged.reason);
        };
        standing = weaker(standing, judged.standing);
        premises.push(proof);
    }
    let proof = Proof::new(expr, standing, rule.of(standing)).using(premises);
    Judgement { standing, proof: Some(proof), reason: String::new() }
}

/// What holds of a sum of two kernels: the weaker of the two standings.
pub(crate) fn weaker(a: Standing, b: Standing) -> Standing {
    use Standing::{ConditionallyPositiveDefinite as Conditional, PositiveDefinite};
    match (a, b) {
        (PositiveDefinite, other) | (other, PositiveDefinite) => other,
        (Conditional { order: m }, Conditional { order: n }) => Conditional { order: m.max(n) },
        (Conditional { .. }, other) => other,
        (other, _) => other,
    }
}

/// A rule for positive definite premises only.
fn product<'a>(expr: &KernelExpr, parts: impl IntoIterator<Item = &'a KernelExpr>, rule: ProofRule) -> Judgement {
    let judged = closed(expr, rule, parts);
    match judged.standing {
        Standing::ConditionallyPositiveDefinite { .. } => {
            let needs = format!("the rule `{}` needs positive definite parts", rule.name());
            unproved(Standing::Unknown, format!("{needs}, and a part is only {}", judged.standing.words()))
        }
        _ => judged,
    }
}

fn fractional(expr: &KernelExpr, base: &KernelExpr) -> Judgement {
    match base.powers_reason() {
        Some((rule, why)) => proved(expr, Standing::PositiveDefinite, rule, &why),
        None => {
            unproved(Standing::Unknown, format!("log of `{base}` is not known to be conditionally positive definite"))
        }
    }
}

/// k/√(k(x, x)·k(y, y)) of a positive definite k; where k(x, x) is 0, so are k(x, y) and the value.
fn normalized(expr: &KernelExpr, inner: &KernelExpr) -> Judgement {
    let mut judged = product(expr, [inner], ProofRule::Normalisation);
    if let Some(proof) = judged.proof.as_mut().filter(|_| !inner.is_positive()) {
        proof.reason = "it is 0 where a k(x, x) is, as k is".into();
    }
    judged
}

/// Why `with_gaps` is a direct sum.
pub(crate) const GAPS: &str = "points with a gap are the second set, and their kernel is the constant 1";

fn direct_sum(expr: &KernelExpr, inner: &KernelExpr) -> Judgement {
    let mut judged = product(expr, [inner], ProofRule::DirectSum);
    if let Some(proof) = judged.proof.as_mut() {
        proof.reason = GAPS.into();
    }
    judged
}

fn exponential(expr: &KernelExpr, inner: &KernelExpr) -> Judgement {
    let judged = inner.judge();
    let (Some(premise), rule) = (
        judged.proof,
        match judged.standing {
            Standing::PositiveDefinite => ProofRule::PowerSeries,
            Standing::CONDITIONAL => ProofRule::Schoenberg,
            _ => {
                return unproved(
                    Standing::Unknown,
                    format!("exp needs a kernel, and `{inner}` is {}", judged.standing.words()),
                );
            }
        },
    ) else {
        return unproved(Standing::Unknown, judged.reason);
    };
    let because =
        if rule == ProofRule::PowerSeries { "exp(t) = Σ tⁿ/n!" } else { "ψ is the negative of the inner kernel" };
    let proof = Proof::new(expr, Standing::PositiveDefinite, rule).because(because).using(vec![premise]);
    Judgement { standing: Standing::PositiveDefinite, proof: Some(proof), reason: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(formula: &str) -> Standing {
        KernelExpr::judge_formula(formula).unwrap_or_else(|e| panic!("{formula}: {e}")).standing
    }

    #[test]
    fn closure_rules_decide_formulas() {
        let conditional = |order| Standing::ConditionallyPositiveDefinite { order };
        let cases = [
            ("0.5*rbf(age) + linear(height)*delta(species)", Standing::PositiveDefinite),
            ("(linear + 1)^3", Standing::PositiveDefinite),
            ("normalize(exp(poly))*ngram(note)", Standing::PositiveDefinite),
            ("rbf^0.5", Standing::PositiveDefinite),
            ("(2*rbf*periodic)^0.3", Standing::PositiveDefinite),
            ("min(age)^0.5", Standing::PositiveDefinite),
            ("min^0.5", Standing::Unknown),
            ("(rbf + linear)^0.5", Standing::Unknown),
            ("(linear^2)^0.5", Standing::Unknown),
            ("energy", conditional(1)),
            ("2*energy(exponent=1.5) + rbf", conditional(1)),
            ("thin_plate + energy", conditional(2)),
            ("exp(energy)", Standing::PositiveDefinite),
            ("exp(thin_plate)", Standing::Unknown),
            ("energy*rbf", Standing::Unknown),
            ("energy^2", Standing::Unknown),
            ("sigmoid", Standing::Indefinite),
            ("sigmoid + rbf", Standing::Unknown),
            ("rbf - linear", Standing::Unknown),
            ("-rbf", Standing::Unknown),
            ("rbf/linear", Standing::Unknown),
            ("log(rbf)", conditional(1)),
            ("log(linear)", Standing::Unknown),
            ("exp(log(cauchy))", Standing::PositiveDefinite),
            ("tanh(linear)", Standing::Unknown),
            ("normalize(energy)", Standing::Unknown),
            ("with_gaps(rbf(age)) + with_gaps(normalize(poly))*delta", Standing::PositiveDefinite),
            ("with_gaps(rbf)^0.5", Standing::PositiveDefinite),
            ("with_gaps(energy)", Standing::Unknown),
            ("with_gaps(rbf - linear)", Standing::Unknown),
            ("log(with_gaps(rbf))", Standing::Unknown),
            ("2*with_gaps(rbf) - with_gaps(rbf)", Standing::PositiveDefinite),
            ("with_gaps(rbf) - rbf", Standing::Unknown),
        ];
        for (formula, expected) in cases {
            assert_eq!(standing(formula), expected, "{formula}");
        }
    }

    #[test]
    fn what_cannot_be_read_stays_an_error() {
        for formula in ["rfb - linear", "log(rbf, 2)", "-", "rbf^100", "log(lineer)"] {
            assert!(KernelExpr::judge_formula(formula).is_err(), "{formula}");
        }
    }

    #[test]
    fn a_proof_names_its_rules() {
        let proof = KernelExpr::parse("(linear + 1)^3").ok().and_then(|k| k.judge().proof).expect("a proof");
        assert_eq!(
            proof.to_string(),
            "\
1. `linear` is positive definite
   explicit feature map: ⟨φ(x), φ(y)⟩ is positive definite for every map φ into a space with an inner product; here k(x, y) = ⟨x, y⟩, φ(x) = x
2. `1` is positive definite
   explicit feature map: ⟨φ(x), φ(y)⟩ is positive definite for every map φ into a space with an inner product; here φ(x) is a number, the root of the constant
3. `linear + 1` is positive definite
   sum, from steps 1 and 2: a sum of positive definite kernels is positive definite
4. `(linear + 1)^3` is positive definite
   product, from step 3: a product of positive definite kernels is positive definite (Schur)"
        );
    }

    /// The theorem of a step is about kernels of the order that it speaks of.
    #[test]
    fn sums_and_scales_of_conditional_kernels_have_their_own_rule() {
        let proof = |formula| KernelExpr::judge_formula(formula).ok().and_then(|j| j.proof).expect("a proof");
        for formula in ["2*thin_plate", "thin_plate + energy", "3*energy + rbf", "log(rbf) + thin_plate", "2*log(rbf)"]
        {
            let proof = proof(formula);
            assert!(proof.uses(ProofRule::ConditionalSum), "{formula}: {proof}");
            assert!(!proof.uses(ProofRule::Sum) && !proof.uses(ProofRule::Scale), "{formula}: {proof}");
            assert!(!proof.uses(ProofRule::NegativeTypeSum), "{formula}: {proof}");
        }
        assert!(proof("thin_plate + energy").claim.ends_with("of order 2"));
        assert!(!proof("2*rbf + linear").uses(ProofRule::ConditionalSum));
    }

    #[test]
    fn deep_formulas_are_judged_in_linear_time() {
        let deep = format!("{}rbf{}", "normalize(".repeat(50), ")".repeat(50));
        assert_eq!(standing(&deep), Standing::PositiveDefinite);
        let roots = format!("{}rbf{}", "exp(".repeat(50), ")".repeat(50));
        assert_eq!(standing(&roots), Standing::PositiveDefinite);
    }
}
