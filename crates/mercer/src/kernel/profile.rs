//! Kernels of vectors that are a function of one number per pair.

use super::elementary::exp;

/// The number per pair that a kernel of vectors is a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Statistic {
    /// Σⱼ (xⱼ − yⱼ)²/ℓⱼ².
    SquaredDistance,
    /// Σⱼ |xⱼ − yⱼ|/ℓⱼ.
    ManhattanDistance,
    /// ⟨x, y⟩.
    Dot,
}

/// What a profile is evaluated at.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The statistic of the two points.
    pub s: f64,
    /// ⟨x, x⟩, for kernels of the dot product.
    pub xx: f64,
    /// ⟨y, y⟩, for kernels of the dot product.
    pub yy: f64,
}

/// A kernel as a scalar function of a [`Statistic`]: the second of the three ways to define one.
///
/// The engine computes the statistic of a whole tile at once and maps the profile over it, so
/// `value` should be free of branches that depend on the pair. A kernel a·eᵇ names its amplitude a
/// and its exponent b instead: the engine takes exponentials of many pairs together, which is
/// faster than one by one.
pub trait Profile: Send + Sync {
    /// What the kernel is a function of.
    const STATISTIC: Statistic;
    /// Whether the kernel is `amplitude`·exp(`exponent`).
    const EXPONENTIAL: bool = false;
    /// b/s where that is the same for all pairs, and plus or minus a power of two: the engine multiplies by it once for all of them,
    /// to the same bits.
    const EXPONENT_OVER_S: Option<f64> = None;

    /// k(x, y).
    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        let exponent = self.exponent(at);
        self.amplitude(at, exponent) * exp(exponent)
    }

    /// b where k = a·eᵇ.
    #[inline(always)]
    fn exponent(&self, _at: Pair) -> f64 {
        0.0
    }

    /// a where k = a·eᵇ, given b.
    #[inline(always)]
    fn amplitude(&self, _at: Pair, _exponent: f64) -> f64 {
        1.0
    }

    /// ∂k/∂s. Where k has a kink at s = 0 the answer there is 0: it is only ever multiplied by a
    /// derivative of s that vanishes with s.
    fn slope(&self, at: Pair) -> f64;

    /// How many parameters of its own the profile has, besides length scales.
    fn shape_len(&self) -> usize {
        0
    }

    /// ∂k/∂p for each of its own parameters p, in the order of θ.
    fn shape_grad(&self, _at: Pair, _out: &mut [f64]) {}
}

/// √(xx·yy), exact when xx = yy, also where the product would underflow.
#[inline(always)]
pub(crate) fn norm_product(xx: f64, yy: f64) -> f64 {
    let square = xx * yy;
    // Below this the product loses digits to underflow.
    if square > 1e-280 { square.sqrt() } else { xx.sqrt() * yy.sqrt() }
}

/// cos of the angle between x and y, in [−1, 1]; 0 when either is zero.
///
/// Rounding can carry the quotient past ±1 by an ulp or two, where the arc cosine is not defined.
#[inline(always)]
pub(crate) fn cosine(at: Pair) -> f64 {
    let norm = norm_product(at.xx, at.yy);
    let quotient = if norm > 0.0 { at.s / norm } else { 0.0 };
    quotient.clamp(-1.0, 1.0)
}
