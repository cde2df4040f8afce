//! What is to be predicted.

use std::sync::Arc;

use crate::error::{Error, Result};

/// Numbers to be predicted, one row a point and one column an output, shared on clone.
///
/// ```
/// use mercer::data::Targets;
/// let y = Targets::new(vec![1.0, 0.0, 0.0, 1.0], 2)?;
/// assert_eq!((y.nrows(), y.row(1)), (2, &[0.0, 1.0][..]));
/// assert!(Targets::new(vec![1.0, f64::NAN], 1).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    values: Arc<[f64]>,
    outputs: usize,
}

impl Targets {
    /// Wraps row-major `values` of so many outputs. All must be finite.
    pub fn new(values: impl Into<Arc<[f64]>>, outputs: usize) -> Result<Self> {
        let values = values.into();
        if outputs == 0 || !values.len().is_multiple_of(outputs) {
            return Err(Error::shape("the target", format!("rows of {outputs} values, at least 1"), values.len()));
        }
        if let Some(first) = values.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite {
                place: "the target".into(),
                count: values.iter().filter(|v| !v.is_finite()).count(),
                total: values.len(),
                first_row: first / outputs,
                what: "NaN or infinite".into(),
            });
        }
        Ok(Targets { values, outputs })
    }

    /// Number of points.
    pub fn nrows(&self) -> usize {
        self.values.len() / self.outputs
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The outputs of point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.outputs..(i + 1) * self.outputs]
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}
