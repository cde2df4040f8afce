//! Proofs that an expression is positive definite.
//!
//! Two judgements are derived by rules over the normal form: *positive definite* ([`positive`]) and
//! *of negative type* ([`negative`]). Signs are read off ranges over the domain and off the
//! diagonal. Every rule is a theorem of [`ProofRule`](crate::kernel::property::ProofRule); nothing
//! is decided by a numerical test. Answers are kept, a judgement never asks for itself, and the
//! work is bounded, so that the search ends soon on any input.

mod atoms;
mod negative;
mod positive;
mod separable;
mod series;
mod sign;
mod stationary;

use std::collections::HashMap;

use crate::kernel::property::{Definiteness, Proof, ProofRule, Rational};

use super::ast::Expr;
use super::domain::ScalarDomain;
use super::interval::Interval;
use super::normal::Normal;

/// Steps of normalisation and proof before the search is given up; about half a second.
const MAX_STEPS: usize = 30_000;
/// How deep judgements may ask for others.
const MAX_DEPTH: usize = 20;

/// What is known while one expression is examined on one domain.
pub(super) struct Context {
    /// The values that x and y take.
    pub(super) domain: Interval,
    /// Whether x and y are whole numbers.
    pub(super) whole: bool,
    /// Whether min and max are written by |a − b|.
    pub(super) by_distance: bool,
    /// Points of the domain that may serve as base points.
    points: Vec<Rational>,
    pub(super) ranges: HashMap<Normal, Interval>,
    positive: HashMap<Normal, Option<Proof>>,
    negative: HashMap<Normal, Option<Proof>>,
    steps: usize,
    depth: usize,
}

impl Context {
    fn new(domain: Interval, whole: bool, by_distance: bool) -> Self {
        let candidates = [(0, 1), (1, 1), (-1, 1), (1, 2)];
        let points = candidates.into_iter().filter_map(|(p, q)| Rational::new(p, q));
        let inside = |r: &Rational| {
            let v = r.to_f64();
            let above = v > domain.low || (v == domain.low && !domain.low_open);
            let below = v < domain.high || (v == domain.high && !domain.high_open);
            above && below && (!whole || r.is_whole())
        };
        Context {
            domain,
            whole,
            by_distance,
            points: points.filter(inside).collect(),
            ranges: HashMap::new(),
            positive: HashMap::new(),
            negative: HashMap::new(),
            steps: 0,
            depth: 0,
        }
    }

    /// Counts a step; `None` when there have been too many.
    pub(super) fn spend(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= MAX_STEPS).then_some(())
    }
}

/// A proof that the expression is positive definite on the domain, if the rules give one.
pub(super) fn prove(expr: &Expr, domain: ScalarDomain) -> Option<Proof> {
    let whole = domain == ScalarDomain::Natural;
    let own = domain.interval();
    let attempts = [false, true].into_iter();
    if let Some(proof) = attempts.clone().find_map(|view| attempt(expr, Context::new(own, whole, view))) {
        return Some(proof);
    }
    // A kernel on a larger set is one on the domain: with its ends there are more base points, and on
    // all numbers there is Bochner's theorem.
    let closed = Interval { low_open: own.low.is_infinite(), high_open: own.high.is_infinite(), ..own };
    let larger = [(closed, format!("{} and their ends", domain.describe())), (Interval::ALL, "all numbers".to_owned())];
    larger.into_iter().filter(|(set, _)| *set != own).find_map(|(set, words)| {
        let proof = attempts.clone().find_map(|view| attempt(expr, Context::new(set, false, view)))?;
        let reason = format!("the steps above hold on {words}");
        Some(Proof { claim: proof.claim.clone(), rule: ProofRule::Restriction, reason, premises: vec![proof] })
    })
}

fn attempt(expr: &Expr, mut context: Context) -> Option<Proof> {
    let normal = context.build(expr)?;
    let proof = context.positive(&normal)?;
    let (source, shown) = (expr.to_string(), normal.to_string());
    if source == shown {
        return Some(proof);
    }
    let last = Proof::new(format!("`{source}`"), Definiteness::PositiveDefinite, ProofRule::Identity);
    Some(last.because(format!("`{source}` = `{shown}`")).using(vec![proof]))
}

/// A step that the expression is positive definite.
fn positive_step(a: &Normal, rule: ProofRule) -> Proof {
    Proof::new(format!("`{a}`"), Definiteness::PositiveDefinite, rule)
}

/// A step that the expression is of negative type.
fn negative_step(a: &Normal, rule: ProofRule) -> Proof {
    Proof::new(format!("`{a}`"), Definiteness::NegativeType, rule)
}
