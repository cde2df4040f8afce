//! The certificate of least squares with a penalty, in bounds that hold in floating point.
//!
//! Of ½Σ w(y − Ka − b)² + (alpha/2)·aᵀKa, the dual is alpha·(aᵀy − ½aᵀKa − ½alpha·Σ a²/w), for every a that adds up to
//! 0 where b is free. All sums are in doubled precision, and both bounds allow for a kernel matrix that is
//! [rounded](uncertainty): see docs/decisions/0009-certificates-in-floating-point.md.

use crate::error::Result;
use crate::gram::{KernelMatrix, doubled_product};
use crate::linalg::Ball;
use crate::run::Run;

/// Multiples of u·√(k(x, x)·k(y, y)), u = 2⁻⁵³, that kernel values are taken to be good to.
const UNITS: f64 = 4.0;

/// How far, in the spectral norm, the kernel matrix may be from the one that was meant: 4u·tr K, u = 2⁻⁵³.
///
/// A positive semi-definite matrix has ‖K‖ ≤ tr K in the norm of Frobenius, so rounding each of its values moves it by at
/// most u·tr K. Its own smallest eigenvalues may thereby fall below 0, and a dual value that knows nothing of this may
/// lie above every objective.
pub(crate) fn uncertainty(kernel: &dyn KernelMatrix) -> f64 {
    let mut diagonal = vec![0.0; kernel.nrows()];
    kernel.diag(&mut diagonal);
    uncertainty_of(&diagonal)
}

/// The same of a matrix with this diagonal.
pub(crate) fn uncertainty_of(diagonal: &[f64]) -> f64 {
    let trace: f64 = diagonal.iter().map(|k| k.abs()).sum();
    UNITS * 0.5 * f64::EPSILON * (1.0 + 1e-9) * trace
}

/// Rows, and the function whose coefficients are to be certified.
pub(crate) struct Squares<'a> {
    /// K of the rows.
    pub(crate) kernel: &'a dyn KernelMatrix,
    /// y, row-major: n×outputs.
    pub(crate) y: &'a [Ball],
    pub(crate) outputs: usize,
    /// All 1 without.
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) alpha: f64,
    /// a, row-major: n×outputs.
    pub(crate) coefficients: &'a [f64],
    /// b, where it is free.
    pub(crate) intercept: Option<&'a [f64]>,
    /// Whether rows count by their weights in the residual.
    pub(crate) weighted_residual: bool,
}

/// What is known of one output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// Not below the objective at the coefficients.
    pub(crate) primal: f64,
    /// Not above the least objective.
    pub(crate) dual: f64,
    /// How much of the distance of both is there for rounding.
    pub(crate) rounding: f64,
    /// Not below the relative residual of (K + alpha/w)·a + b = y, Σ a = 0.
    pub(crate) residual: f64,
}

/// All outputs.
pub(crate) struct Certified {
    pub(crate) outputs: Vec<Held>,
    /// Not below ‖K·w·(y − Ka − b)‖ over ‖K·w·y‖, where it was asked for.
    pub(crate) normal_residual: Option<f64>,
}

impl Squares<'_> {
    fn n(&self) -> usize {
        self.kernel.nrows()
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// Measures all; `normal` asks for the residual of the normal equations, too, at the price of a second product.
    pub(crate) fn certify(&self, normal: bool, run: &Run) -> Result<Certified> {
        let c = self.outputs;
        let a: Vec<Ball> = self.coefficients.iter().map(|a| Ball::from(*a)).collect();
        let fitted = doubled_product(self.kernel, &a, c, run)?;
        let mut diagonal = vec![0.0; self.n()];
        self.kernel.diag(&mut diagonal);
        let delta = uncertainty(self.kernel);
        let rest = |at: usize| self.y[at] - fitted[at] - self.intercept.map_or(Ball::from(0.0), |b| b[at % c].into());
        let left: Vec<Ball> = (0..fitted.len()).map(rest).collect();
        let outputs = (0..c).map(|o| Output { of: self, o, fitted: &fitted, left: &left, delta }.held(&diagonal));
        let outputs = outputs.collect();
        let normal_residual = normal.then(|| self.normal_residual(&left, run)).transpose()?;
        Ok(Certified { outputs, normal_residual })
    }

    /// ‖√w·K·w·(y − Ka − b)‖/‖√w·K·w·y‖: the residual of least squares, which also has a solution where the
    /// targets cannot be met.
    fn normal_residual(&self, left: &[Ball], run: &Run) -> Result<f64> {
        let (n, c) = (self.n(), self.outputs);
        let mut both = Vec::with_capacity(2 * n * c);
        for i in 0..n {
            both.extend(left[i * c..(i + 1) * c].iter().map(|r| *r * self.weight(i)));
            both.extend(self.y[i * c..(i + 1) * c].iter().map(|y| *y * self.weight(i)));
        }
        let products = doubled_product(self.kernel, &both, 2 * c, run)?;
        let square = |first: usize| -> Ball {
            let of = |at: usize| products[at] * products[at] * self.weight(at / (2 * c));
            (0..products.len()).filter(|at| (at % (2 * c) < c) == (first == 0)).map(of).sum()
        };
        Ok(quotient(square(0).root_above(), square(1).root_below()))
    }
}

/// One output of them.
struct Output<'a> {
    of: &'a Squares<'a>,
    o: usize,
    fitted: &'a [Ball],
    left: &'a [Ball],
    delta: f64,
}

impl Output<'_> {
    fn at(&self, i: usize) -> usize {
        i * self.of.outputs + self.o
    }

    fn a(&self, i: usize) -> Ball {
        Ball::from(self.of.coefficients[self.at(i)])
    }

    fn sum(&self, term: impl Fn(usize) -> Ball) -> Ball {
        (0..self.of.n()).map(term).sum()
    }

    fn held(&self, diagonal: &[f64]) -> Held {
        let (primal, allowed) = self.primal();
        let (dual, taken) = self.dual(diagonal);
        let (above, below) = ((primal + Ball::from(allowed)).above(), (dual - Ball::from(taken)).below());
        // The objective of a positive semi-definite matrix is not below 0.
        let below = if below.is_nan() { 0.0 } else { below.max(0.0) };
        let rounding = (above - primal.value()).max(0.0) + (dual.value() - below).max(0.0);
        Held { primal: above, dual: below, rounding, residual: self.residual() }
    }

    /// The objective, and what it may rise by if K moves by E with ‖E‖ ≤ delta: with e = ‖Ea‖,
    /// ‖w·r‖·e + ½·max w·e² + (alpha/2)·aᵀEa.
    fn primal(&self) -> (Ball, f64) {
        let of = self.of;
        let loss = self.sum(|i| self.left[self.at(i)] * self.left[self.at(i)] * of.weight(i)) * 0.5;
        let norm = self.sum(|i| self.a(i) * self.fitted[self.at(i)]);
        let slopes = self.sum(|i| {
            let slope = self.left[self.at(i)] * of.weight(i);
            slope * slope
        });
        let square = self.sum(|i| self.a(i) * self.a(i));
        let heaviest = (0..of.n()).map(|i| of.weight(i)).fold(0.0, f64::max);
        let e = Ball::from(square.root_above()) * self.delta;
        let allowed = Ball::from(slopes.root_above()) * e
            + e * e * (0.5 * heaviest)
            + Ball::from(of.alpha) * square * (0.5 * self.delta);
        (loss + norm * Ball::from(of.alpha) * 0.5, allowed.above())
    }

    /// The dual value, and what it may fall by if K moves: (alpha/2)·aᵀEa.
    ///
    /// With an intercept the heaviest row takes what the coefficients leave of their sum, t: a − t·eⱼ is a dual point.
    fn dual(&self, diagonal: &[f64]) -> (Ball, f64) {
        let (of, alpha) = (self.of, Ball::from(self.of.alpha));
        let over = |square: Ball, i: usize| (alpha * square).over(Ball::from(of.weight(i)));
        let linear = self.sum(|i| self.a(i) * of.y[self.at(i)]);
        let norm = self.sum(|i| self.a(i) * self.fitted[self.at(i)]);
        let noise = self.sum(|i| over(self.a(i) * self.a(i), i));
        let square = self.sum(|i| self.a(i) * self.a(i));
        let (mut value, mut size) = (linear - (norm + noise) * 0.5, square);
        if of.intercept.is_some() {
            let j = (0..of.n()).fold(0, |j, i| if of.weight(i) > of.weight(j) { i } else { j });
            let (t, a, at) = (self.sum(|i| self.a(i)), self.a(j), self.at(j));
            let change = t * t - a * t * 2.0;
            value = value - t * of.y[at] - (t * t * diagonal[j] - t * self.fitted[at] * 2.0 + over(change, j)) * 0.5;
            size = size + change;
        }
        (alpha * value, (alpha * size * (0.5 * self.delta)).magnitude())
    }

    fn residual(&self) -> f64 {
        let of = self.of;
        let nothing = (0..of.n()).all(|i| of.coefficients[self.at(i)] == 0.0 && of.y[self.at(i)] == Ball::from(0.0));
        if nothing && of.intercept.is_none_or(|b| b[self.o] == 0.0) {
            // Zeros are met by zeros, and underflow has no part in it.
            return 0.0;
        }
        let share = |i: usize| if of.weighted_residual { of.weight(i) } else { 1.0 };
        let residual = self.sum(|i| {
            let noise = (self.a(i) * Ball::from(of.alpha)).over(Ball::from(of.weight(i)));
            let rest = self.left[self.at(i)] - noise;
            rest * rest * share(i)
        });
        let target = self.sum(|i| of.y[self.at(i)] * of.y[self.at(i)] * share(i));
        let mut off = residual.root_above();
        if of.intercept.is_some() {
            let balance = self.sum(|i| self.left[self.at(i)] * of.weight(i)).magnitude();
            let weight = self.sum(|i| Ball::from(of.weight(i)));
            off = off.max(quotient(balance, weight.root_below()));
        }
        quotient(off, target.root_below())
    }
}

/// Not below a/b, and 0 of nothing.
pub(crate) fn quotient(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { (a / b.max(f64::MIN_POSITIVE)).next_up() }
}

/// Sums of values times the squares of their units and one more unit, all powers of two: not below, and not above.
pub(crate) fn in_units(values: impl Iterator<Item = (f64, f64)> + Clone, unit: f64) -> (f64, f64) {
    let sum: Ball = values.map(|(v, u)| Ball::from(v) * u * u * unit).sum();
    // What is not finite is not known to be anything; above all numbers nothing is claimed.
    (sum.above(), sum.below().min(f64::MAX))
}
