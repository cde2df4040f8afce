//! Points whose image in feature space is near a given function: pre-images.
//!
//! Most functions are the image of no point. What is found is a point z at which ‖k(z, ·) − g‖² = k(z, z) − 2g(z) + ‖g‖² is small,
//! and the distance that is left is part of the answer.

mod descent;
mod radial;
mod slopes;

use serde::{Deserialize, Serialize};

use crate::certificate::Stop;
use crate::data::{Inputs, Rows};
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::run::Run;

use super::Space;
use radial::Radial;
use slopes::Smooth;

/// How pre-images are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreImageMethod {
    /// `fixed_point` where the kernel is radial, else `descent`; `candidate` where points are not rows of numbers.
    #[default]
    Auto,
    /// z ← Σ βᵢwᵢxᵢ/Σ βᵢwᵢ with wᵢ = −κ′(‖z − xᵢ‖²), of kernels k(x, y) = κ(‖x − y‖²): where the gradient is 0.
    FixedPoint,
    /// Descent by L-BFGS: any smooth kernel of rows of numbers. Gradients are those of the formula where every part of it has slopes,
    /// else differences, and the answer says so.
    Descent,
    /// The best of the points themselves: any kernel, any kind of points.
    Candidate,
}

impl PreImageMethod {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            PreImageMethod::Auto => "auto",
            PreImageMethod::FixedPoint => "fixed_point",
            PreImageMethod::Descent => "descent",
            PreImageMethod::Candidate => "candidate",
        }
    }
}

/// Functions of a space, over the same points, that pre-images are looked for.
pub struct Targets<'a> {
    /// The space.
    pub space: &'a Space,
    /// The points xᵢ.
    pub points: &'a Inputs,
    /// β, row-major: points×functions.
    pub coefficients: &'a [f64],
    /// How many functions.
    pub count: usize,
}

/// What was found for one function.
#[derive(Clone, Debug, PartialEq)]
pub struct PreImage {
    /// The candidate that was nearest, where every search starts.
    pub candidate: usize,
    /// The point; empty where candidates alone were looked at.
    pub point: Vec<f64>,
    /// ‖k(z, ·) − g‖.
    pub distance: f64,
    /// Steps of the search.
    pub steps: usize,
    /// Why it ended.
    pub stop: Stop,
    /// Whether its gradients were differences, for want of slopes: they are good to about eight digits.
    pub differences: bool,
}

/// Steps after which a fixed point is given up.
const MOST_STEPS: usize = 500;
/// A step so small, over the size of the points, ends the search.
const SETTLED: f64 = 1e-10;

impl Targets<'_> {
    /// Looks for a pre-image of every function.
    ///
    /// A search starts at the nearest of the points and never ends farther away. **Reference** Mika, Schölkopf, Smola, Müller,
    /// Scholz, Rätsch (1998), *Kernel PCA and de-noising in feature spaces*, eq. 10.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, rkhs::{PreImageMethod, PreImageTargets, Space}};
    /// let run = Run::new();
    /// let x: Inputs = Rows::new(vec![0.0, 1.0], 2, 1)?.into();
    /// let space = Space::new(&KernelExpr::parse("rbf(length_scale=2)")?, &x, &run)?;
    /// let mean = PreImageTargets { space: &space, points: &x, coefficients: &[0.5, 0.5], count: 1 };
    /// let found = mean.pre_images(PreImageMethod::Auto, &run)?;
    /// assert!((found[0].point[0] - 0.5).abs() < 1e-8); // between the two
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn pre_images(&self, method: PreImageMethod, run: &Run) -> Result<Vec<PreImage>> {
        let rows = match self.points {
            Inputs::Dense(rows) => Some(rows),
            _ => None,
        };
        let radial = rows.and_then(|rows| Radial::of(self.space.kernel(), rows.ncols()));
        let chosen = match (method, rows, &radial) {
            (PreImageMethod::Auto, None, _) => PreImageMethod::Candidate,
            (PreImageMethod::Auto, Some(_), Some(_)) => PreImageMethod::FixedPoint,
            (PreImageMethod::Auto, Some(_), None) => PreImageMethod::Descent,
            (other, _, _) => other,
        };
        let starts = self.nearest(self.points, run)?;
        match (chosen, rows, &radial) {
            (PreImageMethod::Candidate, _, _) => Ok(starts),
            (PreImageMethod::FixedPoint, Some(rows), Some(radial)) => {
                self.searched(starts, rows, run, |start, beta| self.fixed_point(start, beta, rows, radial, run))
            }
            (PreImageMethod::Descent, Some(rows), _) => {
                let smooth = Smooth::of(self.space.kernel(), rows.ncols());
                let search = |start: &[f64], beta: &[f64]| self.descent(start, beta, rows, smooth.as_ref(), run);
                let found = self.searched(starts, rows, run, search)?;
                Ok(found.into_iter().map(|p| PreImage { differences: smooth.is_none(), ..p }).collect())
            }
            (PreImageMethod::FixedPoint, Some(_), None) => Err(Error::Unsupported {
                what: format!(
                    "a fixed point with the kernel `{}`, which is no smooth function of the distance,",
                    self.space.kernel()
                ),
                alternative: "use the method `descent`, or `candidate`".into(),
            }),
            (other, _, _) => Err(Error::Unsupported {
                what: format!("the method `{}` for points that are not rows of numbers", other.name()),
                alternative: "use the method `candidate`, which takes the best of the training points".into(),
            }),
        }
    }

    /// The nearest of these points to every function.
    pub fn nearest(&self, candidates: &Inputs, run: &Run) -> Result<Vec<PreImage>> {
        let m = self.count;
        if m.checked_mul(self.points.len()) != Some(self.coefficients.len()) || candidates.is_empty() {
            let expected = format!("{} points times {m} functions, and a candidate", self.points.len());
            return Err(Error::shape("functions to find pre-images of", expected, self.coefficients.len()));
        }
        if m == 0 {
            return Ok(Vec::new());
        }
        let norms = self.norms(run)?;
        let own = self.space.diag(candidates, run)?;
        let mut values = vec![0.0; candidates.len() * m];
        apply(&self.space.cross(candidates, self.points, run)?, self.coefficients, m, &mut values, run)?;
        let best = |o: usize| {
            let square = |c: usize| (own[c] - values[c * m + o]) + (norms[o] - values[c * m + o]);
            let (mut at, mut least) = (0, f64::INFINITY);
            (0..own.len()).for_each(|c| {
                if square(c) < least {
                    (at, least) = (c, square(c))
                }
            });
            PreImage {
                candidate: at,
                point: Vec::new(),
                distance: least.max(0.0).sqrt(),
                steps: 0,
                stop: Stop::Direct,
                differences: false,
            }
        };
        Ok((0..m).map(best).collect())
    }

    /// ‖g‖² of every function.
    fn norms(&self, run: &Run) -> Result<Vec<f64>> {
        let m = self.count;
        let mut images = vec![0.0; self.coefficients.len()];
        apply(&self.space.gram(self.points, run)?, self.coefficients, m, &mut images, run)?;
        let norm = |o: usize| {
            let pairs = self.coefficients.iter().zip(&images).skip(o).step_by(m);
            pairs.map(|(b, g)| b * g).sum::<f64>()
        };
        Ok((0..m).map(norm).collect())
    }

    /// Every start followed by a search, which is taken if it comes nearer.
    fn searched(
        &self,
        starts: Vec<PreImage>,
        rows: &Rows,
        run: &Run,
        search: impl Fn(&[f64], &[f64]) -> Result<(Vec<f64>, usize, Stop)>,
    ) -> Result<Vec<PreImage>> {
        let norms = self.norms(run)?;
        let task = run.task("pre_images", Some(starts.len() as u64));
        let mut found = Vec::with_capacity(starts.len());
        for (o, start) in starts.into_iter().enumerate() {
            let beta: Vec<f64> = self.coefficients.iter().skip(o).step_by(self.count).copied().collect();
            let from = rows.row(start.candidate);
            let (point, steps, stop) = search(from, &beta)?;
            let distance = (self.energy(&point, &beta, run)? + norms[o]).max(0.0).sqrt();
            found.push(match distance <= start.distance {
                true => PreImage { point, distance, steps, stop, ..start },
                false => PreImage { point: from.to_vec(), steps, stop, ..start },
            });
            task.step_or_cancel()?;
        }
        Ok(found)
    }

    /// k(z, z) − 2g(z).
    fn energy(&self, z: &[f64], beta: &[f64], run: &Run) -> Result<f64> {
        let z: Inputs = Rows::new(z.to_vec(), 1, z.len())?.into();
        Ok(self.energies(&z, beta, run)?[0])
    }

    fn energies(&self, z: &Inputs, beta: &[f64], run: &Run) -> Result<Vec<f64>> {
        let own = self.space.diag(z, run)?;
        let mut values = vec![0.0; z.len()];
        apply(&self.space.cross(z, self.points, run)?, beta, 1, &mut values, run)?;
        Ok(own.iter().zip(&values).map(|(k, g)| k - 2.0 * g).collect())
    }

    fn fixed_point(
        &self,
        start: &[f64],
        beta: &[f64],
        rows: &Rows,
        radial: &Radial,
        run: &Run,
    ) -> Result<(Vec<f64>, usize, Stop)> {
        let size = rows.values().iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let mut z = start.to_vec();
        let mut best = (self.energy(&z, beta, run)?, z.clone());
        for step in 1..=MOST_STEPS {
            let Some(next) = radial.step(&z, beta, rows) else { return Ok((best.1, step, Stop::Stagnation)) };
            let moved = next.iter().zip(&z).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            z = next;
            let energy = self.energy(&z, beta, run)?;
            if energy < best.0 {
                best = (energy, z.clone());
            }
            if moved <= SETTLED * size {
                return Ok((best.1, step, Stop::Tolerance));
            }
        }
        Ok((best.1, MOST_STEPS, Stop::MaxIterations))
    }
}
