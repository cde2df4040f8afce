//! The kernel of a sequence of numbers, where none is given.

use crate::data::Inputs;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::run::Run;

/// `rbf` whose length scale is the median distance of two points over √2; 1 where all points are equal. None where points have
/// columns that are not numbers.
///
/// ```
/// use mercer::{Run, data::Rows, model::segment::usual_kernel};
/// // The distances are 1, 2 and 3.
/// let x = Rows::new(vec![0.0, 1.0, 3.0], 3, 1)?.into();
/// let kernel = usual_kernel(&x, &Run::new())?.expect("numbers");
/// assert!(kernel.to_string().starts_with("rbf(length_scale=1.41421356237309"), "{kernel}");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn usual_kernel(x: &Inputs, run: &Run) -> Result<Option<KernelExpr>> {
    if matches!(x, Inputs::Precomputed(_)) || KernelExpr::parse("energy")?.bind(x, run).is_err() {
        return Ok(None);
    }
    // Points that are all equal have no median distance, and any length scale is as good as another.
    let scale = match x.distinct().len() {
        0 | 1 => 1.0,
        _ => {
            let (_, found) = KernelExpr::parse("rbf(length_scale=median)")?.resolve(x, run)?;
            found.iter().map(|r| r.value).sum::<f64>() / std::f64::consts::SQRT_2
        }
    };
    KernelExpr::parse(&format!("rbf(length_scale={scale:?})")).map(Some)
}
