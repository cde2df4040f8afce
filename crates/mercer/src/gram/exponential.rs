//! eˣ of sixteen numbers at a time.
//!
//! The same operations as [`elementary::exp`], and so the same bits, ordered for the processor:
//! each step is taken for four vectors before the next, because a vector that runs through all
//! steps alone spends most of its time waiting for its own results.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256d, _CMP_NLE_UQ, _mm256_add_epi64, _mm256_add_pd, _mm256_andnot_pd, _mm256_castpd_si256, _mm256_castsi256_pd,
    _mm256_cmp_pd, _mm256_fmadd_pd, _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_or_pd,
    _mm256_set1_pd, _mm256_setzero_pd, _mm256_slli_epi64, _mm256_storeu_pd, _mm256_sub_pd,
};

use crate::kernel::elementary;

/// How many numbers are worked on together.
pub(crate) const BATCH: usize = 16;

/// A way to compute eˣ for a batch. All of them give the same bits.
pub(crate) trait BatchExp {
    /// x ← eˣ for each.
    fn exp(values: &mut [f64; BATCH]);
}

/// For any processor.
pub(crate) struct Portable;

impl BatchExp for Portable {
    #[inline(always)]
    fn exp(values: &mut [f64; BATCH]) {
        values.iter_mut().for_each(|x| *x = elementary::exp(*x));
    }
}

/// With AVX2 and FMA; to be named only in functions that run where the processor has them.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl BatchExp for Avx2 {
    #[inline(always)]
    fn exp(values: &mut [f64; BATCH]) {
        // SAFETY: this type is named only where the processor has these instructions.
        if !unsafe { exp_ordinary(values) } {
            Portable::exp(values);
        }
    }
}

/// Up to here on both sides eˣ is neither infinite nor subnormal, and is scaled in one step.
#[cfg(target_arch = "x86_64")]
const ORDINARY: f64 = 708.0;

/// x ← eˣ for a batch whose results are all ordinary; otherwise says no and changes nothing.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma")]
fn exp_ordinary(values: &mut [f64; BATCH]) -> bool {
    const VECTORS: usize = BATCH / 4;
    let mut x = [_mm256_setzero_pd(); VECTORS];
    let mut outside = _mm256_setzero_pd();
    for (v, x) in x.iter_mut().enumerate() {
        // SAFETY: 4v + 4 ≤ BATCH.
        *x = unsafe { _mm256_loadu_pd(values.as_ptr().add(4 * v)) };
        let size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), *x);
        // The comparison also holds for NaN.
        outside = _mm256_or_pd(outside, _mm256_cmp_pd::<_CMP_NLE_UQ>(size, _mm256_set1_pd(ORDINARY)));
    }
    if _mm256_movemask_pd(outside) != 0 {
        return false;
    }
    for (v, result) in exp_vectors(x).into_iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm256_storeu_pd(values.as_mut_ptr().add(4 * v), result) };
    }
    true
}

/// The steps of [`elementary::exp`], each for all vectors.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma")]
fn exp_vectors<const V: usize>(x: [__m256d; V]) -> [__m256d; V] {
    use elementary::{EXP, LN2_HIGH, LN2_LOW, LOG2_E, ROUND};
    let zero = [_mm256_setzero_pd(); V];
    let (mut shifted, mut r, mut r2, mut q, mut out) = (zero, zero, zero, zero, zero);
    for v in 0..V {
        shifted[v] = _mm256_fmadd_pd(x[v], _mm256_set1_pd(LOG2_E), _mm256_set1_pd(ROUND));
    }
    for v in 0..V {
        let n = _mm256_sub_pd(shifted[v], _mm256_set1_pd(ROUND));
        r[v] = _mm256_fnmadd_pd(n, _mm256_set1_pd(LN2_HIGH), x[v]);
        r[v] = _mm256_fnmadd_pd(n, _mm256_set1_pd(LN2_LOW), r[v]);
    }
    for v in 0..V {
        r2[v] = _mm256_mul_pd(r[v], r[v]);
        q[v] = _mm256_fmadd_pd(_mm256_set1_pd(EXP[9]), r[v], _mm256_set1_pd(EXP[8]));
    }
    for k in [6, 4, 2, 0] {
        for v in 0..V {
            let pair = _mm256_fmadd_pd(_mm256_set1_pd(EXP[k + 1]), r[v], _mm256_set1_pd(EXP[k]));
            q[v] = _mm256_fmadd_pd(q[v], r2[v], pair);
        }
    }
    for v in 0..V {
        let beyond_one = _mm256_fmadd_pd(r2[v], q[v], r[v]);
        let mantissa = _mm256_castpd_si256(_mm256_add_pd(beyond_one, _mm256_set1_pd(1.0)));
        // The low bits of `shifted` hold n; adding them to the exponent multiplies by 2ⁿ.
        let exponent = _mm256_slli_epi64::<52>(_mm256_castpd_si256(shifted[v]));
        out[v] = _mm256_castsi256_pd(_mm256_add_epi64(mantissa, exponent));
    }
    out
}

/// k ← eᵏ.
pub(crate) fn exponentials(values: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[target_feature(enable = "avx2,fma")]
        fn with_avx2(values: &mut [f64]) {
            batches::<Avx2>(values);
        }
        // SAFETY: the processor has just been found to have these instructions.
        unsafe { with_avx2(values) };
        return;
    }
    batches::<Portable>(values);
}

#[inline(always)]
fn batches<E: BatchExp>(values: &mut [f64]) {
    let (whole, rest) = values.as_chunks_mut::<BATCH>();
    whole.iter_mut().for_each(E::exp);
    rest.iter_mut().for_each(|x| *x = elementary::exp(*x));
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
