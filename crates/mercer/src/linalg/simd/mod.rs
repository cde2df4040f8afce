//! Choosing vector instructions at run time.
//!
//! The loops of the engine are plain Rust, written so that they vectorise. `dispatch!` compiles such a loop for each
//! [`Level`] of instructions and calls the best one that this processor has. All give the same bits: fused
//! multiply-adds are written as such, and every result has its own lane or a fixed order of sums. What plain Rust does
//! not say well enough is written for any width with [`Vector`].

mod level;
mod vector;

#[cfg(target_arch = "x86_64")]
pub(crate) use level::{Avx2, Avx512, Level};
pub(crate) use level::{Instructions, Portable};
#[cfg(test)]
pub(crate) use level::{at_every_level, same_bits};
pub(crate) use vector::{Arithmetic, Vector};

/// Defines a function that runs `$body` with the best vector instructions there are. With `by I: Trait` the body knows
/// these instructions as the type `I`, one of [`Portable`], [`Avx2`] and [`Avx512`], which all have that trait.
macro_rules! dispatch {
    (
        $(#[$meta:meta])*
        pub(crate) fn $name:ident $(<$($g:ident : $bound:path),+>)? ($($arg:ident : $ty:ty),* $(,)?) $body:block
    ) => {
        $crate::linalg::simd::dispatch! {
            $(#[$meta])*
            pub(crate) fn $name $(<$($g: $bound),+>)? ($($arg: $ty),*) by Any: $crate::linalg::simd::Instructions $body
        }
    };
    (
        $(#[$meta:meta])*
        pub(crate) fn $name:ident $(<$($g:ident : $bound:path),+>)? ($($arg:ident : $ty:ty),* $(,)?)
        by $by:ident : $kind:path $body:block
    ) => {
        $(#[$meta])*
        pub(crate) fn $name $(<$($g: $bound),+>)? ($($arg: $ty),*) {
            #[inline(always)]
            fn body<$by: $kind $(, $($g: $bound),+)?> ($($arg: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                use $crate::linalg::simd::{Avx2, Avx512, Level};
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,popcnt")]
                fn with_avx512 $(<$($g: $bound),+>)? ($($arg: $ty),*) {
                    body::<Avx512 $(, $($g),+)?>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma,popcnt")]
                fn with_avx2 $(<$($g: $bound),+>)? ($($arg: $ty),*) {
                    body::<Avx2 $(, $($g),+)?>($($arg),*)
                }
                match Level::here() {
                    // SAFETY: the processor has just been found to have these instructions.
                    Level::Avx512 => return unsafe { with_avx512$(::<$($g),+>)?($($arg),*) },
                    // SAFETY: as above.
                    Level::Avx2 => return unsafe { with_avx2$(::<$($g),+>)?($($arg),*) },
                    Level::Portable => {}
                }
            }
            body::<$crate::linalg::simd::Portable $(, $($g),+)?>($($arg),*)
        }
    };
}
pub(crate) use dispatch;
