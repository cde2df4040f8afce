//! The certificate of a model with a loss, computed again from the rows of its fit.
//!
//! By the same code as when it was found: `measure`.

use std::ops::Range;

use crate::certificate::{Certificate, Measure};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::Bound;
use crate::linalg::Ball;
use crate::loss::{RowLoss, ScalarRows, SoftmaxRows};
use crate::model::squares::quotient;
use crate::model::{Certified, Extra, Model, Sample};
use crate::run::Run;

use super::measure::{Claim, Measured};
use super::point::Rows;
use super::{Part, Penalty, bound};

/// Share by which the norm of a function may be above its bound: it knows half as many digits as its square.
const ABOVE: f64 = 1e-7;

/// What a model claims to minimise.
pub(crate) struct Claims {
    /// The losses of its outputs, in their order.
    pub(crate) parts: Vec<Part>,
    pub(crate) penalty: Penalty,
    /// Whether b was free.
    pub(crate) free: bool,
}

impl Claims {
    /// alpha of an output: as given, or as a bound of the norm made it.
    fn alpha(&self, model: &Model, output: usize) -> Result<f64> {
        match (self.penalty, model.extra()) {
            (Penalty::Alpha(alpha), _) => Ok(alpha),
            (Penalty::NormBound(_), Extra::Alphas(alphas)) if output < alphas.len() => Ok(alphas[output]),
            _ => Err(Error::shape("a model with a bound of the norm", "an alpha an output", "none")),
        }
    }
}

/// Residual, objective and dual bound on these rows; how the answer was found is copied from the model. A claim that no measure
/// holds is broken by a function whose norm is above its bound.
pub(crate) fn certify(model: &Model, sample: &Sample, claims: &Claims, run: &Run) -> Result<Certified> {
    let (f, c) = (model.expansion(), model.outputs());
    if claims.parts.iter().map(Part::outputs).sum::<usize>() != c {
        return Err(Error::shape("the outputs of the model", claims.parts.len(), c));
    }
    // A row of weight 0 has no part in the fit; of a precomputed matrix it has a place.
    let (kernel, coefficients) = match &sample.x {
        Inputs::Precomputed(_) => {
            let own = (0..sample.n).flat_map(|i| f.coefficients()[sample.row(i) * c..][..c].to_vec());
            (sample.space.gram(&sample.x, run)?, own.collect())
        }
        points => (sample.space.cross(points, f.points(), run)?, f.coefficients().to_vec()),
    };
    if coefficients.len() != sample.n * c {
        return Err(Error::shape("the rows of the fit", format!("{} that count", coefficients.len() / c), sample.n));
    }
    let weights = sample.weights.as_ref().map_or_else(|| vec![1.0; sample.n], |w| w.to_vec());
    let seen = Seen { kernel, coefficients, weights, claims };
    let (mut primal, mut rounding, mut dual, mut residual, mut norm) =
        (Ball::from(0.0), Ball::from(0.0), Some(Ball::from(0.0)), 0.0f64, 0.0);
    let (mut first, mut broken) = (0, None);
    for part in &claims.parts {
        let (found, small) = seen.measure(model, part, first..first + part.outputs(), run)?;
        if let Some(bound) = claims.penalty.norm_bound().filter(|bound| found.norm > bound * (1.0 + ABOVE)) {
            broken = Some(format!("the norm is {:.9e}, and its bound is {bound:.9e}", found.norm));
        }
        first += part.outputs();
        (primal, rounding) = (primal + Ball::from(found.primal), rounding + Ball::from(found.rounding));
        dual = dual.zip(found.dual).map(|(sum, dual)| sum + Ball::from(dual));
        norm += found.norm.powi(2);
        residual = residual.max(match (model.certificate().algorithm, found.gap) {
            (algorithm, Some(gap)) if algorithm.is_program() => quotient(gap, found.primal.max(small)),
            _ => found.slope_residual,
        });
    }
    let claimed = model.certificate();
    let certificate: Certificate = claimed
        .clone()
        .with(Measure::RelativeResidual, residual)
        .with(Measure::Primal, primal.above())
        .with(Measure::Dual, dual.filter(|_| claimed.dual().is_some()).map(Ball::below))
        .with(Measure::Rounding, rounding.above())
        .with(Measure::Norm, norm.sqrt());
    Ok(Certified { certificate, broken })
}

/// Kernel values with the model's points, and its coefficients.
struct Seen<'a> {
    kernel: Bound,
    coefficients: Vec<f64>,
    weights: Vec<f64>,
    claims: &'a Claims,
}

impl Seen<'_> {
    /// What is known of an output or several, and an objective beside which gaps are not compared with it.
    fn measure(&self, model: &Model, part: &Part, outputs: Range<usize>, run: &Run) -> Result<(Measured, f64)> {
        match part {
            Part::One(loss, y) => {
                let smooth = !model.certificate().algorithm.is_program();
                let rows = Rows::One { loss: &**loss, y, smooth };
                self.of(model, outputs, &ScalarRows { loss: &**loss, y }, rows, run)
            }
            Part::Softmax(codes, classes) => {
                self.of(model, outputs, &SoftmaxRows::new(codes, *classes)?, Rows::Softmax, run)
            }
        }
    }

    fn of(
        &self,
        model: &Model,
        outputs: Range<usize>,
        loss: &dyn RowLoss,
        rows: Rows<'_>,
        run: &Run,
    ) -> Result<(Measured, f64)> {
        let bound = self.claims.penalty.norm_bound();
        let coefficients: Vec<f64> =
            self.coefficients.chunks(model.outputs()).flat_map(|row| row[outputs.clone()].to_vec()).collect();
        let claim = Claim {
            kernel: &self.kernel,
            loss,
            weights: &self.weights,
            alpha: self.claims.alpha(model, outputs.start)?,
            bound,
            coefficients: &coefficients,
            intercept: &model.intercept()[outputs],
            free: self.claims.free,
            rows,
        };
        let small = bound.map_or(0.0, |_| bound::small(loss, &self.weights));
        Ok((claim.measure(run)?, small))
    }
}
