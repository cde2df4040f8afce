//! What learners of clusters share.

use crate::error::{Error, Result};
use crate::model::{LearnerSpec, SettingSpec, SettingValues};

pub(super) const CLUSTERS: SettingSpec =
    SettingSpec { name: "clusters", summary: "number of clusters", values: SettingValues::Whole(1) };
pub(super) const RESTARTS: SettingSpec =
    SettingSpec { name: "restarts", summary: "how often to start, the best is kept", values: SettingValues::Whole(1) };
pub(super) const MAX_ROUNDS: SettingSpec = SettingSpec {
    name: "max_iterations",
    summary: "the largest number of rounds of a start",
    values: SettingValues::Whole(1),
};
pub(super) const TOLERANCE: SettingSpec = SettingSpec {
    name: "tolerance",
    summary: "the least share of the inertia by which a round has to lower it; 0 goes on until no move pays",
    values: SettingValues::AtLeast(0.0),
};
pub(super) const BOUND: SettingSpec = SettingSpec {
    name: "bound",
    summary: "whether to find a number that no inertia is below",
    values: SettingValues::Flag,
};

/// Fails for settings that make no sense.
pub(super) fn check(
    spec: &LearnerSpec,
    clusters: usize,
    restarts: usize,
    max_iterations: usize,
    tolerance: f64,
) -> Result<()> {
    let numbers = [(CLUSTERS, clusters), (RESTARTS, restarts), (MAX_ROUNDS, max_iterations)];
    if let Some((setting, value)) = numbers.into_iter().find(|(_, value)| *value == 0) {
        return Err(Error::invalid(spec.title(), setting.name, value, setting.values.words()));
    }
    match tolerance >= 0.0 && tolerance.is_finite() {
        true => Ok(()),
        false => Err(Error::invalid(spec.title(), TOLERANCE.name, tolerance, TOLERANCE.values.words())),
    }
}
