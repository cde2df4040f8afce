//! The kernel of mean embeddings.

use crate::data::{BAG, Bag};
use crate::kernel::elementary::exp;
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The inner product of the mean embeddings of two bags of points under a Gaussian kernel.
///
/// **Definition** k(P, Q) = (1/(|P|·|Q|)) Σ over p ∈ P, q ∈ Q of exp(−‖p − q‖²/(2ℓ²)); 0 where a bag is empty. Bags whose points have
/// other numbers of coordinates are refused.
///
/// **Parameters** ℓ `length_scale` > 0, default 1, log.
///
/// **Properties** positive definite: φ(P) is the mean of the points' images under the Gaussian kernel. `normalize(…)` makes its diagonal 1.
///
/// **Cost** |P|·|Q| squared distances and exps per pair.
///
/// **Reference** Muandet, Fukumizu, Sriperumbudur & Schölkopf (2017), "Kernel mean embedding of distributions", §3.
///
/// ```
/// # use mercer::{data::{Bag, CellValue}, kernel::{Kernel, bag::MeanEmbedding}};
/// let (p, q) = (Bag::parse("[[0], [2]]")?, Bag::parse("[[0]]")?);
/// let k = MeanEmbedding { length_scale: 1.0 };
/// assert!((k.eval(&p, &q) - 0.5 * (1.0 + (-2.0f64).exp())).abs() < 1e-15);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MeanEmbedding {
    /// ℓ.
    pub length_scale: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "mean_embedding",
    aliases: &["set_kernel"],
    summary: "mean Gaussian kernel between two bags of points",
    definition: "Σ_p Σ_q exp(−‖p − q‖²/(2·length_scale²))/(|x|·|y|)",
    domain: Domain::Structured(&BAG),
    property: Property::positive(ProofRule::FeatureMap, "φ(x) is the mean of the images of the points of x"),
    settings: &[SettingSpec {
        name: "length_scale",
        summary: "distance over which the Gaussian kernel of points decays",
        kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
        aliases: &[],
    }],
};

/// Σ over pairs of f(‖p − q‖²/ℓ²), over their number.
fn mean(x: &Bag, y: &Bag, length_scale: f64, f: impl Fn(f64) -> f64) -> f64 {
    let pairs = (x.len() * y.len()) as f64;
    let sum: f64 =
        x.points().flat_map(|p| y.points().map(move |q| (p, q))).map(|(p, q)| f(squared(p, q, length_scale))).sum();
    if pairs > 0.0 { sum / pairs } else { 0.0 }
}

fn squared(p: &[f64], q: &[f64], length_scale: f64) -> f64 {
    p.iter().zip(q).map(|(a, b)| (a - b) / length_scale).map(|d| d * d).sum()
}

impl Kernel<Bag> for MeanEmbedding {
    fn eval(&self, x: &Bag, y: &Bag) -> f64 {
        mean(x, y, self.length_scale, |s| exp(-0.5 * s))
    }
}

impl KernelGrad<Bag> for MeanEmbedding {
    fn n_params(&self) -> usize {
        1
    }

    fn grad(&self, x: &Bag, y: &Bag, out: &mut [f64]) {
        out[0] = mean(x, y, self.length_scale, |s| s * exp(-0.5 * s)) / self.length_scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{CellValue, Inputs, Table};
    use crate::testkit::{laws, tol};

    #[test]
    fn laws_hold() {
        let cells = [
            "[]",
            "[[0, 1], [1, 0]]",
            "[[0, 1]]",
            "[[2, 2]]",
            "[[1, 1], [2, -1], [0.5, 3]]",
            "[[1, 1], [2, -1], [0.5, 3]]",
            "[[3, 0], [3, 0], [3, 0]]",
        ];
        let bags: Vec<Bag> = cells.iter().map(|cell| Bag::parse(cell).expect("a bag")).collect();
        let column = super::super::Bags::from_values(bags.iter().cloned().map(Some)).into();
        let x: Inputs = Table::new(vec![("cells".into(), column)]).expect("one column").into();
        let definition = |i: usize, j: usize| {
            let (x, y) = (&bags[i], &bags[j]);
            let one = |p: &[f64], q: &[f64]| (-(0..2).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>() / (2.0 * 1.44)).exp();
            let sum: f64 = x.points().map(|p| y.points().map(|q| one(p, q)).sum::<f64>()).sum();
            if x.is_empty() || y.is_empty() { 0.0 } else { sum / (x.len() * y.len()) as f64 }
        };
        laws::kernel("mean_embedding(cells, length_scale=1.2)", &x, definition, tol::round(16));
    }
}
