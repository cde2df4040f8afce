//! The class whose barycentre is nearest in the RKHS.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::data::{Labels, TargetKind};
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::kernel::KernelExpr;
use crate::model::{
    Answer, Certified, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Report, Sample, Tune, has_kernel,
};
use crate::run::Run;

/// What the numbers of a model are held to.
const SYSTEM: &str = "a = shares of the rows in their classes, b = −½‖μ‖²";

/// The choices of the barycentre classifier.
///
/// With μ_c = Σ wᵢk(xᵢ, ·)/Σ wᵢ over the rows of class c, the value of a class is
/// ⟨k(x, ·), μ_c⟩ − ½‖μ_c‖² = ½(k(x, x) − ‖k(x, ·) − μ_c‖²): the largest belongs to the nearest
/// barycentre. Of two classes, the one output is the difference of their values. Factors on the weights of a whole class
/// would cancel in its mean, so there is no `class_weight`.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::classify::KernelBarycentre};
/// let x: Inputs = Rows::new(vec![-1.0, -3.0, 4.0], 3, 1)?.into();
/// let y = Targets::new(vec![-1.0, -1.0, 1.0], 1)?; // barycentres −2 and 4: they part at 1
/// let machine = KernelBarycentre { kernel: KernelExpr::parse("linear")? }.fit(&x, &y, None, &Run::new())?.model;
/// let f = machine.predict(&Rows::new(vec![1.0, 3.0], 2, 1)?.into(), &Run::new())?;
/// assert_eq!(f, [0.0, 12.0]); // (4 − (−2))·(x − 1)
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelBarycentre {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
}

impl Tune for KernelBarycentre {}

impl Learn for KernelBarycentre {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "barycentre",
        class: "KernelBarycentre",
        summary: "the class whose barycentre is nearest",
        targets: &[TargetKind::Classes],
        answers: &[Answer::Classes],
        weights: true,
        for_classes: None,
        settings: &[],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        Ok(())
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let (coefficients, intercept) = barycentres(sample, run)?;
        let reason = "barycentres are sums over the rows; nothing is solved";
        let model = Model::from_parts(ModelParts {
            learner: self.with_kernel(sample.space.kernel().clone()).into(),
            expansion: sample.expansion(coefficients, intercept, None)?,
            weights: None,
            extra: Extra::None,
            certificate: Certificate::new(Algorithm::Direct, reason, Stop::Direct).of_system(SYSTEM, 0.0),
        })?;
        Ok(Fitted { model, report: Report::of(sample) })
    }

    /// The residual is how far the numbers kept are from the barycentres of the rows, over the largest.
    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let (coefficients, intercept) = barycentres(sample, run)?;
        let again = sample.expansion(coefficients, intercept, None)?;
        let is = [again.coefficients(), again.intercept()].concat();
        let was = [model.coefficients(), model.intercept()].concat();
        if was.len() != is.len() {
            return Err(Error::shape("the coefficients of the model", is.len(), was.len()));
        }
        let size = is.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let off = was.iter().zip(&is).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size;
        Ok(model.certificate().clone().of_system(SYSTEM, off).into())
    }
}

/// Coefficients of the points, and intercepts.
fn barycentres(sample: &Sample, run: &Run) -> Result<(Vec<f64>, Vec<f64>)> {
    let shares = class_shares(sample, &sample.labels()?)?;
    let (c, n) = (shares.len() / sample.n, sample.n);
    // ‖μ_c‖² = Σ sᵢ·μ_c(xᵢ).
    let mut means = vec![0.0; n * c];
    apply(&sample.space.gram(&sample.x, run)?, &shares, c, &mut means, run)?;
    let norm = |o: usize| (0..n).map(|i| shares[i * c + o] * means[i * c + o]).sum::<f64>();
    let norms: Vec<f64> = (0..c).map(norm).collect();
    Ok(match norms.as_slice() {
        [first, second] => (shares.chunks(2).map(|s| s[1] - s[0]).collect(), vec![-0.5 * (second - first)]),
        several => (shares, several.iter().map(|q| -0.5 * q).collect()),
    })
}

/// The share of each row in the barycentre of each class, row-major: rows×classes.
fn class_shares(sample: &Sample, labels: &Labels) -> Result<Vec<f64>> {
    let classes = labels.count();
    let weight = |i: usize| sample.weights.as_ref().map_or(1.0, |w| w[i]);
    let mut shares = vec![0.0; sample.n * classes];
    for class in 0..classes {
        let rows: Vec<usize> = (0..sample.n).filter(|i| labels.codes()[*i] == class).collect();
        let largest = rows.iter().fold(0.0f64, |m, i| m.max(weight(*i)));
        let total: f64 = rows.iter().map(|i| weight(*i) / largest).sum();
        if rows.is_empty() {
            return Err(Error::shape(
                format!("class {class} of {}", KernelBarycentre::SPEC.title()),
                "at least one row of positive weight",
                "none; two classes are needed",
            ));
        }
        rows.iter().for_each(|i| shares[i * classes + class] = weight(*i) / largest / total);
    }
    Ok(shares)
}
