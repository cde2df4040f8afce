//! Numbers that several hold at once.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of an array in single precision that lives as long as any part of it is held.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    whole: Arc<Vec<f32>>,
    part: Range<usize>,
}

impl Shared {
    /// This part of an array, which it lies in.
    pub(crate) fn part(whole: &Arc<Vec<f32>>, part: Range<usize>) -> Self {
        Shared { whole: Arc::clone(whole), part }
    }
}

impl From<Vec<f32>> for Shared {
    fn from(values: Vec<f32>) -> Self {
        let part = 0..values.len();
        Shared { whole: Arc::new(values), part }
    }
}

impl Deref for Shared {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.whole[self.part.clone()]
    }
}
