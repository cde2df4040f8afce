//! Large arrays that are written once before they are read.

use std::mem::MaybeUninit;

use rayon::prelude::*;

use crate::error::Result;
use crate::run::{Reservation, Run};

/// Memory for `len` numbers, reserved under the run's limit and not yet touched.
///
/// Fresh memory costs as much as filling it: every page is cleared by the system on first touch.
/// So nothing is cleared here, the first touch is left to the threads that write, and the system
/// is asked for large pages, of which there are 512 times fewer to fault in.
#[derive(Debug)]
pub struct Buffer<T> {
    values: Vec<MaybeUninit<T>>,
    reservation: Reservation,
}

impl<T: Copy + Send + Sync> Buffer<T> {
    /// Reserves memory for `len` numbers for `purpose`, or fails with an `alternative`.
    pub fn reserve(len: u128, purpose: &str, alternative: &str, run: &Run) -> Result<Self> {
        let reservation = run.reserve(len * size_of::<T>() as u128, purpose, alternative)?;
        // The reservation has shown that the size fits into 64 bits.
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let mut values = Vec::new();
        if values.try_reserve_exact(len).is_err() {
            return Err(crate::Error::Memory {
                needed: (len as u128) * size_of::<T>() as u128,
                limit: run.memory_limit(),
                purpose: purpose.into(),
                alternative: alternative.into(),
            });
        }
        advise_large_pages(values.as_mut_ptr(), len);
        // SAFETY: uninitialised memory is a valid `MaybeUninit`, and the capacity was reserved.
        unsafe { values.set_len(len) };
        Ok(Buffer { values, reservation })
    }

    /// Where to write.
    pub fn as_mut_slice(&mut self) -> &mut [MaybeUninit<T>] {
        &mut self.values
    }

    /// The numbers, once all of them have been written.
    ///
    /// # Safety
    /// Every element must have been written.
    pub unsafe fn assume_written(self) -> (Vec<T>, Reservation) {
        let mut values = std::mem::ManuallyDrop::new(self.values);
        let (pointer, len, capacity) = (values.as_mut_ptr(), values.len(), values.capacity());
        // SAFETY: `MaybeUninit<T>` has the layout of `T`, and the caller has written every element.
        let values = unsafe { Vec::from_raw_parts(pointer.cast::<T>(), len, capacity) };
        (values, self.reservation)
    }
}

/// Numbers that a thread fills at a time where there are many: the system clears their pages meanwhile.
const AT_ONCE: usize = 1 << 18;

/// A buffer of `len` copies of `value`, under the run's limit.
pub fn filled(len: u128, value: f64, purpose: &str, alternative: &str, run: &Run) -> Result<(Vec<f64>, Reservation)> {
    let mut buffer = Buffer::reserve(len, purpose, alternative, run)?;
    let fill = |slots: &mut [MaybeUninit<f64>]| slots.iter_mut().for_each(|slot| _ = slot.write(value));
    match buffer.values.len() > 4 * AT_ONCE {
        true => run.install(|| buffer.values.par_chunks_mut(AT_ONCE).for_each(fill)),
        false => fill(&mut buffer.values),
    }
    // SAFETY: every element is in a chunk, and each chunk has been written.
    Ok(unsafe { buffer.assume_written() })
}

/// An array of zeros, on large pages where it is long; whoever asks for it has reserved the memory. The system has cleared long ones
/// already, or does so when they are written to, on the threads that write.
pub(crate) fn zeros_on_large_pages(len: usize) -> Vec<f32> {
    let mut values = vec![0.0; len];
    advise_large_pages(values.as_mut_ptr(), len);
    values
}

#[cfg(target_os = "linux")]
fn advise_large_pages<T>(start: *mut T, len: usize) {
    const PAGE: usize = 4096;
    const LARGE_PAGE: usize = 2 << 20;
    let bytes = len * size_of::<T>();
    if bytes < 2 * LARGE_PAGE {
        return;
    }
    let first = (start as usize).next_multiple_of(PAGE);
    let last = (start as usize + bytes) / PAGE * PAGE;
    // SAFETY: the range lies inside our own allocation; the advice changes no contents, and a
    // refusal costs only speed, so the answer is not looked at.
    unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages<T>(_: *mut T, _: usize) {}
