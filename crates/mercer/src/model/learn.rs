//! What every learner does, by its type and without it.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::data::{Inputs, Target, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::{Loss, Squared};
use crate::run::Run;

use super::{Choice, Complexity, Fitted, LearnerSpec, Link, Model, OwnLoss, Sample};

/// A certificate computed again, and half a sentence about a claim that no measure holds, if one is broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Certified {
    /// What was found again; how the answer was found is copied from the model.
    pub certificate: Certificate,
    /// What else does not hold, such as shifts of quantiles that the rows do not give.
    pub broken: Option<String>,
}

impl From<Certificate> for Certified {
    fn from(certificate: Certificate) -> Self {
        Certified { certificate, broken: None }
    }
}

/// A learner: choices that are plain data, with a kernel beside them.
///
/// As JSON it is its settings alone: a formula may name functions, which do not read back from text.
pub trait Learn: Tune {
    /// What it says of itself.
    const SPEC: LearnerSpec;

    /// The kernel; rules such as `median` are resolved on the sample.
    fn kernel(&self) -> &KernelExpr;

    /// The same with another kernel.
    fn with_kernel(&self, kernel: KernelExpr) -> Self;

    /// Fails for settings that make no sense, before any work.
    fn validate(&self) -> Result<()>;

    /// The weights of the rows, given their own: as they are, unless classes have weights, too.
    fn weigh(&self, _target: &Target, own: Option<&Weights>) -> Result<Option<Weights>> {
        Ok(own.cloned())
    }

    /// Learns from a sample of its own kernel. The model holds the learner with all that was chosen.
    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted>;

    /// The same, from where a model of the same rows stands, with other settings or another kernel; it makes the way shorter, not
    /// the answer another.
    fn resume(&self, _near: &Model, sample: &Sample, run: &Run) -> Result<Fitted> {
        self.learn(sample, run)
    }

    /// Computes the certificate of a model of this learner again, from the rows of its fit.
    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified>;

    /// What the values of a model with so many outputs mean.
    fn link(&self, _outputs: usize) -> Link {
        Link::Identity
    }

    /// The number of functions of a model with so many answers.
    fn functions(&self, answers: usize) -> usize {
        answers
    }
}

/// What choosing the complexity of a learner needs; a learner without any leaves it as it is.
pub trait Tune: Clone + Default + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The number that keeps its functions simple.
    fn complexity(&self) -> Option<Complexity> {
        None
    }

    /// The same with this complexity, on rows of this total weight.
    fn with_complexity(&self, _value: f64, _rows: f64) -> Self {
        self.clone()
    }

    /// The same, told to choose its complexity by itself, near what the evidence says for so many rows, and how it does
    /// so; nothing if it cannot.
    fn choosing(&self, _evidence: Option<f64>, _rows: usize) -> Option<(Self, Choice)> {
        None
    }

    /// How the complexity is found where its settings decide it.
    fn told(&self) -> Choice {
        Choice::Given
    }

    /// What a value of the complexity is judged by.
    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Of(Arc::new(Squared)))
    }

    /// The same, as exact as comparing its functions needs, and without what follows from them.
    fn comparing(&self) -> Self {
        self.clone()
    }

    /// The same with a loss of the user's own; nothing if it takes none.
    fn with_own_loss(&self, _loss: Arc<dyn Loss>) -> Option<Self> {
        None
    }

    /// The same with what is usual in a whole job for this kind of target, where nobody says.
    fn usual_for(&self, _kind: TargetKind) -> Self {
        self.clone()
    }
}

/// The two functions of [`Learn`] that are the same for every learner with a field `kernel`.
macro_rules! has_kernel {
    () => {
        fn kernel(&self) -> &$crate::kernel::KernelExpr {
            &self.kernel
        }

        #[allow(clippy::needless_update, reason = "a learner may have no setting beside its kernel")]
        fn with_kernel(&self, kernel: $crate::kernel::KernelExpr) -> Self {
            let mut other = self.clone();
            other.kernel = kernel;
            other
        }
    };
}
pub(crate) use has_kernel;

/// A learner whose type is not known; what it can do stands in [`AnyLearner`].
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::{Learner, catalogue, regress::KernelRidge}};
/// let learner = catalogue::by_name("ridge")?.with_kernel(KernelExpr::parse("linear")?);
/// assert_eq!((learner.spec().name, learner.is::<KernelRidge>()), ("ridge", true));
/// let x: Inputs = Rows::new(vec![1.0, 2.0], 2, 1)?.into();
/// let fitted = learner.fit(&x, &Targets::new(vec![1.0, 2.0], 1)?, None, &Run::new())?;
/// assert!((fitted.model.predict(&x, &Run::new())?[1] - 2.0 * 5.0 / 6.0).abs() < 1e-14); // w = 5/(5 + alpha)
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Learner(Arc<dyn AnyLearner>);

impl PartialEq for Learner {
    /// The same learner with the same settings and kernel.
    fn eq(&self, other: &Self) -> bool {
        (self.spec().name, self.kernel()) == (other.spec().name, other.kernel()) && self.settings() == other.settings()
    }
}

impl<L: Learn> From<L> for Learner {
    fn from(learner: L) -> Self {
        Learner(Arc::new(learner))
    }
}

impl Deref for Learner {
    type Target = dyn AnyLearner;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

/// [`Learn`] and [`Tune`] without the type: every learner has it. Errors name the model.
pub trait AnyLearner: Any + fmt::Debug + Send + Sync {
    /// What its file says of it.
    fn spec(&self) -> &'static LearnerSpec;
    /// [`Learn::kernel`].
    fn kernel(&self) -> &KernelExpr;
    /// [`Learn::with_kernel`].
    fn with_kernel(&self, kernel: KernelExpr) -> Learner;
    /// Its settings, as files and faces write them.
    fn settings(&self) -> Map<String, Value>;
    /// The same with some settings changed. Names and values are checked by the [`LearnerSpec`], and by itself.
    fn with_settings(&self, settings: Map<String, Value>) -> Result<Learner>;
    /// [`Learn::validate`].
    fn validate(&self) -> Result<()>;
    /// [`Learn::weigh`].
    fn weigh(&self, target: &Target, own: Option<&Weights>) -> Result<Option<Weights>>;
    /// [`Learn::learn`].
    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted>;
    /// [`Learn::resume`].
    fn resume(&self, near: &Model, sample: &Sample, run: &Run) -> Result<Fitted>;
    /// [`Learn::certify`].
    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified>;
    /// [`Learn::link`].
    fn link(&self, outputs: usize) -> Link;
    /// [`Learn::functions`].
    fn functions(&self, answers: usize) -> usize;
    /// [`Tune::complexity`].
    fn complexity(&self) -> Option<Complexity>;
    /// [`Tune::with_complexity`].
    fn with_complexity(&self, value: f64, rows: f64) -> Learner;
    /// [`Tune::choosing`].
    fn choosing(&self, evidence: Option<f64>, rows: usize) -> Option<(Learner, Choice)>;
    /// [`Tune::told`].
    fn told(&self) -> Choice;
    /// [`Tune::own_loss`].
    fn own_loss(&self) -> Result<OwnLoss>;
    /// [`Tune::comparing`].
    fn comparing(&self) -> Learner;
    /// [`Tune::usual_for`].
    fn usual_for(&self, kind: TargetKind) -> Learner;
    /// [`Tune::with_own_loss`]; an error if it takes none.
    fn with_own_loss(&self, loss: Arc<dyn Loss>) -> Result<Learner>;
}

/// The learner of these settings; the one that was changed last is to blame.
fn read<L: Learn>(settings: &Map<String, Value>, last: &str, value: Value) -> Result<L> {
    L::deserialize(Value::Object(settings.clone())).map_err(|e| {
        let words = L::SPEC.setting(last).map_or_else(|| "what it was written as".into(), |s| s.values.words());
        Error::invalid(L::SPEC.title(), last, value, format!("{words} ({e})"))
    })
}

/// Whether a value was read as it was meant: fields of a structure would be taken from a list, too.
fn lists_are_lists(given: &Value, read: &Value) -> bool {
    match (given, read) {
        (Value::Array(_), Value::Object(fields)) => fields.get("values").is_some_and(Value::is_array),
        (Value::Object(given), Value::Object(read)) => {
            given.iter().all(|(name, value)| read.get(name).is_none_or(|read| lists_are_lists(value, read)))
        }
        _ => true,
    }
}

impl<L: Learn> AnyLearner for L {
    fn spec(&self) -> &'static LearnerSpec {
        const { &L::SPEC }
    }

    fn kernel(&self) -> &KernelExpr {
        Learn::kernel(self)
    }

    fn with_kernel(&self, kernel: KernelExpr) -> Learner {
        Learn::with_kernel(self, kernel).into()
    }

    fn settings(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(settings)) => settings,
            _ => Map::new(),
        }
    }

    fn with_settings(&self, settings: Map<String, Value>) -> Result<Learner> {
        L::SPEC.check(&settings)?;
        // One after another, so that the one which does not read has a name.
        let mut all = AnyLearner::settings(self);
        let mut learner: L = read::<L>(&all, "settings", Value::Null)?;
        for (name, value) in settings {
            all.insert(name.clone(), value.clone());
            learner = read(&all, &name, value.clone())?;
            if !lists_are_lists(&value, AnyLearner::settings(&learner).get(&name).unwrap_or(&Value::Null)) {
                let must = L::SPEC.setting(&name).map_or_else(String::new, |s| s.values.words());
                return Err(Error::invalid(L::SPEC.title(), name, value, must));
            }
        }
        Ok(Learn::with_kernel(&learner, Learn::kernel(self).clone()).into())
    }

    fn validate(&self) -> Result<()> {
        Learn::validate(self).map_err(|e| L::SPEC.blamed(e))
    }

    fn weigh(&self, target: &Target, own: Option<&Weights>) -> Result<Option<Weights>> {
        Learn::weigh(self, target, own)
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        Learn::learn(self, sample, run).map_err(|e| L::SPEC.blamed(e))
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        Learn::certify(self, model, sample, run)
    }

    fn resume(&self, near: &Model, sample: &Sample, run: &Run) -> Result<Fitted> {
        Learn::resume(self, near, sample, run).map_err(|e| L::SPEC.blamed(e))
    }

    fn link(&self, outputs: usize) -> Link {
        Learn::link(self, outputs)
    }

    fn functions(&self, answers: usize) -> usize {
        Learn::functions(self, answers)
    }

    fn complexity(&self) -> Option<Complexity> {
        Tune::complexity(self)
    }

    fn with_complexity(&self, value: f64, rows: f64) -> Learner {
        Tune::with_complexity(self, value, rows).into()
    }

    fn choosing(&self, evidence: Option<f64>, rows: usize) -> Option<(Learner, Choice)> {
        Tune::choosing(self, evidence, rows).map(|(learner, choice)| (learner.into(), choice))
    }

    fn told(&self) -> Choice {
        Tune::told(self)
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Tune::own_loss(self)
    }

    fn comparing(&self) -> Learner {
        Tune::comparing(self).into()
    }

    fn usual_for(&self, kind: TargetKind) -> Learner {
        Tune::usual_for(self, kind).into()
    }

    fn with_own_loss(&self, loss: Arc<dyn Loss>) -> Result<Learner> {
        Tune::with_own_loss(self, loss).map(Learner::from).ok_or_else(|| Error::Unsupported {
            what: format!("a loss of your own in the model `{}`", L::SPEC.name),
            alternative: "use `regressor` or `classifier`".into(),
        })
    }
}

impl Learner {
    /// Whether it is of this type.
    pub fn is<L: Learn>(&self) -> bool {
        self.get::<L>().is_some()
    }

    /// The learner itself, if it is of this type.
    pub fn get<L: Learn>(&self) -> Option<&L> {
        (self.0.as_ref() as &dyn Any).downcast_ref()
    }

    /// Fits to points, what they say, and weights ≥ 0, one a row; a row of weight 0 is as good as absent.
    pub fn fit(&self, x: &Inputs, y: impl Into<Target>, weights: Option<&Weights>, run: &Run) -> Result<Fitted> {
        self.learn(&self.sample(x, y.into(), weights, run)?, run)
    }

    /// The rows of a fit, checked.
    pub fn sample(&self, x: &Inputs, y: Target, weights: Option<&Weights>, run: &Run) -> Result<Sample> {
        self.validate()?;
        let spec = self.spec();
        if let Some(given) = weights.filter(|_| !spec.weights) {
            let must = "left out: a step looks at a row once";
            return Err(Error::invalid(spec.title(), "weights", format!("{} numbers", given.len()), must));
        }
        let target = spec.accept(y)?;
        let weights = self.weigh(&target, weights)?;
        Sample::new(&spec.title(), self.kernel(), x, target, weights.as_ref(), run)
    }

    /// The settings that hold the complexity: those that other values of it change.
    ///
    /// ```
    /// let names = |learner: &str| mercer::model::catalogue::by_name(learner).map(|l| l.complexity_settings());
    /// assert_eq!(names("regressor")?, ["penalty"]);
    /// assert!(names("barycentre")?.is_empty());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn complexity_settings(&self) -> Vec<String> {
        let Some(Complexity { range: (least, most), .. }) = self.complexity() else { return Vec::new() };
        let [own, low, high] =
            [self.settings(), self.with_complexity(least, 1.0).settings(), self.with_complexity(most, 1.0).settings()];
        let moves = |name: &&String| own.get(*name) != low.get(*name) || own.get(*name) != high.get(*name);
        own.keys().filter(moves).cloned().collect()
    }
}
