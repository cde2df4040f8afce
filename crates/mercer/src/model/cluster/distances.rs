//! How far points are from the means of clusters.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::run::Run;

use super::KernelKMeans;

impl Model {
    /// ‖k(x, ·) − μ_c‖ of k-means at every point, row-major: rows×clusters. It needs k(x, x), which a precomputed matrix does not
    /// hold.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::cluster::KernelKMeans};
    /// let x: Inputs = Rows::new(vec![0.0, 2.0, 9.0], 3, 1)?.into();
    /// let learner = KernelKMeans { kernel: KernelExpr::parse("linear")?, clusters: 2, ..Default::default() };
    /// let model = learner.fit(&x, Target::None, None, &Run::new())?.model;
    /// assert_eq!(model.mean_distances(&Rows::new(vec![4.0], 1, 1)?.into(), &Run::new())?, [3.0, 5.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn mean_distances(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let unsupported = |what: &str, alternative: &str| {
            Err(Error::Unsupported { what: what.to_owned(), alternative: alternative.to_owned() })
        };
        if !self.learner().is::<KernelKMeans>() {
            return unsupported("the distances to means of a model that has none", "use the model `kernel_k_means`");
        }
        if matches!(x, Inputs::Precomputed(_)) {
            return unsupported(
                "the distances to means from kernel values, which lack k(x, x),",
                "fit to the points themselves",
            );
        }
        let (mut values, own) = (self.predict(x, run)?, self.expansion().space().diag(x, run)?);
        let k = self.outputs();
        // ‖φ − μ‖² = k(x, x) − value, below 0 by rounding at most.
        values.iter_mut().enumerate().for_each(|(at, v)| *v = (own[at / k] - *v).max(0.0).sqrt());
        Ok(values)
    }
}
