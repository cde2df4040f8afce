//! Whether columns of numbers have a scale each, or one together.
//!
//! Pixels, counts of words and shares are in one unit: a column that hardly varies says less than others, and is not to be blown up.
//! Ages and incomes are not. Rows that are left out tell which it is, of a kernel that nobody tuned.

use crate::data::{Column, Dataset, Inputs, TargetKind, Weights};
use crate::error::Result;
use crate::learn_kernel::TuneParams;
use crate::model::pipeline::{Prepare, Prepared};
use crate::note::Note;
use crate::run::Run;

use super::candidates::Candidates;
use super::job::Job;
use super::rows::Rows;

/// Rows that are looked at.
const ROWS: usize = 400;
/// Rows from which on a difference means something.
const FEWEST: usize = 50;
/// The share of the mean square of what is missed that one scale may have to be taken: nearer to 1 it would be chance.
const CLEARLY: f64 = 0.97;

impl Job {
    /// The data prepared, with one scale for all columns of numbers where that is clearly better and nobody gave a kernel.
    pub(super) fn prepared(&self, data: &Dataset, weights: Option<&Weights>, run: &Run) -> Result<Prepared> {
        let prepare = self.prepare.for_kernel(self.kernel.as_ref());
        let own = prepare.fit(data, weights)?;
        if !self.may_share_a_scale(&own) || run.stop_reason().is_some() {
            return Ok(own);
        }
        let mut one = Prepare { one_scale: true, ..prepare }.fit(data, weights)?;
        let (of_own, of_one) = (self.missed(&own, run)?, self.missed(&one, run)?);
        if of_one < CLEARLY * of_own {
            one.notes.push(Note::OneScale { error: of_one.sqrt(), error_of_own: of_own.sqrt() });
            return Ok(one);
        }
        Ok(own)
    }

    fn may_share_a_scale(&self, prepared: &Prepared) -> bool {
        let numbers = match &prepared.inputs {
            Inputs::Dense(x) => x.ncols(),
            Inputs::Table(table) => table.iter().filter(|(_, column)| matches!(column, Column::Number(_))).count(),
            Inputs::Sparse(_) | Inputs::Precomputed(_) => 0,
        };
        let open = self.kernel.is_none() && self.tune && self.prepare.standardize && !self.prepare.one_scale;
        open && numbers > 1 && prepared.inputs.len() >= FEWEST && prepared.target.kind() != TargetKind::None
    }

    /// The mean square of what rows that are left out are missed by, over the variance; infinite where it is not known.
    fn missed(&self, prepared: &Prepared, run: &Run) -> Result<f64> {
        let rows = Rows::of(prepared);
        let params = TuneParams { rows: ROWS, ..self.tune_params(prepared.target.kind()) };
        let plain = Candidates::new(None, &rows, params)?.plain(run);
        // Where it cannot be computed the learner itself says why.
        Ok(plain.ok().flatten().map_or(f64::INFINITY, |plain| plain.kernel.leave_one_out))
    }
}
