//! Models of a repaired matrix of kernel values, made to take values as they are given.
//!
//! A repair by clip or flip multiplies kernel values k(x) of new points by a symmetric M, so that
//! f(x) = (M·k(x))ᵀa = k(x)ᵀ(M·a): it is enough to change the coefficients, once.

use crate::certificate::{Certificate, Repaired};
use crate::error::{Error, Result};
use crate::gram::Repair;
use crate::run::Run;

use super::{Expansion, Model, ModelParts};

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

    /// This model as it was fitted, to the repaired matrix.
    pub(super) fn before_repair(&self) -> Result<Self> {
        let (expansion, mut certificate) = (self.expansion().as_fitted(), self.certificate().clone());
        certificate.repaired = None;
        Model::from_parts(ModelParts { expansion, certificate, ..self.parts().clone() })
    }
}
