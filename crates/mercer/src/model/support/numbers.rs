//! Machines for numbers: one program an output, on shared kernel rows.

use crate::error::{Error, Result};
use crate::model::{Fitted, Learner, Model, Sample};
use crate::run::Run;
use crate::solver::dual::DualParams;

use super::{Form, Found, Part, Problem, Solved, Store, Support, assemble, definite, near_rows, solve};

/// A machine for numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// ε, or ν in its place.
    pub(crate) width: Width,
    /// C.
    pub(crate) cost: f64,
    pub(crate) intercept: bool,
}

/// How wide the tube is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    /// ε.
    Epsilon(f64),
    /// So that this share of the rows is at its wall or outside.
    Nu(f64),
}

impl Numbers {
    /// The programs on the rows of a sample, with the ε that were found, if any.
    pub(crate) fn parts(&self, sample: &Sample, widths: &[f64]) -> Result<Vec<Part>> {
        let y = sample.numbers()?;
        let weight = |i: usize| sample.weights.as_ref().map_or(1.0, |w| w[i]);
        let cost: Vec<f64> = (0..sample.n).map(|i| self.cost * weight(i)).collect();
        if cost.iter().any(|c| !c.is_finite()) {
            let must = "a cost of every row that is a number";
            return Err(Error::invalid("a support vector machine", "C", self.cost, must));
        }
        let form = match self.width {
            Width::Epsilon(epsilon) => Form::Tube { epsilon },
            Width::Nu(nu) => Form::NuTube { mass: 0.5 * nu * cost.iter().sum::<f64>() },
        };
        let part = |o: usize| {
            let y = (0..sample.n).map(|i| y.row(i)[o]).collect();
            let problem = Problem { form, y, cost: cost.clone(), intercept: self.intercept };
            Part {
                rows: (0..sample.n).collect(),
                problem: widths.get(o).map_or(problem.clone(), |w| problem.comes_to(*w)),
            }
        };
        Ok((0..y.outputs()).map(part).collect())
    }

    /// Solves all programs and puts the model together.
    pub(crate) fn learn(
        &self,
        learner: Learner,
        sample: &Sample,
        (near, params): (Option<&Model>, &DualParams),
        run: &Run,
    ) -> Result<Fitted> {
        let parts = self.parts(sample, &[])?;
        let notes = definite(sample, run)?.into_iter().collect();
        let store = Store::new(sample, &vec![0; sample.n], 1, run)?;
        let view = store.view(&[0]);
        // A store that folds share has rows by fold, the parts have them as they are.
        let places: Vec<usize> = view.rows_of_sample().collect();
        let known = near.and_then(|model| near_rows(model, sample, parts.len()));
        let one = |(o, part): (usize, &Part)| {
            let near: Option<Vec<f64>> = known.as_ref().map(|all| places.iter().map(|i| all.of(*i, o)).collect());
            let solved = solve(&view, &part.problem.reordered(&places), near.as_deref(), params, run)?;
            Ok(solved.reordered_back(&places))
        };
        let solved: Vec<Solved> = parts.iter().enumerate().map(one).collect::<Result<_>>()?;
        let widths: Vec<f64> = match self.width {
            Width::Nu(_) => solved.iter().map(|s| s.width).collect(),
            Width::Epsilon(_) => Vec::new(),
        };
        let parts: Vec<Part> = parts
            .into_iter()
            .zip(&solved)
            .map(|(part, s)| Part { problem: part.problem.comes_to(s.width), ..part })
            .collect();
        let support = Support { widths, ..Support::default() };
        let found = Found { solved, support, evaluations: store.evaluations(), kept: store.keeps_values(), notes };
        assemble(learner, sample, &parts, found, run)
    }
}
