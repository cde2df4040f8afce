//! Sets of points, through their barycentres in feature space.

use crate::data::{Inputs, Weights, shares};
use crate::error::{Error, Result};
use crate::run::Run;

use super::{Function, Space};

/// μ = Σᵢ wᵢ·k(xᵢ, ·) of a set, with weights that sum to 1; in general no point maps to it.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, rkhs::{Barycentre, Space}};
/// let run = Run::new();
/// let column = |v: &[f64]| Rows::new(v.to_vec(), v.len(), 1).map(Inputs::from);
/// let set = column(&[1.0, 3.0])?;
/// let space = Space::new(&KernelExpr::parse("linear")?, &set, &run)?;
/// let mean = Barycentre::fit(&space, &set, None, &run)?;
/// assert_eq!(mean.distances(&column(&[5.0])?, &run)?, [3.0]); // |5 − 2|
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Barycentre {
    mean: Function,
    norm_squared: f64,
}

impl Barycentre {
    /// The barycentre of a set, with equal weights unless some are given.
    pub fn fit(space: &Space, points: &Inputs, weights: Option<&Weights>, run: &Run) -> Result<Self> {
        if points.is_empty() {
            return Err(Error::shape("a set of points", "at least one point", "none"));
        }
        let mean = space.function(points, &shares(weights, points.len())?)?;
        let norm_squared = mean.norm_squared(run)?;
        Ok(Barycentre { mean, norm_squared })
    }

    /// μ itself.
    pub fn function(&self) -> &Function {
        &self.mean
    }

    /// ‖μ‖².
    pub fn norm_squared(&self) -> f64 {
        self.norm_squared
    }

    /// ‖k(x, ·) − μ‖² = k(x, x) − 2μ(x) + ‖μ‖² for every point x.
    pub fn squared_distances(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let own = self.mean.space().diag(x, run)?;
        let inner = self.mean.evaluate(x, run)?;
        Ok(own.iter().zip(&inner).map(|(k, m)| ((k - m) + (self.norm_squared - m)).max(0.0)).collect())
    }

    /// The distance of every point x to the set, ‖k(x, ·) − μ‖.
    pub fn distances(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        Ok(self.squared_distances(x, run)?.into_iter().map(f64::sqrt).collect())
    }

    /// The distance ‖μ − ν‖ between two sets: the maximum mean discrepancy, biased form.
    pub fn distance_to(&self, other: &Barycentre, run: &Run) -> Result<f64> {
        let inner = self.mean.inner(&other.mean, run)?;
        Ok(((self.norm_squared - inner) + (other.norm_squared - inner)).max(0.0).sqrt())
    }
}

/// Discrimination of two sets by the nearer barycentre.
#[derive(Clone, Debug)]
pub struct Discrimination {
    first: Barycentre,
    second: Barycentre,
}

impl Discrimination {
    /// Of two sets of the same space.
    pub fn new(first: Barycentre, second: Barycentre) -> Result<Self> {
        first.mean.space().check_same(second.mean.space())?;
        Ok(Discrimination { first, second })
    }

    /// The barycentre of the first set.
    pub fn first(&self) -> &Barycentre {
        &self.first
    }

    /// The barycentre of the second set.
    pub fn second(&self) -> &Barycentre {
        &self.second
    }

    /// d(x, S₁)² − d(x, S₂)² for every point x: below zero means nearer to the first set.
    ///
    /// k(x, x) cancels: 2(μ₂(x) − μ₁(x)) + ‖μ₁‖² − ‖μ₂‖², so it need not be known.
    pub fn scores(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let (a, b) = (self.first.mean.evaluate(x, run)?, self.second.mean.evaluate(x, run)?);
        let offset = self.first.norm_squared - self.second.norm_squared;
        Ok(a.iter().zip(&b).map(|(a, b)| 2.0 * (b - a) + offset).collect())
    }
}
