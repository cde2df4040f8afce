//! One fit: the rows, their kernel matrix, and answers put together output by output.

use std::sync::Arc;

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::error::{Error, Result};
use crate::gram::{DenseGram, dense};
use crate::kernel::property::Standing;
use crate::linalg::{Ball, largest_magnitude, power_of_two};
use crate::loss::{Loss, RowLoss, ScalarRows, SoftmaxRows};
use crate::model::squares::quotient;
use crate::model::{Extra, Fitted, Learn, Model, ModelParts, Report, Sample};
use crate::note::Note;
use crate::run::Run;
use crate::solver::penalized::{
    Attempt, Penalized, PenalizedAnswer, PenalizedParams, interior_point, newton, working_sets,
};

use super::measure::{Claim, Measured};
use super::point::Rows;
use super::{Penalty, bound, starts};

/// Rows, weights over a power of two, and the kernel matrix.
pub(crate) struct LossFit<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) fit_intercept: bool,
    pub(crate) params: PenalizedParams,
    pub(super) gram: DenseGram<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) unit: f64,
    /// Coefficients of a function that is near, of all outputs.
    near: Option<Vec<f64>>,
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

impl Starts {
    /// From f = 0 alone.
    pub(crate) const ONE: Self = Starts { count: 1, seed: 0 };
}

/// The outputs that one loss looks at, with the targets of the rows that count.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// One output.
    One(Arc<dyn Loss>, Vec<f64>),
    /// An output for each of so many classes.
    Softmax(Vec<usize>, usize),
}

impl Part {
    /// Number of outputs.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Part::One(..) => 1,
            Part::Softmax(_, classes) => *classes,
        }
    }
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
    /// What a gap is compared with, and the share of it that counts as reached.
    pub(super) scale: f64,
    pub(super) tolerance: f64,
    /// Whether alpha was found by a bound of the norm.
    pub(super) bounded: bool,
    /// What holds of the coefficients as they are kept.
    pub(super) measured: Option<Measured>,
    pub(super) notes: Vec<Note>,
}

/// Answers, side by side.
pub(crate) struct Assembled {
    answers: Vec<Answer>,
}

impl<'a> LossFit<'a> {
    /// Computes and keeps the kernel matrix.
    pub(crate) fn new(training: &'a Sample, fit_intercept: bool, params: PenalizedParams, run: &Run) -> Result<Self> {
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
        let given = training.weights.as_ref().map_or_else(|| vec![1.0; training.n], |w| w.to_vec());
        let unit = power_of_two(largest_magnitude(&given));
        let weights = given.iter().map(|w| (w / unit).max(f64::MIN_POSITIVE)).collect();
        Ok(LossFit { sample: training, fit_intercept, params, gram, weights, unit, near: None })
    }

    /// From the function of a model of the same rows, for a fit of one part; from f = 0 where it has other rows.
    pub(crate) fn near(self, model: Option<&Model>) -> Self {
        let near = model.filter(|m| m.keeps_all_rows()).map(|m| m.coefficients().to_vec());
        LossFit { near, ..self }
    }

    /// The slopes v = −alpha·a of the function that is near, for alpha over the unit of the weights and so many outputs.
    fn start(&self, alpha: f64, outputs: usize) -> Option<Vec<f64>> {
        let near = self.near.as_ref().filter(|a| a.len() == self.sample.n * outputs)?;
        Some(near.iter().map(|a| -alpha * a).collect())
    }

    pub(super) fn problem(&self, alpha: f64) -> Penalized<'_> {
        Penalized { kernel: self.gram.values(), weights: &self.weights, alpha, intercept: self.fit_intercept }
    }

    /// Adds the fit of some outputs.
    pub(crate) fn add(
        &self,
        part: &Part,
        penalty: Penalty,
        restarts: Starts,
        into: &mut Assembled,
        run: &Run,
    ) -> Result<()> {
        let (loss, y) = match (part, penalty) {
            (Part::One(loss, y), _) => (&**loss, y.as_slice()),
            (Part::Softmax(codes, classes), Penalty::Alpha(alpha)) => {
                return self.rows(into, &SoftmaxRows::new(codes, *classes)?, alpha, run);
            }
            (Part::Softmax(..), Penalty::NormBound(_)) => {
                return Err(Error::Unsupported {
                    what: "a bound of the norm with the softmax loss".into(),
                    alternative: "give alpha".into(),
                });
            }
        };
        let ask = |alpha: f64| Ask { loss, y, alpha: alpha / self.unit, tolerance: self.params.tolerance };
        let answer = match penalty {
            Penalty::Alpha(alpha) if loss.convex().is_some() => {
                self.at(ask(alpha), self.start(alpha / self.unit, 1).as_deref(), run)?
            }
            Penalty::Alpha(alpha) => starts::best(self, ask(alpha), restarts, run)?,
            Penalty::NormBound(bound) => Answer { bounded: true, ..bound::search(self, (loss, y), bound, run)? },
        };
        let rows = Rows::One { loss, y, smooth: !answer.algorithm.is_program() };
        into.answers.push(self.measured(answer, &ScalarRows { loss, y }, rows, penalty.norm_bound(), run)?);
        Ok(())
    }

    /// With bounds that hold of the coefficients as they are kept. Rounding may have taken back what a solver
    /// reached; then it has not reached it.
    fn measured(
        &self,
        answer: Answer,
        loss: &dyn RowLoss,
        rows: Rows<'_>,
        bound: Option<f64>,
        run: &Run,
    ) -> Result<Answer> {
        if self.sample.compared {
            return Ok(answer);
        }
        let coefficients = answer.coefficients();
        let claim = Claim {
            kernel: &self.gram,
            loss,
            weights: &self.weights,
            alpha: answer.alpha,
            bound,
            coefficients: &coefficients,
            intercept: &answer.inner.intercept,
            free: self.fit_intercept,
            rows,
        };
        let found = claim.measure(&run.without_stops())?;
        let mut answer = Answer { measured: Some(found), ..answer };
        let scale = found.primal.max(answer.scale);
        let share = found.gap.map(|gap| quotient(gap, scale));
        // Below what the rounding of K and of the values leaves open no solver can go, nor below the least numbers.
        let least = self.sample.n as f64 * f64::MIN_POSITIVE;
        let enough = answer.tolerance * scale + found.rounding + found.slip + least;
        if found.gap.is_some_and(|gap| gap > enough) && answer.inner.stop == Stop::Tolerance {
            answer.inner.stop = Stop::Stagnation;
        }
        answer.inner.residual = match (answer.algorithm, share) {
            (algorithm, Some(share)) if algorithm.is_program() => share,
            _ => found.slope_residual,
        };
        Ok(answer)
    }

    /// Minimises for one alpha, from slopes where they are given.
    pub(super) fn at(&self, ask: Ask<'_>, start: Option<&[f64]>, run: &Run) -> Result<Answer> {
        let Ask { loss, y, alpha, tolerance } = ask;
        let problem = self.problem(alpha);
        let params = PenalizedParams { tolerance, ..self.params };
        let mut gave_up = None;
        let (inner, algorithm) = if loss.convex().is_none_or(|loss| loss.pieces(y[0]).is_empty()) {
            (newton(&problem, &ScalarRows { loss, y }, start, &params, run)?, Algorithm::Newton)
        } else {
            let tried = working_sets(&problem, loss, y, &params, run)?;
            if let Attempt::GaveUp(why) = &tried {
                gave_up =
                    Some(Note::from(format!("working sets gave up, so the interior point method was taken: {why}")));
            }
            match tried.answer() {
                Some(inner) => (inner, Algorithm::WorkingSets),
                None => (interior_point(&problem, loss, y, &params, run)?, Algorithm::InteriorPoint),
            }
        };
        self.check_definite(&inner)?;
        let mut answer = answer(inner, alpha, algorithm, tolerance);
        answer.notes.extend(gave_up);
        answer.scale = answer.scale.max(self.nothing(loss, y));
        if !answer.inner.stop.is_complete() && answer.inner.slopes.iter().all(|v| *v == 0.0) {
            answer.notes.push(Note::NothingLearnt);
        }
        Ok(answer)
    }

    /// What the interior point method takes a small objective for: that of a millionth of a unit of the values.
    fn nothing(&self, loss: &dyn Loss, y: &[f64]) -> f64 {
        let pieces = |y: &f64| loss.convex().map_or(Vec::new(), |loss| loss.pieces(*y));
        let shifts: Vec<f64> = y.iter().flat_map(pieces).map(|p| p.shift).collect();
        let largest = largest_magnitude(&shifts);
        let unit = if largest > 0.0 { power_of_two(largest) } else { 0.0 };
        1e-6 * unit * self.weights.iter().sum::<f64>()
    }

    /// Adds the fit of losses of several values.
    fn rows(&self, into: &mut Assembled, loss: &dyn RowLoss, alpha: f64, run: &Run) -> Result<()> {
        let alpha = alpha / self.unit;
        let start = self.start(alpha, loss.outputs());
        let inner = newton(&self.problem(alpha), loss, start.as_deref(), &self.params, run)?;
        self.check_definite(&inner)?;
        let answer = answer(inner, alpha, Algorithm::Newton, self.params.tolerance);
        into.answers.push(self.measured(answer, loss, Rows::Softmax, None, run)?);
        Ok(())
    }

    fn check_definite(&self, inner: &PenalizedAnswer) -> Result<()> {
        if inner.slopes_square >= -1e-9 * inner.slopes.iter().map(|v| v * v).sum::<f64>() * self.largest() {
            return Ok(());
        }
        Err(Error::Domain {
            kernel: self.sample.space.kernel().to_string(),
            expected: "to be positive semi-definite for a penalty by its norm".into(),
            got: format!("a function with the squared norm {:e} on these rows", inner.slopes_square),
            column: None,
            candidates: Vec::new(),
        })
    }

    fn largest(&self) -> f64 {
        (0..self.sample.n).map(|i| self.gram.row(i)[i].abs()).fold(0.0, f64::max)
    }

    /// The model of the answers.
    pub(crate) fn finish(&self, learner: impl Learn, assembled: Assembled) -> Result<Fitted> {
        let answers = assembled.answers;
        let n = self.sample.n;
        let mut coefficients = Vec::with_capacity(n * answers.len());
        let each: Vec<Vec<f64>> = answers.iter().map(Answer::coefficients).collect();
        for i in 0..n {
            for (a, own) in answers.iter().zip(&each) {
                let c = a.inner.intercept.len();
                coefficients.extend_from_slice(&own[i * c..(i + 1) * c]);
            }
        }
        let intercept: Vec<f64> = answers.iter().flat_map(|a| a.inner.intercept.clone()).collect();
        let mut report = Report::of(self.sample);
        // Several outputs have the same to say.
        for note in answers.iter().flat_map(|a| &a.notes) {
            if !report.notes.contains(note) {
                report.notes.push(note.clone());
            }
        }
        report.history =
            answers.first().map_or_else(Vec::new, |a| a.inner.history.iter().map(|v| v * self.unit).collect());
        let certificate = self.certificate(&answers, &mut report.notes);
        let model = Model::from_parts(ModelParts {
            learner: learner.with_kernel(self.sample.space.kernel().clone()).into(),
            expansion: self.sample.expansion(coefficients, intercept, None)?,
            weights: None,
            extra: self.alphas(&answers),
            certificate,
        })?;
        Ok(Fitted { model, report })
    }

    /// Where alpha was found by a bound of the norm, what it is for each output.
    fn alphas(&self, answers: &[Answer]) -> Extra {
        match answers.iter().any(|a| a.bounded) {
            true => Extra::Alphas(answers.iter().map(|a| a.alpha * self.unit).collect()),
            false => Extra::None,
        }
    }

    fn certificate(&self, answers: &[Answer], notes: &mut Vec<Note>) -> Certificate {
        let worst = answers.iter().map(|a| a.inner.stop).find(|s| !s.is_complete());
        let stop = worst.unwrap_or(Stop::Tolerance);
        let known = self.sample.space.kernel().standing() != Standing::Indefinite;
        if !known {
            notes.push(Note::NoDuality);
        }
        let bounds = |of: &dyn Fn(&Answer) -> Option<f64>| -> Option<Ball> {
            let terms = answers.iter().map(|a| of(a).map(|v| Ball::from(v) * self.unit));
            terms.sum::<Option<Ball>>()
        };
        let dual = bounds(&|a| a.measured.map_or(a.dual, |m| m.dual));
        let algorithm = answers.first().map_or(Algorithm::Newton, |a| a.algorithm);
        let (reason, system) = match algorithm {
            Algorithm::WorkingSets => (
                "the loss is flat on one side, so few slopes of a quadratic program are not at a bound",
                "sum of w·(loss + conjugate − u·z) = 0, over the objective",
            ),
            Algorithm::InteriorPoint => (
                "the loss is piecewise linear or quadratic, so the problem is a quadratic program",
                "sum of w·(loss + conjugate − u·z) = 0, over the objective",
            ),
            _ => ("the loss is smooth", "alpha·a = −w·loss'(K·a + b)"),
        };
        if !stop.is_complete() {
            notes.push(Note::FitStopped { stop });
        }
        let residual = answers.iter().map(|a| a.inner.residual).fold(0.0, f64::max);
        let norm = answers.iter().map(|a| a.norm().powi(2)).sum::<f64>().sqrt();
        Certificate::new(algorithm, reason, stop)
            .of_system(system, residual)
            .with(Measure::Primal, bounds(&|a| Some(a.measured.map_or(a.primal, |m| m.primal))).map(Ball::above))
            .with(Measure::Dual, dual.filter(|_| known).map(Ball::below))
            .with(Measure::Rounding, bounds(&|a| a.measured.map(|m| m.rounding)).map(Ball::above))
            .with(Measure::Norm, norm)
            .with(
                Measure::Alpha,
                answers.first().filter(|a| a.bounded && answers.len() == 1).map(|a| a.alpha * self.unit),
            )
            .count(Measure::Iterations, answers.iter().map(|a| a.inner.iters).sum::<usize>())
            .with(
                Measure::Jitter,
                Some(answers.iter().map(|a| a.inner.jitter).fold(0.0, f64::max)).filter(|j| *j > 0.0),
            )
    }
}

impl Assembled {
    pub(crate) fn new() -> Self {
        Assembled { answers: Vec::new() }
    }
}

impl Answer {
    /// a = −v/alpha, as it is kept.
    pub(super) fn coefficients(&self) -> Vec<f64> {
        self.inner.slopes.iter().map(|v| -v / self.alpha).collect()
    }

    fn norm(&self) -> f64 {
        self.measured.map_or_else(|| self.inner.slopes_square.max(0.0).sqrt() / self.alpha, |m| m.norm)
    }
}

fn answer(inner: PenalizedAnswer, alpha: f64, algorithm: Algorithm, tolerance: f64) -> Answer {
    let primal = inner.primal(alpha);
    let dual = inner.gap.map(|gap| primal - gap);
    Answer {
        dual,
        primal,
        alpha,
        algorithm,
        scale: primal,
        tolerance,
        inner,
        bounded: false,
        measured: None,
        notes: Vec::new(),
    }
}
