//! Kernels that are a smooth function of the distance, as fixed points need them.

use crate::data::Rows;
use crate::kernel::{Columns, KernelExpr, Kind, Leaf, Statistic};

use super::slopes::{Curve, curve, weights};

/// k(x, y) = c·κ(Σⱼ (xⱼ − yⱼ)²/ℓⱼ²).
pub(super) struct Radial {
    /// 1/ℓⱼ².
    weights: Vec<f64>,
    /// κ′.
    slope: Box<dyn Curve>,
}

impl Radial {
    /// Of a kernel of so many columns, if it is one whose slope is finite everywhere.
    pub(super) fn of(kernel: &KernelExpr, ncols: usize) -> Option<Self> {
        match kernel {
            KernelExpr::Scale { inner, .. } => Self::of(inner, ncols),
            KernelExpr::Leaf(leaf) if *leaf.columns() == Columns::All => {
                let slope = slope(leaf)?;
                Some(Radial { weights: weights(leaf, ncols)?, slope })
            }
            _ => None,
        }
    }

    /// Σ βᵢwᵢxᵢ/Σ βᵢwᵢ; nothing where the sum of the weights vanishes.
    pub(super) fn step(&self, z: &[f64], beta: &[f64], rows: &Rows) -> Option<Vec<f64>> {
        let mut sum = vec![0.0; z.len()];
        let (mut total, mut size) = (0.0, 0.0);
        for (i, beta) in beta.iter().enumerate() {
            let x = rows.row(i);
            let squares = x.iter().zip(z).zip(&self.weights).map(|((x, z), w)| w * (x - z) * (x - z));
            let weight = -beta * self.slope.at(squares.sum()).1;
            total += weight;
            size += weight.abs();
            sum.iter_mut().zip(x).for_each(|(s, x)| *s += weight * x);
        }
        // Below this the quotient is rounding.
        if total.is_nan() || total.abs() <= 1e-12 * size {
            return None;
        }
        let next: Vec<f64> = sum.iter().map(|s| s / total).collect();
        next.iter().all(|v| v.is_finite()).then_some(next)
    }
}

/// κ′ of a profile of the squared distance that is finite at 0.
fn slope(leaf: &Leaf) -> Option<Box<dyn Curve>> {
    let thin_plate = leaf.kind() == Kind::ThinPlate;
    curve(leaf).filter(|curve| curve.statistic() == Statistic::SquaredDistance && !thin_plate)
}
