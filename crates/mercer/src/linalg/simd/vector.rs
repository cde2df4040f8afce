//! Vectors of any width.
//!
//! Methods are inlined into functions that are compiled for the instructions they need, and so a vector type is named
//! only where [`Avx2`](super::Avx2) or [`Avx512`](super::Avx512) is.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// What numbers and vectors of them both do, each lane for itself.
pub(crate) trait Arithmetic: Copy {
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    /// self·b + c, rounded once.
    fn times_plus(self, b: Self, c: Self) -> Self;
    fn magnitude(self) -> Self;
}

impl Arithmetic for f64 {
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        self + b
    }

    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        self - b
    }

    #[inline(always)]
    fn times_plus(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }
}

/// Numbers that one instruction works on.
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "the loops that use all of it are written for x86-64")
)]
pub(crate) trait Vector: Arithmetic {
    const LEN: usize;

    fn splat(x: f64) -> Self;

    /// # Safety
    /// `LEN` numbers must be readable.
    unsafe fn load(from: *const f64) -> Self;

    /// # Safety
    /// `LEN` numbers must be writable.
    unsafe fn store(self, to: *mut f64);

    fn times(self, b: Self) -> Self;

    /// c − self·b, rounded once.
    fn times_from(self, b: Self, c: Self) -> Self;

    /// self·2ⁿ, where the low bits of `shifted` hold n and neither self nor the result is subnormal or infinite.
    fn times_power(self, shifted: Self) -> Self;

    /// Whether any lane is a NaN or larger than `bound` in magnitude.
    fn any_beyond<const N: usize>(values: [Self; N], bound: f64) -> bool;

    /// Whether any lane is at most that of its bound.
    fn any_at_most<const N: usize>(values: &[Self; N], bounds: &[Self; N]) -> bool;
}

/// A number by itself.
impl Vector for f64 {
    const LEN: usize = 1;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        x
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: as the caller promises.
        unsafe { *from }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as the caller promises.
        unsafe { *to = self }
    }

    #[inline(always)]
    fn times(self, b: Self) -> Self {
        self * b
    }

    #[inline(always)]
    fn times_from(self, b: Self, c: Self) -> Self {
        (-self).mul_add(b, c)
    }

    #[inline(always)]
    fn times_power(self, shifted: Self) -> Self {
        f64::from_bits(self.to_bits().wrapping_add(shifted.to_bits() << 52))
    }

    #[inline(always)]
    fn any_beyond<const N: usize>(values: [Self; N], bound: f64) -> bool {
        !values.iter().all(|x| x.abs() <= bound)
    }

    #[inline(always)]
    fn any_at_most<const N: usize>(values: &[Self; N], bounds: &[Self; N]) -> bool {
        values.iter().zip(bounds).any(|(x, bound)| x <= bound)
    }
}

/// Implements both traits by the instructions with the given names.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    (
        $vector:ident of $len:literal, $add:ident, $sub:ident, $mul:ident, $fmadd:ident, $fnmadd:ident,
        $splat:ident, $load:ident, $store:ident, |$x:ident| $magnitude:expr,
        |$mantissa:ident, $shifted:ident| $power:expr, |$values:ident, $bound:ident| $beyond:expr,
        |$pairs:ident| $at_most:expr $(,)?
    ) => {
        // SAFETY, here and below: the type is named only where the processor has these instructions; what is read and
        // written is promised by the caller.
        impl Arithmetic for $vector {
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                unsafe { $add(self, b) }
            }

            #[inline(always)]
            fn minus(self, b: Self) -> Self {
                unsafe { $sub(self, b) }
            }

            #[inline(always)]
            fn times_plus(self, b: Self, c: Self) -> Self {
                unsafe { $fmadd(self, b, c) }
            }

            #[inline(always)]
            fn magnitude(self) -> Self {
                let $x = self;
                unsafe { $magnitude }
            }
        }

        impl Vector for $vector {
            const LEN: usize = $len;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                unsafe { $splat(x) }
            }

            #[inline(always)]
            unsafe fn load(from: *const f64) -> Self {
                unsafe { $load(from) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut f64) {
                unsafe { $store(to, self) }
            }

            #[inline(always)]
            fn times(self, b: Self) -> Self {
                unsafe { $mul(self, b) }
            }

            #[inline(always)]
            fn times_from(self, b: Self, c: Self) -> Self {
                unsafe { $fnmadd(self, b, c) }
            }

            #[inline(always)]
            fn times_power(self, $shifted: Self) -> Self {
                let $mantissa = self;
                unsafe { $power }
            }

            #[inline(always)]
            fn any_beyond<const N: usize>($values: [Self; N], bound: f64) -> bool {
                let $bound = Self::splat(bound);
                unsafe { $beyond }
            }

            #[inline(always)]
            fn any_at_most<const N: usize>(values: &[Self; N], bounds: &[Self; N]) -> bool {
                let $pairs = values.iter().zip(bounds);
                unsafe { $at_most }
            }
        }
    };
}

// Adding n to the exponent multiplies by 2ⁿ; the comparison `NLE` also holds for NaN.
#[cfg(target_arch = "x86_64")]
vector!(
    __m256d of 4,
    _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_fmadd_pd, _mm256_fnmadd_pd,
    _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd,
    |x| _mm256_andnot_pd(_mm256_set1_pd(-0.0), x),
    |mantissa, shifted| {
        let exponent = _mm256_slli_epi64::<52>(_mm256_castpd_si256(shifted));
        _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(mantissa), exponent))
    },
    |values, bound| {
        let mut beyond = _mm256_setzero_pd();
        for x in &values {
            beyond = _mm256_or_pd(beyond, _mm256_cmp_pd::<_CMP_NLE_UQ>(x.magnitude(), bound));
        }
        _mm256_movemask_pd(beyond) != 0
    },
    |pairs| {
        let mut found = _mm256_setzero_pd();
        for (x, bound) in pairs {
            found = _mm256_or_pd(found, _mm256_cmp_pd::<_CMP_LE_OQ>(*x, *bound));
        }
        _mm256_movemask_pd(found) != 0
    },
);

#[cfg(target_arch = "x86_64")]
vector!(
    __m512d of 8,
    _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_fmadd_pd, _mm512_fnmadd_pd,
    _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd,
    |x| _mm512_abs_pd(x),
    |mantissa, shifted| {
        let exponent = _mm512_slli_epi64::<52>(_mm512_castpd_si512(shifted));
        _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(mantissa), exponent))
    },
    |values, bound| {
        let mut beyond = 0;
        for x in &values {
            beyond |= _mm512_cmp_pd_mask::<_CMP_NLE_UQ>(x.magnitude(), bound);
        }
        beyond != 0
    },
    |pairs| {
        let mut found = 0;
        for (x, bound) in pairs {
            found |= _mm512_cmp_pd_mask::<_CMP_LE_OQ>(*x, *bound);
        }
        found != 0
    },
);
