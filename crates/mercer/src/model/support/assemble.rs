//! From programs that were solved to a model, and back to the programs when it is certified again.

use std::collections::HashMap;

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, apply};
use crate::kernel::property::Standing;
use crate::model::{Certified, Expansion, Extra, Fitted, Learner, Link, Model, ModelParts, Report, Sample};
use crate::note::Note;
use crate::run::Run;

use super::{Claim, Measured, Problem, Solved, Support, pairs};

/// What the numbers of a model are held to.
const SYSTEM: &str = "objective − dual objective = 0, over the objective";

/// What is done with kernel values, and why.
const ON_DEMAND: &str = "few rows are support vectors, so kernel rows are computed for those that come to move";
const KEPT: &str = "few rows are support vectors, so kernel rows are computed for those that come to move; their values take long, so \
                    each is computed once and kept in double precision";

/// A problem on some rows of a sample.
pub(crate) struct Part {
    /// The rows, among those that count.
    pub(crate) rows: Vec<usize>,
    /// What their function minimises; ρ and ε are known.
    pub(crate) problem: Problem,
}

/// Functions that were found, one a part.
pub(crate) struct Found {
    pub(crate) solved: Vec<Solved>,
    /// What is kept beside them; rows and widths are filled in here.
    pub(crate) support: Support,
    /// Kernel values that were computed.
    pub(crate) evaluations: u64,
    /// Whether each of them was kept in double precision.
    pub(crate) kept: bool,
    pub(crate) notes: Vec<Note>,
}

/// Puts a model together. Values of its functions on their rows are those that the solver ended with, in double precision.
pub(crate) fn assemble(learner: Learner, sample: &Sample, parts: &[Part], found: Found, run: &Run) -> Result<Fitted> {
    let Found { solved, mut support, evaluations, kept, mut notes } = found;
    let rows = support_rows(sample, parts, &solved);
    let functions = parts.len();
    let place: HashMap<usize, usize> = rows.iter().enumerate().map(|(at, i)| (*i, at)).collect();
    let mut coefficients = vec![0.0; rows.len() * functions];
    for (o, (part, solved)) in parts.iter().zip(&solved).enumerate() {
        for (i, v) in part.rows.iter().zip(&solved.v).filter(|(_, v)| **v != 0.0) {
            coefficients[place[i] * functions + o] = *v;
        }
    }
    let intercept = solved.iter().map(|s| s.b).collect();
    support.rows = rows.iter().map(|i| sample.row(*i)).collect();
    let expansion = sample.expansion(coefficients, intercept, Some(&rows))?;
    let known = Some(solved.iter().map(|s| s.f.as_slice()).collect());
    let seen = Seen::new(&expansion, &support, sample, parts, known, &run.without_stops())?;
    let stop = solved.iter().map(|s| s.stop).find(|s| !s.is_complete()).unwrap_or(Stop::Tolerance);
    let reason = if kept { KEPT } else { ON_DEMAND };
    let certificate = Certificate::new(Algorithm::WorkingSets, reason, stop)
        .count(Measure::Iterations, solved.iter().map(|s| s.iterations as usize).sum::<usize>())
        .with(Measure::KernelEvaluations, evaluations as f64);
    let certificate = seen.certificate(certificate, &mut notes);
    if !stop.is_complete() {
        notes.push(Note::FitStopped { stop });
    }
    let iterations = solved.iter().map(|s| s.iterations).collect();
    let model = Model::from_parts(ModelParts {
        learner,
        expansion,
        weights: None,
        extra: Extra::Support(support),
        certificate,
    })?;
    Ok(Fitted { model, report: Report { notes, iterations, ..Report::of(sample) } })
}

/// Computes the certificate of a model again.
pub(crate) fn certify(model: &Model, sample: &Sample, parts: &[Part], run: &Run) -> Result<Certified> {
    let Extra::Support(support) = model.extra() else {
        return Err(Error::shape("a support vector machine", "the rows of its support vectors", "none"));
    };
    let seen = Seen::new(model.expansion(), support, sample, parts, None, run)?;
    let certificate = seen.certificate(model.certificate().clone(), &mut Vec::new());
    Ok(Certified { certificate, broken: seen.broken })
}

/// The rows with a coefficient in some part, in the order of the first part that has them: by class, where there are classes. One
/// row of coefficient 0 stands for none.
fn support_rows(sample: &Sample, parts: &[Part], solved: &[Solved]) -> Vec<usize> {
    let mut has = vec![false; sample.n];
    for (part, solved) in parts.iter().zip(solved) {
        part.rows.iter().zip(&solved.v).for_each(|(i, v)| has[*i] |= *v != 0.0);
    }
    let mut rows: Vec<usize> = (0..sample.n).filter(|i| has[*i]).collect();
    if let Ok(labels) = sample.labels() {
        rows.sort_by_key(|i| labels.codes()[*i]);
    }
    if rows.is_empty() {
        rows.push(0);
    }
    rows
}

/// What is seen of functions on the rows of a sample.
struct Seen {
    measured: Vec<Measured>,
    support_vectors: usize,
    free: usize,
    bound: usize,
    /// Why there is no lower bound of the objective.
    no_dual: Option<Note>,
    broken: Option<String>,
}

impl Seen {
    fn new(
        f: &Expansion,
        support: &Support,
        sample: &Sample,
        parts: &[Part],
        known: Option<Vec<&[f64]>>,
        run: &Run,
    ) -> Result<Self> {
        let functions = f.outputs();
        if parts.len() != functions {
            return Err(Error::shape("the functions of the model", parts.len(), functions));
        }
        let (coefficients, strangers) = by_row(f, support, sample)?;
        let values = match known {
            Some(_) => Vec::new(),
            None => values(f, &coefficients, sample, run)?,
        };
        let mut diagonal = vec![0.0; sample.n];
        sample.space.gram(&sample.x, run)?.diag(&mut diagonal);
        let (mut free, mut bound) = (vec![false; sample.n], vec![false; sample.n]);
        let mut covered = vec![0usize; functions];
        let mut measured = Vec::with_capacity(functions);
        for (o, Part { rows, problem }) in parts.iter().enumerate() {
            let v: Vec<f64> = rows.iter().map(|i| coefficients[i * functions + o]).collect();
            covered[o] = v.iter().filter(|v| **v != 0.0).count();
            for ((i, v), cost) in rows.iter().zip(&v).zip(&problem.cost).filter(|((_, v), _)| **v != 0.0) {
                let at_bound = v.abs() >= *cost;
                free[*i] |= !at_bound;
                bound[*i] |= at_bound;
            }
            let again = || rows.iter().map(|i| values[i * functions + o]).collect();
            let own: Vec<f64> = known.as_ref().map_or_else(again, |known| known[o].to_vec());
            let diagonal: Vec<f64> = rows.iter().map(|i| diagonal[*i]).collect();
            measured.push(Claim { problem, v: &v, f: &own, b: f.intercept()[o], diagonal: &diagonal }.measure());
        }
        let in_all = |o: usize| coefficients.iter().skip(o).step_by(functions).filter(|v| **v != 0.0).count();
        let outside = (0..functions).any(|o| covered[o] != in_all(o)) || strangers;
        let counted = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
        Ok(Seen {
            measured,
            support_vectors: coefficients.chunks(functions).filter(|row| row.iter().any(|v| *v != 0.0)).count(),
            free: counted(&free),
            bound: counted(&bound),
            no_dual: no_dual(sample.space.kernel().standing()),
            broken: outside.then(|| "a function has coefficients of rows that are not its own".to_owned()),
        })
    }

    fn certificate(&self, of: Certificate, notes: &mut Vec<Note>) -> Certificate {
        let sum = |term: &dyn Fn(&Measured) -> f64| {
            let total: f64 = self.measured.iter().map(term).sum();
            (
                total,
                self.measured.len() as f64 * f64::EPSILON * self.measured.iter().map(|m| term(m).abs()).sum::<f64>(),
            )
        };
        let primal = sum(&|m| m.primal);
        let dual = (self.no_dual.is_none() && self.measured.iter().all(|m| m.dual.is_some()))
            .then(|| sum(&|m| m.dual.unwrap_or(0.0)));
        let rounding = sum(&|m| m.rounding);
        let largest = |of: &dyn Fn(&Measured) -> f64| self.measured.iter().map(of).fold(0.0, f64::max);
        notes.extend(self.no_dual.clone());
        let residual = match dual {
            Some(_) => largest(&|m| m.relative_gap().unwrap_or(f64::INFINITY)),
            None => largest(&|m| m.violation),
        };
        of.of_system(SYSTEM, residual)
            .with(Measure::KktViolation, largest(&|m| m.violation))
            .with(Measure::Primal, primal.0 + primal.1)
            .with(Measure::Dual, dual.map(|d| d.0 - d.1))
            .with(Measure::Rounding, rounding.0 + primal.1 + dual.map_or(0.0, |d| d.1))
            .with(Measure::Norm, sum(&|m| m.square).0.sqrt())
            .count(Measure::SupportVectors, self.support_vectors)
            .count(Measure::FreeSupportVectors, self.free)
            .count(Measure::BoundSupportVectors, self.bound)
    }
}

/// Why a kernel of this standing has no lower bound of the objective, if it has none.
fn no_dual(standing: Standing) -> Option<Note> {
    match standing {
        Standing::PositiveDefinite | Standing::Unknown => None,
        Standing::ConditionallyPositiveDefinite { .. } => Some(Note::from(format!(
            "the kernel is only {}, so no lower bound of the objective is computed; the largest violation says how far the \
             solution may be",
            standing.words()
        ))),
        Standing::Indefinite => Some(Note::NoDuality),
    }
}

/// The coefficients of every row that counts, row-major: rows×functions; and whether there are some of rows that do not count.
fn by_row(f: &Expansion, support: &Support, sample: &Sample) -> Result<(Vec<f64>, bool)> {
    let c = f.outputs();
    let mut all = vec![0.0; sample.n * c];
    let row_of_data: HashMap<usize, usize> = (0..sample.n).map(|i| (sample.row(i), i)).collect();
    let precomputed = matches!(sample.x, Inputs::Precomputed(_));
    let points = if precomputed { sample.all.len() } else { support.rows.len() };
    if f.points().len() != points {
        return Err(Error::shape("the rows of the support vectors", f.points().len(), support.rows.len()));
    }
    let mut strangers = false;
    for (at, row) in f.coefficients().chunks(c).enumerate() {
        let data = if precomputed { at } else { support.rows[at] };
        match row_of_data.get(&data) {
            Some(i) => all[i * c..(i + 1) * c].copy_from_slice(row),
            None => strangers |= row.iter().any(|v| *v != 0.0),
        }
    }
    Ok((all, strangers))
}

/// The values of the functions on every row that counts, without b.
fn values(f: &Expansion, coefficients: &[f64], sample: &Sample, run: &Run) -> Result<Vec<f64>> {
    match &sample.x {
        Inputs::Precomputed(_) => {
            let mut values = vec![0.0; coefficients.len()];
            apply(&sample.space.gram(&sample.x, run)?, coefficients, f.outputs(), &mut values, run)?;
            Ok(values)
        }
        points if f.outputs() > 2 => match pairs::evaluate(f, Link::Pairs.answers(f.outputs()), points, run)? {
            Some(values) => Ok(values),
            None => f.without_intercept(points, run),
        },
        points => f.without_intercept(points, run),
    }
}

impl Part {
    /// Where each of these rows of the sample stands in the part.
    pub(crate) fn order_of(&self, rows: &[usize]) -> Vec<usize> {
        let place: HashMap<usize, usize> = self.rows.iter().enumerate().map(|(at, row)| (*row, at)).collect();
        rows.iter().map(|row| place[row]).collect()
    }
}

impl Solved {
    /// With its rows back where this order took them from.
    pub(crate) fn reordered_back(self, order: &[usize]) -> Solved {
        let back = |values: &[f64]| {
            let mut there = vec![0.0; values.len()];
            order.iter().zip(values).for_each(|(at, v)| there[*at] = *v);
            there
        };
        Solved { v: back(&self.v), f: back(&self.f), ..self }
    }
}
