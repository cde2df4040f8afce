//! Points that are prepared one by one, with their memory.

use rayon::prelude::*;

use crate::data::PointSet;
use crate::error::{Error, Result};
use crate::kernel::PreparePoint;
use crate::run::{Reservation, Run};

super::simd::dispatch! {
    /// Prepares a point.
    pub(crate) fn prepare<P: PointSet, K: PreparePoint<P::Point>>(
        kernel: &K, x: &P::Point, out: &mut Option<K::Prepared>,
    ) {
        *out = Some(kernel.prepare(x));
    }
}

/// Points that are held one by one, and the memory that was set aside for them.
pub(crate) struct List<T> {
    pub(crate) points: Vec<T>,
    _reserved: Vec<Reservation>,
}

impl<T: Send + Sync> List<T> {
    /// Prepares the points on all threads; `refuse` makes the error of a row, what is needed and what was got.
    pub(crate) fn prepared<P: PointSet, K>(
        kernel: &K,
        points: &P,
        refuse: impl Fn(usize, String, String) -> Error + Sync,
        run: &Run,
    ) -> Result<Self>
    where
        K: PreparePoint<P::Point, Prepared = T>,
    {
        // Observers hear of some points, and a stop is seen at each.
        const STEP: usize = 64;
        let task = run.task("preparing", Some(points.len().div_ceil(STEP) as u64));
        let one = |i: usize| {
            if i.is_multiple_of(STEP) {
                task.step_or_cancel()?;
            } else if let Some(reason) = run.stop_reason() {
                return Err(task.cancelled(reason));
            }
            if let Some((expected, got)) = kernel.refusal(points.point(i)) {
                return Err(refuse(i, expected, got));
            }
            let mut prepared = None;
            prepare::<P, K>(kernel, points.point(i), &mut prepared);
            let prepared = prepared.ok_or_else(|| Error::shape("a prepared point", "one", "none"))?;
            let bytes = size_of::<T>() + kernel.held(&prepared);
            Ok((prepared, run.reserve(bytes as u128, "the prepared points of a kernel", "use fewer or shorter rows")?))
        };
        let all = run.install(|| (0..points.len()).into_par_iter().map(one).collect::<Result<Vec<_>>>())?;
        let (points, _reserved) = all.into_iter().unzip();
        Ok(List { points, _reserved })
    }
}

impl<T: Send + Sync> PointSet for List<T> {
    type Point = T;

    fn len(&self) -> usize {
        self.points.len()
    }

    fn point(&self, i: usize) -> &T {
        &self.points[i]
    }
}

#[cfg(test)]
impl<T> From<Vec<T>> for List<T> {
    fn from(points: Vec<T>) -> Self {
        List { points, _reserved: Vec::new() }
    }
}
