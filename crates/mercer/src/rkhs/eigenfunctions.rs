//! Empirical eigenfunctions, extended to new points.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{apply, dense};
use crate::linalg::eigen;
use crate::run::Run;

use super::{Space, Spectrum};

/// The leading empirical eigenfunctions of a kernel on a set of points.
///
/// With K·u_ℓ = nλ̂_ℓ·u_ℓ and ‖u_ℓ‖ = 1, ψ̂_ℓ(xᵢ) = √n·u_ℓᵢ, so that (1/n)Σᵢ ψ̂_ℓ(xᵢ)ψ̂_m(xᵢ) = δ_ℓm, and
/// ψ̂_ℓ(x) = (1/(√n·λ̂_ℓ))·Σᵢ u_ℓᵢ·k(xᵢ, x) everywhere, which is the same at the points themselves. Then
/// k(x, y) ≈ Σ_ℓ λ̂_ℓψ̂_ℓ(x)ψ̂_ℓ(y), exactly so among the points.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, rkhs::{Eigenfunctions, Space}};
/// let run = Run::new();
/// let x: Inputs = Rows::new(vec![-1.0, 1.0], 2, 1)?.into();
/// let space = Space::new(&KernelExpr::parse("linear")?, &x, &run)?;
/// let psi = Eigenfunctions::fit(&space, &x, 5, &run)?;
/// assert_eq!(psi.len(), 1); // k(x, y) = x·y has rank one, with λ̂ = (1/n)Σxᵢ² = 1
/// let values = psi.evaluate(&Rows::new(vec![3.0], 1, 1)?.into(), &run)?;
/// assert!((values[0].abs() - 3.0).abs() < 1e-14); // ψ̂(x) = ±x
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Eigenfunctions {
    space: Space,
    points: Inputs,
    spectrum: Spectrum,
    count: usize,
    /// u_ℓᵢ/(√n·λ̂_ℓ), row-major: n×count.
    coefficients: Vec<f64>,
    /// √n·u_ℓᵢ, row-major: n×count.
    at_points: Vec<f64>,
}

impl Eigenfunctions {
    /// Finds the leading `count` eigenfunctions; fewer where the matrix has a smaller rank, since an
    /// eigenvalue of zero has no extension.
    pub fn fit(space: &Space, points: &Inputs, count: usize, run: &Run) -> Result<Self> {
        if count == 0 {
            return Err(Error::invalid("the eigenfunctions", "n_components", count, "at least 1"));
        }
        let gram = dense::<f64>(&space.gram(points, run)?, run)?;
        let n = gram.nrows();
        let decomposition = eigen(gram.values(), n, run)?;
        let spectrum = Spectrum::from_eigenvalues(decomposition.values());
        let count = count.min(spectrum.rank());
        let root = (n as f64).sqrt();
        let mut coefficients = vec![0.0; n * count];
        let mut at_points = vec![0.0; n * count];
        for l in 0..count {
            let scale = 1.0 / (root * spectrum.values()[l]);
            for (i, u) in decomposition.vector(n - 1 - l).iter().enumerate() {
                coefficients[i * count + l] = u * scale;
                at_points[i * count + l] = u * root;
            }
        }
        Ok(Eigenfunctions { space: space.clone(), points: points.clone(), spectrum, count, coefficients, at_points })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none: the kernel is zero on the points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The space of the kernel.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// All empirical eigenvalues.
    pub fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// The eigenvalues λ̂ of these eigenfunctions, in decreasing order.
    pub fn values(&self) -> &[f64] {
        &self.spectrum.values()[..self.count]
    }

    /// ψ̂_ℓ(xᵢ) at the points themselves, row-major: n×len.
    pub fn at_points(&self) -> &[f64] {
        &self.at_points
    }

    /// ψ̂_ℓ(x) for every point x, row-major: m×len.
    pub fn evaluate(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let mut values = vec![0.0; x.len() * self.count];
        if !values.is_empty() {
            apply(&self.space.cross(x, &self.points, run)?, &self.coefficients, self.count, &mut values, run)?;
        }
        Ok(values)
    }

    /// The coefficients θ_ℓ = (1/n)Σᵢ f(xᵢ)ψ̂_ℓ(xᵢ) of a function, given its values at the points.
    pub fn coefficients(&self, values: &[f64]) -> Result<Vec<f64>> {
        let n = self.points.len();
        if values.len() != n {
            return Err(Error::shape("values of a function", format!("{n} of them, one a point"), values.len()));
        }
        let mut theta = vec![0.0; self.count];
        for (row, f) in self.at_points.chunks(self.count.max(1)).zip(values) {
            theta.iter_mut().zip(row).for_each(|(t, psi)| *t += f * psi / n as f64);
        }
        Ok(theta)
    }

    /// Σ_ℓ θ_ℓ²/λ̂_ℓ, the squared norm through the spectrum. With all eigenfunctions it equals aᵀKa for
    /// f = Σ aᵢk(xᵢ, ·); with fewer it is that of the projection of f.
    pub fn norm_squared(&self, values: &[f64]) -> Result<f64> {
        let theta = self.coefficients(values)?;
        Ok(theta.iter().zip(self.values()).map(|(t, v)| t * t / v).sum())
    }
}
