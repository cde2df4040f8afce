//! Which kind of model is fitted.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};
use crate::loss::NamedLoss;
use crate::model::pipeline::Task;

/// Above rows³·outputs of so many, `auto` takes ridge for classes: Newton's method costs that much a step.
const NEWTON_COST: f64 = 6000.0 * 6000.0 * 6000.0;

/// A kind of model, or the wish to have it chosen.
///
/// ```
/// use mercer::select::Learner;
/// assert_eq!("ridge".parse::<Learner>()?, Learner::Ridge);
/// assert!("rigde".parse::<Learner>().unwrap_err().to_string().contains("the nearest is `ridge`"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Learner {
    /// By the target: ridge for numbers; for classes logistic, or ridge where rows are too many for it.
    /// With a loss, `regressor` or `classifier`.
    #[default]
    Auto,
    /// Kernel ridge regression, on numbers or on the codes of classes.
    Ridge,
    /// Kernel logistic regression, with probabilities.
    Logistic,
    /// Numbers by any loss.
    Regressor,
    /// Classes by any loss of a margin.
    Classifier,
    /// Gradient descent, stopped early.
    Descent,
    /// Stochastic gradient descent.
    Sgd,
    /// Spectral cut-off: least squares on the leading eigenfunctions.
    Filter,
    /// The least-squares support vector machine, which is ridge with gamma = 1/alpha.
    Lssvm,
    /// The class whose barycentre is nearest.
    Barycentre,
    /// A Gaussian process, tuned by its own evidence: numbers with variances, classes with probabilities.
    Gp,
}

impl Learner {
    /// All of them.
    pub const ALL: [Learner; 11] = [
        Learner::Auto,
        Learner::Ridge,
        Learner::Logistic,
        Learner::Regressor,
        Learner::Classifier,
        Learner::Descent,
        Learner::Sgd,
        Learner::Filter,
        Learner::Lssvm,
        Learner::Barycentre,
        Learner::Gp,
    ];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Learner::Auto => "auto",
            Learner::Ridge => "ridge",
            Learner::Logistic => "logistic",
            Learner::Regressor => "regressor",
            Learner::Classifier => "classifier",
            Learner::Descent => "descent",
            Learner::Sgd => "sgd",
            Learner::Filter => "filter",
            Learner::Lssvm => "lssvm",
            Learner::Barycentre => "barycentre",
            Learner::Gp => "gp",
        }
    }

    /// Whether it predicts numbers.
    pub fn fits_numbers(self) -> bool {
        !matches!(self, Learner::Logistic | Learner::Classifier | Learner::Barycentre)
    }

    /// Whether it predicts classes.
    pub fn fits_classes(self) -> bool {
        self != Learner::Regressor
    }

    /// Whether its loss can be chosen.
    pub fn takes_loss(self) -> bool {
        matches!(self, Learner::Regressor | Learner::Classifier | Learner::Sgd)
    }

    /// What keeps its function simple, by name, of numbers or of classes; nothing if there is nothing to choose.
    pub fn parameter(self, classes: bool) -> Option<&'static str> {
        match self {
            Learner::Gp if classes => None,
            Learner::Descent => Some("iterations"),
            Learner::Sgd => Some("passes"),
            Learner::Barycentre => None,
            _ => Some("alpha"),
        }
    }

    /// The kind that is taken for a task of so many rows, and why where it is not the usual one; an error
    /// that names others where it does not fit the task or the loss.
    ///
    /// ```
    /// use mercer::loss::{Absolute, Hinge, NamedLoss};
    /// use mercer::{model::pipeline::Task, select::Learner};
    /// let numbers = Task::Regression { targets: vec!["y".into()] };
    /// let classes = Task::Classification { target: "y".into(), classes: vec!["a".into(), "b".into()] };
    /// assert_eq!(Learner::Auto.chosen(&numbers, None, 100)?.0, Learner::Ridge);
    /// assert_eq!(Learner::Auto.chosen(&classes, None, 100)?.0, Learner::Logistic);
    /// assert_eq!(Learner::Auto.chosen(&classes, Some(NamedLoss::of(&Hinge::SPEC)), 100)?.0, Learner::Classifier);
    /// let (large, why) = Learner::Auto.chosen(&classes, None, 100_000)?;
    /// assert!(large == Learner::Ridge && why.is_some());
    /// assert!(Learner::Logistic.chosen(&numbers, None, 100).unwrap_err().to_string().contains("ridge, regressor"));
    /// assert!(Learner::Ridge.chosen(&numbers, Some(NamedLoss::of(&Absolute::SPEC)), 100).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn chosen(self, task: &Task, loss: Option<NamedLoss>, rows: usize) -> Result<(Self, Option<String>)> {
        let classes = task.classes().is_some();
        let newton = (rows as f64).powi(3) * task.outputs() as f64;
        let (learner, why) = match (self, classes, loss) {
            (Learner::Auto, false, Some(_)) => (Learner::Regressor, None),
            (Learner::Auto, true, Some(_)) => (Learner::Classifier, None),
            (Learner::Auto, false, None) => (Learner::Ridge, None),
            (Learner::Auto, true, None) if newton > NEWTON_COST => {
                let why = format!(
                    "ridge on the codes of the classes, since {rows} rows are many for `logistic`; ask for it by name"
                );
                (Learner::Ridge, Some(why))
            }
            (Learner::Auto, true, None) => (Learner::Logistic, None),
            (given, ..) => (given, None),
        };
        learner.check(classes, loss)?;
        Ok((learner, why))
    }

    fn check(self, classes: bool, loss: Option<NamedLoss>) -> Result<()> {
        let fits = |l: &Learner| *l != Learner::Auto && if classes { l.fits_classes() } else { l.fits_numbers() };
        if !fits(&self) {
            let names: Vec<&str> = Self::ALL.iter().filter(|l| fits(l)).map(|l| l.name()).collect();
            let what = if classes { "classes" } else { "numbers" };
            let must = format!("one that predicts {what}: {}", names.join(", "));
            return Err(Error::invalid("the fit", "model", format!("`{}`", self.name()), must));
        }
        match loss.filter(|_| !self.takes_loss()) {
            None => Ok(()),
            Some(loss) => {
                let owner = format!("the model `{}`", self.name());
                let must = "left out: `regressor`, `classifier` and `sgd` have a loss to choose";
                Err(Error::invalid(owner, "loss", format!("`{}`", loss.name()), must))
            }
        }
    }
}

impl FromStr for Learner {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|l| l.name() == word).ok_or_else(|| {
            let names = Self::ALL.map(Learner::name);
            let near = nearest(word, names).map(|near| format!("; the nearest is `{near}`")).unwrap_or_default();
            let must = format!("one of {}{near}", names.join(", "));
            Error::invalid("the fit", "model", format!("`{word}`"), must)
        })
    }
}
