//! Models of a repaired matrix of kernel values, made to take values as they are given; and fits with kernels that need a repair.
//!
//! A repair by clip or flip multiplies kernel values k(x) of new points by a symmetric M, so that
//! f(x) = (M·k(x))ᵀa = k(x)ᵀ(M·a): it is enough to change the coefficients, once.

use crate::certificate::{Certificate, Repaired};
use crate::data::{Inputs, Precomputed, Target, Weights};
use crate::error::{Error, Result};
use crate::gram::{Repair, RepairMethod, dense};
use crate::kernel::KernelExpr;
use crate::rkhs::Space;
use crate::run::Run;

use super::{Expansion, Fitted, Learner, Model, ModelParts};

/// The functions for values as they are given.
fn expansion(f: &Expansion, repair: &Repair, run: &Run) -> Result<Expansion> {
    let (n, c) = (f.points().len(), f.outputs());
    if repair.report().size != n {
        return Err(Error::shape("the model of a repaired matrix", format!("{} points", repair.report().size), n));
    }
    let at = |o: usize, i: usize| f.coefficients()[i * c + o];
    let mut rows: Vec<f64> = (0..c).flat_map(|o| (0..n).map(move |i| at(o, i))).collect();
    repair.transform(&mut rows, run)?;
    f.clone().in_place_of_fitted((0..n * c).map(|at| rows[at % c * n + at / c]).collect())
}

/// A certificate that says so.
fn certificate(of_fit: &Certificate, repair: &Repair) -> Certificate {
    let report = repair.report();
    let repaired = Repaired {
        method: report.method.name().into(),
        smallest_eigenvalue: report.smallest_eigenvalue.unwrap_or(0.0),
        negative: report.negative,
        moved_share: report.moved_share,
    };
    let mut certificate = of_fit.clone();
    certificate.repaired = Some(repaired);
    certificate
}

impl Model {
    /// This model, fitted to a matrix that was repaired, for kernel values as they were before: its coefficients are M·a,
    /// and its certificate says what was changed. It keeps a, to be verified: where M drops directions, M·a does not give it.
    ///
    /// ```
    /// use mercer::gram::{Repair, RepairMethod};
    /// use mercer::{KernelExpr, Run, data::{Precomputed, Targets}, model::regress::KernelRidge};
    /// let (given, run) = ([1.0, 2.0, 2.0, 1.0], Run::new()); // eigenvalues −1 and 3
    /// let repair = Repair::fit(&given, 2, RepairMethod::Clip, &run)?;
    /// let mut clipped = given;
    /// repair.apply(&mut clipped, &run)?;
    /// let ridge = KernelRidge { kernel: KernelExpr::parse("precomputed")?, ..KernelRidge::default() };
    /// let (y, clipped) = (Targets::new(vec![1.0, 0.0], 1)?, Precomputed::new(clipped, 2, 2)?.into());
    /// let fitted = ridge.fit(&clipped, &y, None, &run)?.model;
    /// let model = fitted.after_repair(&repair, &run)?;
    /// let (f, g) = (fitted.predict(&clipped, &run)?, model.predict(&Precomputed::new(given, 2, 2)?.into(), &run)?);
    /// assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() < 1e-15));
    /// let repaired = model.certificate().repaired.as_ref().map(|r| (r.method.as_str(), r.negative));
    /// assert_eq!(repaired, Some(("clip", 1)));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn after_repair(&self, repair: &Repair, run: &Run) -> Result<Self> {
        Model::from_parts(ModelParts {
            expansion: expansion(self.expansion(), repair, run)?,
            certificate: certificate(self.certificate(), repair),
            ..self.parts().clone()
        })
    }

    /// This model of a matrix, for the points whose kernel values these are.
    fn on_points(&self, space: Space, points: Inputs) -> Result<Self> {
        let learner = self.learner().with_kernel(space.kernel().clone());
        let expansion = self.expansion().on_points(space, points)?;
        Model::from_parts(ModelParts { learner, expansion, ..self.parts().clone() })
    }

    /// This model of points, for the matrix of their kernel values.
    pub(super) fn on_matrix(&self, run: &Run) -> Result<Self> {
        let points: Inputs = Precomputed::new(Vec::new(), self.points().len(), 0)?.into();
        self.on_points(Space::new(&KernelExpr::parse(PRECOMPUTED)?, &points, run)?, points)
    }

    /// This model as it was fitted, to the repaired matrix.
    pub(super) fn before_repair(&self) -> Result<Self> {
        let (expansion, mut certificate) = (self.expansion().as_fitted(), self.certificate().clone());
        certificate.repaired = None;
        Model::from_parts(ModelParts { expansion, certificate, ..self.parts().clone() })
    }
}

/// The kernel whose values are given.
const PRECOMPUTED: &str = "precomputed";

impl Learner {
    /// Fits with a kernel that may not be positive semi-definite: its matrix is repaired first where it has a negative eigenvalue, and the model
    /// takes kernel values of new points as they are. The certificate says what was changed.
    ///
    /// ```
    /// use mercer::gram::RepairMethod;
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::catalogue};
    /// let x: Inputs = Rows::new(vec![0.0, 1.0, 3.0], 3, 1)?.into();
    /// let y = Targets::new(vec![0.0, 1.0, 0.0], 1)?;
    /// let ridge = catalogue::by_name("ridge")?.with_kernel(KernelExpr::parse("sigmoid(gamma=1, coef0=-1)")?);
    /// assert!(ridge.fit(&x, &y, None, &Run::new()).is_err());
    /// let model = ridge.fit_repaired(&x, &y, None, RepairMethod::Clip, &Run::new())?.model;
    /// assert_eq!(model.certificate().repaired.as_ref().map(|r| r.negative), Some(2));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_repaired(
        &self,
        x: &Inputs,
        y: impl Into<Target>,
        weights: Option<&Weights>,
        method: RepairMethod,
        run: &Run,
    ) -> Result<Fitted> {
        let (x, y, weights) = counting(x, y.into(), weights)?;
        let space = Space::new(self.kernel(), &x, run)?;
        let learner = self.with_kernel(space.kernel().clone());
        if matches!(x, Inputs::Precomputed(_)) || learner.spec().tunes_itself() {
            return Err(Error::Unsupported {
                what: format!("repairing the kernel of the model `{}`", learner.spec().name),
                alternative: "repair a matrix of kernel values, or use another model".into(),
            });
        }
        let n = x.len();
        let mut values = dense::<f64>(&space.kernel().bind(&x, run)?, run)?.into_values();
        let repair = Repair::fit(&values, n, method, run)?;
        if repair.report().negative == 0 {
            return learner.fit(&x, y, weights.as_ref(), run);
        }
        repair.apply(&mut values, run)?;
        let matrix = Precomputed::new(values, n, n)?.into();
        let fitted = learner.with_kernel(KernelExpr::parse(PRECOMPUTED)?).fit(&matrix, y, weights.as_ref(), run)?;
        let model = fitted.model.after_repair(&repair, run)?.on_points(space, x)?;
        Ok(Fitted { model, ..fitted })
    }
}

/// The rows that count.
fn counting(x: &Inputs, y: Target, weights: Option<&Weights>) -> Result<(Inputs, Target, Option<Weights>)> {
    let Some(given) = weights.filter(|w| w.contains(&0.0)) else { return Ok((x.clone(), y, weights.cloned())) };
    given.check_len(x.len())?;
    let kept = given.counting();
    Ok((x.take(&kept), y.take(&kept)?, Some(given.take(&kept)?)))
}
