//! The kernel of a sequence of numbers, where none is given.

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::kernel::KernelExpr;
use crate::run::Run;

/// `rbf` whose length scale is the median distance of neighbours that differ, over √2: about the deviation of the noise, which
/// changes do not widen as they widen the distances of all points. None where points have columns that are not numbers.
///
/// ```
/// use mercer::{Run, data::Rows, model::segment::usual_kernel};
/// let x = Rows::new(vec![0.0, 2.0, 0.0, 2.0, 100.0, 98.0, 100.0], 7, 1)?.into();
/// let kernel = usual_kernel(&x, &Run::new())?.expect("numbers");
/// assert!(kernel.to_string().starts_with("rbf(length_scale=1.41421356237309"), "{kernel}");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn usual_kernel(x: &Inputs, run: &Run) -> Result<Option<KernelExpr>> {
    if matches!(x, Inputs::Precomputed(_)) {
        return Ok(None);
    }
    let Ok(distance) = KernelExpr::parse("energy")?.bind(x, run) else { return Ok(None) };
    let mut steps: Vec<f64> = (1..x.len())
        .map(|i| {
            let mut value = [0.0];
            distance.block(i - 1..i, i..i + 1, TileMut::contiguous(&mut value, 1, 1));
            -value[0]
        })
        .filter(|step| *step > 0.0)
        .collect();
    steps.sort_unstable_by(f64::total_cmp);
    let middle = steps.len() / 2;
    let median = match steps.len() {
        0 => std::f64::consts::SQRT_2,
        count if !count.is_multiple_of(2) => steps[middle],
        _ => 0.5 * (steps[middle - 1] + steps[middle]),
    };
    KernelExpr::parse(&format!("rbf(length_scale={:?})", median / std::f64::consts::SQRT_2)).map(Some)
}
