//! Categories that act together, where the evidence says so.
//!
//! `hamming` adds up what each category says. What two of them say together is out of its reach, and such targets would be predicted by
//! their mean. A term that counts the more the more columns agree reaches it; it has two parameters more, which most tables need not.

use crate::data::{ColumnType, Inputs, TargetKind};
use crate::error::Result;
use crate::kernel::{KernelExpr, Kind};
use crate::learn_kernel::{TunedKernel, tune_from, untuned};
use crate::run::Run;

use super::candidates::{Candidates, Tuned};
use super::default_kernel::count;

/// What stands for `hamming`, with little and with much of the second term.
const TOGETHER: [&str; 2] = ["hamming + 0.3*normalize(exp(4*hamming))", "hamming + 3*normalize(exp(4*hamming))"];

/// What the evidence of a row must gain before anything is tuned for a term to be looked at.
const GAIN: f64 = 0.01;

/// Whether there are columns of categories that can.
pub(super) fn can_act_together(x: &Inputs) -> bool {
    count(x, ColumnType::Category) >= 2
}

impl Candidates<'_> {
    /// The best of these kernels with categories that act together, of numbers tuned; nothing where that gains nothing.
    pub(super) fn together(&self, tuned: &[Tuned], run: &Run) -> Result<Option<Tuned>> {
        let best = tuned.iter().min_by(|a, b| a.kernel.price().total_cmp(&b.kernel.price()));
        let Some(best) = best.filter(|_| can_act_together(&self.rows.x)) else { return Ok(None) };
        let ((y, weights), x) = (self.seen(self.rows)?, &self.rows.x);
        let mut start: Option<TunedKernel> = None;
        for term in TOGETHER {
            let kernel = with_term(&best.kernel.kernel, &KernelExpr::parse(term)?);
            let found = untuned(&kernel, x, &y, weights.as_ref(), &self.params, run)?;
            start = start.filter(|start| start.evidence <= found.evidence).or(Some(found));
        }
        let Some(start) = start.filter(|start| start.evidence < best.kernel.evidence - GAIN) else { return Ok(None) };
        // The evidence of the codes of classes gains by it where the loss of classes does not: folds decide, and a search would be in vain.
        let found = match self.rows.target.kind() {
            TargetKind::Classes => start,
            _ => tune_from((&start.kernel, start.alpha), x, &y, weights.as_ref(), &self.params, run)?,
        };
        let kernel = TunedKernel { per_column: best.kernel.per_column, ..found };
        let source = with_term(&best.source, &KernelExpr::parse(TOGETHER[0])?);
        Ok(Some(Tuned { source, kernel, plain: false, loss: None, chosen: None }))
    }
}

/// The formula with `term` in the place of `hamming`.
fn with_term(kernel: &KernelExpr, term: &KernelExpr) -> KernelExpr {
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
