//! The list of learners that every face knows by name.

use serde::Serialize;
use serde_json::Value;

use crate::data::{Inputs, Target, Weights};
use crate::error::{Error, Result, nearest};
use crate::run::Run;

use super::{
    Fitted, Learner, SettingSpec, classify, cluster, correlate, descent, detect, gp, least_squares_svm, reduce, regress,
};

macro_rules! learners {
    ($($learner:path),* $(,)?) => {
        /// Every learner with its usual settings, in the order of the catalogue.
        pub fn all() -> Vec<Learner> {
            vec![$(<$learner>::default().into()),*]
        }

        $(impl $learner {
            /// Fits to points, what they say, and weights ≥ 0, one a row; a row of weight 0 is as good as absent.
            pub fn fit(&self, x: &Inputs, y: impl Into<Target>, weights: Option<&Weights>, run: &Run) -> Result<Fitted> {
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
    classify::KernelFisherDiscriminant,
    least_squares_svm::LeastSquaresSvm,
    classify::Svc,
    classify::NuSvc,
    regress::Svr,
    regress::NuSvr,
    detect::OneClassSvm,
    cluster::KernelKMeans,
    cluster::SpectralClustering,
    correlate::KernelCca,
    reduce::KernelPca,
    descent::KernelGradientDescent,
    descent::KernelSgd,
    descent::SpectralFilter,
    gp::GaussianProcessRegressor,
    gp::GaussianProcessClassifier,
}

/// A learner as every face lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// Its one name.
    pub name: &'static str,
    /// Its name as a type.
    pub class: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The kinds of targets it learns from.
    pub predicts: Vec<&'static str>,
    /// Whether it takes weights.
    pub weights: bool,
    /// The number that keeps its functions simple.
    pub complexity: Option<&'static str>,
    /// Its settings.
    pub settings: Vec<DescribedSetting>,
}

/// A setting as every face lists it.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedSetting {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// What values it takes, in words.
    pub values: String,
    /// The value when none is given.
    pub default: Value,
}

/// Every learner, described.
///
/// ```
/// let all = mercer::model::catalogue::described();
/// let logistic = all.iter().find(|l| l.name == "logistic").expect("there");
/// assert_eq!((logistic.complexity, logistic.settings[0].name), (Some("alpha"), "alpha"));
/// ```
pub fn described() -> Vec<Described> {
    all().iter().map(describe).collect()
}

fn describe(learner: &Learner) -> Described {
    let (spec, mut defaults) = (learner.spec(), learner.settings());
    let setting = |s: &SettingSpec| DescribedSetting {
        name: s.name,
        summary: s.summary,
        values: s.values.words(),
        default: defaults.remove(s.name).unwrap_or_default(),
    };
    Described {
        name: spec.name,
        class: spec.class,
        summary: spec.summary,
        predicts: spec.targets.iter().map(|kind| kind.words()).collect(),
        weights: spec.weights,
        complexity: learner.complexity().map(|c| c.name),
        settings: spec.settings.iter().map(setting).collect(),
    }
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
