//! Kernels: positive definite functions of two points, and the algebra that joins them.
//!
//! A kernel is a formula ([`KernelExpr`]), printed and parsed exactly. There are four ways to
//! define a new one, all of them mathematics: a function of a pair ([`Kernel`]), a scalar function
//! of one statistic of a pair of vectors ([`Profile`]), a sparse feature map ([`Features`]), and a
//! function of points that are prepared once ([`PreparePoint`]). Nothing here knows about matrices, threads
//! or files.

pub mod alignment;
pub mod bag;
mod catalogue;
pub mod category;
mod custom;
pub mod elementary;
mod expr;
mod expression;
mod formula;
#[cfg(test)]
pub(crate) mod interval;
mod leaf;
mod number;
mod param;
mod parts;
mod profile;
pub mod property;
mod scalar;
pub mod sequence;
pub mod set;
mod settings;
mod spec;
mod structured;
pub mod text;
mod theta;
pub mod vector;

pub use alignment::{LocalAlignment, Score, Subsequence, Substitution, WeightedDegree};
pub use catalogue::{Kind, by_name};
pub use category::{Delta, Hamming, Ordinal};
pub use custom::{Custom, CustomForm, CustomKernel, Registry};
pub use expr::KernelExpr;
pub use expression::Expression;
pub use formula::Reading;
pub(crate) use formula::quoted;
pub use leaf::{Columns, Leaf, Setting};
pub(crate) use number::print as print_number;
pub use param::{Param, Rule, Transform, Value};
pub(crate) use profile::norm_product;
pub use profile::{Pair, Profile, Statistic};
pub use scalar::{ScalarDomain, ScalarExpr};
pub use sequence::{GappedKmer, Mismatch};
pub use settings::NamedSetting;
pub(crate) use spec::FROM_DATA;
pub use spec::{Alias, Domain, KernelSpec, SettingKind, SettingSpec};
pub use structured::{Features, PreparePoint};
pub use text::{Ngram, Unit};
pub use theta::NamedParam;
pub(crate) use theta::unresolved;

/// The kernels that a formula names, also one that is refused, with the bytes that each is read from.
pub(crate) fn formula_kernels(source: &str) -> crate::error::Result<Vec<(std::ops::Range<usize>, KernelExpr)>> {
    formula::kernels(source, &Registry::new())
}

/// A kernel as a function of two points: symmetric and positive definite.
///
/// Evaluating cannot fail; whatever can be wrong with a kernel is found when it is constructed.
///
/// ```
/// use mercer::kernel::Kernel;
/// struct Tanimoto;
/// impl Kernel<[f64]> for Tanimoto {
///     fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
///         let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
///         dot(x, y) / (dot(x, x) + dot(y, y) - dot(x, y))
///     }
/// }
/// assert_eq!(Tanimoto.eval(&[1.0, 1.0, 0.0], &[0.0, 1.0, 1.0]), 1.0 / 3.0);
/// ```
pub trait Kernel<X: ?Sized>: Send + Sync {
    /// k(x, y).
    fn eval(&self, x: &X, y: &X) -> f64;

    /// k(x, x).
    fn diag(&self, x: &X) -> f64 {
        self.eval(x, x)
    }

    /// Writes k(x, y) for each of `ys`: what `eval` gives, to the bit. A kernel that computes several pairs at once in less time has
    /// its own.
    #[inline(always)]
    fn eval_many(&self, x: &X, ys: &[&X], out: &mut [f64]) {
        for (k, y) in out.iter_mut().zip(ys) {
            *k = self.eval(x, y);
        }
    }
}

/// A kernel with parameters that can be tuned by their gradient.
pub trait KernelGrad<X: ?Sized>: Kernel<X> {
    /// How many parameters there are.
    fn n_params(&self) -> usize;

    /// Writes ∂k(x, y)/∂p for each parameter p.
    fn grad(&self, x: &X, y: &X, out: &mut [f64]);

    /// Adds Σⱼ wⱼ·∂k(x, yⱼ)/∂p to `out` for each parameter p.
    #[inline(always)]
    fn grad_many(&self, x: &X, ys: &[&X], w: &[f64], out: &mut [f64]) {
        let mut one = vec![0.0; self.n_params()];
        for (y, w) in ys.iter().zip(w) {
            self.grad(x, y, &mut one);
            out.iter_mut().zip(&one).for_each(|(sum, g)| *sum += w * g);
        }
    }
}
