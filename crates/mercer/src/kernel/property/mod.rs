//! What is known of a kernel: a proof that it is positive definite, a counterexample, or neither.
//!
//! A function k is *positive definite* when Σᵢⱼ aᵢaⱼ k(xᵢ, xⱼ) ≥ 0 for all points and numbers aᵢ;
//! *conditionally* so (of order 1) when this holds for numbers with Σᵢ aᵢ = 0; and ψ is of
//! *negative type* when −ψ is conditionally positive definite.

mod counterexample;
mod formula;
mod judge;
mod proof;
mod rational;
mod rule;
mod standing;
mod verdict;

pub use super::formula::Place;
pub use counterexample::{Counterexample, Fault, Quantity};
pub use formula::FormulaCheck;
pub use judge::Judgement;
pub(crate) use judge::{GAPS, weaker};
pub use proof::Proof;
pub use rational::Rational;
pub(crate) use rational::greatest_divisor;
pub use rule::ProofRule;
pub use standing::{Finding, Powers, Property, Standing};
pub use verdict::Verdict;
