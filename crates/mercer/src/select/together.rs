//! Categories that act together, where the evidence says so.
//!
//! `hamming` adds up what each category says. What two of them say together is out of its reach, and such targets would be predicted by
//! their mean. A term that counts the more the more columns agree reaches it; it has two parameters more, which most tables need not.
//!
//! Whether it is worth a search is seen in a few steps on few rows. Of classes the evidence of codes is no judge, and rows that are left
//! out are asked instead.

use crate::data::{ColumnType, Inputs, TargetKind};
use crate::error::Result;
use crate::kernel::{KernelExpr, Kind};
use crate::learn_kernel::{TuneParams, TunedKernel, Tuner};
use crate::run::Run;

use super::candidates::{Candidates, Tuned};
use super::default_kernel::count;

/// What stands for `hamming`, with little and with much of the second term.
const TOGETHER: [&str; 2] = ["hamming + 0.3*normalize(exp(4*hamming))", "hamming + 3*normalize(exp(4*hamming))"];

/// Rows on which a term is looked at, at most.
const ROWS: usize = 300;

/// What the evidence of a row must gain in a few steps for a term to be tuned: more than nothing. What its parameters cost is not asked here,
/// since leave-one-out decides in the end and a search of some rows is all there is to lose.
const GAIN: f64 = 1e-3;

/// The share of the mean square of what left-out rows of classes are missed by that a term must come below.
const CLEARLY: f64 = 0.95;

/// How much more than the sum there is of the product that it becomes.
const MORE: f64 = 3.0;
/// The ends of the exponent of that product.
const EXPONENT: (f64, f64) = (0.1, 4.0);

/// Whether there are columns of categories that can.
pub(super) fn can_act_together(x: &Inputs) -> bool {
    count(x, ColumnType::Category) >= 2
}

impl Candidates<'_> {
    /// The best of these kernels with categories that act together; nothing where that gains nothing.
    pub(super) fn together(&self, tuned: &[Tuned], run: &Run) -> Result<Vec<Tuned>> {
        let least = |of: fn(&TunedKernel) -> f64| tuned.iter().min_by(|a, b| of(&a.kernel).total_cmp(&of(&b.kernel)));
        let (Some(best), Some(nearest)) = (least(TunedKernel::price), least(|kernel| kernel.leave_one_out)) else {
            return Ok(Vec::new());
        };
        if !can_act_together(&self.rows.x) {
            return Ok(Vec::new());
        }
        if self.rows.target.kind() == TargetKind::Classes {
            return Ok(self.of_classes(best, run)?.into_iter().collect());
        }
        let mut found: Vec<Tuned> = self.of_numbers(best, run)?.into_iter().collect();
        if nearest.source != best.source {
            found.extend(self.of_numbers(nearest, run)?);
        }
        Ok(found)
    }

    /// A kernel of numbers with a term, tuned, where a few steps gain something.
    fn of_numbers(&self, one: &Tuned, run: &Run) -> Result<Option<Tuned>> {
        let all = self.tuner(self.rows, self.params, run)?;
        let few = Tuner { params: TuneParams { rows: ROWS.min(self.params.rows), ..self.params }, ..all.clone() };
        let own = few.a_little_from(&one.kernel.kernel, one.kernel.alpha)?;
        let mut best: Option<TunedKernel> = None;
        for (kernel, factor) in starts(&one.kernel.kernel)? {
            let found = few.a_little_from(&kernel, factor * one.kernel.alpha)?;
            best = best.filter(|best| best.evidence <= found.evidence).or(Some(found));
        }
        let Some(best) = best.filter(|best| best.evidence < own.evidence - GAIN) else { return Ok(None) };
        let found = all.from(&best.kernel, best.alpha)?;
        let kernel = TunedKernel { per_column: one.kernel.per_column, ..found };
        let source = with_term(&one.source, &KernelExpr::parse(TOGETHER[0])?);
        Ok(Some(Tuned { source, kernel, ..one.clone() }))
    }

    /// A kernel of classes with a term as it is, where it makes left-out rows of codes better by far: folds decide, and a search by the
    /// evidence of codes would be in vain.
    fn of_classes(&self, one: &Tuned, run: &Run) -> Result<Option<Tuned>> {
        let all = self.tuner(self.rows, self.params, run)?;
        let few = Tuner { params: self.first(), ..all.clone() };
        let with = |term: &KernelExpr, tuner: &Tuner<'_>| tuner.untuned(&with_term(&one.kernel.kernel, term));
        let own = few.untuned(&one.kernel.kernel)?.leave_one_out;
        let mut best: Option<(KernelExpr, f64)> = None;
        for term in TOGETHER {
            let term = KernelExpr::parse(term)?;
            let missed = with(&term, &few)?.leave_one_out;
            best = best.filter(|(_, least)| *least <= missed).or(Some((term, missed)));
        }
        let Some((term, _)) = best.filter(|(_, missed)| *missed < CLEARLY * own) else { return Ok(None) };
        let kernel = TunedKernel { per_column: one.kernel.per_column, ..with(&term, &all)? };
        Ok(Some(Tuned { kernel, term: Some(term), ..one.clone() }))
    }
}

/// Where searches for a term begin, with the factor on alpha: little and much of it; and the product to which the sum with its constant b
/// is nearest, b·exp(hamming/b) ≈ b + hamming, which is what effects that multiply want.
fn starts(kernel: &KernelExpr) -> Result<Vec<(KernelExpr, f64)>> {
    let b = beside_hamming(kernel).unwrap_or(1.0);
    let exponent = (1.0 / b).clamp(EXPONENT.0, EXPONENT.1);
    let factor = MORE * exponent.exp() / exponent;
    let product = KernelExpr::parse(&format!("hamming + {factor}*normalize(exp({exponent}*hamming))"))?;
    let mut all = vec![(with_term(kernel, &product), 1.0 + MORE)];
    for term in TOGETHER {
        all.push((with_term(kernel, &KernelExpr::parse(term)?), 1.0));
    }
    Ok(all)
}

/// The constant that is added to `hamming`, if there is one.
fn beside_hamming(kernel: &KernelExpr) -> Option<f64> {
    let is_hamming = |part: &KernelExpr| matches!(part, KernelExpr::Leaf(leaf) if leaf.kind() == Kind::Hamming);
    match kernel {
        KernelExpr::Sum(parts) if parts.iter().any(is_hamming) => parts.iter().find_map(|part| match part {
            KernelExpr::Constant(b) => b.number(),
            _ => None,
        }),
        KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts.iter().find_map(beside_hamming),
        _ => None,
    }
}

/// The formula with `term` in the place of `hamming`.
pub(super) fn with_term(kernel: &KernelExpr, term: &KernelExpr) -> KernelExpr {
    let each = |parts: &[KernelExpr]| parts.iter().map(|part| with_term(part, term)).collect::<Vec<_>>();
    match kernel {
        KernelExpr::Leaf(leaf) if leaf.kind() == Kind::Hamming => term.clone(),
        KernelExpr::Sum(parts) => {
            let flat = |part: KernelExpr| match part {
                KernelExpr::Sum(inner) => inner,
                other => vec![other],
            };
            KernelExpr::Sum(each(parts).into_iter().flat_map(flat).collect())
        }
        KernelExpr::Product(parts) => KernelExpr::Product(each(parts)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_term_stands_where_hamming_stood() {
        let kernel = KernelExpr::parse("(rbf + 1)*(hamming + 1) + normalize(ngram)").expect("reads");
        let found = with_term(&kernel, &KernelExpr::parse(TOGETHER[0]).expect("reads"));
        let again = KernelExpr::parse(&found.to_string()).expect("reads");
        let expected = "(rbf + 1)*(hamming + 0.3*normalize(exp(4*hamming)) + 1) + normalize(ngram)";
        assert_eq!(again, KernelExpr::parse(expected).expect("reads"));
    }
}
