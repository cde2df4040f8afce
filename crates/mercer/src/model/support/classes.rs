//! Machines for classes: one program for two, and for several one a pair or one a class, on shared kernel rows.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::chance::Chance;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::model::{Fitted, Learner, LearnerSpec, Model, Sample};
use crate::note::Note;
use crate::run::Run;
use crate::solver::dual::DualParams;

use super::probability::{HeldOut, Slope};
use super::{
    Form, Found, MultiClass, Part, Problem, Solved, Store, Support, View, assemble, definite, hard, near_rows, pairs,
    solve,
};

/// Folds of the rows that probabilities are found from.
const FOLDS: usize = 5;
/// Programs that nobody waits for the end of.
const MOST_PROGRAMS: usize = 100_000;

/// A machine for classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes {
    /// [`Form::Margin`] or [`Form::NuMargin`]; the mass of the latter follows from ν and the rows.
    pub(crate) form: Form,
    pub(crate) nu: Option<f64>,
    /// Whether weights of classes may lower ν.
    pub(crate) lowers: bool,
    /// C.
    pub(crate) cost: f64,
    pub(crate) intercept: bool,
    pub(crate) multi_class: MultiClass,
    /// Whether there are probabilities, and where the chance of their folds begins.
    pub(crate) probability: Option<u64>,
}

/// Which classes a program tells apart: those above 0, and those below.
struct Sides {
    above: Vec<usize>,
    below: Vec<usize>,
}

impl Classes {
    /// Fails for more classes than there can be programs for, and for a ν that the classes do not allow.
    pub(crate) fn check(&self, spec: &LearnerSpec, labels: &Labels) -> Result<()> {
        let classes = labels.count();
        let programs = if classes == 2 { 1 } else { self.multi_class.functions(classes) };
        match programs > MOST_PROGRAMS {
            false => Ok(()),
            true => Err(Error::Unsupported {
                what: format!("{programs} machines for the {classes} classes of {}", spec.title()),
                alternative: "use `multi_class=one_vs_rest`, fewer classes, or read the target as numbers".into(),
            }),
        }
    }

    fn sides(&self, classes: usize) -> Vec<Sides> {
        match (classes, self.multi_class) {
            (2, _) => vec![Sides { above: vec![1], below: vec![0] }],
            (_, MultiClass::OneVsOne) => {
                pairs::all(classes).map(|(i, j)| Sides { above: vec![i], below: vec![j] }).collect()
            }
            (_, MultiClass::OneVsRest) => {
                let rest = |c: usize| (0..classes).filter(|other| *other != c).collect();
                (0..classes).map(|c| Sides { above: vec![c], below: rest(c) }).collect()
            }
        }
    }

    /// The programs on the rows of a sample, with the ρ that were found, if any.
    pub(crate) fn parts(&self, sample: &Sample, labels: &Labels, widths: &[f64]) -> Result<Vec<Part>> {
        let rows_of = |classes: &[usize]| {
            classes.iter().flat_map(|c| (0..sample.n).filter(move |i| labels.codes()[*i] == *c)).collect::<Vec<_>>()
        };
        let part = |(o, sides): (usize, Sides)| {
            let (above, below) = (rows_of(&sides.above), rows_of(&sides.below));
            let rows = [above.as_slice(), below.as_slice()].concat();
            let problem = self.problem(sample, &rows, above.len())?;
            Ok(Part { problem: widths.get(o).map_or(problem.clone(), |width| problem.comes_to(*width)), rows })
        };
        self.sides(labels.count()).into_iter().enumerate().map(part).collect()
    }

    /// The problem of rows of which the first ones are above 0.
    fn problem(&self, sample: &Sample, rows: &[usize], above: usize) -> Result<Problem> {
        let weight = |i: &usize| sample.weights.as_ref().map_or(1.0, |w| w[*i]);
        let y: Vec<f64> = (0..rows.len()).map(|at| if at < above { 1.0 } else { -1.0 }).collect();
        let cost: Vec<f64> = rows.iter().map(|i| self.cost * weight(i)).collect();
        if let Some(at) = cost.iter().position(|c| !(c.is_finite() || self.cost.is_infinite())) {
            let got = format!("{} times a weight of {}", self.cost, weight(&rows[at]));
            return Err(Error::invalid("a support vector machine", "C", got, "a cost of every row that is a number"));
        }
        let problem = Problem { form: self.form, y, cost, intercept: self.intercept };
        match self.nu {
            None => Ok(problem),
            Some(nu) => self.with_share(problem, nu),
        }
    }

    /// A problem with half of ν times the total weight on each side, which neither class may be too light for. Where classes have
    /// weights of their own, a ν that these do not allow becomes the largest that they do.
    fn with_share(&self, problem: Problem, nu: f64) -> Result<Problem> {
        let (above, below) = totals(&problem);
        let (mass, least) = (0.5 * nu * (above + below), above.min(below));
        if mass <= least {
            return Ok(Problem { form: Form::NuMargin { mass }, ..problem });
        }
        if !self.lowers {
            let most = 2.0 * least / (above + below);
            let must = format!("at most {most:.6}: twice the weight of the smaller class over that of both");
            return Err(Error::invalid("a support vector machine", "nu", nu, must));
        }
        // Costs have no unit here; in this one values are of a size that the tolerance is meant for.
        let rows = problem.y.iter().filter(|y| (**y > 0.0) == (above < below)).count() as f64;
        let cost: Vec<f64> = problem.cost.iter().map(|c| c * (rows / least)).collect();
        Ok(Problem { form: Form::NuMargin { mass: rows }, cost, ..problem })
    }

    /// Whether ν was lowered for the sake of the class above 0, or below; nothing if it was not.
    fn light(&self, problem: &Problem) -> Option<Side> {
        let (above, below) = totals(problem);
        let lowered = self.nu.is_some_and(|nu| self.lowers && 0.5 * nu * (above + below) > above.min(below));
        lowered.then_some(if above < below { Side::Above } else { Side::Below })
    }

    /// What is said of a ν that was lowered.
    fn lowered(&self, parts: &[Part]) -> Option<Note> {
        let most = |part: &Part| {
            let (above, below) = totals(&part.problem);
            2.0 * above.min(below) / (above + below)
        };
        let least = parts.iter().map(most).fold(self.nu?, f64::min);
        let said = format!("`nu` was lowered to {least:.3e}, the most that the weights of the classes allow");
        (self.lowers && Some(least) < self.nu).then(|| said.into())
    }

    /// Solves all programs and puts the model together.
    pub(crate) fn learn(
        &self,
        learner: Learner,
        sample: &Sample,
        labels: &Labels,
        (near, params): (Option<&Model>, &DualParams),
        run: &Run,
    ) -> Result<Fitted> {
        let parts = self.parts(sample, labels, &[])?;
        let mut notes: Vec<Note> = definite(sample, run)?.into_iter().chain(self.lowered(&parts)).collect();
        let (store, fold_count) = self.store(sample, labels, run)?;
        let work = Work { store: &store, params: *params, fold_count, run };
        let sides = self.sides(labels.count());
        let solved = self.solve_all(&work, &parts, &sides, near, sample).map_err(|e| by_rows_of_data(e, sample))?;
        let (solved, slopes): (Vec<Solved>, Vec<Option<Slope>>) = solved.into_iter().unzip();
        let slopes: Option<Vec<Slope>> = slopes.into_iter().collect();
        notes.extend(slopes.as_deref().map(probabilities_note));
        let parts = self.with_widths(parts, &solved);
        let support = Support {
            classes: labels.count(),
            widths: if self.nu.is_some() { solved.iter().map(|s| s.width).collect() } else { Vec::new() },
            slopes: slopes.iter().flatten().map(|s| s.slope).collect(),
            ..Support::default()
        };
        let found = Found { solved, support, evaluations: store.evaluations(), notes };
        let mut fitted = assemble(learner, sample, &parts, found, run)?;
        if self.probability.is_some() && labels.count() > 2 {
            fitted.report.notes.push(disagreement(&fitted.model, sample, run)?);
        }
        Ok(fitted)
    }

    /// The rows by class and, where there are probabilities, by fold, and the number of folds.
    fn store(&self, sample: &Sample, labels: &Labels, run: &Run) -> Result<(Store, usize)> {
        let folds = self.probability.map(|seed| folds(labels, seed));
        let fold_count = if folds.is_some() { FOLDS } else { 1 };
        let group = |i: usize| labels.codes()[i] * fold_count + folds.as_ref().map_or(0, |folds| folds[i]);
        let groups: Vec<usize> = (0..sample.n).map(group).collect();
        Ok((Store::new(sample, &groups, labels.count() * fold_count, run)?, fold_count))
    }

    /// All programs, side by side, each from what a model knows of it.
    fn solve_all(
        &self,
        work: &Work<'_>,
        parts: &[Part],
        sides: &[Sides],
        near: Option<&Model>,
        sample: &Sample,
    ) -> Result<Vec<(Solved, Option<Slope>)>> {
        let known = near.and_then(|model| near_rows(model, sample, parts.len()));
        let one = |(o, (part, sides)): (usize, (&Part, &Sides))| {
            let scale = near.and_then(Model::support).and_then(|s| s.widths.get(o).copied()).unwrap_or(1.0);
            let near: Option<Vec<f64>> =
                known.as_ref().map(|all| part.rows.iter().map(|i| scale * all.of(*i, o)).collect());
            work.part(part, sides, near.as_deref(), self.light(&part.problem))
        };
        let numbered: Vec<(usize, (&Part, &Sides))> = parts.iter().zip(sides).enumerate().collect();
        work.run.install(|| match numbered.len() {
            1 => numbered.into_iter().map(one).collect::<Result<_>>(),
            _ => numbered.into_par_iter().map(one).collect::<Result<_>>(),
        })
    }

    /// Programs of ν with the ρ that they came to.
    fn with_widths(&self, parts: Vec<Part>, solved: &[Solved]) -> Vec<Part> {
        let known = |(part, s): (Part, &Solved)| Part { problem: part.problem.comes_to(s.width), ..part };
        match self.nu {
            Some(_) => parts.into_iter().zip(solved).map(known).collect(),
            None => parts,
        }
    }
}

/// How often the most probable class of a row is not the one that is predicted.
fn disagreement(model: &Model, sample: &Sample, run: &Run) -> Result<Note> {
    let run = run.without_stops();
    let values = model.functions(&sample.all, &run)?;
    let likely = model.probabilities_of(&sample.all, &values, &run)?.unwrap_or_default();
    let first = |row: &[f64]| (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best });
    let predicted = model.largest(&model.answer(values));
    let apart = likely.chunks(model.answers()).zip(&predicted).filter(|(row, class)| first(row) != **class).count();
    Ok(Note::VotesDisagree { share: apart as f64 / sample.all.len() as f64 })
}

/// What all programs of a fit share.
struct Work<'a> {
    store: &'a Store,
    params: DualParams,
    fold_count: usize,
    run: &'a Run,
}

impl Work<'_> {
    /// The groups of some classes, but for those of one fold.
    fn groups(&self, classes: &[usize], without: Option<usize>) -> Vec<usize> {
        let of_class = |c: &usize| (c * self.fold_count..(c + 1) * self.fold_count).collect::<Vec<_>>();
        let kept = |g: &usize| without.is_none_or(|fold| g % self.fold_count != fold);
        classes.iter().flat_map(of_class).filter(kept).collect()
    }

    /// One program, and the slope of its probabilities.
    fn part(
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
                self.held_out(sides, &Whole { places: &places, problem: &problem, solved: &solved, light })?.slope(),
            ),
        };
        Ok((solved.reordered_back(&order), slope))
    }

    /// The values of rows at functions that were fitted without their fold, starting from the one that was fitted to all.
    /// Folds without which a class has no rows are left out; if all are, the values are those of that function itself.
    fn held_out(&self, sides: &Sides, whole: &Whole<'_>) -> Result<HeldOut> {
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
        whole: &Whole<'_>,
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
    fn without_fold(&self, view: &View<'_>, rest: &Problem, order: &[usize], whole: &Whole<'_>) -> Result<Solved> {
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
struct Whole<'a> {
    /// Its rows among those of the sample.
    places: &'a [usize],
    problem: &'a Problem,
    solved: &'a Solved,
    light: Option<Side>,
}

/// A witness among the rows that count, by the rows of the data.
fn by_rows_of_data(error: Error, sample: &Sample) -> Error {
    match error {
        Error::NotSeparable { distance, witness, intercept } => {
            let witness = witness.into_iter().map(|(i, weight)| (sample.row(i), weight)).collect();
            Error::NotSeparable { distance, witness, intercept }
        }
        other => other,
    }
}

/// The costs of the rows above 0 and of those below.
fn totals(problem: &Problem) -> (f64, f64) {
    let rows = || problem.y.iter().zip(&problem.cost);
    let total = |sign: f64| rows().filter(|(y, _)| **y == sign).map(|(_, c)| c).sum::<f64>();
    (total(1.0), total(-1.0))
}

/// A class whose rows are all at their bounds.
#[derive(Clone, Copy, Debug)]
enum Side {
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

/// A fold for every row, dealt by chance within each class.
fn folds(labels: &Labels, seed: u64) -> Vec<usize> {
    let mut chance = Chance::new(seed);
    let mut fold = vec![0; labels.codes().len()];
    for class in 0..labels.count() {
        let mut rows: Vec<usize> = (0..fold.len()).filter(|i| labels.codes()[*i] == class).collect();
        chance.shuffle(&mut rows);
        rows.iter().enumerate().for_each(|(at, i)| fold[*i] = at % FOLDS);
    }
    fold
}

/// What probabilities cost by going through ½ at 0.
fn probabilities_note(slopes: &[Slope]) -> Note {
    let mean = |of: &dyn Fn(&Slope) -> f64| slopes.iter().map(of).sum::<f64>() / slopes.len().max(1) as f64;
    Note::Probabilities { folds: FOLDS, log_loss: mean(&|s| s.log_loss), free_log_loss: mean(&|s| s.free_log_loss) }
}
