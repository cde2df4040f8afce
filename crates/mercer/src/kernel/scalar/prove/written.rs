//! Proofs that follow the expression as it is written.
//!
//! Multiplied out, a power of a sum or a product of sums may hide the kernels it was made of.

use crate::kernel::property::{Proof, ProofRule, Standing};
use crate::kernel::scalar::ast::{Expr, Function};
use crate::kernel::scalar::domain::ScalarDomain;

use super::by_normal_form;
use super::effort::Effort;

/// Terms or factors with a sign: whether they are subtracted or divide.
type Parts = Vec<(Expr, bool)>;

/// A proof from proofs of the parts.
pub(super) fn prove(expr: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    effort.spend()?;
    match expr {
        Expr::Sum(terms) => sum(expr, terms, domain, effort),
        Expr::Product(factors) => product(expr, factors, domain, effort),
        Expr::Power(base, exponent) => power(expr, base, exponent, domain, effort),
        Expr::Call(function, arguments) => series(expr, *function, &arguments[0], domain, effort),
        _ => None,
    }
}

fn step(expr: &Expr, rule: ProofRule) -> Proof {
    Proof::new(expr, Standing::PositiveDefinite, rule)
}

/// Terms that are kernels by themselves, and one proof for the others together, with the help of
/// one of the kernels where they need it.
fn sum(expr: &Expr, terms: &[(Expr, bool)], domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    let (mut kernels, mut others) = (Vec::new(), Parts::new());
    for (term, minus) in terms {
        let proof = if *minus || !variables(term).both() { None } else { super::prove(term, domain, effort) };
        match proof {
            Some(proof) => kernels.push((term, proof)),
            None => others.push((term.clone(), *minus)),
        }
    }
    if kernels.is_empty() {
        return None;
    }
    let mut proofs: Vec<Proof> = kernels.iter().map(|(_, proof)| proof.clone()).collect();
    if !others.is_empty() {
        match by_normal_form(&added(others.clone()), domain, effort) {
            Some(proof) => proofs.push(proof),
            None => {
                let (i, proof) = kernels.iter().enumerate().find_map(|(i, (term, _))| {
                    let mut helped = vec![((*term).clone(), false)];
                    helped.extend(others.clone());
                    Some((i, by_normal_form(&added(helped), domain, effort)?))
                })?;
                proofs[i] = proof;
            }
        }
    }
    Some(step(expr, ProofRule::Sum).using(proofs))
}

/// The sum of terms of which the first may be subtracted.
fn added(mut terms: Parts) -> Expr {
    if let Some((first, minus)) = terms.first_mut()
        && std::mem::take(minus)
    {
        *first = Expr::Negate(Box::new(first.clone()));
    }
    if terms.len() == 1 { terms.remove(0).0 } else { Expr::Sum(terms) }
}

/// Factors that are kernels by themselves, and one proof for the others together.
fn product(expr: &Expr, factors: &[(Expr, bool)], domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    let mut flat = Parts::new();
    factors.iter().for_each(|(factor, over)| flatten(factor, *over, &mut flat));
    let (mut proofs, mut others) = (Vec::new(), Parts::new());
    for (factor, over) in &flat {
        let single = if *over { inverse(factor) } else { factor.clone() };
        let smaller = variables(factor).both() && single != *expr;
        let proof = if smaller { super::prove(&single, domain, effort) } else { None };
        match proof {
            Some(proof) => proofs.push(proof),
            None => others.push((factor.clone(), *over)),
        }
    }
    if proofs.is_empty() {
        return None;
    }
    if !others.is_empty() {
        proofs.push(by_normal_form(&multiplied(others), domain, effort)?);
    }
    Some(step(expr, ProofRule::Product).using(proofs))
}

fn multiplied(mut factors: Parts) -> Expr {
    if factors[0].1 {
        factors.insert(0, (one(), false));
    }
    if factors.len() == 1 { factors.remove(0).0 } else { Expr::Product(factors) }
}

/// The factors of a product of products. What divides in a divisor must not be 0, which is not known of a factor: such a
/// divisor stays whole.
fn flatten(factor: &Expr, over: bool, out: &mut Parts) {
    match factor {
        Expr::Product(inner) if !(over && inner.iter().any(|(_, divides)| *divides)) => {
            inner.iter().for_each(|(f, divides)| flatten(f, over || *divides, out));
        }
        other => out.push((other.clone(), over)),
    }
}

fn one() -> Expr {
    Expr::Number(crate::kernel::scalar::decimal::Decimal::whole(1))
}

/// 1/a.
fn inverse(a: &Expr) -> Expr {
    Expr::Product(vec![(one(), false), (a.clone(), true)])
}

/// A whole power of a kernel.
fn power(expr: &Expr, base: &Expr, exponent: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    let Expr::Number(n) = exponent else { return None };
    let n = n.rational().filter(|n| n.is_whole() && n.numerator() >= 1)?;
    let proof = super::prove(base, domain, effort)?;
    Some(step(expr, ProofRule::Product).because(format!("`{base}` {n} times")).using(vec![proof]))
}

/// exp, cosh or sinh of a kernel.
fn series(expr: &Expr, function: Function, k: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    let name = match function {
        Function::Exp => "exp(k) = Σ kⁿ/n!",
        Function::Cosh => "cosh(k) = Σ k²ⁿ/(2n)!",
        Function::Sinh => "sinh(k) = Σ k²ⁿ⁺¹/(2n + 1)!",
        _ => return None,
    };
    let proof = super::prove(k, domain, effort)?;
    Some(step(expr, ProofRule::PowerSeries).because(format!("{name} with k = `{k}`")).using(vec![proof]))
}

/// Which of x and y stand in an expression.
struct Names {
    x: bool,
    y: bool,
}

impl Names {
    fn both(&self) -> bool {
        self.x && self.y
    }
}

fn variables(expr: &Expr) -> Names {
    let of = |parts: &mut dyn Iterator<Item = &Expr>| {
        parts.map(variables).fold(Names { x: false, y: false }, |a, b| Names { x: a.x || b.x, y: a.y || b.y })
    };
    match expr {
        Expr::X => Names { x: true, y: false },
        Expr::Y => Names { x: false, y: true },
        Expr::Number(_) | Expr::Pi | Expr::Euler => Names { x: false, y: false },
        Expr::Negate(a) => variables(a),
        Expr::Sum(parts) | Expr::Product(parts) => of(&mut parts.iter().map(|(e, _)| e)),
        Expr::Power(a, b) => of(&mut [a.as_ref(), b.as_ref()].into_iter()),
        Expr::Call(_, arguments) => of(&mut arguments.iter()),
    }
}
