//! Several quantiles at once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::TargetKind;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::Pinball;
use crate::model::penalized::{
    ALPHA, Assembled, COMPARING, Claims, FIT_INTERCEPT, LossFit, MAX_ITERATIONS, Part, Penalty, SEED, Starts,
    TOLERANCE, certify,
};
use crate::model::{
    Answer, Certified, Complexity, Extra, Fitted, Learn, LearnerSpec, Link, Model, ModelParts, OwnLoss, Sample,
    SettingSpec, SettingValues, Tune, has_kernel,
};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

use super::calibrate::{moved, note, shifts};

/// For every τ of a list, minimises Σ wᵢℓ_τ(yᵢ, f_τ(xᵢ) + b) + (alpha/2)‖f_τ‖² with the pinball loss.
///
/// Fitted apart, curves may cross. With `non_crossing` the values of a row are sorted when they are
/// predicted: no curve crosses another anywhere, and the pinball losses, summed over the quantiles, are
/// never larger than unsorted (Chernozhukov, Fernández-Val & Galichon 2010, *Quantile and probability
/// curves without crossing*, Econometrica 78, proposition 4).
///
/// With a fixed alpha, new rows lie outside of the outer curves more often than their quantiles say: the curves follow
/// the rows of the fit. With `calibrate` they are shifted by scores of rows that were left out, as conformal prediction
/// does it, so that about the share of rows that was asked for lies between.
///
/// ```
/// use mercer::{Run, data::{Inputs, Rows, Targets}, model::regress::KernelQuantileRegressor};
/// let x: Inputs = Rows::new((0..20).map(|i| f64::from(i) * 0.3).collect::<Vec<_>>(), 20, 1)?.into();
/// let y = Targets::new((0..20).map(|i| f64::from(i * 7 % 20)).collect::<Vec<_>>(), 1)?;
/// let learner = KernelQuantileRegressor { quantiles: vec![0.1, 0.5, 0.9], alpha: 0.1, ..Default::default() };
/// let machine = learner.fit(&x, &y, None, &Run::new())?.model;
/// assert!(machine.predict(&x, &Run::new())?.chunks(3).all(|q| q[0] <= q[1] && q[1] <= q[2]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelQuantileRegressor {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The quantiles, increasing, between 0 and 1; one output each.
    pub quantiles: Vec<f64>,
    /// alpha > 0.
    pub alpha: f64,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// Whether to sort the predicted values of a row.
    pub non_crossing: bool,
    /// The gap over the objective at which to stop.
    pub tolerance: f64,
    /// The largest number of steps.
    pub max_iterations: usize,
    /// Whether to shift the curves by what rows leave that they were not fitted to: five folds, fitted beside.
    pub calibrate: bool,
    /// Where chance begins: of the folds.
    pub seed: u64,
}

impl Default for KernelQuantileRegressor {
    fn default() -> Self {
        let PenalizedParams { tolerance, max_iterations } = PenalizedParams::default();
        KernelQuantileRegressor {
            kernel: KernelExpr::default(),
            quantiles: vec![0.05, 0.5, 0.95],
            alpha: 1.0,
            fit_intercept: true,
            non_crossing: true,
            tolerance,
            max_iterations,
            calibrate: false,
            seed: 0,
        }
    }
}

impl Tune for KernelQuantileRegressor {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(Some(self.alpha)))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        KernelQuantileRegressor { alpha, ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Pinball(self.quantiles.clone()))
    }

    /// Shifts follow from the curves, and are no part of a choice between them.
    fn comparing(&self) -> Self {
        KernelQuantileRegressor { tolerance: COMPARING, calibrate: false, ..self.clone() }
    }
}

impl Learn for KernelQuantileRegressor {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "quantiles",
        class: "KernelQuantileRegressor",
        summary: "several quantiles of a number, by the pinball loss",
        targets: &[TargetKind::Numbers],
        answers: &[Answer::Numbers],
        weights: true,
        for_classes: None,
        settings: &[
            SettingSpec {
                name: "quantiles",
                summary: "the quantiles, increasing; an output each",
                values: SettingValues::Other("numbers between 0 and 1, increasing"),
            },
            ALPHA,
            FIT_INTERCEPT,
            SettingSpec {
                name: "non_crossing",
                summary: "whether the predicted values of a row are sorted",
                values: SettingValues::Flag,
            },
            SettingSpec {
                name: "calibrate",
                summary: "whether the curves are shifted by what rows left out leave",
                values: SettingValues::Flag,
            },
            SEED,
            TOLERANCE,
            MAX_ITERATIONS,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        self.losses()?;
        Penalty::Alpha(self.alpha).validate(&Self::SPEC.title())?;
        self.params().validate()
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let fit = LossFit::new(sample, self.fit_intercept, self.params(), run)?;
        let mut found = Assembled::new();
        for part in self.parts(sample)? {
            fit.add(&part, Penalty::Alpha(self.alpha), Starts::ONE, &mut found, run)?;
        }
        let Fitted { model, mut report } = fit.finish(self.clone(), found)?;
        if !self.calibrate {
            return Ok(Fitted { model, report });
        }
        let shifts = shifts(self, sample, run)?;
        report.notes.push(note(&shifts, sample.n));
        let model = Model::from_parts(ModelParts { extra: Extra::Shifts(shifts), ..model.parts().clone() })?;
        Ok(Fitted { model, report })
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let penalty = Penalty::Alpha(self.alpha);
        let claims = Claims { parts: self.parts(sample)?, penalty, free: self.fit_intercept };
        let Certified { certificate, .. } = certify(model, sample, &claims, run)?;
        let claimed = model.shifts().unwrap_or_default();
        let broken = match (self.calibrate, claimed.is_empty()) {
            (false, true) => None,
            (false, false) => Some("it shifts its curves, and was not calibrated".into()),
            (true, _) => moved(claimed, &shifts(self, sample, run)?, sample.numbers()?.values()),
        };
        Ok(Certified { certificate, broken })
    }

    fn link(&self, _: usize) -> Link {
        if self.non_crossing { Link::Sorted } else { Link::Identity }
    }
}

impl KernelQuantileRegressor {
    fn params(&self) -> PenalizedParams {
        PenalizedParams { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn losses(&self) -> Result<Vec<Pinball>> {
        Pinball::several(&Self::SPEC.title(), &self.quantiles)
    }

    fn parts(&self, sample: &Sample) -> Result<Vec<Part>> {
        let y = sample.numbers()?;
        if y.outputs() != 1 {
            return Err(Error::shape("the target of quantiles", "1 output", y.outputs()));
        }
        Ok(self.losses()?.into_iter().map(|loss| Part::One(Arc::new(loss), y.values().to_vec())).collect())
    }
}
