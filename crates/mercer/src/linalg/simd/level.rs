//! Which vector instructions the processor has.

/// For any processor.
pub(crate) struct Portable;
/// AVX2, FMA and POPCNT; to be named only in functions that run where the processor has them.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;
/// [`Avx2`] and of AVX-512 the parts F, BW, DQ and VL, which server processors have had together since the first; to
/// be named as [`Avx2`] is.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx512;

/// [`Portable`], [`Avx2`] or [`Avx512`].
pub(crate) trait Instructions {}

impl Instructions for Portable {}
#[cfg(target_arch = "x86_64")]
impl Instructions for Avx2 {}
#[cfg(target_arch = "x86_64")]
impl Instructions for Avx512 {}

/// The same as values, each including the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(all(not(target_arch = "x86_64"), not(test)), expect(dead_code, reason = "other processors have one level"))]
pub(crate) enum Level {
    Portable,
    Avx2,
    Avx512,
}

impl Level {
    /// The best level of this processor; in a test, the best that the test allows.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn here() -> Level {
        #[cfg(test)]
        return Level::of_processor().min(forced::ALLOWED.get());
        #[cfg(not(test))]
        Level::of_processor()
    }

    /// Looked up once: seven questions take longer than some of the loops that ask.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn of_processor() -> Level {
        static LEVEL: std::sync::OnceLock<Level> = std::sync::OnceLock::new();
        *LEVEL.get_or_init(Level::looked_up)
    }

    #[cfg(target_arch = "x86_64")]
    fn looked_up() -> Level {
        use std::arch::is_x86_feature_detected as has;
        if !(has!("avx2") && has!("fma") && has!("popcnt")) {
            Level::Portable
        } else if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
            Level::Avx512
        } else {
            Level::Avx2
        }
    }
}

#[cfg(test)]
pub(crate) use forced::{at_every_level, same_bits};

/// How tests choose the level.
#[cfg(test)]
mod forced {
    use std::cell::Cell;

    use super::Level;

    thread_local! {
        /// The best level that this thread may use.
        pub(super) static ALLOWED: Cell<Level> = const { Cell::new(Level::Avx512) };
        /// Whether this thread has said which levels it compares.
        static SAID: Cell<bool> = const { Cell::new(false) };
    }

    #[cfg(target_arch = "x86_64")]
    fn of_processor() -> Level {
        Level::of_processor()
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_processor() -> Level {
        Level::Portable
    }

    /// What `f` answers on this thread with each level of the processor, [`Level::Portable`] first. Says which levels
    /// were left out, since a test that did not run is not one that passed.
    pub(crate) fn at_every_level<R>(f: impl Fn() -> R) -> Vec<(Level, R)> {
        let (here, left_out): (Vec<_>, Vec<_>) =
            [Level::Portable, Level::Avx2, Level::Avx512].into_iter().partition(|level| *level <= of_processor());
        if !SAID.replace(true) {
            println!("levels that are compared: {here:?}; not on this processor: {left_out:?}");
        }
        let before = ALLOWED.get();
        let answers = here.into_iter().map(|level| {
            ALLOWED.set(level);
            (level, f())
        });
        let answers = answers.collect();
        ALLOWED.set(before);
        answers
    }

    /// Asserts that all levels answered the same bits. What a NaN holds besides is left to the processor, which takes
    /// it from either operand.
    pub(crate) fn same_bits(answers: &[(Level, Vec<f64>)], what: &str) {
        let bits = |v: &f64| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() };
        let (_, expected) = &answers[0];
        for (level, got) in &answers[1..] {
            assert_eq!(got.len(), expected.len());
            for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
                assert_eq!(bits(got), bits(expected), "{what} at {level:?}: value {at} is {got}, not {expected}");
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn tests_choose_the_level() {
        let levels = at_every_level(Level::here);
        assert!(levels.iter().all(|(asked, got)| asked == got));
        assert_eq!(Level::here(), of_processor());
    }
}
