//! One fit: the rows, their kernel matrix, and answers put together output by output.

use serde_json::{Map, Value, json};

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::error::{Error, Result};
use crate::gram::{DenseGram, dense};
use crate::kernel::property::Standing;
use crate::linalg::{largest_magnitude, power_of_two};
use crate::loss::{Loss, RowLoss, ScalarRows};
use crate::model::training::Training;
use crate::model::{Fitted, FittedMachine, KernelMachine, Link, MachineReport};
use crate::run::Run;
use crate::solver::penalized::{Penalized, PenalizedAnswer, PenalizedParams, interior_point, newton};

use super::{Penalty, bound, starts};

/// Rows, weights over a power of two, and the kernel matrix.
pub(crate) struct LossFit<'a> {
    pub(crate) training: &'a Training,
    pub(crate) fit_intercept: bool,
    pub(crate) params: PenalizedParams,
    pub(super) gram: DenseGram<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) unit: f64,
}

/// A loss, its targets and alpha over the unit of the weights.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) loss: &'a dyn Loss,
    pub(super) y: &'a [f64],
    pub(super) alpha: f64,
    pub(super) tolerance: f64,
}

/// Starts of a loss that need not be convex: how many, and where chance begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starts {
    pub(crate) count: usize,
    pub(crate) seed: u64,
}

/// The answer of one loss: one output, or all at once.
pub(super) struct Answer {
    pub(super) inner: PenalizedAnswer,
    /// alpha over the unit of the weights.
    pub(super) alpha: f64,
    pub(super) algorithm: Algorithm,
    /// The objective and, where known, a lower bound of it.
    pub(super) primal: f64,
    pub(super) dual: Option<f64>,
    pub(super) notes: Vec<String>,
}

/// Answers, side by side.
pub(crate) struct Assembled {
    answers: Vec<Answer>,
}

impl<'a> LossFit<'a> {
    /// Computes and keeps the kernel matrix.
    pub(crate) fn new(training: &'a Training, fit_intercept: bool, params: PenalizedParams, run: &Run) -> Result<Self> {
        params.validate()?;
        let gram = dense::<f64>(&training.space.gram(&training.x, run)?, run)?;
        if !largest_magnitude(gram.values()).is_finite() {
            return Err(Error::Domain {
                kernel: training.space.kernel().to_string(),
                expected: "values that are finite numbers".into(),
                got: "an overflow on these rows".into(),
                column: None,
                candidates: Vec::new(),
            });
        }
        let given = training.weights.clone().unwrap_or_else(|| vec![1.0; training.n]);
        let unit = power_of_two(largest_magnitude(&given));
        let weights = given.iter().map(|w| (w / unit).max(f64::MIN_POSITIVE)).collect();
        Ok(LossFit { training, fit_intercept, params, gram, weights, unit })
    }

    pub(super) fn problem(&self, alpha: f64) -> Penalized<'_> {
        Penalized { kernel: self.gram.values(), weights: &self.weights, alpha, intercept: self.fit_intercept }
    }

    /// Adds the fit of a loss of one value.
    pub(crate) fn scalar(
        &self,
        (loss, y): (&dyn Loss, &[f64]),
        penalty: Penalty,
        restarts: Starts,
        into: &mut Assembled,
        run: &Run,
    ) -> Result<()> {
        let ask = |alpha: f64| Ask { loss, y, alpha: alpha / self.unit, tolerance: self.params.tolerance };
        let answer = match penalty {
            Penalty::Alpha(alpha) if is_convex(loss, y) => self.at(ask(alpha), None, run)?,
            Penalty::Alpha(alpha) => starts::best(self, ask(alpha), restarts, run)?,
            Penalty::NormBound(bound) => bound::search(self, (loss, y), bound, run)?,
        };
        into.answers.push(answer);
        Ok(())
    }

    /// Minimises for one alpha, from slopes where they are given.
    pub(super) fn at(&self, ask: Ask<'_>, start: Option<&[f64]>, run: &Run) -> Result<Answer> {
        let Ask { loss, y, alpha, tolerance } = ask;
        let problem = self.problem(alpha);
        let params = PenalizedParams { tolerance, ..self.params };
        let (inner, algorithm) = if loss.pieces(y[0]).is_empty() {
            (newton(&problem, &ScalarRows { loss, y }, start, &params, run)?, Algorithm::Newton)
        } else {
            (interior_point(&problem, loss, y, &params, run)?, Algorithm::InteriorPoint)
        };
        self.check_definite(&inner)?;
        let mut answer = answer(inner, alpha, algorithm);
        if !answer.inner.stop.is_complete() && answer.inner.slopes.iter().all(|v| *v == 0.0) {
            answer.notes.push("no function was reached that is better than f = 0, so f = 0 is the answer".into());
        }
        Ok(answer)
    }

    /// Adds the fit of losses of several values.
    pub(crate) fn rows(&self, into: &mut Assembled, loss: &dyn RowLoss, alpha: f64, run: &Run) -> Result<()> {
        let alpha = alpha / self.unit;
        let inner = newton(&self.problem(alpha), loss, None, &self.params, run)?;
        self.check_definite(&inner)?;
        into.answers.push(answer(inner, alpha, Algorithm::Newton));
        Ok(())
    }

    fn check_definite(&self, inner: &PenalizedAnswer) -> Result<()> {
        if inner.slopes_square >= -1e-9 * inner.slopes.iter().map(|v| v * v).sum::<f64>() * self.largest() {
            return Ok(());
        }
        Err(Error::Domain {
            kernel: self.training.space.kernel().to_string(),
            expected: "to be positive semi-definite for a penalty by its norm".into(),
            got: format!("a function with the squared norm {:e} on these rows", inner.slopes_square),
            column: None,
            candidates: Vec::new(),
        })
    }

    fn largest(&self) -> f64 {
        (0..self.training.n).map(|i| self.gram.row(i)[i].abs()).fold(0.0, f64::max)
    }

    /// The machine of the answers.
    pub(crate) fn machine(
        &self,
        learner: &str,
        assembled: Assembled,
        link: Link,
        mut settings: Map<String, Value>,
    ) -> Result<FittedMachine> {
        let answers = assembled.answers;
        let n = self.training.n;
        let mut coefficients = Vec::with_capacity(n * answers.len());
        for i in 0..n {
            for a in &answers {
                let c = a.inner.intercept.len();
                coefficients.extend(a.inner.slopes[i * c..(i + 1) * c].iter().map(|v| -v / a.alpha));
            }
        }
        let intercept: Vec<f64> = answers.iter().flat_map(|a| a.inner.intercept.clone()).collect();
        let mut notes: Vec<String> = answers.iter().flat_map(|a| a.notes.clone()).collect();
        let certificate = self.certificate(&answers, &mut notes);
        settings.insert("fit_intercept".into(), json!(self.fit_intercept));
        settings.insert("alpha".into(), one_or_list(answers.iter().map(|a| a.alpha * self.unit)));
        settings.insert(
            "norm".into(),
            one_or_list(answers.iter().map(|a| a.inner.slopes_square.max(0.0).sqrt() / a.alpha)),
        );
        let report = MachineReport {
            rows: n,
            rows_of_weight_zero: self.training.all.len() - n,
            notes,
            history: answers.first().map_or_else(Vec::new, |a| a.inner.history.iter().map(|v| v * self.unit).collect()),
        };
        let expansion = self.training.expansion(coefficients, intercept, None)?;
        let model = KernelMachine { learner: learner.into(), expansion, link, certificate, settings };
        Ok(Fitted { model, report })
    }

    fn certificate(&self, answers: &[Answer], notes: &mut Vec<String>) -> Certificate {
        let worst = answers.iter().map(|a| a.inner.stop).find(|s| !s.is_complete());
        let stop = worst.unwrap_or(Stop::Tolerance);
        let known = self.training.space.kernel().standing() != Standing::Indefinite;
        if !known {
            notes.push("the kernel is not positive definite, so duality gives no lower bound of the objective".into());
        }
        let all: Option<f64> = answers.iter().map(|a| a.dual).sum();
        let algorithm = answers.first().map_or(Algorithm::Newton, |a| a.algorithm);
        let (reason, system) = match algorithm {
            Algorithm::InteriorPoint => (
                "the loss is piecewise linear or quadratic, so the problem is a quadratic program",
                "sum of w·(loss + conjugate − u·z) = 0, over the objective",
            ),
            _ => ("the loss is smooth", "alpha·a = −w·loss'(K·a + b)"),
        };
        if !stop.is_complete() {
            notes.push(format!(
                "stopped before the tolerance was reached ({}); the certificate says how far off",
                stop.name()
            ));
        }
        let residual = answers.iter().map(|a| a.inner.residual).fold(0.0, f64::max);
        Certificate {
            primal: Some(answers.iter().map(|a| a.primal).sum::<f64>() * self.unit),
            dual: all.filter(|_| known).map(|d| d * self.unit),
            iterations: Some(answers.iter().map(|a| a.inner.iters).sum()),
            jitter: answers.iter().map(|a| a.inner.jitter).fold(0.0, f64::max),
            ..Certificate::new(algorithm, reason, stop).of_system(system, residual)
        }
    }
}

impl Assembled {
    pub(crate) fn new() -> Self {
        Assembled { answers: Vec::new() }
    }
}

fn answer(inner: PenalizedAnswer, alpha: f64, algorithm: Algorithm) -> Answer {
    let primal = inner.primal(alpha);
    Answer { dual: inner.gap.map(|gap| primal - gap), primal, alpha, algorithm, inner, notes: Vec::new() }
}

/// Whether a conjugate says so.
fn is_convex(loss: &dyn Loss, y: &[f64]) -> bool {
    loss.conjugate(y[0], loss.derivative(y[0], 0.0)).is_some()
}

fn one_or_list(values: impl Iterator<Item = f64>) -> Value {
    let list: Vec<f64> = values.collect();
    match &list[..] {
        [one] => json!(one),
        several => json!(several),
    }
}
