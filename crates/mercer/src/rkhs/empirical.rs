//! The empirical kernel map: from any similarity and templates to a kernel.

use crate::data::{Inputs, Rows};
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::Space;

/// A similarity s to some templates t₁, …, t_m as a feature map: φ(x) = (s(x, t₁), …, s(x, t_m)).
///
/// k(x, y) = ⟨φ(x), φ(y)⟩ is positive definite for every function s, also one that is not symmetric or not a kernel itself, and new
/// points are treated as those of the fit. Any kernel of vectors can be taken of φ(x) in the place of the inner product.
///
/// **Reference** Schölkopf & Smola (2002), *Learning with Kernels*, §2.2.6.
///
/// ```
/// use mercer::{KernelExpr, Run, data::Rows, rkhs::EmpiricalMap};
/// let (templates, run) = (Rows::new(vec![0.0, 1.0], 2, 1)?.into(), Run::new());
/// // tanh is no kernel: its matrices have negative eigenvalues.
/// let map = EmpiricalMap::new(&KernelExpr::parse("sigmoid(gamma=2, coef0=-1)")?, &templates, &run)?;
/// let features = map.features(&Rows::new(vec![3.0], 1, 1)?.into(), &run)?;
/// assert!((features.row(0)[0] - (-1.0f64).tanh()).abs() < 1e-15);
/// assert!((features.row(0)[1] - 5.0f64.tanh()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EmpiricalMap {
    space: Space,
    templates: Inputs,
}

impl EmpiricalMap {
    /// The map of a similarity, whose rules are resolved on the templates.
    pub fn new(similarity: &KernelExpr, templates: &Inputs, run: &Run) -> Result<Self> {
        if templates.is_empty() {
            return Err(Error::shape("the templates", "at least 1 row", 0));
        }
        Ok(EmpiricalMap { space: Space::new(similarity, templates, run)?, templates: templates.clone() })
    }

    /// The similarity, without rules.
    pub fn similarity(&self) -> &KernelExpr {
        self.space.kernel()
    }

    /// The templates.
    pub fn templates(&self) -> &Inputs {
        &self.templates
    }

    /// φ(x) of every point, one a row.
    pub fn features(&self, x: &Inputs, run: &Run) -> Result<Rows> {
        let similarities = dense::<f64>(&self.similarity().bind_cross(x, &self.templates, run)?, run)?;
        Rows::new(similarities.into_values(), x.len(), self.templates.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::symmetric_eigenvalues;
    use crate::testkit::points;

    #[test]
    fn the_kernel_of_the_map_is_positive_definite_where_the_similarity_is_not() {
        let (run, x) = (Run::new(), points::vectors(25, 3, 4));
        let similarity = KernelExpr::parse("sigmoid(gamma=0.8, coef0=-2)").expect("a formula");
        let own = dense::<f64>(&similarity.bind(&x.clone().into(), &run).expect("bound"), &run).expect("a matrix");
        let least = |k: &[f64]| symmetric_eigenvalues(k, 25).expect("values").into_iter().fold(0.0, f64::min);
        assert!(least(own.values()) < -0.1);
        let templates = x.take(&[0, 3, 8, 11]);
        let map = EmpiricalMap::new(&similarity, &templates.into(), &run).expect("a map");
        let features = map.features(&x.clone().into(), &run).expect("features");
        let linear = KernelExpr::parse("linear").expect("a formula");
        let gram = dense::<f64>(&linear.bind(&features.into(), &run).expect("bound"), &run).expect("a matrix");
        assert!(least(gram.values()) > -1e-12);
        // By the definition: sums over templates of products of similarities.
        let s = |i: usize, t: usize| own.row(i)[[0, 3, 8, 11][t]];
        let expected: f64 = (0..4).map(|t| s(2, t) * s(7, t)).sum();
        assert!((gram.row(2)[7] - expected).abs() < 1e-12);
    }

    #[test]
    fn templates_must_be_there() {
        let similarity = KernelExpr::parse("linear").expect("a formula");
        let none = Rows::new(Vec::new(), 0, 2).map(Inputs::from).expect("no rows");
        assert!(EmpiricalMap::new(&similarity, &none, &Run::new()).is_err());
    }
}
