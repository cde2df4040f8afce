//! The list of learners that every face knows by name.

use super::{Learner, classify, descent, gp, least_squares_svm, regress};
use crate::data::{Inputs, Target};
use crate::error::{Error, Result, nearest};
use crate::run::Run;

use super::Fitted;

macro_rules! learners {
    ($($learner:path),* $(,)?) => {
        /// Every learner with its usual settings, in the order of the catalogue.
        pub fn all() -> Vec<Learner> {
            vec![$(<$learner>::default().into()),*]
        }

        $(impl $learner {
            /// Fits to points, what they say, and weights ≥ 0, one a row; a row of weight 0 is as good as absent.
            pub fn fit(&self, x: &Inputs, y: impl Into<Target>, weights: Option<&[f64]>, run: &Run) -> Result<Fitted> {
                Learner::from(self.clone()).fit(x, y, weights, run)
            }
        })*
    };
}

learners! {
    regress::KernelRidge,
    regress::KernelRegressor,
    regress::KernelQuantileRegressor,
    classify::KernelLogisticRegression,
    classify::KernelClassifier,
    classify::KernelBarycentre,
    least_squares_svm::LeastSquaresSvm,
    descent::KernelGradientDescent,
    descent::KernelSgd,
    descent::SpectralFilter,
    gp::GaussianProcessRegressor,
    gp::GaussianProcessClassifier,
}

/// The learner of this name, with its usual settings.
///
/// ```
/// use mercer::model::catalogue;
/// assert_eq!(catalogue::by_name("logistic")?.spec().class, "KernelLogisticRegression");
/// assert!(catalogue::by_name("rigde").unwrap_err().to_string().contains("the nearest is `ridge`"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn by_name(name: &str) -> Result<Learner> {
    let all = all();
    let names: Vec<&str> = all.iter().map(|l| l.spec().name).collect();
    let near = || nearest(name, names.iter().copied()).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
    let found = names.iter().position(|known| *known == name);
    match found {
        Some(at) => Ok(all[at].clone()),
        None => {
            let must = format!("one of {}{}", names.join(", "), near());
            Err(Error::invalid("the fit", "model", format!("`{name}`"), must))
        }
    }
}
