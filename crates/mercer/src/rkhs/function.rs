//! Functions of the space, as values.

use std::sync::Arc;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::run::Run;

use super::Space;

/// f = Σᵢ aᵢ·k(xᵢ, ·), over points of any type.
///
/// ⟨f, g⟩ = Σᵢⱼ aᵢbⱼk(xᵢ, yⱼ), so that f(x) = ⟨f, k(x, ·)⟩: evaluation is an inner product. All sums
/// run over streamed kernel values; no matrix is stored.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, rkhs::Space};
/// let run = Run::new();
/// let x: Inputs = Rows::new(vec![1.0, 2.0, 0.0, 1.0], 2, 2)?.into();
/// let space = Space::new(&KernelExpr::parse("linear")?, &x, &run)?;
/// let f = space.function(&x, &[3.0, -1.0])?; // f(x) = ⟨w, x⟩ with w = 3·(1, 2) − (0, 1) = (3, 5)
/// assert_eq!(f.evaluate(&Rows::new(vec![1.0, 1.0], 1, 2)?.into(), &run)?, [8.0]);
/// assert_eq!(f.norm_squared(&run)?, 34.0); // ‖w‖²
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Function {
    space: Space,
    terms: Vec<Term>,
}

/// Points with a coefficient each.
#[derive(Clone, Debug)]
struct Term {
    points: Inputs,
    coefficients: Arc<[f64]>,
}

/// A sum, and the sum of the magnitudes of its terms.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    size: f64,
}

impl Function {
    pub(super) fn new(space: Space, points: Inputs, coefficients: &[f64]) -> Result<Self> {
        if coefficients.len() != points.len() {
            let expected = format!("{} values, one a point", points.len());
            return Err(Error::shape("the coefficients of a function", expected, coefficients.len()));
        }
        if let Some(first_row) = coefficients.iter().position(|a| !a.is_finite()) {
            return Err(Error::NonFinite {
                place: "the coefficients of a function".into(),
                count: coefficients.iter().filter(|a| !a.is_finite()).count(),
                total: coefficients.len(),
                first_row,
                what: "NaN or infinite".into(),
            });
        }
        let terms = match points.is_empty() {
            true => Vec::new(),
            false => vec![Term { points, coefficients: coefficients.into() }],
        };
        Ok(Function { space, terms })
    }

    /// The space it lives in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Its points and coefficients, one set for each function that was added up.
    pub fn terms(&self) -> impl Iterator<Item = (&Inputs, &[f64])> {
        self.terms.iter().map(|t| (&t.points, &*t.coefficients))
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.terms.iter().map(|t| t.coefficients.len()).sum()
    }

    /// Whether it has no points, and so is zero everywhere.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// f(x) for every point x.
    pub fn evaluate(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let mut values = vec![0.0; x.len()];
        if x.is_empty() {
            return Ok(values);
        }
        let mut part = vec![0.0; x.len()];
        for term in &self.terms {
            apply(&self.space.cross(x, &term.points, run)?, &term.coefficients, 1, &mut part, run)?;
            values.iter_mut().zip(&part).for_each(|(f, p)| *f += p);
        }
        Ok(values)
    }

    /// f + g.
    pub fn add(&self, other: &Function) -> Result<Function> {
        self.space.check_same(&other.space)?;
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Ok(Function { space: self.space.clone(), terms })
    }

    /// f − g.
    pub fn subtract(&self, other: &Function) -> Result<Function> {
        self.add(&other.scale(-1.0)?)
    }

    /// c·f.
    pub fn scale(&self, factor: f64) -> Result<Function> {
        if !factor.is_finite() {
            return Err(Error::invalid("a function", "factor", factor, "finite"));
        }
        let scaled = |t: &Term| Term {
            points: t.points.clone(),
            coefficients: t.coefficients.iter().map(|a| factor * a).collect(),
        };
        Ok(Function { space: self.space.clone(), terms: self.terms.iter().map(scaled).collect() })
    }

    /// ⟨f, g⟩.
    pub fn inner(&self, other: &Function, run: &Run) -> Result<f64> {
        self.space.check_same(&other.space)?;
        let mut total = 0.0;
        for s in &self.terms {
            for t in &other.terms {
                total += self.product(s, t, false, run)?.value;
            }
        }
        Ok(total)
    }

    /// ‖f‖² = ⟨f, f⟩, from one half of the pairs.
    ///
    /// Rounding below zero counts as zero. A value below that means that the kernel is not positive
    /// semi-definite on these points, and is an error.
    pub fn norm_squared(&self, run: &Run) -> Result<f64> {
        let mut total = Sum::default();
        for (i, s) in self.terms.iter().enumerate() {
            for (j, t) in self.terms.iter().enumerate().take(i + 1) {
                let product = self.product(s, t, i == j, run)?;
                let times = if i == j { 1.0 } else { 2.0 };
                total.value += times * product.value;
                total.size += times * product.size;
            }
        }
        let rounding = 16.0 * self.len() as f64 * f64::EPSILON * total.size;
        if total.value < -rounding {
            return Err(Error::Domain {
                kernel: self.space.kernel().to_string(),
                expected: "to be positive semi-definite for a norm".into(),
                got: format!("a function whose squared norm is {:e}", total.value),
                column: None,
                candidates: Vec::new(),
            });
        }
        Ok(total.value.max(0.0))
    }

    /// ‖f‖.
    pub fn norm(&self, run: &Run) -> Result<f64> {
        Ok(self.norm_squared(run)?.sqrt())
    }

    /// ‖f‖·√k(x, x) ≥ |f(x)| for every point x (Cauchy–Schwarz).
    pub fn bound(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let norm = self.norm(run)?;
        Ok(self.space.diag(x, run)?.into_iter().map(|k| norm * k.max(0.0).sqrt()).collect())
    }

    /// ‖f‖·d(xᵢ, yᵢ) ≥ |f(xᵢ) − f(yᵢ)| for pairs of points: f is Lipschitz in the kernel's distance.
    pub fn lipschitz(&self, x: &Inputs, y: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let norm = self.norm(run)?;
        Ok(self.space.paired_distances(x, y, run)?.into_iter().map(|d| norm * d).collect())
    }

    /// aᵀKb between the points of two terms.
    fn product(&self, s: &Term, t: &Term, same: bool, run: &Run) -> Result<Sum> {
        let matrix = match same {
            true => self.space.gram(&s.points, run)?,
            false => self.space.cross(&s.points, &t.points, run)?,
        };
        let mut values = vec![0.0; s.coefficients.len()];
        apply(&matrix, &t.coefficients, 1, &mut values, run)?;
        let terms = s.coefficients.iter().zip(&values).map(|(a, v)| a * v);
        Ok(terms.fold(Sum::default(), |sum, p| Sum { value: sum.value + p, size: sum.size + p.abs() }))
    }
}
