//! The space itself: a kernel without open rules.

use std::sync::Arc;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{Bound, KernelMatrix, Resolution, TileMut};
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::Function;

/// The RKHS of a kernel whose rules have been resolved. Cheap to clone.
///
/// ```
/// use mercer::{KernelExpr, Run, data::Rows, rkhs::Space};
/// let x = Rows::new(vec![0.0, 1.0, 3.0], 3, 1)?.into();
/// let space = Space::new(&KernelExpr::parse("rbf")?, &x, &Run::new())?;
/// assert_eq!(space.kernel().to_string(), "rbf(length_scale=2)");
/// assert_eq!(space.resolutions()[0].rule, "median");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Space(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    kernel: KernelExpr,
    resolutions: Vec<Resolution>,
}

impl Space {
    /// The space of a kernel; rules such as `median` are resolved on `x`, once and for all.
    pub fn new(kernel: &KernelExpr, x: &Inputs, run: &Run) -> Result<Self> {
        let (kernel, resolutions) = match kernel.is_resolved() {
            true => (kernel.clone(), Vec::new()),
            false => kernel.resolve(x, run)?,
        };
        Ok(Space(Arc::new(Parts { kernel, resolutions })))
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        &self.0.kernel
    }

    /// What the rules found; nothing if there were none.
    pub fn resolutions(&self) -> &[Resolution] {
        &self.0.resolutions
    }

    /// The Gram matrix of one set, to be read in blocks.
    pub fn gram(&self, x: &Inputs, run: &Run) -> Result<Bound> {
        self.0.kernel.bind(x, run)
    }

    /// The cross matrix of two sets, to be read in blocks.
    pub fn cross(&self, x: &Inputs, y: &Inputs, run: &Run) -> Result<Bound> {
        self.0.kernel.bind_cross(x, y, run)
    }

    /// k(x, x) = ‖k(x, ·)‖² for every point.
    pub fn diag(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let mut values = vec![0.0; x.len()];
        self.gram(x, run)?.diag(&mut values);
        Ok(values)
    }

    /// k(xᵢ, yᵢ) for pairs of points.
    pub fn paired(&self, x: &Inputs, y: &Inputs, run: &Run) -> Result<Vec<f64>> {
        if x.len() != y.len() {
            return Err(Error::shape("the second set of pairs", format!("{} points", x.len()), y.len()));
        }
        let cross = self.cross(x, y, run)?;
        let mut values = vec![0.0; x.len()];
        for (i, value) in values.iter_mut().enumerate() {
            cross.block(i..i + 1, i..i + 1, TileMut::contiguous(std::slice::from_mut(value), 1, 1));
        }
        Ok(values)
    }

    /// The function Σ aᵢ·k(xᵢ, ·).
    pub fn function(&self, points: &Inputs, coefficients: &[f64]) -> Result<Function> {
        Function::new(self.clone(), points.clone(), coefficients)
    }

    /// Fails unless the other space is of the same kernel.
    pub(super) fn check_same(&self, other: &Self) -> Result<()> {
        if Arc::ptr_eq(&self.0, &other.0) || self.0.kernel == other.0.kernel {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!("joining functions of two kernels, `{}` and `{}`,", self.kernel(), other.kernel()),
            alternative: "build both in the space of one kernel; a rule such as `median` is resolved once, on one set"
                .into(),
        })
    }
}
