//! Choosing and judging: splits, cross-validation, and the main job from data to a model.

mod split;

pub use split::{Fold, Split};
