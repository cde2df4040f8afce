//! Machines for classes: one program for two, and for several one a pair or one a class, on shared kernel rows.

use rayon::prelude::*;

use crate::chance::Chance;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::model::{Fitted, Learner, LearnerSpec, Model, Sample};
use crate::note::Note;
use crate::run::Run;
use crate::solver::dual::DualParams;

use super::probability::Slope;
use super::work::{Side, Sides, Work};
use super::{Form, Found, MultiClass, Part, Problem, Solved, Store, Support, assemble, definite, near_rows, pairs};

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
        let found = Found { solved, support, evaluations: store.evaluations(), kept: store.keeps_values(), notes };
        let mut fitted = assemble(learner, sample, &parts, found, run)?;
        if self.probability.is_some() && labels.count() > 2 {
            fitted.report.notes.push(disagreement(&fitted.model, sample, &store, run)?);
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
fn disagreement(model: &Model, sample: &Sample, store: &Store, run: &Run) -> Result<Note> {
    let run = run.without_stops();
    let values = match sample.kept.is_none() && store.keeps_values() {
        true => store.values(model, &run)?,
        false => model.functions(&sample.all, &run)?,
    };
    let likely = model.probabilities_of(&sample.all, &values, &run)?.unwrap_or_default();
    let first = |row: &[f64]| (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best });
    let predicted = model.largest(&model.answer(values));
    let apart = likely.chunks(model.answers()).zip(&predicted).filter(|(row, class)| first(row) != **class).count();
    Ok(Note::VotesDisagree { share: apart as f64 / sample.all.len() as f64 })
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
