//! Choosing vector instructions at run time.
//!
//! The loops of the engine are plain Rust, written so that they vectorise. `dispatch!` compiles
//! such a loop twice, once for any processor and once with AVX2, FMA and POPCNT, and calls the better one
//! that this processor has. Both give the same bits: fused multiply-adds are written as such.

/// Defines a function that runs `$body` with the best vector instructions there are.
macro_rules! dispatch {
    (
        $(#[$meta:meta])*
        pub(crate) fn $name:ident $(<$($g:ident : $bound:path),+>)? ($($arg:ident : $ty:ty),* $(,)?) $body:block
    ) => {
        $(#[$meta])*
        pub(crate) fn $name $(<$($g: $bound),+>)? ($($arg: $ty),*) {
            #[inline(always)]
            fn portable $(<$($g: $bound),+>)? ($($arg: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,popcnt")]
                fn with_avx2 $(<$($g: $bound),+>)? ($($arg: $ty),*) {
                    portable$(::<$($g),+>)?($($arg),*)
                }
                use std::arch::is_x86_feature_detected as has;
                if has!("avx2") && has!("fma") && has!("popcnt") {
                    // SAFETY: the processor has just been found to have these instructions.
                    return unsafe { with_avx2$(::<$($g),+>)?($($arg),*) };
                }
            }
            portable$(::<$($g),+>)?($($arg),*)
        }
    };
}
pub(crate) use dispatch;
