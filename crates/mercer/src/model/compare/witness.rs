//! Where two samples differ.

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::apply;
use crate::rkhs::{Function, Space};
use crate::run::Run;

/// The witness function f(t) = meanᵢ k(t, xᵢ) − meanⱼ k(t, yⱼ): large where the first sample is denser, small where the second is
/// (Gretton et al. 2012, equation 5).
#[derive(Clone, Debug)]
pub struct Witness {
    function: Function,
    z: Inputs,
    m: usize,
}

/// A row of the samples with the value of the witness function there.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct WitnessRow {
    /// 0 for the first sample, 1 for the second.
    pub sample: usize,
    /// The row of that sample, from 0.
    pub row: usize,
    /// The value.
    pub value: f64,
}

impl Witness {
    pub(super) fn new(space: &Space, z: &Inputs, m: usize) -> Result<Self> {
        let function = space.function(z, &weights(z.len(), m))?;
        Ok(Witness { function, z: z.clone(), m })
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &crate::KernelExpr {
        self.function.space().kernel()
    }

    /// f at these points.
    pub fn evaluate(&self, points: &Inputs, run: &Run) -> Result<Vec<f64>> {
        self.function.evaluate(points, run)
    }

    /// f at the rows of both samples, those of the first before the others.
    pub fn values(&self, run: &Run) -> Result<Vec<f64>> {
        let n = self.z.len();
        let mut values = vec![0.0; n];
        apply(&self.function.space().gram(&self.z, run)?, &weights(n, self.m), 1, &mut values, run)?;
        Ok(values)
    }

    /// The rows with the largest values, falling, and those with the smallest, rising, at most `count` of each: where the first
    /// sample is denser, and where the second is. Of equal values the first row comes first.
    pub fn extremes(&self, values: &[f64], count: usize) -> [Vec<WitnessRow>; 2] {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        let row = |z: usize| {
            let first = z < self.m;
            WitnessRow { sample: usize::from(!first), row: if first { z } else { z - self.m }, value: values[z] }
        };
        let largest = order.iter().copied().filter(|z| values[*z] > 0.0).take(count).map(row).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let smallest = order.into_iter().filter(|z| values[*z] < 0.0).take(count).map(row).collect();
        [largest, smallest]
    }
}

/// 1/m for the first m rows, −1/n for the others.
fn weights(rows: usize, m: usize) -> Vec<f64> {
    let n = rows - m;
    (0..rows).map(|i| if i < m { 1.0 / m as f64 } else { -1.0 / n as f64 }).collect()
}
