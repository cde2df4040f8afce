//! What support vector machines share: the programs that are their duals, solved on shared kernel rows, with bounds of what was found.
//!
//! `problem`: what is minimised, and its dual. `store`: kernel rows by groups of the sample, where `layout` says; `kept`: values that a search has kept. `definite`: what is asked of matrices from
//! outside. `machine`: one program solved; `hard`: one without slack. `claim`: bounds of its objective. `assemble`: from programs to a
//! model, and back. `classes`: two classes and several, with `work` (one of their programs), `pairs`, `multi_class` and `probability`; `numbers`: one program an output.
//! `near`: where to start from. `learner`: what their learners share. `exchange`: machines of other programs. The learners stand with their kind: `classify/`,
//! `regress/`, `detect/`.

mod assemble;
mod claim;
mod classes;
mod cost;
mod definite;
mod exchange;
mod extra;
mod hard;
mod kept;
mod layout;
mod learner;
mod machine;
mod multi_class;
mod near;
mod numbers;
pub(crate) mod pairs;
pub(crate) mod probability;
mod problem;
mod settings;
mod store;
mod work;

pub(crate) use assemble::{Found, Part, assemble, certify};
pub(crate) use claim::{Claim, Measured};
pub(crate) use classes::Classes;
pub use cost::Cost;
pub(crate) use definite::definite;
pub use exchange::Imported;
pub use extra::Support;
pub(crate) use kept::kept_values;
pub(crate) use learner::{classes_near, learns_classes, learns_near, learns_numbers, numbers_near, widths};
pub(crate) use machine::{Solved, solve};
pub use multi_class::MultiClass;
pub(crate) use multi_class::{MULTI_CLASS, PROBABILITY};
pub(crate) use near::near_rows;
pub(crate) use numbers::{Numbers, Width};
pub(crate) use problem::{Form, Problem};
pub(crate) use settings::{COST, DEFAULTS, GAP, MAX_MOVES, NU, TUBE, VIOLATION, check_nu, params};
pub(crate) use store::{Store, View};
