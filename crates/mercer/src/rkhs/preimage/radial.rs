//! Kernels that are a smooth function of the distance, as fixed points need them.

use crate::data::Rows;
use crate::kernel::vector::{Cauchy, Matern32, Matern52, RationalQuadratic, Rbf};
use crate::kernel::{Columns, KernelExpr, Kind, Leaf, Pair, Profile, Setting};

/// k(x, y) = c·κ(Σⱼ (xⱼ − yⱼ)²/ℓⱼ²).
pub(super) struct Radial {
    /// 1/ℓⱼ².
    weights: Vec<f64>,
    /// κ′.
    slope: Box<dyn Fn(f64) -> f64 + Sync>,
}

impl Radial {
    /// Of a kernel of so many columns, if it is one whose slope is finite everywhere.
    pub(super) fn of(kernel: &KernelExpr, ncols: usize) -> Option<Self> {
        match kernel {
            KernelExpr::Scale { inner, .. } => Self::of(inner, ncols),
            KernelExpr::Leaf(leaf) if *leaf.columns() == Columns::All => {
                Some(Radial { weights: weights(leaf, ncols)?, slope: slope(leaf)? })
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
            let weight = -beta * (self.slope)(squares.sum());
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

fn weights(leaf: &Leaf, ncols: usize) -> Option<Vec<f64>> {
    let square = |length: f64| 1.0 / (length * length);
    match leaf.setting("length_scale")? {
        Setting::One(param) => Some(vec![square(param.number()?); ncols]),
        Setting::Many(list) if list.len() == ncols => list.iter().map(|p| p.number().map(square)).collect(),
        _ => None,
    }
}

fn slope(leaf: &Leaf) -> Option<Box<dyn Fn(f64) -> f64 + Sync>> {
    fn of<P: Profile + 'static>(profile: P) -> Option<Box<dyn Fn(f64) -> f64 + Sync>> {
        Some(Box::new(move |s| profile.slope(Pair { s, xx: 0.0, yy: 0.0 })))
    }
    match leaf.kind() {
        Kind::Rbf => of(Rbf),
        Kind::Cauchy => of(Cauchy),
        Kind::RationalQuadratic => of(RationalQuadratic { alpha: leaf.number("alpha")? }),
        Kind::Matern32 => of(Matern32),
        Kind::Matern52 => of(Matern52),
        _ => None,
    }
}
