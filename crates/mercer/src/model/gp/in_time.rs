//! A process of fewer rows, where a stop leaves no time for a factor of all of them.

use std::time::Duration;

use crate::certificate::Stop;
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::model::{Fitted, Sample};
use crate::note::Note;
use crate::run::Run;

/// The time for a factor of all rows, once there is none left.
const MOMENT: Duration = Duration::from_millis(300);
/// Rows whose factor takes a few hundredths of a second.
const FEW: usize = 1_000;

/// The process of all rows at tuned parameters, in the time that is left or a moment; or else that of a thousand of them, spread
/// evenly, whose certificate says what stopped it. `finish` takes the rows (nothing for all) and the run.
///
/// Hours of tuning may be in the parameters, so they are not lost; and a factor of all rows may take minutes, so it does not keep
/// whoever asked for a stop waiting. The rows of a precomputed matrix cannot be taken apart: their factor is waited for.
pub(super) fn in_time(
    sample: &Sample,
    run: &Run,
    finish: impl Fn(Option<&Sample>, &Run) -> Result<Fitted>,
) -> Result<Fitted> {
    let late = run.without_stops();
    if sample.n <= FEW || matches!(sample.all, Inputs::Precomputed(_)) {
        return finish(None, &late);
    }
    let time = if run.stop_reason().is_some() { run.for_a_moment(MOMENT) } else { run.clone() };
    match finish(None, &time.abrupt()) {
        Err(Error::Cancelled { .. }) => of_few(sample, run, |few| finish(Some(few), &late)),
        done => done,
    }
}

fn of_few(sample: &Sample, run: &Run, finish: impl Fn(&Sample) -> Result<Fitted>) -> Result<Fitted> {
    let stop = run.stop_reason().map_or(Stop::Interrupted, Stop::from);
    let rows: Vec<usize> = (0..FEW).map(|i| i * sample.n / FEW).collect();
    let mut fitted = finish(&sample.part(&rows)?)?;
    fitted.model.stopped_by(stop);
    let note = Note::InHaste { rows: FEW, of: sample.n };
    run.warn(&note.to_string());
    fitted.report.notes.push(note);
    Ok(fitted)
}
