//! One program of a machine for classes, and what it says of rows that are held out.

use std::collections::HashMap;

use crate::error::Result;
use crate::run::Run;
use crate::solver::dual::DualParams;

use super::probability::{HeldOut, Slope};
use super::{Form, Part, Problem, Solved, Store, View, hard, solve};

/// Which classes a program tells apart: those above 0, and those below.
pub(crate) struct Sides {
    pub(crate) above: Vec<usize>,
    pub(crate) below: Vec<usize>,
}

/// What all programs of a fit share.
pub(crate) struct Work<'a> {
    pub(crate) store: &'a Store,
    pub(crate) params: DualParams,
    pub(crate) fold_count: usize,
    pub(crate) run: &'a Run,
}

impl Work<'_> {
    /// The groups of some classes, but for those of one fold.
    fn groups(&self, classes: &[usize], without: Option<usize>) -> Vec<usize> {
        let of_class = |c: &usize| (c * self.fold_count..(c + 1) * self.fold_count).collect::<Vec<_>>();
        let kept = |g: &usize| without.is_none_or(|fold| g % self.fold_count != fold);
        classes.iter().flat_map(of_class).filter(kept).collect()
    }

    /// One program, and the slope of its probabilities.
    pub(crate) fn part(
        &self,
        part: &Part,
        sides: &Sides,
        near: Option<&[f64]>,
        light: Option<Side>,
    ) -> Result<(Solved, Option<Slope>)> {
        let all = [self.groups(&sides.above, None), self.groups(&sides.below, None)].concat();
        let view = self.store.view(&all);
        // The store has rows by class and fold, the part by class alone.
        let places: Vec<usize> = view.rows_of_sample().collect();
        let order = part.order_of(&places);
        let problem = part.problem.reordered(&order);
        let near: Option<Vec<f64>> = near.map(|v| order.iter().map(|at| v[*at]).collect());
        let solved = match problem.cost.iter().any(|c| c.is_infinite()) {
            true => hard::solve(&view, &problem, &places, &self.params, self.run)?,
            false => solve(&view, &problem, near.as_deref(), &self.params, self.run)?,
        };
        let solved = if let Some(side) = light { solved.in_the_middle(side) } else { solved };
        let slope = match self.fold_count {
            1 => None,
            _ => Some(
                self.held_out(sides, &OnAllRows { places: &places, problem: &problem, solved: &solved, light })?
                    .slope(),
            ),
        };
        Ok((solved.reordered_back(&order), slope))
    }

    /// The values of rows at functions that were fitted without their fold, starting from the one that was fitted to all.
    /// Folds without which a class has no rows are left out; if all are, the values are those of that function itself.
    fn held_out(&self, sides: &Sides, whole: &OnAllRows<'_>) -> Result<HeldOut> {
        let mut held = HeldOut { f: Vec::new(), y: Vec::new(), weights: Vec::new() };
        let at: HashMap<usize, usize> = whole.places.iter().enumerate().map(|(at, row)| (*row, at)).collect();
        for fold in 0..self.fold_count {
            self.hold_out(fold, sides, whole, &at, &mut held)?;
        }
        if held.f.is_empty() {
            let f = whole.solved.f.iter().map(|f| f + whole.solved.b).collect();
            held = HeldOut { f, y: whole.problem.y.clone(), weights: whole.problem.cost.clone() };
        }
        // Costs are weights times C, which is the same for all.
        let unit = held.weights.iter().sum::<f64>() / held.weights.len().max(1) as f64;
        held.weights.iter_mut().for_each(|w| *w = if unit.is_finite() { *w / unit } else { 1.0 });
        Ok(held)
    }

    /// Adds the values of the rows of one fold, at a function that was fitted without them.
    fn hold_out(
        &self,
        fold: usize,
        sides: &Sides,
        whole: &OnAllRows<'_>,
        at: &HashMap<usize, usize>,
        held: &mut HeldOut,
    ) -> Result<()> {
        let groups = [self.groups(&sides.above, Some(fold)), self.groups(&sides.below, Some(fold))].concat();
        let view = self.store.view(&groups);
        let order: Vec<usize> = view.rows_of_sample().map(|row| at[&row]).collect();
        let rest = whole.problem.reordered(&order);
        if !(rest.y.contains(&1.0) && rest.y.contains(&-1.0)) {
            return Ok(());
        }
        let solved = self.without_fold(&view, &rest, &order, whole)?;
        let rows: Vec<usize> = (0..solved.v.len()).filter(|i| solved.v[*i] != 0.0).collect();
        let v: Vec<f64> = rows.iter().map(|i| solved.v[*i]).collect();
        for (classes, sign) in [(&sides.above, 1.0), (&sides.below, -1.0)] {
            for group in classes.iter().map(|c| c * self.fold_count + fold) {
                let values = view.product_with(group, &rows, &v, self.run)?;
                let out = self.store.view(&[group]);
                held.f.extend(values.iter().map(|f| f + solved.b));
                held.y.extend(values.iter().map(|_| sign));
                held.weights.extend(out.rows_of_sample().map(|row| whole.problem.cost[at[&row]]));
            }
        }
        Ok(())
    }

    /// The function of the other folds, from that of all.
    fn without_fold(&self, view: &View<'_>, rest: &Problem, order: &[usize], whole: &OnAllRows<'_>) -> Result<Solved> {
        let scale = if let Form::NuMargin { .. } = whole.problem.form { whole.solved.width } else { 1.0 };
        let near: Vec<f64> = order.iter().map(|i| whole.solved.v[*i] * scale).collect();
        let params = DualParams { exact: false, ..self.params };
        let solved = match whole.problem.cost.iter().any(|c| c.is_infinite()) {
            true => {
                let places: Vec<usize> = order.iter().map(|i| whole.places[*i]).collect();
                hard::solve(view, rest, &places, &params, self.run)?
            }
            false => solve(view, &rest.refitted(), Some(&near), &params, self.run)?,
        };
        Ok(if let Some(side) = whole.light { solved.in_the_middle(side) } else { solved })
    }
}

/// A program that was solved on all of its rows.
struct OnAllRows<'a> {
    /// Its rows among those of the sample.
    places: &'a [usize],
    problem: &'a Problem,
    solved: &'a Solved,
    light: Option<Side>,
}

/// A class whose rows are all at their bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    Above,
    Below,
}

impl Solved {
    /// Where all rows of one class are at their bounds, every ρ from that of the solver on is a solution, with f + b on the margin of the
    /// other class: 1/ρ is anything from 0 on. This takes the middle.
    fn in_the_middle(mut self, side: Side) -> Solved {
        self.v.iter_mut().chain(&mut self.f).for_each(|x| *x *= 0.5);
        self.b = 0.5
            * match side {
                Side::Above => self.b - 1.0,
                Side::Below => self.b + 1.0,
            };
        self.width *= 2.0;
        self
    }
}
