//! Settings that several learners have, described once.

use crate::model::{SettingSpec, SettingValues};

/// The price of the norm.
pub(crate) const ALPHA: SettingSpec =
    SettingSpec { name: "alpha", summary: "what the squared norm costs", values: SettingValues::Above(0.0) };
/// The loss.
pub(crate) const LOSS: SettingSpec = SettingSpec {
    name: "loss",
    summary: "the loss, by name",
    values: SettingValues::Other("a loss with its parameter"),
};
/// alpha or a bound.
pub(crate) const PENALTY: SettingSpec = SettingSpec {
    name: "penalty",
    summary: "alpha, or a bound of the norm",
    values: SettingValues::Other("`alpha` or `norm_bound` with a number > 0"),
};
/// Whether there is an intercept.
pub(crate) const FIT_INTERCEPT: SettingSpec = SettingSpec {
    name: "fit_intercept",
    summary: "whether to add a number that the norm does not count",
    values: SettingValues::Flag,
};
/// When to stop.
pub(crate) const TOLERANCE: SettingSpec = SettingSpec {
    name: "tolerance",
    summary: "the gap over the objective at which to stop",
    values: SettingValues::Inside(0.0, 1.0),
};
/// When to give up.
pub(crate) const MAX_ITERATIONS: SettingSpec =
    SettingSpec { name: "max_iterations", summary: "the largest number of steps", values: SettingValues::Whole(1) };
/// Where chance begins.
pub(crate) const SEED: SettingSpec =
    SettingSpec { name: "seed", summary: "where chance begins", values: SettingValues::Whole(0) };
/// How many rows functions are sums over.
pub(crate) const LANDMARKS: SettingSpec = SettingSpec {
    name: "landmarks",
    summary: "how many rows stand for all",
    values: SettingValues::Other("a whole number ≥ 1, or null for all rows"),
};
/// How often to begin.
pub(crate) const STARTS: SettingSpec = SettingSpec {
    name: "starts",
    summary: "starts of a loss that may have several minima",
    values: SettingValues::Whole(1),
};
