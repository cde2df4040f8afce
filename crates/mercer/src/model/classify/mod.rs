//! Predicting classes.

mod class_weight;
mod classifier;
mod logistic;

pub use class_weight::ClassWeight;
pub use classifier::KernelClassifier;
pub use logistic::KernelLogisticRegression;
