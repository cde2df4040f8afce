//! eˣ of many numbers at a time.
//!
//! The same operations as [`elementary::exp`], and so the same bits, ordered for the processor:
//! each step is taken for four vectors before the next, because a vector that runs through all
//! steps alone spends most of its time waiting for its own results.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256d, __m512d};

use crate::kernel::elementary;

#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512, Vector};
use super::simd::{Portable, dispatch};

/// The most numbers of a batch.
pub(crate) const MOST: usize = 32;

/// A way to compute eˣ for a batch. All of them give the same bits.
pub(crate) trait BatchExp {
    /// How many numbers are worked on together.
    const BATCH: usize;

    /// x ← eˣ for each of a batch.
    fn exp(values: &mut [f64]);
}

impl BatchExp for Portable {
    const BATCH: usize = 16;

    #[inline(always)]
    fn exp(values: &mut [f64]) {
        values.iter_mut().for_each(|x| *x = elementary::exp(*x));
    }
}

#[cfg(target_arch = "x86_64")]
impl BatchExp for Avx2 {
    const BATCH: usize = VECTORS * __m256d::LEN;

    #[inline(always)]
    fn exp(values: &mut [f64]) {
        exp_batch::<__m256d>(values);
    }
}

/// Four vectors of eight, their powers and the constants of the steps fill the 32 registers.
#[cfg(target_arch = "x86_64")]
impl BatchExp for Avx512 {
    const BATCH: usize = VECTORS * __m512d::LEN;

    #[inline(always)]
    fn exp(values: &mut [f64]) {
        exp_batch::<__m512d>(values);
    }
}

/// Vectors that take each step together.
#[cfg(target_arch = "x86_64")]
const VECTORS: usize = 4;

/// Up to here on both sides eˣ is neither infinite nor subnormal, and is scaled in one step.
#[cfg(target_arch = "x86_64")]
const ORDINARY: f64 = 708.0;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn exp_batch<V: Vector>(values: &mut [f64]) {
    assert_eq!(values.len(), VECTORS * V::LEN, "a batch is whole");
    let mut x = [V::splat(0.0); VECTORS];
    for (v, x) in x.iter_mut().enumerate() {
        // SAFETY: the vectors lie inside the batch.
        *x = unsafe { V::load(values.as_ptr().add(v * V::LEN)) };
    }
    if V::any_beyond(x, ORDINARY) {
        return Portable::exp(values);
    }
    for (v, result) in exp_vectors(x).iter().enumerate() {
        // SAFETY: as above.
        unsafe { result.store(values.as_mut_ptr().add(v * V::LEN)) };
    }
}

/// The steps of [`elementary::exp`], each for all vectors, where all results are ordinary.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn exp_vectors<V: Vector, const N: usize>(x: [V; N]) -> [V; N] {
    use elementary::{EXP, LN2_HIGH, LN2_LOW, LOG2_E, ROUND};
    let zero = [V::splat(0.0); N];
    let (mut shifted, mut r, mut r2, mut q, mut out) = (zero, zero, zero, zero, zero);
    for v in 0..N {
        shifted[v] = x[v].times_plus(V::splat(LOG2_E), V::splat(ROUND));
    }
    for v in 0..N {
        let n = shifted[v].minus(V::splat(ROUND));
        r[v] = n.times_from(V::splat(LN2_HIGH), x[v]);
        r[v] = n.times_from(V::splat(LN2_LOW), r[v]);
    }
    for v in 0..N {
        r2[v] = r[v].times(r[v]);
        q[v] = V::splat(EXP[9]).times_plus(r[v], V::splat(EXP[8]));
    }
    for k in [6, 4, 2, 0] {
        for v in 0..N {
            let pair = V::splat(EXP[k + 1]).times_plus(r[v], V::splat(EXP[k]));
            q[v] = q[v].times_plus(r2[v], pair);
        }
    }
    for v in 0..N {
        let beyond_one = r2[v].times_plus(q[v], r[v]);
        // The low bits of `shifted` hold n.
        out[v] = beyond_one.plus(V::splat(1.0)).times_power(shifted[v]);
    }
    out
}

dispatch! {
    /// k ← eᵏ.
    pub(crate) fn exponentials(values: &mut [f64]) by E: BatchExp {
        let mut batches = values.chunks_exact_mut(E::BATCH);
        batches.by_ref().for_each(E::exp);
        batches.into_remainder().iter_mut().for_each(|x| *x = elementary::exp(*x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_the_bits_of_single_values() {
        let ends = [0.0, -0.0, 1e-320, 708.0, -708.0, 709.78, 710.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, -745.1];
        let spread = (0..10_000).map(|i| ((i * 7919) % 10_007) as f64 * 0.144 - 720.0);
        let small = (0..10_000).map(|i| ((i * 7919) % 10_007) as f64 * -1e-3);
        let mut values: Vec<f64> = ends.into_iter().chain(spread).chain(small).chain([f64::NAN, -1.0]).collect();
        let expected: Vec<u64> = values.iter().map(|x| elementary::exp(*x).to_bits()).collect();
        exponentials(&mut values);
        let got: Vec<u64> = values.iter().map(|x| x.to_bits()).collect();
        assert_eq!(got, expected);
    }
}
