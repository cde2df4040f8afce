//! The eigenvectors that components come from.

use crate::certificate::Algorithm;
use crate::data::Weights;
use crate::error::{Error, Result};
use crate::model::Model;

impl Model {
    /// The unit eigenvectors u of √p(I − 1pᵀ)K(I − p1ᵀ)√p that the components come from, row-major: one row for each training row
    /// that counts, one column a component. With aᵢ the coefficients of a component, λ its variance and pᵢ the shares of the rows,
    /// uᵢ = aᵢ·√λ/√pᵢ. The weights are those of the fit, with their zeros.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::reduce::KernelPca};
    /// let x: Inputs = Rows::new(vec![1.0, 3.0, 5.0], 3, 1)?.into();
    /// let pca = KernelPca { kernel: KernelExpr::parse("linear")?, components: 1, ..Default::default() };
    /// let u = pca.fit(&x, Target::None, None, &Run::new())?.model.eigenvectors(None)?;
    /// // (−2, 0, 2) over its length, with the sign of its first largest entry.
    /// assert!((u[0] - 0.5f64.sqrt()).abs() < 1e-12 && u[1].abs() < 1e-12 && (u[2] + u[0]).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn eigenvectors(&self, weights: Option<&Weights>) -> Result<Vec<f64>> {
        let of_rows = self.components().filter(|_| self.certificate().algorithm != Algorithm::Nystrom);
        let Some(kept) = of_rows else {
            return Err(Error::Unsupported {
                what: format!("eigenvectors of the rows of `{}` as it was fitted", self.learner().spec().name),
                alternative: "fit the model `kernel_pca` with a solver other than `nystrom`".into(),
            });
        };
        let (k, rows) = (self.outputs(), self.coefficients().len() / self.outputs().max(1));
        let counting = weights.map_or_else(|| (0..rows).collect(), Weights::counting);
        // Of kernel values that are given, rows of weight 0 keep their place; of points they are gone.
        let whole = weights.is_none_or(|w| w.values().len() == rows);
        if !whole && counting.len() != rows {
            return Err(Error::shape("the weights of the fit", format!("{rows} above 0"), counting.len()));
        }
        let shares = weights.map_or_else(|| vec![1.0 / rows as f64; rows], Weights::shares);
        let vector = |(at, row): (usize, &usize)| {
            let a = &self.coefficients()[if whole { *row } else { at } * k..][..k];
            let root = shares[*row].sqrt();
            a.iter().zip(&kept.variances).map(|(a, v)| a * v.sqrt() / root).collect::<Vec<f64>>()
        };
        Ok(counting.iter().enumerate().flat_map(vector).collect())
    }
}
