//! Settings that support vector machines share, described once.

use crate::error::{Error, Result};
use crate::model::{LearnerSpec, SettingSpec, SettingValues};
use crate::solver::dual::DualParams;

use super::Cost;

/// What a unit of slack costs.
pub(crate) const COST: SettingSpec = SettingSpec {
    name: "C",
    summary: "what a unit of slack costs: 1/alpha",
    values: SettingValues::Other("a number > 0, or `inf` for a hard margin"),
};
/// What a unit of slack of numbers costs.
pub(crate) const TUBE: SettingSpec = SettingSpec {
    name: "epsilon",
    summary: "half the width of the tube whose rows cost nothing",
    values: SettingValues::AtLeast(0.0),
};
/// The share of support vectors.
pub(crate) const NU: SettingSpec = SettingSpec {
    name: "nu",
    summary: "the least share of support vectors, and the largest of rows on the wrong side",
    values: SettingValues::Other("a number above 0 and at most 1"),
};
/// When to stop: LIBSVM's tolerance.
pub(crate) const VIOLATION: SettingSpec = SettingSpec {
    name: "tolerance",
    summary: "the largest violation of the conditions at which to stop",
    values: SettingValues::Inside(0.0, 1.0),
};
/// When to stop: what is certified.
pub(crate) const GAP: SettingSpec = SettingSpec {
    name: "gap",
    summary: "the gap over the objective at which to stop",
    values: SettingValues::Inside(0.0, 1.0),
};
/// When to give up.
pub(crate) const MAX_MOVES: SettingSpec = SettingSpec {
    name: "max_iterations",
    summary: "the largest number of moves of a pair of coefficients",
    values: SettingValues::Whole(1),
};

/// The usual tolerance, gap and number of moves.
pub(crate) const DEFAULTS: (f64, f64, u64) = (1e-3, 1e-3, 10_000_000);

/// The parameters of the solver, checked.
pub(crate) fn params(spec: &LearnerSpec, tolerance: f64, gap: f64, max_iterations: u64) -> Result<DualParams> {
    for (name, value) in [("tolerance", tolerance), ("gap", gap)] {
        if !(value > 0.0 && value < 1.0) {
            return Err(Error::invalid(spec.title(), name, value, "a number between 0 and 1, both excluded"));
        }
    }
    if max_iterations == 0 {
        return Err(Error::invalid(spec.title(), "max_iterations", 0, "at least 1"));
    }
    Ok(DualParams { tolerance, gap, max_iterations, exact: true })
}

impl Cost {
    /// Fails unless it is above 0, and finite where there is no hard margin.
    pub(crate) fn validate(self, spec: &LearnerSpec, may_be_hard: bool) -> Result<()> {
        // 1/C must be a number, too.
        let good = self.0 > 0.0 && (1.0 / self.0).is_finite() && (self.0.is_finite() || may_be_hard);
        match good {
            true => Ok(()),
            false if may_be_hard => Err(Error::invalid(spec.title(), "C", self.0, "a number > 0, or `inf`")),
            false => Err(Error::invalid(spec.title(), "C", self.0, "a finite number > 0")),
        }
    }
}

/// ν above 0 and at most 1.
pub(crate) fn check_nu(spec: &LearnerSpec, nu: f64) -> Result<()> {
    match nu > 0.0 && nu <= 1.0 {
        true => Ok(()),
        false => Err(Error::invalid(spec.title(), "nu", nu, "a number above 0 and at most 1")),
    }
}
