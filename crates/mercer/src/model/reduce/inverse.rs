//! From coordinates back to points.

use crate::data::{Inputs, Rows, Targets};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::regress::{Alpha, KernelRidge};
use crate::rkhs::{PreImage, PreImageMethod, PreImageTargets};
use crate::run::Run;

impl Model {
    /// Points whose images are near φ̄ + Σ f_l·e_l for coordinates f, row-major: points×components. See
    /// [`PreImageTargets::pre_images`].
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::reduce::KernelPca, rkhs::PreImageMethod};
    /// let run = Run::new();
    /// let x: Inputs = Rows::new(vec![1.0, 1.1, 3.0, 2.9, 5.0, 5.2], 3, 2)?.into();
    /// let pca = KernelPca { kernel: KernelExpr::parse("rbf(length_scale=2)")?, ..Default::default() };
    /// let model = pca.fit(&x, Target::None, None, &run)?.model;
    /// let back = model.pre_images(&model.predict(&x, &run)?, PreImageMethod::Auto, &run)?;
    /// assert!((back[1].point[0] - 3.0).abs() < 1e-6); // two components hold three points
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn pre_images(&self, coordinates: &[f64], method: PreImageMethod, run: &Run) -> Result<Vec<PreImage>> {
        let coefficients = self.reconstructed(coordinates)?;
        let count = coordinates.len() / self.outputs();
        let (space, points) = (self.expansion().space(), self.points());
        if let Inputs::Precomputed(_) = points {
            return Err(Error::Unsupported {
                what: "a pre-image from kernel values alone".into(),
                alternative: "give the points and a kernel".into(),
            });
        }
        PreImageTargets { space, points, coefficients: &coefficients, count }.pre_images(method, run)
    }

    /// The coefficients of φ̄ + Σ f_l·e_l, row-major: points kept×functions.
    fn reconstructed(&self, coordinates: &[f64]) -> Result<Vec<f64>> {
        let Some(kept) = self.components() else {
            return Err(Error::Unsupported {
                what: format!("pre-images of `{}`", self.learner().spec().name),
                alternative: "fit the model `kernel_pca`".into(),
            });
        };
        let k = self.outputs();
        if !coordinates.len().is_multiple_of(k) {
            return Err(Error::shape("coordinates", format!("rows of {k} numbers"), coordinates.len()));
        }
        if let Some(at) = coordinates.iter().position(|f| !f.is_finite()) {
            return Err(Error::invalid("a pre-image", "coordinates", coordinates[at], "finite"));
        }
        let mean = |i: usize| kept.mean.get(i).copied().unwrap_or(0.0);
        let rows = self.coefficients().chunks(k).enumerate();
        let along = |a: &[f64], f: &[f64]| a.iter().zip(f).map(|(a, f)| a * f).sum::<f64>();
        Ok(rows.flat_map(|(i, a)| coordinates.chunks(k).map(move |f| mean(i) + along(a, f))).collect())
    }

    /// Points by regression from coordinates to the points of the fit, as scikit-learn's `fit_inverse_transform` has it: ridge
    /// regression with the kernel itself, on coordinates. Row-major: as many rows as coordinates, as many columns as points have.
    pub fn regressed_points(&self, coordinates: &[f64], alpha: f64, run: &Run) -> Result<Vec<f64>> {
        let Inputs::Dense(points) = self.points() else {
            return Err(Error::Unsupported {
                what: "regression to points that are not rows of numbers".into(),
                alternative: "use the method `candidate`".into(),
            });
        };
        // Also checks that the model has components.
        self.reconstructed(coordinates)?;
        let k = self.outputs();
        let own = Rows::new(self.predict(self.points(), run)?, points.nrows(), k)?;
        let ridge = KernelRidge { kernel: self.kernel().clone(), alpha: Alpha::Value(alpha), ..KernelRidge::default() };
        let targets = Targets::new(points.values().to_vec(), points.ncols())?;
        let back = ridge.fit(&own.into(), &targets, None, run)?.model;
        back.predict(&Rows::new(coordinates.to_vec(), coordinates.len() / k, k)?.into(), run)
    }
}
