//! Predicting classes.

mod barycentre;
mod class_weight;
mod classifier;
mod logistic;

pub use barycentre::KernelBarycentre;
pub use class_weight::ClassWeight;
pub use classifier::KernelClassifier;
pub use logistic::KernelLogisticRegression;
