//! Gaussian processes held to their claims: certificate and evidence.

use crate::certificate::Certificate;
use crate::data::Inputs;
use crate::error::Result;
use crate::run::Run;

use super::verify::Training;
use super::verify_machine::{LEEWAY, broken, said};
use super::{Verification, VerifiedNumber};

/// What a process claims, and what is found again.
pub(super) struct Claim<'a> {
    pub(super) points: &'a Inputs,
    pub(super) certificate: &'a Certificate,
    pub(super) log_evidence: f64,
}

/// Computes the certificate and the evidence again by `certify`, and compares.
pub(super) fn verify(
    claim: &Claim<'_>,
    training: &Training,
    certify: impl Fn(&Training, &Run) -> Result<(Certificate, f64)>,
    run: &Run,
) -> Result<Verification> {
    let rows = training.kept.len();
    let claimed = claim.certificate.clone();
    let tolerance = (LEEWAY * claimed.residual()).max(16.0 * rows as f64 * f64::EPSILON);
    if let Some(problem) = training.other_count(claim.points).or_else(|| training.other_point(claim.points)) {
        let verdict = format!("these are not the training data: {problem}");
        return Ok(Verification { verdict, rows, tolerance, ..Verification::refused(claimed) });
    }
    let (found, log_evidence) = certify(training, run)?;
    let evidence = VerifiedNumber { name: "log evidence", claimed: claim.log_evidence, found: log_evidence };
    let problem = broken(&found, &claimed, tolerance).or_else(|| evidence.broken());
    let verdict = match &problem {
        Some(problem) => format!("the claim does not hold: {problem}"),
        None => format!("{}, the log evidence {log_evidence:.6}", said(&found)),
    };
    let found = Certificate { iterations: claimed.iterations, ..found };
    let holds = problem.is_none();
    Ok(Verification { holds, verdict, claimed, found: Some(found), numbers: vec![evidence], tolerance, rows })
}
