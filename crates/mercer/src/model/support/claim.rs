//! What is known of a machine's function: bounds of its objective and of the least one, and how far its conditions are broken.
//!
//! Values f(xᵢ) are sums in double precision, each with a bound of its rounding. The primal bound takes the worst of them, the
//! dual bound as well, and sums that must be held but are off by rounding cost what the best offset could gain by it. Both allow
//! for a K that is rounded. So they hold in floating point, as docs/decisions/0009-certificates-in-floating-point.md wants it; what
//! they allow for rounding is reported.

use crate::model::squares::uncertainty_of;

use super::problem::{Form, Problem};

/// Not below ‖v‖.
fn norm(v: &[f64]) -> f64 {
    let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let square: f64 = v.iter().map(|x| (x / largest).powi(2)).sum();
    largest * square.sqrt() * (1.0 + (v.len() + 8) as f64 * f64::EPSILON)
}

/// Units of rounding of a kernel value and of what is done with it, beside those of the sum over the points.
const UNITS: f64 = 16.0;

/// A function on the rows of a problem.
pub(crate) struct Claim<'a> {
    /// Of the forms with ν, what they come to: see [`Form`].
    pub(crate) problem: &'a Problem,
    /// The coefficient of each row.
    pub(crate) v: &'a [f64],
    /// f(xᵢ), without b.
    pub(crate) f: &'a [f64],
    pub(crate) b: f64,
    /// k(xᵢ, xᵢ).
    pub(crate) diagonal: &'a [f64],
}

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    /// Not below the objective; infinite where a hard margin is broken.
    pub(crate) primal: f64,
    /// Not above the least objective; nothing where the coefficients are outside of their bounds.
    pub(crate) dual: Option<f64>,
    /// How much of their distance is there for rounding.
    pub(crate) rounding: f64,
    /// How much further up a coefficient is pulled that may rise than one that may fall: LIBSVM's measure.
    pub(crate) violation: f64,
    /// ‖f‖².
    pub(crate) square: f64,
}

impl Measured {
    /// Not below the distance of primal and dual.
    pub(crate) fn gap(&self) -> Option<f64> {
        self.dual.map(|dual| if self.primal == dual { 0.0 } else { (self.primal - dual).next_up() })
    }

    /// The gap over the objective.
    pub(crate) fn relative_gap(&self) -> Option<f64> {
        let size = self.primal.abs().max(self.dual.unwrap_or(0.0).abs());
        self.gap().map(|gap| if gap <= 0.0 { 0.0 } else { gap / size.max(f64::MIN_POSITIVE) })
    }
}

/// A sum with how far it may be off.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    off: f64,
}

impl Sum {
    fn of(terms: impl Iterator<Item = (f64, f64)>) -> Sum {
        let (mut value, mut size, mut off, mut count) = (0.0, 0.0, 0.0, 0usize);
        for (term, error) in terms {
            value += term;
            size += term.abs();
            off += error;
            count += 1;
        }
        Sum { value, off: (off + (count + 4) as f64 * f64::EPSILON * size) * (1.0 + 1e-12) }
    }
}

impl Claim<'_> {
    pub(crate) fn measure(&self) -> Measured {
        let errors = self.errors();
        let mut square = Sum::of(self.v.iter().zip(self.f).zip(&errors).map(|((v, f), e)| (v * f, v.abs() * e)));
        square.off += self.reach() * norm(self.v);
        let primal = self.primal(square, &errors);
        let dual = self.dual(square, primal.value + primal.off);
        let below = dual.map(|d| d.value - d.off);
        Measured {
            primal: primal.value + primal.off,
            dual: below,
            rounding: primal.off + dual.map_or(0.0, |d| d.off),
            violation: self.violation(),
            square: square.value.max(0.0),
        }
    }

    /// By how much each f(xᵢ) may be off: |Σ vₛk(xₛ, xᵢ)| has terms of at most |vₛ|·√k(xₛ, xₛ)·√k(xᵢ, xᵢ).
    fn errors(&self) -> Vec<f64> {
        let root = |k: &f64| k.abs().sqrt();
        let count = self.v.iter().filter(|v| **v != 0.0).count() as f64;
        let size: f64 = self.v.iter().zip(self.diagonal).map(|(v, k)| v.abs() * root(k)).sum();
        let unit = (count + UNITS) * f64::EPSILON * size;
        self.diagonal.iter().map(|k| unit * root(k)).collect()
    }

    /// Not below ‖(K − K̂)v‖ for every kernel matrix K that the claims are about.
    fn reach(&self) -> f64 {
        uncertainty_of(self.diagonal) * norm(self.v)
    }

    /// How much a row's own slack is.
    fn slack(&self, i: usize) -> f64 {
        let (f, y) = (self.f[i], self.problem.y[i]);
        match self.problem.form {
            Form::Margin | Form::NuMargin { .. } => 1.0 - y * (f + self.b),
            Form::Tube { epsilon } => (y - f - self.b).abs() - epsilon,
            Form::NuTube { .. } => (y - f - self.b).abs(),
            Form::Level { .. } => -self.b - f,
        }
    }

    fn primal(&self, square: Sum, errors: &[f64]) -> Sum {
        if self.problem.cost.iter().any(|c| c.is_infinite()) {
            return self.hard(square, errors);
        }
        let rounding = |i: usize| {
            errors[i] + 4.0 * f64::EPSILON * (self.f[i].abs() + self.b.abs() + 1.0 + self.problem.y[i].abs())
        };
        let losses = Sum::of((0..self.f.len()).map(|i| {
            let (slack, cost) = (self.slack(i), self.problem.cost[i]);
            let above = (slack + rounding(i)).max(0.0);
            (cost * slack.max(0.0), cost * (above - slack.max(0.0)))
        }));
        let level = match self.problem.form {
            Form::Level { mass } => mass * self.b,
            _ => 0.0,
        };
        // Slacks that together move by no more than the reach cost at most this.
        let steep = norm(&self.problem.cost) * self.reach();
        let off = 0.5 * square.off
            + losses.off
            + steep
            + f64::EPSILON * (level.abs() + losses.value.abs() + square.value.abs());
        Sum { value: 0.5 * square.value + losses.value + level, off }
    }

    /// Of a hard margin: ½‖f/m‖² with m the least yᵢ(f(xᵢ) + b), which f/m and b/m keep at 1.
    fn hard(&self, square: Sum, errors: &[f64]) -> Sum {
        let margin = |i: usize| 1.0 - self.slack(i);
        let least = (0..self.f.len()).map(|i| margin(i) - errors[i] - self.reach()).fold(f64::INFINITY, f64::min);
        if least <= 0.0 {
            return Sum { value: f64::INFINITY, off: 0.0 };
        }
        let value = 0.5 * square.value / (least * least);
        Sum { value, off: 0.5 * square.off / (least * least) + 8.0 * f64::EPSILON * value }
    }

    /// The dual objective at v, less what the best b could make of sums that are not where they should be.
    fn dual(&self, square: Sum, primal: f64) -> Option<Sum> {
        let inside = (0..self.v.len()).all(|i| self.within(i));
        if !inside {
            return None;
        }
        let linear = Sum::of(self.v.iter().zip(&self.problem.y).map(|(v, y)| match self.problem.form {
            Form::Margin | Form::NuMargin { .. } => (v * y, 0.0),
            Form::Tube { epsilon } => (v * y - epsilon * v.abs(), f64::EPSILON * (v * y).abs()),
            Form::NuTube { .. } => (v * y, 0.0),
            Form::Level { .. } => (0.0, 0.0),
        }));
        let held = Sum::of(self.v.iter().map(|v| (*v, 0.0)));
        let aside = (held.value - self.mass()).abs() + held.off + f64::EPSILON * self.mass();
        let price = if self.is_held() { aside * self.largest_offset(primal, square) } else { 0.0 };
        Some(Sum { value: linear.value - 0.5 * square.value, off: linear.off + 0.5 * square.off + price })
    }

    fn is_held(&self) -> bool {
        self.problem.intercept || matches!(self.problem.form, Form::Level { .. })
    }

    fn mass(&self) -> f64 {
        if let Form::Level { mass } = self.problem.form { mass } else { 0.0 }
    }

    /// Whether a coefficient is between its bounds.
    fn within(&self, i: usize) -> bool {
        let (v, cost) = (self.v[i], self.problem.cost[i]);
        match self.problem.form {
            Form::Margin | Form::NuMargin { .. } => (0.0..=cost).contains(&(v * self.problem.y[i])),
            Form::Tube { .. } | Form::NuTube { .. } => v.abs() <= cost,
            Form::Level { .. } => (0.0..=cost).contains(&v),
        }
    }

    /// Not below |b| of a least objective: ½‖f‖² is at most the objective there, and some row has no slack on either side.
    fn largest_offset(&self, primal: f64, square: Sum) -> f64 {
        let largest = self.diagonal.iter().fold(0.0f64, |m, k| m.max(k.abs()));
        let level = matches!(self.problem.form, Form::Level { .. });
        let norm = if level { square.value + square.off } else { 2.0 * primal.max(0.0) };
        let width = match self.problem.form {
            Form::Tube { epsilon } => epsilon,
            _ => 0.0,
        };
        let target = if level { 0.0 } else { self.problem.y.iter().fold(0.0f64, |m, y| m.max(y.abs())) };
        target + width + (norm.max(0.0) * largest).sqrt()
    }

    /// The conditions of a minimum: where v may rise it is pulled up no further than where it may fall.
    fn violation(&self) -> f64 {
        let (mut up, mut down) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut look = |pull: f64, may_rise: bool, may_fall: bool| {
            up = if may_rise { up.max(pull) } else { up };
            down = if may_fall { down.min(pull) } else { down };
        };
        for i in 0..self.v.len() {
            let (v, cost, y) = (self.v[i], self.problem.cost[i], self.problem.y[i]);
            match self.problem.form {
                Form::Margin | Form::NuMargin { .. } if y > 0.0 => look(1.0 - self.f[i], v < cost, v > 0.0),
                Form::Margin | Form::NuMargin { .. } => look(-1.0 - self.f[i], v < 0.0, v > -cost),
                Form::Level { .. } => look(-self.f[i], v < cost, v > 0.0),
                Form::Tube { .. } | Form::NuTube { .. } => {
                    let epsilon = if let Form::Tube { epsilon } = self.problem.form { epsilon } else { 0.0 };
                    look(y - epsilon - self.f[i], (0.0..cost).contains(&v), v > 0.0);
                    look(y + epsilon - self.f[i], v < 0.0, v <= 0.0 && v > -cost);
                }
            }
        }
        let worst = if self.is_held() { up - down } else { up.max(-down) };
        worst.max(0.0)
    }
}
