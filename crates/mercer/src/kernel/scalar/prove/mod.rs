//! Proofs that an expression is positive definite.
//!
//! Two judgements are derived by rules over the normal form: *positive definite* ([`positive`]) and
//! *of negative type* ([`negative`]). Signs are read off ranges over the domain and off the
//! diagonal. Where the normal form loses what was written, the expression itself is taken apart
//! ([`written`]). Every rule is a theorem of [`ProofRule`](crate::kernel::property::ProofRule);
//! nothing is decided by a numerical test. Answers are kept, a judgement never asks for itself, and
//! the work is bounded, so that the search ends soon on any input.

mod atoms;
mod compact;
mod effort;
mod exponentials;
mod fourier;
mod gaussian;
mod negative;
mod ordered;
mod periodic;
mod piecewise;
mod polynomial;
mod positive;
mod quotient;
mod reflected;
mod separable;
mod series;
mod shape;
mod sign;
mod stationary;
mod written;

use std::collections::HashMap;

use crate::kernel::property::{Proof, ProofRule, Rational, Standing};

use super::ast::Expr;
use super::domain::ScalarDomain;
use super::interval::Interval;
use super::normal::Normal;

pub(super) use effort::Effort;

/// Steps of normalisation and proof before one attempt is given up.
const MAX_STEPS: usize = 30_000;
/// How deep judgements may ask for others.
const MAX_DEPTH: usize = 20;

/// What is known while one expression is examined on one domain.
pub(super) struct Context<'a> {
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
    /// Whether it serves another one, and must not ask for a third.
    serves: bool,
    effort: &'a Effort<'a>,
}

/// Which sets and ways of writing an attempt is made with.
struct View {
    set: Interval,
    whole: bool,
    by_distance: bool,
    /// The set in words, where it is larger than the domain.
    larger: Option<String>,
}

impl<'a> Context<'a> {
    fn new(view: &View, effort: &'a Effort<'a>) -> Self {
        let (domain, whole) = (view.set, view.whole);
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
            by_distance: view.by_distance,
            points: points.filter(inside).collect(),
            ranges: HashMap::new(),
            positive: HashMap::new(),
            negative: HashMap::new(),
            steps: 0,
            depth: 0,
            serves: false,
            effort,
        }
    }

    /// Counts a step; `None` when there have been too many.
    pub(super) fn spend(&mut self) -> Option<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        self.effort.spend()
    }
}

/// A proof that the expression is positive definite on the domain, if the rules give one.
pub(super) fn prove(expr: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    by_normal_form(expr, domain, effort)
        .or_else(|| compact::prove(expr, effort))
        .or_else(|| shape::prove(expr, effort))
        .or_else(|| if domain == ScalarDomain::Segment { periodic::prove(expr, effort) } else { None })
        .or_else(|| written::prove(expr, domain, effort))
}

/// A proof that −k is of negative type, so that k is conditionally positive definite.
pub(super) fn prove_conditional(expr: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    let negated = Expr::Negate(Box::new(expr.clone()));
    views(domain).iter().find_map(|view| {
        let mut context = Context::new(view, effort);
        let psi = context.build(&negated)?;
        let proof = context.negative(&psi)?;
        let step = Proof::new(expr, Standing::CONDITIONAL, ProofRule::NegatedNegativeType);
        let step = step.because(format!("ψ = `{psi}`")).using(vec![proof]);
        Some(restricted(step, view))
    })
}

/// A proof by the rules over normal forms.
fn by_normal_form(expr: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Proof> {
    views(domain).iter().find_map(|view| {
        let mut context = Context::new(view, effort);
        let normal = context.build(expr)?;
        let proof = context.positive(&normal)?;
        Some(restricted(as_written(expr, &normal, proof), view))
    })
}

/// The ways to look at an expression, the plainest first.
///
/// A kernel on a larger set is one on the domain: with its ends there are more base points, and on
/// all numbers there is Bochner's theorem.
fn views(domain: ScalarDomain) -> Vec<View> {
    let own = domain.interval();
    let closed = Interval { low_open: own.low.is_infinite(), high_open: own.high.is_infinite(), ..own };
    let sets = [
        (own, domain == ScalarDomain::Natural, None),
        (closed, false, Some(format!("{} and their ends", domain.describe()))),
        (Interval::ALL, false, Some("all numbers".to_owned())),
    ];
    let mut out = Vec::new();
    for (set, whole, larger) in sets {
        if larger.is_some() && set == own {
            continue;
        }
        for by_distance in [false, true] {
            out.push(View { set, whole, by_distance, larger: larger.clone() });
        }
    }
    out
}

/// The last step from a larger set to the domain.
fn restricted(proof: Proof, view: &View) -> Proof {
    let Some(words) = &view.larger else { return proof };
    let reason = format!("the steps above hold on {words}");
    Proof { claim: proof.claim.clone(), rule: ProofRule::Restriction, reason, premises: vec![proof] }
}

/// The last step from the normal form to what was written.
fn as_written(expr: &Expr, normal: &Normal, proof: Proof) -> Proof {
    let (source, shown) = (expr.to_string(), normal.to_string());
    if source == shown {
        return proof;
    }
    let last = Proof::new(&source, Standing::PositiveDefinite, ProofRule::Identity);
    last.because(format!("`{source}` = `{shown}`")).using(vec![proof])
}

/// A step that the expression is positive definite.
fn positive_step(a: &Normal, rule: ProofRule) -> Proof {
    Proof::new(a, Standing::PositiveDefinite, rule)
}

/// A step that the expression is of negative type.
fn negative_step(a: &Normal, rule: ProofRule) -> Proof {
    Proof::of(format!("`{a}` is of negative type"), rule)
}
