//! How far points are from where the rows vary.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::linalg::filled;
use crate::model::Model;
use crate::run::Run;

impl Model {
    /// The distance of every point, in feature space, to the plane through the mean of the rows that its first so many components
    /// span (all of them unless said): √(‖φ̃(x)‖² − Σ f_l(x)²) with ‖φ̃(x)‖² = k(x, x) − 2Σ pᵢk(xᵢ, x) + ‖φ̄‖². With no component
    /// it is the distance to the barycentre. Without centring the plane goes through 0.
    ///
    /// A difference of nearly equal numbers: distances below 1e-8·√k(x, x) are rounding, and 0 stands for squares below zero.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::reduce::KernelPca};
    /// let x: Inputs = Rows::new(vec![1.0, 0.0, 3.0, 0.0, 5.0, 0.0], 3, 2)?.into();
    /// let pca = KernelPca { kernel: KernelExpr::parse("linear")?, components: 1, ..Default::default() };
    /// let model = pca.fit(&x, Target::None, None, &Run::new())?.model;
    /// let far: Inputs = Rows::new(vec![7.0, 3.0], 1, 2)?.into();
    /// assert!((model.outlier_distances(&far, None, &Run::new())?[0] - 3.0).abs() < 1e-12); // beside the line
    /// assert!((model.outlier_distances(&far, Some(0), &Run::new())?[0] - 5.0).abs() < 1e-12); // from (3, 0)
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn outlier_distances(&self, x: &Inputs, components: Option<usize>, run: &Run) -> Result<Vec<f64>> {
        let Some(kept) = self.components() else {
            return Err(Error::Unsupported {
                what: format!("the distance to components of `{}`", self.learner().spec().name),
                alternative: "fit the model `kernel_pca`".into(),
            });
        };
        if let Inputs::Precomputed(_) = x {
            return Err(Error::Unsupported {
                what: "a distance in feature space from kernel values alone, which k(x, x) is not among,".into(),
                alternative: "give the points and a kernel".into(),
            });
        }
        let (k, used) = (self.outputs(), components.unwrap_or(self.outputs()));
        if used > k {
            return Err(Error::invalid(
                "an outlier distance",
                "components",
                used,
                format!("at most {k}, as many as there are"),
            ));
        }
        let own = self.expansion().space().diag(x, run)?;
        let values = self.with_mean(x, &kept.mean, run)?;
        let square = |(row, own): (&[f64], &f64)| {
            let centred = if kept.mean.is_empty() { *own } else { (own - row[k]) + (kept.mean_norm - row[k]) };
            let along: f64 = row[..used].iter().zip(self.intercept()).map(|(f, b)| (f + b).powi(2)).sum();
            (centred - along).max(0.0)
        };
        Ok(values.chunks(k + 1).zip(&own).map(square).map(f64::sqrt).collect())
    }

    /// Σ aᵢₗk(xᵢ, x) of every component, and Σ pᵢk(xᵢ, x) after them, in one pass: rows×(k + 1).
    fn with_mean(&self, x: &Inputs, mean: &[f64], run: &Run) -> Result<Vec<f64>> {
        let k = self.outputs();
        let size = x.len() as u128 * (k + 1) as u128;
        let (mut values, _reserved) = filled(size, 0.0, "the distances", "ask for fewer rows at a time", run)?;
        if x.is_empty() {
            return Ok(values);
        }
        let mean = |i: usize| mean.get(i).copied().unwrap_or(0.0);
        let rows = self.coefficients().chunks(k).enumerate();
        let beside: Vec<f64> = rows.flat_map(|(i, row)| row.iter().copied().chain([mean(i)])).collect();
        let cross = self.expansion().space().cross(x, self.points(), run)?;
        apply(&cross, &beside, k + 1, &mut values, run)?;
        Ok(values)
    }
}
