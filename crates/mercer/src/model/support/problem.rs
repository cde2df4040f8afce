//! What a machine minimises on its rows, and the program that is its dual.
//!
//! With f = Σ vᵢk(xᵢ, ·), of every form the dual is min ½vᵀKv + Σ shift·v over bounds of v, with sums of v held where they
//! start. The pull of a variable is −f(xᵢ) − shift; what free variables are pulled to are the multipliers of the sums, and b, ρ
//! and ε follow from them.

use crate::solver::dual::{KernelRows, Program, Sums};

/// What is minimised over f and b, with cᵢ the cost of row i.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// ½‖f‖² + Σ cᵢ·max(0, 1 − yᵢ(f(xᵢ) + b)), yᵢ = ±1.
    Margin,
    /// ½‖f‖² + Σ cᵢ·max(0, |yᵢ − f(xᵢ) − b| − ε).
    Tube {
        /// ε.
        epsilon: f64,
    },
    /// ½‖f‖² − mass·ρ + Σ cᵢ·max(0, ρ − f(xᵢ)) over ρ, too, with b = −ρ.
    Level {
        /// What the coefficients add up to.
        mass: f64,
    },
    /// ½‖f‖² − 2·mass·ρ + Σ cᵢ·max(0, ρ − yᵢ(f(xᵢ) + b)) over ρ, too; f/ρ and b/ρ are a [`Form::Margin`] with costs cᵢ/ρ.
    NuMargin {
        /// What the coefficients of each class add up to.
        mass: f64,
    },
    /// ½‖f‖² + 2·mass·ε + Σ cᵢ·max(0, |yᵢ − f(xᵢ) − b| − ε) over ε, too.
    NuTube {
        /// What the coefficients of rows above, and of those below, add up to.
        mass: f64,
    },
}

/// Rows with their targets and costs.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) form: Form,
    /// ±1, or numbers; not looked at by [`Form::Level`].
    pub(crate) y: Vec<f64>,
    /// The cost of a unit of slack, > 0; infinite for hard margins.
    pub(crate) cost: Vec<f64>,
    /// Whether b is free.
    pub(crate) intercept: bool,
}

/// b with what else follows from the multipliers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Levels {
    /// b.
    pub(crate) b: f64,
    /// ρ of [`Form::NuMargin`], ε of [`Form::NuTube`] and [`Form::Tube`].
    pub(crate) width: f64,
}

impl Problem {
    pub(crate) fn len(&self) -> usize {
        self.y.len()
    }

    fn sums(&self) -> Sums {
        match self.form {
            Form::NuMargin { .. } | Form::NuTube { .. } => Sums::BySide,
            Form::Level { .. } => Sums::Together,
            Form::Margin | Form::Tube { .. } if self.intercept => Sums::Together,
            Form::Margin | Form::Tube { .. } => Sums::None,
        }
    }

    /// Whether a row has a variable for being above its target and one for being below.
    fn two_sided(&self) -> bool {
        matches!(self.form, Form::Tube { .. } | Form::NuTube { .. })
    }

    /// The dual.
    pub(crate) fn program<'a>(&self, kernel: &'a dyn KernelRows) -> Program<'a> {
        let n = self.len();
        let variables = if self.two_sided() { 2 * n } else { n };
        let row: Vec<u32> = (0..variables).map(|j| (j % n.max(1)) as u32).collect();
        let bounds: Vec<(f64, f64)> = (0..variables).map(|j| self.bounds(j)).collect();
        Program {
            kernel,
            row,
            low: bounds.iter().map(|(low, _)| *low).collect(),
            high: bounds.iter().map(|(_, high)| *high).collect(),
            shift: (0..variables).map(|j| self.shift(j)).collect(),
            sums: self.sums(),
        }
    }

    /// Between what a variable may lie; those of rows below their targets stand after those above.
    fn bounds(&self, j: usize) -> (f64, f64) {
        let cost = self.cost[j % self.len()];
        let positive = match self.form {
            Form::Margin | Form::NuMargin { .. } => self.y[j] > 0.0,
            Form::Tube { .. } | Form::NuTube { .. } => j < self.len(),
            Form::Level { .. } => true,
        };
        if positive { (0.0, cost) } else { (-cost, 0.0) }
    }

    fn shift(&self, j: usize) -> f64 {
        let i = j % self.len();
        match self.form {
            Form::Margin => -self.y[i],
            Form::Tube { epsilon } if j < self.len() => epsilon - self.y[i],
            Form::Tube { epsilon } => -epsilon - self.y[i],
            Form::NuTube { .. } => -self.y[i],
            Form::Level { .. } | Form::NuMargin { .. } => 0.0,
        }
    }

    /// A feasible point near these coefficients by row, or the simplest there is.
    pub(crate) fn start(&self, near: Option<&[f64]>) -> Vec<f64> {
        let variables = if self.two_sided() { 2 * self.len() } else { self.len() };
        let mut v: Vec<f64> = (0..variables)
            .map(|j| {
                let (low, high) = self.bounds(j);
                near.map_or(0.0, |near| near[j % self.len()]).clamp(low, high)
            })
            .collect();
        let above: Vec<usize> = (0..variables).filter(|j| self.bounds(*j).1 > 0.0).collect();
        let below: Vec<usize> = (0..variables).filter(|j| self.bounds(*j).1 <= 0.0).collect();
        let limit = |j: usize| self.cost[j % self.len()];
        match self.form {
            Form::Level { mass } => fill(&mut v, &above, (1.0, mass), limit),
            Form::NuMargin { mass } | Form::NuTube { mass } => {
                fill(&mut v, &above, (1.0, mass), limit);
                fill(&mut v, &below, (-1.0, mass), limit);
            }
            Form::Margin | Form::Tube { .. } if self.intercept => {
                let total = |rows: &[usize], v: &[f64]| rows.iter().map(|j| v[*j].abs()).sum::<f64>();
                let least = total(&above, &v).min(total(&below, &v));
                shrink(&mut v, &above, least);
                shrink(&mut v, &below, least);
            }
            Form::Margin | Form::Tube { .. } => {}
        }
        v
    }

    /// b and the width, from the multipliers of the sums.
    pub(crate) fn levels(&self, [first, second]: [f64; 2]) -> Levels {
        match self.form {
            Form::Margin | Form::Level { .. } => Levels { b: first, width: 1.0 },
            Form::Tube { epsilon } => Levels { b: first, width: epsilon },
            // Free rows of the first class have f + b = ρ, those of the second f + b = −ρ.
            Form::NuMargin { .. } => Levels { b: 0.5 * (first + second), width: 0.5 * (second - first) },
            Form::NuTube { .. } => Levels { b: 0.5 * (first + second), width: (0.5 * (first - second)).max(0.0) },
        }
    }
}

/// Brings the sizes of some variables down to a sum.
fn shrink(v: &mut [f64], rows: &[usize], mass: f64) {
    let total: f64 = rows.iter().map(|j| v[*j].abs()).sum();
    if total > mass {
        rows.iter().for_each(|j| v[*j] *= mass / total);
    }
}

/// Brings the sizes of some variables of one sign to a sum, within their limits, the first ones first.
fn fill(v: &mut [f64], rows: &[usize], (sign, mass): (f64, f64), limit: impl Fn(usize) -> f64) {
    shrink(v, rows, mass);
    let mut missing = mass - rows.iter().map(|j| v[*j].abs()).sum::<f64>();
    for j in rows {
        let more = missing.min(limit(*j) - v[*j].abs());
        if more > 0.0 {
            v[*j] += sign * more;
            missing -= more;
        }
    }
}

impl Problem {
    /// The same rows in another order, or some of them.
    pub(crate) fn reordered(&self, order: &[usize]) -> Problem {
        let of = |values: &[f64]| order.iter().map(|at| values[*at]).collect();
        Problem { form: self.form, y: of(&self.y), cost: of(&self.cost), intercept: self.intercept }
    }

    /// The same for fewer rows: what coefficients add up to follows the costs that are left.
    pub(crate) fn refitted(&self) -> Problem {
        let total = |sign: f64| self.y.iter().zip(&self.cost).filter(|(y, _)| **y == sign).map(|(_, c)| c).sum::<f64>();
        match self.form {
            Form::NuMargin { mass } => {
                // A little inside of what the smaller class allows.
                let mass = mass.min(0.999 * total(1.0).min(total(-1.0)));
                Problem { form: Form::NuMargin { mass }, ..self.clone() }
            }
            _ => self.clone(),
        }
    }
}
