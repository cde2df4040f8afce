//! Bounds of the objective of a machine with a loss, and of its minimum, from the coefficients as they are kept.
//!
//! Above the objective: Σ wᵢℓᵢ(zᵢ) + (alpha/2)·tr aᵀKa with z = Ka + b. Below its minimum: the dual value
//! −Σ wᵢℓᵢ*(uᵢ/wᵢ) − tr uᵀKu/(2·alpha) of any u within the bounds of the conjugates, whose columns add up to 0 where b is
//! free; with ‖f‖ ≤ B instead of a penalty, −Σ wᵢℓᵢ*(uᵢ/wᵢ) − B·√(tr uᵀKu). All sums are in doubled precision, and both
//! bounds allow for a K that is rounded: docs/decisions/0009-certificates-in-floating-point.md.

use crate::error::Result;
use crate::gram::{KernelMatrix, doubled_product};
use crate::linalg::{Ball, root_above};
use crate::loss::RowLoss;
use crate::model::squares::uncertainty;
use crate::run::Run;

use super::point::{Rows, dual_point};

/// A machine, its rows and what it minimises.
pub(crate) struct Claim<'a> {
    /// Rows against the points of the coefficients, which are the same points.
    pub(crate) kernel: &'a dyn KernelMatrix,
    pub(crate) loss: &'a dyn RowLoss,
    pub(crate) weights: &'a [f64],
    /// alpha, in the unit of the weights.
    pub(crate) alpha: f64,
    /// B, where the norm is bounded and not penalised.
    pub(crate) bound: Option<f64>,
    /// a, row-major: n×c.
    pub(crate) coefficients: &'a [f64],
    pub(crate) intercept: &'a [f64],
    /// Whether b was free.
    pub(crate) free: bool,
    /// The loss of one value a row, its bounds of slopes and whether it is smooth; else it is the softmax loss.
    pub(crate) rows: Rows<'a>,
}

/// What is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// Not below the objective.
    pub(crate) primal: f64,
    /// Not above the least objective; nothing without a conjugate.
    pub(crate) dual: Option<f64>,
    /// How much of the distance of both is there because K is rounded.
    pub(crate) rounding: f64,
    /// What the losses change by if every value z moves by a unit of its last place: below this no solver can go.
    pub(crate) slip: f64,
    /// Not below their distance for K as it is.
    pub(crate) gap: Option<f64>,
    /// Not below ‖−alpha·a − w∇ℓ(z)‖ over ‖w∇ℓ(z)‖.
    pub(crate) slope_residual: f64,
    /// Not below ‖f‖.
    pub(crate) norm: f64,
}

/// A sum, and what it may change by if K is another matrix that rounds to this one.
struct Bounded {
    value: Ball,
    allowed: f64,
}

/// The objective, and its slip.
struct Objective {
    bounded: Bounded,
    slip: f64,
}

impl Claim<'_> {
    pub(crate) fn measure(&self, run: &Run) -> Result<Measured> {
        let c = self.intercept.len();
        let a: Vec<Ball> = self.coefficients.iter().map(|a| Ball::from(*a)).collect();
        let free = doubled_product(self.kernel, &a, c, run)?;
        let z: Vec<Ball> = free.iter().enumerate().map(|(at, f)| *f + Ball::from(self.intercept[at % c])).collect();
        let norm: Ball = a.iter().zip(&free).map(|(a, f)| *a * *f).sum();
        let delta = uncertainty(self.kernel);
        let Objective { bounded: primal, slip } = self.primal(&z, norm, delta);
        let dual = self.dual(&z, delta, run)?;
        let above = (primal.value + Ball::from(primal.allowed)).above();
        // Adding 0 makes −0 a 0.
        let below = dual.as_ref().map(|d| (d.value - Ball::from(d.allowed)).below() + 0.0);
        let width = |d: &Bounded| (d.value.value() - (d.value - Ball::from(d.allowed)).below()).max(0.0);
        Ok(Measured {
            primal: above,
            dual: below,
            rounding: (above - primal.value.value()).max(0.0) + dual.as_ref().map_or(0.0, width),
            slip,
            gap: dual.as_ref().map(|d| (primal.value - d.value).above().max(0.0)),
            slope_residual: self.slope_residual(&z),
            norm: norm.root_above(),
        })
    }

    /// With e = ‖Ea‖ ≤ delta·‖a‖, losses rise by at most ‖w·slope‖·e for the steepest slopes within e.
    fn primal(&self, z: &[Ball], norm: Ball, delta: f64) -> Objective {
        let losses = self.loss.values_within(z);
        let loss: Ball = losses.iter().zip(self.weights).map(|(l, w)| *l * *w).sum();
        let square: Ball = self.coefficients.iter().map(|a| Ball::from(*a) * *a).sum();
        let e = (Ball::from(square.root_above()) * delta).above();
        let mut slopes = vec![0.0; self.weights.len()];
        self.loss.steepness(&z.iter().map(|z| z.value()).collect::<Vec<_>>(), e, &mut slopes);
        let steep: Ball = slopes.iter().zip(self.weights).map(|(s, w)| Ball::from(*s) * *w).map(|s| s * s).sum();
        let moved = Ball::from(steep.root_above()) * e;
        let size: Ball = z.iter().map(|z| *z * *z).sum();
        let slip = steep.root_above() * size.root_above() * f64::EPSILON;
        let bounded = match self.bound {
            Some(_) => Bounded { value: loss, allowed: moved.above() },
            None => Bounded {
                value: loss + norm * self.alpha * 0.5,
                allowed: (moved + square * delta * (0.5 * self.alpha)).above(),
            },
        };
        Objective { bounded, slip }
    }

    /// The better one of a point near the solution and of u = 0.
    fn dual(&self, z: &[Ball], delta: f64, run: &Run) -> Result<Option<Bounded>> {
        let slopes: Vec<f64> = self.coefficients.iter().map(|a| -self.alpha * a).collect();
        let centre: Vec<f64> = z.iter().map(|z| z.value()).collect();
        let near = dual_point(&self.rows, self.loss, &centre, &slopes, self.weights, self.free);
        let Some(nothing) = self.conjugates(&vec![Ball::from(0.0); z.len()]) else { return Ok(None) };
        let at_zero = Bounded { value: -nothing, allowed: 0.0 };
        let Some((u, conjugates)) = near.and_then(|u| self.conjugates(&u).map(|c| (u, c))) else {
            return Ok(Some(at_zero));
        };
        let product = doubled_product(self.kernel, &u, self.intercept.len(), run)?;
        let norm: Ball = u.iter().zip(&product).map(|(u, p)| *u * *p).sum();
        let unknown = (u.iter().map(|u| *u * *u).sum::<Ball>() * delta).above();
        let there = match self.bound {
            None => Bounded {
                value: -conjugates - (norm * 0.5).over(Ball::from(self.alpha)),
                allowed: Ball::from(0.5 * unknown).over(Ball::from(self.alpha)).above(),
            },
            Some(bound) => {
                let (root, more) = (norm.root_above(), root_above((norm + Ball::from(unknown)).above()));
                let allowed = Ball::from(bound) * Ball::from((more - root).max(0.0).next_up());
                Bounded { value: -conjugates - Ball::from(bound) * root, allowed: allowed.above() }
            }
        };
        let below = |b: &Bounded| (b.value - Ball::from(b.allowed)).below();
        Ok(Some(if below(&there) >= below(&at_zero) { there } else { at_zero }))
    }

    /// Σ wᵢℓᵢ*(uᵢ/wᵢ).
    fn conjugates(&self, u: &[Ball]) -> Option<Ball> {
        let c = self.intercept.len();
        let term = |(i, (u, w)): (usize, (&[Ball], &f64))| {
            let shares: Vec<Ball> = u.iter().map(|u| u.over(Ball::from(*w))).collect();
            self.loss.conjugate_within(i, &shares).map(|v| v * *w)
        };
        u.chunks(c).zip(self.weights).enumerate().map(term).sum()
    }

    /// Slopes are computed at rounded values, to a few units of the last place.
    fn slope_residual(&self, z: &[Ball]) -> f64 {
        let (c, centre) = (self.intercept.len(), z.iter().map(|z| z.value()).collect::<Vec<f64>>());
        let (mut g, mut state) = (vec![0.0; z.len()], vec![0.0; z.len()]);
        self.loss.gradients(&centre, &mut g);
        self.loss.locals(&centre, &mut state);
        let (mut off, mut size) = (Ball::from(0.0), Ball::from(0.0));
        for (at, g) in g.iter().enumerate() {
            let (w, row) = (self.weights[at / c], at / c * c..(at / c + 1) * c);
            let reach = row.map(|j| (z[j] - Ball::from(centre[j])).magnitude()).fold(0.0, f64::max);
            let unsure = (2.0 * state[at].abs() * reach + 8.0 * f64::EPSILON * g.abs()) * w;
            let apart = (Ball::from(self.alpha) * self.coefficients[at] + Ball::from(*g) * w).magnitude() + unsure;
            off = off + Ball::from(apart) * apart;
            size = size + Ball::from((g.abs() * w - unsure).max(0.0)) * (g.abs() * w - unsure).max(0.0);
        }
        let (off, size) = (off.root_above(), size.root_below());
        if off == 0.0 { 0.0 } else { (off / size.max(f64::MIN_POSITIVE)).next_up() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Inputs, Rows as Points};
    use crate::gram::dense;
    use crate::kernel::KernelExpr;
    use crate::loss::{Absolute, Logistic, Loss, ScalarRows, SoftmaxRows, Squared};
    use crate::testkit::points::Chance;

    /// Bounds of random machines, far from any solution, hold for the values of plain sums.
    #[test]
    fn bounds_enclose_what_plain_sums_find() {
        let (mut chance, run) = (Chance::new(8), Run::new());
        let n = 12;
        let x: Inputs =
            Points::new((0..2 * n).map(|_| chance.normal()).collect::<Vec<f64>>(), n, 2).expect("rows").into();
        let bound = KernelExpr::parse("rbf(length_scale=1)").expect("a formula").bind(&x, &run).expect("bound");
        let k = dense::<f64>(&bound, &run).expect("small");
        let losses: [&dyn Loss; 3] = [&Squared, &Absolute, &Logistic];
        for (which, loss) in losses.into_iter().enumerate() {
            for free in [false, true] {
                let a: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
                let y: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
                let w: Vec<f64> = (0..n).map(|_| 0.5 + chance.unit()).collect();
                let (alpha, b) = (0.3, if free { 0.2 } else { 0.0 });
                let claim = Claim {
                    kernel: &k,
                    loss: &ScalarRows { loss, y: &y },
                    weights: &w,
                    alpha,
                    bound: None,
                    coefficients: &a,
                    intercept: &[b],
                    free,
                    rows: Rows::One { loss, y: &y, smooth: which == 2 },
                };
                let found = claim.measure(&run).expect("numbers");
                let f = |i: usize| (0..n).map(|j| k.row(i)[j] * a[j]).sum::<f64>();
                let plain: f64 = (0..n).map(|i| w[i] * loss.value(y[i], f(i) + b) + 0.15 * a[i] * f(i)).sum();
                let width = crate::testkit::tol::round(n) * plain;
                assert!((found.primal - plain).abs() <= width, "{found:?} {plain}");
                assert!(found.dual.expect("convex") <= plain && found.rounding <= width, "{found:?}");
            }
        }
    }

    #[test]
    fn softmax_has_a_bound_with_an_intercept_and_without() {
        let (mut chance, run) = (Chance::new(2), Run::new());
        let n = 9;
        let x: Inputs = Points::new((0..n).map(|_| chance.normal()).collect::<Vec<f64>>(), n, 1).expect("rows").into();
        let bound = KernelExpr::parse("linear").expect("a formula").bind(&x, &run).expect("bound");
        let k = dense::<f64>(&bound, &run).expect("small");
        let classes: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let loss = SoftmaxRows::new(&classes, 3).expect("classes");
        let a: Vec<f64> = (0..3 * n).map(|_| 0.1 * chance.normal()).collect();
        for free in [false, true] {
            let claim = Claim {
                kernel: &k,
                loss: &loss,
                weights: &vec![1.0; n],
                alpha: 1.0,
                bound: None,
                coefficients: &a,
                intercept: &[0.1, 0.0, -0.1],
                free,
                rows: Rows::Softmax,
            };
            let found = claim.measure(&run).expect("numbers");
            let dual = found.dual.expect("convex");
            assert!(dual > 0.0 && dual < found.primal && found.rounding < 1e-12, "{found:?}");
        }
    }
}
