//! A regression on the unit square whose truth is known.

use std::f64::consts::PI;

use crate::chance::Chance;
use crate::data::{Inputs, Rows, Targets};
use crate::error::Result;

/// Points to compare with the truth at.
const FRESH: usize = 500;

/// Points, noisy targets, and other points with the truth.
pub(super) struct Square {
    pub(super) x: Inputs,
    pub(super) y: Targets,
    pub(super) fresh: Inputs,
    pub(super) truth: Vec<f64>,
}

impl Square {
    /// n points uniform on [0, 1]² with y = sin(2πx₁)·cos(πx₂) + x₂ + noise·N(0, 1).
    pub(super) fn new(n: usize, noise: f64, seed: u64) -> Result<Self> {
        let mut chance = Chance::new(seed);
        let points: Vec<f64> = (0..2 * n).map(|_| chance.unit()).collect();
        let y: Vec<f64> = points.chunks(2).map(|x| truth(x) + noise * chance.normal()).collect();
        let fresh: Vec<f64> = (0..2 * FRESH).map(|_| chance.unit()).collect();
        Ok(Square {
            truth: fresh.chunks(2).map(truth).collect(),
            x: Rows::new(points, n, 2)?.into(),
            y: Targets::new(y, 1)?,
            fresh: Rows::new(fresh, FRESH, 2)?.into(),
        })
    }
}

fn truth(x: &[f64]) -> f64 {
    (2.0 * PI * x[0]).sin() * (PI * x[1]).cos() + x[1]
}
