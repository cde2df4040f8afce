//! Stochastic gradient descent: choices, and the fit to data in memory.

use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::loss::NamedLoss;
use crate::model::training::{NamedKernel, Training};
use crate::model::{Fitted, FittedMachine};
use crate::run::Run;

use super::stochastic::KernelSgdLearner;

pub(super) const NAME: &str = "KernelSgd";
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
/// let f = sgd.fit(&x, &y, &Run::new())?.model.decision(&x, &Run::new())?;
/// assert_eq!(f, [0.875]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSgd {
    /// The kernel; rules such as `median` are resolved on the first points.
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
            kernel: KernelExpr::of(Kind::Rbf),
            loss: NamedLoss::default(),
            step_size: None,
            decay: 0.0,
            batch_size: 1,
            passes: 1,
            averaging: true,
            dictionary: Dictionary::Auto,
            seed: 0,
        }
    }
}

impl KernelSgd {
    /// Fits to points and targets (−1 and 1 for the losses of classes), seen in an order by chance.
    pub fn fit(&self, x: &Inputs, y: &Targets, run: &Run) -> Result<FittedMachine> {
        self.fit_with(x, y, &Registry::new(), run)
    }

    /// As [`fit`](Self::fit), with a kernel that may name the kernels of `registry`.
    pub fn fit_with(&self, x: &Inputs, y: &Targets, registry: &Registry, run: &Run) -> Result<FittedMachine> {
        let learner = self.fit_learner(x, y, registry, run)?;
        Ok(Fitted { report: learner.report(), model: learner.machine()? })
    }

    /// As [`fit_with`](Self::fit_with), giving the descent itself, which may go on with further points.
    pub fn fit_learner(&self, x: &Inputs, y: &Targets, registry: &Registry, run: &Run) -> Result<KernelSgdLearner> {
        self.validate()?;
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, y.nrows(), None, run)?;
        let dictionary = match self.dictionary {
            Dictionary::Auto if x.len() <= EXACT_ROWS => Dictionary::All,
            Dictionary::Auto => Dictionary::Landmarks(USUAL_LANDMARKS),
            given => given,
        };
        let choices = KernelSgd { dictionary, ..self.clone() };
        let mut learner = KernelSgdLearner::on(&choices, &training, y.outputs(), run)?;
        let mut order: Vec<usize> = (0..training.n).collect();
        let mut chance = Chance::new(self.seed);
        for _ in 0..self.passes {
            chance.shuffle(&mut order);
            learner.pass(&training, y, &order, run)?;
            if learner.stopped().is_some() {
                break;
            }
        }
        learner.clear_if_worse(&training, y, run)?;
        Ok(learner)
    }

    /// Begins a descent on data that come in parts: landmarks and rules are found in the first part,
    /// which is not yet learnt from. Without a number, there are 1000 landmarks.
    pub fn begin(&self, first: &Inputs, outputs: usize, registry: &Registry, run: &Run) -> Result<KernelSgdLearner> {
        self.validate()?;
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, first, first.len(), None, run)?;
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

    pub(super) fn validate(&self) -> Result<()> {
        let bad = |name: &str, value: f64, must: &str| Err(Error::invalid(NAME, name, value, must));
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
}
