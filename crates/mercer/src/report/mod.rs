//! What every face says: one object for each command, with the name of its schema.
//!
//! The command line writes these objects with `--json`, Python reads them, a page shows them; none of them makes its own. A
//! number that is not finite is `null`, a [note](crate::Note) is an object with a kind and a sentence. `docs/guide/json.md` lists the
//! fields of each.

mod check;
mod cluster;
mod compare;
mod depend;
mod digits;
mod embed;
mod explain;
mod export;
mod fit;
mod gallery;
mod gram;
mod inspect;
mod predict;
mod score;
mod scores;
mod segment;
mod spectrum;
mod study;
mod tune;
mod verify;

use serde::Serialize;

pub use check::{CheckReport, InWords, ReadAs};
pub use cluster::ClusterReport;
pub use compare::{CompareReport, WitnessReport};
pub use depend::DependReport;
pub use digits::{number, percent, within, within_percent};
pub use embed::EmbedReport;
pub use explain::ExplainReport;
pub use export::ExportReport;
pub use fit::FitReport;
pub use gallery::{GalleryReport, Shown};
pub use gram::GramReport;
pub use inspect::InspectReport;
pub use predict::{PredictReport, answers};
pub use score::{Measured, ScoreReport, score};
pub use scores::{cells, headings};
pub use segment::SegmentReport;
pub use spectrum::{Dimension, SpectrumReport};
pub use study::StudyReport;
pub use tune::TuneReport;
pub use verify::VerifyReport;

/// An object that is written with the name of its schema.
///
/// ```
/// use mercer::report::{ReadAs, HasSchema, CheckReport};
/// let report = CheckReport::new(ReadAs::Expression, "x*y".into());
/// let json = serde_json::to_value(report.written()).expect("JSON");
/// assert_eq!((json["schema"].as_str(), json["read_as"].as_str()), (Some("mercer.check/1"), Some("expression")));
/// ```
pub trait HasSchema: Serialize {
    /// Its name and version, such as `mercer.fit/1`. Fields may be added under the same version, never changed or taken away.
    const SCHEMA: &'static str;

    /// With the name of the schema before its fields.
    fn written(&self) -> Written<'_, Self> {
        Written { schema: Self::SCHEMA, report: self }
    }
}

/// An object after the name of its schema.
#[derive(Debug, Serialize)]
pub struct Written<'a, R: ?Sized> {
    schema: &'static str,
    #[serde(flatten)]
    report: &'a R,
}
