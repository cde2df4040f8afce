//! The eigenvalues of a diagonal matrix after a change of rank one, and its eigenvectors.
//!
//! Those of D + ρ·z·zᵀ are the roots of f(λ) = 1/ρ + Σ zᵢ²/(dᵢ − λ), one in each gap of the poles d₁ < … < d_k and one above
//! them. A root is kept as the nearest pole and the distance μ from it, so that every difference dᵢ − λ has all its digits.
//! For vectors, z is then replaced by the ẑ of which these roots are the exact ones (Gu and Eisenstat 1995, A divide-and-
//! conquer algorithm for the symmetric tridiagonal eigenproblem, eq. 3.3): that is what makes them orthogonal.

use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::simd;

use super::steps::Steps;

/// Roots, entries of ẑ or vectors that a thread takes at a time.
const CHUNK: usize = 32;
/// Iterations that are tried with an interpolating function before the interval is halved; six are usual.
const CLEVER: usize = 30;
/// Iterations in all: halving orders of magnitude, then digits.
const ITERATIONS: usize = 160;

/// D + ρ·z·zᵀ with ρ > 0, ‖z‖ = 1 and increasing poles.
pub(super) struct Secular<'a> {
    pub(super) poles: &'a [f64],
    pub(super) z: &'a [f64],
    pub(super) rho: f64,
}

/// λ = pole + μ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Root {
    pub(super) pole: f64,
    pub(super) mu: f64,
}

impl Root {
    pub(super) fn value(self) -> f64 {
        self.pole + self.mu
    }
}

impl Secular<'_> {
    /// All roots, in increasing order.
    pub(super) fn roots(&self, steps: &Steps) -> Result<Vec<Root>> {
        let squares: Vec<f64> = self.z.iter().map(|z| z * z).collect();
        let mut roots = vec![Root::default(); self.poles.len()];
        roots.par_chunks_mut(CHUNK).enumerate().try_for_each(|(chunk, roots)| {
            steps.check()?;
            for (l, root) in roots.iter_mut().enumerate() {
                *root = Gap::new(self, &squares, chunk * CHUNK + l).root();
            }
            Ok(())
        })?;
        Ok(roots)
    }

    /// ẑ, with the signs of z: ẑᵢ² = Πⱼ (λⱼ − dᵢ) / Π_{j≠i} (dⱼ − dᵢ).
    pub(super) fn weights(&self, roots: &[Root], steps: &Steps) -> Result<Vec<f64>> {
        let (origins, mus) = split(roots);
        let mut weights = vec![0.0; roots.len()];
        weights.par_chunks_mut(CHUNK).enumerate().try_for_each(|(chunk, weights)| {
            steps.check()?;
            for (l, weight) in weights.iter_mut().enumerate() {
                let i = chunk * CHUNK + l;
                let mut square = 0.0;
                product(self.poles, &origins, &mus, i, &mut square);
                *weight = square.abs().sqrt().copysign(self.z[i]);
            }
            Ok(())
        })?;
        Ok(weights)
    }

    /// The unit vectors with entries ẑᵢ/(dᵢ − λⱼ), one in each of the slices, with rows in the given order.
    pub(super) fn vectors(
        &self,
        roots: &[Root],
        order: &[usize],
        mut out: Vec<&mut [f64]>,
        steps: &Steps,
    ) -> Result<()> {
        let weights = self.weights(roots, steps)?;
        let (poles, weights): (Vec<f64>, Vec<f64>) = order.iter().map(|i| (self.poles[*i], weights[*i])).unzip();
        out.par_chunks_mut(CHUNK).zip(roots.par_chunks(CHUNK)).try_for_each(|(columns, roots)| {
            steps.check()?;
            columns.iter_mut().zip(roots).for_each(|(column, root)| vector(&poles, &weights, *root, column));
            Ok(())
        })
    }
}

fn split(roots: &[Root]) -> (Vec<f64>, Vec<f64>) {
    roots.iter().map(|root| (root.pole, root.mu)).unzip()
}

simd::dispatch! {
    pub(crate) fn product(poles: &[f64], origins: &[f64], mus: &[f64], i: usize, out: &mut f64) {
        const LANES: usize = 8;
        let own = poles[i];
        let ratio = |j: usize| ((origins[j] - own) + mus[j]) / if j == i { 1.0 } else { poles[j] - own };
        let whole = poles.len() / LANES * LANES;
        let mut products = [1.0f64; LANES];
        for first in (0..whole).step_by(LANES) {
            for (l, product) in products.iter_mut().enumerate() {
                *product *= ratio(first + l);
            }
        }
        (whole..poles.len()).for_each(|j| products[j - whole] *= ratio(j));
        *out = products.iter().product();
    }
}

simd::dispatch! {
    pub(crate) fn vector(poles: &[f64], weights: &[f64], root: Root, out: &mut [f64]) {
        const LANES: usize = 8;
        let mut sums = [0.0f64; LANES];
        let parts = out.chunks_mut(LANES).zip(poles.chunks(LANES)).zip(weights.chunks(LANES));
        for ((out, poles), weights) in parts {
            for (l, ((out, pole), weight)) in out.iter_mut().zip(poles).zip(weights).enumerate() {
                *out = weight / ((pole - root.pole) - root.mu);
                sums[l] = out.mul_add(*out, sums[l]);
            }
        }
        let scale = 1.0 / sums.iter().sum::<f64>().sqrt();
        out.iter_mut().for_each(|out| *out *= scale);
    }
}

/// Σ zᵢ²/(dᵢ − λ) and its derivative, over some poles.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    value: f64,
    slope: f64,
}

simd::dispatch! {
    pub(crate) fn add_up(poles: &[f64], squares: &[f64], root: Root, out: &mut Sum) {
        const LANES: usize = 8;
        let (mut values, mut slopes) = ([0.0f64; LANES], [0.0f64; LANES]);
        let (whole, ends) = (poles.chunks_exact(LANES), squares.chunks_exact(LANES));
        let rest = whole.remainder().iter().zip(ends.remainder());
        for (poles, squares) in whole.zip(ends) {
            for l in 0..LANES {
                let inverse = 1.0 / ((poles[l] - root.pole) - root.mu);
                let term = squares[l] * inverse;
                values[l] += term;
                slopes[l] = term.mul_add(inverse, slopes[l]);
            }
        }
        for (l, (pole, square)) in rest.enumerate() {
            let inverse = 1.0 / ((pole - root.pole) - root.mu);
            let term = square * inverse;
            values[l] += term;
            slopes[l] = term.mul_add(inverse, slopes[l]);
        }
        *out = Sum { value: values.iter().sum(), slope: slopes.iter().sum() };
    }
}

/// The search for root number j.
struct Gap<'a> {
    poles: &'a [f64],
    squares: &'a [f64],
    inverse: f64,
    rho: f64,
    j: usize,
}

/// f at a point: the parts from the poles below and above it.
struct Value {
    below: Sum,
    above: Sum,
    f: f64,
    /// Rounding errors that f may have.
    error: f64,
}

impl<'a> Gap<'a> {
    fn new(equation: &'a Secular<'a>, squares: &'a [f64], j: usize) -> Self {
        Gap { poles: equation.poles, squares, inverse: 1.0 / equation.rho, rho: equation.rho, j }
    }

    fn at(&self, root: Root) -> Value {
        let (mut below, mut above) = (Sum::default(), Sum::default());
        let (left, right) = self.poles.split_at(self.j + 1);
        let (left_squares, right_squares) = self.squares.split_at(self.j + 1);
        add_up(left, left_squares, root, &mut below);
        add_up(right, right_squares, root, &mut above);
        let f = self.inverse + below.value + above.value;
        let size = self.inverse + above.value - below.value + root.mu.abs() * (below.slope + above.slope);
        Value { below, above, f, error: 4.0 * f64::EPSILON * size }
    }

    fn root(&self) -> Root {
        if self.j + 1 == self.poles.len() {
            // Rounding may put the root a little above ρ‖z‖².
            let (pole, end) = (self.poles[self.j], self.rho * (1.0 + 8.0 * f64::EPSILON));
            return self.search(pole, (0.0, end), if self.j == 0 { self.rho } else { 0.5 * self.rho });
        }
        let (left, right) = (self.poles[self.j], self.poles[self.j + 1]);
        let gap = right - left;
        let middle = self.at(Root { pole: left, mu: 0.5 * gap });
        let (near, far) = (self.squares[self.j], self.squares[self.j + 1]);
        // What the other poles add, taken as constant, leaves an equation of second degree.
        let rest = middle.f + 2.0 * near / gap - 2.0 * far / gap;
        if middle.f >= 0.0 {
            let a = rest * gap + near + far;
            self.search(left, (0.0, 0.5 * gap), smaller_root(rest, a, near * gap))
        } else {
            let a = -rest * gap + near + far;
            self.search(right, (-0.5 * gap, 0.0), -smaller_root(-rest, a, far * gap))
        }
    }

    /// The root in an interval beside its pole, from a first guess.
    fn search(&self, pole: f64, (mut low, mut high): (f64, f64), guess: f64) -> Root {
        let mut mu = within(guess, low, high).unwrap_or_else(|| middle(low, high));
        for iteration in 0..ITERATIONS {
            let root = Root { pole, mu };
            let value = self.at(root);
            if value.f.abs() <= value.error {
                return root;
            }
            if value.f < 0.0 {
                low = mu
            } else {
                high = mu
            }
            let clever = (iteration < CLEVER).then(|| mu + self.correction(root, &value));
            let next = clever.and_then(|next| within(next, low, high)).unwrap_or_else(|| middle(low, high));
            if next == mu || next == low || next == high {
                return Root { pole, mu: next };
            }
            mu = next;
        }
        Root { pole, mu }
    }

    /// The step to the root of c + s/(dₗ − λ) + t/(dᵣ − λ), which has the value and the slope of f here (Li 1993, Solving
    /// secular equations stably and efficiently, LAPACK working note 89, the fixed weight and the middle way).
    fn correction(&self, root: Root, value: &Value) -> f64 {
        let last = self.j + 1 == self.poles.len();
        let (l, r) = if last { (self.j.max(1) - 1, self.j) } else { (self.j, self.j + 1) };
        let (left, right) = ((self.poles[l] - root.pole) - root.mu, (self.poles[r] - root.pole) - root.mu);
        let slope = value.below.slope + value.above.slope;
        let newton = -value.f / slope;
        if l == r {
            return newton;
        }
        let c = match (last, root.pole == self.poles[l]) {
            (true, _) => {
                let own = self.squares[r] / right / right;
                value.f - left * (slope - own) - right * own
            }
            (false, true) => {
                let weight = self.squares[l] / left;
                value.f - right * slope - (left - right) * weight / left
            }
            (false, false) => {
                let weight = self.squares[r] / right;
                value.f - left * slope - (right - left) * weight / right
            }
        };
        let a = (left + right) * value.f - left * right * slope;
        let step = if last {
            larger_root(c.abs(), a, left * right * value.f)
        } else {
            smaller_root(c, a, left * right * value.f)
        };
        // f grows, so that a step against its sign is no step to the root.
        if step.is_finite() && step * value.f < 0.0 { step } else { newton }
    }
}

/// The root (a − √(a² − 4bc))/(2c) of c·x² − a·x + b.
fn smaller_root(c: f64, a: f64, b: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a > 0.0 { 2.0 * b / (a + root) } else { (a - root) / (2.0 * c) }
}

/// The root (a + √(a² − 4bc))/(2c) of c·x² − a·x + b.
fn larger_root(c: f64, a: f64, b: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a >= 0.0 { (a + root) / (2.0 * c) } else { 2.0 * b / (a - root) }
}

/// x, if it lies strictly inside.
fn within(x: f64, low: f64, high: f64) -> Option<f64> {
    (low < x && x < high).then_some(x)
}

/// A point between two of one sign, of which the smaller may be 0: in the middle of their orders of magnitude if these differ.
fn middle(low: f64, high: f64) -> f64 {
    let (small, large) = if low.abs() < high.abs() { (low.abs(), high.abs()) } else { (high.abs(), low.abs()) };
    let between = match large > 4.0 * small {
        true => small.max(large * 1e-30).sqrt() * large.sqrt(),
        false => 0.5 * (small + large),
    };
    if low < 0.0 { -between } else { between }
}
