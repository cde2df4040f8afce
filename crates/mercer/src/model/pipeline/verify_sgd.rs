//! A stochastic descent held to its claims: the loss of its function on the rows of the fit, and its norm.
//!
//! What its certificate says beside, the loss of rows before they were learnt from, nobody can see afterwards.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::model::KernelMachine;
use crate::model::descent::Outcome;
use crate::run::Run;

use super::verify::Training;
use super::{Verification, VerifiedNumber};

/// Computes mean loss and norm again and compares.
pub(super) fn verify(machine: &KernelMachine, training: &Training, run: &Run) -> Result<Verification> {
    let Some(claim) = Outcome::claimed(machine) else {
        return Err(Error::Unsupported {
            what: "verifying a stochastic descent that claims no loss on its training rows, as one on data that came \
                   in parts,"
                .into(),
            alternative: "judge it on rows that it has not seen, with `mercer predict`".into(),
        });
    };
    let (rows, points) = (training.kept.len(), machine.expansion.points());
    let plain =
        Verification { rows, tolerance: super::verify::SAME, ..Verification::refused(machine.certificate.clone()) };
    // Landmarks are some of the rows only.
    let all = points.len() == rows || matches!(points, Inputs::Precomputed(_));
    let other = training.other_count(points).filter(|_| all || rows < points.len());
    if let Some(problem) = other.or_else(|| training.other_point(points).filter(|_| all)) {
        return Ok(Verification { verdict: format!("these are not the training data: {problem}"), ..plain });
    }
    let found = Outcome::of(machine, &training.points, &training.targets, run)?;
    let numbers = vec![
        VerifiedNumber { name: "mean loss", claimed: claim.mean_loss, found: found.mean_loss },
        VerifiedNumber { name: "norm", claimed: claim.norm, found: found.norm },
    ];
    let problem = numbers.iter().find_map(VerifiedNumber::broken);
    let verdict = match &problem {
        Some(problem) => format!("the claim does not hold: {problem}"),
        None => format!(
            "the mean loss of the function on these rows is {:.6} and its norm {:.6}, as claimed; the loss of rows \
             before they were learnt from cannot be computed again",
            found.mean_loss, found.norm
        ),
    };
    Ok(Verification { holds: problem.is_none(), verdict, numbers, ..plain })
}
