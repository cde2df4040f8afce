//! Machines held to their claims: each kind by what its certificate says.

use crate::certificate::Certificate;
use crate::error::Result;
use crate::kernel::Registry;
use crate::model::classify::KernelBarycentre;
use crate::model::descent::attained_again;
use crate::model::penalized::certify;
use crate::model::regress::calibrated_again;
use crate::model::{KernelMachine, Shifts};
use crate::run::Run;

use super::Verification;
use super::verify::{SAME, Training};
use super::verify_sgd;

/// How many times the claim a residual or a gap may be: rounding differs from machine to machine.
pub(super) const LEEWAY: f64 = 10.0;

/// Share of the largest target by which shifts may differ.
const ALIKE: f64 = 1e-6;

/// Computes the certificate of a machine again and compares.
pub(super) fn verify(machine: &KernelMachine, training: &Training, run: &Run) -> Result<Verification> {
    if machine.learner == "kernel_sgd" {
        return verify_sgd::verify(machine, training, run);
    }
    let rows = training.kept.len();
    let claimed = machine.certificate.clone();
    let tolerance = (LEEWAY * claimed.residual()).max(16.0 * rows as f64 * f64::EPSILON);
    let points = machine.expansion.points();
    if let Some(problem) = training.other_count(points).or_else(|| training.other_point(points)) {
        let verdict = format!("these are not the training data: {problem}");
        return Ok(Verification { verdict, tolerance, rows, ..Verification::refused(claimed) });
    }
    let (found, tolerance, problem) = match machine.learner.as_str() {
        "kernel_gradient_descent" | "spectral_filter" => {
            let weights = training.weights.as_deref();
            let (f, x, y) = (&machine.expansion, &training.points, &training.targets);
            let found = attained_again(&claimed, f, x, y, weights, run)?;
            let problem = other_fit(&found, &claimed);
            (found, SAME, problem)
        }
        "kernel_barycentre" => {
            let off = barycentres(machine, training, run)?;
            let problem = exceeds(off, tolerance).then(|| {
                format!("the barycentres computed again differ by {off:.1e} of the largest coefficient from those kept")
            });
            (claimed.clone(), tolerance, problem)
        }
        _ => {
            let weights = training.weights.as_deref();
            let found = certify(machine, &training.points, &training.targets, weights, run)?;
            let problem = broken(&found, &claimed, tolerance);
            let shifts = if problem.is_none() { uncalibrated(machine, training, run)? } else { None };
            (found, tolerance, problem.or(shifts))
        }
    };
    let verdict = problem.clone().map_or_else(|| said(&found), |p| format!("the claim does not hold: {p}"));
    let holds = problem.is_none();
    Ok(Verification { holds, verdict, claimed, found: Some(found), numbers: Vec::new(), tolerance, rows })
}

/// Whether a value is above its limit; what is no number does not pass.
pub(super) fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || limit.is_nan() || value > limit
}

pub(super) fn said(found: &Certificate) -> String {
    let gap = found.gap().zip(found.primal).map_or_else(String::new, |(gap, primal)| {
        format!(" and the gap {:.1e} of the objective", (gap / primal.abs().max(f64::MIN_POSITIVE)).max(0.0))
    });
    match found.measured().next() {
        Some((name, value)) => format!("the certificate holds: the {name} is {value:.1e}{gap}"),
        None => "the certificate holds: the same numbers come out again".into(),
    }
}

fn residuals(found: &Certificate, claimed: &Certificate) -> String {
    format!(
        "the relative residual is {:.1e}, and the model claims {:.1e}; its numbers, or the targets, are not those \
         of the fit",
        found.residual(),
        claimed.residual()
    )
}

/// A sentence if residual, objective or gap are not those of the claim.
pub(super) fn broken(found: &Certificate, claimed: &Certificate, tolerance: f64) -> Option<String> {
    let objective = found.primal.unwrap_or(f64::NAN);
    let size = objective.abs().max(f64::MIN_POSITIVE);
    let (gap, claim) = (found.gap().unwrap_or(0.0), claimed.gap().unwrap_or(0.0));
    if exceeds(found.residual(), tolerance) {
        return Some(residuals(found, claimed));
    }
    match claimed.primal {
        Some(primal) if exceeds((objective - primal).abs(), SAME * size) => {
            Some(format!("the objective is {objective:.6e}, and the model claims {primal:.6e}"))
        }
        _ if exceeds(gap, LEEWAY * claim.max(0.0) + SAME * size) => {
            Some(format!("the gap is {gap:.1e}, and the model claims {claim:.1e}"))
        }
        _ => None,
    }
}

/// A sentence if the discrepancy is not that of the claim.
fn other_fit(found: &Certificate, claimed: &Certificate) -> Option<String> {
    let [is, was] = [found, claimed].map(|c| c.discrepancy.unwrap_or(f64::NAN));
    exceeds((is - was).abs(), SAME).then(|| {
        format!(
            "the discrepancy is {is:.6}, and the model claims {was:.6}; its numbers, or the targets, are not those of \
             the fit"
        )
    })
}

/// A sentence if curves were shifted by other numbers than the folds give. Of other rounding, the folds may have curves
/// that are as good, and a little elsewhere.
fn uncalibrated(machine: &KernelMachine, training: &Training, run: &Run) -> Result<Option<String>> {
    let (y, weights) = (&training.targets, training.weights.as_deref());
    let Some(found) = calibrated_again(machine, &training.points, y, weights, run)? else { return Ok(None) };
    let claimed = Shifts::of(&machine.settings, found.len())?.map_or_else(Vec::new, |shifts| shifts.0);
    let largest = y.values().iter().fold(f64::MIN_POSITIVE, |m, y| m.max(y.abs()));
    let off = |(o, shift): (usize, &f64)| exceeds((shift - claimed.get(o).unwrap_or(&f64::NAN)).abs(), ALIKE * largest);
    let other = found.iter().enumerate().find(|shift| off(*shift));
    Ok(other.map(|(o, shift)| {
        let claim = claimed.get(o).copied().unwrap_or(f64::NAN);
        format!("calibration shifts output {o} by {shift:.6e}, and the model claims {claim:.6e}")
    }))
}

/// The barycentres again, and how far those of the model are from them.
fn barycentres(machine: &KernelMachine, training: &Training, run: &Run) -> Result<f64> {
    let again = KernelBarycentre { kernel: machine.expansion.kernel().clone() };
    let registry: &Registry = machine.expansion.space().registry();
    let weights = training.weights.as_deref();
    let again = again.fit_with(&training.points, &training.targets, weights, registry, run)?.model;
    let numbers = |m: &KernelMachine| [m.expansion.coefficients(), m.expansion.intercept()].concat();
    let (was, is) = (numbers(machine), numbers(&again));
    let size = is.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    Ok(was.iter().zip(&is).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size)
}
