//! Kernels of structured values: what is done once a point, and what is left for a pair.
//!
//! A kernel of a structured value x is one of
//!
//! - [`Features`]: an inner product of sparse explicit features φ(x), or a [`Profile`](super::Profile) of it;
//! - [`PreparePoint`]: a kernel of something that is computed from x once;
//! - [`KernelGrad`]: a function of the pair.

use super::KernelGrad;

/// A feature map with few features of very many: a kernel is a function of ⟨φ(x), φ(y)⟩.
///
/// What it is made with is not tuned: whole numbers and choices. Parameters are those of the function.
pub trait Features<X: ?Sized>: Send + Sync {
    /// Calls `visit` with the name and the value of each feature of x that is not 0. Values of one name
    /// add up. Names are bytes of any kind; they are equal or not.
    fn each_feature(&self, x: &X, visit: impl FnMut(&[u8], f64));
}

/// A kernel whose points are prepared once each, so that a pair is cheap.
///
/// The kernel itself is one of prepared points, with parameters of its own.
pub trait PreparePoint<X: ?Sized>: KernelGrad<Self::Prepared> {
    /// A prepared point.
    type Prepared: Send + Sync;

    /// Prepares a point.
    fn prepare(&self, x: &X) -> Self::Prepared;

    /// Bytes that a prepared point holds beside itself; the account of memory counts them.
    fn held(&self, _prepared: &Self::Prepared) -> usize {
        0
    }

    /// Why the kernel does not take a point: what it needs, and what it got instead. A point whose pairs would take longer than
    /// anybody may wait for a stop is refused here.
    fn refusal(&self, _x: &X) -> Option<(String, String)> {
        None
    }
}
