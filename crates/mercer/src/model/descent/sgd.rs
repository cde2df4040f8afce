//! Stochastic gradient descent: choices, and the fit to data in memory.

use serde::{Deserialize, Serialize};

use crate::certificate::Measure;
use crate::chance::Chance;
use crate::data::{Inputs, Target, TargetKind, Targets};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::{Logistic, NamedLoss};
use crate::model::penalized::{LOSS, SEED};
use crate::model::{
    Answer, Certified, Complexity, Fitted, Learn, LearnerSpec, Link, Model, OwnLoss, Report, Sample, SettingSpec,
    SettingValues, Tune, has_kernel,
};
use crate::run::Run;

use super::outcome::Outcome;
use super::stochastic::KernelSgdLearner;

/// Rows from which on landmarks are used unless their number is given.
const EXACT_ROWS: usize = 20_000;
/// Landmarks where their number is not given.
const USUAL_LANDMARKS: usize = 1000;

/// The points that a function is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Dictionary {
    /// All points up to 20,000 of them, 1000 landmarks beyond.
    #[default]
    Auto,
    /// Every point that was seen: stochastic gradient descent to the letter, whose cost grows with
    /// the square of their number.
    All,
    /// So many landmarks among the first points: each step is projected on their span, and memory
    /// does not grow.
    Landmarks(usize),
}

/// The choices of a stochastic gradient descent.
///
/// With a batch B of b rows, f ← f − (step/b)·Σ_B ℓ'(y, f(x))·k(x, ·); for the squared loss descent
/// adds the residual y − f(x). A step is safe for the squared loss if step·λ₁(K_B)/b < 2 with λ₁ the
/// largest eigenvalue of the kernel matrix of the batch: for b = 1, step·k(x, x) < 2. One that is
/// not is refused before the pass in which it would be taken.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::descent::KernelSgd};
/// // One point with k(x, x) = 1 and y = 1, a step of ½, three passes: 1 − f = ½³.
/// let (x, y): (Inputs, _) = (Rows::new(vec![0.0], 1, 1)?.into(), Targets::new(vec![1.0], 1)?);
/// let sgd = KernelSgd { kernel: KernelExpr::parse("rbf(length_scale=1)")?, step_size: Some(0.5), passes: 3,
///     averaging: false, ..KernelSgd::default() };
/// let f = sgd.fit(&x, &y, None, &Run::new())?.model.predict(&x, &Run::new())?;
/// assert_eq!(f, [0.875]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelSgd {
    /// The kernel; rules such as `median` are resolved on the first points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The loss.
    pub loss: NamedLoss,
    /// The step; 1/max k(x, x) over the largest curvature of the loss without one.
    pub step_size: Option<f64>,
    /// The step of iteration t is step·t^(−decay).
    pub decay: f64,
    /// Rows to a step, b. The last batch of a pass or a part may have fewer, and its rows count no more
    /// than others; of a part with fewer rows, b is their number.
    pub batch_size: usize,
    /// How often every row is seen.
    pub passes: usize,
    /// Whether the answer is the mean of all iterates (Polyak and Ruppert) instead of the last.
    pub averaging: bool,
    /// The points that the function is written with.
    pub dictionary: Dictionary,
    /// Where chance begins: of the order of rows and of the landmarks.
    pub seed: u64,
}

impl Default for KernelSgd {
    fn default() -> Self {
        KernelSgd {
            kernel: KernelExpr::default(),
            loss: NamedLoss::default(),
            step_size: None,
            decay: 0.0,
            batch_size: 1,
            passes: 10,
            averaging: true,
            dictionary: Dictionary::Auto,
            seed: 0,
        }
    }
}

impl Tune for KernelSgd {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::counted("passes", 100.0, 10.0, Some(self.passes as f64)))
    }

    fn with_complexity(&self, passes: f64, _: f64) -> Self {
        KernelSgd { passes: passes.clamp(1.0, 1e6) as usize, ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        self.loss.build().map(OwnLoss::Of)
    }

    fn usual_for(&self, kind: TargetKind) -> Self {
        let classes = kind == TargetKind::Classes;
        let loss = if classes { NamedLoss::of(&Logistic::SPEC) } else { NamedLoss::default() };
        KernelSgd { loss, ..self.clone() }
    }
}

impl Learn for KernelSgd {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "sgd",
        class: "KernelSgd",
        summary: "stochastic gradient descent",
        targets: &[TargetKind::Numbers, TargetKind::Classes],
        answers: &[Answer::Numbers, Answer::Classes, Answer::Probabilities],
        weights: false,
        for_classes: None,
        settings: &[
            LOSS,
            SettingSpec {
                name: "step_size",
                summary: "the step; 1/max k(x, x) over the largest curvature of the loss without one",
                values: SettingValues::Other("a number > 0, or nothing"),
            },
            SettingSpec {
                name: "decay",
                summary: "the step of iteration t is step·t^(−decay)",
                values: SettingValues::Between(0.0, 1.0),
            },
            SettingSpec { name: "batch_size", summary: "rows to a step", values: SettingValues::Whole(1) },
            SettingSpec { name: "passes", summary: "how often every row is seen", values: SettingValues::Whole(1) },
            SettingSpec {
                name: "averaging",
                summary: "whether the answer is the mean of all iterates",
                values: SettingValues::Flag,
            },
            SettingSpec {
                name: "dictionary",
                summary: "the points that the function is written with",
                values: SettingValues::Other("auto, all or `landmarks` with their number"),
            },
            SEED,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        let bad = |name: &str, value: f64, must: &str| Err(Error::invalid(Self::SPEC.title(), name, value, must));
        match self {
            KernelSgd { step_size: Some(s), .. } if !(*s > 0.0 && s.is_finite()) => {
                bad("step_size", *s, "a finite number above 0")
            }
            KernelSgd { decay, .. } if !(0.0..1.0).contains(decay) => bad("decay", *decay, "from 0 to below 1"),
            KernelSgd { batch_size: 0, .. } => bad("batch_size", 0.0, "at least 1"),
            KernelSgd { passes: 0, .. } => bad("passes", 0.0, "at least 1"),
            KernelSgd { dictionary: Dictionary::Landmarks(0), .. } => bad("landmarks", 0.0, "at least 1"),
            _ => self.loss.build().map(|_| ()),
        }
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let (learner, y) = (self.learner(sample, run)?, sample.numbers()?);
        // A row that was seen in several passes is one row of the fit.
        let report = Report { rows: sample.n, ..learner.report() };
        Ok(Fitted { report, model: learner.claimed(&sample.x, &y, run)? })
    }

    /// The loss of its function on the rows of the fit, and its norm. The loss of rows before they were learnt from nobody
    /// can see afterwards.
    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        if model.certificate().get(Measure::MeanLoss).is_none() {
            return Err(Error::Unsupported {
                what: "verifying a stochastic descent that claims no loss on its training rows, as one on data that \
                       came in parts,"
                    .into(),
                alternative: "judge it on rows that it has not seen, with `mercer predict`".into(),
            });
        }
        let loss = self.loss.build()?;
        let found = Outcome::of(model.expansion(), &*loss, &sample.x, &sample.numbers()?, run)?;
        let claimed = model.certificate().clone().with(Measure::RunningLoss, None);
        Ok(claimed.with(Measure::MeanLoss, found.mean_loss).with(Measure::Norm, found.norm).into())
    }

    fn link(&self, outputs: usize) -> Link {
        if self.loss.is(&Logistic::SPEC) && outputs == 1 { Link::Logistic } else { Link::Identity }
    }
}

impl KernelSgd {
    /// As [`fit`](Self::fit), giving the descent itself, which may go on with further points.
    pub fn fit_learner(&self, x: &Inputs, y: &Targets, run: &Run) -> Result<KernelSgdLearner> {
        self.validate()?;
        self.learner(&Sample::new(&Self::SPEC.title(), &self.kernel, x, y.into(), None, run)?, run)
    }

    /// Goes through the rows in an order by chance, as often as the choices say.
    fn learner(&self, training: &Sample, run: &Run) -> Result<KernelSgdLearner> {
        let dictionary = match self.dictionary {
            Dictionary::Auto if training.n <= EXACT_ROWS => Dictionary::All,
            Dictionary::Auto => Dictionary::Landmarks(USUAL_LANDMARKS),
            given => given,
        };
        let (choices, y) = (KernelSgd { dictionary, ..self.clone() }, training.numbers()?);
        let mut learner = KernelSgdLearner::on(&choices, training, y.outputs(), run)?;
        let mut order: Vec<usize> = (0..training.n).collect();
        let mut chance = Chance::new(self.seed);
        for _ in 0..self.passes {
            chance.shuffle(&mut order);
            learner.pass(training, &y, &order, run)?;
            if learner.stopped().is_some() {
                break;
            }
        }
        learner.clear_if_worse(training, &y, run)?;
        Ok(learner)
    }

    /// Begins a descent on data that come in parts: landmarks and rules are found in the first part,
    /// which is not yet learnt from. Without a number, there are 1000 landmarks.
    pub fn begin(&self, first: &Inputs, outputs: usize, run: &Run) -> Result<KernelSgdLearner> {
        self.validate()?;
        let training = Sample::new(&Self::SPEC.title(), &self.kernel, first, Target::None, None, run)?;
        let dictionary = match self.dictionary {
            Dictionary::Auto => Dictionary::Landmarks(USUAL_LANDMARKS),
            given => given,
        };
        if matches!(first, Inputs::Precomputed(_)) {
            return Err(Error::Unsupported {
                what: "a precomputed matrix that comes in parts".into(),
                alternative: "fit to the whole matrix, or give the points".into(),
            });
        }
        KernelSgdLearner::empty(&KernelSgd { dictionary, ..self.clone() }, &training, outputs, run)
    }
}
