//! Functions of |x − y| that are polynomials up to a point and constant from there on.

use crate::kernel::property::{Proof, ProofRule, Rational, Standing};
use crate::kernel::scalar::ast::Expr;

use super::effort::Effort;
use super::piecewise::Piecewise;
use super::polynomial::Polynomial;

/// Steps of Wendland's walk: φ on ℝ from −φ′(t)/t on ℝ³, from the same of that on ℝ⁵, ….
const MAX_WALK: usize = 4;

/// A proof by Pólya's or Askey's criterion; of functions on all numbers, and so on every domain.
pub(super) fn prove(expr: &Expr, effort: &Effort) -> Option<Proof> {
    let profile = Piecewise::profile(expr, effort)?;
    let limit = profile.pieces.last()?.as_constant()?;
    if profile.breaks.is_empty() || limit < Rational::ZERO || !profile.is_continuous()? {
        return None;
    }
    let (rule, reason) = match profile.is_convex()? {
        true => (ProofRule::Polya, format!("φ(t) is convex and becomes {limit} ≥ 0")),
        false => (ProofRule::Askey, askey(&profile, limit)?),
    };
    Some(Proof::new(expr, Standing::PositiveDefinite, rule).because(reason))
}

/// Walks up in dimension until what is left is monotone often enough, and says how.
fn askey(profile: &Piecewise, limit: Rational) -> Option<String> {
    let [end] = profile.breaks.as_slice() else { return None };
    let mut left = profile.pieces[0].minus(&Polynomial::constant(limit))?;
    for walk in 0..=MAX_WALK {
        // On ℝᵈ with d = 2·walk + 1, the derivative of order ⌊d/2⌋ = walk must be convex.
        if is_monotone(&left, *end, walk)? {
            let dimension = 2 * walk + 1;
            let part = if limit == Rational::ZERO { "φ" } else { "φ without its limit" };
            return Some(match walk {
                0 => format!("d = 1 and {part} itself"),
                _ => format!("d = {dimension} and f from {part} by {walk} steps −φ′(t)/t, each of which adds 2 to d"),
            });
        }
        if left.at(*end)? != Rational::ZERO {
            return None;
        }
        left = left.derivative()?.over_variable()?.scaled(Rational::whole(-1))?;
    }
    None
}

/// Whether (−1)ʲf⁽ʲ⁾ ≥ 0 on [0, end] for j ≤ order + 2, with f⁽ʲ⁾(end) = 0 for j ≤ order, so that
/// the derivative of that order is continuous, decreasing and convex with the 0 that follows.
fn is_monotone(f: &Polynomial, end: Rational, order: usize) -> Option<bool> {
    let mut derivative = f.clone();
    for j in 0..=order + 2 {
        let signed = derivative.scaled(Rational::whole(if j % 2 == 0 { 1 } else { -1 }))?;
        let joins = j > order || derivative.at(end)? == Rational::ZERO;
        if !joins || !signed.is_non_negative_on(Rational::ZERO, end) {
            return Some(false);
        }
        derivative = derivative.derivative()?;
    }
    Some(true)
}
