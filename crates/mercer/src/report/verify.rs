//! A saved model held to its claims.

use serde::Serialize;

use crate::certificate::Certificate;
use crate::model::pipeline::Verification;

use super::HasSchema;

/// What a model claims beside what was computed again.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyReport {
    /// The file of the model.
    pub model: String,
    /// The name of the data set.
    pub data: String,
    /// The verdict, and both certificates.
    #[serde(flatten)]
    pub found: Verification,
    /// The gap that was computed again.
    pub gap: Option<f64>,
    /// The gap that is claimed.
    pub claimed_gap: Option<f64>,
}

impl HasSchema for VerifyReport {
    const SCHEMA: &'static str = "mercer.verify/1";
}

impl VerifyReport {
    /// Of a verification on these data.
    pub fn new(model: String, data: String, found: Verification) -> Self {
        let (gap, claimed_gap) = (found.found.as_ref().and_then(Certificate::gap), found.claimed.gap());
        VerifyReport { model, data, found, gap, claimed_gap }
    }
}
