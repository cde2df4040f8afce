//! What users fit. A learner is plain data: choices, a [`LearnerSpec`] and the trait [`Learn`]; the [`catalogue`] has a line
//! for each. What fitting gives is always a [`Fitted`]: a [`Model`], and a [`Report`] of how it came about.
//!
//! From the bottom: `expansion`, `sample`, `posterior` (what functions and rows are), `spec`, `complexity`, `learn`, `result`
//! (what learners and models are), `squares` and `penalized` (what learners share), the learners in their folders, the
//! `catalogue`, and `pipeline`, what users save.

mod answers;
mod average;
pub mod catalogue;
pub mod classify;
pub mod cluster;
pub mod compare;
mod complexity;
pub mod correlate;
pub mod descent;
pub mod detect;
mod expansion;
mod extra;
mod fitted;
pub mod gp;
mod learn;
mod least_squares_svm;
mod link;
mod penalized;
pub mod pipeline;
mod posterior;
pub mod reduce;
pub mod regress;
mod repaired;
mod result;
pub(crate) mod sample;
pub mod segment;
mod short;
mod slope;
mod spec;
mod squares;
pub(crate) mod support;
mod tuning;

pub use complexity::{Choice, Complexity, OwnLoss};
pub use expansion::Expansion;
pub use extra::{Components, Extra, Interval, LeaveOneOut};
pub use fitted::{AlphaScore, Considered, Fitted, Report};
pub(crate) use learn::has_kernel;
pub use learn::{AnyLearner, Certified, Learn, Learner, Tune};
pub use least_squares_svm::LeastSquaresSvm;
pub use link::Link;
pub use penalized::{AnyLoss, Penalty};
pub use posterior::{Modes, Process};
pub use result::{Model, ModelParts};
pub use sample::Sample;
pub use spec::{Answer, LearnerSpec, SettingSpec, SettingValues};
pub use support::{Cost, Imported, MultiClass, Support};
pub(crate) use tuning::maximise;
pub use tuning::{AtBound, Criterion, Search, Tuned, Tuning};
