//! Writing rows of a large matrix past the caches.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm_sfence, _mm256_loadu_pd, _mm256_stream_pd};
use std::mem::MaybeUninit;

/// Bytes from which on a matrix is written past the caches: it would not stay in them anyway, and
/// an ordinary store would first read the line it is about to overwrite.
pub(crate) const PAST_CACHES: usize = 32 << 20;

/// Copies `values` to `place`.
pub(crate) fn copy(values: &[f64], place: &mut [MaybeUninit<f64>]) {
    for (slot, v) in place.iter_mut().zip(values) {
        slot.write(*v);
    }
}

/// Copies `values` to `place` past the caches, where the processor can. The values are seen by
/// other threads after [`fence`].
pub(crate) fn copy_past_caches(values: &[f64], place: &mut [MaybeUninit<f64>]) {
    assert_eq!(values.len(), place.len(), "a row is copied whole");
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has just been found to have these instructions.
        unsafe { stream(values, place) };
        return;
    }
    copy(values, place);
}

/// Makes what was written past the caches visible to other threads.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction.
    unsafe {
        _mm_sfence();
    }
}

/// Streams whole cache lines; the ends are stored as usual. A line that is streamed in part costs
/// more than one that is stored through the cache.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn stream(values: &[f64], place: &mut [MaybeUninit<f64>]) {
    const LINE: usize = 64;
    const PER_LINE: usize = LINE / size_of::<f64>();
    let head = place.as_ptr().align_offset(LINE).min(values.len());
    let whole = (values.len() - head) / PER_LINE * PER_LINE;
    copy(&values[..head], &mut place[..head]);
    for i in (head..head + whole).step_by(4) {
        // SAFETY: i + 4 ≤ values.len() = place.len(), and place + i is aligned to 32 bytes.
        unsafe { _mm256_stream_pd(place.as_mut_ptr().add(i).cast(), _mm256_loadu_pd(values.as_ptr().add(i))) };
    }
    copy(&values[head + whole..], &mut place[head + whole..]);
}
