//! Regression by a spectral filter.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::TargetKind;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::{
    Answer, Certified, Complexity, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Report, Sample, SettingSpec,
    SettingValues, Tune, has_kernel,
};
use crate::note::Note;
use crate::run::Run;
use crate::solver::Filter;

use super::attained::{attained, attained_again, residuals};
use super::empirical::Directions;

/// The choices of a regression by a spectral filter: α = √p·g(T)·√p·y with T = √p·K·√p, which is
/// (1/n)·g(K/n)·y without weights.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::descent::SpectralFilter, solver::Filter};
/// use mercer::model::regress::{Alpha, KernelRidge};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.5], 3, 1)?.into();
/// let (y, kernel, run) = (Targets::new(vec![1.0, 3.0, 2.0], 1)?, KernelExpr::parse("rbf(length_scale=1)")?, Run::new());
/// let filter = SpectralFilter { kernel: kernel.clone(), filter: Filter::Tikhonov { lambda: 0.1 } };
/// let ridge = KernelRidge { kernel, alpha: Alpha::Value(3.0 * 0.1), ..KernelRidge::default() }; // alpha = n·λ
/// let f = filter.fit(&x, &y, None, &run)?.model.predict(&x, &run)?;
/// let g = ridge.fit(&x, &y, None, &run)?.model.predict(&x, &run)?;
/// assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() < 1e-12));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpectralFilter {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The filter.
    pub filter: Filter,
}

impl Default for SpectralFilter {
    fn default() -> Self {
        SpectralFilter { kernel: KernelExpr::default(), filter: Filter::CutOff { lambda: 1e-3 } }
    }
}

impl Tune for SpectralFilter {
    fn complexity(&self) -> Option<Complexity> {
        Some(match self.filter {
            Filter::Landweber { iterations, .. } => {
                Complexity::counted("iterations", 1e6, 100.0, Some(iterations as f64))
            }
            // As many steps as the square root of Landweber's do the same, and each is computed.
            Filter::NuMethod { iterations, .. } => {
                Complexity::counted("iterations", 1e4, 10.0, Some(iterations as f64))
            }
            _ => Complexity::alpha(None),
        })
    }

    /// So many iterations; or λ = alpha/n, as of ridge.
    fn with_complexity(&self, value: f64, rows: f64) -> Self {
        let strength = if self.filter.iterates() { value } else { value / rows };
        SpectralFilter { filter: self.filter.with_strength(strength), ..self.clone() }
    }
}

impl Learn for SpectralFilter {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "filter",
        class: "SpectralFilter",
        summary: "a filter of the spectrum, such as the cut-off: least squares on the leading eigenfunctions",
        targets: &[TargetKind::Numbers, TargetKind::Classes],
        answers: &[Answer::Numbers, Answer::Classes],
        weights: true,
        for_classes: None,
        settings: &[SettingSpec {
            name: "filter",
            summary: "tikhonov, cut_off, landweber, iterated_tikhonov or nu_method, with its strength",
            values: SettingValues::Other("a filter with its parameters"),
        }],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        self.filter.validate(0.0)
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let (directions, y) = (Directions::new(sample, run)?, sample.numbers()?);
        let (targets, c) = (y.values(), y.outputs());
        self.filter.validate(directions.largest())?;
        let filter = self.filter.on(directions.largest());
        let coordinates = directions.coordinates(targets, c, run)?;
        let coefficients = directions.coefficients(&directions.times(&coordinates, c, |s| filter.value(s)), c, run)?;
        let freedom: f64 = directions.spectrum().map(|s| 1.0 - filter.residual(s)).sum();
        let none = vec![0.0; c];
        let left = residuals(&sample.space.gram(&sample.x, run)?, &coefficients, targets, &none, run)?;
        let rounded: Vec<f64> = left.iter().map(|r| r.value()).collect();
        let expected = directions.times(&coordinates, c, |s| filter.residual(s));
        let certificate = attained(self.certificate(), &left, targets, &sample.shares())
            .with(Measure::FilterError, directions.apart(&rounded, &expected, targets, c, run)?)
            .with(Measure::Freedom, freedom)
            .with(Measure::StepSize, step_of(filter))
            .with(Measure::LargestEigenvalue, directions.largest());
        let learner = SpectralFilter { filter, kernel: sample.space.kernel().clone() };
        let model = Model::from_parts(ModelParts {
            learner: learner.into(),
            expansion: sample.expansion(coefficients, none, None)?,
            weights: None,
            extra: Extra::None,
            certificate,
        })?;
        let notes = [Some(self.qualification()), self.step_note(filter)].into_iter().flatten().collect();
        Ok(Fitted { model, report: Report { notes, ..Report::of(sample) } })
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        Ok(attained_again(model, sample, run)?.into())
    }
}

/// The step of a filter that takes steps.
fn step_of(filter: Filter) -> Option<f64> {
    match filter {
        Filter::Landweber { step_size, .. } => step_size,
        _ => None,
    }
}

impl SpectralFilter {
    /// The step, where it was left to the spectrum.
    fn step_note(&self, used: Filter) -> Option<Note> {
        match (self.filter, used) {
            (Filter::Landweber { step_size: None, .. }, Filter::Landweber { step_size: Some(step), .. }) => {
                Some(Note::StepChosen { step_size: step })
            }
            _ => None,
        }
    }

    fn qualification(&self) -> Note {
        Note::Qualification { qualification: Some(self.filter.qualification()).filter(|q| q.is_finite()) }
    }

    fn certificate(&self) -> Certificate {
        let reason = format!("the filter `{}` of every eigenvalue of K/n", self.filter.name());
        Certificate::new(Algorithm::Eigen, reason, Stop::Direct)
    }
}
