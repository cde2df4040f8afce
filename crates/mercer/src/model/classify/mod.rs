//! Predicting classes.

mod barycentre;
mod class_weight;
mod classifier;
mod fisher;
mod logistic;
mod nu_svc;
mod scatter;
mod svc;

pub use barycentre::KernelBarycentre;
pub(crate) use class_weight::CLASS_WEIGHT;
pub use class_weight::ClassWeight;
pub use classifier::KernelClassifier;
pub use fisher::KernelFisherDiscriminant;
pub use logistic::KernelLogisticRegression;
pub use nu_svc::NuSvc;
pub use svc::Svc;
